"""From measurements to a calibration: ages, the posterior of what paths share, what pairs keep.

The order of the measurements changes nothing, not even the last digit.
"""

import math
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Calibration, Learnt, Lesson, ProbedClass, ProbedPair, Value
from netplan_planner.throughput import batch
from netplan_planner.throughput.calibration.factors import factor_paths
from netplan_planner.throughput.calibration.factors.calibrated import (
    HALF_LIFE_DAYS,
    PAIR_SHARE,
    SCATTER_FREEDOM,
    Corrector,
)
from netplan_planner.throughput.calibration.factors.shared_factors import (
    HARD,
    P95,
    SITE,
    SLOTS,
    WINDOW,
    is_firm,
    site_key,
    slot_keys,
)
from netplan_planner.throughput.calibration.learning.measured_runs import (
    PAIR_HALF_LIFE_DAYS,
    Grouped,
    Measured,
    fingerprint,
    grouped,
    in_order,
    usable,
)
from netplan_planner.throughput.calibration.learning.posterior import (
    HIGH,
    LOW,
    REACH,
    REACHED_SLOPE,
    Posterior,
    Prior,
    Probes,
    posterior,
    prior_of,
    residuals,
)
from netplan_planner.throughput.goodput.intervals import Spread
from netplan_planner.throughput.goodput.mean import Column
from netplan_planner.throughput.limits.shared_by import whatever_set_up

_GRID = np.linspace(-5.0, 1.5, 651)
"""Of the logarithm of a pair's factor."""
_ODD_SHARE = 0.05
"""Of pairs that are unlike all others, and of runs that are unlike the pair."""


_MOST_RUNS = 9
"""More of a path make it no likelier that their median is of the pair."""


class PairRuns(NamedTuple):
    """Which pair each probe is of, and what it counts for it."""

    pair: NDArray[np.intp]
    """Its number; -1 for none."""
    run_count: NDArray[np.intp]
    weight: Column
    """By the age of the newest run."""


MOST_PROBES = 1000
"""More teach nothing new of what all share; each still counts for its own pair."""
GREATEST_SURPRISE = 9.0
"""Three standard deviations: what lies further out was degraded, and says nothing of scatter."""
_DIGITS = 6
_GOLDEN = (math.sqrt(5) - 1) / 2
_Names = list[tuple[str, str]]
"""Of shared factors: name and key."""


class Fitted(Value, frozen=True, kw_only=True):
    """A calibration, and how it came about."""

    calibration: Calibration
    lessons: tuple[Lesson, ...] = ()


def calibrate(measured: Measured, *, as_of: date) -> Calibration:
    """Return what measurements teach.

    Args:
        measured: The measurements; rows that `usable` leaves out are left out.
        as_of: Ages are counted from this day, in either direction.
    """
    return fitted(measured, as_of=as_of).calibration


def fitted(measured: Measured, *, as_of: date) -> Fitted:
    """Return the same with what each probe taught; of very many probes, of some of them."""
    measured = in_order(measured.rows(usable(measured)))
    empty = Calibration(
        as_of=as_of, measurement_count=0, probe_count=0, fingerprint=fingerprint(measured)
    )
    if not len(measured.gbps):
        return Fitted(calibration=empty)
    groups = grouped(measured, np.abs(measured.days - np.datetime64(as_of, "D").astype(np.int64)))
    names, factor_of_kind = _numbered(measured, groups)
    probes = _probes(measured, groups, factor_of_kind)
    prior = prior_of(probes.paths, len(names))
    some = _spread_out(len(groups.row))
    found = posterior(probes.rows(some), prior)
    unlike = _unlike(names, prior, probes.rows(some), found)
    calibration = msgspec.structs.replace(
        empty,
        measurement_count=len(measured.gbps),
        probe_count=len(groups.row),
        latents=tuple(_learnt(names, prior, found, unlike)),
        covariance=tuple(
            tuple(map(_rounded, row[: at + 1])) for at, row in enumerate(found.covariance)
        ),
        classes=tuple(_classes(probes.rows(some), _by_age(groups)[some], names, found)),
        pairs=tuple(probed_pairs(measured.pairs, _pair_runs(measured, groups), probes, found)),
    )
    return Fitted(
        calibration=calibration,
        lessons=tuple(_lessons(measured, groups, some, names, found, calibration)),
    )


