"""Findings as annotations of a GitHub workflow: lines that its runner shows beside the code.

GitHub shows ten a kind and step, so the worst come first and no more are written; all of them are
in the summary of the step (`GITHUB_STEP_SUMMARY`).
Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
"""

from collections import Counter

from netplan_planner.inert import inert
from netplan_planner.model import Finding, Severity
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.review.concise import log_line, place_of, summary
from netplan_planner.verbs.audit.sarif import sentence

_KINDS = {Severity.HIGH: "error", Severity.MEDIUM: "warning"}
_MOST = 10
"""Of a kind that GitHub shows of one step."""
_MESSAGE_LENGTH = 2000
_OF_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_OF_PROPERTY = {**_OF_DATA, ord(":"): "%3A", ord(","): "%2C"}


def render(report: Report, options: RenderOptions) -> str:
    """Return the annotations, the worst first, and a line that sums up."""
    lines, shown = list[str](), Counter[str]()
    for finding in report.findings:
        kind = _KINDS.get(finding.severity, "notice")
        shown[kind] += 1
        if shown[kind] <= _MOST:
            lines.append(_annotation(kind, finding, options))
    lines.append(log_line(summary(report, options)))
    if rest := len(report.findings) - (len(lines) - 1):
        lines.append(f"{counted(rest, 'more finding')}: GitHub shows {_MOST} of a kind and step")
    return "\n".join(lines) + "\n"


def _annotation(kind: str, finding: Finding, options: RenderOptions) -> str:
    place = place_of(finding, options)
    properties = {"title": f"{finding.severity.value}: {finding.rule}"}
    if place is not None:
        properties = {"file": place.path, "line": str(place.line or 1), **properties}
    told = ",".join(
        f"{name}={inert(value).translate(_OF_PROPERTY)}" for name, value in properties.items()
    )
    message = inert(sentence(finding, options.currency), _MESSAGE_LENGTH).translate(_OF_DATA)
    return f"::{kind} {told}::{message}"
