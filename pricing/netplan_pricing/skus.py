"""The SKUs of a snapshot: what the catalogue calls them, where they hold, what they cost."""

from bisect import bisect_left
from datetime import date
from decimal import Decimal
from functools import cached_property

import msgspec

from netplan_planner.errors import UnknownName
from netplan_planner.model import Price, PriceTier, SkuId
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile, Table
from netplan_pricing.known_changes import dated
from netplan_pricing.texts import nearest, quoted


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
                f"no SKU {quoted(sku_id)} is in this snapshot: it holds the {len(self):,} of"
                " machines and networks (no licences, disks, TPUs, sole-tenant nodes)"
                f"{nearest(sku_id, self._table['sku_id'].values)}"
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