def predicted(measured: Measured, calibration: Calibration) -> Spread:
    """Return the predictions of measured paths under a calibration."""
    corrector = Corrector(calibration)
    pairs = corrector.of_pairs([*measured.pairs, None], measured.pair)
    probed = corrector.probed(measured.kinds, measured.limits, pairs)
    return batch.spread_columns(measured.kinds, measured.limits, measured.columns, probed)


def _spread_out(count: int) -> NDArray[np.intp]:
    """Return numbers of at most `MOST_PROBES` of `count` probes, evenly.

    Steps of the golden ratio: set-ups recur in the order of probes with a period, and equal steps
    would keep the same set-up of each pair and leave out the others.
    """
    order = np.argsort(np.arange(count) * _GOLDEN % 1.0, kind="stable")
    return np.sort(order[:MOST_PROBES])


def _numbered(measured: Measured, groups: Grouped) -> tuple[_Names, NDArray[np.intp]]:
    """Return name and key of each shared factor, and the shared factors' numbers by kind."""
    keys = [slot_keys(*pair) for pair in zip(measured.kinds, measured.limits, strict=True)]
    used = np.unique(measured.columns.kind[groups.row])
    names = sorted(
        {
            (name, key)
            for kind in used
            for name, key in zip(SLOTS, keys[kind], strict=True)
            if key is not None
        }
    )
    number = {name: at for at, name in enumerate(names)}
    shared_factor = [
        [
            factor_paths.NO_FACTOR
            if key is None
            else number.get((name, key), factor_paths.NO_FACTOR)
            for name, key in zip(SLOTS, row, strict=True)
        ]
        for row in keys
    ]
    return names, np.array(shared_factor, dtype=np.intp)


def _probes(measured: Measured, groups: Grouped, factor_of_kind: NDArray[np.intp]) -> Probes:
    some = measured.rows(groups.row)
    paths = factor_paths.factor_paths(
        some.kinds,
        some.limits,
        factor_of_kind,
        some.columns.kind,
        batch.terms_of(some.kinds, some.limits, some.columns),
    )
    others = np.arange(len(SLOTS)) != HARD.index("single-flow-core")
    paths.shared_factor[np.ix_(np.flatnonzero(some.is_core_only), others)] = factor_paths.NO_FACTOR
    return Probes(
        paths=paths,
        log_gbps=np.log(some.gbps),
        weight=np.where(_is_lasting(some, paths), 1.0, _by_age(groups)),
        scatter_share=PAIR_SHARE + (1 - PAIR_SHARE) / groups.effective_count,
        is_at_least=some.is_at_least,
    )


def _by_age(groups: Grouped) -> Column:
    return np.asarray(0.5 ** (groups.age_days / HALF_LIFE_DAYS))


def _is_lasting(some: Measured, paths: factor_paths.FactorPaths) -> NDArray[np.bool_]:
    """Return which probes a window held whose receiver's image is told: that is a fact of it.

    What ages is who runs which image, and that is told anew of each path.
    """
    is_told = np.array([bool(kind.dst.set_up.image) for kind in some.kinds], dtype=bool)
    now = factor_paths.answers(paths, np.zeros_like(paths.lower_sd))
    return np.asarray(is_told[some.columns.kind] & (factor_paths.bound_slot(now.means) == WINDOW))


