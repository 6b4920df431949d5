"""Files and folders that appear whole or not at all, and private folders; what a killed run left.

What was left is known as such because its owner is gone, and is cleared by the next run.
"""

import hashlib
import os
import re
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import check_output, reserve_output
from netplan_planner.streams import is_stdout, to_stdout

# Private folders, and what a killed run left in them
#
# A folder for temporary files is locked while its owner lives, and the kernel gives the lock back
# when the owner dies, however. A file that is not yet in its place has its writer's machine and
# process in its name.


try:
    import fcntl as fcntl
except ImportError:  # Not there on Windows.
    fcntl = None  # type: ignore[assignment]

PREFIX = "netplan-"
LOCK_NAME = "netplan.lock"
_NAME_LENGTH = 100
_NEW = re.compile(r"\.([0-9a-f]{8})-([0-9]+)\.(?:new|old)(?:\.wal)?")
OLDER = ".old"
"""Ends the name of a folder that another one takes the place of, instead of `.new`."""
_TRIES = 5
_own: dict[Path, Path | None] = {}
"""Private folders, and files and folders beside their targets with these, that this run makes:
noted before they are there."""


@contextmanager
def private_folder(parent: Path | None) -> Iterator[Path]:
    """Yield a new folder for temporary files, removed on every way out.

    Those of runs that were killed are removed first. Where locks are not to be had, nothing is
    locked and nothing removed.

    Args:
        parent: Where to make it; None: where temporary files go.

    Raises:
        OSError: If it cannot be made.
    """
    clear_dead_folders(Path(tempfile.gettempdir()) if parent is None else parent)
    folder = Path(parent or tempfile.gettempdir(), f"{PREFIX}{secrets.token_hex(8)}").absolute()
    held: int | None = None
    _own[folder] = None
    try:
        folder.mkdir(mode=0o700)
        held = _locked(folder)
        yield folder
    finally:
        _remove_for_good(folder)
        if held is not None:
            os.close(held)
        _own.pop(folder, None)


def clear_own() -> None:
    """Remove what this run made and has not removed: its end came between the two.

    An interrupt may come at any moment, that of making or removing a folder too.
    """
    for path, target in tuple(_own.items()):
        older = path.with_suffix(OLDER)
        if target is not None and older.exists() and not target.exists():
            with suppress(OSError):
                older.rename(target)
        for one in (path, *((older,) if target is not None and target.exists() else ())):
            _remove_for_good(one)


def clear_dead_folders(parent: Path) -> None:
    """Remove the folders of `private_folder` whose owner is dead; what cannot be, stays."""
    with suppress(OSError):
        found = [entry for entry in os.scandir(parent) if entry.name.startswith(PREFIX)]
        for entry in found:
            if entry.is_dir(follow_symlinks=False) and _is_dead(Path(entry)):
                shutil.rmtree(entry, ignore_errors=True)


def _locked(folder: Path) -> int | None:
    """Lock a folder for as long as this process lives; return what holds the lock."""
    if fcntl is None:
        return None
    try:
        # Under another name until it is locked: no other run sees a lock that nobody holds.
        path = folder / f"{LOCK_NAME}.new"
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.rename(folder / LOCK_NAME)
    except OSError:
        return None
    return held


def _is_dead(folder: Path) -> bool:
    """Return whether a folder has a lock, of ours, that nobody holds any longer."""
    if fcntl is None:
        return False
    try:
        held = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return os.fstat(held).st_uid == os.getuid()
    finally:
        os.close(held)


def name_beside(target: Path) -> Path:
    """Return the file or folder that takes a target's place when it is whole; dead ones go."""
    head = f".{target.name[:_NAME_LENGTH]}"
    node = _node()
    with suppress(OSError):
        for entry in os.scandir(target.parent):
            found = entry.name.startswith(head) and _NEW.fullmatch(entry.name[len(head) :])
            if found and found[1] == node and not _is_alive(int(found[2])):
                _remove(Path(entry))
    own = target.with_name(f"{head}.{node}-{os.getpid()}.new")
    _own[own.absolute()] = target.absolute()
    return own


def _remove_for_good(path: Path) -> None:
    """Remove a file or a folder into which threads that nobody waits for may still write."""
    for _ in range(_TRIES):
        _remove(path)
        if not path.exists():
            break


def _remove(path: Path) -> None:
    """Remove a file or a folder; what cannot be, stays."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _node() -> str:
    """Return what tells this machine from others that write into the same folder."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


