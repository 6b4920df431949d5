"""Pages of Cloud Logging: the one method that is called, its quota, and what was read kept."""

import gzip
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import unquote

import msgspec

from netplan_planner import writing
from netplan_planner.errors import InputError, UsageError
from netplan_planner.google import compute_methods
from netplan_planner.google.logs.options import PAGE_RECORDS, LogPlace, is_view
from netplan_planner.google.paging import Page, page_of, require_objects
from netplan_planner.google.refusals import Request
from netplan_planner.input_files import decode_json, unreadable, whole
from netplan_planner.model import ProjectId

# `entries.list` reads, but by POST, because a filter can be longer than an address may be.


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
        missing=f"{compute_methods.ENTRIES_ID}: {'view' if is_view(place) else 'project'} does"
        " not exist, or this account cannot see it (404)",
        forbidden=f"it needs the permission {VIEW_PERMISSION}, which the role {VIEW_ROLE} contains"
        if is_view(place)
        else f"it needs the permission {compute_methods.ENTRIES_PERMISSION}, which the role"
        f" {VIEWER_ROLE} contains; for logs in a private view,"
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


# Pages of Cloud Logging in a folder: what was read stays read, and reading goes on behind it
#
# A page is written whole before the record of what was read names it, so that a run that is killed
# between the two asks for that page again. The record begins with a dot: the folder of a finished
# run is itself an input of `--traffic`. What does not fit is refused and stays as it is, unlike
# pages of the catalogue (`saved_pages`), which are a copy of what anybody can have again.


STATE = ".asked.json"
TOKEN_HOURS = 24
""""Lifetime of API page tokens: 24 hours" (cloud.google.com/logging/quotas, 2026-11)."""
_SECONDS_PER_HOUR = 3600
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
"""Flow logs tell who speaks with whom: they are for the one who asked."""


_Count = Annotated[int, msgspec.Meta(ge=0)]
_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class Progress(msgspec.Struct):
    """How far one project is."""

    pages: _Count = 0
    """Files; an answer without entries makes none."""
    records: _Count = 0
    token: str = ""
    """Of the next page; empty before the first one, and after the last."""
    latest: _Time | None = None
    asked_s: float = 0.0
    """When the last page came, in seconds since 1970."""
    is_done: bool = False

    @property
    def is_begun(self) -> bool:
        """Whether any page came."""
        return bool(self.pages or self.token or self.is_done)


class State(msgspec.Struct):
    """What is asked for, and how far it is."""

    endpoint: str
    since: _Time
    until: _Time
    is_default: bool
    projects: dict[ProjectId, Progress]
    version: int = 1

    @property
    def record_count(self) -> int:
        """Records of all projects so far."""
        return sum(one.records for one in self.projects.values())


