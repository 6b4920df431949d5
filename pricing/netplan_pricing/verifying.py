"""Whether a snapshot holds together: what a price cannot be, and what may not be missing."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from enum import StrEnum

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import AddressUse, RegionLack, UnpricedType
from netplan_pricing import schema
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.container import Table
from netplan_pricing.guards import alone
from netplan_pricing.guards.beside import doubts_beside
from netplan_pricing.guards.quotes import quotes
from netplan_pricing.machines.machine_prices import ListedMachine
from netplan_pricing.schema import GLOBAL, NetworkKind
from netplan_pricing.skus import change_after, known_changes


class Check(StrEnum):
    """What is checked of a snapshot."""

    ABOVE_ZERO = "no VM price is zero or negative"
    TRAFFIC = "no traffic price is negative, and only free traffic has a price of zero"
    NOT_ABOVE_ON_DEMAND = "Spot and commitments are not above on demand"
    PRICED = "every offered machine type has a price or is listed as unpriced"
    BOTH_WAYS = "each pair of regions has a price in both directions, of one SKU each"
    SKU_IDS = "every SKU ID of a price is in the list of SKUs"
    FUTURE = "no date is in the future"
    BELIEVABLE = "no price is far above the most expensive of its kind"
    LIKE_OTHERS = "no price is far from its price in other places"
    FREE = "nothing is free that has a price in another place or on an earlier step"
    LIKE_BEFORE = "no price, and not many of a kind, are far from the snapshot before"
    STEPS = "the steps of a price increase from 0"
    PRESENT = "every region has its traffic SKUs; addresses, NAT and VPN tunnels have a price"


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Something that fails a check."""

    check: Check
    where: str
    what: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    counts: dict[str, int]
    """How many prices each check looked at."""
    faults: tuple[Fault, ...]
    unpriced: tuple[UnpricedType, ...]
    lacking: tuple[RegionLack, ...] = ()
    """Regions without prices of traffic: too few of them to doubt the rest."""
    outdated: tuple[str, ...] = ()
    """SKUs whose price is known to have changed since, a line each."""


_FREE = frozenset({NetworkKind.INTRAZONE, NetworkKind.GOOGLE_SERVICES, NetworkKind.PEERING})


def verify(
    book: SnapshotPriceBook, today: date, before: SnapshotPriceBook | None = None
) -> Verdict:
    """Return what holds of a snapshot and what does not.

    Args:
        book: The snapshot.
        today: No date may be after it.
        before: The one before it, which it is compared with.
    """
    counts = dict.fromkeys((check.name.lower() for check in Check), 0)
    faults: list[Fault] = []
    unpriced: list[UnpricedType] = []

    def note(check: Check, found: Iterator[Fault | None]) -> None:
        for one in found:
            counts[check.name.lower()] += 1
            if one is not None:
                faults.append(one)

    note(Check.ABOVE_ZERO, _rates(book))
    for region in book.regions():
        names = [shape.machine_type for shape in book.offered(region)]
        for one in book.machine_batch((region, name) for name in names):
            note(Check.ABOVE_ZERO, _above_zero(one))
            note(Check.NOT_ABOVE_ON_DEMAND, _not_above(one))
            note(Check.PRICED, _priced(one))
            if one.on_demand_usd_per_hour is None:
                unpriced.append(
                    UnpricedType(region=region, machine_type=one.machine_type, reason=one.reason)
                )
    quoted = tuple(quotes(book))
    note(Check.FUTURE, _dates(book, today))
    for check, doubts in (
        (Check.BELIEVABLE, alone.absurd(quoted)),
        (Check.LIKE_OTHERS, alone.far_from_like(quoted)),
        (Check.FREE, alone.free_where_paid(quoted)),
    ):
        note(check, _doubted(check, doubts))
    if before is not None:
        counts[Check.LIKE_BEFORE.name.lower()] = len(quoted)
        faults += (
            Fault(check=Check.LIKE_BEFORE, where="", what=text)
            for text in doubts_beside(before, book)
        )
    note(Check.TRAFFIC, _traffic(book))
    note(Check.STEPS, _steps(book))
    pairs, lacking = _both_ways(book)
    note(Check.BOTH_WAYS, pairs)
    note(Check.SKU_IDS, _sku_ids(book))
    present = list(_present(book))
    regions = set(book.regions())
    gaps = [one for one in present if one is not None and one.where in regions]
    if gaps and alone.are_few(len({one.where for one in gaps}), len(regions)):
        lacking += tuple(
            RegionLack(region=one.where, what=one.what.removeprefix("no price of ")) for one in gaps
        )
        present = [None if one in gaps else one for one in present]
    note(Check.PRESENT, iter(present))
    return Verdict(
        counts=counts,
        faults=tuple(faults),
        unpriced=tuple(unpriced),
        lacking=lacking,
        outdated=tuple(_outdated(book)),
    )


