"""Flow records on Spark, through Spark Connect: Spark from version 4 on, and Sail.

Every table is Parquet in one work folder, which the server writes and reads. Typed records are
written there as well, once: as views their expressions would be computed again in each statement.
What is written survives lost executors.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

import pyarrow as pa
from msgspec.structs import replace
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.client.retries import DefaultPolicy
from pyspark.sql.connect.session import SparkSession as ConnectSession

from netplan_planner.errors import AccessError, NetplanError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.engine import TABLES, RemoteEngine, Row
from netplan_planner.traffic.files.records import COLUMNS, TYPES
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.spark import submitted
from netplan_planner.traffic.spark.calls import FAILURES, Deadline, WorkFolder, error_of, said, told
from netplan_planner.traffic.spark.files import Listed, find_files, records_query
from netplan_planner.traffic.spark.place import SparkPlace
from netplan_planner.traffic.translation import Dialect, taken_apart, translate

_RECORDS = "flow_record"
_STREAMED_ROWS = 20_000
_OLDEST_VERSION = 4
_NAMED = 3
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # Where a server has it off, what overflows would go round without a word.
    "spark.sql.ansi.enabled": "true",
    # Where a server has them on, what cannot be read would be missing without a word.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # The JVM never compiles longer methods (its flag HugeMethodLimit), and typed records make one
    # of 30,000 bytes; beyond this bound Spark makes several of them.
    "spark.sql.codegen.hugeMethodLimit": "8000",
}
"""Of the session, so that it means the same on every server."""


_ENDED: list[SparkSession] = []
"""Sessions that ended: to throw one away would end the threads of the one that is open by then
(`SparkSession.__del__`, of the client 4.0.1 to 4.0.4)."""


class SparkEngine(RemoteEngine):
    """Runs the statements on a server; see `engine.Engine`."""

    def __init__(self, session: SparkSession, work: str, shown: str = "") -> None:
        self._session = session
        self._shown = shown
        self._work = work
        self._parts: dict[str, list[str]] = {}
        self._count = 0
        with told(session, shown):
            for name, value in _SETTINGS.items():
                session.conf.set(name, value)

    def take_records(self, paths: Sequence[str], shown: str) -> Listed:
        """Make `flow_record` of log entries in files, and return how many these are.

        Args:
            paths: Files or folders, as the server names them.
            shown: What they are, as messages name it.
        """
        with told(self._session, shown):
            listed = find_files(self._session, paths, shown)
        with told(self._session, self._shown):
            query = records_query(self._session, paths, listed)
            self._store(_RECORDS, self._frame(query, _RECORDS))
        return listed

    @property
    def has_written(self) -> bool:
        """Whether there may be work files."""
        return self._count > 0

    def create(self, *tables: str) -> None:
        """Make tables of the schema, empty."""
        for table in tables:
            self._parts[table] = []
            self._show(table)

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to a table of the schema."""
        kinds = _types(table)
        columns = list(zip(*_checked(table, len(kinds), rows), strict=True))
        if columns:
            arrays = [
                pa.array(column, _ARROW_TYPES[kind])
                for kind, column in zip(kinds.values(), columns, strict=True)
            ]
            given = pa.table(dict(zip(kinds, arrays, strict=True)))
            with told(self._session, self._shown):
                self._store(table, self._session.createDataFrame(given))

    def run(self, statement: str) -> None:
        """Run a statement whose rows go to a table."""
        query, table, replaces = taken_apart(statement, Dialect.SPARK)
        if table is None:
            raise ValueError("a query whose rows are not wanted")
        with told(self._session, self._shown):
            frame = self._frame(query, table)
            # Written before the old rows are let go: the query may read them.
            self._store(table, frame, replaces=replaces)

    def stream(self, statement: str) -> Iterator[list[Row]]:
        """Yield the rows of a result."""
        with told(self._session, self._shown):
            found = self._session.sql(translate(statement, Dialect.SPARK)).toArrow()
        for batch in found.to_batches(max_chunksize=_STREAMED_ROWS):
            yield list(zip(*(column.to_pylist() for column in batch.columns), strict=True))

    def _frame(self, query: str, table: str) -> DataFrame:
        """Return a query's rows with the names and types of a table."""
        kinds = _types(table)
        named = self._session.sql(query).toDF(*kinds)
        return named.select(*(named[name].cast(kind).alias(name) for name, kind in kinds.items()))

    def _store(self, table: str, frame: DataFrame, *, replaces: bool = False) -> None:
        self._count += 1
        path = posixpath.join(self._work, f"{table}-{self._count}")
        # To look up values in a dictionary takes an eighth of all CPU, for two fifths of the room.
        frame.write.option("parquet.enable.dictionary", "false").parquet(path)
        before = [] if replaces else self._parts.get(table, [])
        self._parts[table] = [*before, path]
        self._show(table)

    def _show(self, table: str) -> None:
        """Let statements know a table's rows as they are written now."""
        kinds = _types(table)
        with told(self._session, self._shown):
            if self._parts[table]:
                declared = ", ".join(f"`{name}` {kind}" for name, kind in kinds.items())
                frame = self._session.read.schema(declared).parquet(*self._parts[table])
            else:
                columns = ", ".join(f"CAST(NULL AS {kind}) AS `{n}`" for n, kind in kinds.items())
                frame = self._session.sql(f"SELECT {columns} WHERE 1 = 0")
            frame.createOrReplaceTempView(table)


