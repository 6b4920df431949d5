"""The traffic of a report in two tables: by path class, and by pair of zones."""

from collections import defaultdict
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    ClassTotal,
    Direction,
    Edge,
    Facts,
    OwnerKind,
    PathClass,
    ZonePair,
    total_usd,
)
from netplan_planner.throughput import edge_query, predict, single_flow

Lane = tuple[str, str, str]
"""Source region, destination region, area of an internet peer; empty where not known."""

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
    return tuple(
        _class_total(facts, classes[path_class], edges, directions[direction])
        for (direction, path_class), edges in sorted(table.items())
    )


def direction_of(facts: Facts, edge: Edge) -> Direction:
    """Return which way an edge goes, seen from the machines of the inventory."""
    if facts.src(edge).kind is OwnerKind.VM:
        return Direction.SENT
    return Direction.RECEIVED if facts.dst(edge).kind in _OWN else Direction.ELSEWHERE


def _class_total(
    facts: Facts, path_class: PathClass, edges: list[Edge], direction: Direction
) -> ClassTotal:
    usd: Decimal | None = None
    note = _NOTES[direction]
    if direction is Direction.SENT:
        usd, note = _price(facts, path_class, edges)
    return ClassTotal(
        path_class=path_class,
        gib_per_month=facts.gib_per_month(sum(edge.wire_bytes for edge in edges)),
        usd_per_month=usd,
        edge_count=len(edges),
        price_note=note,
        direction=direction,
    )


def _price(facts: Facts, path_class: PathClass, edges: list[Edge]) -> tuple[Decimal | None, str]:
    """Return the price of a class, or None and the first reason why a part has none."""
    lanes: dict[Lane, int] = defaultdict(int)
    for edge in edges:
        src, dst = facts.src(edge), facts.dst(edge)
        lanes[src.region or "", dst.region or "", dst.area or ""] += edge.wire_bytes
    usd = Decimal(0)
    try:
        for lane, byte_count in sorted(lanes.items()):
            usd += _lane_price(facts, path_class, lane, byte_count)
    except MissingDatum as error:
        return None, str(error)
    return usd, ""


def _lane_price(facts: Facts, path_class: PathClass, lane: Lane, byte_count: int) -> Decimal:
    src_region, dst_region, area = lane
    if path_class is PathClass.UNKNOWN:
        raise MissingDatum("bytes without an owner have no price")
    if not src_region:
        raise MissingDatum("the region of a sender is not known")
    return total_usd(
        facts.prices.traffic_line_items(
            path_class.value,
            path_class,
            facts.gib_per_month(byte_count),
            src_region=src_region,
            dst_region=dst_region or None,
            area=area or None,
        )
    )


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
    usd = _price(facts, path_class, edges)[0] if is_sent else None
    rtt = [edge.rtt_ms for edge in edges if edge.rtt_ms is not None]
    src, dst = facts.src(greatest), facts.dst(greatest)
    query = edge_query(facts, greatest)
    return ZonePair(
        src_zone=src_zone,
        dst_zone=dst_zone,
        path_class=path_class,
        gib_per_month=facts.gib_per_month(sum(edge.wire_bytes for edge in edges)),
        usd_per_month=usd,
        max_gbps=max(edge.series.max_gbps for edge in edges),
        rtt_ms=min(rtt) if rtt else None,
        predicted=predict(query, facts.caps),
        one_flow=single_flow(query, facts.caps),
        pair=f"{src.name} → {dst.name}",
    )
