"""What a plan of probes promises: the intervals that a calibration by its runs is to have.

Runs are drawn from all that is not known before them (`expected_runs`): limits may lie anywhere in
their ranges, runs of a class scatter, and by how much is itself not known. A calibration by each
draw predicts all paths as `netplan calibrate` and `netplan predict` do; the promise is the mean of
what these intervals have. So it knows what a calibration does: that few probes take an interval
some of the way, that one pair of places is not yet believed of a limit, and that runs which scatter
more than usual widen what they teach.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import CapsBook, PathQuery
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors.calibrated import pair_of
from netplan_planner.throughput.calibration.factors.calibrated_caps import (
    CalibratedCaps,
    corrector_of,
    probed_paths,
)
from netplan_planner.throughput.calibration.learning.calibration import calibrate
from netplan_planner.throughput.calibration.learning.expected_runs import expected_gbps
from netplan_planner.throughput.calibration.learning.measured_runs import Measured
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import StaticLimits, static_limits
from netplan_planner.throughput.single_row import single_row, stacked
from netplan_planner.verbs.probe.answer import Probe
from netplan_planner.verbs.probe.forecast import ProbeRules, query_of

_LEVEL = 0.9
_DRAWS = 19
"""Of what runs may measure. The next one is no wider than the 18th of 19 with a chance of 0.9."""


class Promise(NamedTuple):
    """Log widths after a plan, in the mean over what its runs may measure."""

    by_probe: list[list[float]]
    """Of each direction of each probe."""
    most: float
    """Of all directions together: no more in nine of ten cases (conformal: the rank of n + 1)."""


def promised(
    probes: Sequence[Probe], planned: Sequence[Probe], caps: CapsBook, rules: ProbeRules
) -> Promise:
    """Return what a plan promises.

    Under a calibration never more than there is now: what it knows is not lost by new runs.

    Args:
        probes: All paths that matter.
        planned: Those of them that are measured.
        caps: Of the predictions, with the calibration that they follow, if any.
        rules: How probes are run.
    """
    flows = [(probe, flow) for probe in probes for flow in probe.flows]
    own = {id(probe) for probe in planned}
    is_run = [id(probe) in own and flow.estimate.gbps is not None for probe, flow in flows]
    widths = np.array([[flow.log_width for _, flow in flows]])
    if any(is_run):
        queries = [replace(query_of(probe, flow), as_of=caps.as_of) for probe, flow in flows]
        table = _Table.of(queries, caps)
        drawn = [table.log_widths(runs, is_run) for runs in table.expected(is_run, rules)]
        # Where nothing is predicted a path has the width that it was given.
        most = widths if isinstance(caps, CalibratedCaps) else np.full_like(widths, np.inf)
        widths = np.where(np.isnan(drawn), widths, np.fmin(most, drawn))
    rest = iter(widths.mean(axis=0).tolist())
    by_probe = [[next(rest) for _ in probe.flows] for probe in probes]
    every = np.sort(widths.sum(axis=1))
    rank = min(math.ceil(_LEVEL * (len(every) + 1)), len(every))
    return Promise(by_probe, float(every[rank - 1]))


class _Runs(NamedTuple):
    """What is to be measured, by direction of a planned probe."""

    gbps: Column
    is_at_least: NDArray[np.bool_]
    """Whether a rate cap holds it."""
    each: int
    """How many."""


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

    def expected(self, is_run: Sequence[bool], rules: ProbeRules) -> Iterator[_Runs]:
        """Yield what runs of some paths may measure."""
        most = np.inf if rules.bitrate_gbps is None else rules.bitrate_gbps
        rates = expected_gbps(
            self.queries,
            self.limits,
            self.columns,
            corrector_of(self.caps),
            run_count=rules.min_runs,
            draw_count=_DRAWS,
        )
        for every in rates:
            gbps = every[np.array(is_run)]
            yield _Runs(np.minimum(gbps, most), gbps > most, rules.min_runs)

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
        learnt = calibrate(expected.rows(rows), as_of=caps.as_of)
        taught = probed_paths(queries, limits, CalibratedCaps(caps, learnt))
        found = batch.predict_columns(queries, limits, columns, factors_at(_LEVEL), taught)
        return np.asarray(np.log(found.high_gbps / found.low_gbps))
