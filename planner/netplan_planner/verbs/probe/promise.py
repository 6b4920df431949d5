"""What a plan of probes promises: the intervals that a calibration by its runs is to have.

The runs of the plan are taken to reach what is predicted for them, or half of the way to either end
of the interval, and a calibration by such measurements predicts all paths: the mean of the three.
So a promise knows what `netplan calibrate` does: that few probes take an interval some of the way,
that one pair of places is not yet believed of a limit, and that runs of one class scatter, as far
as a calibration that is there already has measured it.
"""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import Calibration, CapsBook, PathQuery
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors.calibrated import pair_of
from netplan_planner.throughput.calibration.factors.calibrated_caps import (
    CalibratedCaps,
    probed_paths,
)
from netplan_planner.throughput.calibration.learning.calibration import calibrate
from netplan_planner.throughput.calibration.learning.measured_runs import Measured
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import StaticLimits, static_limits
from netplan_planner.throughput.single_row import single_row, stacked
from netplan_planner.verbs.probe.answer import Probe, ProbeFlow
from netplan_planner.verbs.probe.forecast import ProbeRules, query_of

_LEVEL = 0.9
_USUAL_SCATTER = 1.0
_WAYS = (-1, 0, 1)
"""Runs below, at and above what is predicted."""


def promised_log_widths(
    probes: Sequence[Probe], planned: Sequence[Probe], caps: CapsBook, rules: ProbeRules
) -> list[list[float]]:
    """Return the log width that each direction of each probe is to have after a plan.

    Never more than it has now.

    Args:
        probes: All paths that matter.
        planned: Those of them that are measured.
        caps: Of the predictions, with the calibration that they follow, if any.
        rules: How probes are run.
    """
    flows = [(probe, flow) for probe in probes for flow in probe.flows]
    own = {id(probe) for probe in planned}
    is_run = [id(probe) in own and flow.estimate.gbps is not None for probe, flow in flows]
    before = [flow.log_width for _, flow in flows]
    after = before
    if any(is_run):
        queries = [replace(query_of(probe, flow), as_of=caps.as_of) for probe, flow in flows]
        table = _Table.of(queries, caps)
        widths = [
            table.log_widths(
                _runs([flow for _, flow in compress(flows, is_run)], way, rules), is_run
            )
            for way in _WAYS
        ]
        after = np.fmin(before, np.mean(widths, axis=0)).tolist()
    rest = iter(after)
    return [[next(rest) for _ in probe.flows] for probe in probes]


class _Runs(NamedTuple):
    """What is to be measured, by direction of a planned probe."""

    gbps: Column
    is_at_least: NDArray[np.bool_]
    """Whether a rate cap holds it."""
    each: int
    """How many."""


def _runs(flows: Sequence[ProbeFlow], way: int, rules: ProbeRules) -> _Runs:
    """Return runs that reach what is predicted, or half of the way to an end of the interval."""
    found = [flow.estimate for flow in flows]
    ends = [one.gbps if way == 0 else one.low_gbps if way < 0 else one.high_gbps for one in found]
    gbps = np.sqrt([(one.gbps or 0.0) * (end or 0.0) for one, end in zip(found, ends, strict=True)])
    most = np.inf if rules.bitrate_gbps is None else rules.bitrate_gbps
    return _Runs(np.minimum(gbps, most), gbps > most, rules.min_runs)


class _Table(NamedTuple):
    """All paths that matter as one table."""

    queries: list[PathQuery]
    limits: list[StaticLimits]
    columns: batch.Columns
    caps: CapsBook

    @classmethod
    def of(cls, queries: list[PathQuery], caps: CapsBook) -> "_Table":
        """Return paths with their limits."""
        limits = [static_limits(query, caps, may_assume=True) for query in queries]
        columns = stacked([single_row(query)[0] for query in queries])
        return cls(queries, limits, columns, caps)

    def log_widths(self, runs: _Runs, is_run: Sequence[bool]) -> Column:
        """Return the log widths of all with a calibration by some runs."""
        queries, limits, columns, caps = self
        pairs = [pair_of(query) for query in queries]
        count = len(runs.gbps)
        expected = Measured(
            kinds=queries,
            limits=limits,
            columns=batch.Columns._make(column[np.array(is_run)] for column in columns),
            gbps=runs.gbps,
            days=np.full(count, np.datetime64(caps.as_of, "D").astype(np.int64)),
            pair=np.array([at if pairs[at] else -1 for at in np.flatnonzero(is_run)]),
            pairs=[pair or "" for pair in pairs],
            is_core_only=np.zeros(count, dtype=bool),
            is_at_least=runs.is_at_least,
        )
        rows: NDArray[np.intp] = np.repeat(np.arange(count), runs.each)
        learnt = _scattering(calibrate(expected.rows(rows), as_of=caps.as_of), caps)
        taught = probed_paths(queries, limits, CalibratedCaps(caps, learnt))
        found = batch.predict_columns(queries, limits, columns, factors_at(_LEVEL), taught)
        return np.asarray(np.log(found.high_gbps / found.low_gbps))


def _scattering(expected: Calibration, caps: CapsBook) -> Calibration:
    """Return a calibration whose runs scatter as others did: those that come out do not at all."""
    known = caps.corrector.calibration.classes if isinstance(caps, CalibratedCaps) else ()
    ratios = {one.key: one.scatter_ratio for one in known}
    classes = (
        replace(one, scatter_ratio=ratios.get(one.key, _USUAL_SCATTER)) for one in expected.classes
    )
    return replace(expected, classes=tuple(classes))
