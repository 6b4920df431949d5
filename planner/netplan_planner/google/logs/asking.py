"""The one method of Cloud Logging that is called: its requests, its pages, and its quota.

`entries.list` reads, but by POST, because a filter can be longer than an address may be.
"""

import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from netplan_planner.google import compute_methods
from netplan_planner.google.logs.options import PAGE_RECORDS, LogPlace, is_view
from netplan_planner.google.paging import Page, page_of, require_objects
from netplan_planner.google.refusals import Request
from netplan_planner.input_files import decode_json

VIEWER_ROLE, PRIVATE_ROLE = "roles/logging.viewer", "roles/logging.privateLogViewer"
VIEW_PERMISSION, VIEW_ROLE = "logging.views.access", "roles/logging.viewAccessor"
"""To read through a view (docs.cloud.google.com/logging/docs/logs-views, 2026-11)."""

LOG_NAMES = ("compute.googleapis.com%2Fvpc_flows", "networkmanagement.googleapis.com%2Fvpc_flows")
"""Of a subnetwork's own setting, and of configurations of the Network Management API."""

_WINDOW_S = 60.0


class _Page(Page):
    entries: list[msgspec.Raw] = msgspec.field(default_factory=list)


class _Stamp(msgspec.Struct):
    timestamp: str = ""


class EntryPage(NamedTuple):
    """One answer."""

    lines: bytes
    """Its entries, one a line; empty where it has none, which does not mean that none follow."""
    record_count: int
    latest: datetime | None
    """The latest time of its entries; None: none, or none that can be read."""
    token: str
    """Of the next page; empty on the last one."""


def entries_request(place: LogPlace, since: datetime, until: datetime, token: str = "") -> Request:
    """Return the request for a page of flow logs of a project or view, the oldest first.

    A view can hold the logs of any project, whose names begin with that project.

    `until` is that of the entries, which are written when what they tell of is over. Without a
    time in the filter the API would add one of its own, of the last 24 hours.
    """
    if is_view(place):
        logs = " OR ".join(f'log_id("{unquote(name)}")' for name in LOG_NAMES)
        wanted = f"({logs})"
    else:
        names = " OR ".join(f'"projects/{place}/logs/{name}"' for name in LOG_NAMES)
        wanted = f"logName=({names})"
    asked = {
        "resourceNames": [place if is_view(place) else f"projects/{place}"],
        "filter": f'{wanted} AND timestamp>="{stamp(since)}" AND timestamp<"{stamp(until)}"',
        "orderBy": "timestamp asc",
        "pageSize": PAGE_RECORDS,
    }
    return Request(
        method=compute_methods.ENTRIES_ID,
        path="entries:list",
        query={"prettyPrint": "false"},
        permission=compute_methods.ENTRIES_PERMISSION,
        disabled="the Cloud Logging API is disabled (403); run `gcloud services enable"
        f" logging.googleapis.com{'' if is_view(place) else f' --project={place}'}`",
        missing=f"{compute_methods.ENTRIES_ID}: no such {'view' if is_view(place) else 'project'},"
        " or this account cannot see it (404)",
        forbidden=f"it needs the permission {VIEW_PERMISSION}, which the role {VIEW_ROLE} holds"
        if is_view(place)
        else f"it needs the permission {compute_methods.ENTRIES_PERMISSION}, which the role"
        f" {VIEWER_ROLE} holds; where the logs lie in a private view,"
        f" {compute_methods.PRIVATE_ENTRIES_PERMISSION} ({PRIVATE_ROLE})",
        body=msgspec.json.encode(asked | ({"pageToken": token} if token else {})),
    )


def read_page(body: bytes) -> EntryPage:
    """Return what an answer holds.

    Raises:
        NotWhole: If it is no whole page.
    """
    page = page_of(body, _Page)
    require_objects("entries", page.entries)
    times = [found for entry in page.entries if (found := _time_of(entry)) is not None]
    # No string of JSON holds a line feed as it is: those between the parts of an entry can go.
    lines = [bytes(entry).replace(b"\r", b" ").replace(b"\n", b" ") for entry in page.entries]
    return EntryPage(
        lines=b"".join(line + b"\n" for line in lines),
        record_count=len(lines),
        latest=max(times, default=None),
        token=page.next_page_token,
    )


def _time_of(entry: msgspec.Raw) -> datetime | None:
    try:
        found = datetime.fromisoformat(decode_json(entry, _Stamp).timestamp)
    except (msgspec.DecodeError, ValueError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def stamp(time_: datetime) -> str:
    """Return a time as filters of Cloud Logging take it; one without a zone is UTC.

    >>> stamp(datetime(2026, 11, 23, 10, 5))
    '2026-11-23T10:05:00Z'
    """
    aware = time_ if time_.tzinfo is not None else time_.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")


class Pace:
    """Lets at most so many requests begin in any minute."""

    def __init__(
        self,
        per_minute: float,
        wait: Callable[[float], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with the whole quota.

        Args:
            per_minute: Requests; a quota below 1 is of so many minutes for one.
            wait: Waits for some seconds.
            clock: Tells seconds, from any beginning.
        """
        self._window_s = _WINDOW_S / min(per_minute, 1.0)
        self._began: deque[float] = deque(maxlen=max(1, int(per_minute)))
        self._wait = wait
        self._clock = clock

    def begin(self) -> None:
        """Wait until one more request is within the quota."""
        if len(self._began) == self._began.maxlen:
            left_s = self._began[0] + self._window_s - self._clock()
            if left_s > 0:
                self._wait(left_s)
        self._began.append(self._clock())
