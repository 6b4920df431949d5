import re
from collections.abc import Callable

import msgspec
import pytest
from rich.cells import cell_len

from netplan_planner.model import Confidence, Infeasible, Severity, Unread
from netplan_planner.renderers import ColourMode, RenderOptions
from netplan_planner.renderers.content import job_plans, plans
from netplan_planner.renderers.terminal import layout, render
from netplan_planner.verbs.audit.answer import Report
from support.known import known
from support.reports import made as reports

Golden = Callable[[str, str], None]
PLAIN = RenderOptions(width=100, rules=reports.RULES)
COMMAND = re.compile(r"\s*gcloud ")


def with_options(**changes: object) -> RenderOptions:
    return msgspec.structs.replace(PLAIN, **changes)


@pytest.mark.parametrize("width", [40, 50, 80, 100, 120])
def test_golden_of_the_story(golden: Golden, width: int) -> None:
    golden(f"gecko-{width}.txt", render(reports.gecko_report(), with_options(width=width)))


def test_golden_in_colour(golden: Golden) -> None:
    options = with_options(colour=ColourMode.ALWAYS)
    golden("gecko-colour.txt", render(reports.gecko_report(), options))


def test_golden_explained(golden: Golden) -> None:
    golden("gecko-explained.txt", render(reports.gecko_report(), with_options(verbosity=1)))


def test_golden_without_findings(golden: Golden) -> None:
    golden("empty.txt", render(reports.empty_report(), PLAIN))


def test_golden_without_traffic(golden: Golden) -> None:
    golden("without-traffic.txt", render(reports.report_without_traffic(), PLAIN))


@pytest.mark.parametrize("width", [24, 40, 64, 99, 200])
def test_only_commands_are_wider_than_the_terminal(width: int) -> None:
    text = render(reports.gecko_report(), with_options(width=width, verbosity=1))
    too_wide = [line for line in text.splitlines() if cell_len(line) > width]
    # Places of records are whole, so that they can be copied.
    coverage = reports.gecko_report().coverage
    read = known(coverage.traffic)
    places = [bad.source for bad in read.examples] + [one.source for one in coverage.unread]
    assert all(COMMAND.match(ln) or any(place in ln for place in places) for ln in too_wide)


def test_commands_stand_whole_on_lines_of_their_own() -> None:
    lines = {line.strip() for line in render(reports.gecko_report(), PLAIN).splitlines()}
    fixes = [f.fix for f in reports.gecko_report().findings[:3] if f.fix]
    after = [step for fix in fixes for step in (fix.verify, fix.clean_up, fix.undo) if step]
    commands = [c for fix in fixes for c in fix.commands]
    commands += [c for step in after for c in step.commands]
    assert len(commands) == 4
    assert set(commands) <= lines


def test_little_at_stake_takes_few_lines() -> None:
    text = render(reports.gecko_report(), PLAIN)
    (short,) = [part for part in text.split("\n\n") if "LOW needless-external-address" in part]
    assert len(short.splitlines()) <= 5
    assert "low and info are cut short: --explain RULE" in " ".join(text.split())
    long = render(reports.gecko_report(), with_options(explain=("needless-external-address",)))
    assert "gcloud compute addresses delete spare" in long


def test_colours_change_no_letter() -> None:
    coloured = render(reports.gecko_report(), with_options(colour=ColourMode.ALWAYS))
    assert "\x1b[" in coloured
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    rows = [line.rstrip() for line in stripped.splitlines()]
    assert rows == render(reports.gecko_report(), PLAIN).splitlines()


def test_explaining_one_rule_or_area_leaves_the_others_short() -> None:
    by_rule = render(reports.gecko_report(), with_options(explain=("egress-cap-saturated",)))
    by_area = render(reports.gecko_report(), with_options(explain=("capacity",)))
    assert by_rule.count("   why ") == by_area.count("   why ") == 1
    assert "documented: docs.cloud.google.com" in " ".join(by_rule.split())
    assert render(reports.gecko_report(), with_options(explain=("all",))).count("   why ") == 4