def _outdated(book: SnapshotPriceBook) -> Iterator[str]:
    for sku_id in known_changes():
        row = book.skus.row(sku_id)
        if row is not None:
            entry = book.skus.entry_of(row)
            change = change_after(sku_id, entry.as_of.isoformat())
            if change:
                yield f"{sku_id} {entry.description}: {change}"


def _dates(book: SnapshotPriceBook, today: date) -> Iterator[Fault | None]:
    for found in alone.in_the_future(book, today):
        yield found and Fault(check=Check.FUTURE, where=found[0], what=found[1])


def _doubted(check: Check, doubts: Iterator[alone.Doubt | None]) -> Iterator[Fault | None]:
    for one in doubts:
        yield one and Fault(check=check, where=one.quoted.place or "everywhere", what=one.text)


def _rates(book: SnapshotPriceBook) -> Iterator[Fault | None]:
    table = book.file.table(schema.COMPONENT_PRICES)
    for row in range(table.row_count):
        usd = table["usd"].decimal(row)
        if usd is not None:
            what = f"{table['series'][row]} {table['component'][row]} {table['usage'][row]}: {usd}"
            is_fault = not usd.is_finite() or usd <= 0
            fault = Fault(check=Check.ABOVE_ZERO, where=table["region"][row], what=what)
            yield fault if is_fault else None


def _usages(one: ListedMachine) -> dict[str, Decimal | None]:
    return {
        "on demand": one.on_demand_usd_per_hour,
        "Spot": one.spot_usd_per_hour,
        "1-year commitment": one.cud_1y_usd_per_hour,
        "3-year commitment": one.cud_3y_usd_per_hour,
    }


def _above_zero(one: ListedMachine) -> Iterator[Fault | None]:
    for usage, usd in _usages(one).items():
        if usd is not None:
            what = f"{one.machine_type} {usage}: {usd}"
            fault = Fault(check=Check.ABOVE_ZERO, where=one.region, what=what)
            yield None if usd > 0 else fault


def _not_above(one: ListedMachine) -> Iterator[Fault | None]:
    most = one.on_demand_usd_per_hour
    for usage, usd in _usages(one).items():
        if usd is not None and most is not None and usage != "on demand":
            what = f"{one.machine_type} {usage}: {usd}, on demand {most}"
            fault = Fault(check=Check.NOT_ABOVE_ON_DEMAND, where=one.region, what=what)
            yield fault if usd > most else None


def _priced(one: ListedMachine) -> Iterator[Fault | None]:
    """Yield a fault for a type that has neither a price nor a reason for having none."""
    is_told = one.on_demand_usd_per_hour is not None or bool(one.reason)
    fault = Fault(check=Check.PRICED, where=one.region, what=one.machine_type)
    yield None if is_told else fault


def _traffic(book: SnapshotPriceBook) -> Iterator[Fault | None]:
    for kind in NetworkKind:
        for entry in book.network.entries(kind):
            tiers = book.network.tiers(entry)
            last = tiers[-1].price.usd if tiers else Decimal(1)
            is_free = kind in _FREE or (
                entry.source_regions == entry.destination_regions and len(entry.source_regions) == 1
            )
            lowest = min((tier.price.usd for tier in tiers), default=Decimal(0))
            what = f"{kind.value} {entry.route}: {last}"
            fault = Fault(check=Check.TRAFFIC, where="|".join(entry.source_regions), what=what)
            yield fault if lowest < 0 or (not last and not is_free) else None


