"""Which whole numbers occur more than once among more of them than memory holds."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

_PART_BITS = 8
_PARTS = 1 << _PART_BITS
_NUMBER_BITS = 63
_BYTES_PER_NUMBER = 8


class NumberFile:
    """Numbers of 63 bits, spread as evenly as hashes are, on disk in parts by their leading bits.

    Equal ones are in the same part, and one part at a time is in memory: 16 MB of 500 million
    numbers. That takes two thirds of the time in which the engine groups them, and none of its
    memory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0
        self._pieces: list[tuple[int, NDArray[np.int64]]] = []
        """Of each array that was added: where it begins, and where its parts do from there."""

    def add(self, numbers: Numbers) -> None:
        """Write numbers down; some hundred thousand at a time are fastest.

        Raises:
            OSError: If there is no room for them.
        """
        if not len(numbers):
            return
        # Numbers of 8 bits are sorted by counting.
        parts = (numbers >> (_NUMBER_BITS - _PART_BITS)).astype(np.uint8)
        starts = np.concatenate(([0], np.cumsum(np.bincount(parts, minlength=_PARTS))))
        with self._path.open("ab") as file:
            file.write(numbers[np.argsort(parts, kind="stable")].data)
        self._pieces.append((self._count, starts))
        self._count += len(numbers)

    def take_repeated(self) -> Iterator[Numbers]:
        """Yield the numbers that were added more than once, each once, and remove the file."""
        if not self._count:
            return
        with self._path.open("rb", buffering=0) as file:
            for part in range(_PARTS):
                numbers = np.concatenate(
                    [
                        np.fromfile(
                            file,
                            dtype=np.int64,
                            count=starts[part + 1] - starts[part],
                            offset=(begin + starts[part]) * _BYTES_PER_NUMBER - file.tell(),
                        )
                        for begin, starts in self._pieces
                    ]
                )
                numbers.sort()
                again = numbers[1:][numbers[1:] == numbers[:-1]]
                if len(again):
                    yield again[np.concatenate(([True], again[1:] != again[:-1]))]
        self._path.unlink()
        self._count = 0
        self._pieces.clear()
