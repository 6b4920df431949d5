"""Annotations of a GitHub workflow: lines that its runner shows beside the code.

GitHub shows ten a kind and step, so the worst come first and no more are written; all of them are
in the summary of the step (`GITHUB_STEP_SUMMARY`).
Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from netplan_planner.inert import inert, inert_line, without_command
from netplan_planner.model import Severity
from netplan_planner.renderers.places import MESSAGE_LENGTH, FilePlace
from netplan_planner.units import counted

_KINDS = {Severity.HIGH: "error", Severity.MEDIUM: "warning"}
_MOST = 10
"""Of a kind that GitHub shows of one step."""
_OF_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_OF_PROPERTY = {**_OF_DATA, ord(":"): "%3A", ord(","): "%2C"}


class Annotation(NamedTuple):
    """A finding as it is shown beside a line."""

    severity: Severity
    rule: str
    message: str
    place: FilePlace | None
    state: str = ""
    """What a change makes of it, such as new."""


def lines_of(found: Sequence[Annotation], summary: str) -> str:
    """Return annotations, the worst first, and a line that sums up."""
    lines, shown = list[str](), Counter[str]()
    for one in sorted(found, key=lambda one: one.severity.rank):
        kind = _KINDS.get(one.severity, "notice")
        shown[kind] += 1
        if shown[kind] <= _MOST:
            lines.append(_line(kind, one))
    rest = len(found) - len(lines)
    lines.append(log_line(summary))
    if rest:
        lines.append(f"{counted(rest, 'more finding')}: GitHub shows {_MOST} of a kind and step")
    return "\n".join(lines) + "\n"


def _line(kind: str, one: Annotation) -> str:
    title = f"{one.state} {one.severity.value}: {one.rule}".lstrip()
    properties = {"title": title}
    if one.place is not None:
        properties = {"file": one.place.path, "line": str(one.place.line or 1), **properties}
    told = ",".join(
        f"{name}={inert(value).translate(_OF_PROPERTY)}" for name, value in properties.items()
    )
    return f"::{kind} {told}::{inert(one.message, MESSAGE_LENGTH).translate(_OF_DATA)}"


def log_line(text: str) -> str:
    r"""Return a line of a log that is no command to a runner of workflows.

    >>> log_line("::add-mask::x"), log_line("main.tf:3: x")
    ('\\x3a:add-mask::x', 'main.tf:3: x')
    """
    return without_command(inert_line(text))
