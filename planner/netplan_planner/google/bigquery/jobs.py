"""Queries as jobs of one session: labelled, bounded in bytes, cancelled on an interrupt."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from google.api_core.exceptions import (
    BadGateway,
    BadRequest,
    Forbidden,
    GatewayTimeout,
    GoogleAPICallError,
    InternalServerError,
    NotFound,
    RetryError,
    ServiceUnavailable,
    TooManyRequests,
)
from google.api_core.retry import Retry, if_exception_type
from google.auth.exceptions import GoogleAuthError
from google.cloud import bigquery
from requests.exceptions import ConnectionError as NotConnected
from requests.exceptions import Timeout

from netplan_planner.errors import AccessError, InputError, NetplanError, UsageError

LABELS = {"tool": "netplan"}
_ATTEMPT_S = 60.0
"""Of one request."""
_RETRY_S = 120.0
"""Of one request with all that are made again; the library's own is ten minutes."""
_JOB_S = 3600.0
READING = (
    "it takes roles/bigquery.jobUser in the project that pays, and roles/bigquery.dataViewer on the"
    " dataset"
)
"""Not roles/bigquery.readSessionUser: results come by REST, and not by the Storage API."""
WRITING = (
    "it takes roles/bigquery.dataEditor on that dataset, which holds nothing but the sums of days"
    " that netplan keeps there"
)
_LONGEST = 300


class Jobs:
    """Runs queries in one session of a client; see the module."""

    def __init__(self, client: bigquery.Client, location: str | None, shown: str) -> None:
        self._client = client
        self._location = location
        self._shown = shown
        self._session_id: str | None = None
        self.bytes_billed = 0
        """Of the queries that were answered; one that fails is not billed."""
        self.has_cancelled = False
        """Whether a query was cancelled, which may be billed, and is not counted."""
        self.most_bytes: int | None = None
        """What may be billed in all; None: no bound was given."""

    def dry_run_bytes(self, query: str, *, writes: str | None = None) -> int:
        """Return how many bytes a query would read; see `run`."""
        config = bigquery.QueryJobConfig(dry_run=True, use_query_cache=False, labels=LABELS)
        with self._told(writes):
            return int(self._begun(query, config).total_bytes_processed or 0)

    def run(
        self, query: str, parameters: Sequence[Any] = (), *, writes: str | None = None
    ) -> bigquery.table.RowIterator:
        """Run a query in the session, and return its rows.

        Args:
            query: In BigQuery's dialect.
            parameters: Its parameters.
            writes: The dataset that it writes to, as messages name it; None: temporary tables.
        """
        config = bigquery.QueryJobConfig(
            labels=LABELS, query_parameters=list(parameters), use_query_cache=False
        )
        if self._session_id is None:
            config.create_session = True
        else:
            session = bigquery.ConnectionProperty("session_id", self._session_id)
            config.connection_properties = [session]
        if self.most_bytes is not None:
            config.maximum_bytes_billed = max(self.most_bytes - self.bytes_billed, 1)
        with self._told(writes):
            job = self._begun(query, config)
            try:
                rows = job.result(retry=retry(), timeout=_JOB_S, job_retry=None)
            except KeyboardInterrupt:
                self.has_cancelled = True
                with suppress(GoogleAPICallError, RetryError):
                    job.cancel(retry=retry(), timeout=_ATTEMPT_S)
                raise
        if self._session_id is None and job.session_info is not None:
            self._session_id = job.session_info.session_id
        self.bytes_billed += int(job.total_bytes_billed or 0)
        return rows

    def _begun(self, query: str, config: bigquery.QueryJobConfig) -> bigquery.QueryJob:
        return self._client.query(
            query,
            job_config=config,
            location=self._location,
            retry=retry(),
            timeout=_ATTEMPT_S,
            job_retry=None,
        )

    def close(self) -> None:
        """End the session, and with it its temporary tables; the service ends it after a day."""
        if self._session_id is not None:
            with suppress(NetplanError):
                self.run("CALL BQ.ABORT_SESSION()")
            self._session_id = None

    @contextmanager
    def _told(self, writes: str | None) -> Iterator[None]:
        """Say what the service refuses, by name."""
        with told(self._shown) if writes is None else told(writes, WRITING):
            yield


@contextmanager
def told(shown: str, roles: str = READING) -> Iterator[None]:
    """Turn refusals of the service into errors that say what to do."""
    try:
        yield
    except Forbidden as exc:
        text = _why(exc)
        if _reason(exc) in {"quotaExceeded", "rateLimitExceeded"}:
            raise NetplanError(
                f"{shown}: a quota of BigQuery is used up: {text}; wait, or raise it (console,"
                " Quotas page)"
            ) from exc
        raise AccessError(f"{shown}: not permitted: {text}; {roles}") from exc
    except TooManyRequests as exc:
        raise NetplanError(f"{shown}: too many requests: {_why(exc)}; wait a minute") from exc
    except NotFound as exc:
        raise InputError(
            f"{shown}: not found: {_why(exc)}; a dataset of another location is not found either"
        ) from exc
    except BadRequest as exc:
        if _reason(exc) == "bytesBilledLimitExceeded":
            raise UsageError(
                f"{shown}: the query would be billed for more than --max-cost allows: {_why(exc)};"
                " take a shorter window (--since, --until), or allow more"
            ) from exc
        raise NetplanError(f"{shown}: BigQuery refuses a statement: {_why(exc)}") from exc
    except GoogleAuthError as exc:
        raise AccessError(
            f"{shown}: no credentials: {_why(exc)}; run gcloud auth application-default login"
        ) from exc
    except (GoogleAPICallError, RetryError, NotConnected, Timeout) as exc:
        raise NetplanError(f"{shown}: BigQuery does not answer: {_why(exc)}") from exc


def _reason(error: GoogleAPICallError) -> str:
    for one in error.errors or ():
        if isinstance(one, dict) and one.get("reason"):
            return str(one["reason"])
    return ""


def _why(error: Exception) -> str:
    text = error.message if isinstance(error, GoogleAPICallError) else str(error)
    return " ".join(str(text).split())[:_LONGEST]


def retry() -> Retry:
    """Return what is tried again, for how long: answers that another try may change."""
    again = if_exception_type(
        InternalServerError, BadGateway, ServiceUnavailable, GatewayTimeout, TooManyRequests
    )
    return Retry(predicate=again, initial=1.0, maximum=20.0, timeout=_RETRY_S)
