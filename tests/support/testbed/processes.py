"""Which processes a test left behind, and free ports for it.

Every process that a test starts, and all that those start, carry a mark in their environment: no
name or port has to be guessed, and a helper of a helper is found too.
"""

import contextlib
import os
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

MARK = "NETPLAN_TEST_MARK"
_SECONDS = 20.0
_LOOKS = 10
_PORTS, _MOST_WORKERS = 1_000, 11
"""Below 32,000, from where on the kernel gives ports to whoever asks for any."""
_NAMES = frozenset({"iperf3", "ld-linux-x86-64"})
"""Of iperf3's own process; the second, where it runs with libraries of its own."""


@contextlib.contextmanager
def marked() -> Iterator[str]:
    """Mark what is started inside; the block must be left with none of it running."""
    mark = f"{MARK}={uuid.uuid4()}"
    name, _, value = mark.partition("=")
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield mark
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def processes(mark: str) -> dict[int, str]:
    """Return the command lines of the running processes with a mark, by their number."""
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                line = (folder / "cmdline").read_bytes()
                found[int(folder.name)] = line.replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def iperf3_clients(mark: str) -> list[int]:
    """Return the iperf3 clients themselves, without the shell and `timeout` around them."""
    return _iperf3(mark, "-c")


def iperf3_servers(mark: str) -> list[int]:
    """Return the iperf3 servers themselves, without the shell and `timeout` around them."""
    return _iperf3(mark, "-s")


def _iperf3(mark: str, option: str) -> list[int]:
    found = []
    for pid, line in processes(mark).items():
        words = line.split()
        with contextlib.suppress(OSError):
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            if name in _NAMES and option in words:
                found.append(pid)
    return sorted(found)


def wait_for(condition: Callable[[], object], what: str) -> None:
    """Wait until something is true, and fail with its name where it does not become so."""
    deadline = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"still waiting for {what}"
        time.sleep(0.02)


def assert_none_left(mark: str) -> None:
    """Fail if a marked process goes on running."""
    deadline = time.monotonic() + _SECONDS
    empty_looks = 0
    # A process that is just being started has no environment for a moment: look several times.
    while empty_looks < _LOOKS and time.monotonic() < deadline:
        empty_looks = 0 if processes(mark) else empty_looks + 1
        time.sleep(0.02)
    assert processes(mark) == {}


def free_ports(count: int) -> tuple[int, int]:
    """Return a range of ports on which nobody listens; those of another worker are left to it."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    lowest = 21_000 + int(worker) % _MOST_WORKERS * _PORTS
    for first in range(lowest + os.getpid() % (_PORTS // 2), lowest + _PORTS - count, count):
        with contextlib.suppress(OSError), contextlib.ExitStack() as held:
            for port in range(first, first + count):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
            return first, first + count - 1
    raise RuntimeError("no free ports")
