"""What stands in the order of fixes, what is left out of it, and how an entry tells it."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.judging import move_steps
from netplan_planner.judging.fixes import answer
from netplan_planner.ledger.state import State
from netplan_planner.model import (
    Address,
    Change,
    ChangeKind,
    Estimate,
    Fix,
    Hit,
    Limit,
    LimitKind,
    PathClass,
    PlannedChange,
    ResourceRef,
    SelfLink,
    Severity,
)
from netplan_planner.renderers.content.phrases import relief
from netplan_planner.renderers.document import Command, Field, Table, plain
from netplan_planner.renderers.figures import shown
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import script_steps
from netplan_planner.verbs.audit.findings import entry as shown_entry
from netplan_rules.address.external_ip_intra_zone import check as intra_zone_address
from netplan_rules.base import Rule
from netplan_rules.placement.chatty_inter_region_pair import check as region_moves
from netplan_rules.placement.chatty_inter_zone_pair import check as zone_moves
from netplan_rules.registry import find_rule
from support.known import known
from support.listed import listed
from support.resources import resource
from support.rules.facts import facts_of, holding, machine
from support.rules.judged import hits_of, judged, paid


def found(rule: str, *, base: str = "medium", **more: Any) -> tuple[Rule, tuple[Hit, ...]]:
    """Return one hit of a rule, as the engine takes it; the rule's own checks are not asked."""
    kind = replace(find_rule(rule).rule, severity=Severity(base))
    link = SelfLink(f"projects/p/global/things/{rule}")
    given = {"fix": Fix(text="do it", label="it"), "message": "it is so", **more}
    return kind, (Hit(resources=(ResourceRef(self_link=link),), subject=rule, **given),)


def rate(gbps: float) -> Estimate:
    return Estimate(gbps=gbps, low_gbps=None, high_gbps=None)


def order_of(*kept: tuple[Rule, tuple[Hit, ...]]) -> list[str]:
    return [fix.rule for fix in answer(facts_of(machine("a")), kept).do_first]


LOSS, GAIN = {"lost": "packets dropped"}, {"throughput_now": rate(1), "throughput_fixed": rate(9)}


def test_losses_and_gains_stand_beside_dollars_by_severity() -> None:
    kept = (
        found("nat-idle", saving=paid("2000")),
        found("google-api-path", saving=paid("50")),
        found("nat-port-pressure", base="high", **LOSS),
        found("cni-on-wrong-nic", base="high", **GAIN),
        found("drops-at-saturation", **LOSS),
        found("vpn-tunnel-saturated", used_ratio=0.85),
    )
    # High: what is lost or full before dollars, and dollars before rates that no traffic needs.
    assert order_of(*kept) == [
        "nat-port-pressure",
        "vpn-tunnel-saturated",
        "nat-idle",
        "cni-on-wrong-nic",
        "drops-at-saturation",
        "google-api-path",
    ]


@listed(
    ("rule", "more"),
    [
        # Below medium.
        ("drops-at-saturation", {"base": "low", **LOSS}),
        ("cni-on-wrong-nic", {"base": "low", **GAIN}),
        # Within what two runs differ by.
        ("overlay-penalty", {"throughput_now": rate(0.91), "throughput_fixed": rate(0.94)}),
        # Traffic was looked at, and needs nothing more.
        ("cni-on-wrong-nic", {**GAIN, "used_ratio": 0.2}),
        ("vpn-between-own-vpcs", {**GAIN, "gib_per_month": Decimal(5)}),
        # It says where to look, and changes nothing.
        ("measured-below-model", GAIN),
        # A machine would be changed for it, by how much is not known.
        ("gvnic-missing", {"used_ratio": 0.95}),
        # Some room is left.
        ("vpn-tunnel-saturated", {"used_ratio": 0.79}),
    ],
)
def test_trifles_and_what_is_not_known_to_help_are_left_out(rule: str, more: Any) -> None:
    assert order_of(found(rule, **more)) == []


