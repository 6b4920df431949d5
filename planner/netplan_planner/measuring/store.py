"""The store of measurements: JSON lines that are only ever added to.

Each line is a whole record with its schema and a hash of its content. A line that a crash cut off
stays where it is and is named; the next record begins on a line of its own. Records of one run
count once: the fullest of them, and of equally full ones the last.
"""

import contextlib
import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from netplan_planner import input_files
from netplan_planner.errors import InputError
from netplan_planner.inert import NAME_LENGTH, escaped_json, inert, inert_line, scalars
from netplan_planner.model import Measurement, Value
from netplan_planner.writing import fcntl

SCHEMA = "netplan.measurement/1"
_FAMILY = SCHEMA.rpartition("/")[0]
_HASH_LENGTH = 32
"""Hexadecimal digits: 128 bits."""
_WHERE_FROM = frozenset({"source", "place"})
"""Fields that may differ when the same output is imported again from elsewhere."""
_NOT_WHOLE = "not a complete record"
_FILE_MODE = 0o644
LARGEST_BYTES = 2**30
"""Of a store: a million runs."""

_Fields = dict[str, Any]


class Store(Value, frozen=True, kw_only=True):
    """What a store holds."""

    measurements: tuple[Measurement, ...]
    """One for each run, in the order in which the runs were first recorded."""
    faults: tuple[str, ...] = ()
    """Lines that could not be used, with file, number and reason."""
    repeated_count: int = 0
    """Records beside these of runs that are there more than once."""


class _Record(Value, frozen=True, kw_only=True):
    """One good line."""

    fields: _Fields
    measurement: Measurement

    @property
    def run(self) -> str:
        return self.measurement.run_id or content_hash(self.fields)

    @property
    def fullness(self) -> int:
        return sum(len(one) if isinstance(one, dict) else 1 for one in self.fields.values())


def append(path: Path, measurements: Iterable[Measurement]) -> int:
    """Add measurements at the end of a store, and return how many were not there yet.

    The store is made if it is not there. All lines are written at once, under a lock that other
    processes wait for, and are on the disk when this returns.

    Args:
        path: The store's file; its folder must be there.
        measurements: In the order in which they shall stand.

    Raises:
        InputError: If the file cannot be opened or written, as on a full disk; then it is as it
            was before.
    """
    records = [_checked_fields(one) for one in measurements]
    try:
        with _opened(path, is_writer=True) as file:
            data = file.read()
            if data.strip() and not data.lstrip().startswith(b"{"):
                raise InputError(
                    f"{inert_line(str(path))}: not a store of measurements (JSON lines). Name"
                    " another file; a new one is created"
                )
            lines = _new_lines(data, records, path)
            if lines:
                # The end of a line that a crash cut off stays on a line of its own.
                begin = b"\n" if data and not data.endswith(b"\n") else b""
                _write(file, begin + b"".join(lines), path)
            return len(lines)
    except OSError as exc:
        raise InputError(_cannot(path, "be written", exc)) from exc


def read_store(path: Path) -> Store:
    """Return the measurements in a store, and the lines of it that are not usable.

    A file that is not there is a store without measurements: `append` makes it.

    Raises:
        InputError: If the file cannot be opened.
    """
    try:
        with _opened(path, is_writer=False) as file:
            data = file.read()
    except FileNotFoundError:
        data = b""
    except OSError as exc:
        raise input_files.unreadable(path, exc) from exc
    with input_files.reading(path):
        records, faults = _records(data, path)
    best: dict[str, _Record] = {}
    for record in records:
        known = best.get(record.run)
        if known is None or record.fullness >= known.fullness:
            best[record.run] = record
    return Store(
        measurements=tuple(one.measurement for one in best.values()),
        faults=tuple(faults),
        repeated_count=len(records) - len(best),
    )


def is_store(path: Path) -> bool:
    """Return whether a file is a store: its first line begins a JSON object.

    Raises:
        InputError: If it cannot be read.
    """
    try:
        with input_files.opened(path) as file:
            start = file.read(64)
    except OSError as exc:
        raise input_files.unreadable(path, exc) from exc
    return start.lstrip().startswith(b"{")


