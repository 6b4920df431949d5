"""What runs are to be expected to measure, before they are run: draws from all that is not known.

A calibration says how far each shared factor may lie from where it is, that paths of a class
scatter, and how well it knows by how much: the usual scatter is worth a few probes
(`SCATTER_FREEDOM`). Runs drawn from just that are what the same calibration expects to see, so what
it would learn from each draw is in the mean what it will learn: a preposterior analysis (Raiffa and
Schlaifer, Applied statistical decision theory, 1961). With few probes the scatter of a class is
drawn from a wide range, as the quantiles of Student's t have it.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from netplan_planner.model import PathQuery
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors import calibrated, shared_factors
from netplan_planner.throughput.calibration.factors.factor_paths import (
    FactorPaths,
    answers,
    run_scatter,
    slopes,
    values_of,
)
from netplan_planner.throughput.calibration.factors.shared_factors import SITE
from netplan_planner.throughput.calibration.learning.posterior import (
    BACKGROUND_BELOW,
    Prior,
    degraded_share,
    prior_of,
)
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.path_limits import StaticLimits

_SEED = 0
"""The same paths are given the same draws, whenever and wherever they are planned."""


def expected_gbps(
    kinds: Sequence[PathQuery],
    limits: Sequence[StaticLimits],
    columns: batch.Columns,
    corrector: calibrated.Corrector,
    *,
    run_count: int,
    draw_count: int,
) -> Iterator[Column]:
    """Yield what the median run of each path reaches, in Gbit/s, NaN where nothing is predicted.

    Args:
        kinds: Of the paths.
        limits: Of each kind.
        columns: The paths, one of each kind.
        corrector: What is known by now.
        run_count: Of each path.
        draw_count: How many times.
    """
    pairs = corrector.of_pairs([calibrated.pair_of(kind) for kind in kinds])
    probed = corrector.probed(kinds, limits, pairs)
    paths, values = probed.paths(batch.terms_of(kinds, limits, columns), columns.kind)
    wall_gbps = batch.spread_columns(kinds, limits, columns).wall_gbps
    prior = prior_of(paths, int(paths.shared_factor.max()) + 1)
    share = calibrated.PAIR_SHARE + (1 - calibrated.PAIR_SHARE) / run_count
    # The median of several runs is slowed down only where most of them are.
    slowed = degraded_share(paths) ** ((1 + run_count) / 2)
    random = np.random.default_rng(_SEED)
    for _ in range(draw_count):
        moved = values + values_of(paths.shared_factor, _factors(prior, corrector, random))
        now = answers(paths, moved)
        scatter = run_scatter(paths, slopes(paths, moved, now)) * _ratios(paths, probed, random)
        off = scatter * np.sqrt(share) * random.standard_normal(len(scatter))
        is_slow, lost = random.random((2, len(scatter)))
        off -= np.where(is_slow < slowed, lost / BACKGROUND_BELOW, 0.0)
        yield np.fmin(np.exp(now.log_gbps + off), wall_gbps)


def _factors(prior: Prior, corrector: calibrated.Corrector, random: np.random.Generator) -> Column:
    """Return one draw of how far each shared factor lies from where it is taken for."""
    count = len(prior.slot)
    normal, firm, far = random.standard_normal((3, count))
    is_firm, is_far = random.random((2, count))
    found = normal * np.where(normal < 0, prior.lower_sd, prior.upper_sd)
    stock = shared_factors.is_firm(prior.slot, prior.lower_sd)
    stock &= is_firm < shared_factors.FIRM_SHARE
    found = np.where(stock, firm * shared_factors.LEAST_SD, found)
    beyond = shared_factors.may_be_far(prior.slot) & (is_far < shared_factors.FAR_SHARE)
    found = np.where(beyond, far * shared_factors.FAR_SD, found)
    known = min(len(corrector.factors), count)
    if known:
        # Rounded in its file, a covariance may be none by a hair.
        covariance = corrector.covariance[:known, :known]
        found[:known] = random.multivariate_normal(
            np.zeros(known), covariance, check_valid="ignore"
        )
    return np.asarray(found)


def _ratios(paths: FactorPaths, probed: calibrated.Probed, random: np.random.Generator) -> Column:
    """Return one draw of the scatter of each path's class over the usual one."""
    _, first, of_class = np.unique(
        paths.shared_factor[:, SITE], return_index=True, return_inverse=True
    )
    freedom = calibrated.SCATTER_FREEDOM + probed.of_kind.probe_count[first]
    ratios = probed.of_kind.scatter_ratio[first] * np.sqrt(freedom / random.chisquare(freedom))
    return np.asarray(ratios[of_class.reshape(-1)])