@pytest.mark.parametrize(("rates", "named"), [((2, 9), "b"), ((9, 9), "a"), ((9, 2), "a")])
def test_the_place_that_is_named_is_the_one_whose_rate_is_stated(
    rates: tuple[float, float], named: str
) -> None:
    kind, (one,) = found("vpn-tunnel-saturated", used_ratio=0.9, throughput_now=rate(1))
    kind = replace(kind, group_message="")
    # More money: a stands before b, as it did before rates were looked at.
    hits = tuple(
        replace(one, subject=name, throughput_fixed=rate(gbps), saving=paid(usd))
        for name, gbps, usd in zip("ab", rates, ("20", "10"), strict=True)
    )
    got = answer(facts_of(machine("a")), [(kind, hits)])
    (entry,), (finding,) = got.do_first, got.findings
    assert (entry.subject, entry.fixed and entry.fixed.gbps) == (named, max(rates))
    assert finding.subject == finding.members[0].subject == named
    assert finding.throughput_fixed == entry.fixed


def test_a_finding_that_waits_says_so_and_asks_for_nothing_now() -> None:
    kind, hits = found("nat-idle", saving=paid("2000"))
    (finding,) = answer(facts_of(machine("a")), [(kind, hits)]).findings
    fix = Fix(text="Delete it.", commands=("gcloud compute routers nats delete n",))
    held = replace(finding, is_held=True, overlap="wait for 336 h", fix=fix, rank=None)
    for severity in Severity:
        one = replace(held, severity=severity, marginal_usd_per_month=Decimal(0))
        blocks = list(shown_entry(one, 1, RenderOptions(), None))
        fields = {one.label: plain(one.line) for one in blocks if isinstance(one, Field)}
        assert fields["not yet"] == "wait for 336 h"
        assert fields["later"] == "Delete it."
        assert "fix" not in fields
        assert "wait" not in fields["saving"]
        assert not any(isinstance(block, Command) for block in blocks)


def test_what_ends_with_a_fix_is_told() -> None:
    kept = (
        found("nat-port-pressure", base="high", **LOSS),
        found("vpn-tunnel-saturated", used_ratio=0.85),
    )
    told = {fix.rule: fix for fix in answer(facts_of(machine("a")), kept).do_first}
    said = {rule: "".join(str(span.text) for span in relief(fix)) for rule, fix in told.items()}
    assert said == {
        "nat-port-pressure": "no more packets dropped",
        "vpn-tunnel-saturated": "raises a limit that is 85% used",
    }


def test_places_that_bring_nothing_any_more_are_told_from_the_others() -> None:
    """One of two moves of a pair is enough: the finding has both, the order one, named first."""
    facts = facts_of(
        machine("ant"),
        machine("bee", zone="us-central1-b"),
        talk=(("ant", "bee", PathClass.INTER_ZONE_INTERNAL, 1.0),),
    )
    (hit,) = hits_of(zone_moves, facts)
    back = ResourceRef(self_link=hit.resources[1].self_link), hit.resources[0]
    where = {m.ref.self_link: m.zone for m in facts.inventory.instances}
    turned = replace(
        hit,
        resources=back,
        subject="turned",
        change=replace(known(hit.change), target=back[0].self_link, to=where[back[1].self_link]),
    )
    found = answer(facts, [(zone_moves.rule, (turned, hit))])
    (fix,) = found.do_first
    (finding,) = found.findings
    assert (fix.place_count, fix.finding_place_count) == (1, 2)
    assert [change.place for change in fix.changes] == [finding.members[0].fingerprint]
    assert finding.subject == finding.members[0].subject
    assert fix.subject == "bee (us-central1-b → us-central1-a, to ant)"
    options = RenderOptions(verbosity=1)
    titles = [
        [column.title for column in block.columns]
        for block in shown_entry(finding, 1, options, fix)
        if isinstance(block, Table)
    ]
    assert titles
    assert all("in this order" in one for one in titles)


