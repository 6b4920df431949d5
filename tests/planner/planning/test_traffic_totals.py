"""The traffic tables of a report."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner.model import Direction, Facts, OwnerKind, PathClass, Zone, total_usd
from netplan_planner.planning.traffic_bill import traffic_by_class, zone_pairs
from support.rules.facts import facts_of, facts_to_internet, machine


def facts_with(kinds: tuple[OwnerKind, OwnerKind]) -> Facts:
    """Return facts with one edge, whose ends are of these kinds."""
    talk = (("a", "b", PathClass.SAME_ZONE_INTERNAL, 1.0),)
    facts = facts_of(machine("a"), machine("b"), talk=talk)
    assert facts.traffic is not None
    ends = zip(facts.traffic.owners, kinds, strict=True)
    owners = tuple(replace(owner, kind=kind) for owner, kind in ends)
    (edge,) = facts.traffic.edges
    if kinds != OWN:
        edge = replace(edge, path_class=PathClass.UNKNOWN)
    return replace(facts, traffic=replace(facts.traffic, owners=owners, edges=(edge,), vms=()))


OWN = (OwnerKind.VM, OwnerKind.VM)


NOT_BILLED = "not billed to the receiver"
NO_OWN_END = "no end is a VM of the inventory"


@pytest.mark.parametrize(
    ("ends", "direction", "usd", "note"),
    [
        (OWN, Direction.SENT, 0, ""),
        *(
            ((OwnerKind.INTERNET, kind), Direction.RECEIVED, None, NOT_BILLED)
            for kind in (OwnerKind.VM, OwnerKind.LOAD_BALANCER, OwnerKind.NAT)
        ),
        ((OwnerKind.INTERNET, OwnerKind.UNKNOWN), Direction.ELSEWHERE, None, NO_OWN_END),
        ((OwnerKind.UNKNOWN,) * 2, Direction.ELSEWHERE, None, NO_OWN_END),
        ((OwnerKind.OTHER_PROJECT,) * 2, Direction.ELSEWHERE, None, NO_OWN_END),
    ],
)
def test_what_own_machines_send_is_priced_and_nothing_else(
    ends: tuple[OwnerKind, OwnerKind], direction: Direction, usd: int | None, note: str
) -> None:
    (total,) = traffic_by_class(facts_with(ends))
    assert (total.direction, total.usd_per_month) == (direction, usd)
    assert total.price_note == note if note in ("", NOT_BILLED) else note in total.price_note


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


def test_pairs_of_zones_share_the_steps_of_a_price() -> None:
    path_class = PathClass.INTER_REGION_INTERNAL
    facts = facts_of(
        machine("a"),
        replace(machine("b"), zone=Zone("us-central1-b")),
        replace(machine("c"), zone=Zone("europe-west1-b")),
        talk=(("a", "c", path_class, 1.0), ("b", "c", path_class, 2.0)),
    )
    greater, lesser = zone_pairs(facts)
    (total,) = traffic_by_class(facts)
    assert (greater.src_zone, lesser.src_zone) == ("us-central1-b", "us-central1-a")
    # The first GiB of this price is free: once, not once for each pair of zones.
    free = [line.quantity for pair in (greater, lesser) for line in pair.line_items[:-1]]
    assert free == [1]
    assert total.usd_per_month == total_usd(greater.line_items + lesser.line_items)


def test_the_steps_of_a_price_are_of_all_its_paths() -> None:
    facts = facts_to_internet(("a", "us-central1-a", "PREMIUM"), ("b", "us-east1-b", "PREMIUM"))
    (total,) = traffic_by_class(facts)
    whole = facts.prices.traffic_line_items(
        "t", PathClass.INTERNET, total.gib_per_month, src_region="us-central1", area="usa"
    )
    assert total.usd_per_month == total_usd(whole)
    assert total.usd_per_month == total_usd(total.line_items)
    assert {line.sku_id for line in total.line_items} == {"F274-1692-F213"}
    assert len(whole) > 1


def test_a_machine_of_the_standard_tier_pays_its_price() -> None:
    facts = facts_to_internet(("a", "us-central1-a", "STANDARD"))
    (total,) = traffic_by_class(facts)
    assert {line.sku_id for line in total.line_items} == {"249F-EC1E-B5E4"}
    free = Decimal(200)
    assert sum(line.quantity for line in total.line_items if not line.unit_price_usd) == free


def test_a_machine_with_addresses_of_both_tiers_has_no_known_price() -> None:
    facts = facts_to_internet(("a", "us-central1-a", "STANDARD"))
    (one, peer) = facts.inventory.instances
    second = replace(one.interfaces[0], name="nic1", network_tier="PREMIUM")
    both = replace(one, interfaces=(*one.interfaces, second))
    facts = replace(facts, inventory=replace(facts.inventory, instances=(both, peer)))
    (total,) = traffic_by_class(facts)
    assert total.usd_per_month is None
    assert "both network tiers" in total.price_note


def test_a_round_trip_that_light_could_not_do_is_none() -> None:
    far = Zone("europe-west1-b")
    facts = facts_of(
        machine("a"),
        replace(machine("b"), zone=far),
        talk=(("a", "b", PathClass.INTER_REGION_INTERNAL, 1.0),),
    )
    assert facts.traffic is not None
    for rtt_ms, seen_ms in ((0.75, None), (101.0, 101.0)):
        edges = tuple(replace(edge, rtt_ms=rtt_ms) for edge in facts.traffic.edges)
        (pair,) = zone_pairs(replace(facts, traffic=replace(facts.traffic, edges=edges)))
        assert pair.rtt_ms == seen_ms
