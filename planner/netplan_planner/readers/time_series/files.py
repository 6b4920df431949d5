"""Files and folders of stored time series."""

import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_planner.input_files import reading, real_path, unpacked
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.documents import NotText, documents_of
from netplan_planner.readers.foreign import broken_answer
from netplan_planner.readers.time_series.gathering import Gathering

_HOW = "give JSON of projects.timeSeries.list or timeSeries:query (Cloud Monitoring API v3)"
_FOREIGN = "no time series of Cloud Monitoring"


def gather_files(paths: Sequence[Path]) -> Gathering:
    """Return the time series in files and folders; the order does not matter.

    Folders are walked; hidden ones are left out. What is no time series there is noted.

    Raises:
        InputError: If a path is missing, a named file cannot be read, or there is no time series.
    """
    gathering = Gathering()
    done: set[Path] = set()
    found = False
    for path in sorted(set(paths), key=str):
        if not path.exists():
            raise InputError(f"{_shown(path)}: no such file or folder")
        is_folder = path.is_dir()
        for file in _walk(path) if is_folder else [path]:
            if real_path(file) in done:
                continue
            done.add(real_path(file))
            with reading(_shown(file)):
                why = _read(file, gathering)
            found = found or not why
            if why and not is_folder:
                raise InputError(f"{_shown(file)}: {why}; {_HOW}")
            if why:
                gathering.note(_shown(file), why, is_needless=why == _FOREIGN)
    if not found:
        raise InputError(f"no time series in {', '.join(_shown(p) for p in paths[:3])}; {_HOW}")
    return gathering


def _read(path: Path, into: Gathering) -> str:
    """Take a file's series; return why there are none, or nothing."""
    shown = _shown(path)
    try:
        if not path.is_file():
            return "not a regular file"
        data = unpacked(path)
        if not data.strip():
            return "empty"
        documents, damaged = documents_of(data)
    except NotText as exc:
        return f"not text: {exc}"
    except OSError as exc:
        return f"cannot be read: {exc.strerror or exc}"
    except (EOFError, zlib.error) as exc:
        return f"damaged gzip: {exc}"
    if not documents:
        return str(damaged[0]) if damaged else "empty"
    broken = {text for one in documents if (text := broken_answer(one.value))}
    taken = [into.take(d.value, Origin(shown, f"{shown}:{d.place}")) for d in documents]
    if not any(taken):
        return str(damaged[0]) if damaged else min(broken, default=_FOREIGN)
    for reason in (*map(str, damaged), *broken):
        into.note(shown, reason)
    into.files += 1
    return ""


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files))


def _shown(path: Path) -> str:
    """Return a path as text that every output can hold, whatever bytes the file system has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
