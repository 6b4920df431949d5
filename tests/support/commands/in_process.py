"""Runs the command line in this process: statuses and answers of many verbs in little time."""

import gc
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from netplan_planner.cli.app import run


class Done(NamedTuple):
    """What one command line did."""

    status: int
    out: str
    err: str


def netplan(*words: str) -> Done:
    """Return what `netplan WORDS` writes and the status it ends with, as a process would.

    There is no terminal, and no signal is handled.
    """
    out, err = _stream(), _stream()
    words_given = patch.object(sys, "argv", ["netplan", *words])
    with words_given, _same_garbage(), redirect_stdout(out), redirect_stderr(err):
        status = _status()
    return Done(status, _text(out), _text(err))


def _status() -> int:
    try:
        run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    return 0


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    held = stream.buffer
    assert isinstance(held, io.BytesIO)
    return held.getvalue().decode()


@contextmanager
def _same_garbage() -> Iterator[None]:
    """Leave the collector as it was: the command sets it for its own long run."""
    before = gc.get_threshold()
    try:
        yield
    finally:
        gc.set_threshold(*before)
