"""The traffic graph: sums that hold at every level, prices, caps, and what belongs to what."""

from decimal import Decimal
from functools import cache

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import UsageError
from netplan_planner.planning.traffic_bill import traffic_by_class
from netplan_planner.verbs.graph.answer import EdgeWeight, GraphLevel, TrafficGraph
from netplan_planner.verbs.graph.ask import Drawn
from netplan_planner.verbs.graph.run import graph_of, traffic_graph
from netplan_planner.world.request import InputRequest
from support.resources import resource
from support.rules.facts import TODAY, facts_of, holding, machine

INSIDE, ZONES, REGIONS = (
    model.PathClass.SAME_ZONE_INTERNAL,
    model.PathClass.INTER_ZONE_INTERNAL,
    model.PathClass.INTER_REGION_INTERNAL,
)
WEB = (machine("web-1"), machine("web-2", zone="us-central1-b", labels=(("service", "shop"),)))
DATA = (
    machine("db-1", zone="us-central1-b", labels=(("netplan-role", "store"), ("app", "x"))),
    machine("db-2", zone="europe-west1-b", labels=(("netplan-role", "store"),)),
)
TALK = (
    ("web-1", "db-1", ZONES, 1.6),
    ("web-1", "db-2", REGIONS, 0.4),
    ("web-2", "db-1", INSIDE, 0.8),
    ("db-1", "web-1", ZONES, 0.1),
)


@cache
def facts() -> model.Facts:
    return facts_of(*WEB, *DATA, talk=TALK)


def graph(level: GraphLevel, weight: EdgeWeight = EdgeWeight.BYTES) -> TrafficGraph:
    return graph_of(facts(), "made", Drawn(level=level, weight=weight))


def demo(level: GraphLevel) -> TrafficGraph:
    request = InputRequest(today=TODAY, demo="gecko")
    return traffic_graph(request, Drawn(level=level, weight=EdgeWeight.DOLLARS))


@pytest.mark.parametrize("level", GraphLevel)
def test_every_level_has_the_same_volume_and_the_same_dollars(level: GraphLevel) -> None:
    one, machines = graph(level), graph(GraphLevel.VM)
    for name in ("gib_per_month", "usd_per_month"):
        sums = [sum(getattr(edge, name) for edge in each.edges) for each in (one, machines)]
        assert float(sums[0]) == pytest.approx(float(sums[1]))
        assert sums[0] > 0
    sent = sum(node.sent_gib_per_month for node in one.nodes)
    received = sum(node.received_gib_per_month for node in one.nodes)
    assert sent == received == sum(edge.gib_per_month for edge in one.edges)
    assert sum(node.machine_count for node in one.nodes) == 4


def test_dollars_are_those_of_the_bill_by_class() -> None:
    made = facts()
    found = graph_of(made, "", Drawn(level=GraphLevel.REGION, weight=EdgeWeight.BYTES))
    billed = [one for one in traffic_by_class(made) if one.direction is model.Direction.SENT]
    assert {one.path_class for one in billed} == {INSIDE, ZONES, REGIONS}
    for one in billed:
        usd = [e.usd_per_month for e in found.edges if e.path_class is one.path_class]
        assert float(sum(filter(None, usd))) == pytest.approx(float(one.usd_per_month or 0))


def test_paths_that_pay_one_price_share_its_steps() -> None:
    """The first GiB to Europe costs nothing, once for all regions and kinds of address."""
    east, europe = machine("east", zone="us-east1-b"), machine("eu", zone="europe-west1-b")
    talk = (
        ("web-1", "eu", REGIONS, 0.0001),
        ("east", "eu", REGIONS, 0.0002),
        ("east", "eu", model.PathClass.INTER_REGION_EXTERNAL, 0.0001),
    )
    made = facts_of(*WEB, east, europe, talk=talk)
    edges = graph_of(made, "", Drawn(level=GraphLevel.REGION, weight=EdgeWeight.BYTES)).edges
    prices = [float((edge.usd_per_month or 0) / edge.gib_per_month) for edge in edges]
    gib = float(sum(edge.gib_per_month for edge in edges))
    assert len(prices) == 3
    assert gib > 2
    assert prices == pytest.approx([0.05 * (gib - 1) / gib] * 3, rel=1e-6)


