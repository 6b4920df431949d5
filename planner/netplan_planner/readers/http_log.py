"""Recorded HTTP exchanges that carry Compute answers.

The layout is the one of golden logs: a request line (`GET https://…`), headers, a body, a status
line (`200 OK`), headers, a body, and `---` between exchanges. Only answers that succeeded are
read. A log shows a resource at several times: its last state counts.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from netplan_planner.readers import compute_json
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import compute_collection
from netplan_planner.readers.documents import decode_at

_REQUEST = re.compile(r"^(GET|POST|PUT|PATCH|DELETE|HEAD) (https?://\S+)")
_STATUS = re.compile(r"^(?:HTTP/[\d.]+ )?(\d{3}) [A-Z]")


class Answer(NamedTuple):
    """A body that a server sent, and the line where it begins, from 1."""

    line: int
    is_success: bool
    body: Any


def is_log(head: str) -> bool:
    """Whether a text begins like a log of HTTP exchanges."""
    return _REQUEST.match(head.lstrip()) is not None


def read(text: str, file: str, into: Collector) -> bool:
    """Take the last state of every Compute resource in a log; return whether it is a log."""
    if not is_log(text):
        return False
    last: dict[str, Answer] = {}
    others: list[Answer] = []
    older = 0
    for answer in _answers(text, file, into):
        link = _resource_link(answer.body)
        if not answer.is_success:
            continue
        if link is None:
            others.append(answer)
        else:
            older += link in last
            last[link] = answer
    unknown = 0
    for answer in [*last.values(), *others]:
        unknown += not compute_json.read(answer.body, Origin(file, f"{file}:{answer.line}:"), into)
    if older:
        reason = f"{older} earlier states of resources that appear again later in the log"
        into.note(file, reason, is_needless=True)
    if unknown:
        into.skip(file, "answers of other services", unknown)
    return True


def _answers(text: str, file: str, into: Collector) -> Iterator[Answer]:
    """Every JSON body that follows a status line."""
    status: int | None = None
    position, line = 0, 0
    while position < len(text):
        line += 1
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        first = text[position : position + 1]
        if first in {"{", "["}:
            body, after, problem = decode_at(text, position)
            if problem:
                into.note(f"{file}:{line}", problem)
            elif status is not None:
                yield Answer(line, 200 <= status < 300, body)
            if after > position:
                line += text.count("\n", position, after)
                position = after
                end = text.find("\n", position)
                end = len(text) if end < 0 else end
        else:
            row = text[position:end]
            if _REQUEST.match(row):
                status = None
            elif match := _STATUS.match(row):
                status = int(match[1])
        position = end + 1


def _resource_link(body: object) -> str | None:
    link = body.get("selfLink") if isinstance(body, dict) else None
    if not isinstance(link, str) or compute_collection(link) is None:
        return None
    return link