def _unlike(names: _Names, prior: Prior, probes: Probes, found: Posterior) -> list[Column]:
    """Return how many probes show another window, and the deviation of receivers without a probe.

    Of those whose image is not given, the next one may have that other window, or the stock one:
    beside n probes of one window and k of another with a chance of (k + 1) / (n + k + 2), by the
    rule of succession.
    """
    paths = probes.paths
    values = factor_paths.values_of(paths.shared_factor, found.factors)
    slope = factor_paths.slopes(paths, values, factor_paths.answers(paths, values))
    is_reached = factor_paths.incidence(paths.shared_factor, slope, len(names)) > REACHED_SLOPE
    off = residuals(probes, found.log_gbps)[:, None]
    shown, least, most = found.factors + off, -REACH * prior.lower_sd, REACH * prior.upper_sd
    is_other = is_reached & ~found.is_believed[:, None] & (least < shown) & (shown < most)
    untold = np.array([n == SLOTS[WINDOW] and not whatever_set_up(key)[1] for n, key in names])
    told = found.is_told.sum(axis=0)
    is_open = untold & is_firm(prior.slot, prior.lower_sd) & (told > 0)
    count = np.where(is_open, is_other.sum(axis=0), 0)
    apart = (np.abs(off) * is_other).sum(axis=0) / np.maximum(count, 1)
    from_stock = np.where(found.low * found.high > 0, np.abs(found.factors), 0.0)
    chance = (count + 1) / (told + count + 2)
    far = np.where(count > 0, apart, from_stock)
    return [count, np.where(is_open, np.sqrt(chance * (1 - chance)) * far, 0.0)]


def _learnt(names: _Names, prior: Prior, found: Posterior, unlike: list[Column]) -> list[Learnt]:
    return [
        Learnt(
            name=name,
            key=key,
            ratio=_rounded(np.exp(found.factors[at])),
            low_ratio=_rounded(np.exp(found.low[at])),
            high_ratio=_rounded(np.exp(found.high[at])),
            prior_low_ratio=_rounded(np.exp(-P95 * prior.lower_sd[at])),
            prior_high_ratio=_rounded(np.exp(P95 * prior.upper_sd[at])),
            prior_sd=_rounded(np.sqrt(prior.variance[at])),
            value_count=int(found.is_told[:, at].sum()),
            bound_count=int(found.is_bound[:, at].sum()),
            unlike_count=int(unlike[0][at]),
            others_sd=_rounded(unlike[1][at]),
        )
        for at, (name, key) in enumerate(names)
    ]


def _classes(probes: Probes, age: Column, names: _Names, found: Posterior) -> list[ProbedClass]:
    """Return how many probes each class has, by their age, and how far they scatter."""
    site = probes.paths.shared_factor[:, SITE]
    classes = []
    for shared_factor in np.unique(site[site != factor_paths.NO_FACTOR]):
        rows = np.flatnonzero(site == shared_factor)
        # What a rate cap held, and the model puts higher, says nothing of scatter.
        is_silent = probes.is_at_least[rows] & (probes.log_gbps[rows] <= found.log_gbps[rows])
        weight = np.where(is_silent, 0.0, age[rows])
        surprise = np.minimum(found.surprise[rows], GREATEST_SURPRISE)
        scatter = SCATTER_FREEDOM + (weight * surprise).sum()
        classes.append(
            ProbedClass(
                key=names[shared_factor][1],
                probe_count=_rounded(weight.sum()),
                scatter_ratio=_rounded(np.sqrt(scatter / (SCATTER_FREEDOM + weight.sum()))),
            )
        )
    return classes


def _pair_runs(measured: Measured, groups: Grouped) -> PairRuns:
    """Return the probes of pairs, without those that something other than the path held."""
    row = groups.row
    is_held = measured.is_core_only[row] | measured.is_at_least[row]
    return PairRuns(
        pair=np.where(is_held, -1, measured.pair[row]),
        run_count=groups.run_count,
        weight=0.5 ** (groups.age_days / PAIR_HALF_LIFE_DAYS),
    )


