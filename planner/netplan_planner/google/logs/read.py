"""Reads flow logs of some projects from Cloud Logging, the oldest first, as far as it is let.

Whatever ends the reading, what was read is of use: the window is then as long as that.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from netplan_planner import meter
from netplan_planner.errors import AccessError, EmptyError, UsageError
from netplan_planner.google.logs import pages
from netplan_planner.google.logs.options import (
    CLOUD_LOGGING,
    SCOPE,
    LogOptions,
    is_view,
    logging_endpoint,
    named,
    view_of,
)
from netplan_planner.google.options import ApiOptions, patient
from netplan_planner.google.refusals import Refusal
from netplan_planner.google.transport import Transport
from netplan_planner.model import ProjectId, Value
from netplan_planner.units import counted
from netplan_planner.writing import private_folder, sole_user

DEFAULT_HOURS = 24
LAG = timedelta(minutes=15)
"""The longest aggregation interval: an entry can be written so long after the flow it tells of
began (docs.cloud.google.com/vpc/docs/about-flow-logs-records, 2026-11)."""
_LATE = timedelta(minutes=5)
"""For entries on their way; of seven recorded ones the latest came 4 min 14 s after its flow."""
_EXPORT = (
    "for a window this large, export the logs to Cloud Storage or BigQuery with a sink, and give"
    " the files to --traffic DIR"
)

Say = Callable[[str], None]


class LogsRead(Value, frozen=True, kw_only=True):
    """What was read, and how much of what was asked for that is."""

    files: tuple[Path, ...]
    """JSON lines, packed."""
    folder: Path
    is_kept: bool
    """Whether the folder is the user's, and stays."""
    since: datetime
    until: datetime
    """End of the window that was read: no flow that began before it is missing."""
    projects: tuple[ProjectId, ...]
    """Those of which anything was read."""
    incomplete: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@contextmanager
