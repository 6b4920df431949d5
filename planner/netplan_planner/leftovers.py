"""What a killed run left: known as such because its owner is gone, and cleared by the next one.

A folder for temporary files is locked while its owner lives, and the kernel gives the lock back
when the owner dies, however. A file that is not yet in its place has its writer's machine and
process in its name.
"""

import hashlib
import os
import re
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl as fcntl
except ImportError:  # Not there on Windows.
    fcntl = None  # type: ignore[assignment]

PREFIX = "netplan-"
LOCK_NAME = "netplan.lock"
_NAME_LENGTH = 100
_NEW = re.compile(r"\.([0-9a-f]{8})-([0-9]+)\.(?:new|old)")
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
