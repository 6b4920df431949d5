"""What traffic costs: the bill of priced paths, and tables of it by path class and by zones."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from netplan_planner import model
from netplan_planner.ledger.traffic import Price
from netplan_planner.paths.priced_paths import (
    OWN,
    WHAT_TELLS,
    PathPrice,
    PricedPath,
    billed_path,
    billed_volumes,
    path_prices_of,
    priced_path_of,
)
from netplan_planner.paths.spans import span
from netplan_planner.throughput import edge_query, predict, single_flow
from netplan_planner.throughput.round_trips.rtt import light_between

_NAMED = 3
"""Ends of priced paths that a line of a bill names."""


READ_ELSEWHERE = "free from the VM's region; Cloud Storage bills reads from a bucket elsewhere"
"""cloud.google.com/storage/pricing, data transfer within Google Cloud."""


Tiers = tuple[model.PriceTier, ...]


class Meter:
    """Counts what is used of each price in a month: its steps are of all paths that pay it."""

    def __init__(self) -> None:
        self._used: dict[str, Decimal] = defaultdict(Decimal)

    def lines(self, name: str, gib: Decimal, tiers: Tiers) -> tuple[model.LineItem, ...]:
        """Return the lines of a further volume."""
        found = model.bill(name, gib, tiers, after=self.used(tiers))
        self._used[model.price_key(tiers)] += gib
        return found

    def used(self, tiers: Tiers) -> Decimal:
        """Return what has been used of a price so far."""
        return self._used[model.price_key(tiers)]


class _Open(NamedTuple):
    """What of a bill has no price yet that is known."""

    part: PathPrice
    name: str
    gib: Decimal


class Bill(NamedTuple):
    """The bill of priced paths: `unpriced` waits until the meter has seen all that has a price."""

    lines: tuple[model.LineItem, ...]
    waiting: tuple[_Open, ...]
    is_priced: bool
    """Whether any part has a price."""

    def unpriced(self, meter: Meter) -> tuple[model.Unpriced, ...]:
        """Return what has no known price, with its bounds after all that was counted."""
        return tuple(_bounded(one, meter) for one in self.waiting)


def bill_paths(
    prices: model.PriceBook,
    volumes: Mapping[PricedPath, int | Decimal],
    meter: Meter,
    to_gib: Callable[[Any], Decimal],
) -> Bill:
    """Return the bill of what own machines pay for.

    Args:
        prices: Of traffic and of what is done with it.
        volumes: By path, in any unit.
        meter: What was used of the prices already.
        to_gib: Returns the GiB of a month of a volume.
    """
    alike: dict[tuple[Tiers, str], dict[PricedPath, int | Decimal]] = {}
    missing: dict[PathPrice, dict[PricedPath, int | Decimal]] = {}
    for path in sorted(volumes):
        for part in path_prices_of(prices, path):
            key = part.tiers, part.work
            found = alike.setdefault(key, {}) if part.tiers else missing.setdefault(part, {})
            found[path] = volumes[path]
    lines = tuple(
        item
        for (tiers, work), of_paths in alike.items()
        for item in meter.lines(_name(of_paths, work), to_gib(sum(of_paths.values())), tiers)
    )
    waiting = tuple(
        _Open(part, _name(of_paths, part.work), to_gib(sum(of_paths.values())))
        for part, of_paths in missing.items()
    )
    return Bill(lines, waiting, bool(alike))


def bill_reads(facts: model.Facts, byte_count: int) -> Bill:
    """Return what is not known of reading from Google APIs: where a bucket is decides its bill."""
    part = PathPrice((), READ_ELSEWHERE, (), WHAT_TELLS[model.PathClass.GOOGLE_APIS])
    waiting = _Open(part, "google-apis, received", facts.gib_per_month(byte_count))
    return Bill((), (waiting,), is_priced=False)


def _bounded(one: _Open, meter: Meter) -> model.Unpriced:
    low = high = None
    if one.part.choices:
        low, high = span(one.part.choices, one.gib, meter.used)
    return model.Unpriced(
        name=one.name,
        quantity=one.gib,
        unit="GiB",
        reason=one.part.reason,
        lowest_usd_per_month=low,
        highest_usd_per_month=high,
        what_tells=one.part.what_tells,
    )


def _name(priced_paths: Iterable[PricedPath], work: str) -> str:
    first = next(iter(priced_paths))
    ends = list(dict.fromkeys(priced.ends for priced in priced_paths if priced.ends))
    more = f" and {len(ends) - _NAMED:,} more" if len(ends) > _NAMED else ""
    places = f"{'; '.join(ends[:_NAMED])}{more}"
    return ", ".join(filter(None, (work, first.path_class.value, places)))


class MeanPrice(NamedTuple):
    """The mean price of a path's bytes."""

    usd_per_byte: Decimal | None
    """None where no part of it has a known price."""
    unknown: str
    """Why it has none, or a part of it; empty where all is known."""


