"""Queries in one session: labelled, bounded in bytes, what is refused told by name."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from netplan_planner.errors import AccessError, InputError, NetplanError, UsageError
from netplan_planner.google import refusals
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.bigquery.wire import Row

LABELS = {"tool": "netplan"}
READING = (
    "it takes roles/bigquery.jobUser in the project that pays, and roles/bigquery.dataViewer on the"
    " dataset"
)
"""Not roles/bigquery.readSessionUser: results come by REST, and not by the Storage API."""
WRITING = (
    "it takes roles/bigquery.dataEditor on that dataset, which holds nothing but the sums of days"
    " that netplan keeps there"
)
MORE = (
    "take a shorter window (--since, --until), or allow more (--max-cost USD, or --max-cost none"
    " for no bound)"
)
LATER = "try again later, or give it more time (--timeout, --total-timeout)"
_REDIRECTED, _REFUSED = range(300, 400), range(400, 500)


class Jobs:
    """Runs queries in one session; see the module."""

    def __init__(
        self, service: Service, location: str | None, shown: str, most_bytes: int | None = None
    ) -> None:
        """Begin nothing yet.

        Args:
            service: Runs them.
            location: Where the datasets are.
            shown: What is read, as messages name it.
            most_bytes: What may be billed in all; None: no bound was given.
        """
        self._service = service
        self._location = location
        self._shown = shown
        self._session_id: str | None = None
        self._most_bytes = most_bytes
        self.bytes_billed = 0
        """Of the queries that were answered and say it; one that fails is not billed."""
        self.unstated_count = 0
        """Queries that were answered, of which the service does not say what was billed."""

    @property
    def has_cancelled(self) -> bool:
        """Whether a query was cancelled, which may be billed, and is not counted."""
        return self._service.has_cancelled

    def dry_run_bytes(self, query: str, *, writes: str | None = None) -> int:
        """Return how many bytes a query would read; see `run`."""
        with self._told(writes):
            return self._service.dry_run(_configuration({"query": query}), self._location)

    def run(
        self,
        query: str,
        parameters: Sequence[Mapping[str, Any]] = (),
        *,
        writes: str | None = None,
    ) -> Iterator[list[Row]]:
        """Run a query in the session, and return its rows, as the service pages them.

        Args:
            query: In BigQuery's dialect.
            parameters: Its parameters, as the API takes them.
            writes: The dataset that it writes to, as messages name it; None: temporary tables.
        """
        asked: dict[str, Any] = {"query": query}
        if parameters:
            asked |= {"parameterMode": "NAMED", "queryParameters": parameters}
        if self._session_id is None:
            asked["createSession"] = True
        else:
            session = {"key": "session_id", "value": self._session_id}
            asked["connectionProperties"] = [session]
        if self._most_bytes is not None:
            asked["maximumBytesBilled"] = str(max(self._most_bytes - self.bytes_billed, 1))
        with self._told(writes):
            ran = self._service.run(_configuration(asked), self._location)
        self._session_id = self._session_id or ran.session_id
        if ran.bytes_billed is None:
            self.unstated_count += 1
        else:
            self.bytes_billed += ran.bytes_billed
        return self._pages(ran.pages)

    def _pages(self, pages: Iterator[list[Row]]) -> Iterator[list[Row]]:
        with self._told(None):
            yield from pages

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


def _configuration(query: Mapping[str, Any]) -> dict[str, Any]:
    return {"labels": LABELS, "query": {"useLegacySql": False, "useQueryCache": False, **query}}


@contextmanager
def told(shown: str, roles: str = READING) -> Iterator[None]:
    """Turn refusals of the service into errors that say what to do."""
    try:
        yield
    except refusals.Refusal as exc:
        raise _error(shown, exc, roles) from exc


def _error(shown: str, refusal: refusals.Refusal, roles: str) -> NetplanError:
    status, reasons = refusal.status, refusal.error.reasons
    why = refusals.error_message(refusal.error) or str(refusal)
    if status == refusals.UNAUTHORIZED or reasons & refusals.DISABLED_REASONS:
        return AccessError(f"{shown}: {refusal}")
    if reasons & refusals.RATE_REASONS:
        return NetplanError(
            f"{shown}: a quota of BigQuery is used up: {why}; wait, or raise it (console, Quotas"
            " page)"
        )
    if status == refusals.FORBIDDEN or "accessDenied" in reasons:
        return AccessError(f"{shown}: not permitted: {why}; {roles}")
    if status == refusals.NOT_FOUND or "notFound" in reasons:
        return InputError(
            f"{shown}: not found: {why}; a dataset of another location is not found either"
        )
    if "bytesBilledLimitExceeded" in reasons:
        return UsageError(
            f"{shown}: the query would be billed for more than --max-cost allows: {why}; {MORE}"
        )
    if refusals.is_passing(status, refusal.error) or status not in _REFUSED:
        later = "" if status in _REDIRECTED else f"; {LATER}"
        return AccessError(f"{shown}: no usable answer of BigQuery: {refusal}{later}")
    return NetplanError(f"{shown}: BigQuery refuses a request: {refusal}")
