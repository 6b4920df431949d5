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
from netplan_rules.address.external_ip_intra_zone import check as intra_zone_address
from netplan_rules.base import Check
from netplan_rules.capacity.egress_cap_saturated import check as saturated
from netplan_rules.capacity.tier1_missing import check as tier1_missing
from support.known import known
from support.rules.facts import facts_of, machine
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
    assert f"change together: {4 - stopped} machines" in shown(known(whole.fix).caution)
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
    assert shown(whole.fix.caution).startswith(
        "Not before this is looked at: 2 other machines of its"
    )
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
        assert whole.saving.unknown == "1 other machine of its group may need the type of today"
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
    assert ("started again" in hit.confidence_reason) == is_later
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