def test_explaining_what_found_nothing_says_why() -> None:
    names = ("vpc-mtu-mismatch", "idle-external-address", "placement", "nic")
    text = render(reports.gecko_report(), with_options(width=120, explain=names))
    assert "Nothing to explain for vpc-mtu-mismatch: it was not evaluated: only one" in text
    assert "Nothing to explain for idle-external-address: what it found is suppressed" in text
    assert "Nothing to explain for placement: no rule or area has this name" in text
    assert "Nothing to explain for nic" not in text


def test_a_thousand_members_are_one_short_finding() -> None:
    text = render(reports.crowded_report(1, 1000), PLAIN)
    assert "and 999 more" in text
    assert "vm-00002" in text
    assert "vm-00003" not in text
    assert "and 997 more places" in text
    assert len(text.splitlines()) < 124


def test_findings_left_out_are_counted_with_their_money() -> None:
    text = render(reports.crowded_report(100), with_options(max_findings=10))
    assert "10. HIGH" in text
    assert "11. HIGH" not in text
    assert "and 90 more findings (15 high, 25 medium, 25 low, 25 info, saves $135.00" in text
    assert "100. INFO" in render(reports.crowded_report(100), with_options(max_findings=0))


def test_an_explained_finding_is_shown_beyond_the_limit() -> None:
    options = with_options(max_findings=1, explain=("needless-external-address",))
    text = render(reports.gecko_report(), options)
    assert "4. LOW needless-external-address" in text
    assert "and 2 more findings" in text


def test_a_report_of_five_thousand_findings_grows_with_what_is_asked_for() -> None:
    short = render(reports.crowded_report(5000), PLAIN)
    whole = render(reports.crowded_report(5000), with_options(max_findings=0))
    assert len(short) < len(whole) / 50


def test_a_command_that_cannot_be_shown_is_not_shown() -> None:
    def poisoned(command: str) -> Report:
        found = reports.gecko_report().findings[3]
        fix = msgspec.structs.replace(known(found.fix), commands=(command,))
        finding = msgspec.structs.replace(found, fix=fix, severity=Severity.HIGH)
        return msgspec.structs.replace(reports.gecko_report(), findings=(finding,))

    for command in ("gcloud x 'a\x1b[2Jb'", "gcloud x\nrm -r /", "gcloud " + "x" * 3000):
        text = render(poisoned(command), PLAIN)
        assert "gcloud" not in text
        assert "1 command cannot be shown safely" in text


def test_no_traffic_is_not_no_fault() -> None:
    bare = msgspec.structs.replace(reports.report_without_traffic(), findings=())
    text = render(bare, PLAIN)
    assert "No traffic was given" in text
    assert "none found a fault" not in text
    assert "none found a fault" in render(reports.empty_report(), PLAIN)


def test_no_finding_with_gaps_is_not_a_clean_report() -> None:
    full = reports.gecko_report()
    gaps = msgspec.structs.replace(reports.empty_report(), not_evaluated=full.not_evaluated)
    text = render(gaps, PLAIN)
    assert "3 rules could not be evaluated, see below" in text
    assert "Every rule was evaluated" not in text


def test_no_finding_because_all_are_hidden_says_so() -> None:
    hidden = msgspec.structs.replace(
        reports.empty_report(), suppressed=reports.gecko_report().suppressed
    )
    text = render(hidden, PLAIN)
    assert "1 finding is suppressed or filtered out" in text
    assert "none found a fault" not in text


def test_one_fix_that_is_enough_is_not_called_both() -> None:
    full = reports.gecko_report()
    only = full.fix_sets[0].singles[0]
    enough = msgspec.structs.replace(full.fix_sets[0], joint=only, worth="one is enough")
    text = render(msgspec.structs.replace(full, fix_sets=(enough,)), PLAIN)
    assert "one is enough" in text
    assert "both" not in text.partition("Findings")[0]


