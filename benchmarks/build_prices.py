"""Time and memory of building a price snapshot, beside reading the same dump and nothing more.

    python benchmarks/build_prices.py --skus DUMP.json.gz --machine-types FILE… [--repeat 3]

The rival is the least that any builder does: `gzip` and `json.loads` of the dumps, in a fresh
process. netplan maps and prices every SKU, sums the machines, compares them with the price tables,
verifies the snapshot and writes it. Wall time, CPU and peak memory are the operating system's, of a
process of its own each; runs take turns. `--price-tables` are passed on.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

RIVAL = """
import gzip, json, sys
for name in sys.argv[1:]:
    content = open(name, "rb").read()
    json.loads(gzip.decompress(content) if content[:2] == b"\\x1f\\x8b" else content)
"""
BUILD = "from netplan_planner.cli import main; main()"
_KIB_PER_MIB = 1024


class Run(NamedTuple):
    """What one process took."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def measured(arguments: Sequence[str]) -> Run:
    """Return what a process takes.

    Raises:
        SystemExit: If it fails.
    """
    start = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", *arguments],
        dict(os.environ),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(pid, 0)
    wall_s = time.perf_counter() - start
    if status:
        raise SystemExit(f"a run failed: {arguments[:4]}")
    return Run(wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss / _KIB_PER_MIB)


def report(name: str, runs: Sequence[Run]) -> float:
    """Print the medians of runs and return the wall time."""
    wall = statistics.median(run.wall_s for run in runs)
    cpu = statistics.median(run.cpu_s for run in runs)
    peak = max(run.peak_mib for run in runs)
    print(f"{name:<28} {wall:7.2f} s wall {cpu:7.2f} s CPU {peak:7.0f} MiB peak")
    return wall


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--skus", nargs="+", required=True)
    parser.add_argument("--machine-types", nargs="+", required=True)
    parser.add_argument("--price-tables", nargs="*", default=[])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    builds, rivals = [], []
    with tempfile.TemporaryDirectory() as folder:
        words = ["--quiet", "prices", "build", "--out", str(Path(folder) / "out")]
        words += ["--skus", *options.skus, "--machine-types", *options.machine_types]
        if options.price_tables:
            words += ["--price-tables", *options.price_tables]
        for _ in range(options.repeat):
            builds.append(measured([BUILD, *words]))
            rivals.append(measured([RIVAL, *options.skus]))
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
    build = report("netplan prices build", builds)
    rival = report("gzip and json.loads alone", rivals)
    print(f"ratio of wall times {build / rival:.2f}")


if __name__ == "__main__":
    main()