def _steps(book: SnapshotPriceBook) -> Iterator[Fault | None]:
    for row in range(len(book.skus)):
        entry = book.skus.entry_of(row)
        starts = [tier.start for tier in entry.tiers]
        is_fault = bool(starts) and (starts[0] != 0 or starts != sorted(set(starts)))
        what = f"{entry.sku_id} {entry.description}: {', '.join(map(str, starts))}"
        yield Fault(check=Check.STEPS, where="SKU", what=what) if is_fault else None


def _both_ways(
    book: SnapshotPriceBook,
) -> tuple[Iterator[Fault | None], tuple[RegionLack, ...]]:
    """Return a fault for each pair without one price, but for few regions without any."""
    count: dict[tuple[str, str], int] = {}
    for entry in book.network.entries(NetworkKind.INTERREGION):
        if book.network.tiers(entry):
            for src in entry.source_regions:
                for dst in entry.destination_regions:
                    count[src, dst] = count.get((src, dst), 0) + 1
    regions = book.regions()
    pairs = [(src, dst) for src in regions for dst in regions if src != dst]
    without = [pair for pair in pairs if pair not in count]
    few = alone.are_few(len(without), len(pairs))
    lacking = alone.lacking_pairs(regions, without) if few else ()

    def judged() -> Iterator[Fault | None]:
        for src, dst in pairs:
            found = count.get((src, dst), 0)
            fault = Fault(check=Check.BOTH_WAYS, where=src, what=f"{found} prices to {dst}")
            yield None if found == 1 or (not found and few) else fault

    return judged(), lacking


def _present(book: SnapshotPriceBook) -> Iterator[Fault | None]:
    """Yield a fault for each kind of price that a project is billed for and nothing is known of."""
    for region in book.regions():
        for kind in (NetworkKind.INTRAZONE, NetworkKind.INTERZONE):
            entry = book.network.by_source(kind, region)
            # A region's own SKU may be without a price, which is said when it is asked for.
            is_there = entry is not None and (
                entry.source_regions != (GLOBAL,) or bool(book.network.tiers(entry))
            )
            yield _absent(None if is_there else region, kind.value)
        is_there = bool(book.network.by_area(NetworkKind.INTERNET_PREMIUM, region))
        yield _absent(None if is_there else region, NetworkKind.INTERNET_PREMIUM.value)
    is_there = bool(book.network.entries(NetworkKind.INTERNET_STANDARD))
    yield _absent(None if is_there else "everywhere", NetworkKind.INTERNET_STANDARD.value)
    for use in (AddressUse.STANDARD_VM, AddressUse.UNUSED_STATIC):
        yield _absent(None if _is_priced(book, use) else "everywhere", f"address, {use.value}")
    for service in ("cloud_nat_data", "vpn_tunnel"):
        yield _absent(None if service in book.services.names else "everywhere", service)


def _absent(where: str | None, what: str) -> Fault | None:
    if where is None:
        return None
    return Fault(check=Check.PRESENT, where=where, what=f"no price of {what.replace('_', ' ')}")


def _is_priced(book: SnapshotPriceBook, use: AddressUse) -> bool:
    """Return whether an address has a price in any region."""
    for region in book.regions():
        try:
            book.external_address(use, region)
        except MissingDatum:
            continue
        return True
    return False


def _sku_ids(book: SnapshotPriceBook) -> Iterator[Fault | None]:
    for name in (
        schema.COMPONENT_PRICES,
        schema.NETWORK_PRICES,
        schema.TIER1_FEES,
        schema.SERVICE_PRICES,
    ):
        table: Table = book.file.table(name)
        for row in range(table.row_count):
            sku_id = table["sku_id"][row]
            if not sku_id or (name == schema.SERVICE_PRICES and _is_of_a_page(table, row)):
                continue
            fault = Fault(check=Check.SKU_IDS, where=name, what=sku_id)
            yield None if book.skus.row(sku_id) is not None else fault


def _is_of_a_page(table: Table, row: int) -> bool:
    """Return whether a row is a page's word, which may name a SKU of another service."""
    return table["source"][row] != schema.CATALOGUE_SOURCE
