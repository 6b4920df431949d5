"""A move and an address fix that only help together, and savings that are told in words."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_rules.address.external_ip_inter_region import check as far_address
from netplan_rules.address.external_ip_intra_region import check as zone_address
from netplan_rules.base import Check
from netplan_rules.gateway.google_api_path import check as calls
from netplan_rules.gateway.lb_cross_zone import check as front
from netplan_rules.placement.chatty_inter_region_pair import check as far_moves
from netplan_rules.placement.chatty_inter_zone_pair import check as zone_moves
from support.rules.facts import facts_of, holding, machine
from support.rules.judged import hits_of, judged, paid

A, B, FAR = "us-central1-a", "us-central1-b", "europe-west1-b"
OUTSIDE = model.PathClass.INTER_ZONE_EXTERNAL


def pair(gbps: float = 1.0, **labels: tuple[tuple[str, str], ...]) -> model.Facts:
    """Return two machines of two zones that talk over an external address."""
    machines = [
        machine(name, zone=zone, labels=labels.get(name, ()))
        for name, zone in (("ant", A), ("bee", B))
    ]
    return facts_of(*machines, talk=(("ant", "bee", OUTSIDE, gbps),))


def test_neither_alone_saves_and_both_are_one_entry() -> None:
    facts = pair()
    (move,) = hits_of(zone_moves, facts)
    (address,) = hits_of(zone_address, facts)
    assert move.change is not None
    assert address.change is not None
    ledger = ledger_of(facts)
    alone = replace(move.change, destination=None)
    assert ledger.value(alone).usd == 0
    assert ledger.value(address.change).usd == 0
    whole = ledger.cost(facts.seen_traffic.edges).usd_per_month
    found = judged(facts, zone_moves, zone_address)
    (fix,) = found.do_first
    assert fix.saving_usd_per_month == whole > 1000
    (one,) = fix.changes
    assert one.change == move.change
    assert one.fix is not None
    text = str(one.fix.text)
    assert text.index("Move bee to us-central1-a") < text.index("internal address of bee")
    assert "instead of 35.0.0.1" in text
    by_rule = {finding.rule: finding for finding in found.findings}
    same = by_rule["external-ip-intra-region"]
    assert same.same_as == by_rule["chatty-inter-zone-pair"].fingerprint


def test_what_keeps_the_move_keeps_both() -> None:
    pinned = (("netplan-pin", "true"),)
    facts = pair(ant=pinned, bee=pinned)
    assert not hits_of(zone_moves, facts)
    assert not judged(facts, zone_moves, zone_address).do_first


def test_a_pair_in_networks_apart_gets_no_joined_step() -> None:
    facts = pair()
    other = model.SelfLink("projects/p/global/networks/other")
    ant, bee = facts.inventory.instances
    bee = replace(bee, interfaces=tuple(replace(nic, network=other) for nic in bee.interfaces))
    assert not hits_of(zone_moves, holding(facts, instances=(ant, bee)))


def test_a_little_is_left_alone() -> None:
    assert not hits_of(zone_moves, pair(gbps=0.001))


def test_where_the_move_pays_by_itself_it_stays_one_step() -> None:
    facts = facts_of(
        machine("ant", zone=A),
        machine("bee", zone=FAR),
        talk=(("ant", "bee", model.PathClass.INTER_REGION_EXTERNAL, 1.0),),
    )
    (move,) = hits_of(far_moves, facts)
    assert move.change is not None
    assert move.change.destination is None
    found = judged(facts, far_moves, far_address)
    assert found.do_first[0].changes[0].change == move.change


def told(rule: Check, usd: str, *names: str) -> Check:
    """Return a check of the rule that tells in words what the edges of all traffic would save."""

    def check(facts: model.Facts) -> Iterator[model.Hit]:
        yield model.Hit(
            resources=(model.ResourceRef(self_link=model.SelfLink("a/front")),),
            subject="front",
            message="told in words",
            saving=paid(usd),
            gib_per_month=Decimal(100),
            edges=tuple(e for e in facts.seen_traffic.edges if facts.dst(e).name in names),
            fix=model.Fix(text="do it", label="do it"),
        )

    return replace_rule(rule, check)


def replace_rule(rule: Check, check: object) -> Check:
    setattr(check, "rule", rule.rule)  # noqa: B010
    return check  # type: ignore[return-value]


INSIDE = model.PathClass.INTER_ZONE_INTERNAL


@pytest.mark.parametrize("usd", ["4000", "100"])
def test_what_is_told_in_words_and_a_move_never_save_the_same_edge(usd: str) -> None:
    facts = facts_of(
        machine("ant", zone=A), machine("bee", zone=B), talk=(("ant", "bee", INSIDE, 1.0),)
    )
    whole = ledger_of(facts).cost(facts.seen_traffic.edges).usd_per_month
    found = judged(facts, zone_moves, told(front, usd, "bee"))
    assert len(found.do_first) == 1
    (fix,) = found.do_first
    assert fix.saving_usd_per_month == max(Decimal(usd), whole)


def test_two_that_are_told_in_words_never_save_the_same_edge() -> None:
    facts = facts_of(
        machine("ant", zone=A),
        machine("bee", zone=B),
        machine("cat", zone=B),
        talk=(("ant", "bee", INSIDE, 1.0), ("ant", "cat", INSIDE, 1.0)),
    )
    both = judged(facts, told(front, "300", "bee"), told(calls, "200", "bee", "cat"))
    assert [one.saving_usd_per_month for one in both.do_first] == [Decimal(300)]
    apart = judged(facts, told(front, "300", "bee"), told(calls, "200", "cat"))
    assert [one.saving_usd_per_month for one in apart.do_first] == [Decimal(300), Decimal(200)]


@pytest.mark.parametrize(("gbps", "is_held"), [(3.0, True), (0.01, False)])
def test_a_path_that_sends_little_is_not_held_back_by_its_senders_limit(
    gbps: float, is_held: bool
) -> None:
    """Of 7 Gbit/s to the outside that are in use, one of two paths has nearly nothing."""
    facts = facts_of(
        machine("ant", zone=A),
        machine("bee", zone=B),
        machine("cat", zone=B),
        talk=(("ant", "bee", OUTSIDE, 7.0 - gbps), ("ant", "cat", OUTSIDE, gbps)),
    )
    used = {
        hit.subject.split(" ")[2]: hit.used_ratio or 0.0 for hit in hits_of(zone_address, facts)
    }
    assert used["bee"] >= 0.99
    assert (used["cat"] >= 0.8) is is_held
