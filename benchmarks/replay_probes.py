"""What probes would have been worth: each published campaign replayed as a project of its own.

    python benchmarks/replay_probes.py MEASUREMENTS.csv [--seeds 20] [--campaign NAME …]
        [--markdown] [--tails] [--untold]

A few rows of a campaign are taken as probes, the model is calibrated by them, and the other rows
are predicted. Rows are picked at random (the mean over pinned seeds), and by information: each time
the row whose answer is expected to narrow the intervals most. The rival in the same run is one
factor for all: the median of measured over predicted of the same probes. Nothing depends on time,
nothing on the campaign but its probes: constants and intervals come from the others.

Campaigns whose names are joined by + are one project whose receivers have an image for each of
them, and whose probes are of one day; with `--untold` nobody recorded which image.

`--tails` prints what `PROBED_TAILS` of the intervals rests on: quantiles of measured over
predicted, in the standard deviations that the calibration states, of paths that probes told of.
"""

import argparse
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from informative_probes import gains_gbps
from netplan_planner.model import Calibration
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors.calibrated import HALF_LIFE_DAYS
from netplan_planner.throughput.calibration.learning import calibration as learning
from netplan_planner.throughput.calibration.learning.calibration import calibrate
from netplan_planner.throughput.calibration.learning.measured_runs import (
    Measured,
    in_order,
    usable,
)
from netplan_planner.throughput.goodput.conformal import Scores, fit
from netplan_planner.throughput.goodput.intervals import PROBED_TAILS, Factors, Spread, interval
from netplan_planner.throughput.limits.path_limits import is_own_receiver
from netplan_planner.verbs.calibrate.rows import rows_of_table
from netplan_planner.verbs.model.run import calibration_scores

AS_OF = date(2022, 1, 29)
"""Of rows without a date; the published table has none."""
LEVEL = 0.9
COUNTS = (1, 2, 3, 5, 10)
TAIL_COUNTS = (3, 10)
TOLD_RATIO = 0.3
"""Of the doubt about a path: where probes removed less, they say little of its interval."""
LEAST_ROWS = 14
"""Of a campaign: ten probes, and some rows to predict."""
_EPOCH = date(1970, 1, 1).toordinal()

Rows = NDArray[np.intp]


class World(NamedTuple):
    """A campaign as a project: its rows with a sender on Google, and intervals of the others."""

    name: str
    measured: Measured
    as_of: date
    factors: Factors


class Score(NamedTuple):
    """Of the rows that were not probed."""

    error_ratio: float
    coverage_ratio: float
    width_gbps: float
    rival_error_ratio: float


def campaigns(path: Path) -> list[str]:
    """Return the names of the campaigns in the table."""
    with PathTable(path) as table:
        return sorted(table.texts("source")[0])


def without_own_tails(worlds: Sequence[World], seeds: int) -> list[World]:
    """Return the campaigns with the tails of probed intervals that the others show."""
    deviations = {one.name: _deviations(one, seeds) for one in worlds}
    found = []
    for one in worlds:
        below, above = _ends(deviations, one.name, LEVEL)
        factors = one.factors._replace(probed=(-below, above))
        found.append(one._replace(factors=factors))
    return found


def world(path: Path, name: str, scores: Sequence[Scores], *, is_told: bool = True) -> World | None:
    """Return a campaign as a project, or several as one; None where it has too few rows."""
    joined = name.split("+")
    with PathTable(path) as table:
        names, source = table.texts("source")
        every = rows_of_table(table, as_of=AS_OF)
    left = batch.kind_limits(every.kinds, without=frozenset(joined))
    # Kinds that cannot be judged have no limits at all.
    whole = every.limits
    every = every._replace(limits=[b if a.hard else a for a, b in zip(whole, left, strict=True)])
    is_own = np.array([kind.src.cloud == "gcp" for kind in every.kinds])[every.columns.kind]
    if len(joined) > 1:
        # Where foreign machines receive, nobody says of what images they are.
        is_own &= np.array([is_own_receiver(kind) for kind in every.kinds])[every.columns.kind]
        every = with_images(every, names, source) if is_told else every
    chosen = np.isin(source, [names.index(one) for one in joined])
    rows = np.intersect1d(usable(every), np.flatnonzero(chosen & is_own))
    if len(rows) < LEAST_ROWS:
        return None
    measured = in_order(every.rows(rows))
    day = int(np.median(measured.days))
    if len(joined) > 1:
        # One project measures at one time: half a year between campaigns is no age of its probes.
        measured = measured._replace(days=np.full_like(measured.days, day))
    as_of = date.fromordinal(day + _EPOCH)
    others = [one for one in scores if one.campaign not in joined]
    return World(name, measured, as_of, fit(others, LEVEL))


