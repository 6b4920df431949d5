"""How grave a limit in use is: by the time of a day, by the type of the time, by what is sure."""

import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fixes import Answer, answer
from netplan_planner.model.report_rows import Filtered
from netplan_planner.renderers.figures import shown
from netplan_planner.units import bytes_from_gbps
from netplan_planner.verbs.audit.ask import AuditAsk, Gate
from netplan_planner.verbs.audit.run import ended
from netplan_rules.capacity.egress_cap_saturated import check as saturated
from netplan_rules.placement.chatty_inter_zone_pair import check as moves
from netplan_rules.price.idle_external_address import check as idle_addresses
from netplan_rules.registry import find_rule
from support.known import known
from support.reports.made import empty_report
from support.rules.facts import facts_of, machine
from support.rules.fixtures import FIXTURES
from support.rules.fixtures import facts_of as facts_of_case
from support.rules.hits import BAD_CASES, judged_case
from support.rules.judged import hits_of, judged

CAP_GBPS = 16.0
PATH = model.PathClass.SAME_ZONE_INTERNAL


def bursts(full_minutes: int, minutes: int) -> model.Series:
    """Return the rates of a machine that is at 99 % of its cap for some minutes, and idle else."""

    def at(share: float) -> float:
        return 0.99 * CAP_GBPS if full_minutes > (1 - share) * minutes else 0.0

    return model.Series(
        p50_gbps=at(0.5),
        p95_gbps=at(0.95),
        p99_gbps=at(0.99),
        max_gbps=0.99 * CAP_GBPS,
        byte_count=int(bytes_from_gbps(0.99 * CAP_GBPS, 60 * full_minutes)),
        active_minutes=full_minutes,
        top_gbps=(0.99 * CAP_GBPS,) * min(full_minutes, 10),
    )


def at_cap(full_minutes: int, minutes: int, **app: object) -> model.Facts:
    """Return facts of a window in which `app` is so long at its cap."""
    facts = facts_of(
        replace(machine("app"), **app),
        machine("db", "n2-standard-32"),
        talk=(("app", "db", PATH, 1.0),),
    )
    traffic = known(facts.traffic)
    sender = known(traffic.vm_by_link.get(facts.inventory.instances[0].ref.self_link))
    vms = tuple(
        replace(one, egress=bursts(full_minutes, minutes)) if one is sender else one
        for one in traffic.vms
    )
    end = traffic.start + timedelta(minutes=minutes)
    return replace(facts, traffic=replace(traffic, vms=vms, observed_minutes=minutes, end=end))


@pytest.mark.parametrize(
    ("full_minutes", "minutes", "expected"),
    [
        (3, 1440, "medium"),
        (30, 1440, "medium"),
        (60, 1440, "medium"),
        (90, 1440, "high"),
        (1440, 1440, "high"),
        (90, 7 * 1440, "medium"),
        (7 * 90, 7 * 1440, "high"),
        (60, 60, "high"),
        (30, 60, "medium"),
        (30, 30, "medium"),
        (240, 360, "high"),
    ],
)
def test_a_limit_in_use_for_less_than_an_hour_a_day_is_medium(
    full_minutes: int, minutes: int, expected: str
) -> None:
    found = judged(at_cap(full_minutes, minutes), saturated)
    (finding,) = found.findings
    assert finding.severity.value == expected
    assert ("less than an hour per day" in shown(finding.severity_reason)) == (expected == "medium")
    assert [fix.rule for fix in found.do_first] == [saturated.rule.id], "it is worth doing"


def test_the_type_of_today_is_not_the_type_of_the_time() -> None:
    facts = at_cap(1440, 1440)
    end = known(facts.traffic).end
    for hours, expected in ((-48, "high"), (1, "medium")):
        restarted = at_cap(1440, 1440, last_started=end + timedelta(hours=hours))
        (finding,) = judged(restarted, saturated).findings
        assert finding.severity.value == expected
        assert ("possibly as another type" in shown(finding.severity_reason)) == (hours > 0)


def test_a_brief_limit_ranks_behind_money_that_is_high() -> None:
    (hit,) = hits_of(saturated, at_cap(30, 1440))
    (longer,) = hits_of(saturated, at_cap(1440, 1440))
    rich = model.Hit(
        resources=(),
        subject="rich",
        message="rich",
        saving=replace(hit.saving, items=tuple(map(model.negated, hit.saving.items * 10))),
    )
    for one, first in ((hit, "rich"), (longer, longer.subject)):
        order = answer(
            at_cap(30, 1440),
            [(saturated.rule, (one,)), (find_rule("nat-idle").rule, (rich,))],
        ).do_first
        assert order[0].subject == first


