"""What changes the type of one machine of a group changes and costs all of it."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fix_sets import options_of
from netplan_planner.judging.fixes import answer, with_whole_groups
from netplan_planner.ledger import Ledger
from netplan_planner.renderers.figures import shown
from netplan_planner.throughput import instance_end, predict, sending_query, type_end
from netplan_planner.verbs.audit.answer import script_steps
from netplan_rules.address.external_ip_intra_zone import check as intra_zone_address
from netplan_rules.base import Check
from netplan_rules.capacity.egress_cap_saturated import RULE as SATURATED
from netplan_rules.capacity.egress_cap_saturated import check as saturated
from netplan_rules.capacity.external_cap_saturated import RULE as OUTSIDE
from netplan_rules.capacity.tier1_missing import check as tier1_missing
from support.commands.gcloud import faults_of
from support.known import known
from support.rules.facts import facts_of, holding, machine
from support.rules.judged import hits_of, judged

CHEAPER = model.LineItem(
    name="a type",
    quantity=Decimal(1),
    unit="month",
    unit_price_usd=Decimal(50),
    usd_per_month=Decimal(50),
    as_of=date(2026, 1, 1),
    source="a page",
)
GROUP = model.SelfLink("projects/p/zones/us-central1-a/instanceGroupManagers/web")


def of_group(name: str, machine_type: str = "e2-standard-8") -> model.Instance:
    return replace(machine(name, machine_type), created_by=GROUP)


def busy(*machines: model.Instance, gbps: float = 16.0) -> model.Facts:
    """Return facts in which the first machine sends to another."""
    talk = (machines[0].name, "sink", model.PathClass.SAME_ZONE_INTERNAL, gbps)
    return facts_of(*machines, machine("sink", "n2-standard-32"), talk=(talk,))


def price(facts: model.Facts, one: model.Instance, machine_type: str) -> Decimal:
    there = replace(one, machine_type=machine_type)
    return model.total_usd(facts.machines.cost_today(there, model.usage_of(there)))


@pytest.mark.parametrize("stopped", [0, 1])
def test_a_larger_type_for_one_is_paid_for_all_of_its_group_that_runs(stopped: int) -> None:
    idle = [of_group(f"web-{at}") for at in range(1, 4)]
    idle[:stopped] = [replace(one, status="TERMINATED") for one in idle[:stopped]]
    facts = busy(of_group("web-0"), *idle)
    (hit,) = hits_of(saturated, facts)
    (whole,) = with_whole_groups(facts, (hit,))
    assert len(known(whole.change).targets) == 4 - stopped
    new, old = (
        price(facts, idle[-1], kind) for kind in (known(hit.change).to or "", "e2-standard-8")
    )
    assert whole.saving_usd_per_month == (4 - stopped) * (old - new)
    assert f"change together: {4 - stopped} VMs" in shown(known(whole.fix).caution)
    (option,) = options_of([("key", whole)])
    assert option.saving_usd_per_month == whole.saving_usd_per_month
    entries = judged(facts, saturated).do_first
    assert [one.saving_usd_per_month for one in entries] == [whole.saving_usd_per_month]


def test_a_cheaper_type_that_lifts_one_waits_for_a_look_at_the_others() -> None:
    facts = busy(*(of_group(f"web-{at}", "n2-standard-8") for at in range(3)))
    (hit,) = hits_of(saturated, facts)
    (whole,) = with_whole_groups(facts, (replace(hit, saving=model.Saving(items=(CHEAPER,))),))
    assert (whole.change, whole.throughput_fixed) == (None, None)
    assert whole.fix is not None
    assert shown(whole.fix.caution).startswith("Check first: 2 other VMs of its")
    # What nobody can carry out is no entry of the order.
    kind = replace(saturated.rule, group_message="")
    assert (
        answer(facts, [(kind, (replace(hit, saving=model.Saving(items=(CHEAPER,))),))]).do_first
        == ()
    )


def test_each_machine_is_changed_once_where_several_ask_for_it() -> None:
    group = [of_group(f"web-{at}") for at in range(3)]
    alone = machine("alone", "e2-standard-8")
    facts = facts_of(
        *group,
        alone,
        machine("sink", "n2-standard-32"),
        talk=tuple(
            (name, "sink", model.PathClass.SAME_ZONE_INTERNAL, 16.0)
            for name in ("web-0", "web-1", "alone")
        ),
    )
    hits = with_whole_groups(facts, hits_of(saturated, facts))
    targets = [link for hit in hits if hit.change for link in hit.change.targets]
    assert sorted(targets) == sorted(one.ref.self_link for one in (*group, alone))


def saving_hit(one: model.Instance, facts: model.Facts) -> model.Hit:
    """Return a hit that gives a machine a type that costs less."""
    (hit,) = hits_of(saturated, busy(machine("pear", "e2-standard-8")))
    change = replace(known(hit.change), target=one.ref.self_link, to="e2-standard-2")
    saving = Ledger(facts).value(change).saving
    assert model.total_usd(saving.items) > 0
    return replace(hit, resources=(one.ref,), change=change, saving=saving)


@pytest.mark.parametrize("judged_count", [2, 3])
def test_a_group_saves_only_where_all_was_judged(judged_count: int) -> None:
    group = [of_group(f"web-{at}") for at in range(3)]
    facts = facts_of(*group)
    hits = tuple(saving_hit(one, facts) for one in group[:judged_count])
    (whole,) = with_whole_groups(facts, hits)
    if judged_count < 3:
        assert whole.change is None
        assert whole.saving.unknown == "1 other VM of its group may need today's type"
        return
    assert len(known(whole.change).targets) == 3
    assert whole.saving_usd_per_month == sum(hit.saving_usd_per_month or 0 for hit in hits)


def hit_at(checks: Check, facts: model.Facts) -> model.Hit:
    return next(hit for hit in hits_of(checks, facts) if hit.subject.startswith("pear"))


@pytest.mark.parametrize(
    ("check", "machine_type", "path", "gbps"),
    [
        (tier1_missing, "n2-standard-32", model.PathClass.SAME_ZONE_INTERNAL, 32.0),
        (saturated, "n2-standard-8", model.PathClass.SAME_ZONE_INTERNAL, 16.0),
        (intra_zone_address, "n2-standard-8", model.PathClass.SAME_ZONE_EXTERNAL, 6.9),
    ],
)
@pytest.mark.parametrize("hours", [-1, 1])
def test_nothing_is_sure_of_a_machine_that_was_started_after_its_traffic(
    check: Check, machine_type: str, path: model.PathClass, gbps: float, hours: int
) -> None:
    pear, sink = machine("pear", machine_type), machine("sink", "n2-standard-32")
    talk = (("pear", "sink", path, gbps),)
    facts = facts_of(pear, sink, talk=talk)
    started = known(facts.traffic).end + timedelta(hours=hours)
    facts = facts_of(replace(pear, last_started=started), sink, talk=talk)
    is_later = hours > 0
    hit = hit_at(check, facts)
    assert ("restarted" in hit.confidence_reason) == is_later
    assert not (is_later and hit.confidence is model.Confidence.HIGH)


def test_tier_1_may_come_with_another_type() -> None:
    facts = facts_of(machine("pear", "n2-standard-16"))
    link = model.SelfLink("projects/p/zones/us-central1-a/instances/pear")
    change = model.Change(kind=model.ChangeKind.TIER_1, target=link, to="n2-standard-32")
    larger = replace(change, kind=model.ChangeKind.MACHINE_TYPE)
    ledger = Ledger(facts)
    worth = [ledger.value(one).usd for one in (change, larger)]
    assert None not in worth
    ledger.make(larger)
    only = ledger.value(replace(change, to=None)).usd
    assert (only or 0) < 0
    assert worth[0] == (worth[1] or 0) + (only or 0)


MANAGED = model.InstanceGroup(
    ref=model.ResourceRef(self_link=GROUP),
    project=model.ProjectId("p"),
    name="web",
    is_managed=True,
    is_regional=False,
    location="us-central1-a",
    template=model.SelfLink("projects/p/global/instanceTemplates/web-1"),
)


def fix_of(facts: model.Facts, check: Check = saturated) -> model.Fix:
    (whole,) = with_whole_groups(facts, hits_of(check, facts))
    return known(whole.fix)


def test_a_group_gets_its_template_by_commands() -> None:
    facts = holding(busy(of_group("web-0"), of_group("web-1")), instance_groups=(MANAGED,))
    fix = fix_of(facts)
    to = known(known(hits_of(saturated, facts)[0].change).to)
    managed = "gcloud compute instance-groups managed"
    where = "--zone=us-central1-a --project=p"
    assert fix.commands == (
        f"gcloud compute instance-templates create web-{to} --project=p --source-instance=web-0"
        f" --source-instance-zone=us-central1-a --machine-type={to}",
        f"{managed} rolling-action start-update web {where} --version=template=web-{to}"
        " --max-unavailable=0",
        f"{managed} wait-until web {where} --version-target-reached",
    )
    assert all(faults_of(one) == [] for one in fix.commands)
    assert known(fix.undo).commands[0].endswith("--version=template=web-1 --max-unavailable=0")
    assert "create the template" in fix.text
    # The plan's script has them as well.
    (step,) = script_steps(judged(facts, saturated).do_first)
    assert step.fix is not None
    assert step.fix.commands == fix.commands


def test_what_gcloud_cannot_copy_is_said_in_words() -> None:
    facts = busy(of_group("web-0", "n2-standard-32"), gbps=40.0)
    facts = holding(facts, instance_groups=(MANAGED,))
    fix = fix_of(facts, tier1_missing)
    assert fix.commands == ()
    assert "first create the template web-n2-standard-32, like web-1 except for that" in fix.text
    unread = fix_of(busy(of_group("web-0"), of_group("web-1")))
    assert unread.commands == ()
    assert "Its group is not in the inventory, so there are no commands" in shown(unread.caution)


def test_of_a_group_that_keeps_state_no_commands_are_written() -> None:
    stateful = replace(MANAGED, is_stateful=True)
    facts = holding(busy(of_group("web-0"), of_group("web-1")), instance_groups=(stateful,))
    fix = fix_of(facts)
    assert fix.commands == ()
    assert "The group is stateful" in shown(fix.caution)


def outside(facts: model.Facts, hit: model.Hit, machine_type: str) -> model.Hit:
    """Return the hit of another machine of the group whose limit to outside addresses is full."""
    (one,) = (one for one in facts.inventory.instances if one.name == "web-1")
    now, fixed = (
        predict(sending_query(model.PathClass.INTERNET, end), facts.caps)
        for end in (instance_end(one), type_end(machine_type, is_tier1=True, beside=one))
    )
    change = replace(known(hit.change), kind=model.ChangeKind.TIER_1, to=machine_type)
    targets = known(hit.change).targets
    return replace(
        hit,
        resources=(one.ref,),
        subject=one.name,
        limit=now.binding,
        throughput_now=now,
        throughput_fixed=fixed,
        change=replace(change, target=one.ref.self_link, members=targets[::-1]),
        saving=Ledger(facts).value(change).saving,
    )


def test_a_group_gets_the_one_template_that_lifts_both_limits() -> None:
    facts = busy(*(of_group(f"web-{at}", "n2-standard-8") for at in range(2)))
    (hit,) = hits_of(saturated, facts)
    (whole,) = with_whole_groups(facts, (hit,))
    assert known(whole.change).to != "n2-highcpu-32"
    other = outside(facts, whole, "n2-highcpu-32")
    found = answer(facts, [(SATURATED, (whole,)), (OUTSIDE, (other,))])
    (first,) = found.do_first
    assert {change.change.to for change in first.changes if change.change} == {"n2-highcpu-32"}
    (same,) = [one for one in found.findings if one.fingerprint != first.finding]
    assert same.same_as == first.finding
    assert known(known(same.throughput_fixed).gbps) == 50


def test_a_limit_that_the_first_template_leaves_is_not_high() -> None:
    facts = busy(*(of_group(f"web-{at}", "n2-standard-8") for at in range(2)))
    (hit,) = hits_of(saturated, facts)
    (whole,) = with_whole_groups(facts, (hit,))
    # A type that sends no more inside than today: neither fits both.
    other = outside(facts, whole, "n2-standard-8")
    fixed = replace(known(other.throughput_fixed), gbps=20.0)
    other = replace(other, throughput_fixed=fixed, change=replace(known(other.change), to=""))
    found = answer(facts, [(SATURATED, (whole,)), (OUTSIDE, (other,))])
    ranks = {one.rule: (one.severity, one.rank) for one in found.findings}
    assert len(found.do_first) == 1
    late = next(one for one in found.findings if one.rank is None)
    assert late.severity is not model.Severity.HIGH, ranks
    assert "another fix decides the template" in shown(late.severity_reason)