def test_what_is_not_understood_stands_once_and_its_paths_are_whole() -> None:
    other = "inventory/of/a/project/whose/files/have/long/names/subnets-aggregated.json:/items/1"
    reason = f"differs from the same resource in {other}, which was taken"
    coverage = msgspec.structs.replace(
        reports.gecko_report().coverage,
        unread=(Unread(source="inventory/subnetworks.json", reason=reason),),
        incomplete=(f"inventory/subnetworks.json: {reason}", "2 flow records malformed"),
        is_complete=False,
    )
    report = msgspec.structs.replace(reports.gecko_report(), coverage=coverage)
    text = render(report, with_options(width=80))
    assert text.count(other) == 1
    assert "1 thing of the inventory not understood: see unread below" in text
    assert "2 flow records malformed" in text


def test_single_plans_are_rendered_alone(golden: Golden) -> None:
    plan = reports.machine_plan()
    golden("machine-plan.txt", layout(plans.machine_plan(plan, PLAIN), PLAIN))
    golden("job-plan.txt", layout(job_plans.job_plan(reports.job_plan(), PLAIN), PLAIN))
    nothing = Infeasible(
        need=plan.need, binding="bandwidth", shortfall="10 Gbit/s short.", rejected=plan.rejected
    )
    text = layout(plans.no_machines(nothing, PLAIN), PLAIN)
    assert "Nothing meets this: bandwidth. 10 Gbit/s short." in text
    assert "2 with too little bandwidth: n1 2" in text
    assert "1 without a known price: t2a-standard-8: no price" in text


def test_the_order_says_which_fix_is_little_sure() -> None:
    report = reports.gecko_report()
    first = report.do_first[0].finding
    findings = tuple(
        msgspec.structs.replace(found, confidence=Confidence.LOW)
        if found.fingerprint == first
        else found
        for found in report.findings
    )
    assert "sure low" not in render(report, PLAIN).partition("Findings:")[0]
    text = render(msgspec.structs.replace(report, findings=findings), PLAIN)
    assert "sure low" in text.partition("Findings:")[0]


def test_what_the_order_makes_of_a_saving_is_said_beside_the_saving_alone() -> None:
    report = reports.gecko_report()
    finding = next(f for f in report.findings if f.saving_usd_per_month and not f.overlap)
    usd = known(finding.saving_usd_per_month)
    # Steps of a price that others no longer reach: it saves more, and overlaps with nothing.
    raised = msgspec.structs.replace(finding, marginal_usd_per_month=usd + 17, overlap="")
    text = render(msgspec.structs.replace(report, findings=(raised,)), PLAIN)
    said = " ".join(text.split())
    assert (
        f"${usd:,.2f} a month alone; after the fixes ranked before it saves ${usd + 17:,.2f}"
        in said
    )


def test_a_place_that_is_lifted_most_is_not_called_what_earlier_fixes_leave() -> None:
    report = reports.gecko_report()
    fix = next(one for one in report.do_first if one.now is not None)
    finding = next(f for f in report.findings if f.fingerprint == fix.finding)
    # The place that is named first has another rate; the order's rate is that of another place.
    named = msgspec.structs.replace(
        finding, throughput_now=msgspec.structs.replace(known(finding.throughput_now), gbps=0.5)
    )
    second = msgspec.structs.replace(fix, rank=2)
    told = "once the fixes ranked before it are made"
    shown = msgspec.structs.replace(report, findings=(named,), do_first=(second,))
    assert told not in " ".join(render(shown, PLAIN).split())
    left = msgspec.structs.replace(second, now=msgspec.structs.replace(known(fix.now), gbps=0.7))
    shown = msgspec.structs.replace(report, findings=(named,), do_first=(left,))
    assert told in " ".join(render(shown, PLAIN).split())
