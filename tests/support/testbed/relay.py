"""A wire with a delay between two TUN devices, run as a process of its own.

    python relay.py DELAY_MS NAME NAME

It makes both devices, prints `ready`, and passes packets both ways, each DELAY_MS later. They
can then be moved into network namespaces. It ends, and the devices go, when its input ends.
Packets keep their offload header, so that one read passes up to 64 KiB of a TCP stream: netem is
not everywhere, and a packet of 1500 bytes at a time would make Python the bottleneck.
"""

import contextlib
import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

_TUNSETIFF = 0x400454CA
_TUNSETOFFLOAD = 0x400454D0
_IFF_TUN, _IFF_NO_PI, _IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
_CSUM, _TSO4, _TSO6 = 0x01, 0x02, 0x04
_PACKET_BYTES = 65536 + 64
_AT_ONCE = 64
"""Packets read from one side before the other is looked at."""
_MOST_BYTES = 256 * 2**20
"""On the wire; beyond that it drops, as any queue does."""


def device(name: str) -> int:
    """Return the file descriptor of a new TUN device."""
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    flags = _IFF_TUN | _IFF_NO_PI | _IFF_VNET_HDR
    fcntl.ioctl(fd, _TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
    fcntl.ioctl(fd, _TUNSETOFFLOAD, _CSUM | _TSO4 | _TSO6)
    return fd


class Way:
    """One direction."""

    def __init__(self, source: int, target: int, delay_s: float) -> None:
        self.source = source
        self.target = target
        self.delay_s = delay_s
        self.held: deque[tuple[float, bytes]] = deque()
        self.held_bytes = 0

    def take(self) -> None:
        """Read what has come."""
        for _ in range(_AT_ONCE):
            try:
                packet = os.read(self.source, _PACKET_BYTES)
            except OSError:
                return  # nothing more, or the device is down
            if self.held_bytes + len(packet) <= _MOST_BYTES:
                self.held.append((time.monotonic() + self.delay_s, packet))
                self.held_bytes += len(packet)

    def give(self) -> None:
        """Write what is due."""
        now = time.monotonic()
        while self.held and self.held[0][0] <= now:
            _, packet = self.held.popleft()
            self.held_bytes -= len(packet)
            # A device that is down, or whose queue is full, loses the packet.
            with contextlib.suppress(OSError):
                os.write(self.target, packet)


def main() -> None:
    delay_s = float(sys.argv[1]) / 1000
    # A wire does not wait for a processor, however busy the machine is.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    left, right = (device(name) for name in sys.argv[2:4])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    ways = (Way(left, right, delay_s), Way(right, left, delay_s))
    end = sys.stdin.fileno()
    while True:
        for way in ways:
            way.give()
        due = [way.held[0][0] for way in ways if way.held]
        wait = max(min(due) - time.monotonic(), 0.0) if due else None
        readable, _, _ = select.select([left, right, end], [], [], wait)
        if end in readable and not os.read(end, 64):
            return
        for way in ways:
            if way.source in readable:
                way.take()


if __name__ == "__main__":
    main()
