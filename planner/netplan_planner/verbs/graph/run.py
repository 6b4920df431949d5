"""The traffic graph: edges taken together at one level, what they cost and how full they are."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import NamedTuple

import networkx
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import UsageError
from netplan_planner.model.money.price_age import price_age
from netplan_planner.paths.priced_paths import PricedPath, priced_path_of
from netplan_planner.planning.project import request_of
from netplan_planner.planning.traffic_bill import MeanPrice, direction_of, mean_prices
from netplan_planner.throughput import instance_cap
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.graph.answer import (
    EdgeWeight,
    GraphEdge,
    GraphLevel,
    GraphNode,
    TrafficGraph,
)
from netplan_planner.verbs.graph.ask import Drawn, GraphAsk
from netplan_planner.world.demos import load_demo, projects_of, title_of
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest

_BY_PLACE = {
    model.OwnerKind.LOAD_BALANCER: "load balancers",
    model.OwnerKind.NAT: "Cloud NAT",
    model.OwnerKind.HYBRID: "hybrid links",
    model.OwnerKind.GOOGLE_API: "Google APIs",
}
"""Ends that zones and regions take together by their place."""


_UNKNOWN_PLACE = "unknown place"


class End(NamedTuple):
    """A node before anything is counted."""

    key: str
    name: str
    kind: str
    place: str


NodeOf = Callable[[model.Owner], End]


_NO_TRAFFIC = (
    "a traffic graph needs traffic: add flow logs or a table (--traffic FILE), or a sample that "
    "has it (--demo gecko)"
)


_NOT_PAID = {
    model.Direction.RECEIVED: "not billed to the receiver",
    model.Direction.ELSEWHERE: "no end is a VM of the inventory",
}


_DIGITS = 6
"""Of a ratio after the point: more than flow logs know."""


class _Key(NamedTuple):
    src: str
    dst: str
    path_class: model.PathClass


class _Pair(NamedTuple):
    """A pair behind an edge; the greatest is the one nearest to its cap, then the fastest."""

    cap_ratio: float
    """Below 0 where no cap is known."""
    max_gbps: float
    name: str


@verb(
    panel=panels.AUDIT, question="Who talks to whom, and how much?", has_look=True, ends=always_well
)
def graph(ask: GraphAsk, now: Now) -> TrafficGraph:
    """Draw the traffic graph of VMs, groups, services, zones or regions."""
    return traffic_graph(request_of(ask), ask.drawn, now.say)


def traffic_graph(
    request: InputRequest, drawn: Drawn, say: Callable[[str], None] = lambda _: None
) -> TrafficGraph:
    """Return the traffic graph of a request's inputs.

    Args:
        request: What to read, and what to price it with.
        drawn: What the graph shows.
        say: Where progress goes.

    Raises:
        UsageError: If the request names no traffic.
        InputError: If an input cannot be read.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    if demo is None and not request.traffic:
        raise UsageError(_NO_TRAFFIC)
    facts = read_facts(request, demo, say)
    if facts.traffic is None:
        raise UsageError(_NO_TRAFFIC)
    title = title_of(demo, projects_of(request, facts.inventory))
    found = graph_of(facts, title, drawn)
    has_spot = any(one.is_spot for one in facts.inventory.instances)
    age = price_age(facts.prices.info, request.today, has_spot=has_spot, folder=request.prices)
    return replace(found, price_age=age)


def graph_of(facts: model.Facts, title: str, drawn: Drawn) -> TrafficGraph:
    """Return the traffic graph of facts that have traffic."""
    traffic = facts.traffic
    assert traffic is not None
    node_of = nodes_at(facts, drawn.level)
    ends = [node_of(owner) for owner in traffic.owners]
    grouped: dict[_Key, list[model.Edge]] = defaultdict(list)
    for edge in traffic.edges:
        grouped[_Key(ends[edge.src].key, ends[edge.dst].key, edge.path_class)].append(edge)
    prices = mean_prices(facts)
    caps = _caps(facts)
    edges = [_edge(facts, key, found, prices, caps) for key, found in grouped.items()]
    return TrafficGraph(
        title=title,
        level=drawn.level,
        weight=drawn.weight,
        start=traffic.start,
        end=traffic.end,
        is_steady=traffic.is_steady,
        prices_as_of=facts.prices.info.network_as_of,
        prices_sha256=facts.prices.info.sha256,
        top_count=drawn.top_count,
        part_count=_part_count(grouped),
        nodes=_nodes(facts, ends, grouped, caps),
        edges=tuple(sorted(edges, key=lambda edge: _rank(edge, drawn.weight))),
        incomplete=what_is_incomplete(facts, ()),
    )