class _Means(NamedTuple):
    by_path: dict[PricedPath, MeanPrice]


def mean_prices(facts: model.Facts) -> Mapping[PricedPath, MeanPrice]:
    """Return the mean price of each path that is paid for, in dollars a byte and month.

    All that is paid shares the steps of its prices.
    """
    found = facts.memo.get(_Means)
    if not isinstance(found, _Means):
        found = facts.memo[_Means] = _Means(_mean_prices(facts, billed_volumes(facts)))
    return found.by_path


def _mean_prices(
    facts: model.Facts, volumes: Mapping[PricedPath, int]
) -> dict[PricedPath, MeanPrice]:
    parts = {path: path_prices_of(facts.prices, path) for path in sorted(volumes)}
    paying: dict[Price, int] = defaultdict(int)
    for path, of_path in parts.items():
        for part in of_path:
            if part.tiers:
                paying[Price.of(part.tiers)] += volumes[path]
    meter = Meter()
    means = {
        price: model.total_usd(meter.lines("", facts.gib_per_month(byte_count), price.tiers))
        / byte_count
        for price, byte_count in paying.items()
        if byte_count
    }
    return {path: _mean(of_path, means) for path, of_path in parts.items()}


def _mean(parts: tuple[PathPrice, ...], means: Mapping[Price, Decimal]) -> MeanPrice:
    """Return the mean price of a path, which is the sum of its parts'."""
    asked = [Price.of(part.tiers) for part in parts if part.tiers]
    known = [means[price] for price in asked if price in means]
    unknown = next((part.reason for part in parts if not part.tiers), "")
    return MeanPrice(sum(known, Decimal(0)) if known else None, unknown)


# The traffic of a report in two tables: by path class, and by pair of zones


_NOTES = {
    model.Direction.SENT: "",
    model.Direction.RECEIVED: "not billed to the receiver",
    model.Direction.ELSEWHERE: "no end is a VM of the inventory",
}
_PROCESSED = {
    model.PathClass.NAT: "Cloud NAT also charges for received data",
    model.PathClass.GOOGLE_APIS: "reads from a bucket in another location are billed",
    model.PathClass.LOAD_BALANCER: "data processed by proxies is billed where clients reach them",
}
"""What is said of a class that own machines receive, where it is not free of charge."""


def traffic_by_class(facts: model.Facts) -> tuple[model.ClassTotal, ...]:
    """Return each path class's monthly volume and price, what own machines sent first."""
    if facts.traffic is None:
        return ()
    table: dict[tuple[int, int], list[model.Edge]] = defaultdict(list)
    classes, directions = list(model.PathClass), list(model.Direction)
    for edge in facts.traffic.edges:
        direction = directions.index(direction_of(facts, edge))
        table[direction, classes.index(edge.path_class)].append(edge)
    meter = Meter()
    # Bounds come after all that has a price: the steps of one price are of all classes.
    billed = [
        (classes[path_class], directions[direction], edges, bill)
        for (direction, path_class), edges in sorted(table.items())
        for bill in [_bill(facts, classes[path_class], edges, directions[direction], meter)]
    ]
    return tuple(_class_total(facts, *one, meter) for one in billed)


def direction_of(facts: model.Facts, edge: model.Edge) -> model.Direction:
    """Return which way an edge goes, seen from the machines of the inventory."""
    kind = facts.src(edge).kind
    # What unnamed back ends answer to the internet leaves the own project too.
    if kind is model.OwnerKind.VM or (
        kind is model.OwnerKind.LOAD_BALANCER and edge.path_class is model.PathClass.INTERNET
    ):
        return model.Direction.SENT
    return model.Direction.RECEIVED if facts.dst(edge).kind in OWN else model.Direction.ELSEWHERE


