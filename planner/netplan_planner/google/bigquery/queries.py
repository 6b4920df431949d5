"""Queries in BigQuery: what they cost, jobs in one session, and the statements run by them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import islice
from typing import Any

from netplan_planner.errors import AccessError, InputError, NetplanError, UsageError
from netplan_planner.google import refusals
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.bigquery.tables import LogTable
from netplan_planner.google.bigquery.wire import Row as ResultRow
from netplan_planner.model import Value
from netplan_planner.traffic.engine import TABLES, RemoteEngine, Row
from netplan_planner.traffic.files.records import TYPES
from netplan_planner.traffic.translation import Dialect, taken_apart, translate
from netplan_planner.units import BYTES_PER_TIB, cents

USD_PER_TIB = Decimal("6.25")
"""In most locations (cloud.google.com/bigquery/pricing, 2026-11); some cost more, and capacity
(editions) is billed by time instead."""

RAW_RATIO = Decimal("3.9")
LINKED_RATIO = Decimal("2.3")
DAY_RATIO = Decimal("3.5")
KEPT_RATIO = Decimal("12.1")
"""How many times the bytes of the dry run all statements read: of a sink's records, those of Log
Analytics, a day of them that is summed to be kept, and sums that were kept. Of generated records,
as docs/background/scale.md counts them (tests/docs/test_scale.py holds these to it)."""


class Estimate(Value, frozen=True, kw_only=True):
    """What is about to be read, in bytes."""

    told: int
    """By dry runs: of what lies in tables before."""
    in_all: int
    """With the statements over what was read, which no dry run tells."""

    def __add__(self, other: "Estimate") -> "Estimate":
        """Return both."""
        return Estimate(told=self.told + other.told, in_all=self.in_all + other.in_all)

    @property
    def told_usd(self) -> Decimal:
        """What the dry runs tell, at list price."""
        return usd(self.told)

    @property
    def usd(self) -> Decimal:
        """All of it at list price."""
        return usd(self.in_all)

    def __str__(self) -> str:
        """Return bytes and dollars as they are said before the first scan."""
        return (
            f"{self.told:,} bytes to read: ${cents(self.told_usd):,} at ${USD_PER_TIB} per TiB."
            f" With the aggregation about ${cents(self.usd):,}, which no dry run states"
        )


def usd(byte_count: int) -> Decimal:
    """Return what bytes cost at list price."""
    return Decimal(byte_count) * USD_PER_TIB / BYTES_PER_TIB


def of_records(byte_count: int, tables: Iterable[LogTable]) -> Estimate:
    """Return what reading records costs, of which a dry run tells so many bytes."""
    return _times(byte_count, LINKED_RATIO if any(t.is_linked for t in tables) else RAW_RATIO)


def of_days(byte_count: int) -> Estimate:
    """Return what it costs to sum days to be kept, of whose records a dry run tells."""
    return _times(byte_count, DAY_RATIO)


def of_kept(byte_count: int) -> Estimate:
    """Return what reading sums of days costs, of which a dry run tells."""
    return _times(byte_count, KEPT_RATIO)


def of_look(byte_count: int) -> Estimate:
    """Return what a query costs whose answer is not summed further."""
    return Estimate(told=byte_count, in_all=byte_count)


def _times(byte_count: int, ratio: Decimal) -> Estimate:
    return Estimate(told=byte_count, in_all=int(byte_count * ratio))


# Queries in one session: labelled, bounded in bytes, what is refused told by name


LABELS = {"tool": "netplan"}
READING = (
    "it needs roles/bigquery.jobUser in the project that pays, and roles/bigquery.dataViewer on"
    " the dataset"
)
"""Not roles/bigquery.readSessionUser: results come by REST, and not by the Storage API."""
WRITING = (
    "it needs roles/bigquery.dataEditor on that dataset, which holds only netplan's daily sums"
)
MORE = (
    "use a shorter window (--since, --until), or a larger budget (--max-cost USD, or --max-cost"
    " none)"
)
LATER = "try again later, or increase --timeout or --total-timeout"
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
    ) -> Iterator[list[ResultRow]]:
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

    def _pages(self, pages: Iterator[list[ResultRow]]) -> Iterator[list[ResultRow]]:
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
            f"{shown}: not found: {why}. A dataset in another location is not found either"
        )
    if "bytesBilledLimitExceeded" in reasons:
        return UsageError(
            f"{shown}: the query would cost more than --max-cost allows: {why}; {MORE}"
        )
    if refusals.is_passing(status, refusal.error) or status not in _REFUSED:
        later = "" if status in _REDIRECTED else f"; {LATER}"
        return AccessError(f"{shown}: BigQuery returned no usable answer: {refusal}{later}")
    return NetplanError(f"{shown}: BigQuery refused a request: {refusal}")


# The statements in BigQuery: tables of the schema are temporary ones of a session


RECORDS = "flow_record"
_INSERTED_ROWS = 10_000
"""Some megabytes of parameters; a request may have ten."""
_TYPES = {"VARCHAR": "STRING", "BOOLEAN": "BOOL", "DOUBLE": "FLOAT64"}
"""Of the schema's types; the others are whole numbers."""