def _rank(edge: GraphEdge, weight: EdgeWeight) -> tuple[float, Decimal, str, str, str]:
    """Return where an edge stands: by its weight, unknown ones last, then by volume and name."""
    known = edge.weight(weight)
    greatness = -1.0 if known is None else float(known)
    return (-greatness, -edge.gib_per_month, edge.src, edge.dst, edge.path_class.value)


def _part_count(edges: Mapping[_Key, object]) -> int:
    graph = networkx.DiGraph()
    graph.add_edges_from((key.src, key.dst) for key in edges)
    return int(networkx.number_weakly_connected_components(graph))


def _caps(facts: model.Facts) -> dict[int, model.EgressCap]:
    """Return the egress cap of each machine seen, by its place among the owners."""
    found = {}
    for number, owner in enumerate(facts.traffic.owners if facts.traffic is not None else ()):
        instance = facts.instance(owner)
        cap = instance_cap(instance, facts.caps) if instance is not None else None
        if cap is not None:
            found[number] = cap
    return found


def _ratio(gbps: float, cap_gbps: float | None) -> float:
    """Return the share of a cap; below 0 where the cap is not known."""
    return round(gbps / cap_gbps, _DIGITS) if cap_gbps else -1.0


def _edge(
    facts: model.Facts,
    key: _Key,
    edges: list[model.Edge],
    prices: Mapping[PricedPath, MeanPrice],
    caps: Mapping[int, model.EgressCap],
) -> GraphEdge:
    usd, unknown = _cost(facts, edges, prices)
    fastest = max(_pair(facts, edge, caps.get(edge.src)) for edge in edges)
    return GraphEdge(
        src=key.src,
        dst=key.dst,
        path_class=key.path_class,
        pair_count=len({(edge.src, edge.dst) for edge in edges}),
        gib_per_month=facts.gib_per_month(sum(edge.wire_bytes for edge in edges)),
        usd_per_month=usd,
        is_usd_whole=not unknown,
        is_billed=any(direction_of(facts, edge) is model.Direction.SENT for edge in edges),
        price_note=unknown,
        max_gbps=max(edge.series.max_gbps for edge in edges),
        cap_ratio=fastest.cap_ratio if fastest.cap_ratio >= 0 else None,
        fastest_pair=fastest.name,
    )


def _pair(facts: model.Facts, edge: model.Edge, cap: model.EgressCap | None) -> _Pair:
    limit = None
    if cap is not None:
        limit = cap.external_gbps if edge.path_class.leaves_vpc else cap.egress_gbps
    name = f"{facts.src(edge).name} → {facts.dst(edge).name}"
    return _Pair(_ratio(edge.series.p95_gbps, limit), edge.series.max_gbps, name)


def _cost(
    facts: model.Facts, edges: list[model.Edge], prices: Mapping[PricedPath, MeanPrice]
) -> tuple[Decimal | None, str]:
    """Return the dollars a month of what own machines send, and why a part has no price."""
    sent: dict[PricedPath, int] = defaultdict(int)
    notes: list[str] = []
    for edge in edges:
        direction = direction_of(facts, edge)
        if direction is model.Direction.SENT:
            sent[priced_path_of(facts, edge)] += edge.wire_bytes
        else:
            notes.append(_NOT_PAID[direction])
    usd = None
    for path in sorted(sent):
        price = prices[path]
        notes.append(price.unknown)
        if price.usd_per_byte is not None:
            usd = (usd or Decimal(0)) + price.usd_per_byte * sent[path]
    return usd, next(filter(None, notes), "")


