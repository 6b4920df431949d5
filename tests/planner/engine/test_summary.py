"""The traffic tables of a report."""

from msgspec.structs import replace

from netplan_planner.engine.summary import traffic_by_class, zone_pairs
from netplan_planner.model import Direction, Facts, OwnerKind, PathClass, Zone
from support.facts import facts_of, machine


def facts_with(kinds: tuple[OwnerKind, OwnerKind]) -> Facts:
    """Return facts with one edge, whose ends are of these kinds."""
    facts = facts_of(
        machine("a"), machine("b"), talk=(("a", "b", PathClass.SAME_ZONE_INTERNAL, 1.0),)
    )
    assert facts.traffic is not None
    owners = tuple(
        replace(owner, kind=kind) for owner, kind in zip(facts.traffic.owners, kinds, strict=True)
    )
    edge = facts.traffic.edges[0]
    path_class = PathClass.SAME_ZONE_INTERNAL if kinds == OWN else PathClass.UNKNOWN
    return replace(
        facts,
        traffic=replace(
            facts.traffic, owners=owners, edges=(replace(edge, path_class=path_class),), vms=()
        ),
    )


OWN = (OwnerKind.VM, OwnerKind.VM)


def test_what_own_machines_send_is_priced() -> None:
    (total,) = traffic_by_class(facts_with(OWN))
    assert (total.direction, total.price_note) == (Direction.SENT, "")
    assert total.usd_per_month == 0


def test_what_they_and_their_load_balancers_get_is_not_billed() -> None:
    for kind in (OwnerKind.VM, OwnerKind.LOAD_BALANCER, OwnerKind.NAT):
        (total,) = traffic_by_class(facts_with((OwnerKind.INTERNET, kind)))
        assert (total.direction, total.usd_per_month) == (Direction.RECEIVED, None)
        assert total.price_note == "not billed to the receiver"


def test_traffic_between_others_is_neither_sent_nor_received() -> None:
    for ends in (
        (OwnerKind.INTERNET, OwnerKind.UNKNOWN),
        (OwnerKind.UNKNOWN, OwnerKind.UNKNOWN),
        (OwnerKind.OTHER_PROJECT, OwnerKind.OTHER_PROJECT),
    ):
        (total,) = traffic_by_class(facts_with(ends))
        assert (total.direction, total.usd_per_month) == (Direction.ELSEWHERE, None)
        assert "no end is a machine of the inventory" in total.price_note


def test_zones_between_which_others_talk_are_not_priced() -> None:
    facts = facts_of(
        replace(machine("a"), zone=Zone("us-central1-b")),
        machine("b"),
        talk=(("a", "b", PathClass.INTER_ZONE_INTERNAL, 1.0),),
    )
    assert facts.traffic is not None
    (own,) = zone_pairs(facts)
    assert own.usd_per_month
    others = tuple(replace(o, kind=OwnerKind.OTHER_PROJECT) for o in facts.traffic.owners)
    (theirs,) = zone_pairs(replace(facts, traffic=replace(facts.traffic, owners=others)))
    assert (theirs.gib_per_month, theirs.usd_per_month) == (own.gib_per_month, None)
