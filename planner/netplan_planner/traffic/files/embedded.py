"""The embedded engine, which reads files: one DuckDB connection in a private folder.

Its errors become those of netplan. Beside the verbs of `engine.Engine` it has what files take.
"""

import errno
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from copy import copy
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplan_planner import meter
from netplan_planner.errors import InputError, NetplanError, UsageError
from netplan_planner.tables.engine import duckdb
from netplan_planner.tables.sql import quoted
from netplan_planner.traffic.engine import TABLES, Engine, Row, T, create
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.writing import private_folder

Array = NDArray[Any]

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FETCH_ROWS = 20_000
_INSERT_ROWS = 100_000
_SORTED_ROWS = 4_000_000
"""Numbers that are sorted in memory at a time, some 100 MB."""
_MOST_NUMBER = (1 << 63) - 1
_GIVEN = "given"
"""The name under which rows are handed over."""
_SLICE_ROWS = 1_000_000
MOST_THREADS = 1024
"""More than any machine has cores; the engine makes as many as it is told, until it is killed."""

_MEMORY_LIMIT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT])(i?)B", re.IGNORECASE)
_BYTES_PER_RECORD = 80
"""What a staged record takes."""
_FEWEST_RECORDS, _MOST_RECORDS = 100_000, 8_000_000
"""Bounds of a batch: a small one costs time, and more saves none."""
_SHOWN_CHARACTERS = 40


