"""Imports netplan once, then forks a process for each command that it is asked for.

    python -P server.py

It reads one request a line from its input, and writes the number of the process and, when that has
ended, its exit status. A fork goes on as a script of `python -c` would.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import sys
import threading
import time
from typing import Any, NoReturn

_PACKAGES = ("netplan_planner", "netplan_rules", "netplan_pricing")
_LATE = ("typer._adapters", "typer.rich_utils")
"""What typer imports with the first command line that it reads."""


def imported() -> None:
    """Import every module of netplan."""
    for name in _PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)


def next_request() -> dict[str, Any]:
    """Return, in a fork, what it is to do; the server itself never returns."""
    while line := _line():
        asked: dict[str, Any] = json.loads(line)
        pid = os.fork()
        if not pid:
            return asked
        os.write(1, b"%d\n" % pid)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)


def _line() -> bytes:
    """Read a line of the input, and nothing beyond it: a fork has no part of the next one."""
    found = b""
    while not found.endswith(b"\n"):
        got = os.read(0, 1 << 16)
        if not got:
            return b""
        found += got
    return found


def become(asked: dict[str, Any]) -> None:
    """Give this process the arguments, environment, folder and outputs of a request."""
    for number, name in enumerate((os.devnull, *asked["outputs"])):
        file = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    os.chdir(asked["folder"])
    sys.argv = ["-c", *asked["arguments"]]
    sys.path.insert(0, "")


def carry_out(script: str) -> NoReturn:
    """Run a script and end as Python does: threads and exit functions first, then the status.

    The objects of all those modules are not taken apart one by one, which takes a quarter of a
    second and is seen by nobody.
    """
    try:
        exec(compile(script, "<string>", "exec"), {"__name__": "__main__"})
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status & 0xFF)


def main() -> None:
    imported()
    gc.freeze()
    asked = next_request()
    become(asked)
    carry_out(asked["script"])


if __name__ == "__main__":
    main()
