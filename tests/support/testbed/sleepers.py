"""Sleepers on every processor, a process of its own: by how much do they wake too late?

    python sleepers.py

It prints `ready`, watches until its input ends, then prints the seconds by which the sleeper of the
worst processor woke too late, all together.
"""

import contextlib
import os
import sys
import time

_NAP_S = 0.001
_LATE_S = 0.002
"""Later is late; what runs on a test bed takes turns of less."""


def late_s(processor: int) -> float:
    """Return by how much a sleeper on a processor woke too late, until the input ends."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {processor})
    lost_s = 0.0
    while True:
        start = time.monotonic()
        time.sleep(_NAP_S)
        over_s = time.monotonic() - start - _NAP_S
        lost_s += over_s if over_s > _LATE_S else 0.0
        with contextlib.suppress(BlockingIOError):
            if not os.read(sys.stdin.fileno(), 1):
                return lost_s


def main() -> None:
    os.set_blocking(sys.stdin.fileno(), False)
    pipes: list[int] = []
    for processor in sorted(os.sched_getaffinity(0)):
        read, write = os.pipe()
        if not os.fork():
            os.write(write, f"{late_s(processor):.6f}".encode())
            os._exit(0)
        os.close(write)
        pipes.append(read)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdout.write(str(max(float(os.read(read, 64)) for read in pipes)))
    for _ in pipes:
        os.wait()


if __name__ == "__main__":
    main()
