"""How a run ends that is stopped: by Ctrl-C, by a job runner that gives up, by a closed terminal.

The signal becomes a `KeyboardInterrupt`, on whose way out everything is cleaned up: temporary
folders, half-written files, iperf3 on other machines. Then the process ends at once: threads that
wait for an answer are not waited for. What an interrupt kept from being cleaned up is removed
before.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from netplan_planner.inert import inert_line
from netplan_planner.streams import standard_output
from netplan_planner.writing import clear_own

EXIT_INTERRUPTED = 130
_AGAIN_S = 0.02


@contextmanager
def ended_quietly() -> Iterator[None]:
    """Turn the signals that stop a run into status 130 and one line, and leave nothing behind."""
    for number in _numbers("SIGINT", "SIGTERM", "SIGHUP"):
        # What a parent told to ignore (nohup, a job in the background) stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    for number in _numbers("SIGALRM"):
        signal.signal(number, signal.default_int_handler)
        sys.unraisablehook = _again
    try:
        yield
    except KeyboardInterrupt as exc:
        _leave(exc)
    except SystemExit as end:
        # What typer makes of an interrupt.
        if end.code == EXIT_INTERRUPTED:
            _leave(end)
        raise
    finally:
        # What goes with the process is looked through no more: a third of a short command.
        # DuckDB would tell as leaked what nobody looks for.
        if "_duckdb" not in sys.modules:
            gc.freeze()


def _numbers(*names: str) -> list[signal.Signals]:
    """Return the signals of these names that this system has; Windows lacks two."""
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


def _again(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt again where the first one came while something was thrown away, and got lost."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
    else:
        sys.__unraisablehook__(lost)


def _leave(error: BaseException) -> NoReturn:
    for number in _numbers("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM"):
        signal.signal(number, signal.SIG_IGN)
    clear_own()
    with suppress(OSError, ValueError):
        sys.stderr.write(f"netplan: {'; '.join(['interrupted', *_notes(error)])}\n")
    _flushed(standard_output())
    _flushed(sys.stderr)
    os._exit(EXIT_INTERRUPTED)


def _notes(error: BaseException | None) -> list[str]:
    """Return what was left behind, as those who were interrupted noted it on the way out."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return [inert_line(note) for note in getattr(error, "__notes__", ())]


def _flushed(stream: Any) -> None:
    with suppress(OSError, ValueError):
        stream.flush()
