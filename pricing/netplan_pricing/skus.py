"""The SKUs of a snapshot: what the catalogue calls them, where they hold, what they cost."""

from bisect import bisect_left
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path

import msgspec

from netplan_planner.errors import UnknownName, near
from netplan_planner.model import OLDER_THAN_A_CHANGE, Price, PriceTier, SkuId
from netplan_planner.shipped import shipped_values
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile, Table
from netplan_pricing.texts import quoted

# Prices that are known to have changed: a snapshot of before says so wherever it shows one
#
# The table is the package's own, not the snapshot's: an old snapshot cannot know of later changes.
# Its figures have secondary sources; they are told, and never put in the place of the catalogue's.


_TABLE = Path(__file__).parent / "facts" / "known_changes.csv"


class KnownChange(msgspec.Struct, frozen=True, kw_only=True):
    """From `since` on a SKU has another price, as a source says that is not the catalogue."""

    sku_id: str
    since: date
    unit: str
    old_usd: str
    new_usd: str
    source: str


@cache
def known_changes() -> Mapping[str, KnownChange]:
    """Return the changes by SKU id."""
    return {one.sku_id: one for one in shipped_values(_TABLE, KnownChange)}


def change_after(sku_id: str, as_of: str) -> str:
    """Return that a price of a day is older than a known change; empty where none is known.

    >>> change_after("984A-1F27-2D1F", "2026-05-01"), change_after("BB77-5FDA-69D9", "2026-04-30")
    ('', '')
    """
    change = known_changes().get(sku_id)
    if change is None or as_of >= change.since.isoformat():
        return ""
    return (
        f"{OLDER_THAN_A_CHANGE}: {change.new_usd} USD per {change.unit} since"
        f" {change.since.isoformat()}, before {change.old_usd} ({change.source})"
    )


def dated(source: str, as_of: str, sku_id: str) -> str:
    """Return a price's source with its date, and that it is older than a known change if it is.

    >>> dated("Cloud Billing Catalog API", "2026-04-30", "BB77-5FDA-69D9")
    'Cloud Billing Catalog API, 2026-04-30'
    """
    change = change_after(sku_id, as_of)
    return f"{source}, {as_of}; {change}" if change else f"{source}, {as_of}"


# The SKUs of a snapshot: what the catalogue calls them, where they hold, what they cost


class SkuEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One SKU as the snapshot keeps it."""

    sku_id: SkuId
    service: str
    kind: str
    series: str
    component: str
    usage: str
    description: str
    regions: tuple[str, ...]
    tiers: tuple[PriceTier, ...]
    """In rising order; none where the catalogue names the SKU and no price for it."""
    as_of: date


class Skus:
    """The SKUs of a snapshot by id."""

    def __init__(self, file: SnapshotFile) -> None:
        self._file = file

    @cached_property
    def _table(self) -> Table:
        return self._file.table(schema.SKUS)

    def __len__(self) -> int:
        return self._table.row_count

    def row(self, sku_id: str) -> int | None:
        """Return the row of a SKU, None for one that the snapshot does not hold."""
        # Sorted by an id that no two rows share: the distinct values stand in order of the rows.
        ids = self._table["sku_id"].values
        place = bisect_left(ids, sku_id)
        return place if place < len(ids) and ids[place] == sku_id else None

    def description(self, sku_id: str) -> str:
        """Return what the catalogue calls a SKU, an empty text for an unknown one."""
        row = self.row(sku_id)
        return "" if row is None else self._table["description"][row]

    def service(self, row: int) -> str:
        """Return the service of the SKU of a row."""
        return self._table["service"][row]

    def find(self, kind: str, ending: str) -> int | None:
        """Return the row of the SKU of a kind whose description ends so; None for none or two."""
        found = self._by_ending.get((kind, ending.casefold()))
        return None if found is None or len(found) != 1 else found[0]

    @cached_property
    def _by_ending(self) -> dict[tuple[str, str], list[int]]:
        """Rows of received traffic by kind, and by ` from A to B` where they say so."""
        table = self._table
        kinds, words = table["kind"], table["description"]
        index: dict[tuple[str, str], list[int]] = {}
        for row in range(table.row_count):
            if kinds[row].endswith("_in"):
                _, separator, route = words[row].casefold().partition(" from ")
                ending = f"{separator}{route}"
                index.setdefault((kinds[row], ending), []).append(row)
        return index

    def entry(self, sku_id: str) -> SkuEntry:
        """Return a SKU.

        Raises:
            UnknownName: If the snapshot does not hold it.
        """
        row = self.row(sku_id)
        if row is None:
            raise UnknownName(
                f"this snapshot has no SKU {quoted(sku_id)}: it has the {len(self):,} of VMs and"
                " networks (no licenses, disks, TPUs, sole-tenant"
                f" nodes){near(sku_id, self._table['sku_id'].values)}"
            )
        return self.entry_of(row)

    def entry_of(self, row: int) -> SkuEntry:
        """Return the SKU of a row, 0 to one below `len(self)`."""
        table = self._table
        as_of = table["as_of"][row]
        day = date.fromisoformat(as_of)
        sku_id = SkuId(table["sku_id"][row])
        source = dated(table["source"][row], as_of, sku_id)
        tiers = []
        for step in filter(None, table["steps"][row].split("|")):
            start, _, usd = step.partition("=")
            price = Price(
                usd=Decimal(usd),
                unit=table["unit"][row],
                description=table["description"][row],
                as_of=day,
                source=source,
                sku_id=sku_id,
            )
            tiers.append(PriceTier(start=Decimal(start), price=price))
        return SkuEntry(
            sku_id=sku_id,
            service=table["service"][row],
            kind=table["kind"][row],
            series=table["series"][row],
            component=table["component"][row],
            usage=table["usage"][row],
            description=table["description"][row],
            regions=tuple(filter(None, table["regions"][row].split("|"))),
            tiers=tuple(tiers),
            as_of=day,
        )

    def texts(self, column: str) -> list[str]:
        """Return a column of every SKU, in order of their ids."""
        return self._table[column].texts()
