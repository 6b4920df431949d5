"""Findings as annotations of a GitHub workflow."""

from netplan_planner.renderers.annotations import Annotation, lines_of
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.review.concise import place_of, summary
from netplan_planner.verbs.audit.sarif import sentence


def render(report: Report, options: RenderOptions) -> str:
    """Return the annotations, the worst first, and a line that sums up."""
    found = [
        Annotation(one.severity, one.rule, sentence(one, options.currency), place_of(one, options))
        for one in report.findings
    ]
    return lines_of(found, summary(report, options))