def test_severity_rests_on_the_least_that_a_month_can_have() -> None:
    facts = facts_of(
        machine("a"),
        machine("b", zone="us-central1-b"),
        talk=(("a", "b", model.PathClass.INTER_ZONE_INTERNAL, 1.0),),
    )
    whole = replace(facts, traffic=replace(known(facts.traffic), is_steady=True))
    (sure,), (open_,) = judged(whole, moves).findings, judged(facts, moves).findings
    assert (sure.severity.value, open_.severity.value) == ("high", "medium")
    assert sure.saving_usd_per_month == open_.saving_usd_per_month
    assert known(open_.marginal_low_usd_per_month) == known(open_.marginal_usd_per_month) / 24
    assert (sure.marginal_low_usd_per_month, sure.marginal_high_usd_per_month) == (None, None)
    assert shown(open_.severity_reason).startswith("saves at least $1")


def _case(rule: str, case: str, folder: Path) -> tuple[model.Facts, tuple[model.Hit, ...]]:
    found = json.loads((FIXTURES / rule / f"{case}.json").read_text(encoding="utf-8"))
    return facts_of_case(found, folder), judged_case(rule, case).hits


@pytest.mark.parametrize(("rule", "case"), BAD_CASES)
def test_no_rule_is_high_where_it_is_unsure_nor_graver_without_a_price(
    rule: str, case: str, tmp_path: Path
) -> None:
    """One world a rule, judged as it is, with low confidence, and without any price."""
    facts, hits = _case(rule, case, tmp_path)

    def found(changed: tuple[model.Hit, ...]) -> Answer:
        return answer(facts, [(find_rule(rule).rule, changed)])

    low = found(tuple(replace(one, at_most=model.Confidence.LOW) for one in hits))
    assert all(one.confidence is model.Confidence.LOW for one in low.findings)
    assert all(one.severity is not model.Severity.HIGH for one in low.findings)
    assert not any(fix.is_sure for fix in low.do_first)
    is_priced = model.Need.PRICES in find_rule(rule).rule.needs
    unknown = model.Saving(unknown="no price")
    unpriced = found(
        tuple(
            replace(one, saving=unknown, change=None if is_priced else one.change)
            if one.saving.items and (is_priced or one.change is not None)
            else one
            for one in hits
        )
    )
    known_rank = {one.fingerprint: one.severity.rank for one in found(hits).findings}
    for one in unpriced.findings:
        assert one.severity.rank >= known_rank[one.fingerprint], one.severity_reason


def test_an_address_without_a_price_is_no_graver_than_one_with() -> None:
    link = model.SelfLink("projects/p/regions/us-central1/addresses/x")
    address = model.Address(
        ref=model.ResourceRef(self_link=link),
        project=model.ProjectId("p"),
        name="x",
        address="34.1.2.3",
        is_external=True,
        region=model.Region("us-central1"),
        status="RESERVED",
    )
    facts = facts_of(machine("a"))
    for literal in ("34.1.2.3", "2600:1901::"):
        held = replace(facts.inventory, addresses=(replace(address, address=literal),))
        (finding,) = judged(replace(facts, inventory=held), idle_addresses).findings
        assert finding.severity is model.Severity.INFO
    assert shown(finding.severity_reason) == "the saving is unknown"
    assert finding.saving_usd_per_month is None


def test_a_group_is_counted_by_who_is_at_fault_and_by_what_changes() -> None:
    link = model.SelfLink("projects/p/zones/us-central1-a/instanceGroupManagers/web")
    group = [replace(machine(f"web-{at}"), created_by=link) for at in range(10)]
    facts = facts_of(
        *group,
        machine("sink", "n2-standard-32"),
        talk=(("web-0", "sink", PATH, CAP_GBPS), ("web-1", "sink", PATH, CAP_GBPS)),
    )
    (finding,) = judged(facts, saturated).findings
    assert shown(finding.message).startswith("2 VMs ")
    assert shown(finding.message).endswith(" Fix: 1 group template, 10 VMs.")
    assert finding.saving_usd_per_month != Decimal(0)
    assert len(finding.changes[0].targets) == len(group)


def test_what_is_filtered_from_sight_and_unsure_stops_nothing() -> None:
    facts = at_cap(1440, 1440)
    (hit,) = hits_of(saturated, facts)
    for at_most, stops in ((model.Confidence.HIGH, True), (model.Confidence.LOW, False)):
        found = answer(facts, [(saturated.rule, (replace(hit, at_most=at_most),))])
        (finding,) = found.findings
        hidden = model.taken(Filtered, finding, severity=finding.severity.value, why="--min-saving")
        assert hidden.confidence is at_most
        report = replace(empty_report(), findings=(), filtered=(hidden,))
        assert ended(AuditAsk(gate=Gate(fail_on=model.Level.MEDIUM)), report) is not stops
