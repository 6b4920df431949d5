import re
from collections.abc import Callable

import msgspec
import pytest
from rich.cells import cell_len

from netplan_planner.model import Infeasible, Severity, Unread
from netplan_planner.renderers import ColourMode, RenderOptions
from netplan_planner.renderers.content import job_plans, plans
from netplan_planner.renderers.terminal import layout, render
from netplan_planner.verbs.audit.answer import Report
from support.known import known
from support.reports import made as reports

Golden = Callable[[str, str], None]
GECKO, EMPTY = reports.gecko_report(), reports.empty_report()
FIRST = GECKO.findings[0]
replace = msgspec.structs.replace
PLAIN = RenderOptions(width=100, rules=reports.RULES)
COMMAND = re.compile(r"\s*gcloud ")


def with_options(**changes: object) -> RenderOptions:
    return replace(PLAIN, **changes)


GOLDENS: dict[str, tuple[Report, dict[str, object]]] = {
    **{f"gecko-{width}": (GECKO, {"width": width}) for width in (40, 50, 80, 100, 120)},
    "gecko-colour": (GECKO, {"colour": ColourMode.ALWAYS}),
    "gecko-explained": (GECKO, {"verbosity": 1}),
    "empty": (EMPTY, {}),
    "without-traffic": (reports.report_without_traffic(), {}),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(golden: Golden, name: str) -> None:
    report, options = GOLDENS[name]
    golden(f"{name}.txt", render(report, with_options(**options)))


def explained(*names: str, **options: object) -> dict[str, object]:
    return {"explain": names, **options}


def unsure(report: Report) -> Report:
    """Return a report whose last fix is little sure."""
    *sure, last = report.do_first
    return replace(report, do_first=(*sure, replace(last, is_sure=False)))


RAISED = replace(FIRST, marginal_usd_per_month=known(FIRST.saving_usd_per_month) + 17, overlap="")
"""Steps of a price that others no longer reach: it saves more, and overlaps with nothing."""
SAID: dict[str, tuple[Report, dict[str, object], tuple[str, ...], tuple[str, ...]]] = {
    "a finding is explained beyond the limit": (
        GECKO,
        explained("needless-external-address", max_findings=1),
        ("4. LOW needless-external-address", "and 2 more findings"),
        (),
    ),
    "what found nothing says why": (
        GECKO,
        explained("vpc-mtu-mismatch", "idle-external-address", "placement", "nic", width=120),
        (
            "Nothing to explain for vpc-mtu-mismatch: it was skipped: only one",
            "Nothing to explain for idle-external-address: its findings are suppressed",
            "Nothing to explain for placement: no rule or area has this name",
        ),
        ("Nothing to explain for nic",),
    ),
    "a thousand members are one short finding": (
        reports.crowded_report(1, 1000),
        {},
        ("and 999 more", "vm-00002", "and 997 more resources"),
        ("vm-00003",),
    ),
    "findings left out are counted with their money": (
        reports.crowded_report(100),
        {"max_findings": 10},
        ("10. HIGH", "and 90 more findings (15 high, 25 medium, 25 low, 25 info, saves $135.00"),
        ("11. HIGH",),
    ),
    "all findings": (reports.crowded_report(100), {"max_findings": 0}, ("100. INFO",), ()),
    "no traffic is not no fault": (
        replace(reports.report_without_traffic(), findings=()),
        {},
        ("traffic is missing",),
        ("No findings.",),
    ),
    "no fault": (EMPTY, {}, ("No findings.",), ()),
    "no finding with gaps is not a clean report": (
        replace(EMPTY, not_evaluated=GECKO.not_evaluated),
        {},
        ("3 rules were skipped. See below",),
        ("All rules were checked",),
    ),
    "no finding because all are hidden": (
        replace(EMPTY, suppressed=GECKO.suppressed),
        {},
        ("1 finding is suppressed or filtered out",),
        ("No findings.",),
    ),
    "a saving is said beside the saving alone": (
        replace(GECKO, findings=(RAISED,)),
        {},
        ("$643.07/month alone. In this order: saves $660.07",),
        (),
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_it_says(name: str) -> None:
    report, options, said, silent = SAID[name]
    text = " ".join(render(report, with_options(**options)).split())
    assert [words for words in said if words not in text] == []
    assert [words for words in silent if words in text] == []


def test_one_rule_or_area_is_explained_and_a_crowd_is_cut_short() -> None:
    by_rule, by_area, every = (
        render(GECKO, with_options(explain=(name,)))
        for name in ("egress-cap-saturated", "capacity", "all")
    )
    assert [text.count("   why ") for text in (by_rule, by_area, every)] == [1, 1, 4]
    assert "documented: docs.cloud.google.com" in " ".join(by_rule.split())
    assert len(render(reports.crowded_report(1, 1000), PLAIN).splitlines()) < 126


def test_one_fix_that_is_enough_is_not_called_both() -> None:
    whole = GECKO.fix_sets[0]
    enough = replace(whole, joint=whole.singles[0], worth="one is enough")
    text = render(replace(GECKO, fix_sets=(enough,)), PLAIN)
    assert "one is enough" in text
    assert "both" not in text.partition("Findings")[0]


@pytest.mark.parametrize(("report", "is_said"), [(GECKO, False), (unsure(GECKO), True)])
def test_the_order_says_which_fix_is_little_sure(report: Report, is_said: bool) -> None:
    text = " ".join(render(report, PLAIN).split())
    order, _, rest = text.partition("Findings:")
    assert ("Low confidence, not in totals" in order) is is_said
    usd = known(report.do_first[-1].saving_usd_per_month)
    assert (f"low confidence: cost up to ${-usd:,.2f}/month" in rest) is is_said


@pytest.mark.parametrize("width", [24, 40, 64, 99, 200])
def test_only_commands_are_wider_than_the_terminal(width: int) -> None:
    text = render(GECKO, with_options(width=width, verbosity=1))
    too_wide = [line for line in text.splitlines() if cell_len(line) > width]
    # Places of records are whole, so that they can be copied.
    coverage = GECKO.coverage
    read = known(coverage.traffic)
    places = [bad.source for bad in read.examples] + [one.source for one in coverage.unread]
    assert all(COMMAND.match(ln) or any(place in ln for place in places) for ln in too_wide)


def test_commands_stand_whole_on_lines_of_their_own() -> None:
    lines = {line.strip() for line in render(GECKO, PLAIN).splitlines()}
    fixes = [f.fix for f in GECKO.findings[:3] if f.fix]
    after = [step for fix in fixes for step in (fix.verify, fix.clean_up, fix.undo) if step]
    commands = [c for fix in fixes for c in fix.commands]
    commands += [c for step in after for c in step.commands]
    assert len(commands) == 4
    assert set(commands) <= lines


def test_little_at_stake_takes_few_lines() -> None:
    text = render(GECKO, PLAIN)
    (short,) = [part for part in text.split("\n\n") if "LOW needless-external-address" in part]
    assert len(short.splitlines()) <= 5
    assert (
        "Low and info findings are shortened (all steps and resources: --explain RULE)."
        in " ".join(text.split())
    )
    long = render(GECKO, with_options(explain=("needless-external-address",)))
    assert "gcloud compute addresses delete spare" in long


def test_colours_change_no_letter() -> None:
    coloured = render(GECKO, with_options(colour=ColourMode.ALWAYS))
    assert "\x1b[" in coloured
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    rows = [line.rstrip() for line in stripped.splitlines()]
    assert rows == render(GECKO, PLAIN).splitlines()


def test_a_report_of_five_thousand_findings_grows_with_what_is_asked_for() -> None:
    short = render(reports.crowded_report(5000), PLAIN)
    whole = render(reports.crowded_report(5000), with_options(max_findings=0))
    assert len(short) < len(whole) / 50


def test_a_command_that_cannot_be_shown_is_not_shown() -> None:
    def poisoned(command: str) -> Report:
        found = GECKO.findings[3]
        fix = replace(known(found.fix), commands=(command,))
        finding = replace(found, fix=fix, severity=Severity.HIGH)
        return replace(GECKO, findings=(finding,))

    for command in ("gcloud x 'a\x1b[2Jb'", "gcloud x\nrm -r /", "gcloud " + "x" * 3000):
        text = render(poisoned(command), PLAIN)
        assert "gcloud" not in text
        assert "1 command cannot be shown safely" in text


def test_what_is_not_understood_stands_once_and_its_paths_are_whole() -> None:
    other = "inventory/of/a/project/whose/files/have/long/names/subnets-aggregated.json:/items/1"
    reason = f"differs from the same resource in {other}, which is used: give one of the two"
    coverage = replace(
        GECKO.coverage,
        unread=(Unread(source="inventory/subnetworks.json", reason=reason),),
        incomplete=(f"inventory/subnetworks.json: {reason}", "2 flow records malformed"),
        is_complete=False,
    )
    report = replace(GECKO, coverage=coverage)
    text = render(report, with_options(width=80))
    assert text.count(other) == 1
    assert "1 thing of the inventory not understood; see unread below" in text
    assert "2 flow records malformed" in text


def test_single_plans_are_rendered_alone(golden: Golden) -> None:
    plan = reports.machine_plan()
    golden("machine-plan.txt", layout(plans.machine_plan(plan, PLAIN), PLAIN))
    golden("job-plan.txt", layout(job_plans.job_plan(reports.job_plan(), PLAIN), PLAIN))
    nothing = Infeasible(
        need=plan.need, binding="bandwidth", shortfall="10 Gbit/s short.", rejected=plan.rejected
    )
    text = layout(plans.no_machines(nothing, PLAIN), PLAIN)
    assert "Infeasible: bandwidth: 10 Gbit/s short." in text
    assert "2 with too little bandwidth: n1 2" in text
    assert "1 with no known price: t2a-standard-8: no price" in text


def test_a_place_that_is_lifted_most_is_not_called_what_earlier_fixes_leave() -> None:
    report = GECKO
    fix = next(one for one in report.do_first if one.now is not None)
    finding = next(f for f in report.findings if f.fingerprint == fix.finding)
    # The place that is named first has another rate; the order's rate is that of another place.
    named = replace(finding, throughput_now=replace(known(finding.throughput_now), gbps=0.5))
    second = replace(fix, rank=2)
    told = "after the fixes ranked before it"
    shown = replace(report, findings=(named,), do_first=(second,))
    assert told not in " ".join(render(shown, PLAIN).split())
    left = replace(second, now=replace(known(fix.now), gbps=0.7))
    shown = replace(report, findings=(named,), do_first=(left,))
    assert told in " ".join(render(shown, PLAIN).split())
