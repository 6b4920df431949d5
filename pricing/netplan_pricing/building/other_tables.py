"""Tables of prices from other sources than the catalogue's SKUs, told apart by their columns.

They are younger than a dump, or say what it does not. Their rows carry their own source and date,
and never a SKU id of the catalogue's.
"""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_pricing.building.csv_tables import Row, Sources, header_of, read_rows
from netplan_pricing.building.service_tables import page_rows
from netplan_pricing.building.sku_tables import Key

USAGES = ("on_demand", "spot", "cud_1y", "cud_3y")
"""On demand comes first: it tells whether a list means the same machine."""
_USAGE_CELLS = tuple(f"{usage}_usd_hour" for usage in USAGES)
_MONTH = "sud_full_month_usd_hour"
_MACHINE_CELLS = ("region", "machine_type", *_USAGE_CELLS, _MONTH, "source", "as_of", "note")
_RATE_CELLS = (
    *("series", "region", "component", "usage", "usd_per_unit", "unit", "source", "as_of", "note"),
)
_SOLVED = "solved-from-machine-prices"


class ListedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A machine's prices as a price list has them; None where it has none."""

    where: str
    region: str
    machine_type: str
    prices: dict[str, Decimal | None]
    """By usage."""
    month: Decimal | None
    """Of an hour in a full month."""
    note: str
    source: str
    as_of: str


class OtherTables(msgspec.Struct, frozen=True, kw_only=True):
    """What the files hold."""

    machines: tuple[ListedRow, ...] = ()
    rates: dict[Key, tuple[str, ...]] = {}
    """Rows of `component_prices` without a SKU id."""
    pages: tuple[tuple[str, ...], ...] = ()
    """Rows of `service_prices`."""

    def with_new(self, new: "OtherTables") -> "OtherTables":
        """Return these prices with those of newer tables in their place where both have one."""
        machines = {(one.region, one.machine_type): one for one in self.machines}
        machines.update({(one.region, one.machine_type): one for one in new.machines})
        services = {row[0] for row in new.pages}
        pages = (*(row for row in self.pages if row[0] not in services), *new.pages)
        return OtherTables(
            machines=tuple(machines.values()), rates={**self.rates, **new.rates}, pages=pages
        )


def read_tables(paths: Iterable[Path], sources: Sources) -> OtherTables:
    """Return the prices of CSV files.

    Raises:
        InputError: If one is of no known form, has a price that cannot be one, or repeats a row.
    """
    machines: dict[tuple[str, str], ListedRow] = {}
    rates: dict[Key, tuple[str, ...]] = {}
    pages: list[tuple[str, ...]] = []
    for path in paths:
        columns = header_of(path)
        if set(_MACHINE_CELLS) <= columns:
            for row in read_rows(path, _MACHINE_CELLS):
                listed = _listed(row, path, sources)
                if machines.setdefault((listed.region, listed.machine_type), listed) is not listed:
                    raise InputError(
                        f"{row.where}: {listed.machine_type} in {listed.region} comes twice"
                    )
        elif set(_RATE_CELLS) <= columns:
            for row in read_rows(path, _RATE_CELLS):
                key = Key(row["region"], row["series"], row["component"], row["usage"])
                if key in rates:
                    raise InputError(f"{row.where}: a second rate for {', '.join(_words(key))}")
                rates[key] = _rate(row, key, path, sources)
        elif {"class", "price_usd"} <= columns:
            pages += page_rows(path)
        else:
            raise InputError(
                f"{path}: not a table of prices: one has the columns on_demand_usd_hour,"
                " usd_per_unit or price_usd (see pricing/README.md)"
            )
    return OtherTables(machines=tuple(machines.values()), rates=rates, pages=tuple(pages))


def _words(key: Key) -> tuple[str, ...]:
    return (key.series, key.component, key.usage, key.region)


def _listed(row: Row, path: Path, sources: Sources) -> ListedRow:
    prices = {usage: _number(row, f"{usage}_usd_hour") for usage in USAGES}
    most = prices["on_demand"]
    if most is None:
        raise InputError(f"{row.where}: no on-demand price")
    for usage, usd in prices.items():
        if usd is not None and usd > most:
            raise InputError(f"{row.where}: {usage} is above the on-demand price")
    return ListedRow(
        where=row.where,
        region=row["region"],
        machine_type=row["machine_type"],
        prices=prices,
        month=_number(row, _MONTH),
        note=row["note"],
        source=sources.of_label(path.name, row["source"]),
        as_of=row.day("as_of"),
    )


def _number(row: Row, cell: str) -> Decimal | None:
    text = row.price(cell)
    return Decimal(text) if text else None


def _rate(row: Row, key: Key, path: Path, sources: Sources) -> tuple[str, ...]:
    usd = row.amount("usd_per_unit")
    if not usd:
        raise InputError(f"{row.where}: no rate")
    # A rate of 0 is no price.
    usd = usd if Decimal(usd) else ""
    source = sources.of_label(path.name, row["source"])
    note = row["note"] or (_SOLVED if "solved" in row["source"] else "")
    return (*_key_cells(key), usd, row["unit"], "", note, source, row.day("as_of"))


def _key_cells(key: Key) -> tuple[str, ...]:
    return key.region, key.series, key.component, key.usage
