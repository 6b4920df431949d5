"""Inputs without an end, or that become large: what a file may never cost, whatever it holds.

An example keeps its first half, so that its reader takes it for its own; then comes one thing again
and again, plain or packed; or the file is a link to a device that never ends.
"""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import zstandard

ENDLESS = Path("/dev/zero")
SHARE = 0.1
"""Of the cases of a search."""
_MIB = 1 << 20
_UNITS = (
    b" ",
    b"x",
    b"0",
    b"\0",
    b"[",
    b"[],",
    b"{",
    b'{"a":',
    b",x",
    b'"\n",',
    b"\n",
    b"\r",
    b'"',
)
_PLAIN_MIB = (3, 20)
_PACKED_MIB = (3, 70, 300)


def swollen(target: Path, data: bytes, rng: random.Random) -> None:
    """Write an example that goes on and on, as a seed decides, in the place of a file."""
    if rng.random() < 0.15:
        target.symlink_to(ENDLESS)
        return
    plain = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    at = rng.choice((0, 1, len(plain) // 2, len(plain)))
    unit = rng.choice((*_UNITS, *(line + b"\n" for line in plain.splitlines()[:2])))
    pack = rng.choice((bytes, _gzip, zstandard.compress))
    # Many short lines are many records, which take their time and no memory.
    is_few = pack is bytes or b"\n" in unit or b"\r" in unit
    sizes = _PLAIN_MIB if is_few else _PACKED_MIB
    _write(target, plain, at, unit * (_MIB // max(1, len(unit)) + 1), rng.choice(sizes), pack)


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _write(
    target: Path,
    plain: bytes,
    at: int,
    unit: bytes,
    count: int,
    pack: Callable[[bytes], bytes],
) -> None:
    """Write a file whose middle is one thing many times: packed once, and put there as often."""
    middle = pack(unit)
    with target.open("wb") as file:
        file.write(pack(plain[:at]))
        for _ in range(count):
            file.write(middle)
        file.write(pack(plain[at:]))