def _nodes(
    facts: model.Facts,
    ends: list[End],
    edges: Mapping[_Key, list[model.Edge]],
    caps: Mapping[int, model.EgressCap],
) -> tuple[GraphNode, ...]:
    sent: dict[str, int] = defaultdict(int)
    received: dict[str, int] = defaultdict(int)
    for key, found in edges.items():
        byte_count = sum(edge.wire_bytes for edge in found)
        sent[key.src] += byte_count
        received[key.dst] += byte_count
    machines: dict[str, int] = defaultdict(int)
    for end, owner in zip(ends, facts.seen_traffic.owners, strict=True):
        machines[end.key] += owner.kind is model.OwnerKind.VM
    fullest: dict[str, float] = {}
    for vm in facts.seen_traffic.vms:
        ratio = _fullest(vm.egress.p95_gbps, vm.egress_outside_vpc.p95_gbps, caps.get(vm.owner))
        key_of_end = ends[vm.owner].key
        fullest[key_of_end] = max(fullest.get(key_of_end, -1.0), ratio)
    return tuple(
        model.taken(
            GraphNode,
            end,
            machine_count=machines[end.key],
            sent_gib_per_month=facts.gib_per_month(sent[end.key]),
            received_gib_per_month=facts.gib_per_month(received[end.key]),
            cap_ratio=ratio if (ratio := fullest.get(end.key, -1.0)) >= 0 else None,
        )
        for end in sorted({end.key: end for end in reversed(ends)}.values())
        if end.key in sent or end.key in received
    )


def _fullest(egress_gbps: float, outside_gbps: float, cap: model.EgressCap | None) -> float:
    """Return the greater share of a machine's two caps; below 0 where neither is known."""
    if cap is None:
        return -1.0
    return max(_ratio(egress_gbps, cap.egress_gbps), _ratio(outside_gbps, cap.external_gbps))


def nodes_at(facts: model.Facts, level: GraphLevel) -> NodeOf:
    """Return a function from an end of the traffic to its node."""
    match level:
        case GraphLevel.VM:
            return _itself
        case GraphLevel.ZONE | GraphLevel.REGION:
            return lambda owner: _placed(owner, level)
        case GraphLevel.GROUP | GraphLevel.SERVICE:
            return lambda owner: _grouped(facts, owner, level)


def _itself(owner: model.Owner) -> End:
    return End(owner.key, owner.name, owner.kind.value, owner.zone or owner.region or "")


def _outside(owner: model.Owner) -> End:
    """Return the node of an end that no level but machines' tells apart from its like."""
    if owner.kind is model.OwnerKind.UNKNOWN:
        return End("unknown", "addresses with an unknown owner", owner.kind.value, "")
    return _itself(owner)


def _placed(owner: model.Owner, level: GraphLevel) -> End:
    place = (owner.zone if level is GraphLevel.ZONE else owner.region) or ""
    if owner.kind is model.OwnerKind.VM:
        above = (owner.region or "") if level is GraphLevel.ZONE else ""
        return End(f"{level}:{place}", place or _UNKNOWN_PLACE, level.value, above)
    words = _BY_PLACE.get(owner.kind)
    if words is None:
        return _outside(owner)
    region = owner.region or ""
    return End(f"{owner.kind}:{region}", words, owner.kind.value, region)


def _grouped(facts: model.Facts, owner: model.Owner, level: GraphLevel) -> End:
    instance = facts.instance(owner)
    if instance is None:
        return _outside(owner)
    service = _service(instance) if level is GraphLevel.SERVICE else None
    if service is not None:
        return End(f"service:{instance.project}/{service}", service, level.value, "")
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    if group is None:
        return _itself(owner)
    # A regional group has machines in several zones.
    place = group.location
    return End(f"group:{group.ref.self_link}", group.name, GraphLevel.GROUP.value, place)


def _service(instance: model.Instance) -> str | None:
    named = (instance.label(label) for label in model.SERVICE_LABELS)
    return next((value for value in named if value), None)
