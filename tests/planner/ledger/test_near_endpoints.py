"""Near endpoints of a Service as a change: on the state that moves and other Services left."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import Ledger, ledger_of
from netplan_planner.ledger.guards import why_made, why_refused
from netplan_planner.model.evidence.pod_traffic import PodEnd, PodFlow, PodSource, PodTraffic
from netplan_planner.model.project.kubernetes import (
    Endpoint,
    EndpointSlice,
    Kubernetes,
    Node,
    Service,
)
from netplan_rules.kubernetes.service_without_topology import check as near_rule
from netplan_rules.placement.chatty_inter_zone_pair import check as zone_moves
from netplan_rules.placement.community_split_across_zones import check as communities
from support.rules.facts import facts_of, holding, machine
from support.rules.judged import judged

A, B = "us-central1-a", "us-central1-b"
POD = model.PathClass.INTER_ZONE_INTERNAL_POD
CENT = Decimal("0.01")
NODES = ("n1", "n2")
Amounts = tuple[tuple[float, float], ...]


def link(name: str) -> model.SelfLink:
    return model.SelfLink(f"api/v1/namespaces/d/services/{name}")


def ref(name: str) -> model.ResourceRef:
    return model.ResourceRef(self_link=model.SelfLink(name))


def cluster(asked: Amounts, other_gbps: float = 0.0) -> model.Facts:
    """Return two nodes in two zones, and Services with an endpoint on each.

    Args:
        asked: Of each Service what its clients on n1 ask of its endpoint on n2, and get back, in
            Gbit/s; as much stays on n1.
        other_gbps: What pods of n1 send to n2 beside that.
    """
    machines = [machine("n1", zone=A), machine("n2", zone=B)]
    there = sum(one for one, _ in asked) + other_gbps
    back = sum(two for _, two in asked)
    talk = (("n1", "n2", POD, there), ("n2", "n1", POD, back))
    facts = facts_of(*machines, talk=tuple(one for one in talk if one[3]))
    zones = dict(zip(NODES, (A, B), strict=True))
    names = [f"s{number}" for number in range(len(asked))]
    kubernetes = Kubernetes(
        nodes=tuple(
            Node(ref=ref(name), name=name, cloud="gce", instance=one.ref.self_link, zone=one.zone)
            for name, one in zip(NODES, machines, strict=True)
        ),
        services=tuple(
            Service(ref=model.ResourceRef(self_link=link(name)), namespace="d", name=name)
            for name in names
        ),
        endpoint_slices=tuple(
            EndpointSlice(
                ref=ref(f"{name}-x"),
                namespace="d",
                name=f"{name}-x",
                service=name,
                endpoints=tuple(
                    Endpoint(addresses=(f"{name}-{node}",), node=node, zone=model.Zone(zone))
                    for node, zone in zones.items()
                ),
            )
            for name in names
        ),
    )
    flows = [
        flow
        for name, (there, back) in zip(names, asked, strict=True)
        for flow in (
            flow_of(name, A, A, there + back),
            flow_of(name, A, B, there),
            flow_of(name, B, A, back, is_reply=True),
        )
    ]
    pods = PodTraffic(
        flows=tuple(flow for flow in flows if flow.payload_bytes),
        sources=(PodSource.TABLE,),
        window_seconds=3600,
    )
    return replace(holding(facts, kubernetes=kubernetes), pod_traffic=pods)


def flow_of(service: str, src: str, dst: str, gbps: float, *, is_reply: bool = False) -> PodFlow:
    ends = ("api", "web") if is_reply else ("web", "api")
    src_end, dst_end = (
        PodEnd(workload=f"d/{name}", zone=model.Zone(zone))
        for name, zone in zip(ends, (src, dst), strict=True)
    )
    return PodFlow(
        src=src_end,
        dst=dst_end,
        service=f"d/{service}",
        is_reply=is_reply,
        payload_bytes=int(gbps * 3600e9 / 8),
    )


def near(name: str = "s0") -> model.Change:
    return model.Change(kind=model.ChangeKind.NEAR_ENDPOINTS, target=link(name))


def move(facts: model.Facts, name: str, zone: str) -> model.Change:
    (one,) = (one for one in facts.inventory.instances if one.name == name)
    return model.Change(kind=model.ChangeKind.ZONE, target=one.ref.self_link, to=zone)


def traffic_usd(ledger: Ledger, facts: model.Facts) -> Decimal:
    return ledger.cost(facts.seen_traffic.edges).usd_per_month


def test_a_service_is_worth_its_own_share_of_the_edges() -> None:
    facts = cluster(((1.0, 0.5),), other_gbps=1.5)
    whole = traffic_usd(ledger_of(facts), facts)
    worth = ledger_of(facts).value(near()).saving.usd_per_month
    assert abs(worth - whole / 2) < CENT
    assert worth > 100


def test_after_the_move_of_a_node_nothing_is_left_to_save() -> None:
    facts = cluster(((1.0, 0.5),))
    ledger = Ledger(facts)
    made = ledger.make(move(facts, "n2", A))
    assert ledger.value(near()).saving.usd_per_month == 0
    ledger.go_back(made)
    assert ledger.value(near()).saving.usd_per_month == traffic_usd(ledger, facts)


def test_a_node_with_endpoints_stays_once_clients_rely_on_them() -> None:
    facts = cluster(((1.0, 0.5),), other_gbps=1.0)
    ledger = Ledger(facts)
    assert not why_refused(ledger.state, move(facts, "n2", A))
    ledger.make(near())
    assert "the Service s0 prefer near endpoints" in why_refused(ledger.state, move(facts, "n2", A))
    assert "already" in why_made(ledger.state, near())
    assert not why_made(ledger.state, near("s1"))


def test_clients_keep_what_they_find_near_wherever_both_are() -> None:
    """Zones are those of now: n1 has clients and an endpoint, so what it asks of n2 is kept."""
    facts = cluster(((1.0, 0.5),))
    ledger = Ledger(facts)
    ledger.make(move(facts, "n1", "us-central1-f"))
    whole = traffic_usd(ledger, facts)
    assert ledger.value(near()).saving.usd_per_month == whole > 100


def test_a_node_and_a_service_are_not_paid_twice_in_one_plan() -> None:
    facts = cluster(((1.0, 0.5), (0.5, 0.25)))
    whole = traffic_usd(ledger_of(facts), facts)
    found = judged(facts, near_rule, zone_moves)
    said = sum((one.saving_usd_per_month or Decimal(0) for one in found.do_first), Decimal(0))
    assert abs(said - whole) < CENT
    assert len(found.do_first) == 1
    (service,) = (one for one in found.findings if one.rule == "service-without-topology")
    assert service.rank is None
    assert service.changes == (near("s0"), near("s1"))


AMOUNT = st.sampled_from((0.0, 0.1, 0.5, 2.0))


@given(st.lists(st.tuples(AMOUNT, AMOUNT), min_size=1, max_size=3), AMOUNT)
def test_what_a_plan_saves_of_traffic_is_what_the_traffic_bill_falls_by(
    asked: list[tuple[float, float]], other_gbps: float
) -> None:
    facts = cluster(tuple(asked), other_gbps)
    whole = traffic_usd(ledger_of(facts), facts)
    found = judged(facts, near_rule, zone_moves, communities)
    ledger, said = Ledger(facts), Decimal(0)
    for fix in found.do_first:
        for one in fix.changes:
            assert one.change is not None
            worth = ledger.value(one.change).usd
            assert worth == one.saving_usd_per_month
            said += worth or Decimal(0)
            ledger.make(one.change)
    assert abs(whole - traffic_usd(ledger, facts) - said) < CENT
    assert said <= whole + CENT


def test_flows_that_no_edge_holds_are_unknown_and_no_saving() -> None:
    """Pods say that zones are crossed; the machines' own traffic, which is billed, stays inside."""
    facts = cluster(((1.0, 0.5),))
    traffic = facts.seen_traffic
    inside = model.PathClass.SAME_ZONE_INTERNAL_POD
    edges = tuple(replace(one, path_class=inside) for one in traffic.edges)
    (gap,) = near_rule(replace(facts, traffic=replace(traffic, edges=edges)))
    assert isinstance(gap, model.Gap)
    assert "not part of the traffic between known VMs" in gap.reason
