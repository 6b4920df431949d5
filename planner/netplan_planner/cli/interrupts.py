"""How a run ends that is stopped: by Ctrl-C, by a job runner that gives up, by a closed terminal.

The signal becomes a `KeyboardInterrupt`, on whose way out everything is cleaned up: temporary
folders, half-written files, iperf3 on other machines. Then the process ends at once: threads that
wait for an answer are not waited for.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

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
    except KeyboardInterrupt:
        _leave()
    except SystemExit as end:
        # What typer makes of an interrupt.
        if end.code == EXIT_INTERRUPTED:
            _leave()
        raise


def _numbers(*names: str) -> list[signal.Signals]:
    """Return the signals of these names that this system has; Windows lacks two."""
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


def _again(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt again where the first one came while something was thrown away, and got lost."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
    else:
        sys.__unraisablehook__(lost)


def _leave() -> NoReturn:
    for number in _numbers("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM"):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError, ValueError):
        sys.stderr.write("netplan: interrupted\n")
    _flushed(sys.stdout)
    _flushed(sys.stderr)
    os._exit(EXIT_INTERRUPTED)


def _flushed(stream: Any) -> None:
    with suppress(OSError, ValueError):
        stream.flush()
