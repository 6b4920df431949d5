"""How far real starts are behind plain doubling, and what of it a wait at first explains.

    python benchmarks/start_course.py [start_windows.csv]

Nothing here depends on time. The rows are seconds of single iperf3 streams between regions: the
kernel's round-trip time, and the congestion window at the end of each second that iperf3 omits. A
window of ten segments (RFC 6928) doubles while the acknowledgements of a flight come in. So n round
trips after the first byte the last doubling that has begun is the floor(n)th, and the window stands
above ten times 2^(floor(n) - 1) and up to twice that. Without a file, that
of the shared measurements is read; without these there is nothing to do.
"""

import argparse
import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from netplan_planner.throughput.transport.transfer import INITIAL_WINDOW_SEGMENTS, segment_bytes

SHARED = Path(__file__).resolve().parents[2] / "shared"
FILE = Path("data", "measurements", "start_windows.csv")
SEGMENT_BYTES = float(segment_bytes(1460))
BANDS_MS = ((130.0, 150.0), (260.0, 310.0))
"""Round trips of the file that are long enough for a second of start."""
OPEN_SEGMENTS = 1024
"""Up to this the stock receive window (2,151 segments) is not reached; beyond it stops growing."""
WAITS_RTTS = (0.0, 1.0)
"""Before the first byte: none, and that of iperf3 before 3.10 (`transport/tools.py`)."""
SLACK = 1.01
"""Windows are counted in whole bytes, and a packet or two are sent beside a full flight."""


class Seen(NamedTuple):
    """A congestion window of a start without a loss."""

    rtt_s: float
    second: int
    """The omitted second at whose end it was seen, from 1."""
    seconds: float
    """Since the clock of the client started."""
    segments: float

    @property
    def lag_rtts(self) -> float:
        """Return the round trips behind windows that double from the start of the clock on."""
        doublings = np.log2(self.segments / INITIAL_WINDOW_SEGMENTS)
        return float(self.seconds / self.rtt_s - doublings)

    def is_reached(self, wait_rtts: float) -> bool:
        """Return whether the doubling that runs after such a wait holds it."""
        begun = np.floor(self.seconds / self.rtt_s - wait_rtts)
        most = SLACK * INITIAL_WINDOW_SEGMENTS * 2.0**begun
        return bool(most / 2 < self.segments <= most)


def windows(path: Path) -> Iterator[Seen]:
    """Yield the windows of all starts until their first loss."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for run in dict.fromkeys(row["run"] for row in rows):
        of_run = [row for row in rows if row["run"] == run]
        rtt_s = float(np.median([float(row["rtt_ms"]) for row in of_run])) / 1000
        starts = [row for row in of_run if row["is_omitted"] == "1"]
        for second, row in enumerate(starts, 1):
            if int(row["retransmits"]):
                break
            segments = float(row["snd_cwnd_bytes"]) / SEGMENT_BYTES
            yield Seen(rtt_s, second, float(row["end_s"]), segments)


def table(seen: Sequence[Seen]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each band of round-trip times and second in which windows are open."""
    yield (
        "RTT, ms",
        "second",
        "windows",
        "segments",
        "lag, RTT",
        *(f"wait {w:g}" for w in WAITS_RTTS),
    )
    for least_ms, most_ms in BANDS_MS:
        for second in (1, 2):
            chosen = [
                one
                for one in seen
                if least_ms <= 1000 * one.rtt_s < most_ms
                and one.second == second
                and one.segments <= OPEN_SEGMENTS
            ]
            if not chosen:
                continue
            low, middle, high = np.quantile([one.lag_rtts for one in chosen], (0.1, 0.5, 0.9))
            yield (
                f"{least_ms:g} to {most_ms:g}",
                str(second),
                str(len(chosen)),
                f"{np.median([one.segments for one in chosen]):.0f}",
                f"{middle:.2f} ({low:.2f} to {high:.2f})",
                *(f"{np.mean([one.is_reached(w) for one in chosen]):.1%}" for w in WAITS_RTTS),
            )


def main() -> None:
    """Print how far behind the starts are, and how many of them each wait explains."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    shared = Path(os.environ.get("NETPLAN_TEST_DATA", SHARED))
    parser.add_argument("measurements", type=Path, nargs="?", default=shared / FILE)
    path = parser.parse_args().measurements
    if not path.exists():
        print(f"{path.name} is not here: nothing to compare")
        return
    for cells in table(list(windows(path))):
        print("  ".join(cell.ljust(20) for cell in cells).rstrip())


if __name__ == "__main__":
    main()
