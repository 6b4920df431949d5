"""How far long work is, on a terminal and nowhere else."""

import os
import pty
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from netplan_planner import meter
from netplan_planner.cli import live
from netplan_planner.cli.live import State
from netplan_planner.meter import Sampled
from support.commands.run import begun, surroundings

SLOW = """
import time
import netplan_planner.judging.judged as audit
judge = audit.judge
def slowly(check, facts):
    time.sleep(0.08)
    return judge(check, facts)
audit.judge = slowly
from netplan_planner.cli import main
main()
"""
ARGUMENTS = ["audit", "--demo", "interzone", "--fail-on", "never", "--output", "json"]


class Heard:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def begin(self, name: str, total: float | None, unit: str) -> None:
        self.told.append(f"begin {name} {total} {unit}")

    def advance(self, count: float) -> None:
        self.told.append(f"advance {count}")

    def sample(self, count: float, sampled: Sampled | None) -> None:
        self.told.append(f"sample {count} {sampled() if sampled else None}")

    def end(self) -> None:
        self.told.append("end")


def test_only_the_outermost_work_is_told_and_what_fails_is_over() -> None:
    heard = Heard()
    with meter.shown_by(heard), meter.work("all", total=3, unit="bytes"):
        meter.advance(1)
        with meter.work("inside", unit="lists"), meter.part(5, lambda: 0.5):
            meter.advance(7)
        with meter.part(2, lambda: 0.5):
            pass
    meter.advance(1)
    assert heard.told == [
        *("begin all 3 bytes", "advance 1", "sample 2 0.5", "sample 0.0 None", "end")
    ]
    # Work that fails is over too.
    with meter.shown_by(heard), pytest.raises(ValueError, match="x"), meter.work("all", unit="x"):
        raise ValueError("x")
    assert heard.told[-1] == "end"
    assert not meter.is_shown()


def test_a_line_has_amount_rate_and_time_left() -> None:
    state = State("reading", 10e6, "bytes")
    state.began_s = 100.0
    state.done = 2e6
    assert state.told(102.0) == "2.0 MB of 10.0 MB · 1.0 MB/s · 0:08 left"
    state.sample(4e6, lambda: 0.5)
    assert state.told(102.0) == "4.0 MB of 10.0 MB · 2.0 MB/s · 0:03 left"
    state.sample(4e6, lambda: 1 / 0)
    assert state.told(102.0).startswith("2.0 MB of")
    unknown = State("fetching", None, "bytes")
    unknown.began_s, unknown.done = 100.0, 3000.0
    assert unknown.told(101.0) == "3.0 kB · 3.0 kB/s"
    rules = State("judging", 27.0, "rules")
    rules.began_s = 100.0
    assert rules.told(101.0) == "0 of 27 rules"
    rules.done = 9.0
    assert rules.told(103.0) == "9 of 27 rules · 3 rules/s · 0:06 left"


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    try:
        yield ours, theirs
    finally:
        os.close(ours)


def run(*arguments: str, stderr: int) -> "subprocess.Popen[bytes]":
    told = {name: one for name, one in surroundings(TERM="xterm").items() if name != "NO_COLOR"}
    return begun("-c", SLOW, *arguments, stderr=stderr, env=told)


def shown_on_a_terminal(*arguments: str) -> tuple[int, bytes, str]:
    """Return the exit status, stdout, and all that was written to the terminal."""
    with terminal() as (ours, theirs):
        process = run(*arguments, stderr=theirs)
        os.close(theirs)
        # Beside the terminal: a report can be greater than what a pipe holds.
        beside = ThreadPoolExecutor(1)
        answer = beside.submit(process.communicate)
        pieces = []
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        out, _ = answer.result(timeout=60)
        beside.shutdown()
        return process.returncode, out, b"".join(pieces).decode("utf-8", "replace")


def test_a_terminal_sees_how_far_it_is_and_the_answer_is_the_same() -> None:
    status, out, shown = shown_on_a_terminal(*ARGUMENTS)
    assert status == 0
    assert "judging" in shown
    assert "rules/s" in shown
    assert " left" in shown
    # The cursor is there again.
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    piped = run(*ARGUMENTS, stderr=subprocess.PIPE)
    plain, errors = piped.communicate(timeout=60)
    assert plain == out
    assert errors == b""


def test_quiet_is_quiet_on_a_terminal_too() -> None:
    assert shown_on_a_terminal("--quiet", *ARGUMENTS)[2] == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr(live.Live, "_show", lambda self: shown.append(self))
    with live.Live():
        with meter.work("quick", unit="x"):
            meter.advance()
        time.sleep(live._QUIET_S * 1.2)
    assert shown == []