def test_two_findings_of_one_change_are_one_entry_and_say_so() -> None:
    """A path to an external address that another rule finds as well: one change, two reasons."""
    facts = facts_of(
        machine("a"), machine("b"), talk=(("a", "b", PathClass.SAME_ZONE_EXTERNAL, 1.0),)
    )
    hits = hits_of(intra_zone_address, facts)
    first, other = intra_zone_address.rule, find_rule("nat-carries-internal").rule
    found = answer(facts, [(first, hits), (other, hits)])
    (entry_of,) = found.do_first
    same = next(one for one in found.findings if one.fingerprint != entry_of.finding)
    assert same.same_as == entry_of.finding
    assert (same.rank, same.marginal_usd_per_month) == (None, Decimal(0))
    assert same.saving_usd_per_month == entry_of.saving_usd_per_month


def test_a_move_says_which_reserved_address_it_leaves_behind() -> None:
    plain = machine("pear", zone="asia-southeast1-a")
    nic = replace(plain.interfaces[0], external_ipv4="34.1.2.3")
    facts = facts_of(
        machine("apple", labels=(("netplan-pin", ""),)),
        replace(plain, interfaces=(nic,)),
        talk=(("pear", "apple", PathClass.INTER_REGION_INTERNAL, 5.0),),
    )
    link = SelfLink("projects/p/regions/asia-southeast1/addresses/pear-ip")
    held = resource(Address, link, address="34.1.2.3", is_external=True, status="IN_USE")
    facts = holding(facts, addresses=(held,))
    ((planned,),) = (fix.changes for fix in judged(facts, region_moves).do_first)
    assert planned.fix is not None
    assert any("machine-images create" in command for command in planned.fix.commands)
    # They are there: nobody has to ask for them.
    assert "netplan whatif" not in planned.fix.text
    assert "pear-ip" in known(planned.fix.clean_up).text


@listed("name", ["pear", "plum"])
def test_a_move_to_where_its_name_is_taken_has_no_commands(name: str) -> None:
    moved, there = machine("pear", zone="us-central1-a"), machine(name, zone="us-central1-b")
    change = Change(kind=ChangeKind.ZONE, target=moved.ref.self_link, to=there.zone)
    told = Fix(text="move it", label="a move")
    fix = move_steps.with_move(told, change, State(facts_of(moved, there)))
    assert bool(fix.commands) is (name != moved.name)


@pytest.mark.parametrize(
    ("kind", "to", "said"),
    [
        (ChangeKind.ZONE, "us-central1-b", "create pear-from-us-central1-a --zone=us-central1-b"),
        (ChangeKind.TIER_1, "n2-standard-32", "--machine-type=n2-standard-32"),
        (ChangeKind.NO_TIER_1, None, "total-egress-bandwidth-tier=DEFAULT"),
        (ChangeKind.SPOT, None, "--provisioning-model=SPOT"),
        (ChangeKind.MORE_FLOWS, None, ""),
    ],
)
def test_the_last_change_may_rename_a_machine(kind: ChangeKind, to: str | None, said: str) -> None:
    moved, there = machine("pear", zone="us-central1-a"), machine("pear", zone="us-central1-b")
    change = Change(kind=kind, target=moved.ref.self_link, to=to)
    told = Fix(text="do it", label="it", caution="Be there.")
    fix = move_steps.under_new_name(told, change, State(facts_of(moved, there)))
    assert (fix is None) is (not said)
    if fix is not None:
        assert any(said in command for command in fix.commands)
        assert shown(fix.caution).startswith("Be there. ")
        assert fix.undo is not None
    made = replace(moved, created_by=SelfLink("projects/p/zones/z/instanceGroupManagers/g"))
    if kind is not ChangeKind.ZONE:
        assert move_steps.under_new_name(told, change, State(facts_of(made, there))) is None


