"""The file that keeps a record of every run of an audit (`audit --record FILE`).

It is DuckDB's: a table of runs, and one for each list that a run holds.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from shutil import copyfile
from types import UnionType
from typing import Any, Union, get_args, get_origin

import duckdb
import msgspec

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json, opened, unreadable
from netplan_planner.model import Value
from netplan_planner.model.report_rows import SCHEMA
from netplan_planner.planning.run_record import RunRecord
from netplan_planner.writing import sole_user, written_whole

FORMAT = f"netplan.history-file/1 of {SCHEMA}"
WAIT_S = 60.0
"""How long a run waits for others that record into the same folder: each takes a second or two."""
_PAUSE_S = 0.1
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    # The file may come from elsewhere: a view in it must not read other files, nor fetch any.
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_SQL = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN", date: "DATE",
        Decimal: "DECIMAL(38, 9)"}  # fmt: skip
_DIGITS = Decimal("1e-9")
_BATCH = 200
"""Rows a statement: one at a time takes a millisecond each."""


def record_of(report: object) -> RunRecord:
    """Return what is kept of a report."""
    return msgspec.convert(report, RunRecord, from_attributes=True)


def check(path: Path) -> None:
    """Find what cannot work before a long run.

    Raises:
        UsageError: If its folder is missing or takes no files.
        InputError: If a file is there that holds no runs.
    """
    folder = path.resolve().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        what = "cannot be written to" if folder.is_dir() else "does not exist"
        raise UsageError(f"--record {path}: the folder {path.parent} {what}")
    if path.exists():
        with _opened(path) as connection:
            _check_format(connection, path)


def add_run(path: Path, record: RunRecord, wait_s: float = WAIT_S) -> None:
    """Add a run to a file, which is made where there is none; it is written whole or not at all.

    Runs that record into the same folder do so one after the other.

    Raises:
        InputError: If the file is of another format, cannot be written, or others do not end.
    """
    until = time.monotonic() + wait_s
    while True:
        with sole_user(path.resolve().parent) as is_alone:
            if is_alone:
                _add(path, record)
                return
        if time.monotonic() >= until:
            raise InputError(
                f"{inert_line(str(path))}: another run still records into this folder after"
                f" {wait_s:.0f} s; this run was not recorded"
            )
        time.sleep(_PAUSE_S)


def _add(path: Path, record: RunRecord) -> None:
    with written_whole(path, is_own=True) as beside:
        if path.exists():
            copyfile(path, beside)
        try:
            with duckdb.connect(str(beside), config=_CONFIG) as connection:
                _insert(connection, record, path)
        except duckdb.Error as exc:
            raise _no_history(path, exc) from exc
        finally:
            beside.with_name(f"{beside.name}.wal").unlink(missing_ok=True)


def _insert(connection: duckdb.DuckDBPyConnection, record: RunRecord, path: Path) -> None:
    is_new = not connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall()[0][0]
    connection.begin()
    if is_new:
        for name, kind in _TABLES.items():
            columns = ", ".join(f'"{one}" {_sql(of)}' for one, of in _columns(kind).items())
            connection.execute(f'CREATE TABLE "{name}" (run BIGINT, {columns})')
        connection.execute("CREATE TABLE about AS SELECT ? AS format", [FORMAT])
    _check_format(connection, path)
    (run,) = connection.execute("SELECT coalesce(max(run), 0) + 1 FROM runs").fetchall()[0]
    for name, kind in _TABLES.items():
        rows = [record] if kind is RunRecord else getattr(record, name)
        names = _columns(kind)
        marks = f"({', '.join('?' * (len(names) + 1))})"
        for batch in (rows[at : at + _BATCH] for at in range(0, len(rows), _BATCH)):
            cells = [
                cell
                for row in batch
                for cell in (run, *(_cell(getattr(row, one)) for one in names))
            ]
            values = ", ".join([marks] * len(batch))
            connection.execute(f'INSERT INTO "{name}" VALUES {values}', cells)
    connection.commit()


def runs_in(path: Path) -> tuple[RunRecord, ...]:
    """Return the runs of a file, in the order in which they were recorded.

    Raises:
        InputError: If it is no such file.
    """
    with _opened(path) as connection:
        _check_format(connection, path)
        lists = {
            name: _by_run(connection, name, kind)
            for name, kind in _TABLES.items()
            if kind is not RunRecord
        }
        runs = connection.execute(_select("runs", RunRecord)).fetchall()
    fields = _columns(RunRecord)
    return tuple(
        msgspec.convert(
            _fields(fields, row) | {name: of.get(run, []) for name, of in lists.items()},
            RunRecord,
        )
        for run, *row in runs
    )


@contextmanager
def _opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        with opened(path):
            pass
        with duckdb.connect(str(path), read_only=True, config=_CONFIG) as connection:
            yield connection
    except OSError as exc:
        raise unreadable(path, exc) from exc
    except (duckdb.Error, msgspec.MsgspecError) as exc:
        raise _no_history(path, exc) from exc


def _by_run(
    connection: duckdb.DuckDBPyConnection, name: str, kind: type[Value]
) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    fields = _columns(kind)
    for run, *row in connection.execute(_select(name, kind)).fetchall():
        found.setdefault(run, []).append(msgspec.convert(_fields(fields, row), kind))
    return found


def _select(name: str, kind: type[Value]) -> str:
    columns = ", ".join(f'"{one}"' for one in _columns(kind))
    return f'SELECT run, {columns} FROM "{name}" ORDER BY run, rowid'


def _fields(fields: dict[str, Any], row: list[Any]) -> dict[str, Any]:
    """Return the cells of a row by name; what is no column of its own type is JSON."""
    return {
        name: cell if cell is None or _plain(kind) else decode_json(cell, kind)
        for (name, kind), cell in zip(fields.items(), row, strict=True)
    }


def _columns(kind: type[Value]) -> dict[str, Any]:
    """Return the fields of a row that are no table of their own."""
    return {
        field.encode_name: field.type
        for field in msgspec.structs.fields(kind)
        if kind is not RunRecord or field.name not in _TABLES
    }


def _plain(kind: Any) -> type | None:
    """Return the type whose column holds a field; None: none does."""
    if get_origin(kind) in (Union, UnionType):
        kinds = [one for one in get_args(kind) if one is not type(None)]
        return _plain(kinds[0]) if len(kinds) == 1 else None
    return next((one for one in _SQL if isinstance(kind, type) and issubclass(kind, one)), None)


def _sql(kind: Any) -> str:
    plain = bool if kind is bool else _plain(kind)
    return _SQL[plain] if plain else "JSON"


def _cell(value: Any) -> Any:
    if isinstance(value, Decimal):
        return value.quantize(_DIGITS)
    if isinstance(value, str):
        # Of a choice its text.
        return str(value)
    if value is None or isinstance(value, bool | int | float | date):
        return value
    return msgspec.json.encode(value).decode()


def _check_format(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    found = connection.execute("SELECT format FROM about").fetchall()
    if found != [(FORMAT,)]:
        told = inert_line(str(found[0][0]) if found else "none")
        raise InputError(
            f"{inert_line(str(path))}: its format is {told}, not {FORMAT}: record into a new file"
        )


def _no_history(path: Path, exc: Exception) -> InputError:
    why = next(iter(str(exc).splitlines()), "")
    return InputError(
        f"{inert_line(str(path))}: no history that audit --record wrote: {inert_line(why)}"
    )


def _tables() -> Iterator[tuple[str, type[Value]]]:
    yield "runs", RunRecord
    for field in msgspec.structs.fields(RunRecord):
        row = next(iter(get_args(field.type)), None)
        if get_origin(field.type) is tuple and isinstance(row, type) and issubclass(row, Value):
            yield field.name, row


_TABLES: dict[str, type[Value]] = dict(_tables())