class BigQueryEngine(RemoteEngine):
    """Runs the statements as jobs of a session; see `engine.Engine`."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def create(self, *tables: str) -> None:
        """Make tables of the schema, empty."""
        statements = []
        for table in tables:
            columns = ", ".join(f"`{name}` {kind}" for name, kind in types(table).items())
            statements.append(f"CREATE OR REPLACE TEMP TABLE `{table}` ({columns})")
        # One job for all of them: a job takes a second, whatever it does. Those of a script stay
        # for the session (docs.cloud.google.com/bigquery/docs/sessions-write-queries).
        self._jobs.run(";\n".join(statements))

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to a table of the schema."""
        kinds = types(table)
        remaining = iter(rows)
        names = ", ".join(f"`{name}`" for name in kinds)
        given = ", ".join(f"g.`{name}`" for name in kinds)
        statement = f"INSERT INTO `{table}` ({names}) SELECT {given} FROM UNNEST(@given) AS g"
        while chunk := list(islice(remaining, _INSERTED_ROWS)):
            if set(map(len, chunk)) != {len(kinds)}:
                raise ValueError(f"rows for {table} need {len(kinds)} values each")
            self._jobs.run(statement, [_given(kinds, chunk)])

    def run(self, statement: str) -> None:
        """Run a statement whose rows go to a table."""
        query, table, replaces = taken_apart(statement, Dialect.BIGQUERY)
        if table is None:
            raise ValueError("a query whose rows are not wanted")
        if replaces:
            self._jobs.run(f"CREATE OR REPLACE TEMP TABLE `{table}` AS {query}")
        else:
            names = ", ".join(f"`{name}`" for name in types(table))
            self._jobs.run(f"INSERT INTO `{table}` ({names}) {query}")

    def stream(self, statement: str) -> Iterator[list[Row]]:
        """Yield the rows of a result, as the service pages it."""
        return self._jobs.run(translate(statement, Dialect.BIGQUERY))


def types(table: str) -> dict[str, str]:
    """Return the columns of a table of the schema with BigQuery's types."""
    columns = TYPES if table == RECORDS else TABLES[table]
    return {name: _TYPES.get(kind, "INT64") for name, kind in columns.items()}


def _given(kinds: Mapping[str, str], rows: Sequence[Row]) -> dict[str, Any]:
    """Return rows as the parameter `given`, as the API takes it: a text for each value."""
    members = [{"name": name, "type": {"type": kind}} for name, kind in kinds.items()]
    values = [
        {name: {"value": _text(value)} for name, value in zip(kinds, row, strict=True)}
        for row in rows
    ]
    return {
        "name": "given",
        "parameterType": {"type": "ARRAY", "arrayType": {"type": "STRUCT", "structTypes": members}},
        "parameterValue": {"arrayValues": [{"structValues": one} for one in values]},
    }


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)
