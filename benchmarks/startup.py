"""Time of the help page beside an empty typer application, and of the embedded sample.

    python benchmarks/startup.py [--repeat 15]

Each run is a process of its own; the two help pages take turns. The wall time is the least and the
median of the runs, the ratio that of the medians.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

EMPTY = """
import typer
app = typer.Typer(rich_markup_mode="rich", no_args_is_help=True)

@app.command()
def one(name: str = "x") -> None:
    "Do one thing."

@app.command()
def other(name: str = "y") -> None:
    "Do another."

app()
"""
NETPLAN = "from netplan_planner.cli import main; main()"


def wall_s(script: str, *arguments: str) -> float:
    """Return how long a Python process takes to run a script."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "COLUMNS": "100"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - start


def shown(name: str, values: Sequence[float]) -> str:
    """Return one line of figures."""
    return f"{name:<28} {statistics.median(values):.3f} s (least {min(values):.3f})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=15)
    repeat = parser.parse_args().repeat
    empty, ours = [], []
    for _ in range(repeat):
        empty.append(wall_s(EMPTY, "--help"))
        ours.append(wall_s(NETPLAN, "--help"))
    demo = [wall_s(NETPLAN, "audit", "--demo=gecko", "--fail-on=never") for _ in range(repeat)]
    print(shown("empty typer app --help", empty))
    print(shown("netplan --help", ours))
    print(f"{'ratio':<28} {statistics.median(ours) / statistics.median(empty):.2f}")
    print(shown("netplan audit --demo gecko", demo))


if __name__ == "__main__":
    main()
