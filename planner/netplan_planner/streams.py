"""The standard streams: the standard output is the answer's, whatever a library writes to it.

Libraries of C, and programs that are started, write to descriptor 1, past Python. It leads nowhere
while the command runs; the answer has a copy of what it was. Libraries of Python print to
`sys.stdout`, which leads nowhere either while a verb runs: only what asks for `standard_output`
writes to it. Warnings of Python, which tell of source lines, go the same way. With `--debug` stderr
shows what is thrown away otherwise.
"""

import io
import os
import shutil
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

_CHUNK_BYTES = 1 << 20
_STDOUT = 1
_STDERR = 2
_NAMES = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
"""What users call the standard output where a path is wanted."""

_answers: list[TextIO] = []
"""The answer's stream, while `sys.stdout` is another one."""
_of_libraries: list[TextIO] = []
"""What writes to descriptor 1, once that is no longer the standard output."""


class NotTaken(Exception):
    """The standard output takes no more: its reader has gone, its disk is full, it is closed."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason.strerror)
        self.reason = reason


class _Kept(io.FileIO):
    """The standard output that was kept for the answer."""

    def write(self, data: Any) -> int | None:  # type: ignore[override]
        """Write bytes.

        Raises:
            NotTaken: If it takes no more.
        """
        try:
            return super().write(data)
        except OSError as exc:
            # Else the interpreter would try to write the rest when it ends, and fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            raise NotTaken(exc) from exc


def keep_for_answer() -> None:
    """Keep this process's standard output for the answer; descriptor 1 leads nowhere from now on.

    It stays so until the process ends: what C holds back in its buffers is written then.
    """
    _open_all()
    before, kept = sys.stdout, _Kept(os.dup(_STDOUT), "w", closefd=False)
    _lead(_STDOUT, os.open(os.devnull, os.O_WRONLY))
    _of_libraries[:] = [_line_by_line(_STDOUT)]
    warnings.showwarning = _warned
    answers = io.TextIOWrapper(
        io.BufferedWriter(kept),
        encoding=before.encoding if before else "utf-8",
        errors=before.errors if before else None,
        newline="\n",
        line_buffering=kept.isatty(),
    )
    _set_stdout(answers, answers)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Write a warning of Python where libraries write: it is for those who develop."""
    (file or _of_libraries[0]).write(
        warnings.formatwarning(message, category, filename, lineno, line)
    )


def _open_all() -> None:
    """Open the standard streams that are closed: the first files of the run would get their places.

    A closed standard output stays one that takes nothing.
    """
    for number in range(_STDERR + 1):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number == _STDOUT else os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = _line_by_line(_STDERR)


def _line_by_line(number: int) -> TextIO:
    return open(number, "w", buffering=1, errors="backslashreplace", closefd=False)


def _lead(number: int, source: int) -> None:
    os.dup2(source, number)
    os.close(source)


def show_libraries() -> None:
    """Let what libraries write to the standard output be seen on stderr from now on."""
    if _of_libraries:
        _lead(_STDOUT, os.dup(_STDERR))


def standard_output() -> TextIO:
    """Return the stream that the answer goes to."""
    return _answers[-1] if _answers else sys.stdout


@contextmanager
def answers_apart() -> Iterator[TextIO]:
    """Yield the standard output for one writer; what others write as an answer is thrown away."""
    stream = standard_output()
    with Path(os.devnull).open("w") as nowhere:
        _answers.append(nowhere)
        try:
            yield stream
        finally:
            _answers.pop()


@contextmanager
def libraries_apart() -> Iterator[None]:
    """Let `sys.stdout` be that of libraries: what they print is none of the answer."""
    _answers.append(standard_output())
    before = sys.stdout, sys.__stdout__
    apart = _of_libraries[0] if _of_libraries else sys.__stdout__
    _set_stdout(apart, apart)
    try:
        yield
    finally:
        _set_stdout(*before)
        _answers.pop()


def _set_stdout(stdout: TextIO | None, at_first: TextIO | None) -> None:
    """Set both names that Python has for the standard output."""
    vars(sys).update({"stdout": stdout, "__stdout__": at_first})


def is_stdout(path: Path) -> bool:
    """Return whether a path that was asked for is a name of the standard output.

    >>> is_stdout(Path("/dev/stdout")), is_stdout(Path("out"))
    (True, False)
    """
    return str(path) in _NAMES


@contextmanager
def to_stdout() -> Iterator[Path]:
    """Yield a path that writes to the standard output, for writers that know files only.

    `/dev/stdout` itself would be opened anew: where stdout is a file, at its start.

    Raises:
        NotTaken: If the reader of stdout has gone.
    """
    stream = standard_output()
    stream.flush()
    source, sink = os.pipe()
    failures: list[Exception] = []

    def copy() -> None:
        try:
            with os.fdopen(source, "rb") as pipe:
                shutil.copyfileobj(pipe, stream.buffer, _CHUNK_BYTES)
                stream.flush()
        except (OSError, NotTaken) as exc:
            failures.append(exc)

    reader = threading.Thread(target=copy, daemon=True)
    reader.start()
    try:
        yield Path(f"/dev/fd/{sink}")
    except Exception:
        # The writer fails because nobody reads any more: that is the cause to tell.
        os.close(sink)
        reader.join()
        if failures:
            raise failures[0] from None
        raise
    os.close(sink)
    reader.join()
    if failures:
        raise failures[0]
