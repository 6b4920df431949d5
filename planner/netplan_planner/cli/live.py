"""Shows on a terminal how far long work is: what is done, how fast, and how long it still takes."""

import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any

from netplan_planner import meter
from netplan_planner.cli import progress_line
from netplan_planner.inert import inert
from netplan_planner.meter import Sampled

_QUIET_S = 0.5
"""Work that ends sooner is not worth a line."""
_NAME_LENGTH = 40
_PREFIXES = ("", "k", "M", "G", "T")
_STEP = 1000


def amount(count: float, unit: str) -> str:
    """Return a count with its unit: bytes in powers of a thousand, all else as it is.

    >>> amount(1_234_567, "bytes"), amount(12_345, "records")
    ('1.2 MB', '12,345 records')
    """
    if unit != "bytes":
        return f"{count:,.0f} {unit}" if count >= 1 or not count else f"{count:.1f} {unit}"
    for prefix in _PREFIXES:
        if count < _STEP or prefix == _PREFIXES[-1]:
            break
        count /= _STEP
    return f"{count:.1f} {prefix}B" if prefix else f"{count:.0f} B"


def time_left(seconds: float | None) -> str:
    """Return a time as people read it on a clock.

    >>> time_left(75), time_left(4000), time_left(None)
    ('1:15 left', '1:06:40 left', '')
    """
    if seconds is None:
        return ""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    clock = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{clock} left"


class State:
    """How far one piece of work is, by a clock."""

    def __init__(self, name: str, total: float | None, unit: str) -> None:
        self.name = name
        self.total = total
        self.unit = unit
        self.done = 0.0
        self.began_s = time.monotonic()
        self._ends_s = float("inf")
        self._part: tuple[float, Sampled] | None = None

    def sample(self, count: float, sampled: Sampled | None) -> None:
        """Take a part whose share is asked for, or none."""
        self._part = None if sampled is None else (count, sampled)

    def reached(self) -> float:
        """Return how much is done, the share of the part under way included."""
        part = self._part
        share = 0.0
        if part is not None:
            with suppress(Exception):
                # The engine may just have gone.
                share = part[0] * min(max(part[1](), 0.0), 1.0)
        reached = self.done + share
        return reached if self.total is None else min(reached, self.total)

    def told(self, now_s: float) -> str:
        """Return the amount done, the rate and the time left."""
        reached, took_s = self.reached(), max(now_s - self.began_s, 1e-9)
        rate = reached / took_s
        done = amount(reached, self.unit)
        if self.total:
            unit = "" if self.unit == "bytes" else f" {self.unit}"
            done = f"{done.removesuffix(unit)} of {amount(self.total, self.unit)}"
        if not rate:
            return done
        if self.total:
            # It never goes up; once it has passed, nothing is said of it.
            self._ends_s = min(self._ends_s, now_s + (self.total - reached) / rate)
        left_s = self._ends_s - now_s
        left = time_left(left_s if self.total and left_s >= 0 else None)
        return " · ".join(filter(None, (done, f"{amount(rate, self.unit)}/s", left)))


class Live:
    """Shows work on stderr, which must be a terminal; as a context manager it listens."""

    def __init__(self) -> None:
        self._state: State | None = None
        self._live: Any = None
        self._timer: threading.Timer | None = None
        self._lock = threading.RLock()
        self._listening = meter.shown_by(self)

    def __enter__(self) -> "Live":
        self._listening.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
        self._listening.__exit__(kind, error, trace)

    def begin(self, name: str, total: float | None, unit: str) -> None:
        """Show a new piece of work, once it has lasted a moment."""
        self.end()
        with self._lock:
            self._state = State(inert(name, _NAME_LENGTH), total, unit)
            self._timer = threading.Timer(_QUIET_S, self._show)
            self._timer.daemon = True
            self._timer.start()

    def advance(self, count: float) -> None:
        """Show that more is done."""
        with self._lock:
            if self._state is not None:
                self._state.done += count

    def sample(self, count: float, sampled: Sampled | None) -> None:
        """Show a part by what is said of it."""
        state = self._state
        if state is not None:
            state.sample(count, sampled)

    def end(self) -> None:
        """Take the line away."""
        with self._lock:
            timer, live = self._timer, self._live
            self._timer = self._live = self._state = None
        if timer is not None:
            timer.cancel()
        if live is not None:
            live.stop()

    def write(self, text: str) -> bool:
        """Write a line above the one that moves; return whether there is one."""
        with self._lock:
            if self._live is None:
                return False
            self._live.console.print(text, markup=False, highlight=False)
            return True

    def _show(self) -> None:
        with self._lock:
            if self._state is None:
                return
            self._live = progress_line.shown(self._line)
            self._live.start()

    def _line(self) -> Any:
        state = self._state
        if state is None:
            return progress_line.nothing()
        told = state.told(time.monotonic())
        reached = state.reached() if state.total else 0.0
        return progress_line.line_of(state.name, reached, state.total or 0.0, told)
