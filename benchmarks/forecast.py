"""Forecasts of a quarter: how often intervals hold the truth, how wide they are, and the time.

`python benchmarks/forecast.py --times 200`. Series of days are made from a seed, of twelve kinds
with known truth (tests/support/forecasts/made.py). The rival is seasonal naive: the last week
again and again, with the usual interval of its one-week errors, wider by the root of the weeks
ahead. With `--series FILE`, a table of `netplan forecast`, each series of the file is cut at every
week instead, and what comes after the cut is the truth: so the figures can be had of one's own
traffic, or of a public series that lies on the disk. The file is read in place.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from netplan_planner.throughput import load_caps
from netplan_planner.verbs.forecast.foresee import LEAST_DAYS, foresee, interval_of
from netplan_planner.verbs.forecast.series import days_of
from netplan_planner.verbs.forecast.table import read_series
from netplan_pricing import open_prices
from support.forecasts.made import series

AS_OF = date(2026, 11, 1)
KINDS = (
    *("level", "ratio", "amount", "amount-noise", "lingering"),
    *("step", "outage", "gap", "wandering", "bursty", "batch", "heavy"),
)
WEEK = 7
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Case(NamedTuple):
    """A series up to a day, and its days after."""

    told: Floats
    truth: Floats


class Score(NamedTuple):
    """What one forecast of a case came to."""

    is_held: bool
    width: float
    """Of the interval, against the truth."""
    error: float
    """Of the middle, against the truth, without sign."""
    seconds: float


def made(kind: str, known: int, ahead: int, times: int) -> Iterator[Case]:
    """Yield cases of a kind, the same for every run."""
    dice = np.random.default_rng(16)
    for _ in range(times):
        days = series(kind, known, ahead, dice)
        yield Case(days[:known], days[known:])


def cut(days: Floats, ahead: int) -> Iterator[Case]:
    """Yield a series up to each of its weeks, with whole days ahead that are known."""
    for end in range(2 * LEAST_DAYS, len(days) - ahead + 1, WEEK):
        truth = days[end : end + ahead]
        if not np.isnan(truth).any():
            yield Case(days[:end], truth)


def ours(case: Case, level: float) -> Score | None:
    """Return the score of the product's forecast of the sum; None where it makes none."""
    start = time.perf_counter()
    found = foresee(case.told, len(case.truth), level)
    if found is None:
        return None
    interval = interval_of(found.draws.sum(axis=1), float(found.line.sum()), level)
    return _score(case, *interval, seconds=time.perf_counter() - start)


def naive(case: Case, level: float) -> Score:
    """Return the score of the last week again and again."""
    start = time.perf_counter()
    told = case.told
    ahead = len(case.truth)
    last = told[-WEEK:]
    last = np.where(np.isnan(last), np.nanmean(told), last)
    errors = (told[WEEK:] - told[:-WEEK])[~np.isnan(told[WEEK:] - told[:-WEEK])]
    spread = float(np.sqrt(np.mean(errors**2)))
    middle = float(np.resize(last, ahead).sum())
    # Errors of one weekday add up from week to week; those of different weekdays are apart.
    weeks = np.arange(ahead) // WEEK + 1
    days = [float(weeks[day::WEEK].sum()) for day in range(WEEK)]
    of_sum = spread * float(np.sqrt(sum(one**2 for one in days) / max(int(weeks[-1]), 1)))
    half = of_sum * float(norm.ppf((1 + level) / 2))
    low = max(middle - half, 0.0)
    return _score(case, low, middle, middle + half, seconds=time.perf_counter() - start)


def _score(case: Case, low: float, middle: float, high: float, *, seconds: float) -> Score:
    truth = float(case.truth.sum())
    size = truth or 1.0
    return Score(low <= truth <= high, (high - low) / size, abs(middle - truth) / size, seconds)


def line(name: str, known: str, scores: list[Score], rivals: list[Score]) -> str:
    """Return a row of the table."""

    def of(found: list[Score]) -> str:
        held = sum(one.is_held for one in found) / len(found)
        width = statistics.median(one.width for one in found)
        error = statistics.median(one.error for one in found)
        return f"{held:6.0%} {width:7.0%} {error:6.0%}"

    milliseconds = 1000 * statistics.median(one.seconds for one in scores)
    return f"{name:14} {known:>5} {of(scores)}  {of(rivals)} {milliseconds:7.1f} ms"


def cases_of(options: argparse.Namespace) -> Iterator[tuple[str, str, list[Case]]]:
    """Yield names, known days and cases: of a file, or made."""
    if options.series is None:
        for known in options.known:
            for kind in KINDS:
                yield kind, str(known), list(made(kind, known, options.ahead, options.times))
        return
    found = read_series(options.series, open_prices(), load_caps(AS_OF))
    bins = [(one.name, one.bins) for one in found.senders]
    for name, one in (*bins, *((path.name, path.bins) for path in found.paths)):
        cases = list(cut(days_of(one).mean, options.ahead))
        if cases:
            yield name, "cuts", cases
        else:
            print(f"{name}: too short for {2 * LEAST_DAYS} known days and {options.ahead} more")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=Path)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--known", type=int, nargs="+", default=[28, 56, 91])
    parser.add_argument("--ahead", type=int, default=91)
    parser.add_argument("--level", type=float, default=0.9)
    options = parser.parse_args()
    print(f"intervals of {options.level:.0%}, the sum of {options.ahead} days ahead")
    print(f"{'':20}  netplan{'':15}  seasonal naive")
    print(f"{'series':14} {'known':>5}   held   width  error    held   width  error    time")
    started = time.perf_counter()
    for name, known, cases in cases_of(options):
        scores = [one for case in cases if (one := ours(case, options.level)) is not None]
        if scores:
            print(line(name, known, scores, [naive(case, options.level) for case in cases]))
    print(f"all of it: {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
