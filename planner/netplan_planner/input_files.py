"""Doors for what others wrote: bytes become values, or one error that says what is wrong.

Whoever opens a file that somebody gave does so inside `reading`: an error that nobody foresaw then
tells what was read when it arose, and not where in this program.
"""

import errno
import gzip
import io
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, TypeVar, cast, overload

import msgspec

from netplan_planner.errors import InputError, NetplanError, UsageError
from netplan_planner.inert import inert_line

T = TypeVar("T")
_Inode = tuple[int, int]

GZIP = b"\x1f\x8b"
LARGEST_BYTES = 2**32
"""Of a file once it is unpacked: a page of 500 resources takes a megabyte or two, so that this is a
million resources. Gzip makes a file up to a thousand times larger (zlib's documentation)."""
WHOLE_BYTES = 2**28
"""Of a file that is read whole: settings, calibrations, snapshots and outputs of tools take a
hundredth of it. Also of a pipe, whatever is read from it: it may never end."""
DEVICE_BYTES = 2**20
"""Of a device: those that hold a file's content (`/dev/null`, a terminal) give less."""
SETTINGS_BYTES = 2**24
"""Of a TOML file: a hundred thousand suppressions, of which people write hundreds."""
MOST_RATIO = 500
"""Of bytes unpacked and packed, of a document that is read whole: machines that differ in their
names alone have 113, equal ones 168, those with a script of 15 KB each 253, blanks 1,030 (measured
2026-11-24)."""
ANY_BYTES = 2**28
"""What any file may unpack to, however small it is: reading that much takes some 0.8 GB."""
_MANY_PARTS = re.compile(
    r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
)
"""A dotted key of TOML that no person wrote: its reader takes the square of its parts' number.
Looked for from where words begin, else a long word would take the square of its length."""
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


class Given(NamedTuple):
    """A file or folder that a run was told to read."""

    option: str
    """By which it was told, as people write it."""
    path: Path
    is_walked: bool = False
    """Whether every file of a folder is read."""
    is_own: bool = False
    """Whether the run itself goes on with it (a store, pages that are kept, the last snapshot)."""


class _Output(NamedTuple):
    asked: str
    """The option and its value."""
    is_own: bool


class _Run:
    """What one run of the command reads and writes, as far as it is known."""

    def __init__(self, check: "Callable[[Given], None] | None") -> None:
        self.check = check
        self.given: list[Given] = []
        self.opened: dict[_Inode, str] = {}
        self.outputs: dict[Path, _Output] = {}
        """By the file behind links."""


_run: list[_Run] = []
"""The run under way; nothing is remembered outside of one."""


@contextmanager
def one_run(check: Callable[[Given], None] | None = None) -> Iterator[None]:
    """Remember what is read and written from now on; `check` may refuse to read something."""
    _run.append(_Run(check))
    try:
        yield
    finally:
        _run.pop()


def give(given: Given) -> None:
    """Remember a file or folder that is going to be read.

    Raises:
        UsageError: If it is an output already.
    """
    if not _run:
        return
    if _run[-1].check is not None:
        _run[-1].check(given)
    _run[-1].given.append(given)
    for target, output in _run[-1].outputs.items():
        if not (output.is_own and given.is_own):
            _refuse(output.asked, _clash(target, given))


def reserve_output(asked: str, path: Path, *, is_own: bool = False) -> None:
    """Remember a file or folder that is going to be written.

    Args:
        asked: The option and its value, for the text of an error.
        path: Where it is.
        is_own: Whether it is what the run goes on with, which it reads and writes.

    Raises:
        UsageError: If it is an input, or another output.
    """
    check_output(asked, path, is_own=is_own)
    if _run:
        other = _run[-1].outputs.setdefault(real_path(path), _Output(asked, is_own)).asked
        if other != asked:
            shown = inert_line(str(path))
            raise UsageError(f"{other} and {asked} would both write {shown}: name two files")


def check_output(asked: str, path: Path, *, is_own: bool = False) -> None:
    """Refuse to write over what is read in this run, by whatever name it was read.

    Args:
        asked: What is to be written, for the text of an error.
        path: Where it is.
        is_own: Whether it is what the run goes on with, which it reads and writes.

    Raises:
        UsageError: If it is an input.
    """
    if not _run or (path.exists() and not (path.is_file() or path.is_dir())):
        # What devices and pipes are given is not kept.
        return
    target = real_path(path)
    for given in _run[-1].given:
        if not (is_own and given.is_own):
            _refuse(asked, _clash(target, given))
    shown = _run[-1].opened.get(_inode(target.stat())) if target.is_file() else None
    if shown is not None and not is_own:
        _refuse(asked, _of_this_run(shown))


def _refuse(asked: str, why: str) -> None:
    if why:
        raise UsageError(f"{asked}: {why}")


def _clash(target: Path, given: Given) -> str:
    """Return why an output may not be where it is beside an input, nothing if it may."""
    source = real_path(given.path)
    shown = inert_line(str(given.path))
    try:
        is_same = target == source or os.path.samestat(target.stat(), source.stat())
    except OSError:
        # One of them is not there yet.
        is_same = False
    if is_same:
        return f"{given.option} reads this file ({shown}); name another file"
    if target.is_dir() and source.is_relative_to(target):
        return f"{given.option} reads {shown}, which is in this folder; name another folder"
    if not (given.is_walked and source.is_dir() and target.is_relative_to(source)):
        return ""
    # Readers of folders leave hidden files out.
    if any(part.startswith(".") for part in target.relative_to(source).parts):
        return ""
    return f"{given.option} reads all files of the folder {shown}; name a file outside it"


