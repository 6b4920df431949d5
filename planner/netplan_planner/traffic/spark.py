"""Flow records on Spark, through Spark Connect: Spark from version 4 on, and Sail.

Every table is Parquet in one work folder, which the server writes and reads. Typed records are
written there as well, once: as views their expressions would be computed again in each statement.
What is written survives lost executors.
"""

import posixpath
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

import grpc
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.connect.client.retries import DefaultPolicy
from pyspark.sql.types import DataType, StructType

from netplan_planner.errors import NetplanError, UsageError
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.tables.sql import identifier
from netplan_planner.traffic import remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.engine import Engine, Row, T, at_once
from netplan_planner.traffic.entry_fields import Fields
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.records import COLUMNS, TYPES, flow_record
from netplan_planner.traffic.schema import TABLES
from netplan_planner.traffic.spelling import SPARK
from netplan_planner.traffic.translation import Dialect, taken_apart, translate

_ENTRIES = "log_entry"
_RECORDS = "flow_record"
_STREAMED_ROWS = 20_000
_OLDEST_VERSION = 4
_LONGEST = 300
_KINDS = {
    "string": "varchar",
    "double": "double",
    "float": "float",
    "long": "bigint",
    "integer": "bigint",
    "short": "bigint",
    "byte": "bigint",
    "boolean": "boolean",
    "timestamp": "timestamp with time zone",
    "timestamp_ntz": "timestamp",
}
"""Spark's types as `Fields` calls them; a field of another type is as good as missing."""


class SparkEngine:
    """Runs the statements on a server; see `engine.Engine`."""

    slice_rows: int | None = None

    def __init__(self, session: SparkSession, work: str) -> None:
        self._session = session
        self._work = work
        self._parts: dict[str, list[str]] = {}
        self._count = 0
        with _told(session):
            session.conf.set("spark.sql.session.timeZone", "UTC")
            # Where a server has it off, what overflows would go round without a word.
            session.conf.set("spark.sql.ansi.enabled", "true")

    def take_records(self, paths: Sequence[str]) -> None:
        """Make `flow_record` of log entries in Parquet, as a BigQuery export has them.

        Args:
            paths: Files or folders, as the server names them.
        """
        with _told(self._session):
            # Files of one folder differ: a field that never occurred has no column.
            entries = self._session.read.option("mergeSchema", "true").parquet(*paths)
            entries.createOrReplaceTempView(_ENTRIES)
            fields = Fields(_tree(entries.schema, ""), SPARK)
            query = flow_record(
                fields,
                _ENTRIES,
                source_name=fields.text("insertId"),
                is_entry="true",
                with_details=True,
            )
            self._store(_RECORDS, self._frame(translate(query, Dialect.SPARK), _RECORDS))

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
            with _told(self._session):
                self._store(table, self._session.createDataFrame(given))

    def run(self, statement: str) -> None:
        """Run a statement whose rows go to a table."""
        query, table, replaces = taken_apart(statement, Dialect.SPARK)
        if table is None:
            raise ValueError("a query whose rows are not wanted")
        with _told(self._session):
            frame = self._frame(query, table)
            # Written before the old rows are let go: the query may read them.
            self._store(table, frame, replaces=replaces)

    def rows(self, statement: str) -> list[Row]:
        """Return all rows of a small result."""
        return [row for rows in self.stream(statement) for row in rows]

    def stream(self, statement: str) -> Iterator[list[Row]]:
        """Yield the rows of a result."""
        with _told(self._session):
            found = self._session.sql(translate(statement, Dialect.SPARK)).toArrow()
        for batch in found.to_batches(max_chunksize=_STREAMED_ROWS):
            yield list(zip(*(column.to_pylist() for column in batch.columns), strict=True))

    def value(self, statement: str) -> Any:
        """Return the one value of a result."""
        return self.rows(statement)[0][0]

    def in_background(self, work: Callable[[Engine], T]) -> AbstractContextManager[Future[T]]:
        """Do work at once: the statements of a session share its executors anyway."""
        return at_once(self, work)

    def _frame(self, query: str, table: str) -> DataFrame:
        """Return a query's rows with the names and types of a table."""
        kinds = _types(table)
        named = self._session.sql(query).toDF(*kinds)
        return named.select(*(named[name].cast(kind).alias(name) for name, kind in kinds.items()))

    def _store(self, table: str, frame: DataFrame, *, replaces: bool = False) -> None:
        self._count += 1
        path = posixpath.join(self._work, f"{table}-{self._count}")
        frame.write.parquet(path)
        before = [] if replaces else self._parts.get(table, [])
        self._parts[table] = [*before, path]
        self._show(table)

    def _show(self, table: str) -> None:
        """Let statements know a table's rows as they are written now."""
        kinds = _types(table)
        with _told(self._session):
            if self._parts[table]:
                declared = ", ".join(f"`{name}` {kind}" for name, kind in kinds.items())
                frame = self._session.read.schema(declared).parquet(*self._parts[table])
            else:
                columns = ", ".join(f"CAST(NULL AS {kind}) AS `{n}`" for n, kind in kinds.items())
                frame = self._session.sql(f"SELECT {columns} WHERE 1 = 0")
            frame.createOrReplaceTempView(table)


