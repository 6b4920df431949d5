"""Files and folders that appear whole or not at all."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import check_output, reserve_output
from netplan_planner.leftovers import OLDER, name_beside
from netplan_planner.streams import is_stdout, to_stdout


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
            raise UsageError(f"{asked}: {what} cannot be written to")
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
        raise InputError(f"{inert_line(str(path))}: the link leads to itself") from exc


def _sync(path: Path) -> None:
    """Wait until a file is on disk: after a crash a renamed one would else be there and empty."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
