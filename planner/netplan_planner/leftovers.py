"""What a killed run left: known as such because its owner is gone, and cleared by the next one.

A folder for temporary files is locked while its owner lives, and the kernel gives the lock back
when the owner dies, however. A file that is not yet in its place has its writer's machine and
process in its name.
"""

import hashlib
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "netplan-"
LOCK_NAME = "netplan.lock"
_NAME_LENGTH = 100
_NEW = re.compile(r"\.([0-9a-f]{8})-([0-9]+)\.(?:new|old)")
OLDER = ".old"
"""Ends the name of a folder that another one takes the place of, instead of `.new`."""


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
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as name:
        held = _locked(Path(name))
        try:
            yield Path(name)
        finally:
            if held is not None:
                os.close(held)


def clear_dead_folders(parent: Path) -> None:
    """Remove the folders of `private_folder` whose owner is dead; what cannot be, stays."""
    with suppress(OSError):
        found = [entry for entry in os.scandir(parent) if entry.name.startswith(PREFIX)]
        for entry in found:
            if entry.is_dir(follow_symlinks=False) and _is_dead(Path(entry)):
                shutil.rmtree(entry, ignore_errors=True)


def _locked(folder: Path) -> int | None:
    """Lock a folder for as long as this process lives; return what holds the lock."""
    try:
        import fcntl  # Not there on Windows.

        # Under another name until it is locked: no other run sees a lock that nobody holds.
        path = folder / f"{LOCK_NAME}.new"
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.rename(folder / LOCK_NAME)
    except (ImportError, OSError):
        return None
    return held


def _is_dead(folder: Path) -> bool:
    """Return whether a folder has a lock, of ours, that nobody holds any longer."""
    try:
        import fcntl

        held = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (ImportError, OSError):
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
                _remove(entry)
    return target.with_name(f"{head}.{node}-{os.getpid()}.new")


def _remove(entry: "os.DirEntry[str]") -> None:
    """Remove what a dead writer left; what cannot be, stays."""
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry, ignore_errors=True)
        return
    with suppress(OSError):
        os.unlink(entry)  # noqa: PTH108


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
    held: int | None = None
    try:
        import fcntl

        held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_alone = True
    except BlockingIOError:
        is_alone = False
    except (ImportError, OSError):
        is_alone = True
    try:
        yield is_alone
    finally:
        if held is not None:
            os.close(held)