class EmbeddedEngine:
    """Runs statements with bounded memory; what does not fit goes to the private folder."""

    slice_rows: int | None = _SLICE_ROWS

    def __init__(self, options: TrafficOptions, folder: Path) -> None:
        self.folder = folder
        self._is_stopped = False
        self.most_gbps = options.max_record_gbps
        """What no record can exceed; see `TrafficOptions.max_record_gbps`."""
        _check(options)
        self.batch_records = options.batch_records or _batch_records(options.memory_limit)
        """How many records are staged at a time."""
        config: dict[str, Any] = {
            "memory_limit": options.memory_limit,
            "temp_directory": str(folder / "spill"),
            "preserve_insertion_order": "false",
            # Nothing is fetched: the extensions that are used are part of the package.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        if options.threads is not None:
            config["threads"] = str(options.threads)
        try:
            with translated():
                self._connection = duckdb.connect(":memory:", config=config)
                self._connection.execute("SET TimeZone = 'UTC'")
                if meter.is_shown():
                    self._connection.execute("SET enable_progress_bar = true")
                    self._connection.execute("SET enable_progress_bar_print = false")
            # The statements put the large side first. Left to itself the engine takes compressed
            # text for a few rows, and builds the joins' hash tables of all its records.
            self._connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        except (duckdb.Error, ReadError) as exc:
            raise UsageError(
                f"the flow-log engine refuses its options: {_first_line(exc)} (memory limit"
                f" {_short(options.memory_limit)}, threads {options.threads})"
            ) from exc

    def done_ratio(self) -> float:
        """Return which share of the statement under way is done; may be asked by any thread."""
        return float(self._connection.query_progress()) / 100

    def close(self) -> None:
        """Close the connection; its temporary files are closed with it."""
        self._connection.close()

    def run(self, statement: str, parameters: Sequence[Any] | None = None) -> None:
        """Run a statement whose result is not wanted."""
        self._execute(statement, parameters)

    def rows(self, statement: str, parameters: Sequence[Any] | None = None) -> list[Row]:
        """Return all rows of a small result."""
        return self._execute(statement, parameters).fetchall()

    @contextmanager
    def in_background(self, work: Callable[[Engine], T]) -> Iterator["Future[T]"]:
        """Do some work in another thread, on a connection of its own to the same tables.

        Leaving waits until it is done; an error stops it.
        """
        twin = copy(self)
        twin._connection = self._connection.cursor()
        with ThreadPoolExecutor(max_workers=1) as pool:
            future = pool.submit(work, twin)
            try:
                yield future
            except BaseException:
                twin._is_stopped = True
                twin._connection.interrupt()
                raise

    def stream(self, statement: str) -> Iterator[list[Row]]:
        """Yield the rows of a result that may be large, some thousand at a time."""
        cursor = self._connection.cursor()
        try:
            with translated():
                cursor.execute(statement)
            while rows := _fetched(cursor):
                yield rows
        finally:
            cursor.close()

    def numbers(self, statement: str) -> NDArray[np.int64]:
        """Return the one column of a result, whole numbers without NULL; all are in memory."""
        found = self._execute(statement, None)
        with translated():
            (column,) = found.fetchnumpy().values()
        return np.asarray(column, dtype=np.int64)

    def ranked(
        self, table: str, key: str, value: str, volume: Mapping[int, Row], wanted: Sequence[int]
    ) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
        """Yield values at ranks as `engine.Engine` has it, in a sixth of the statement's time.

        Key and value become one number, so that plain whole numbers are sorted.
        """
        if not volume:
            return
        keys = np.array(sorted(volume))
        count = np.array([volume[key][2] for key in keys.tolist()])
        most = self.value(f"SELECT MAX({value}) FROM {table}")
        scale = most + 1
        rank = np.array(wanted)
        # As many keys at a time as fit into memory, and into a number.
        parts = np.cumsum(count) // _SORTED_ROWS, keys // (_MOST_NUMBER // scale)
        cuts = np.flatnonzero(np.any(np.diff(parts), axis=0)) + 1
        for some, rows in zip(np.split(keys, cuts), np.split(count[:, None], cuts), strict=True):
            first = some[0]
            numbers = self.numbers(
                f"SELECT (CAST({key} AS BIGINT) - {first}) * {scale} + ({most} - {value}) AS number"
                f" FROM {table} WHERE {value} > 0 AND {key} BETWEEN {first} AND {some[-1]}"
            )
            numbers.sort()
            at = np.minimum(np.cumsum(rows)[:, None] - rows + rank - 1, len(numbers) - 1)
            yield some.tolist(), np.where(rank <= rows, most - numbers[at] % scale, 0)

    def value(self, statement: str) -> Any:
        """Return the one value of a result."""
        return self.rows(statement)[0][0]

    def create(self, *tables: str) -> None:
        """Make tables of the schema, empty."""
        self.run("; ".join(map(create, tables)))

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to a table of the schema, their values in the order of its columns.

        They are handed over in memory, an array a column, without a file between.

        Raises:
            ValueError: If a row has not as many values as the table has columns.
        """
        kinds = tuple(TABLES[table].values())
        remaining = iter(rows)
        while chunk := list(islice(remaining, _INSERT_ROWS)):
            if set(map(len, chunk)) != {len(kinds)}:
                raise ValueError(f"rows for {table} need {len(kinds)} values each")
            columns = zip(kinds, zip(*chunk, strict=True), strict=True)
            self.append(table, [_array(kind, column) for kind, column in columns])

    def append(self, table: str, columns: Sequence[Array]) -> None:
        """Append arrays of equal length to a table of the schema, one for each of its columns."""
        values, given = [], dict[str, Array]()
        for number, (kind, column) in enumerate(zip(TABLES[table].values(), columns, strict=True)):
            name = f"c{number}"
            given[name] = np.ma.getdata(column)
            if np.ma.isMaskedArray(column):
                # Engines before 2.0 do not look at the mask, and take what is under it.
                given[f"{name}_is_null"] = np.ma.getmaskarray(column)
                name = f"CASE WHEN {name}_is_null THEN NULL ELSE {name} END"
            values.append(f"({name})::{kind}")
        # What is handed over belongs to a connection that has nothing else under way.
        with self._connection.cursor() as cursor, translated():
            cursor.register(_GIVEN, given)
            selected = ", ".join(values)
            cursor.execute(f"INSERT INTO {table} SELECT {selected} FROM {_GIVEN}").fetchall()

    def _execute(
        self, statement: str, parameters: Sequence[Any] | None
    ) -> duckdb.DuckDBPyConnection:
        if self._is_stopped:
            raise KeyboardInterrupt
        with translated():
            return self._connection.execute(statement, parameters)

    def columns(self, path: Path, shown: str) -> dict[str, Any]:
        """Return the columns of a Parquet file with their types.

        Raises:
            InputError: If the file is not whole.
        """
        return self.columns_of(f"read_parquet({quoted(str(path))})", path, shown)

    def columns_of(self, relation: str, path: Path, shown: str) -> dict[str, Any]:
        """Return the columns of a relation over a file with their types.

        Raises:
            InputError: If the file cannot be read as what it seems to be.
        """
        try:
            found = self._connection.sql(f"SELECT * FROM {relation}")
        except duckdb.Error as exc:
            text = _first_line(exc).replace(str(path), shown)
            if "sniffing" in text:
                text = "the columns cannot be separated; check for a quote that is not closed"
            raise InputError(f"{shown}: cannot be read: {text}") from exc
        columns = dict(zip(found.columns, found.types, strict=True))
        try:
            # Names of parts are made texts here, and nowhere else.
            str(found.types)
        except UnicodeDecodeError as exc:
            raise InputError(f"{shown}: cannot be read: a column name is not text") from exc
        return columns


def _array(kind: str, column: Sequence[Any]) -> Array:
    """Return the values of a column as the engine takes them, None as its NULL."""
    if kind == "VARCHAR":
        # Not made of the texts at once: that would take a column of equal lengths for a table.
        texts = np.empty(len(column), dtype=object)
        texts[:] = column
        return texts
    if None not in column:
        return np.fromiter(column, dtype=np.int64, count=len(column))
    numbers = (0 if value is None else value for value in column)
    return np.ma.masked_array(
        np.fromiter(numbers, dtype=np.int64, count=len(column)),
        mask=[value is None for value in column],
    )


def _fetched(cursor: duckdb.DuckDBPyConnection) -> list[Row]:
    with translated():
        return cursor.fetchmany(_FETCH_ROWS)


@contextmanager
def translated() -> Iterator[None]:
    """Turn errors of the engine into errors that say what to do."""
    try:
        yield
    except duckdb.OutOfMemoryException as exc:
        raise _too_small(exc) from exc
    except duckdb.IOException as exc:
        raise ReadError(_first_line(exc)) from exc
    except duckdb.InvalidInputException as exc:
        raise ReadError(_first_line(exc)) from exc
    except RuntimeError as exc:
        # What the engine makes of a signal that came while a query ran.
        if "interrupted" in str(exc).casefold():
            raise KeyboardInterrupt from exc
        raise


def _too_small(error: Exception) -> UsageError:
    return UsageError(
        f"the flow logs exceed the memory limit: {_first_line(error)}. Increase it"
        " (--memory-limit), or give a larger temporary folder (--temp-directory)"
    )


def _check(options: TrafficOptions) -> None:
    """Refuse what the engine takes for "no limit", or what stops the process."""
    if not _MEMORY_LIMIT.fullmatch(options.memory_limit.strip()):
        raise UsageError(
            f"the memory limit {_short(options.memory_limit)} is not a size: write a number and a"
            " unit, such as 2GB, 500MB or 1.5GiB"
        )
    if options.threads is not None and not 1 <= options.threads <= MOST_THREADS:
        raise UsageError(f"the number of threads is 1 to {MOST_THREADS}, not {options.threads}")


def _batch_records(memory_limit: str) -> int:
    """Return how many records take a third of the memory limit.

    >>> _batch_records("1GB")
    4166666
    """
    found = _MEMORY_LIMIT.fullmatch(memory_limit.strip())
    assert found is not None
    number, prefix, is_binary = found.groups()
    unit = (1024 if is_binary else 1000) ** ("KMGT".index(prefix.upper()) + 1)
    records = int(float(number) * unit) // 3 // _BYTES_PER_RECORD
    return min(max(records, _FEWEST_RECORDS), _MOST_RECORDS)


def _short(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]!r}…"


class ReadError(InputError):
    """A file that the engine could not read to its end; the text is the engine's."""


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


@contextmanager
def open_engine(options: TrafficOptions) -> Iterator[EmbeddedEngine]:
    """Open an engine in a private temporary folder, removed on every way out.

    Raises:
        UsageError: If the folder cannot be made, or the engine refuses an option.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(private_folder(options.temp_directory))
        except OSError as exc:
            raise UsageError(
                f"{options.temp_directory}: no temporary folder can be created: {exc.strerror}"
            ) from exc
        engine = EmbeddedEngine(options, folder)
        stack.callback(engine.close)
        try:
            yield engine
        except duckdb.Error as exc:
            raise NetplanError(f"the flow-log engine failed: {_first_line(exc)}") from exc
        except OSError as exc:
            if exc.errno not in _FULL:
                raise
            raise UsageError(
                f"{folder.parent}: no space for temporary files: {exc.strerror}; name a larger"
                " folder (--temp-directory)"
            ) from exc
