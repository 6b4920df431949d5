"""Savings that are not known are said to be unknown, and never those of something like it."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import Ledger
from netplan_rules.price import idle_external_address
from support.rules.facts import facts_of, machine


def test_an_external_ipv6_address_in_the_zone_has_no_saving_that_is_known() -> None:
    facts = facts_of(
        machine("a"), machine("b"), talk=(("a", "b", model.PathClass.SAME_ZONE_EXTERNAL, 1.0),)
    )
    assert facts.traffic is not None
    (edge,) = facts.traffic.edges
    one, other = (machine.ref.self_link for machine in facts.inventory.instances)
    change = model.Change(kind=model.ChangeKind.INTERNAL_ADDRESS, target=one, destination=other)
    assert Ledger(facts).value(change).saving.usd_per_month > 0
    to_ipv6 = replace(facts.traffic, edges=(replace(edge, dst_address="2600:1900::1"),))
    ipv6 = Ledger(replace(facts, traffic=to_ipv6)).value(change).saving
    assert ipv6.usd_per_month == 0
    assert "IPv6" in ipv6.unknown


@pytest.mark.parametrize(("literal", "is_known"), [("34.1.2.3", True), ("2600:1901::", False)])
def test_a_reserved_ipv6_address_does_not_have_the_price_of_an_ipv4_one(
    literal: str, is_known: bool
) -> None:
    address = model.Address(
        ref=model.ResourceRef(
            self_link=model.SelfLink("projects/p/regions/us-central1/addresses/x")
        ),
        project=model.ProjectId("p"),
        name="x",
        address=literal,
        is_external=True,
        region=model.Region("us-central1"),
        status="RESERVED",
    )
    facts = facts_of(machine("a"))
    facts = replace(facts, inventory=replace(facts.inventory, addresses=(address,)))
    (hit,) = idle_external_address.check(facts)
    assert isinstance(hit, model.Hit)
    assert bool(hit.saving.items) is is_known
    assert ("IPv6" in hit.saving.unknown) is not is_known


def test_a_stopped_machine_costs_nothing_and_saves_nothing() -> None:
    facts = facts_of(machine("a"))
    (running,) = facts.inventory.instances
    assert sum(
        (line.usd_per_month for line in facts.machines.cost_today(running, model.Usage.ON_DEMAND)),
        Decimal(0),
    )
    stopped = replace(running, status="TERMINATED")
    assert facts.machines.cost_today(stopped, model.Usage.ON_DEMAND) == ()
    facts = replace(facts, inventory=replace(facts.inventory, instances=(stopped,)))
    change = model.Change(kind=model.ChangeKind.NO_TIER_1, target=stopped.ref.self_link)
    assert "is stopped" in Ledger(facts).value(change).saving.unknown
    # A suspended machine still pays for its memory.
    assert not replace(running, status="SUSPENDED").is_stopped
