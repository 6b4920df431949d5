"""Doors for what others wrote: bytes become values, or one error that says what is wrong.

Whoever opens a file that somebody gave does so inside `reading`: an error that nobody foresaw then
tells what was read when it arose, and not where in this program.
"""

import errno
import gzip
import io
import os
import stat
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec

from netplan_planner.errors import InputError, NetplanError, UsageError
from netplan_planner.inert import inert_line

T = TypeVar("T")

GZIP = b"\x1f\x8b"
LARGEST_BYTES = 2**32
"""Of a file once it is unpacked: a page of 500 resources takes a megabyte or two, so that this is a
million resources. Gzip makes a file up to a thousand times larger (zlib's documentation)."""
WHOLE_BYTES = 2**28
"""Of a file that is read whole: settings, calibrations, snapshots and outputs of tools take a
hundredth of it. Also of a pipe or a device, whatever is read from it: they may never end."""
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


def is_path(text: str) -> bool:
    """Return whether a text is the path of a file, and no secret that stands in its place.

    >>> is_path("/none/key.json"), is_path('{"private_key": 1}'), is_path("hunter2hunter2")
    (True, False, False)
    """
    is_named = text.endswith(".json") and text.isprintable() and not set(text) & set('{}"')
    try:
        return is_named or os.path.exists(text)  # noqa: PTH110
    except ValueError:
        return False


def now_reading(what: str | Path) -> None:
    """Remember what is read from now on, where no block holds all of the reading."""
    _last[:] = [str(what)]


def read_when(exc: BaseException) -> str:
    """Return what was read when an error arose, or last before it; empty if nothing was."""
    for note in getattr(exc, "__notes__", ()):
        if note.startswith(READ_NOTE):
            return str(note)
    return f"the last input was {_last[0]}" if _last else ""


def real_path(path: Path) -> Path:
    """Return where a path leads, by which names of one file are told alike.

    A link that leads to itself is its own: `Path.resolve` fails on it.
    """
    return Path(os.path.realpath(path))


def whole(path: Path, most_bytes: int = WHOLE_BYTES) -> bytes:
    """Return the content of a file that is read whole.

    Raises:
        OSError: If the system does not give it, or it is larger than `most_bytes`; for
            `unreadable`.
    """
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        most = most_bytes if stat.S_ISREG(about.st_mode) else min(most_bytes, WHOLE_BYTES)
        # Not `most` at once: so much memory would be set aside before anything is read.
        data = file.read(about.st_size + 1) if about.st_size <= most else b""
        while 0 < len(data) <= most and (
            more := file.read(min(most + 1 - len(data), _PIECE_BYTES))
        ):
            data += more
    if max(len(data), about.st_size) > most:
        raise too_large(path, most)
    return data


def too_large(path: Path, most_bytes: int) -> OSError:
    """Return the error of a file that is larger than what is read of it, for `unreadable`."""
    text = f"more than {most_bytes >> 20:,} MiB, which no file of this kind has"
    return OSError(errno.EFBIG, text, str(path))


def unreadable(path: Path | str, error: OSError, hint: str = "") -> InputError:
    """Return the error of a file that the system does not give: one wording for all of them.

    Args:
        path: The file, as it was named.
        error: What the system says.
        hint: What to do about it, if there is more to say.

    >>> print(unreadable("a.json", FileNotFoundError(2, "No such file or directory")))
    a.json: cannot be read: No such file or directory
    """
    said = f"{inert_line(str(path))}: cannot be read: {error.strerror or error}"
    return InputError(f"{said}; {hint}" if hint else said)


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
    """Return the table of a TOML file, which is part of how netplan is set up.

    Raises:
        UsageError: If it cannot be read, or is none.
    """
    try:
        return tomllib.loads(whole(path).decode())
    except OSError as exc:
        raise UsageError(str(unreadable(path, exc))) from exc
    except UnicodeDecodeError as exc:
        raise UsageError(f"{path}: not valid TOML: byte {exc.start} is no UTF-8") from exc
    except RecursionError as exc:
        raise UsageError(f"{path}: not valid TOML: nested too deeply") from exc
    except ValueError as exc:
        # tomllib's own error is one; so are dates that the calendar lacks and numbers too long.
        raise UsageError(f"{path}: not valid TOML: {exc}") from exc
