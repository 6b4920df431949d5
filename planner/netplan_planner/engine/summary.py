"""The traffic of a report in two tables: by path class, and by pair of zones."""

from collections import defaultdict
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    ClassTotal,
    Direction,
    Edge,
    Facts,
    LineItem,
    OwnerKind,
    PathClass,
    PriceTier,
    ZonePair,
    total_usd,
)
from netplan_planner.paths.lanes import Lane, lane_of, lane_prices
from netplan_planner.throughput import edge_query, predict, single_flow
from netplan_pricing.traffic_prices import bill

_NAMED = 3
"""Ends of lanes that a line of a bill names."""
_NOTES = {
    Direction.SENT: "",
    Direction.RECEIVED: "not billed to the receiver",
    Direction.ELSEWHERE: "no end is a machine of the inventory",
}
_OWN = frozenset({OwnerKind.VM, OwnerKind.LOAD_BALANCER, OwnerKind.NAT})


def traffic_by_class(facts: Facts) -> tuple[ClassTotal, ...]:
    """Return each path class's monthly volume and price, what own machines sent first."""
    if facts.traffic is None:
        return ()
    table: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    classes, directions = list(PathClass), list(Direction)
    for edge in facts.traffic.edges:
        direction = directions.index(direction_of(facts, edge))
        table[direction, classes.index(edge.path_class)].append(edge)
    meter = _Meter()
    return tuple(
        _class_total(facts, classes[path_class], edges, directions[direction], meter)
        for (direction, path_class), edges in sorted(table.items())
    )


def direction_of(facts: Facts, edge: Edge) -> Direction:
    """Return which way an edge goes, seen from the machines of the inventory."""
    kind = facts.src(edge).kind
    # What unnamed back ends answer to the internet leaves the own project too.
    if kind is OwnerKind.VM or (
        kind is OwnerKind.LOAD_BALANCER and edge.path_class is PathClass.INTERNET
    ):
        return Direction.SENT
    return Direction.RECEIVED if facts.dst(edge).kind in _OWN else Direction.ELSEWHERE


def _class_total(
    facts: Facts, path_class: PathClass, edges: list[Edge], direction: Direction, meter: "_Meter"
) -> ClassTotal:
    lines: tuple[LineItem, ...] | None = None
    note = _NOTES[direction]
    if direction is Direction.SENT:
        lines, note = _bill(facts, edges, meter)
    return ClassTotal(
        path_class=path_class,
        gib_per_month=facts.gib_per_month(sum(edge.wire_bytes for edge in edges)),
        usd_per_month=None if lines is None else total_usd(lines),
        edge_count=len(edges),
        price_note=note,
        direction=direction,
        line_items=lines or (),
    )


class _Meter:
    """Counts what is used of each price in a month: the steps of a price are of all its lanes."""

    def __init__(self) -> None:
        self._used: dict[str, Decimal] = defaultdict(Decimal)

    def lines(self, name: str, gib: Decimal, tiers: tuple[PriceTier, ...]) -> tuple[LineItem, ...]:
        """Return the lines of a further volume."""
        price = tiers[0].price
        key = price.sku_id or price.description
        found = bill(name, gib, tiers, after=self._used[key])
        self._used[key] += gib
        return found


def _bill(
    facts: Facts, edges: list[Edge], meter: _Meter
) -> tuple[tuple[LineItem, ...] | None, str]:
    """Return what edges of a class cost, or None and the first reason why a part has no price."""
    lanes: dict[Lane, int] = defaultdict(int)
    for edge in edges:
        lanes[lane_of(facts, edge)] += edge.wire_bytes
    alike: dict[tuple[PriceTier, ...], dict[Lane, int]] = {}
    try:
        for lane, byte_count in sorted(lanes.items()):
            for tiers in lane_prices(facts, lane):
                alike.setdefault(tiers, {})[lane] = byte_count
    except MissingDatum as error:
        return None, str(error)
    return tuple(
        item
        for tiers, of_lanes in alike.items()
        for item in meter.lines(
            _line_name(list(of_lanes)), facts.gib_per_month(sum(of_lanes.values())), tiers
        )
    ), ""


def _line_name(lanes: list[Lane]) -> str:
    ends = list(dict.fromkeys(lane.ends for lane in lanes))
    more = f" and {len(ends) - _NAMED:,} more" if len(ends) > _NAMED else ""
    return f"{lanes[0].path_class.value}, {'; '.join(ends[:_NAMED])}{more}"


def zone_pairs(facts: Facts) -> tuple[ZonePair, ...]:
    """Return the matrix of zones between which own machines talk, the greatest volume first."""
    if facts.traffic is None:
        return ()
    pairs: dict[tuple[str, str, PathClass], list[Edge]] = defaultdict(list)
    for edge in facts.traffic.edges:
        src, dst = facts.src(edge), facts.dst(edge)
        if edge.path_class.distance is not None and src.zone and dst.zone:
            pairs[src.zone, dst.zone, edge.path_class].append(edge)
    rows = [_zone_pair(facts, key, edges) for key, edges in pairs.items()]
    return tuple(
        sorted(rows, key=lambda r: (-r.gib_per_month, r.src_zone, r.dst_zone, r.path_class))
    )


def _zone_pair(facts: Facts, key: tuple[str, str, PathClass], edges: list[Edge]) -> ZonePair:
    src_zone, dst_zone, path_class = key
    greatest = max(edges, key=lambda e: (e.wire_bytes, -e.src, -e.dst))
    # What others send to each other is not ours to price.
    is_sent = all(direction_of(facts, edge) is Direction.SENT for edge in edges)
    lines = _bill(facts, edges, _Meter())[0] if is_sent else None
    rtt = [edge.rtt_ms for edge in edges if edge.rtt_ms is not None]
    src, dst = facts.src(greatest), facts.dst(greatest)
    query = edge_query(facts, greatest)
    return ZonePair(
        src_zone=src_zone,
        dst_zone=dst_zone,
        path_class=path_class,
        gib_per_month=facts.gib_per_month(sum(edge.wire_bytes for edge in edges)),
        usd_per_month=None if lines is None else total_usd(lines),
        max_gbps=max(edge.series.max_gbps for edge in edges),
        rtt_ms=min(rtt) if rtt else None,
        predicted=predict(query, facts.caps),
        one_flow=single_flow(query, facts.caps),
        pair=f"{src.name} → {dst.name}",
        line_items=lines or (),
    )