def read_flow_logs(
    projects: Sequence[str],
    api: ApiOptions,
    options: LogOptions,
    *,
    since: datetime | None,
    until: datetime | None,
    temp_directory: Path | None = None,
    say: Say = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[LogsRead]:
    """Yield the flow logs of some projects as files, which are there inside the block.

    Args:
        projects: Ids or numbers; flows of a shared network are logged in the project it is of.
            Not asked where the options name views.
        api: Credentials, retries and time limits.
        options: Endpoint, bounds, and the folder that keeps the pages.
        since: Begin of the window (UTC if it names no zone); None: 24 hours before its end.
        until: Its end; None: now.
        temp_directory: Where a folder for the pages is made if none keeps them.
        say: Takes what is worth knowing while one waits.
        now: Tells the time.

    Raises:
        AccessError: If nothing could be read of any project.
        EmptyError: If all was read, and there are no flow logs.
        UsageError: If no project is named, the window is none, the endpoint cannot be used, or the
            folder holds something else.
        InputError: If the folder cannot be written.
    """
    wanted = [ProjectId(project) for project in dict.fromkeys(projects)]
    if options.views:
        wanted = list(dict.fromkeys(map(view_of, options.views)))
    if not wanted or not all(wanted):
        raise UsageError(
            f"--traffic {CLOUD_LOGGING}: name the project of the logs (--project P) or the log"
            " view (--log-view V)"
        )
    endpoint = logging_endpoint(options, api, os.environ)
    asked = _asked(wanted, endpoint.base_url, since, until, now())
    stated = [end for end, value in (("since", since), ("until", until)) if value is not None]
    with ExitStack() as stack:
        spool = _spool(stack, options.folder, temp_directory, asked, stated)
        transport = stack.enter_context(closing(Transport(endpoint, patient(api), scopes=(SCOPE,))))
        yield _Reading(spool, transport, options, say).run()


def _asked(
    projects: Sequence[ProjectId],
    endpoint: str,
    since: datetime | None,
    until: datetime | None,
    now: datetime,
) -> pages.State:
    """Return the question; its window ends on a whole minute.

    Raises:
        UsageError: If its window is none.
    """
    this_minute = now.replace(second=0, microsecond=0)
    end = _aware(until) if until is not None else this_minute
    begin = _aware(since) if since is not None else end - timedelta(hours=DEFAULT_HOURS)
    if begin >= end:
        raise UsageError(f"--since {_told(begin)} is not before --until {_told(end)} (UTC)")
    if begin >= now:
        raise UsageError(f"--since {_told(begin)} is in the future (it is {_told(now)} UTC)")
    return pages.State(
        endpoint=endpoint,
        since=begin,
        until=end,
        is_default=since is None and until is None,
        projects={project: pages.Progress() for project in projects},
    )


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _told(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M}"


def _spool(
    stack: ExitStack,
    folder: Path | None,
    temp_directory: Path | None,
    asked: pages.State,
    stated: Sequence[str],
) -> pages.Spool:
    if folder is None:
        try:
            made = stack.enter_context(private_folder(temp_directory))
        except OSError as exc:
            where = temp_directory or "the folder for temporary files"
            raise UsageError(f"{where}: a folder cannot be created there: {exc.strerror}") from exc
        folder = made / CLOUD_LOGGING
    pages.make_folder(folder)
    if not stack.enter_context(sole_user(folder)):
        raise UsageError(f"{folder}: another run writes to it; wait until it ends")
    return pages.open_spool(folder, asked, named=stated)


class _Reading:
    """One run over some projects, side by side in the time of their entries."""

    def __init__(
        self, spool: pages.Spool, transport: Transport, options: LogOptions, say: Say
    ) -> None:
        self._spool = spool
        self._state = spool.state
        self._transport = transport
        self._options = options
        self._say = say
        self._pace = pages.Pace(options.requests_per_minute, transport.pause)
        self._refused: dict[ProjectId, str] = {}
        """Projects of which nothing could be read."""
        self._stopped = ""
        """Why reading ended before its end."""
        self._is_estimated = False

    def run(self) -> LogsRead:
        """Read what is not there yet."""
        self._announce()
        tokens: set[tuple[ProjectId, str]] = set()
        with meter.work("reading Cloud Logging", unit="records"):
            meter.advance(self._state.record_count)
            while not self._stopped and (project := self._next()) is not None:
                if self._state.record_count >= self._options.most_records:
                    self._stopped = f"stopped after {self._count()} (--max-log-records)"
                    break
                self._page(project, tokens)
                self._estimate()
        return self._result()

    def _next(self) -> ProjectId | None:
        """Return the project that is least far, so that all of them are read to the same time."""
        left = [
            project
            for project, progress in self._state.projects.items()
            if not progress.is_done and project not in self._refused
        ]
        return min(left, key=lambda project: (self._reached(project), project), default=None)

    def _reached(self, project: ProjectId) -> datetime:
        return self._state.projects[project].latest or self._state.since

    def _page(self, project: ProjectId, tokens: set[tuple[ProjectId, str]]) -> None:
        progress = self._state.projects[project]
        state = self._state
        request = pages.entries_request(
            project, state.since, state.until + LAG + _LATE, progress.token
        )
        self._pace.begin()
        try:
            page = self._transport.get(request, pages.read_page)
        except Refusal as exc:
            if progress.is_begun:
                self._stopped = f"stopped in {named(project)}: {exc}"
            else:
                self._refused[project] = str(exc)
            return
        if page.token and (project, page.token) in tokens:
            self._stopped = f"stopped in {named(project)}: a page points back to an earlier one"
            return
        if len(tokens) >= self._transport.options.max_pages:
            self._stopped = f"stopped in {named(project)}: more than {len(tokens):,} pages"
            return
        tokens.add((project, page.token))
        self._spool.add(project, page)
        meter.advance(page.record_count)

    def _announce(self) -> None:
        options = self._options
        minutes = options.most_records / options.records_per_minute
        more = f", of which {self._count()} are stored" if self._state.record_count else ""
        self._say(
            f"reading flow logs of {_told(self._state.since)} to {_told(self._state.until)} UTC"
            f" from Cloud Logging, at most {options.most_records:,} records"
            f" (--max-log-records){more}: {_minutes(minutes)} for that many, at"
            f" {options.requests_per_minute:g} requests per minute"
        )

    def _estimate(self) -> None:
        """Say how long all of it will take, once every project has shown how dense its logs are."""
        ways = [p for name, p in self._state.projects.items() if name not in self._refused]
        if self._is_estimated or not all(p.is_begun for p in ways) or all(p.is_done for p in ways):
            return
        records = 0.0
        for progress in ways:
            read_s = ((progress.latest or self._state.since) - self._state.since).total_seconds()
            window_s = (self._state.until - self._state.since).total_seconds()
            if progress.is_done:
                records += progress.records
            elif progress.records and read_s > 0:
                records += max(progress.records * window_s / read_s, progress.records)
            else:
                # So far an empty answer: nothing to go by yet.
                return
        self._is_estimated = True
        minutes = records / self._options.records_per_minute
        text = f"estimate from the first pages: {records:,.0f} records: {_minutes(minutes)}"
        if records > self._options.most_records:
            text += f", of which {self._options.most_records:,} are read; {_EXPORT}"
        self._say(text)

    def _count(self) -> str:
        return counted(self._state.record_count, "record")

    def _result(self) -> LogsRead:
        state = self._state
        read = [name for name in sorted(state.projects) if name not in self._refused]
        if not read:
            raise AccessError(
                "nothing could be read from Cloud Logging: "
                + "; ".join(f"{name}: {why}" for name, why in sorted(self._refused.items()))
            )
        until = self._until(read)
        where = ", ".join(read)
        window = f"{_told(state.since)} to {_told(until)} UTC"
        files = self._spool.files()
        if not files:
            if self._stopped:
                raise AccessError(f"nothing could be read from Cloud Logging: {self._stopped}")
            raise EmptyError(
                f"Cloud Logging has no flow logs of {where}, {window}. Check that flow logs are"
                " on and that no sink excludes them"
            )
        incomplete = [
            f"Cloud Logging, {named(name)}: {why}" for name, why in sorted(self._refused.items())
        ]
        if self._stopped:
            goes_on = "" if self._options.folder is None else "; the same command continues there"
            incomplete.append(
                f"Cloud Logging: {self._stopped}: the window read is {window}, but"
                f" {_told(state.until)} was requested; {_EXPORT}{goes_on}"
            )
        silent = [name for name in read if not state.projects[name].records]
        return LogsRead(
            files=files,
            folder=self._spool.folder,
            is_kept=self._options.folder is not None,
            since=state.since,
            until=until,
            projects=tuple(name for name in read if not is_view(name)),
            incomplete=tuple(incomplete),
            notes=(
                f"{self._count()} of {where} read from Cloud Logging, {window}"
                + (" (default window: the last 24 hours)" if state.is_default else ""),
                *self._late(),
                *((f"no flow logs of {', '.join(silent)} in that time",) if silent else ()),
            ),
        )

    def _late(self) -> tuple[str, ...]:
        """Return what is said where the window ended just before it was read."""
        whole_from_s = (self._state.until + LAG).timestamp()
        ended = [one.asked_s for one in self._state.projects.values() if one.is_done]
        if all(asked_s >= whole_from_s for asked_s in ended):
            return ()
        return (
            "the window ends at the time of reading: records of the last 15 minutes may be"
            " missing (set --until to an earlier time)",
        )

    def _until(self, read: Sequence[ProjectId]) -> datetime:
        """Return the end of the window of which all was read.

        A flow that began just before the last entry can be told of by a later one.
        """
        state = self._state
        open_ = [name for name in read if not state.projects[name].is_done]
        if not open_:
            return state.until
        reached = min(self._reached(name) for name in open_)
        whole = reached - LAG if reached - LAG > state.since + LAG else reached
        minute = whole.replace(second=0, microsecond=0)
        return min(max(minute, state.since + timedelta(minutes=1)), state.until)


def _minutes(count: float) -> str:
    """Return a time in minutes: `less than a minute`, `17 minutes`.

    >>> _minutes(0.2), _minutes(16.7)
    ('less than a minute', '17 minutes')
    """
    return "less than a minute" if count < 1 else counted(round(count), "minute")