def _lessons(
    measured: Measured,
    groups: Grouped,
    some: NDArray[np.intp],
    names: _Names,
    found: Posterior,
    calibration: Calibration,
) -> list[Lesson]:
    one = measured.rows(groups.row[some])
    plain = batch.spread_columns(one.kinds, one.limits, one.columns).means.gbps
    calibrated = predicted(one, calibration).means.gbps
    told, bound = (
        [tuple(names[at][0] for at in np.flatnonzero(row)) for row in table]
        for table in (found.is_told, found.is_bound)
    )
    return [
        Lesson(
            path=one.pairs[pair] if pair >= 0 else site_key(one.kinds[one.columns.kind[at]]),
            day=np.datetime64(int(one.days[at]), "D").astype(date),
            streams=int(streams) if np.isfinite(streams) else None,
            run_count=int(groups.run_count[some[at]]),
            gbps=_rounded(one.gbps[at]),
            plain_gbps=_rounded(plain[at]),
            calibrated_gbps=_rounded(calibrated[at]),
            is_believed=bool(found.is_believed[at]),
            told=told[at],
            at_least=bound[at],
        )
        for at, (pair, streams) in enumerate(zip(one.pair, one.columns.streams, strict=True))
    ]


def _rounded(value: float) -> float:
    """Return a value to six digits, so that files do not feign more."""
    return float(f"{float(value):.{_DIGITS}g}")


def probed_pairs(
    keys: Sequence[str], runs: PairRuns, probes: Probes, found: Posterior
) -> list[ProbedPair]:
    """Return the factor of each pair and limit: the median of its posterior, and its range.

    Args:
        keys: The pairs.
        runs: The pair of each probe.
        probes: All probes, also those that `found` does not rest on.
        found: What all paths share.
    """
    values = factor_paths.values_of(probes.paths.shared_factor, found.factors)
    now = factor_paths.answers(probes.paths, values)
    slope = factor_paths.slopes(probes.paths, values, now)
    touched = factor_paths.incidence(probes.paths.shared_factor, slope, len(found.factors))
    unsure = ((touched @ found.covariance) * touched).sum(axis=1)
    scatter = factor_paths.run_scatter(probes.paths, slope) ** 2
    own = PAIR_SHARE * scatter
    # The share of the scatter that is left after several runs has the pair's own share in it.
    rest = (probes.scatter_share - PAIR_SHARE) * scatter + unsure
    residual = residuals(probes, now.log_gbps)
    slot = factor_paths.bound_slot(now.means)
    codes = np.where(runs.pair >= 0, runs.pair * len(SLOTS) + slot, -1)
    order = np.argsort(codes, kind="stable")
    distinct, starts = np.unique(codes[order], return_index=True)
    parts = zip(distinct.tolist(), np.split(order, starts[1:]), strict=True)
    return [
        _probed(keys[code // len(SLOTS)], SLOTS[code % len(SLOTS)], rows, own, rest, residual, runs)
        for code, rows in parts
        if code >= 0
    ]


def _probed(
    key: str,
    limit: str,
    rows: NDArray[np.intp],
    own: Column,
    rest: Column,
    residual: Column,
    runs: PairRuns,
) -> ProbedPair:
    odd = _ODD_SHARE / (_GRID[-1] - _GRID[0])
    log_density = np.log((1 - _ODD_SHARE) * _normal(_GRID, float(own[rows].mean())) + odd)
    for row in rows:
        seen = _normal(_GRID - residual[row], float(rest[row]))
        # The median of several runs is unlike the pair only where most of them are.
        share = _ODD_SHARE ** ((1 + min(int(runs.run_count[row]), _MOST_RUNS)) / 2)
        seen = (1 - share) * seen + share / (_GRID[-1] - _GRID[0])
        log_density += runs.weight[row] * np.log(seen)
    density = np.exp(log_density - log_density.max())
    reached = np.cumsum(density) - density / 2
    low, middle, high = np.exp(np.interp((LOW, 0.5, HIGH), reached / density.sum(), _GRID))
    return ProbedPair(
        key=key,
        limit=limit,
        ratio=float(f"{middle:.6g}"),
        low_ratio=float(f"{low:.6g}"),
        high_ratio=float(f"{high:.6g}"),
        run_count=int(runs.run_count[rows].sum()),
    )


def _normal(distance: Column, variance: float) -> Column:
    scale = 1 / math.sqrt(2 * math.pi * variance)
    return np.asarray(scale * np.exp(-0.5 * distance**2 / variance))