def read_parquet(
    paths: Sequence[str],
    inventory: Inventory,
    options: TrafficOptions,
    *,
    server: str,
    work: str,
) -> TrafficMatrix:
    """Return the traffic matrix of log entries in Parquet that a Spark server reads.

    Args:
        paths: Files or folders, as the server names them (`gs://…`, `s3a://…`, `file:///…`).
        inventory: What the addresses of the records are looked up in.
        options: Choices; what bounds the embedded engine means nothing here.
        server: Its address, `sc://host:15002`.
        work: A folder that the server can write. One of a new name is made in it, and removed at
            the end where it is on this machine.

    Raises:
        InputError: If there is no record to use.
        UsageError: If the server cannot be reached, or is too old.
        NetplanError: If it fails.
    """
    folder = posixpath.join(work, f"netplan-{uuid4().hex}")
    try:
        with connected(server) as session:
            engine = SparkEngine(session, folder)
            engine.take_records(paths)
            return remote.read(
                engine,
                inventory,
                options,
                shown=", ".join(paths),
                inputs=Inputs(count=len(paths)),
            )
    finally:
        _remove(folder)


@contextmanager
def connected(server: str) -> Iterator[SparkSession]:
    """Open a session on a server, ended on every way out.

    Raises:
        UsageError: If the server cannot be reached, or is too old.
    """
    try:
        session = SparkSession.builder.remote(server).create()
        # A silent server is asked again for some seconds, not for minutes as by the client's own.
        session.client.set_retry_policies([DefaultPolicy(max_retries=6, max_backoff=2_000)])
        version = str(session.version)
    except (PySparkException, grpc.RpcError) as exc:
        raise UsageError(f"{server}: no Spark Connect server answers: {_why(exc)}") from exc
    try:
        if int(version.partition(".")[0]) < _OLDEST_VERSION:
            raise UsageError(
                f"{server}: Spark {version} loses the text of statements that this client sends;"
                f" it takes Spark {_OLDEST_VERSION} or newer"
            )
        yield session
    finally:
        # A server that is gone has no session to end.
        with suppress(PySparkException, grpc.RpcError):
            session.stop()


def _remove(folder: str) -> None:
    """Remove a work folder of this machine; what lies elsewhere is for who named the place."""
    place = urlsplit(folder)
    if place.scheme in ("", "file"):
        shutil.rmtree(unquote(place.path), ignore_errors=True)


@contextmanager
def _told(session: SparkSession) -> Iterator[None]:
    """Say what the server refuses, and stop what it does on an interrupt."""
    try:
        yield
    except (PySparkException, grpc.RpcError) as exc:
        raise NetplanError(f"the Spark server failed: {_why(exc)}") from exc
    except KeyboardInterrupt:
        session.interruptAll()
        raise


def _why(error: Exception) -> str:
    text = error.details() if isinstance(error, grpc.Call) else str(error)
    return " ".join(str(text).split())[:_LONGEST]


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


def _tree(schema: StructType, prefix: str) -> dict[str, Any]:
    """Return columns as `Fields` takes them."""
    tree: dict[str, Any] = {}
    for field in schema.fields:
        name = identifier(field.name)
        sql = f"{prefix}.{name}" if prefix else name
        kind = field.dataType
        if isinstance(kind, StructType):
            tree[field.name.casefold()] = _tree(kind, sql)
        elif (scalar := _scalar(kind)) is not None:
            tree[field.name.casefold()] = (sql, scalar)
    return tree


def _scalar(kind: DataType) -> str | None:
    name = str(kind.typeName())
    return "decimal" if name.startswith("decimal") else _KINDS.get(name)
