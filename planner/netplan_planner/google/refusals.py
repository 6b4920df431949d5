"""A request to Google's APIs, and what their refusals of it mean in plain words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from netplan_planner.google.compute_methods import ENTRIES_ID, JOB_CANCEL, JOB_INSERT, MEMBERS_ID
from netplan_planner.google.options import LOGIN
from netplan_planner.input_files import decode_json

VIEWER_ROLE = "roles/compute.viewer"

OK = 200
UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 401, 403, 404
NO_CODE = 0
"""Of an error that came with status 200 and names no status of its own."""
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})
RATE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})
"""Reasons under which the API says 403 where it means 429."""
DISABLED_REASONS = frozenset({"SERVICE_DISABLED", "accessNotConfigured"})
_LONGEST_MESSAGE = 300


READS_BY_POST = frozenset({ENTRIES_ID, MEMBERS_ID})
"""Methods that read, though they are asked by POST."""
POSTED = READS_BY_POST | {JOB_INSERT.id, JOB_CANCEL.id}
"""All that is ever posted: a query of BigQuery is a job, which `google/bigquery` alone makes."""


class Request(NamedTuple):
    """A request that reads, and what its refusals mean."""

    method: str
    """Its id in the discovery document."""
    path: str
    """Below the version, each part quoted."""
    query: Mapping[str, str | tuple[str, ...]]
    """A parameter that repeats has several values."""
    permission: str
    """What the method needs."""
    disabled: str
    """What to do where the API is switched off."""
    missing: str
    """What 404 means."""
    forbidden: str = ""
    """What 403 means, where it is not that a permission is missing."""
    body: bytes | None = None
    """JSON to post, of a method of `POSTED`; None is a GET request."""
    names: Mapping[str, str] = MappingProxyType({})
    """The open parts of the path by their names in the discovery document; of APIs that Google's
    client may be asked for."""


def path_of(template: str, names: Mapping[str, str]) -> str:
    """Return a path with its open parts quoted; domain-scoped project ids hold a colon.

    >>> path_of("projects/{project}/global/routes", {"project": "example.com:a b"})
    'projects/example.com:a%20b/global/routes'
    """
    return template.format_map({name: quote(value, safe=":") for name, value in names.items()})


NOTHING = msgspec.Raw(b"null")


class Detail(msgspec.Struct):
    """One of the reasons of an error, as the API names it."""

    reason: str | None = None


class ErrorBody(msgspec.Struct):
    """What an error answer says."""

    code: Any = NO_CODE
    message: str = ""
    status: str | None = None
    errors: list[Detail] = []
    details: list[Detail] = []

    @property
    def reasons(self) -> set[str]:
        """The words by which the API tells errors of one status apart."""
        return {part.reason for part in [*self.errors, *self.details] if part.reason}


SMALL_BYTES = 2**16
"""Of a body in which everything is looked at; an error has some hundred bytes."""


class Refusal(Exception):
    """A request that failed for good; the text tells the user what to do about it."""

    def __init__(self, text: str, status: int = 0, error: ErrorBody | None = None) -> None:
        """Take what is told.

        Args:
            text: What was wrong, and what to do.
            status: Of the answer; 0: there was none that could be read.
            error: What the answer says.
        """
        super().__init__(text)
        self.status = status
        self.error = error or ErrorBody()


class _ErrorAnswer(msgspec.Struct):
    error: ErrorBody | str = msgspec.field(default_factory=ErrorBody)


class _MaybeError(msgspec.Struct):
    error: msgspec.Raw = NOTHING


_ERROR_STATUS = range(400, 600)


def status_of(status: int, body: bytes) -> int:
    """Return the status that an answer means: that of the error which a body of status 200 is.

    >>> status_of(200, b'{"error": {"code": 503}}'), status_of(200, b'{"items": []}')
    (503, 200)
    """
    # Most bodies have megabytes, and no such member; in a small one its name may be escaped.
    if status != OK or (len(body) > SMALL_BYTES and b'"error"' not in body):
        return status
    try:
        stated = decode_json(body, _MaybeError).error
    except msgspec.DecodeError:
        # Its reader says what is wrong with it.
        return status
    if stated == NOTHING:
        return status
    code = error_of(body).code
    return code if code in _ERROR_STATUS else NO_CODE


def is_passing(status: int, error: ErrorBody) -> bool:
    """Return whether the same request may be answered later."""
    return status in _RETRIED or (status == FORBIDDEN and bool(error.reasons & RATE_REASONS))


def error_of(body: bytes) -> ErrorBody:
    """Return what an error answer says; nothing where it is none of Google's."""
    try:
        error = decode_json(body, _ErrorAnswer).error
    except msgspec.DecodeError:
        # A proxy's page, or nothing.
        return ErrorBody()
    # A text where a proxy or the service of tokens answers.
    return ErrorBody(message=error) if isinstance(error, str) else error


def error_message(error: ErrorBody) -> str:
    """Return the text of an error in one line, cut where it is very long."""
    return " ".join(error.message.split())[:_LONGEST_MESSAGE]


def why_refused(status: int, error: ErrorBody, request: Request) -> str:
    """Return what a final answer means. What concerns the whole project names no method."""
    if status == UNAUTHORIZED:
        return f"the credentials were refused (401); run `{LOGIN}`"
    if status == FORBIDDEN and error.reasons & DISABLED_REASONS:
        return request.disabled
    if status == FORBIDDEN and request.forbidden:
        return f"{request.method}: refused (403) {error_message(error)}; {request.forbidden}"
    if status == FORBIDDEN:
        return (
            f"{request.method}: refused (403), it needs the permission {request.permission},"
            f" which the role {VIEWER_ROLE} contains"
        )
    if status == NOT_FOUND:
        return request.missing
    return f"{request.method}: {told(status, error)}"


def told(status: int, error: ErrorBody) -> str:
    """Return an error in one line: its status, and what the API says."""
    named = "an error and no answer (HTTP 200)" if status == NO_CODE else f"HTTP {status}"
    return f"{named} {error_message(error)}".rstrip()
