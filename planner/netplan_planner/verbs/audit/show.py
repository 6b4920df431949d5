"""The audit's report: what to do, why, how sure, what was not seen."""

from collections.abc import Iterator

from netplan_planner import units
from netplan_planner.inert import NAME_LENGTH
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import DataTable, flows, job_plans, phrases, plans
from netplan_planner.renderers.document import Block, Line, Title, joined, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit import (
    commitments,
    coverage,
    finding_rows,
    findings,
    first,
    machines,
)
from netplan_planner.verbs.audit import sections as plugin_changes
from netplan_planner.verbs.audit import sections as pods
from netplan_planner.verbs.audit import sections as services
from netplan_planner.verbs.audit.answer import Report, WindowInfo
from netplan_planner.verbs.audit.review.statistics import statistics
from netplan_planner.verbs.audit.screen.advice import cut
from netplan_planner.verbs.audit.screen.overview import overview

SCHEMA = "netplan.report/1"
_NAME_CELLS = 84
"""Of what the first screen is about."""
TELLS_BESIDE_FILES = False
"""A report is written in several formats at once, and each other one says it."""


def table(report: Report) -> DataTable:
    """Return a row for each place of each finding."""
    return finding_rows.table(report)


def blocks(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the blocks of a report: its first screen, one finding, counts by rule, or all of it.

    The whole: what to do, why, how sure, what was not seen.
    """
    if options.finding:
        yield from _one(report, options)
        return
    if options.is_statistics:
        yield title(report)
        yield from statistics(report)
        return
    if options.is_screen:
        name = line(cut(report.title, _NAME_CELLS))
        yield Title(line=name, basis=joined(_basis(report, has_limits=False), " · "))
        yield from overview(report, options)
        return
    yield title(report)
    yield from services.paid(report)
    yield from first.do_first(report, options)
    yield from findings.findings(report, options)
    yield from beside_findings(report, options)
    yield from coverage.totals(report)


def _one(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield one finding with all its steps, and the fixes that help only together with its own."""
    numbers = report.numbers
    number = numbers[options.finding]
    fixes = {fix.finding: fix for fix in report.do_first}
    yield title(report)
    finding = report.findings[number - 1]
    yield from findings.entry(finding, number, options, fixes.get(finding.fingerprint))
    for fix_set in report.fix_sets:
        if finding.fingerprint in fix_set.findings:
            yield from first.fixes_together(fix_set, {})
            others = sorted(numbers[one] for one in fix_set.findings if one in numbers)
            told = (f"--show {one}" for one in others if one != number)
            yield doc.field("with", ", ".join(told) or "a finding that is filtered out")


def title(report: Report) -> Title:
    """Return what the report is about, and what it rests on."""
    named = line(say(report.title, length=phrases.SUBJECT_LENGTH))
    return Title(line=named, basis=joined(_basis(report), " · "))


def beside_findings(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the sections below the findings: what is there, what it costs, what was not seen."""
    yield from coverage.unexplained(report, options)
    yield from machines.machines(report, options)
    yield from plans.recommendations(report.recommendations, options)
    yield from job_plans.jobs(report.jobs, options)
    yield from commitments.commitments(report.commitments, report.flexible_commitments, options)
    yield from plugin_changes.plugin_changes(report.plugin_changes, options)
    yield from flows.by_class(report.traffic_by_class, options)
    yield from services.network_services(report.network_services, options)
    yield from flows.between_zones(report.zone_pairs, options)
    yield from pods.pod_pairs(report.pod_pairs, options)
    yield from pods.near_savings(report.near_savings, options)
    yield from coverage.suppressed(report, options)
    yield from coverage.coverage(report, options)
    yield from coverage.not_evaluated(report, options)


def _basis(report: Report, *, has_limits: bool = True) -> list[Line]:
    """Return what the numbers rest on, part by part; on the screen limits have no date."""
    parts = [line(figures.counted(report.coverage.instance_count, "VM"))]
    others = [project for project in report.projects if project != report.title]
    if len(report.projects) > 1:
        parts.append(line(figures.counted(len(report.projects), "project")))
    elif others:
        parts.append(line("project ", say(others[0], length=NAME_LENGTH)))
    parts.append(_window(report.window) if report.window else line("no traffic given"))
    if has_limits:
        parts.append(line(f"limits of {report.limits_as_of.isoformat()}"))
    machines, network = report.prices_as_of, report.network_prices_as_of
    text = f"prices of {machines.isoformat()}"
    parts.append(line(text if machines == network else f"{text} (traffic {network.isoformat()})"))
    return parts


def _window(window: WindowInfo) -> Line:
    if window.start is None or window.end is None or window.observed_minutes is None:
        return line("steady rates")
    observed = figures.duration(window.observed_minutes * units.SECONDS_PER_MINUTE)
    span_s = (window.end - window.start).total_seconds()
    whole = window.observed_minutes * units.SECONDS_PER_MINUTE >= span_s
    length = observed if whole else f"{observed} of {figures.duration(span_s)}"
    start = (
        f"{window.start:%Y-%m-%d}" if window.start.hour == 0 else f"{window.start:%Y-%m-%d %H:%M}"
    )
    return line(f"traffic of {start}, {length}, sampling {window.sampling}")
