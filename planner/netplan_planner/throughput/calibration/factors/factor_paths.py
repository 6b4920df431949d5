"""Paths whose limits carry shared factors: their goodput, and how it answers to each factor."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Interval, PathQuery
from netplan_planner.throughput.calibration.factors import shared_factors
from netplan_planner.throughput.calibration.factors.shared_factors import (
    BETWEEN,
    CAP_SCATTER_SHARE,
    EGRESS,
    SITE,
    SLOTS,
    START,
    START_TO,
    WINDOW,
    WINDOW_OF_TYPE,
)
from netplan_planner.throughput.goodput.mean import (
    HARD_COUNT,
    RAMP,
    SHARED,
    Column,
    Means,
    PathTerms,
    means,
    rates,
)
from netplan_planner.throughput.goodput.terms import TermSpans
from netplan_planner.throughput.limits.path_limits import StaticLimits, is_own_receiver

Matrix = NDArray[np.float64]
NO_FACTOR = -1
LIKELIER = 0.5
"""Of two, the one with the greater share."""
_NOTHING_GBPS = 1e-300
"""Stands for 0 on a logarithmic scale: a run that ends before anything arrives."""
_STEEPEST = 10.0
"""Of slopes: a run that ends just before anything arrives has none."""
_STEP = 0.02
"""Of a slope, downwards: from a tie of two limits either lowers the path, none lifts it."""


class FactorPaths(NamedTuple):
    """Paths with what the model says of them before any probe, and their shared factors."""

    terms: PathTerms
    default_window_bytes: Column
    """Of the receiver's image, whatever window is given."""
    shared_factor: NDArray[np.intp]
    """Number of the shared factor; axes: row, slot of `SLOTS`; `NO_FACTOR` where there is none."""
    lower_sd: Matrix
    """Of the shared factor before any probe, below 0; axes as `shared_factor`."""
    upper_sd: Matrix
    is_own: NDArray[np.bool_]
    """Whether one of our machines receives."""
    scatter: Column
    """By how much paths of the class differ from each other, on a logarithmic scale."""
    is_of_such: NDArray[np.bool_]
    """Whether the window's factor is of paths to such receive buffers, not to stock ones."""

    def rows(self, which: NDArray[np.intp]) -> "FactorPaths":
        """Return some of the rows."""
        terms = PathTerms._make(column[which] for column in self.terms)
        return FactorPaths._make((terms, *(column[which] for column in self[1:])))


def factor_paths(
    kinds: Sequence[PathQuery],
    limits: Sequence[StaticLimits],
    factor_of_kind: NDArray[np.intp],
    which: NDArray[np.intp],
    spans: TermSpans,
) -> FactorPaths:
    """Return paths of given kinds with their shared factors.

    Args:
        kinds: The kinds of paths.
        limits: Of each kind.
        factor_of_kind: Numbers of shared factors; axes: kind, slot.
        which: Kind of each path.
        spans: What the model says of each path.
    """
    likely, low, high = np.array([one.window_bytes for one in limits])[which].T
    windows = Interval(low, likely, high)
    is_own = np.array([is_own_receiver(kind) for kind in kinds], dtype=bool)[which]
    regimes = [{bound.regime for bound in one.hard} for one in limits]
    lower, upper = shared_factors.spreads(
        spans,
        windows,
        is_own=is_own,
        site_sd=shared_factors.site_sds(list(kinds))[which],
        is_carried=np.array(["carried" in one for one in regimes], dtype=bool)[which],
        is_between=np.array(
            [shared_factors.is_between_regions(*pair) for pair in zip(kinds, limits, strict=True)],
            dtype=bool,
        )[which],
    )
    return FactorPaths(
        terms=spans.likely,
        default_window_bytes=windows.middle,
        shared_factor=factor_of_kind[which],
        lower_sd=lower,
        upper_sd=upper,
        is_own=is_own,
        scatter=shared_factors.scatters(list(kinds))[which],
        is_of_such=np.ones(len(which), dtype=bool),
    )


def adjusted(paths: FactorPaths, values: Matrix) -> PathTerms:
    """Return the terms with the factors of each row; axes of `values`: row, slot.

    A start that takes `s` times as long over a time is a plain one over that time divided by `s`.
    """
    factor = np.exp(values)
    terms = paths.terms
    of_both = factor[:, WINDOW] * factor[:, WINDOW_OF_TYPE]
    window = paths.default_window_bytes * of_both
    # What was on its way went through both ends: a greater window shows a greater send buffer. Of
    # ends that are set up otherwise the factor is that of both: whichever binds had it. A small
    # window of a stock receiver says nothing of send buffers.
    is_scaled = terms.is_set_up_told & ~terms.is_buffer_told
    of_sent = np.where(paths.is_of_such, of_both, np.fmax(of_both, 1.0))
    sent = terms.sent_bytes * np.where(is_scaled, of_sent, 1.0)
    is_shown = ~(terms.is_window_told | terms.is_buffer_told | terms.is_set_up_told)
    sent = np.where(is_shown, np.fmax(sent, window), sent)
    window = np.where(terms.is_window_told, terms.window_bytes, window)
    longer = factor[:, START] * factor[:, START_TO]
    shared = len(SHARED)
    of_class = factor[:, SITE, None]
    of_shared = factor[:, :shared] * of_class
    of_shared[:, EGRESS] *= factor[:, BETWEEN]
    return terms._replace(
        shared_gbps=terms.shared_gbps * of_shared,
        per_flow_gbps=terms.per_flow_gbps * factor[:, shared:HARD_COUNT] * of_class,
        window_bytes=window,
        sent_bytes=sent,
        duration_s=terms.duration_s / longer,
        omit_s=terms.omit_s / longer,
        transfer_bytes=terms.transfer_bytes / longer,
    )