def test_zones_and_regions_hold_their_machines_in_any_order() -> None:
    zones = graph(GraphLevel.ZONE)
    ends = {(edge.src, edge.dst, edge.path_class) for edge in zones.edges}
    assert ("zone:us-central1-a", "zone:us-central1-b", ZONES) in ends
    assert ("zone:us-central1-b", "zone:us-central1-b", INSIDE) in ends
    assert {node.place for node in zones.nodes} == {"us-central1", "europe-west1"}
    (first,) = (e for e in zones.edges if e.src == "zone:us-central1-a" and e.path_class is ZONES)
    assert first.fastest_pair == "web-1 → db-1"
    regions = graph(GraphLevel.REGION)
    assert {node.key for node in regions.nodes} == {"region:us-central1", "region:europe-west1"}
    assert regions.part_count == 1
    # Ends that exchange nothing are parts of their own.
    talk = (("web-1", "web-2", ZONES, 1.0), ("db-1", "db-2", REGIONS, 1.0))
    made = graph_of(
        facts_of(*WEB, *DATA, talk=talk), "", Drawn(level=GraphLevel.VM, weight=EdgeWeight.BYTES)
    )
    assert made.part_count == 2
    # The order of the input changes nothing.
    whole = facts()
    assert whole.traffic is not None
    turned = replace(whole, traffic=replace(whole.traffic, edges=whole.traffic.edges[::-1]))
    for level in GraphLevel:
        found = graph_of(turned, "made", Drawn(level=level, weight=EdgeWeight.BYTES))
        assert found == graph(level)


def test_services_are_told_by_label_then_group_then_machine() -> None:
    made = facts()
    group = resource(
        model.InstanceGroup,
        "projects/p/zones/us-central1-a/instanceGroups/web",
        is_managed=False,
        is_regional=False,
        location="us-central1-a",
        members=(WEB[0].ref.self_link, DATA[0].ref.self_link),
    )
    grouped = holding(made, instance_groups=(group,))
    services = graph_of(grouped, "", Drawn(level=GraphLevel.SERVICE, weight=EdgeWeight.BYTES))
    assert {node.name: node.kind for node in services.nodes} == {
        "store": "service",
        "shop": "service",
        "web": "group",
    }
    groups = graph_of(grouped, "", Drawn(level=GraphLevel.GROUP, weight=EdgeWeight.BYTES))
    assert {node.name: node.machine_count for node in groups.nodes} == {
        "web": 2,
        "web-2": 1,
        "db-2": 1,
    }


def test_edges_rank_by_what_is_asked_and_unknown_ones_stand_last() -> None:
    by_rate = graph(GraphLevel.VM, EdgeWeight.RATE)
    ratios = [edge.cap_ratio for edge in by_rate.edges]
    # n2-standard-8: 16 Gbit/s inside the VPC.
    assert ratios == [0.1, 0.05, 0.025, 0.00625]
    by_dollars = graph(GraphLevel.VM, EdgeWeight.DOLLARS).edges
    assert [edge.usd_per_month for edge in by_dollars] == sorted(
        (edge.usd_per_month for edge in by_dollars), key=lambda usd: -(usd or Decimal(0))
    )
    (node,) = (one for one in by_rate.nodes if one.name == "web-1")
    assert node.cap_ratio == 0.125, "both of its edges together"
    unknown = facts_of(machine("a", "odd-type-1"), machine("b"), talk=(("a", "b", INSIDE, 1.0),))
    made = graph_of(unknown, "", Drawn(level=GraphLevel.VM, weight=EdgeWeight.RATE))
    assert made.edges[0].cap_ratio is None
    assert made.edges[0].fastest_pair == "a → b"


def test_what_own_machines_receive_is_not_billed_and_never_free() -> None:
    found = demo(GraphLevel.ZONE)
    (received,) = (edge for edge in found.edges if edge.path_class is model.PathClass.GOOGLE_APIS)
    assert not received.is_billed
    assert received.usd_per_month is None
    assert received.price_note == "not billed to the receiver"
    assert found.edges[0].usd_per_month is not None


def test_addresses_without_an_owner_are_one_end_above_machines() -> None:
    made = facts()
    assert made.traffic is not None
    lost = [
        replace(
            owner, kind=model.OwnerKind.UNKNOWN, key=f"unknown:10.9.0.{n}", link=None, zone=None
        )
        if owner.name.startswith("db")
        else owner
        for n, owner in enumerate(made.traffic.owners)
    ]
    changed = replace(made, traffic=replace(made.traffic, owners=tuple(lost)))
    counts = {
        level: sum(
            node.kind == "unknown"
            for node in graph_of(changed, "", Drawn(level=level, weight=EdgeWeight.BYTES)).nodes
        )
        for level in GraphLevel
    }
    assert counts.pop(GraphLevel.VM) == 2
    assert set(counts.values()) == {1}


@pytest.mark.parametrize("demo", [None, "percona"])
def test_a_graph_needs_traffic(demo: str | None) -> None:
    with pytest.raises(UsageError, match="--traffic"):
        traffic_graph(
            InputRequest(today=TODAY, demo=demo),
            Drawn(level=GraphLevel.VM, weight=EdgeWeight.BYTES),
        )
