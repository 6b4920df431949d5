"""A line a finding, for search tools and logs: its place, severity, rule, subject and money.

The last line sums up, so that no findings is not read as all is well.
"""

from netplan_planner.model import Finding
from netplan_planner.renderers import figures
from netplan_planner.renderers.annotations import log_line
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import in_currency, plain
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.places import FilePlace, file_place
from netplan_planner.units import counted
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.screen.sums import together


def render(report: Report, options: RenderOptions) -> str:
    """Return the lines; no option leaves a finding out."""
    lines = [_line(finding, options) for finding in report.findings]
    return "\n".join(map(log_line, (*lines, summary(report, options)))) + "\n"


def place_of(finding: Finding, options: RenderOptions) -> FilePlace | None:
    """Return the file and line of the first resource of a finding that has one."""
    found = (options.places.get(ref.source) or file_place(ref.source) for ref in finding.resources)
    return next(filter(None, found), None)


def money_of(finding: Finding, options: RenderOptions) -> str:
    """Return what the fix does to the bill, were it the only one; what is not known is said."""
    usd = finding.saving_usd_per_month
    before = finding.saving_before_commitments_usd_per_month
    if usd:
        return figures.saving(usd, options.currency)
    if before is not None:
        amount = figures.dollars(abs(before), options.currency)
        return f"{amount}/month before commitments, saving unknown"
    return "saving unknown" if usd is None and finding.saving_unknown else "no saving"


def summary(report: Report, options: RenderOptions) -> str:
    """Return how many findings there are, what all fixes bring, and what was not judged."""
    parts = [counted(len(report.findings), "finding")]
    parts.append(plain(in_currency(together(report.do_first), options.currency)))
    parts.append(not_judged(report))
    return " · ".join(filter(None, parts))


def not_judged(report: Report) -> str:
    """Return what stands beside the findings: filtered out, suppressed, not evaluated, not read."""
    rules = {entry.rule for entry in report.not_evaluated if entry.kind != "deselected"}
    crashed = sorted({one.rule for one in report.not_evaluated if one.kind == "crashed"})
    parts = [
        (len(report.filtered), f"{len(report.filtered):,} filtered out"),
        (len(report.suppressed), f"{len(report.suppressed):,} suppressed"),
        (len(rules), f"{counted(len(rules), 'rule')} skipped or only partly checked"),
        (crashed, f"crashed: {', '.join(crashed)}"),
        (not report.coverage.is_complete, "input incomplete"),
    ]
    return " · ".join(text for count, text in parts if count)


def _line(finding: Finding, options: RenderOptions) -> str:
    place = place_of(finding, options)
    at = f"{place.path}:{place.line or 1}: " if place else ""
    subject = plain(phrases.finding_subject(finding))
    money = money_of(finding, options)
    return f"{at}{finding.severity.value} {finding.rule}: {subject}: {money}"