def with_images(measured: Measured, names: Sequence[str], source: Rows) -> Measured:
    """Return measurements whose receivers have the name of their campaign as their image."""
    pairs, which = np.unique(
        np.column_stack((measured.columns.kind, source)), axis=0, return_inverse=True
    )
    kinds = []
    for kind, number in pairs.tolist():
        dst = measured.kinds[kind].dst
        named = replace(dst, set_up=replace(dst.set_up, image=names[number]))
        kinds.append(replace(measured.kinds[kind], dst=named))
    return measured._replace(
        kinds=kinds,
        limits=[measured.limits[kind] for kind in pairs[:, 0]],
        columns=measured.columns._replace(kind=which.reshape(-1)),
    )


def predicted(one: World, rows: Rows, calibration: Calibration | None) -> Spread:
    """Return the predictions of some rows."""
    some = one.measured.rows(rows)
    if calibration is not None:
        return learning.predicted(some, calibration)
    return batch.spread_columns(some.kinds, some.limits, some.columns)


def score(one: World, picked: Rows) -> Score:
    """Return how well the rows are predicted that were not picked as probes."""
    measured = one.measured
    rest = np.setdiff1d(np.arange(len(measured.gbps)), picked)
    learnt = calibrate(measured.rows(picked), as_of=one.as_of) if len(picked) else None
    found = predicted(one, rest, learnt)
    low, high = interval(found, one.factors)
    value = measured.gbps[rest]
    plain = predicted(one, np.arange(len(measured.gbps)), None).means.gbps
    factor = float(np.median(measured.gbps[picked] / plain[picked])) if len(picked) else 1.0
    return Score(
        error_ratio=_median_error(found.means.gbps, value),
        coverage_ratio=float(((value >= low) & (value <= high)).mean()),
        width_gbps=float((high - low).mean()),
        rival_error_ratio=_median_error(plain[rest] * factor, value),
    )


def at_random(one: World, count: int, seeds: int) -> Score:
    """Return the mean score of probes picked at random."""
    size = len(one.measured.gbps)
    picks = [np.random.default_rng(seed).permutation(size)[:count] for seed in range(seeds)]
    return Score._make(np.mean([score(one, np.sort(pick)) for pick in picks], axis=0))


def informative(one: World, count: int) -> Rows:
    """Return the rows that are picked one after the other by what they are expected to tell."""
    measured = one.measured
    age_days = np.abs(measured.days - (one.as_of.toordinal() - _EPOCH))
    weight = 0.5 ** (age_days / HALF_LIFE_DAYS)
    known = Calibration(as_of=one.as_of, measurement_count=0, probe_count=0, fingerprint="")
    picked: list[int] = []
    for _ in range(count):
        gain = gains_gbps(measured.kinds, measured.limits, measured.columns, known, weight=weight)
        gain[picked] = -1.0
        picked.append(int(gain.argmax()))
        known = calibrate(measured.rows(np.array(picked)), as_of=one.as_of)
    return np.array(picked)


