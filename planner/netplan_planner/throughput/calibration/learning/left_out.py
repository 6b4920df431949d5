"""What a calibration is worth: its error on probes that it did not see.

The probes are parted by pair of places, so that no other run of the same pair gives the answer
away. With few pairs each is left out in turn, else a fifth of them.
"""

from datetime import date

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import LeftOut
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors.shared_factors import site_key
from netplan_planner.throughput.calibration.learning.calibration import calibrate, predicted
from netplan_planner.throughput.calibration.learning.measured_runs import Measured, in_order, usable
from netplan_planner.throughput.goodput.intervals import Factors, interval
from netplan_planner.throughput.goodput.mean import Column

FOLDS = 5
ONE_BY_ONE = 10
"""Up to so many pairs, each is left out alone."""


def left_out(measured: Measured, *, as_of: date, factors: Factors) -> tuple[LeftOut, ...]:
    """Return the errors on all measurements, then by class; nothing where there is one pair.

    Figures that a busy core or a rate cap held are not scored.

    Args:
        measured: The measurements.
        as_of: Of the calibration.
        factors: Of the interval.
    """
    measured = in_order(measured.rows(usable(measured)))
    fold = _folds(measured)
    if fold.max(initial=0) == 0:
        return ()
    plain = batch.spread_columns(measured.kinds, measured.limits, measured.columns)
    with_others = plain.means.gbps.copy()
    low, high = interval(plain, factors)
    ends = [low.copy(), high.copy()]
    for number in range(int(fold.max()) + 1):
        rows, others = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        found = predicted(measured.rows(rows), calibrate(measured.rows(others), as_of=as_of))
        with_others[rows] = found.means.gbps
        for column, values in zip(ends, interval(found, factors), strict=True):
            column[rows] = values
    is_scored = ~measured.is_core_only & ~measured.is_at_least
    classes = np.array([site_key(kind) for kind in measured.kinds])[measured.columns.kind]
    groups = [
        ("", is_scored),
        *((str(name), is_scored & (classes == name)) for name in np.unique(classes)),
    ]
    return tuple(
        _score(
            name,
            measured.gbps[rows],
            plain.means.gbps[rows],
            with_others[rows],
            *(column[rows] for column in (low, high, *ends)),
        )
        for name, rows in groups
        if rows.any()
    )


def _folds(measured: Measured) -> NDArray[np.intp]:
    """Return the part of each row; rows of one pair, or of one kind without places, go together."""
    alone = measured.pair.max(initial=-1) + 1 + measured.columns.kind
    _, group = np.unique(np.where(measured.pair >= 0, measured.pair, alone), return_inverse=True)
    group = group.reshape(-1)
    count = int(group.max(initial=0)) + 1
    return np.asarray(group if count <= ONE_BY_ONE else group % FOLDS, dtype=np.intp)


def _score(
    group: str,
    value: Column,
    plain: Column,
    found: Column,
    plain_low: Column,
    plain_high: Column,
    low: Column,
    high: Column,
) -> LeftOut:
    before, after = np.abs(plain / value - 1), np.abs(found / value - 1)
    return LeftOut(
        group=group,
        measurement_count=len(value),
        plain_median_error_ratio=float(np.median(before)),
        median_error_ratio=float(np.median(after)),
        plain_p90_error_ratio=float(np.quantile(before, 0.9)),
        p90_error_ratio=float(np.quantile(after, 0.9)),
        plain_coverage_ratio=float(((value >= plain_low) & (value <= plain_high)).mean()),
        coverage_ratio=float(((value >= low) & (value <= high)).mean()),
    )
