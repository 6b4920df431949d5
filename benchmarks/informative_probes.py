"""Which probe would teach most: by how much its answer would narrow the intervals that matter.

Before a probe its answer is unknown, but not how much it would take away from what is unknown: the
limits that bind on its path would then be known but for the scatter of one run, and with them every
path that shares them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Calibration, PathQuery
from netplan_planner.throughput.batch import Columns, terms_of
from netplan_planner.throughput.calibration.factors.calibrated import Corrector
from netplan_planner.throughput.calibration.factors.factor_paths import (
    NO_FACTOR,
    answers,
    incidence,
    run_scatter,
    slopes,
)
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import StaticLimits

MOST_WANTED = 500
"""Paths whose intervals are summed; of more, that many evenly."""


def gains_gbps(
    kinds: Sequence[PathQuery],
    limits: Sequence[StaticLimits],
    columns: Columns,
    calibration: Calibration,
    *,
    weight: Column | float = 1.0,
) -> Column:
    """Return by how much a probe of each path would narrow the intervals of all, in Gbit/s.

    The sum over all paths of the standard deviation now, less the one with the probe's answer.
    Paths without an answer gain nothing.

    Args:
        kinds: Kinds of paths.
        limits: Of each kind.
        columns: The paths: each may be probed, and is one whose throughput matters.
        calibration: What is known already; an empty one where nothing is.
        weight: Of the answer of each, by its age; a probe of today counts 1.
    """
    corrector = Corrector(calibration)
    count = len(columns.kind)
    nothing = corrector.of_pairs([None], np.zeros(count, dtype=np.intp))
    probed = corrector.probed(kinds, limits, nothing)
    paths, values = probed.paths(terms_of(kinds, limits, columns), columns.kind)
    found = answers(paths, values)
    now = found.log_gbps
    is_known = ~np.isnan(now)
    slope = np.where(is_known[:, None], slopes(paths, values, found), 0.0)
    scatter = np.where(is_known, run_scatter(paths, slope), 1.0) ** 2
    seen = scatter / weight
    touched = incidence(
        paths.shared_factor, slope, int(paths.shared_factor.max(initial=NO_FACTOR)) + 1
    )
    covariance = _covariance(corrector, paths.shared_factor, paths.lower_sd, paths.upper_sd)
    shared = touched @ covariance
    own = np.einsum("rl,rl->r", shared, touched)
    wanted = np.flatnonzero(is_known)
    wanted = wanted[np.linspace(0, len(wanted) - 1, min(len(wanted), MOST_WANTED)).astype(int)]
    common = shared[wanted] @ touched.T
    left = np.maximum(own[wanted][:, None] - common**2 / (own + seen), 0.0)
    before = np.sqrt(own[wanted] + scatter[wanted])
    after = np.sqrt(left + scatter[wanted][:, None])
    narrower = (np.exp(now[wanted])[:, None] * (before[:, None] - after)).sum(axis=0)
    return np.where(is_known, narrower, 0.0)


def _covariance(
    corrector: Corrector, shared_factor: NDArray[np.intp], lower_sd: Column, upper_sd: Column
) -> Column:
    """Return the covariance of all shared factors: the calibration's, then the untouched ones."""
    count = int(shared_factor.max(initial=NO_FACTOR)) + 1
    variance = np.zeros(count)
    rows, slots = np.nonzero(shared_factor != NO_FACTOR)
    # Also where a limit most likely stands at its figure: a probe is to find where it does not.
    spread = (lower_sd[rows, slots] ** 2 + upper_sd[rows, slots] ** 2) / 2
    np.maximum.at(variance, shared_factor[rows, slots], spread)
    found = np.diag(variance)
    known = min(len(corrector.covariance), count)
    found[:known, :known] = corrector.covariance[:known, :known]
    return found