@pytest.mark.parametrize(
    ("later", "is_written"),
    [
        ({}, True),
        ({"target": "plum"}, True),
        ({"target": "pear"}, False),
        ({"target": "plum", "destination": "pear"}, False),
        ({"commands": ("gcloud compute instances stop pear --zone=us-central1-a",)}, False),
        ({"commands": ("gcloud compute instances stop pear-2 --zone=us-central1-a",)}, True),
    ],
)
def test_no_change_names_a_renamed_machine(later: dict[str, Any], is_written: bool) -> None:
    def link(name: str) -> SelfLink:
        return SelfLink(f"projects/p/zones/us-central1-a/instances/{name}")

    def of(change: Change | None, *commands: str) -> PlannedChange:
        fix = Fix(text="it", commands=commands)
        return PlannedChange(
            subject="", place="", change=change, saving_usd_per_month=None, fix=fix
        )

    first = of(Change(kind=ChangeKind.TIER_1, target=link("pear"), to="n2-standard-32"))
    after = None
    if "target" in later:
        there = link(later["destination"]) if "destination" in later else None
        kind = ChangeKind.INTERNAL_ADDRESS if there else ChangeKind.SPOT
        after = Change(kind=kind, target=link(later["target"]), destination=there)
    second = (of(after, *later.get("commands", ())),) if later else ()
    written = Fix(text="it", commands=("made",))
    renaming = move_steps.Renaming("one", 0, written, frozenset({"pear"}))
    found = move_steps.with_last_changes({"one": (first,), "two": second}, [renaming])
    assert (found["one"][0].fix == written) is is_written
    assert found["two"] == second


@pytest.mark.parametrize(
    ("named", "is_partial"), [("a", True), ("a b", False), ("a --with=b", True), ("", True)]
)
def test_a_step_without_all_its_machines_is_partial(named: str, is_partial: bool) -> None:
    links = tuple(SelfLink(f"projects/p/zones/us-central1-a/instances/{name}") for name in "ab")
    change = Change(kind=ChangeKind.SPOT, target=links[0], members=links)
    fix = Fix(text="do it", commands=(f"gcloud compute instances stop {named}",))
    changes = (
        PlannedChange(subject="a", place="", change=change, saving_usd_per_month=None, fix=fix),
    )
    (entry,) = answer(facts_of(machine("a")), (found("nat-idle", saving=paid("2000")),)).do_first
    (step,) = script_steps([replace(entry, changes=changes)])
    assert (step.number, step.fix, step.is_partial) == (1, fix, is_partial)
    router = replace(changes[0], change=replace(change, target=SelfLink("routers/r"), members=()))
    (step,) = script_steps([replace(entry, changes=(router,))])
    assert not step.is_partial


@pytest.mark.parametrize(
    ("limit", "rates"), [("external-egress", (7, 21.024)), ("vm-egress", (32, 50))]
)
def test_a_limit_is_lifted_on_its_own_path(limit: str, rates: tuple[float, float]) -> None:
    facts = facts_of(
        machine("a", "n2-standard-32"),
        machine("b"),
        machine("c"),
        talk=(
            ("a", "b", PathClass.SAME_ZONE_INTERNAL, 12.0),
            ("a", "c", PathClass.SAME_ZONE_EXTERNAL, 6.9),
        ),
    )
    hit = found(
        "external-cap-saturated",
        base="high",
        used_ratio=0.98,
        limit=Limit(
            name=limit, gbps=7, kind=LimitKind.DOCUMENTED, source="a page", as_of=date(2026, 4, 2)
        ),
        change=Change(
            kind=ChangeKind.TIER_1, target=SelfLink("projects/p/zones/us-central1-a/instances/a")
        ),
        **GAIN,
    )
    (entry,) = answer(facts, (hit,)).do_first
    # What the receiver takes from outside is less than the 25 Gbit/s of Tier_1.
    assert (known(entry.now).gbps, known(entry.fixed).gbps) == rates
