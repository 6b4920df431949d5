"""BigQuery as it is asked: what a dataset holds, and queries as jobs.

A job has an id of ours, so that a request that is made again finds the job that the first one
began, which is billed once. What ends a reading cancels the job that is under way.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn, TypeVar
from uuid import uuid4

import msgspec

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.wire import (
    Dataset,
    Job,
    JobError,
    ResultPage,
    Row,
    Table,
    TablePage,
    read_results,
    reader_of,
)
from netplan_planner.google.compute_methods import (
    DATASET_GET,
    JOB_CANCEL,
    JOB_GET,
    JOB_INSERT,
    JOB_RESULTS,
    TABLE_GET,
    TABLE_LIST,
    QueryMethod,
)
from netplan_planner.google.exchange import Passing
from netplan_planner.google.paging import each_page
from netplan_planner.google.refusals import NOT_FOUND, Refusal, Request, error_message, path_of
from netplan_planner.google.transport import NotWhole, Transport

T = TypeVar("T")

_BAD_REQUEST, _CONFLICT, _UNAVAILABLE = 400, 409, 503
_REFUSED = range(400, 500)
"""Statuses of an answer after which there is no job."""
_PASSING = frozenset(
    {
        "rateLimitExceeded",
        "jobRateLimitExceeded",
        "backendError",
        "jobBackendError",
        "internalError",
        "jobInternalError",
    }
)
"""Why a job fails that may be run again (docs.cloud.google.com/bigquery/docs/error-messages)."""
_WAIT_S = 10.0
"""How long the service may wait for the end of a job before it answers; it takes at most 200 s."""
_PAUSE_S = 0.2
"""Before it is asked again: it may not wait at all."""


class Ran(NamedTuple):
    """A query that is over."""

    bytes_billed: int | None
    """None: the service does not say."""
    session_id: str | None
    pages: Iterator[list[Row]]
    """Asked for as they are taken; may raise a `Refusal`."""


class Service:
    """Asks by a transport; the queries are those of one project, which pays."""

    def __init__(self, transport: Transport, project: str) -> None:
        self._transport = transport
        self._project = project
        self.has_cancelled = False
        """Whether a query was cancelled, which may be billed, and is not counted."""

    def location(self, place: Place) -> str | None:
        """Return where a dataset is."""
        return self._asked(DATASET_GET, _names(place), reader_of(Dataset)).location

    def tables(self, place: Place) -> list[str]:
        """Return the names of a dataset's tables."""

        def page_at(token: str) -> TablePage:
            return self._asked(TABLE_LIST, _names(place), reader_of(TablePage), _at(token))

        pages = each_page(page_at, self._transport.options.max_pages)
        return [one.table_reference.table_id for page in pages for one in page.tables]

    def table(self, place: Place, name: str) -> Table:
        """Return what a table of a dataset is."""
        return self._asked(TABLE_GET, _names(place) | {"table": name}, reader_of(Table))

    def dry_run(self, configuration: Mapping[str, Any], location: str | None) -> int:
        """Return how many bytes a query would read."""
        return self._insert({**configuration, "dryRun": True}, location, _bytes_to_read)

    def run(self, configuration: Mapping[str, Any], location: str | None) -> Ran:
        """Run a query, again where it fails by what may pass."""
        return self._transport.again(JOB_INSERT.id, lambda: self._run(configuration, location))

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def _run(self, configuration: Mapping[str, Any], location: str | None) -> Ran:
        name = f"netplan_{uuid4().hex}"
        job, first = None, None
        try:
            job = self._begun(name, configuration, location)
            location = job.job_reference.location or location
            if not job.is_over:
                job, first = self._over(name, location)
        except BaseException as exc:
            is_refused = isinstance(exc, Refusal) and exc.status in _REFUSED
            if job is not None or not is_refused:
                self._cancel(name, location)
            raise
        error = job.status.error_result
        if error is not None:
            _fail(error)
        session = job.statistics.session_info
        billed = job.statistics.query.total_bytes_billed
        return Ran(
            bytes_billed=None if billed is None else int(billed),
            session_id=None if session is None else session.session_id,
            pages=self._rows(name, location, first),
        )

    def _begun(self, name: str, configuration: Mapping[str, Any], location: str | None) -> Job:
        # So that it ends where nobody is left to cancel it.
        bound = {"jobTimeoutMs": str(max(int(self._transport.left_s * 1000), 1))}
        try:
            return self._insert({**configuration, **bound}, location, reader_of(Job), name)
        except Refusal as exc:
            if exc.status != _CONFLICT:
                raise
        return self._job(name, location)

    def _insert(
        self,
        configuration: Mapping[str, Any],
        location: str | None,
        decode: Callable[[bytes], T],
        name: str | None = None,
    ) -> T:
        reference = {"projectId": self._project, "jobId": name, "location": location}
        body = {
            "configuration": configuration,
            "jobReference": {key: value for key, value in reference.items() if value is not None},
        }
        names = {"project": self._project}
        return self._asked(JOB_INSERT, names, decode, body=msgspec.json.encode(body))

    def _job(self, name: str, location: str | None) -> Job:
        return self._asked(JOB_GET, self._of_job(name), reader_of(Job), _in(location))

    def _over(self, name: str, location: str | None) -> tuple[Job, ResultPage | None]:
        """Wait for the end of a job; return it, with its first page where it has rows."""
        wait_s = min(_WAIT_S, self._transport.options.timeout_s / 2)
        query = {"timeoutMs": str(max(int(wait_s * 1000), 1))}
        while True:
            try:
                page = self._results(name, location, query)
            except Refusal as exc:
                # Where the job has failed, that may be the answer; the job itself tells.
                job = self._job(name, location) if exc.status else None
                if job is None or job.status.error_result is None:
                    raise
                return job, None
            if page.is_complete:
                return self._job(name, location), page
            self._transport.pause(_PAUSE_S)

    def _rows(
        self, name: str, location: str | None, first: ResultPage | None
    ) -> Iterator[list[Row]]:
        def page_at(token: str) -> ResultPage:
            if first is not None and not token:
                return first
            return self._results(name, location, _at(token))

        count = 0
        for page in each_page(page_at, self._transport.options.max_pages):
            count += len(page.rows)
            yield page.rows
        if count != page.row_count:
            raise Refusal(f"{JOB_RESULTS.id}: {count:,} rows came of {page.row_count:,}")

    def _results(self, name: str, location: str | None, query: Mapping[str, str]) -> ResultPage:
        return self._asked(
            JOB_RESULTS, self._of_job(name), read_results, {**query, **_in(location)}
        )

    def _cancel(self, name: str, location: str | None) -> None:
        self._transport.spare(self._transport.options.timeout_s)
        try:
            self._asked(JOB_CANCEL, self._of_job(name), len, _in(location), body=b"{}")
        except Refusal as exc:
            # A job that was never begun costs nothing.
            self.has_cancelled |= exc.status != NOT_FOUND
        else:
            self.has_cancelled = True

    def _asked(
        self,
        method: QueryMethod,
        names: Mapping[str, str],
        decode: Callable[[bytes], T],
        query: Mapping[str, str] = {},
        body: bytes | None = None,
    ) -> T:
        request = Request(
            method=method.id,
            path=path_of(method.path, names),
            query={"prettyPrint": "false", **query},
            permission=method.permission,
            disabled=f"the BigQuery API is disabled (403); run `gcloud services enable"
            f" bigquery.googleapis.com --project={self._project}`",
            missing=f"{method.id}: not found (404)",
            forbidden=f"it needs the permission {method.permission}",
            body=body,
        )
        return self._transport.get(request, decode)

    def _of_job(self, name: str) -> dict[str, str]:
        return {"project": self._project, "job": name}


def _fail(error: JobError) -> NoReturn:
    """Raise what ended a job, with the status that the service gives it in other answers."""
    why = error_message(error) or error.reason
    if error.reason in _PASSING:
        raise Passing(why, status=_UNAVAILABLE, error=error)
    raise Refusal(f"{JOB_INSERT.id}: {why}", _BAD_REQUEST, error)


def _names(place: Place) -> dict[str, str]:
    return {"project": place.project, "dataset": place.dataset}


def _at(token: str) -> dict[str, str]:
    return {"pageToken": token} if token else {}


def _in(location: str | None) -> dict[str, str]:
    return {"location": location} if location else {}


def _bytes_to_read(body: bytes) -> int:
    found = reader_of(Job)(body).statistics.query.total_bytes_processed
    if found is None:
        # No cost is not a cost of nothing.
        raise NotWhole("the bytes to read are not stated")
    return int(found)