def replay(one: World, seeds: int) -> Iterator[tuple[str, ...]]:
    """Yield a row for each way of picking: the error and coverage by number of probes."""
    none = score(one, np.array([], dtype=np.intp))
    lines = {
        "random": [at_random(one, count, seeds) for count in COUNTS],
        "informative": [],
    }
    best = informative(one, max(COUNTS))
    lines["informative"] = [score(one, best[:count]) for count in COUNTS]
    for way, found in lines.items():
        yield (
            one.name,
            f"{len(one.measured.gbps):,}",
            way,
            *(_percent(each.error_ratio) for each in (none, *found)),
            *(_percent(each.rival_error_ratio) for each in (found[2],)),
            *(_percent(each.coverage_ratio) for each in (none, found[2], found[4])),
            *(f"{each.width_gbps:.2f}" for each in (none, found[2], found[4])),
        )


def tails(worlds: Sequence[World], seeds: int) -> Iterator[tuple[str, ...]]:
    """Yield the ends of intervals by level, over all campaigns and without each."""
    deviations = {one.name: _deviations(one, seeds) for one in worlds}
    yield ("campaigns", *(f"{level:g}" for level in PROBED_TAILS))
    for left_out in ("", *deviations):
        yield (
            f"without {left_out}" if left_out else "all",
            *(
                "{:.2f} to {:.2f}".format(*_ends(deviations, left_out, level))
                for level in PROBED_TAILS
            ),
        )


def _ends(
    deviations: dict[str, NDArray[np.float64]], left_out: str, level: float
) -> tuple[float, float]:
    """Return both ends of a level over campaigns of the same weight, without one."""
    parts = [found for name, found in deviations.items() if name != left_out and len(found)]
    values = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts])
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    low, high = np.interp((0.5 - level / 2, 0.5 + level / 2), reached, values[order])
    return float(low), float(high)


def _deviations(one: World, seeds: int) -> NDArray[np.float64]:
    """Return measured over predicted in standard deviations, of rows that probes told of."""
    size = len(one.measured.gbps)
    parts = []
    for count in TAIL_COUNTS:
        for seed in range(seeds):
            pick = np.sort(np.random.default_rng(seed).permutation(size)[:count])
            rest = np.setdiff1d(np.arange(size), pick)
            learnt = calibrate(one.measured.rows(pick), as_of=one.as_of)
            found = predicted(one, rest, learnt)
            told = found.learnt_ratio > TOLD_RATIO
            distance = np.log(one.measured.gbps[rest] / found.means.gbps) / found.log_sd
            parts.append(distance[told])
    return np.concatenate(parts)


def _median_error(predicted_gbps: NDArray[np.float64], value: NDArray[np.float64]) -> float:
    return float(np.median(np.abs(predicted_gbps / value - 1)))


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("measurements", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--campaign", action="append")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--tails", action="store_true")
    parser.add_argument("--untold", action="store_true")
    asked = parser.parse_args()
    scores = calibration_scores(asked.measurements, as_of=AS_OF)
    names = asked.campaign or campaigns(asked.measurements)
    found = [world(asked.measurements, name, scores, is_told=not asked.untold) for name in names]
    worlds = [one for one in found if one is not None]
    if asked.tails:
        _print(tails(worlds, asked.seeds), asked.markdown)
        return
    judged = without_own_tails(worlds, asked.seeds) if len(worlds) > 1 else worlds
    _print(_replayed(judged, asked.seeds), asked.markdown)


def _replayed(worlds: Sequence[World], seeds: int) -> Iterator[tuple[str, ...]]:
    yield (
        *("campaign", "rows", "picked", "none", "1", "2", "3", "5", "10"),
        *("one factor, 3", "inside, none", "3", "10", "width, none", "3", "10"),
    )
    for one in worlds:
        yield from replay(one, seeds)


def _print(rows: Iterator[tuple[str, ...]], as_markdown: bool) -> None:
    for number, cells in enumerate(rows):
        print(f"| {' | '.join(cells)} |" if as_markdown else "  ".join(cells), flush=True)
        if as_markdown and number == 0:
            print(f"|{' --- |' * len(cells)}")


if __name__ == "__main__":
    main()
