"""Tables of prices from other sources than the catalogue's SKUs, told apart by their columns.

They are younger than a dump, or say what it does not. Their rows carry their own source and date,
and never a SKU id of the catalogue's.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_pricing.building.csv_tables import Row, Sources, header_of, read_rows
from netplan_pricing.building.sku_tables import Key

# A table of prices that pages of Google state: gateways, load balancers, log generation


_CELLS = (
    *("class", "source_location", "destination_location", "usage_tier", "unit", "price_usd"),
    *("confidence", "source", "source_date", "sku_id", "note"),
)
_KEPT = frozenset(
    {
        *("same_zone_external_ip", "ingress", "gcs_multiregion_to_vm"),
        *("cloud_nat_gateway", "cloud_nat_data", "cloud_nat_ip", "vpn_tunnel"),
        *("lb_forwarding_rule", "lb_data_inbound", "lb_data_outbound", "lb_data_both"),
        *("psc_endpoint", "psc_data", "interconnect_port", "vpc_flow_log_generation"),
        *("network_log_storage", "log_retention", "general_log_storage", "ncc_data"),
        "external_ipv4_static_unused",
        *("gke_cluster", "gke_extended_support", "gke_service_networking"),
    }
)
_IN_CATALOGUE = frozenset(
    {
        *("same_zone_internal_ip", "same_region_external_ip", "inter_zone", "google_services"),
        *("internet_egress_free", "internet_egress_vpn", "carrier_peering_egress"),
        "external_ipv4_in_use",
    }
)
"""The catalogue's own table has these, and it goes first."""
_NOT_A_PRICE_OF_TODAY = frozenset(
    {"inter_region_historical", "inter_region_resale", "network_intelligence_center"}
)
"""Former prices, a reseller's, and a service whose prices no source states."""
STATIC_SERVICE = "external_ipv4_static_unused"

_REGION = re.compile(r"[a-z]+-[a-z]+\d+")
_ANYWHERE = frozenset({"any", "global", "anywhere", "any zone", ""})
_FROM_TIB = re.compile(r"(?:(\d+)-\d+|more than (\d+)) TiB per month")
_FROM_GIB = re.compile(r"after (\d+) GiB\b")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_GIB_PER_TIB = 1024


def page_rows(path: Path) -> list[tuple[str, ...]]:
    """Return the rows of `service_prices` that a table of page prices holds.

    Raises:
        InputError: If a row is of an unknown class, or has no price.
    """
    rows = []
    for row in read_rows(path, _CELLS):
        kept = row["class"] in _KEPT
        if not kept and row["class"] not in _IN_CATALOGUE | _NOT_A_PRICE_OF_TODAY:
            raise InputError(f"{row.where}: unknown price class {row['class'][:40]!r}")
        if kept:
            rows.append(_service_row(row))
    return rows


def _service_row(row: Row) -> tuple[str, ...]:
    usd = row.amount("price_usd") if row["class"] == "ingress" else row.price("price_usd")
    if not usd:
        raise InputError(f"{row.where}: no price")
    place = row["source_location"]
    region = place if _REGION.fullmatch(place) else ""
    where = "" if region or place in _ANYWHERE else place
    # A step says where it begins; another usage is a condition.
    usage = "" if _step(row["usage_tier"]) else row["usage_tier"]
    condition = "; ".join(filter(None, (where, row["destination_location"], usage)))
    return (
        *(row["class"], region, condition, _tier_start(row["usage_tier"]), usd, row["unit"]),
        *(row["sku_id"], row["confidence"], row["note"]),
        *(f"{row['source']} ({row['source_date']})", newest_day(row)),
    )


def _tier_start(text: str) -> str:
    """Return where a step begins, in GiB.

    >>> _tier_start("10-30 TiB per month"), _tier_start("after 50 GiB per project and month")
    ('10240', '50')
    """
    found = _step(text)
    if found is None:
        return "0"
    if found.re is _FROM_TIB:
        return str(int(found[1] or found[2]) * _GIB_PER_TIB)
    return found[1]


def _step(text: str) -> re.Match[str] | None:
    return _FROM_TIB.search(text) or _FROM_GIB.search(text)


def newest_day(row: Row) -> str:
    """Return the newest full date of `source_date`, else the first day of the period it names.

    Raises:
        InputError: If it names no year.
    """
    text = row["source_date"]
    days = _DAY.findall(text)
    if days:
        return str(max(days))
    period = re.search(r"(\d{4})(?:-(\d{2}))?", text)
    if period is None:
        raise InputError(f"{row.where}: no date in {text[:40]!r}")
    return f"{period[1]}-{period[2] or '01'}-01"


# Tables of prices from other sources than the catalogue's SKUs, told apart by their columns


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
                        f"{row.where}: {listed.machine_type} in {listed.region} is given twice"
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
                f"{path}: not a table of prices: it needs the columns on_demand_usd_hour,"
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