def note_opened(path: Path, about: os.stat_result) -> None:
    """Remember a file that is read.

    Raises:
        UsageError: If it is an output of this run.
    """
    if not _run or not stat.S_ISREG(about.st_mode):
        return
    _run[-1].opened.setdefault(_inode(about), str(path))
    for target, output in _run[-1].outputs.items():
        is_same = target.is_file() and os.path.samestat(target.stat(), about)
        if is_same and not output.is_own:
            _refuse(output.asked, _of_this_run(str(path)))


def _of_this_run(shown: str) -> str:
    return f"this run reads the file ({inert_line(shown)}); name another file"


def _inode(about: os.stat_result) -> _Inode:
    return about.st_dev, about.st_ino


def real_path(path: Path) -> Path:
    """Return where a path leads, by which names of one file are told alike.

    A link that leads to itself is its own: `Path.resolve` fails on it.
    """
    return Path(os.path.realpath(path))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file that somebody gave; whatever of it is read is remembered as read in this run.

    Raises:
        OSError: If the system does not give it; for `unreadable`.
        UsageError: If it is an output of this run.
    """
    with path.open("rb") as file:
        note_opened(path, os.fstat(file.fileno()))
        yield file


def whole(path: Path, most_bytes: int = WHOLE_BYTES) -> bytes:
    """Return the content of a file that is read whole.

    Raises:
        OSError: If the system does not give it, or it is larger than `most_bytes`; for
            `unreadable`.
    """
    with opened(path) as file:
        about = os.fstat(file.fileno())
        most = _most_of(about, most_bytes)
        if about.st_size > most:
            raise too_large(path, most)
        return _read(file, path, most)


def unpacked(path: Path, most_bytes: int = LARGEST_BYTES) -> bytes:
    """Return the content of a file that is read whole, unpacked if it is packed by gzip.

    Raises:
        OSError: As `whole`, also of what it unpacks to.
        EOFError: If it is cut.
        zlib.error: If it is damaged.
    """
    with opened(path) as file:
        about = os.fstat(file.fileno())
        most = _most_of(about, most_bytes)
        if about.st_size > most:
            raise too_large(path, most)
        if not cast(io.BufferedReader, file).peek(len(GZIP)).startswith(GZIP):
            return _read(file, path, most)
        if stat.S_ISREG(about.st_mode):
            most = min(most, max(ANY_BYTES, MOST_RATIO * about.st_size))
        with gzip.GzipFile(fileobj=file) as plain:
            return _read(plain, path, most, "unpacks to ")


def _most_of(about: os.stat_result, most_bytes: int) -> int:
    """Return what is read of a file at most: others than regular ones may never end."""
    if stat.S_ISREG(about.st_mode):
        return most_bytes
    is_device = stat.S_ISCHR(about.st_mode) or stat.S_ISBLK(about.st_mode)
    return min(most_bytes, DEVICE_BYTES if is_device else WHOLE_BYTES)


def _read(file: IO[bytes] | gzip.GzipFile, path: Path, most_bytes: int, verb: str = "") -> bytes:
    # Not all at once: so much memory would be set aside before anything is read.
    held = io.BytesIO()
    while piece := file.read(_PIECE_BYTES):
        held.write(piece)
        if held.tell() > most_bytes:
            raise too_large(path, most_bytes, verb)
    return held.getvalue()


def too_large(path: Path, most_bytes: int, verb: str = "") -> OSError:
    """Return the error of a file that is larger than what is read of it, for `unreadable`."""
    why = "far more than its size suggests. If it is correct, unpack it first"
    other = "larger than any file of this kind"
    text = f"{verb}more than {most_bytes >> 20:,} MiB, {why if verb else other}"
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
def decode_json(data: bytes | msgspec.Raw | str, kind: type[T]) -> T: ...
@overload
def decode_json(data: bytes | msgspec.Raw | str, kind: Any = Any) -> Any: ...
def decode_json(data: bytes | msgspec.Raw | str, kind: Any = Any) -> Any:
    """Return a JSON document as a type.

    Of a part that a document left undecoded (`msgspec.Raw`) nothing has been looked at before, not
    even whether it is text.

    Raises:
        msgspec.DecodeError: If it is none, whatever is wrong with it; a `ValidationError` if it is
            JSON of another shape.

    >>> decode_json(b"[" * 100_000)
    Traceback (most recent call last):
    msgspec.DecodeError: nested too deeply
    """
    try:
        return _decoder_of(kind).decode(data)
    except RecursionError as exc:
        raise msgspec.DecodeError("nested too deeply") from exc
    except UnicodeDecodeError as exc:
        raise msgspec.DecodeError(f"not UTF-8: {exc.reason}") from exc


@cache
def _decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def toml_file(path: Path) -> dict[str, Any]:
    """Return the table of a TOML file, which is part of how netplan is set up.

    Raises:
        UsageError: If it cannot be read, or is none.
    """
    try:
        text = whole(path, SETTINGS_BYTES).decode()
        if _MANY_PARTS.search(text):
            raise UsageError(f"{path}: a key has more than 100 parts")
        return tomllib.loads(text)
    except OSError as exc:
        raise UsageError(str(unreadable(path, exc))) from exc
    except UnicodeDecodeError as exc:
        raise UsageError(f"{path}: not valid TOML: byte {exc.start} is not UTF-8") from exc
    except RecursionError as exc:
        raise UsageError(f"{path}: not valid TOML: nested too deeply") from exc
    except ValueError as exc:
        # tomllib's own error is one; so are dates that the calendar lacks and numbers too long.
        raise UsageError(f"{path}: not valid TOML: {exc}") from exc
