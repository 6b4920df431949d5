"""Doors for what others wrote: bytes become values, or one error that says what is wrong.

Whoever opens a file that somebody gave does so inside `reading`: an error that nobody foresaw then
tells what was read when it arose, and not where in this program.
"""

import gzip
import io
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec

from netplan_planner.errors import NetplanError, UsageError

T = TypeVar("T")

GZIP = b"\x1f\x8b"
LARGEST_BYTES = 2**32
"""Of a file once it is unpacked: a page of 500 resources takes a megabyte or two, so that this is a
million resources. Gzip makes a file up to a thousand times larger (zlib's documentation)."""
_PIECE_BYTES = 2**20

READ_NOTE = "while reading "
"""What the note of an error begins with that arose inside `reading`."""
_last: list[str] = []


@contextmanager
def reading(what: str | Path) -> Iterator[None]:
    """Note on an error that was not foreseen what was read when it arose; the innermost stands."""
    now_reading(what)
    try:
        yield
    except NetplanError:
        raise
    except Exception as exc:
        if not any(note.startswith(READ_NOTE) for note in getattr(exc, "__notes__", ())):
            exc.add_note(f"{READ_NOTE}{what}")
        raise


def now_reading(what: str | Path) -> None:
    """Remember what is read from now on, where no block holds all of the reading."""
    _last[:] = [str(what)]


def read_when(exc: BaseException) -> str:
    """Return what was read when an error arose, or last before it; empty if nothing was."""
    for note in getattr(exc, "__notes__", ()):
        if note.startswith(READ_NOTE):
            return str(note)
    return f"the last input was {_last[0]}" if _last else ""


@overload
def decode_json(data: bytes | msgspec.Raw) -> Any: ...
@overload
def decode_json(data: bytes | msgspec.Raw, type: type[T]) -> T: ...
def decode_json(data: bytes | msgspec.Raw, type: Any = Any) -> Any:
    """Return a JSON document as a type.

    Raises:
        msgspec.DecodeError: If it is none, whatever is wrong with it; a `ValidationError` if it is
            JSON of another shape.

    >>> decode_json(b"[" * 100_000)
    Traceback (most recent call last):
    msgspec.DecodeError: nested too deeply
    """
    try:
        return msgspec.json.decode(data, type=type)
    except RecursionError as exc:
        raise msgspec.DecodeError("nested too deeply") from exc
    except UnicodeDecodeError as exc:
        raise msgspec.DecodeError(f"no UTF-8: {exc.reason}") from exc


def gunzipped(data: bytes, most_bytes: int = LARGEST_BYTES) -> bytes:
    """Return what gzip packed, `data` itself if it is not packed.

    Raises:
        EOFError: If it is cut.
        zlib.error: If it is damaged, or more than `most_bytes`.
        OSError: If something else follows it.
    """
    if not data.startswith(GZIP):
        return data
    pieces: list[bytes] = []
    size = 0
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        while piece := file.read(_PIECE_BYTES):
            pieces.append(piece)
            size += len(piece)
            if size > most_bytes:
                raise zlib.error(f"more than {most_bytes >> 20:,} MiB once unpacked")
    return b"".join(pieces)


def toml_file(path: Path) -> dict[str, Any]:
    """Return the table of a TOML file.

    Raises:
        UsageError: If it is missing, or no TOML.
    """
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as exc:
        raise UsageError(f"{path}: cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise UsageError(f"{path}: not valid TOML: byte {exc.start} is no UTF-8") from exc
    except RecursionError as exc:
        raise UsageError(f"{path}: not valid TOML: nested too deeply") from exc
    except ValueError as exc:
        # tomllib's own error is one; so are dates that the calendar lacks and numbers too long.
        raise UsageError(f"{path}: not valid TOML: {exc}") from exc
