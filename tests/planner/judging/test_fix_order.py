"""The order of fixes: marginal gain on the changed facts, and nothing counted twice."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fixes import answer
from netplan_planner.ledger import Ledger
from netplan_planner.renderers.figures import shown
from netplan_rules.address.external_ip_inter_region import check as inter_region_address
from netplan_rules.address.external_ip_intra_region import check as intra_region_address
from netplan_rules.address.external_ip_intra_zone import check as intra_zone_address
from netplan_rules.capacity.tier1_unused import check as tier1_unused
from netplan_rules.placement.chatty_inter_region_pair import check as region_moves
from netplan_rules.placement.chatty_inter_zone_pair import check as zone_moves
from netplan_rules.registry import find_rule
from netplan_rules.wording import type_commands
from support.known import known
from support.prices.commitments import commitment
from support.rules.facts import facts_of, facts_to_internet, holding, machine
from support.rules.judged import hits_of, judged, paid

MANAGER = model.SelfLink("projects/p/zones/us-central1-a/instanceGroupManagers/g")
ZONES = ("us-central1-a", "us-central1-b", "us-central1-c", "us-east1-b", "europe-west1-b")


def bill(facts: model.Facts, changes: list[model.Change]) -> Decimal:
    """Return what all traffic costs after changes, added up edge by edge."""
    assert facts.traffic is not None
    ledger = Ledger(facts)
    for change in changes:
        ledger.make(change)
    return sum((ledger.cost([e]).usd_per_month for e in facts.traffic.edges), Decimal(0))


def test_an_address_takes_the_money_from_a_move() -> None:
    """Two peers reach a machine by external addresses: those are the fault, not its place.

    Inside a zone internal addresses are free, so after the address fix the move costs.
    """
    facts = facts_of(
        machine("a"),
        machine("b"),
        machine("c", zone="us-central1-b"),
        talk=(
            ("a", "b", model.PathClass.SAME_ZONE_EXTERNAL, 1.0),
            ("a", "c", model.PathClass.INTER_ZONE_EXTERNAL, 0.2),
        ),
    )
    found = judged(facts, intra_zone_address, zone_moves)
    first = found.do_first[0]
    assert first.rule == "external-ip-intra-zone"
    assert first.saving_usd_per_month == first.alone_usd_per_month
    rest = sum((fix.saving_usd_per_month or Decimal(0) for fix in found.do_first), Decimal(0))
    made = [change for finding in found.findings for change in finding.changes]
    assert rest <= bill(facts, []) - min(bill(facts, made[:n]) for n in range(len(made) + 1))


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        # 0.01 a GiB between zones of a region.
        (
            "us-central1-b",
            "Each additional TiB/month that it then sends costs $10.24",
        ),
        ("us-central1-a", ""),
    ],
)
def test_what_more_traffic_costs_once_a_limit_is_lifted(zone: str, said: str) -> None:
    """Held back by the 7 Gbit/s of external addresses, and free to send 32 by internal ones."""
    base = model.PathClass.SAME_ZONE_EXTERNAL
    one, other = machine("a", "n2-standard-16"), machine("b", "n2-standard-16", zone=zone)
    facts = facts_of(one, other, talk=(("a", "b", base.between(one.zone, other.zone), 7.0),))
    (finding,) = judged(facts, intra_zone_address, intra_region_address).findings
    assert finding.fix is not None
    assert ("Each additional TiB" in shown(finding.fix.caution)) == bool(said)
    assert said in shown(finding.fix.caution)


@pytest.mark.parametrize(
    ("gbps", "said"), [(20.0, "a → c may then get 16 Gbit/s instead of 20 Gbit/s"), (16.0, "")]
)
def test_a_lifted_flow_says_whom_it_takes_from(gbps: float, said: str) -> None:
    """By an internal address it may fill the 32 Gbit/s that another flow has a half of."""
    talk = (
        ("a", "b", model.PathClass.SAME_ZONE_EXTERNAL, 7.0),
        ("a", "c", model.PathClass.SAME_ZONE_INTERNAL, gbps),
    )
    facts = facts_of(*(machine(name, "n2-standard-16") for name in "abc"), talk=talk)
    found = judged(facts, intra_zone_address)
    (fix,) = found.do_first
    assert known(fix.further).crowded == said
    step = fix.changes[0].fix
    assert step is not None
    assert said in shown(step.caution)


def test_more_connections_are_not_advised_that_lift_nothing_any_more() -> None:
    """The internal address leaves one flow no limit of its own: more would take from others."""
    one, other = machine("a", "n2-standard-4"), machine("b", "n2-standard-4")
    facts = facts_of(one, other, talk=(("a", "b", model.PathClass.SAME_ZONE_EXTERNAL, 3.0),))
    (hit,) = (one for one in intra_zone_address(facts) if isinstance(one, model.Hit))
    change = known(hit.change)
    hit = replace(hit, used_ratio=1.0)
    more = replace(
        hit,
        change=replace(change, kind=model.ChangeKind.MORE_FLOWS),
        saving=model.Saving(),
        throughput_now=model.Estimate(gbps=3.0),
        throughput_fixed=model.Estimate(gbps=7.0),
    )
    flows = find_rule("single-flow-limited").rule
    address = find_rule("external-ip-intra-zone").rule
    found = answer(facts, [(address, (hit,)), (flows, (more,))])
    assert [fix.rule for fix in found.do_first] == ["external-ip-intra-zone"]
    assert [fix.rule for fix in answer(facts, [(flows, (more,))]).do_first] == [flows.id]


@pytest.mark.parametrize("group", [None, MANAGER])
def test_what_a_fix_lifts_keeps_its_tier_1(group: model.SelfLink | None) -> None:
    """3 Gbit/s of one flow outside the VPC need none of it; at internal addresses 50 may.

    One template gives a group its tier: no machine of it loses Tier_1 then.
    """
    tier1 = model.BandwidthTier.TIER_1
    made: dict[str, Any] = {
        "machine_type": "n2-standard-32",
        "bandwidth_tier": tier1,
        "created_by": group,
    }
    machines = [machine("a", **made), machine("z", **made), machine("b", "n2-standard-32")]
    talk = (
        ("a", "b", model.PathClass.SAME_ZONE_EXTERNAL, 3.0),
        ("z", "b", model.PathClass.SAME_ZONE_INTERNAL, 0.1),
    )
    facts = facts_of(*machines, talk=talk)
    (hit,) = (one for one in intra_zone_address(facts) if isinstance(one, model.Hit))
    unused = tuple(one for one in tier1_unused(facts) if isinstance(one, model.Hit))
    assert len(unused) == 2
    address = find_rule("external-ip-intra-zone").rule
    asked = [(address, (replace(hit, used_ratio=1.0),)), (find_rule("tier1-unused").rule, unused)]
    first, *others = answer(facts, asked).do_first
    assert first.rule == address.id
    left = [known(change.change).target for fix in others for change in fix.changes]
    assert left == ([] if group else [machines[1].ref.self_link])


def test_two_regions_one_fault_is_counted_once() -> None:
    facts = facts_of(
        machine("a"),
        machine("b", zone="europe-west1-b"),
        talk=(("a", "b", model.PathClass.INTER_REGION_EXTERNAL, 0.5),),
    )
    found = judged(facts, inter_region_address, region_moves)
    (move,) = [f for f in found.findings if f.rule == "chatty-inter-region-pair"]
    total = sum((fix.saving_usd_per_month or Decimal(0) for fix in found.do_first), Decimal(0))
    # A machine costs less in the other region, too.
    hours = [item.usd_per_month for item in move.line_items if item.unit == "hour"]
    assert total <= bill(facts, []) + sum(hours, Decimal(0))
    assert move.marginal_usd_per_month is not None


def test_moves_of_a_triangle_are_priced_one_after_the_other() -> None:
    names = ("a", "b", "c")
    facts = facts_of(
        *(machine(name, zone=zone) for name, zone in zip(names, ZONES[:3], strict=True)),
        talk=tuple(
            (one, other, model.PathClass.INTER_ZONE_INTERNAL, 0.1)
            for one, other in (("a", "b"), ("b", "c"), ("c", "a"))
        ),
    )
    (finding,) = judged(facts, zone_moves).findings
    assert len(finding.members) == 2
    assert finding.saving_usd_per_month == bill(facts, [])
    assert finding.marginal_usd_per_month == finding.saving_usd_per_month
    alone = [
        bill(facts, []) - bill(facts, [c])
        for c in finding.changes
        if c.kind is model.ChangeKind.ZONE
    ]
    assert sum(alone, Decimal(0)) != finding.saving_usd_per_month


@given(
    st.lists(st.sampled_from(ZONES), min_size=3, max_size=5),
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans(), st.integers(1, 20)),
        min_size=1,
        max_size=8,
        unique_by=lambda t: (t[0], t[1]),
    ),
)
def test_the_bill_falls_by_them(zones: list[str], flows: list[tuple[int, int, bool, int]]) -> None:
    """Against a bill of all traffic, computed anew after each change as it is listed."""
    names = ("ant", "bee", "cow", "dog", "elk")
    base = model.PathClass.SAME_ZONE_INTERNAL, model.PathClass.SAME_ZONE_EXTERNAL
    talk = []
    for src, dst, is_external, rate in flows:
        if src == dst or max(src, dst) >= len(zones):
            continue
        machines = machine("x", zone=zones[src]), machine("y", zone=zones[dst])
        path_class = base[is_external].between(machines[0].zone, machines[1].zone)
        talk.append((names[src], names[dst], path_class, rate / 10))
    if not talk:
        return
    facts = facts_of(
        *(machine(name, zone=zone) for name, zone in zip(names, zones, strict=False)),
        talk=tuple(talk),
    )
    found = judged(facts, inter_region_address, zone_moves, region_moves)
    assert [fix.rank for fix in found.do_first] == list(range(1, len(found.do_first) + 1))
    made: list[model.Change] = []
    regions = {m.ref.self_link: m.region for m in facts.inventory.instances}
    for fix in found.do_first:
        assert len(fix.changes) == fix.place_count <= fix.finding_place_count
        each = [change.saving_usd_per_month or Decimal(0) for change in fix.changes]
        assert sum(each, Decimal(0)) == (fix.saving_usd_per_month or Decimal(0))
        for planned, usd in zip(fix.changes, each, strict=True):
            assert planned.change is not None
            before = bill(facts, made)
            made.append(planned.change)
            # A move to another region changes the price of the machine too, which is no traffic.
            is_far = planned.change.kind is model.ChangeKind.ZONE and not (
                planned.change.to or ""
            ).startswith(regions[planned.change.target])
            assert is_far or abs(usd - (before - bill(facts, made))) < Decimal("0.01")


def type_hit(name: str, to: str, usd: str, used_ratio: float | None = None) -> model.Hit:
    link = model.SelfLink(f"projects/p/zones/us-central1-a/instances/{name}")
    return model.Hit(
        resources=(model.ResourceRef(self_link=link),),
        subject=name,
        message=name,
        saving=paid(usd, to),
        used_ratio=used_ratio,
        limit_minutes_per_day=1440.0,
        change=model.Change(kind=model.ChangeKind.MACHINE_TYPE, target=link, to=to),
    )


def test_a_machine_gets_one_type() -> None:
    cheaper = find_rule("cheaper-series").rule
    other = find_rule("shared-core-in-data-path").rule
    found = answer(
        facts_of(machine("a")),
        [
            (cheaper, (type_hit("a", "n2d-standard-8", "50"),)),
            (other, (type_hit("a", "e2-standard-8", "70"),)),
        ],
    )
    assert [(f.rule, f.saving_usd_per_month) for f in found.do_first] == [(other.id, Decimal(70))]
    loser = next(f for f in found.findings if f.rule == cheaper.id)
    assert (loser.rank, loser.marginal_usd_per_month) == (None, Decimal(0))
    assert loser.overlap == "another fix already changes the type"
    assert loser.saving_usd_per_month == Decimal(50)


def price(facts: model.Facts, name: str, machine_type: str, zone: str) -> Decimal:
    (here,) = [m for m in facts.inventory.instances if m.name == name]
    there = replace(here, machine_type=machine_type, zone=model.Zone(zone))
    return model.total_usd(facts.machines.cost_today(there, model.usage_of(there)))


@pytest.mark.parametrize(
    ("home", "away", "rate", "first"),
    [
        ("asia-southeast1-a", "us-central1-a", 5.0, "chatty-inter-region-pair"),
        # What traffic saves is little more than what the machine costs more there.
        ("us-central1-a", "asia-southeast1-a", 0.0131, "cheaper-series"),
    ],
)
def test_a_type_or_a_move_of_region_is_made(home: str, away: str, rate: float, first: str) -> None:
    """The type was chosen by prices of the region that the machine is in: another may be cheapest.

    What is not made now is proposed anew by the next audit, with the type of that region.
    """
    types = "n2-standard-32", "n2d-standard-32"
    facts = facts_of(
        machine("apple", zone=away, labels=(("netplan-pin", ""),)),
        machine("pear", types[0], zone=home),
        talk=(("pear", "apple", model.PathClass.INTER_REGION_INTERNAL, rate),),
    )
    old, new = (price(facts, "pear", one, home) for one in types)
    link = model.SelfLink(f"projects/p/zones/{home}/instances/pear")
    change = model.Change(kind=model.ChangeKind.MACHINE_TYPE, target=link, to=types[1])
    (pear,) = (one for one in facts.inventory.instances if one.name == "pear")
    fix = model.Fix(text=f"Take {types[1]}.", commands=type_commands(pear, types[1]))
    cheaper = replace(type_hit("pear", types[1], str(old - new)), change=change, fix=fix)
    moves = hits_of(region_moves, facts)
    rule = find_rule("cheaper-series").rule
    found = answer(facts, [(rule, (cheaper,)), (region_moves.rule, moves)])
    assert [entry.rule for entry in found.do_first] == [first]
    (left,) = (one for one in found.findings if one.rank is None)
    assert left.overlap == (
        "another fix moves it to a region where another type may be cheapest"
        if first == "chatty-inter-region-pair"
        else "another fix changes its type to the cheapest in its region"
    )


def test_a_move_that_is_refused_today_waits_for_no_other_fix() -> None:
    """A type that is made first is not why the machine stays: a copy of it is in that region."""
    home, away = "asia-southeast1-a", "us-central1-a"
    facts = facts_of(
        machine("apple", zone=away, labels=(("netplan-pin", ""),)),
        machine("pear-1", "n2-standard-32", zone=home),
        machine("pear-2", "n2-standard-32", zone=away),
        talk=(("pear-1", "apple", model.PathClass.INTER_REGION_INTERNAL, 5.0),),
    )
    moves = hits_of(region_moves, facts)
    link = model.SelfLink(f"projects/p/zones/{home}/instances/pear-1")
    assert [one.change and one.change.target for one in moves] == [link]
    change = model.Change(kind=model.ChangeKind.MACHINE_TYPE, target=link, to="n2d-standard-32")
    cheaper = replace(type_hit("pear-1", "n2d-standard-32", "100"), change=change)
    rule = find_rule("cheaper-series").rule
    found = answer(facts, [(rule, (cheaper,)), (region_moves.rule, moves)])
    assert [entry.rule for entry in found.do_first] == ["cheaper-series"]
    (left,) = (one for one in found.findings if one.rank is None)
    assert left.is_held
    assert left.overlap == "pear-2, another copy (both are named pear-…), is in us-central1-a"


def test_each_place_says_what_holds_its_fix_back() -> None:
    """Of two moves of one finding one would draw copies together: the finding is made in part."""
    here, there = "us-central1-a", "us-central1-b"
    away = model.PathClass.INTER_ZONE_INTERNAL
    facts = facts_of(
        machine("apple", zone=there, labels=(("netplan-pin", ""),)),
        machine("pear-1", zone=here),
        machine("pear-2", zone=there),
        machine("fig", zone=here),
        talk=(("pear-1", "apple", away, 2.0), ("fig", "apple", away, 2.0)),
    )
    found = answer(facts, [(zone_moves.rule, hits_of(zone_moves, facts))])
    (finding,) = found.findings
    assert not finding.is_held
    held = {one.resources[0].name: one.why_held for one in finding.members}
    said = "pear-2, another copy (both are named pear-…), is in us-central1-b"
    assert held == {"pear-1": said, "fig": ""}
    assert f"At 1 of 2 places {said}" in finding.overlap


@pytest.mark.parametrize("is_graver", [False, True])
def test_a_type_waits_for_a_move_that_is_worth_more(is_graver: bool) -> None:
    """Whichever finding comes first: one of many machines may be graver than the move of one."""
    home, away = "asia-southeast1-a", "us-central1-a"
    others = [f"other-{at}" for at in range(20 if is_graver else 0)]
    facts = facts_of(
        machine("apple", zone=away, labels=(("netplan-pin", ""),)),
        *(machine(name, "n2-standard-32", zone=home) for name in ("pear", *others)),
        talk=(("pear", "apple", model.PathClass.INTER_REGION_INTERNAL, 0.3),),
    )
    hits = []
    for name in ("pear", *others):
        link = model.SelfLink(f"projects/p/zones/{home}/instances/{name}")
        change = model.Change(kind=model.ChangeKind.MACHINE_TYPE, target=link, to="n2d-standard-32")
        told = [
            model.Evidence(name=of, value="n2-standard-32", source="a page")
            for of in ("machine_type", "proposed")
        ]
        hit = type_hit(name, "n2d-standard-32", "100")
        hits.append(replace(hit, change=change, evidence=tuple(told)))
    rule = find_rule("cheaper-series").rule
    found = answer(facts, [(rule, tuple(hits)), (region_moves.rule, hits_of(region_moves, facts))])
    made = [change.change for entry in found.do_first for change in entry.changes]
    assert [one.kind for one in made if one and one.target.endswith("/pear")] == [
        model.ChangeKind.ZONE
    ]
    assert len(made) == 1 + len(others)


def test_a_move_leaves_the_last_step_of_a_price_and_not_the_first() -> None:
    """Two machines share the steps of traffic to the internet; one that leaves takes little off.

    In Europe its own traffic begins at the first step: what the move saves between regions is
    nearly what it costs more there.
    """
    facts = facts_to_internet(
        ("ant", "us-central1-a", "PREMIUM"), ("bee", "us-central1-a", "PREMIUM"), area="Europe/deu"
    )
    assert facts.traffic is not None
    ledger = Ledger(facts)
    whole = ledger.cost(facts.traffic.edges).usd_per_month
    edges = ledger.traffic.edges_of(1)
    here = ledger.cost(edges).usd_per_month
    alone = ledger.cost(ledger.traffic.edges_of(0)).usd_per_month
    # Each is the last to come, so both stand on the cheapest steps that the two reach together.
    assert here + alone < whole
    bee = next(one for one in facts.inventory.instances if one.name == "bee")
    change = model.Change(kind=model.ChangeKind.ZONE, target=bee.ref.self_link, to="europe-west1-b")
    saved = ledger.traffic.edges_of(1), ledger.value(change).saving
    ledger.make(change)
    there = ledger.cost(edges).usd_per_month
    assert there - here == ledger.cost(facts.traffic.edges).usd_per_month - whole
    of_traffic = [item.usd_per_month for item in saved[1].items if item.unit == "GiB"]
    assert sum(of_traffic, Decimal(0)) == here - there


def test_a_second_move_meets_the_steps_that_the_first_has_left() -> None:
    """What two moves save one after the other is what the whole bill falls by."""
    facts = facts_to_internet(
        ("ant", "us-central1-a", "PREMIUM"), ("bee", "us-central1-a", "PREMIUM"), area="Europe/deu"
    )
    assert facts.traffic is not None
    ledger = Ledger(facts)
    whole = ledger.cost(facts.traffic.edges).usd_per_month
    saved = Decimal(0)
    made = []
    for one in facts.inventory.instances[:2]:
        edges = ledger.traffic.edges_of(ledger.state.owners[one.ref.self_link])
        before = ledger.cost(edges).usd_per_month
        made.append(ledger.move(one, model.Zone("europe-west1-b")))
        saved += before - ledger.cost(edges).usd_per_month
    assert saved == whole - ledger.cost(facts.traffic.edges).usd_per_month
    for mark in reversed(made):
        ledger.go_back(mark)
    assert ledger.cost(facts.traffic.edges).usd_per_month == whole


def test_a_machine_that_moves_to_a_commitment_does_not_leave_it_for_less() -> None:
    """An unused commitment takes the moved machine; another type would leave it unused again."""
    facts = facts_of(
        machine("apple"),
        machine("pear", zone="asia-southeast1-a"),
        talk=(("pear", "apple", model.PathClass.INTER_REGION_INTERNAL, 5.0),),
    )
    facts = holding(facts, commitments=(commitment(16, 64),))
    link = model.SelfLink("projects/p/zones/asia-southeast1-a/instances/pear")
    cheaper = type_hit("pear", "e2-standard-8", "38.48")
    change = model.Change(kind=model.ChangeKind.MACHINE_TYPE, target=link, to="e2-standard-8")
    moves = hits_of(region_moves, facts)
    assert [hit.change.target for hit in moves if hit.change] == [link]
    rule = find_rule("cheaper-series").rule
    found = answer(facts, [(rule, (replace(cheaper, change=change),)), (region_moves.rule, moves)])
    assert [fix.rule for fix in found.do_first] == [region_moves.rule.id]


def test_findings_of_two_rules_do_not_both_leave_one_commitment() -> None:
    """It covers one of two machines: whichever goes first, the other is the one that it covers."""
    facts = facts_of(machine("a"), machine("b"))
    facts = holding(facts, commitments=(commitment(8, 32),))
    cheaper = find_rule("cheaper-series").rule
    other = find_rule("shared-core-in-data-path").rule
    hits = type_hit("a", "n2d-standard-8", "50"), type_hit("b", "e2-standard-8", "70")
    found = answer(facts, [(cheaper, hits[:1]), (other, hits[1:])])
    assert [fix.rule for fix in found.do_first] == [other.id]
    second = next(one for one in found.findings if one.rule == cheaper.id)
    assert second.marginal_usd_per_month == Decimal(0)
    assert second.overlap == "other changes leave commitments unused that it needs"
    # Without a commitment each saves what it saves alone.
    free = answer(facts_of(machine("a"), machine("b")), [(cheaper, hits[:1]), (other, hits[1:])])
    assert sum(fix.saving_usd_per_month or 0 for fix in free.do_first) == Decimal(120)


def test_a_fix_that_saves_to_the_cent_what_it_saves_alone_has_nothing_taken_from_it() -> None:
    facts = facts_of(
        machine("a"), machine("b"), talk=(("a", "b", model.PathClass.SAME_ZONE_EXTERNAL, 1 / 3),)
    )
    (hit,) = hits_of(intra_zone_address, facts)
    more = replace(hit.saving.items[0], usd_per_month=hit.saving.items[0].usd_per_month + DUST)
    items = (more, *hit.saving.items[1:])
    found = answer(
        facts, [(intra_zone_address.rule, (replace(hit, saving=model.Saving(items=items)),))]
    )
    assert [fix.overlap for fix in found.do_first] == [""]


DUST = Decimal("0.000001")
"""A line rounds its own last digits, and two lines do so twice."""


@pytest.mark.parametrize(
    ("usd", "used", "expected"),
    [
        ("5310.92", None, ["waits", "rich"]),
        ("73", None, ["waits", "rich"]),
        ("5310.92", 0.3, ["rich"]),
        ("73", 0.3, ["rich"]),
    ],
)
def test_money_and_held_back_traffic_are_ranked_by_what_is_at_stake(
    usd: str, used: float | None, expected: list[str]
) -> None:
    """A limit that nobody comes near is no reason; the greatest saving is never left out."""
    facts = facts_of(
        machine("rich"),
        machine("waits", "n2-standard-2"),
        machine("peer"),
        talk=(("waits", "peer", model.PathClass.SAME_ZONE_INTERNAL, 9.9),),
    )
    waits = type_hit("waits", "n2-standard-16", "-40", 0.99 if used is None else used)
    found = answer(
        facts,
        [
            (find_rule("cheaper-series").rule, (type_hit("rich", "x", usd),)),
            (find_rule("egress-cap-saturated").rule, (waits,)),
        ],
    )
    names = [fix.subject for fix in found.do_first]
    assert names == expected


def test_an_address_of_one_price_saves_after_a_move() -> None:
    """Between zones both addresses cost the same; in one zone the internal one is free."""
    facts = facts_of(
        machine("db"),
        machine("web", zone="us-central1-b"),
        talk=(
            ("db", "web", model.PathClass.INTER_ZONE_INTERNAL, 2.0),
            ("web", "db", model.PathClass.INTER_ZONE_EXTERNAL, 1.0),
        ),
    )
    move, address = judged(facts, intra_region_address, zone_moves).do_first
    assert (move.rule, address.rule) == ("chatty-inter-zone-pair", "external-ip-intra-region")
    assert (address.alone_usd_per_month, address.overlap) == (
        None,
        "after the earlier fixes",
    )
    assert address.saving_usd_per_month is not None
    whole = (move.saving_usd_per_month or Decimal(0)) + address.saving_usd_per_month
    assert whole == bill(facts, [])
    alone = judged(facts, intra_region_address)
    assert alone.do_first == ()
    (finding,) = alone.findings
    assert finding.marginal_usd_per_month is None


def test_moves_do_not_work_against_each_other() -> None:
    """A machine that another one moves to stays, whichever rule would move it."""
    facts = facts_of(
        machine("ant"),
        machine("bee", zone="us-central1-b"),
        machine("cow", zone="us-east1-b"),
        talk=(
            ("ant", "bee", model.PathClass.INTER_ZONE_INTERNAL, 1.0),
            ("cow", "bee", model.PathClass.INTER_REGION_INTERNAL, 0.6),
            ("cow", "ant", model.PathClass.INTER_REGION_INTERNAL, 0.5),
        ),
    )
    found = judged(facts, zone_moves, region_moves)
    moved: dict[model.SelfLink, str] = {}
    for fix in found.do_first:
        (finding,) = [f for f in found.findings if f.fingerprint == fix.finding]
        peers = {m.fingerprint: m.resources[1].self_link for m in finding.members}
        for planned in fix.changes:
            assert planned.change is not None
            moved[planned.change.target] = planned.change.to or ""
            where = {m.ref.self_link: str(m.zone) for m in facts.inventory.instances}
            peer = peers[planned.place]
            assert moved.get(peer, where[peer]) == planned.change.to
    assert moved


def test_traffic_that_loses_its_price_is_no_saving() -> None:
    """Between zones of southamerica-east1 the catalogue has a SKU and no price for it."""
    facts = facts_of(
        machine("ant"),
        machine("bee", zone="southamerica-east1-a"),
        machine("cow", zone="southamerica-east1-b"),
        talk=(
            ("ant", "bee", model.PathClass.INTER_REGION_INTERNAL, 0.5),
            ("ant", "cow", model.PathClass.INTER_REGION_INTERNAL, 0.5),
        ),
    )
    here, there = (m.ref for m in facts.inventory.instances if m.name in {"ant", "bee"})
    ant, bee = (here, there) if here.name == "ant" else (there, here)
    move = replace(
        type_hit("ant", "x", "900"),
        resources=(ant, bee),
        change=model.Change(
            kind=model.ChangeKind.ZONE, target=ant.self_link, to="southamerica-east1-a"
        ),
    )
    (finding,) = answer(facts, [(region_moves.rule, (move,))]).findings
    assert finding.marginal_usd_per_month is None
    assert finding.rank is None
    assert "is unknown" in finding.overlap