@contextmanager
def sole_user(folder: Path) -> Iterator[bool]:
    """Yield whether nobody else is inside this block for the same folder.

    Where a folder cannot be locked, nobody is taken to be.
    """
    if fcntl is None:
        yield True
        return
    held: int | None = None
    try:
        held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_alone = True
    except BlockingIOError:
        is_alone = False
    except OSError:
        is_alone = True
    try:
        yield is_alone
    finally:
        if held is not None:
            os.close(held)


# Files and folders that appear whole or not at all


def usable_target(asked: str, path: Path) -> Path:
    """Return the file behind links that is to be written: what cannot work is no reason to wait.

    Args:
        asked: The option and its value, for the text of an error.
        path: The value.

    Raises:
        UsageError: If a folder is in its place, or its folder is missing or takes no files, or no
            file can have such a name, or it is an input of this run or another output.
    """
    try:
        target = path.resolve()
        reserve_output(asked, target)
        if target.is_dir():
            raise UsageError(f"{asked}: this is a folder, not a file")
        if not target.parent.is_dir():
            raise UsageError(f"{asked}: the folder {path.parent} does not exist")
        # A file gets its place by renaming, for which its folder counts; a device is itself opened.
        is_device = target.exists() and not target.is_file()
        if not os.access(target if is_device else target.parent, os.W_OK):
            what = "it" if is_device else f"the folder {path.parent}"
            raise UsageError(f"{asked}: {what} is not writable")
    except (OSError, RuntimeError) as exc:
        raise UsageError(f"{asked}: not usable: {getattr(exc, 'strerror', None) or exc}") from exc
    return target


@contextmanager
def written_whole(path: Path, *, is_own: bool = False) -> Iterator[Path]:
    """Yield a file beside `path` that takes its place when all is written, and only then.

    A link stays one: what it names is replaced. A pipe or device is yielded itself, because
    renaming over it would replace it; so is a way to the standard output for its names.

    Args:
        path: The file.
        is_own: Whether this run goes on with the file that is there, and may have read it.

    Raises:
        InputError: If it cannot be written; an older file is then as it was.
        UsageError: If it is an input of this run.
    """
    if is_stdout(path):
        with to_stdout() as target:
            yield target
        return
    beside: Path | None = None
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            # As it is called: a pipe of this process (`/dev/fd/63`) is a link that leads nowhere.
            yield path
            return
        target = _behind_links(path)
        check_output(inert_line(str(path)), target, is_own=is_own)
        beside = name_beside(target)
        yield beside
        _sync(beside)
        beside.replace(target)
    except OSError as exc:
        shown = inert_line(str(path))
        raise InputError(f"{shown}: cannot be written: {exc.strerror or exc}") from exc
    finally:
        if beside is not None:
            with suppress(OSError):
                beside.unlink()


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """Yield a new folder beside `path` that takes its place when all is written, and only then.

    What is in its place is removed: whoever calls this knows that it may be.

    Raises:
        InputError: If it cannot be written; an older folder is then as it was.
        UsageError: If an input of this run is in it.
    """
    beside: Path | None = None
    try:
        target = _behind_links(path)
        check_output(inert_line(str(path)), target)
        beside = name_beside(target)
        beside.mkdir()
        yield beside
        for inside in (*beside.iterdir(), beside):
            _sync(inside)
        if target.exists():
            # No folder takes the place of one that holds files: the older one steps aside first.
            older = beside.with_suffix(OLDER)
            target.rename(older)
            try:
                beside.rename(target)
            except OSError:
                older.rename(target)
                raise
            shutil.rmtree(older, ignore_errors=True)
        else:
            beside.rename(target)
    except OSError as exc:
        shown = inert_line(str(path))
        raise InputError(f"{shown}: cannot be written: {exc.strerror or exc}") from exc
    finally:
        if beside is not None:
            shutil.rmtree(beside, ignore_errors=True)


def write_each(writes: Iterable[Callable[[], None]]) -> None:
    """Write one target after the other: one that fails does not lose those behind it.

    Raises:
        InputError: When all were tried, with what each that failed said.
    """
    failed: list[str] = []
    for write in writes:
        try:
            write()
        except InputError as exc:
            failed.append(str(exc))
    if failed:
        raise InputError("; ".join(failed))


def _behind_links(path: Path) -> Path:
    try:
        return path.resolve()
    except RuntimeError as exc:
        raise InputError(f"{inert_line(str(path))}: the link points to itself") from exc


def _sync(path: Path) -> None:
    """Wait until a file is on disk: after a crash a renamed one would else be there and empty."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