def _class_total(
    facts: model.Facts,
    path_class: model.PathClass,
    direction: model.Direction,
    edges: list[model.Edge],
    bill: Bill | None,
    meter: Meter,
) -> model.ClassTotal:
    unpriced = bill.unpriced(meter) if bill is not None else ()
    lines = bill.lines if bill is not None else ()
    note = _NOTES[direction]
    if direction is model.Direction.RECEIVED:
        note = _PROCESSED.get(path_class, note)
    elif unpriced:
        note = unpriced[0].reason
    return model.ClassTotal(
        path_class=path_class,
        gib_per_month=facts.gib_per_month(_wire_bytes(edges)),
        usd_per_month=model.total_usd(lines) if bill is not None and bill.is_priced else None,
        edge_count=len(edges),
        price_note=note,
        direction=direction,
        line_items=lines,
        unpriced=unpriced,
    )


def _bill(
    facts: model.Facts,
    path_class: model.PathClass,
    edges: list[model.Edge],
    direction: model.Direction,
    meter: Meter,
) -> Bill | None:
    """Return the bill of a class's edges; None where nobody of ours is charged for them."""
    if direction is model.Direction.RECEIVED and path_class is model.PathClass.GOOGLE_APIS:
        return bill_reads(facts, _wire_bytes(edges))
    volumes: Counter[PricedPath] = Counter()
    for edge in edges:
        path = billed_path(facts, edge, priced_path_of(facts, edge))
        if path is not None:
            volumes[path] += edge.wire_bytes
    return bill_paths(facts.prices, volumes, meter, facts.gib_per_month) if volumes else None


def zone_pairs(facts: model.Facts) -> tuple[model.ZonePair, ...]:
    """Return the matrix of zones between which own machines talk, the greatest volume first."""
    if facts.traffic is None:
        return ()
    pairs: dict[tuple[str, str, model.PathClass], list[model.Edge]] = defaultdict(list)
    for edge in facts.traffic.edges:
        src, dst = facts.src(edge), facts.dst(edge)
        if edge.path_class.distance is not None and src.zone and dst.zone:
            pairs[src.zone, dst.zone, edge.path_class].append(edge)
    meter = Meter()
    # The steps of one price are of all zones together, so that the rows add up to their class;
    # bounds come after all that has a price.
    billed = [
        (key, edges, _sent_bill(facts, key[-1], edges, meter))
        for key, edges in sorted(pairs.items(), key=lambda one: (-_wire_bytes(one[1]), one[0]))
    ]
    return tuple(_zone_pair(facts, *one, meter) for one in billed)


def _wire_bytes(edges: list[model.Edge]) -> int:
    return sum(edge.wire_bytes for edge in edges)


def _sent_bill(
    facts: model.Facts, path_class: model.PathClass, edges: list[model.Edge], meter: Meter
) -> Bill | None:
    """Return the bill of a pair of zones; what others send to each other is not ours to price."""
    is_sent = all(direction_of(facts, edge) is model.Direction.SENT for edge in edges)
    return _bill(facts, path_class, edges, model.Direction.SENT, meter) if is_sent else None


def _zone_pair(
    facts: model.Facts,
    key: tuple[str, str, model.PathClass],
    edges: list[model.Edge],
    bill: Bill | None,
    meter: Meter,
) -> model.ZonePair:
    src_zone, dst_zone, path_class = key
    greatest = max(edges, key=lambda e: (e.wire_bytes, -e.src, -e.dst))
    least = light_between(src_zone, dst_zone) or 0.0
    rtt = [edge.rtt_ms for edge in edges if edge.rtt_ms is not None and edge.rtt_ms >= least]
    src, dst = facts.src(greatest), facts.dst(greatest)
    # One flow is bound by the round trip: that of the zones where no record of the pair has one
    # that light could do.
    query = edge_query(facts, greatest)
    if query.rtt_ms is None or query.rtt_ms < least:
        query = msgspec.structs.replace(query, rtt_ms=min(rtt, default=None))
    return model.ZonePair(
        src_zone=src_zone,
        dst_zone=dst_zone,
        path_class=path_class,
        gib_per_month=facts.gib_per_month(_wire_bytes(edges)),
        usd_per_month=model.total_usd(bill.lines) if bill is not None and bill.is_priced else None,
        max_gbps=max(edge.series.max_gbps for edge in edges),
        rtt_ms=min(rtt) if rtt else None,
        predicted=predict(query, facts.caps),
        one_flow=single_flow(query, facts.caps),
        one_flow_both_ways=single_flow(
            msgspec.structs.replace(query, is_both_ways=True), facts.caps
        ),
        pair=f"{src.name} → {dst.name}",
        line_items=bill.lines if bill is not None else (),
        unpriced=bill.unpriced(meter) if bill is not None else (),
    )