@contextlib.contextmanager
def _opened(path: Path, *, is_writer: bool) -> Iterator[IO[bytes]]:
    """Open the file under a lock; one that is closed or whose process dies is free again."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND if is_writer else os.O_RDONLY
    # Without O_NONBLOCK, opening a pipe would wait for its other end.
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, _FILE_MODE)
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST_BYTES:
        os.close(descriptor)
        if stat.S_ISREG(about.st_mode):
            raise input_files.too_large(path, LARGEST_BYTES)
        raise OSError(errno.EINVAL, "not a regular file")
    input_files.note_opened(path, about)
    with os.fdopen(descriptor, "r+b" if is_writer else "rb", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX if is_writer else fcntl.LOCK_SH)
        yield file


def _new_lines(data: bytes, records: Sequence[_Fields], path: Path) -> list[bytes]:
    """Return the lines to add to a store that holds `data`."""
    known, _ = _records(data, path)
    seen = {(record.run, _told(record.fields)) for record in known}
    added: list[bytes] = []
    for fields in records:
        run = str(fields.get("run_id") or content_hash(fields))
        if (run, _told(fields)) not in seen:
            seen.add((run, _told(fields)))
            added.append(_line(fields))
    return added


def _write(file: IO[bytes], lines: bytes, path: Path) -> None:
    """Write and flush, or leave the file as it was."""
    descriptor = file.fileno()
    before = os.fstat(descriptor).st_size
    try:
        left = memoryview(lines)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    except BaseException:
        # Also for an interrupt: half a record is worse than none.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, before)
        raise
    if before == 0:
        _flush_name(path)


def _flush_name(path: Path) -> None:
    """Bring a new file's name to the disk; some file systems have no way to."""
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _records(data: bytes, path: Path) -> tuple[list[_Record], list[str]]:
    records: list[_Record] = []
    faults: list[str] = []
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            records.append(_record(line))
        except InputError as exc:
            is_cut = number == len(lines) and str(exc).startswith(_NOT_WHOLE)
            reason = "incomplete line, as after a crash" if is_cut else str(exc)
            faults.append(f"{inert(str(path))}:{number}: {reason}; the line is ignored")
    return records, faults


def _record(line: bytes) -> _Record:
    """Return the record in a line.

    Raises:
        InputError: If it is none, is of a schema that is not known, or was changed.
    """
    try:
        fields = input_files.decode_json(line)
    except msgspec.MsgspecError as exc:
        raise InputError(f"{_NOT_WHOLE}: {exc}") from exc
    if not isinstance(fields, dict):
        raise InputError("not a record of a measurement")
    schema, told_hash = fields.pop("schema", ""), fields.pop("hash", "")
    if schema != SCHEMA:
        raise InputError(_other_schema(schema))
    if told_hash != content_hash(fields):
        raise InputError("its hash does not match: it was changed or damaged")
    try:
        return _Record(fields=fields, measurement=msgspec.convert(fields, Measurement))
    except msgspec.ValidationError as exc:
        raise InputError(f"not a measurement: {exc}") from exc


def _other_schema(schema: object) -> str:
    told = inert(str(schema), NAME_LENGTH)
    if isinstance(schema, str) and schema.startswith(f"{_FAMILY}/"):
        return f"schema {told} is not supported (this netplan reads {SCHEMA}): update netplan"
    return "not a record of a measurement"


def _checked_fields(one: Measurement) -> _Fields:
    """Return the fields of a measurement that say something, as JSON has them.

    Raises:
        InputError: If a figure is no finite number.
    """
    fields = _fields_of(one)
    try:
        json.dumps(fields, allow_nan=False)
    except ValueError as exc:
        where = inert(one.source, NAME_LENGTH)
        raise InputError(f"{where}: a value of the measurement is not a finite number") from exc
    return fields


def _fields_of(value: Value) -> _Fields:
    """Return the fields of a value that are not as its type has them anyhow."""
    kept: _Fields = {}
    for field in msgspec.structs.fields(value):
        one = getattr(value, field.name)
        if isinstance(one, Value):
            kept[field.name] = _fields_of(one)
        elif one != field.default:
            kept[field.name] = scalars(str(one)) if isinstance(one, str) else one
    return kept


def _line(fields: _Fields) -> bytes:
    record = {"schema": SCHEMA, "hash": content_hash(fields), **fields}
    return escaped_json(json.dumps(record, separators=(",", ":"))).encode() + b"\n"


def _told(fields: _Fields) -> str:
    """Return the hash of what a record says, wherever it was imported from."""
    return content_hash({name: value for name, value in fields.items() if name not in _WHERE_FROM})


def content_hash(fields: _Fields) -> str:
    """Return the hash of a record's fields, without `schema` and `hash`, in any order.

    >>> content_hash({"gbps": 1.5, "streams": 2}) == content_hash({"streams": 2, "gbps": 1.5})
    True
    """
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]


def _cannot(path: Path, what: str, exc: OSError) -> str:
    told = f"{inert(str(path))}: the store of measurements cannot {what}: {exc.strerror or exc}"
    return f"{told}; nothing was added" if what == "be written" else told
