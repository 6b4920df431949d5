"""A request to Google's APIs, and what their refusals of it mean in plain words."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from netplan_planner.google.options import LOGIN

VIEWER_ROLE = "roles/compute.viewer"

UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 401, 403, 404
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})
_RATE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})
"""Reasons under which the API says 403 where it means 429."""
_DISABLED_REASONS = frozenset({"SERVICE_DISABLED", "accessNotConfigured"})
_LONGEST_MESSAGE = 300


class Refusal(Exception):
    """A request that failed for good; the text tells the user what to do about it."""


LIST_ENTRIES = "logging.entries.list"
LIST_MEMBERS = "compute.instanceGroups.listInstances"
READS_BY_POST = frozenset({LIST_ENTRIES, LIST_MEMBERS})
"""Methods that read, though they are asked by POST; nothing else is ever posted."""


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
    """JSON to post, of a method of `READS_BY_POST`; None is a GET request."""


class _Detail(msgspec.Struct):
    reason: str | None = None


class ErrorBody(msgspec.Struct):
    """What an error answer says."""

    message: str = ""
    status: str | None = None
    errors: list[_Detail] = []
    details: list[_Detail] = []


class _ErrorAnswer(msgspec.Struct):
    error: ErrorBody = msgspec.field(default_factory=ErrorBody)


def is_passing(status: int, error: ErrorBody) -> bool:
    """Return whether the same request may be answered later."""
    return status in _RETRIED or (status == FORBIDDEN and bool(_reasons(error) & _RATE_REASONS))


def error_of(body: bytes) -> ErrorBody:
    """Return what an error answer says; nothing where it is none of Google's."""
    try:
        return msgspec.json.decode(body, type=_ErrorAnswer).error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # A proxy's page, or nothing.
        return ErrorBody()


def _reasons(error: ErrorBody) -> set[str]:
    return {part.reason for part in [*error.errors, *error.details] if part.reason}


def error_message(error: ErrorBody) -> str:
    """Return the text of an error in one line, cut where it is very long."""
    return " ".join(error.message.split())[:_LONGEST_MESSAGE]


def why_refused(status: int, error: ErrorBody, request: Request) -> str:
    """Return what a final answer means. What concerns the whole project names no method."""
    if status == UNAUTHORIZED:
        return f"the credentials were refused (401); run `{LOGIN}`"
    if status == FORBIDDEN and _reasons(error) & _DISABLED_REASONS:
        return request.disabled
    if status == FORBIDDEN and request.forbidden:
        return f"{request.method}: refused (403) {error_message(error)}; {request.forbidden}"
    if status == FORBIDDEN:
        return (
            f"{request.method}: refused (403), it needs the permission {request.permission},"
            f" which the role {VIEWER_ROLE} holds"
        )
    if status == NOT_FOUND:
        return request.missing
    return f"{request.method}: HTTP {status} {error_message(error)}".rstrip()