class Spool:
    """A folder of pages, and the record of what was read."""

    def __init__(self, folder: Path, state: State) -> None:
        """Take a folder that `open_spool` found fit."""
        self.folder = folder
        self.state = state

    def add(self, project: ProjectId, page: EntryPage) -> None:
        """Keep a page, and only then that it was read.

        Raises:
            InputError: If the folder cannot be written.
        """
        progress = self.state.projects[project]
        if page.lines:
            progress.pages += 1
            _write(self._path(project, progress.pages), gzip.compress(page.lines, 6, mtime=0))
        progress.records += page.record_count
        progress.token = page.token
        progress.is_done = not page.token
        progress.asked_s = time.time()
        if page.latest is not None:
            progress.latest = max(page.latest, progress.latest or page.latest)
        self.save()

    def save(self) -> None:
        """Write the record."""
        _write(self.folder / STATE, msgspec.json.encode(self.state))

    def files(self) -> tuple[Path, ...]:
        """Return the files of all pages."""
        return tuple(
            self._path(project, number)
            for project, progress in sorted(self.state.projects.items())
            for number in range(1, progress.pages + 1)
        )

    def _path(self, project: ProjectId, number: int) -> Path:
        # Domain-scoped ids hold a colon, which some file systems do not take; views hold slashes.
        name = project.replace(":", "_").replace("/", "+")
        return self.folder / f"{name}-{number:06}.jsonl.gz"


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter, if it is not there.

    Raises:
        InputError: If it cannot be made.
    """
    try:
        folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as exc:
        raise InputError(f"{folder}: cannot be made: {exc.strerror or exc}") from exc


def open_spool(folder: Path, asked: State, *, named: Sequence[str] = ()) -> Spool:
    """Return the spool of a folder, begun or gone on with.

    Args:
        folder: Where it is, which `make_folder` has made.
        asked: What is asked for now. Where an end of the window was not named, that of the pages
            that are there is taken.
        named: Which ends were: `since`, `until`.

    Raises:
        UsageError: If the folder holds something else, or pages of another question, or page
            tokens that have ended.
        InputError: If it cannot be read or written.
    """
    try:
        content = sorted(path.name for path in folder.iterdir() if not _is_leftover(path))
        data = whole(folder / STATE) if STATE in content else None
    except OSError as exc:
        raise unreadable(folder, exc) from exc
    if data is None:
        if content:
            raise UsageError(
                f"{folder}: holds other files ({content[0]}) and no pages of Cloud Logging. Name"
                " an empty or new folder"
            )
        found = Spool(folder, asked)
        found.save()
        return found
    found = Spool(folder, _decoded(folder, data))
    _require_same(folder, found.state, asked, named)
    _require_whole(found)
    return found


def _is_leftover(path: Path) -> bool:
    """Return whether a file is one that a killed run had not yet put in its place."""
    return path.name.startswith(".") and path.name.endswith(".new")


def _decoded(folder: Path, data: bytes) -> State:
    try:
        found = decode_json(data, State)
    except msgspec.DecodeError as exc:
        raise UsageError(f"{folder / STATE}: its index cannot be read ({exc})") from exc
    if found.version != 1:
        raise UsageError(f"{folder}: written by another netplan version; name another folder")
    return found


def _require_same(folder: Path, held: State, asked: State, named: Sequence[str]) -> None:
    another = f"{folder}: holds the answer to another request"
    if held.endpoint != asked.endpoint:
        raise UsageError(f"{another}: it is from {held.endpoint}, not from {asked.endpoint}")
    if set(held.projects) != set(asked.projects):
        raise UsageError(
            f"{another}: it is of {', '.join(sorted(held.projects))}, but"
            f" {', '.join(sorted(asked.projects))} is requested"
        )
    for end in named:
        was, wanted = getattr(held, end), getattr(asked, end)
        if was != wanted:
            raise UsageError(f"{another}: --{end} was {stamp(was)}, but is {stamp(wanted)} now")
    for project, progress in sorted(held.projects.items()):
        age_h = (time.time() - progress.asked_s) / _SECONDS_PER_HOUR
        if progress.token and not 0 <= age_h < TOKEN_HOURS:
            raise UsageError(
                f"{folder}: {project} was interrupted {age_h:,.0f} h ago, and Cloud Logging keeps"
                f" a position for {TOKEN_HOURS} h. Remove the folder, or give it to --traffic for"
                " the part of the window that it has"
            )


def _require_whole(spool: Spool) -> None:
    held = sum(1 for _ in spool.folder.glob("*.jsonl.gz"))
    # Counted first: a damaged record may name more pages than anybody can look for.
    if sum(one.pages for one in spool.state.projects.values()) > held + 1:
        raise UsageError(
            f"{spool.folder}: pages are missing ({held:,} found): remove the folder and start again"
        )
    gone = [path.name for path in spool.files() if not path.is_file()]
    if gone:
        raise UsageError(f"{spool.folder}: {gone[0]} is missing: remove the folder and start again")


def _write(path: Path, content: bytes) -> None:
    with writing.written_whole(path, is_own=True) as beside:
        beside.touch(mode=_PRIVATE_FILE)
        beside.write_bytes(content)