def read_logs(
    paths: Sequence[str],
    inventory: Inventory,
    options: TrafficOptions,
    *,
    place: SparkPlace,
    say: Callable[[str], None] = lambda _: None,
) -> TrafficMatrix:
    """Return the traffic matrix of log entries in Parquet or JSON lines that a server reads.

    Args:
        paths: Files or folders, as the server names them (`gs://…`, `s3a://…`, `file:///…`).
        inventory: What the addresses of the records are looked up in.
        options: Choices; what bounds the embedded engine means nothing here.
        place: The server, and the folder in which one of a new name is made for work files. It is
            removed on every way out; where it cannot be, that is said.
        say: Where it goes what is under way.

    Raises:
        InputError: If a path is not there, or there is no record to use.
        UsageError: If the server cannot be reached, or is too old.
        NetplanError: If it fails.
    """
    names = ", ".join(paths[:_NAMED])
    shown = f"{names} and {len(paths) - _NAMED} more" if len(paths) > _NAMED else names
    say(f"asking Spark at {place.shown}")
    deadline = Deadline()
    with connected(place, deadline) as session:
        folder = WorkFolder(place.work)
        engine = SparkEngine(session, folder.path, place.shown)
        try:
            listed = engine.take_records(paths, shown)
            matrix = remote.read(
                engine, inventory, options, shown=shown, inputs=Inputs(files=listed.count)
            )
        except BaseException as exc:
            deadline.allow(place.timeout_s)
            left = folder.remove(session, is_settled=False) if engine.has_written else None
            if left is None:
                raise
            if isinstance(exc, NetplanError):
                raise type(exc)(f"{exc}; {left}") from exc
            # Of an interrupt it is told with the last words of the run.
            exc.add_note(left)
            raise
        left = folder.remove(session, is_settled=True)
    if left is None:
        return matrix
    coverage = matrix.coverage
    return replace(matrix, coverage=replace(coverage, notes=(*coverage.notes, left)))


@contextmanager
def connected(place: SparkPlace, deadline: Deadline | None = None) -> Iterator[SparkSession]:
    """Open a session on a server, ended on every way out.

    Args:
        place: The server, and how long it may take.
        deadline: Of the calls, for who allows them more time later.

    Raises:
        AccessError: If the server refuses, or is silent.
        UsageError: If no server answers, or it is too old.
    """
    if place.remote is None:
        with submitted.session() as session:
            yield session
        return
    with _withheld(place.secrets):
        deadline = deadline or Deadline()
        deadline.allow(min(place.timeout_s, place.total_s))
        channel = DefaultChannelBuilder(place.remote)
        channel.add_interceptor(deadline)
        session = ConnectSession.builder.channelBuilder(channel).create()
        # A server that is gone is asked again for some seconds, not for minutes as by the client's
        # own.
        session.client.set_retry_policies(
            [DefaultPolicy(max_retries=place.max_attempts, max_backoff=2_000)]
        )
        try:
            _require_spark(session, place)
            deadline.allow(place.total_s)
            yield session
            deadline.allow(place.timeout_s)
        finally:
            # A server that is gone has no session to end.
            with suppress(*FAILURES):
                session.stop()
            _ENDED.append(session)


def _require_spark(session: SparkSession, place: SparkPlace) -> None:
    """Let a server say that it is Spark, and new enough.

    Raises:
        AccessError: If the server refuses, or is silent.
        UsageError: If none answers, or it is too old.
    """
    shown = f"--spark-remote {place.shown}"
    try:
        version = str(session.version)
    except FAILURES as exc:
        code, why = said(exc)
        if code in {"UNAUTHENTICATED", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"}:
            raise error_of(exc, shown) from exc
        if code == "DEADLINE_EXCEEDED":
            raise AccessError(
                f"{shown}: no answer within {place.timeout_s:g} s (--timeout). Check that it is a"
                " Spark Connect server, and whether it needs TLS (sc://HOST:PORT/;use_ssl=true)"
            ) from exc
        raise UsageError(
            f"{shown}: no Spark Connect server answers: {why}. Check the address, and whether it"
            " needs TLS (sc://HOST:PORT/;use_ssl=true)"
        ) from exc
    number = version.partition(".")[0]
    if not number.isdecimal():
        raise UsageError(f"{shown}: not a Spark server: its version is {inert_line(version[:80])}")
    if int(number) < _OLDEST_VERSION:
        raise UsageError(
            f"{shown}: Spark {version} loses the text of this client's statements; use Spark"
            f" {_OLDEST_VERSION} or newer"
        )


@contextmanager
def _withheld(secrets: Sequence[str]) -> Iterator[None]:
    """Keep what an address holds beside the server out of messages, which servers quote."""
    try:
        yield
    except NetplanError as exc:
        text = str(exc)
        for secret in secrets:
            text = text.replace(secret, "(not shown)")
        if not secrets:
            raise
        # Nor is the failure behind it shown, which quotes as much.
        raise type(exc)(text) from None


def _checked(table: str, width: int, rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        if len(row) != width:
            raise ValueError(f"rows for {table} need {width} values each")
        yield row


def _types(table: str) -> dict[str, str]:
    """Return the columns of a table with Spark's types: whole numbers of 64 bits, and texts."""
    if table == _RECORDS:
        return {name: _SPARK_TYPES.get(TYPES[name], "BIGINT") for name in COLUMNS}
    return {name: _SPARK_TYPES.get(kind, "BIGINT") for name, kind in TABLES[table].items()}


_ARROW_TYPES = {"STRING": pa.string(), "BIGINT": pa.int64(), "BOOLEAN": pa.bool_()}
_SPARK_TYPES = {"VARCHAR": "STRING", "BOOLEAN": "BOOLEAN"}
