"""Where logs are read: a project, or a view of a log bucket of anybody's."""

import re

from netplan_planner.errors import UsageError
from netplan_planner.model import ProjectId

ALL_LOGS = "_AllLogs"
"""The view that every log bucket has (docs.cloud.google.com/logging/docs/logs-views, 2026-11)."""

LogPlace = ProjectId
"""A project's id or number, or the resource name of a view, which has slashes."""

_BUCKET = re.compile(
    r"(?P<bucket>(?:projects|folders|organizations|billingAccounts)/[^/\s\"]+"
    r"/locations/[^/\s\"]+/buckets/[^/\s\"]+)(?P<view>/views/[^/\s\"]+)?"
)


def view_of(text: str) -> LogPlace:
    """Return a view by its resource name; of a bucket's name, its view of all logs.

    Raises:
        UsageError: If it is neither.

    >>> view_of("projects/p/locations/global/buckets/flows")
    'projects/p/locations/global/buckets/flows/views/_AllLogs'
    """
    found = _BUCKET.fullmatch(text.strip().strip("/"))
    if found is None:
        raise UsageError(
            f"--log-view {text}: not the name of a log view, such as"
            " projects/P/locations/L/buckets/B/views/V (gcloud logging views list); folders/F,"
            " organizations/O and billingAccounts/A have buckets, too"
        )
    return LogPlace(found["bucket"] + (found["view"] or f"/views/{ALL_LOGS}"))


def is_view(place: LogPlace) -> bool:
    """Return whether logs are read through a view of a bucket."""
    return "/" in place


def named(place: LogPlace) -> str:
    """Return a place for people.

    >>> named(LogPlace("p")), named(LogPlace("projects/p/locations/l/buckets/b/views/v"))
    ('project p', 'the view projects/p/locations/l/buckets/b/views/v')
    """
    return f"the view {place}" if is_view(place) else f"project {place}"