class Answers(NamedTuple):
    """What the model says of paths under factors."""

    means: Means
    log_gbps: Column


def answers(paths: FactorPaths, values: Matrix) -> Answers:
    """Return what the model says under the factors of each row; axes of `values`: row, slot.

    A path that its windows hold back does not feel what its class has in common: no window over
    RTT was ever seen to depend on it. So the factor of the class is one of the caps (`adjusted`).
    """
    found = means(adjusted(paths, values))
    return Answers(found, np.log(np.maximum(found.gbps, _NOTHING_GBPS)))


def log_gbps(paths: FactorPaths, values: Matrix) -> Column:
    """Return the natural logarithm of the goodput under the factors of each row."""
    return np.log(np.maximum(rates(adjusted(paths, values)).gbps, _NOTHING_GBPS))


def slopes(paths: FactorPaths, values: Matrix, now: Answers) -> Matrix:
    """Return how the logarithm of the goodput answers to each shared factor; axes: row, slot."""
    found = np.zeros_like(values)
    limits, cap = now.means.limits_gbps[:, :HARD_COUNT], now.means.cap_gbps[:, None]
    # A limit that stays above the cap after the step changes nothing.
    reaches = (paths.shared_factor[:, :HARD_COUNT] != NO_FACTOR) & ~(limits * np.exp(-_STEP) > cap)
    reaches = np.column_stack((reaches, paths.shared_factor[:, HARD_COUNT:] != NO_FACTOR))
    for slot in (*range(HARD_COUNT), WINDOW, START, SITE, BETWEEN):
        rows = np.flatnonzero(reaches[:, slot])
        if len(rows):
            lower = values[rows]
            lower[:, slot] -= _STEP
            fall = now.log_gbps[rows] - log_gbps(paths.rows(rows), lower)
            found[rows, slot] = np.clip(fall / _STEP, -_STEEPEST, _STEEPEST)
    found[:, WINDOW_OF_TYPE], found[:, START_TO] = found[:, WINDOW], found[:, START]
    return found


def bound_slot(found: Means) -> NDArray[np.intp]:
    """Return the slot of the limit that holds each path; behind a start, where that leads."""
    behind = np.where(found.cap_share > LIKELIER, found.cap_limit, WINDOW)
    return np.where(found.binding == RAMP, behind, np.clip(found.binding, 0, WINDOW)).astype(
        np.intp
    )


def run_scatter(paths: FactorPaths, slope: Matrix) -> Column:
    """Return by how much one run of one path differs from another path's, beyond all factors.

    What a factor means for one path is a little different for the next: by a share of its spread.
    What is left is that of the class, as far as the path feels it.
    """
    own = paths.is_own
    start = np.where(own, shared_factors.START_SCATTER_OWN, shared_factors.START_SCATTER_FOREIGN)
    window = np.where(own, shared_factors.WINDOW_SCATTER_OWN, shared_factors.WINDOW_SCATTER_FOREIGN)
    of_caps = [*range(HARD_COUNT), BETWEEN]
    spread = np.sqrt((paths.lower_sd**2 + paths.upper_sd**2) / 2)[:, of_caps]
    caps = np.abs(slope[:, of_caps]) * np.maximum(
        CAP_SCATTER_SHARE * spread, shared_factors.LEAST_SD
    )
    parts = (
        paths.scatter * slope[:, SITE],
        start * slope[:, START],
        window * slope[:, WINDOW],
        caps.max(axis=1),
    )
    return np.asarray(np.sqrt(shared_factors.LEAST_SD**2 + sum(part**2 for part in parts)))


def incidence(shared_factor: NDArray[np.intp], slope: Matrix, count: int) -> Matrix:
    """Return the slopes by number of shared factor; axes: row, shared factor."""
    found = np.zeros((len(shared_factor), count))
    for slot in range(len(SLOTS)):
        rows = np.flatnonzero(shared_factor[:, slot] != NO_FACTOR)
        np.add.at(found, (rows, shared_factor[rows, slot]), slope[rows, slot])
    return found


def values_of(shared_factor: NDArray[np.intp], factors: Column) -> Matrix:
    """Return the factor of each row and slot, 0 where there is no shared factor."""
    return np.append(factors, 0.0)[shared_factor]
