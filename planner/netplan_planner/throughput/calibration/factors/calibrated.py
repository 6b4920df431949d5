"""Predictions under a calibration: what probes taught, laid on what the model says.

The mean takes the most likely factor of each limit, of the class and of the pair. The interval goes
over from the model's own (bounds and conformal factors) to that of the probes by the share of the
doubt that they removed: where nothing was learnt it stays as it was.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Calibration, Learnt, PathQuery, ProbedPair
from netplan_planner.throughput.calibration.factors import factor_paths, shared_factors
from netplan_planner.throughput.goodput.intervals import WALL_RATIO, Spread
from netplan_planner.throughput.goodput.mean import Column, Means
from netplan_planner.throughput.goodput.terms import TermSpans
from netplan_planner.throughput.limits.path_limits import StaticLimits
from netplan_planner.throughput.limits.shared_by import (
    IMAGE,
    RECEIVE,
    SEND,
    has_buffers_of,
    taught_by,
    without,
)
from netplan_planner.throughput.transport import transfer

HALF_LIFE_DAYS = 90.0
"""Of what a probe says of limits: a kernel, an image or a machine's cap stays for months. In the
midst of the roll-out of a new virtual switch (published runs of 2014) 15 to 60 days are better."""
PAIR_SHARE = 0.25
"""Of the variance between runs of different pairs: what a pair keeps. In two grids of January 2022,
5 days apart, figures of one pair correlate by 0.24, 0.09 and 0.16 (to Google, AWS, Azure) once the
model is taken off; two runs of one day by 0.36, 0.14 and 0.15."""
FEW_PROBES = 2.0
"""So many probes of a class take the interval half of the way: they say little of the scatter."""
SCATTER_FREEDOM = 4.0
"""Probes that the usual scatter is worth."""
STUDENT_EXCESS = 1.2
"""Quantiles of Student's t at 0.95 are 1 + 1.2 / degrees of freedom times the normal one's, to two
digits from four degrees on."""


class PairEffects(NamedTuple):
    """What is known of pairs of places, on a logarithmic scale.

    A pair's factor is one of the limit that held its probes: others learnt nothing of it.
    """

    factor: factor_paths.Matrix
    """Axes: pair, slot; 0 where nothing is known."""
    variance: factor_paths.Matrix
    """The same; NaN where nothing is known."""
    which: NDArray[np.intp]
    """Number of each row's pair."""


class KindCorrections(NamedTuple):
    """What a calibration says of each kind of path."""

    shared_factor: NDArray[np.intp]
    """Number of the shared factor, the calibration's first; axes: kind, slot."""
    probe_count: Column
    """Of the class."""
    scatter_ratio: Column
    is_such_sender: NDArray[np.bool_]
    """Whether the window's factor is of probes with such send buffers; so of receive buffers."""
    is_such_receiver: NDArray[np.bool_]


class Corrector:
    """A calibration made ready for looking things up by number."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._number = {(one.name, one.key): at for at, one in enumerate(calibration.latents)}
        self._of_images: dict[tuple[str, str], list[int]] = {}
        """By whose they are without the image."""
        for at, learnt in enumerate(calibration.latents):
            self._of_images.setdefault((learnt.name, without(learnt.key, IMAGE)), []).append(at)
        self._classes = {one.key: one for one in calibration.classes}
        self._pairs: dict[str | None, list[ProbedPair]] = {}
        for one in calibration.pairs:
            self._pairs.setdefault(one.key, []).append(one)
        self.factors = np.log(np.array([one.ratio for one in calibration.latents], dtype=float))
        self.covariance = _square(calibration.covariance)
        self.prior_variance = np.array([one.prior_sd for one in calibration.latents]) ** 2
        self.others_variance = np.array([one.others_sd for one in calibration.latents]) ** 2

    def of_kinds(
        self, kinds: Sequence[PathQuery], limits: Sequence[StaticLimits]
    ) -> KindCorrections:
        """Return what is known of each kind; factors that no probe touched get new numbers."""
        keys = [shared_factors.slot_keys(*pair) for pair in zip(kinds, limits, strict=True)]
        number = dict(self._number)
        shared_factor = [
            [
                factor_paths.NO_FACTOR if key is None else self._numbered(name, key, number)
                for name, key in zip(shared_factors.SLOTS, row, strict=True)
            ]
            for row in keys
        ]
        classes = [self._classes.get(row[shared_factors.SITE] or "") for row in keys]
        return KindCorrections(
            shared_factor=np.array(shared_factor, dtype=np.intp),
            probe_count=np.array([one.probe_count if one else 0.0 for one in classes]),
            scatter_ratio=np.array([one.scatter_ratio if one else 1.0 for one in classes]),
            is_such_sender=np.array([self._has_such(row, SEND) for row in keys], dtype=bool),
            is_such_receiver=np.array([self._has_such(row, RECEIVE) for row in keys], dtype=bool),
        )

    def _has_such(self, keys: tuple[str | None, ...], which: str) -> bool:
        key = keys[shared_factors.WINDOW] or ""
        at = self._known(shared_factors.SLOTS[shared_factors.WINDOW], key)
        return at is None or has_buffers_of(key, self.calibration.latents[at].key, which)

    def _numbered(self, name: str, key: str, number: dict[tuple[str, str], int]) -> int:
        """Return the number of a shared factor, a new one where nothing is known of it."""
        known = self._known(name, key)
        return number.setdefault((name, key), len(number)) if known is None else known

    def _known(self, name: str, key: str) -> int | None:
        """Return the number of what was learnt of a shared factor.

        A path of which nobody tells the image has that of all probes of such buffers, where these
        had one. Buffers that nobody tells are those of Linux: probes of others tell nothing of it.
        """
        for one in taught_by(key):
            alike = self._of_images.get((name, one), ()) if without(key, IMAGE) == key else ()
            found = self._number.get((name, one), alike[0] if len(alike) == 1 else None)
            if found is not None:
                return found
        return None

    def knows_pair(self, key: str | None) -> bool:
        """Return whether something is known of a pair of places."""
        return key in self._pairs

    def pair_ratios(self, key: str | None) -> dict[str, float]:
        """Return the factors of a pair of places by the limit that they are of."""
        return {one.limit: one.ratio for one in self._pairs.get(key, ())}

    def of_pairs(
        self, keys: Sequence[str | None], which: NDArray[np.intp] | None = None
    ) -> PairEffects:
        """Return what is known of pairs of places; `which` is each row's, if rows share pairs."""
        factor = np.zeros((len(keys), len(shared_factors.SLOTS)))
        variance = np.full_like(factor, np.nan)
        for at, key in enumerate(keys):
            for one in self._pairs.get(key, ()):
                slot = shared_factors.SLOTS.index(one.limit)
                factor[at, slot] = np.log(one.ratio)
                variance[at, slot] = (
                    np.log(one.high_ratio / one.low_ratio) / (2 * shared_factors.P95)
                ) ** 2
        return PairEffects(factor, variance, np.arange(len(keys)) if which is None else which)

    def shared(self, query: PathQuery, found: StaticLimits) -> dict[str, Learnt]:
        """Return what was learnt of each shared factor that a path has, by its name."""
        keys = zip(shared_factors.SLOTS, shared_factors.slot_keys(query, found), strict=True)
        numbers = [self._known(name, key) for name, key in keys if key is not None]
        learnt = self.calibration.latents
        return {learnt[at].name: learnt[at] for at in numbers if at is not None}

    def probed(
        self,
        kinds: Sequence[PathQuery],
        limits: Sequence[StaticLimits],
        pairs: PairEffects,
    ) -> "Probed":
        """Return what is known of a table of paths."""
        return Probed(self, kinds, limits, self.of_kinds(kinds, limits), pairs)


class Probed(NamedTuple):
    """What probes taught of a table of paths."""

    corrector: Corrector
    kinds: Sequence[PathQuery]
    limits: Sequence[StaticLimits]
    of_kind: KindCorrections
    pairs: PairEffects

    def rows(self, which: slice | NDArray[np.intp]) -> "Probed":
        """Return some of the rows."""
        return self._replace(pairs=self.pairs._replace(which=self.pairs.which[which]))

    def calibrated(
        self,
        plain: Spread,
        spans: TermSpans,
        which: NDArray[np.intp],
    ) -> Spread:
        """Return predictions with what probes taught.

        Args:
            plain: The predictions without.
            spans: The terms that they were made of.
            which: Kind of each row.
        """
        paths, values = self.paths(spans, which)
        now = factor_paths.answers(paths, values)
        slope = factor_paths.slopes(paths, values, now)
        variance = (factor_paths.run_scatter(paths, slope) * self.of_kind.scatter_ratio[which]) ** 2
        known = self.pairs.variance[self.pairs.which, factor_paths.bound_slot(now.means)]
        scatter_ratio = np.minimum(self.of_kind.scatter_ratio[which], 1.0)
        of_pair = np.where(np.isnan(known), PAIR_SHARE * variance, known * scatter_ratio**2)
        before, after = _doubts(paths, slope, self.corrector)
        of_others = np.where(np.isnan(known), _of_others(paths, slope, self.corrector), 0.0)
        probes = self.of_kind.probe_count[which]
        with np.errstate(invalid="ignore", divide="ignore"):
            removed = np.clip(1 - after / before, 0.0, 1.0)
        widened = 1 + STUDENT_EXCESS / (SCATTER_FREEDOM + probes)
        means = _below_caps(now.means, spans, plain)
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = np.nan_to_num(means.gbps / plain.means.gbps, nan=1.0, posinf=1.0)
        # The bounds go with the value where they would end up nearer to it, else they stay.
        return plain._replace(
            means=means,
            case_low_gbps=np.fmin(plain.case_low_gbps * np.minimum(moved, 1.0), means.gbps),
            low_gbps=plain.low_gbps * np.minimum(moved, 1.0),
            case_high_gbps=np.fmax(plain.case_high_gbps * np.maximum(moved, 1.0), means.gbps),
            high_gbps=plain.high_gbps * np.maximum(moved, 1.0),
            learnt_ratio=np.nan_to_num(removed) * probes / (probes + FEW_PROBES),
            log_sd=np.sqrt(after + of_others + (1 - PAIR_SHARE) * variance + of_pair) * widened,
        )

    def shifted(self, spans: TermSpans, which: NDArray[np.intp]) -> TermSpans:
        """Return terms and both ends of their ranges, each with the most likely factors."""
        moved = []
        for one in spans:
            paths, values = self.paths(TermSpans._make([one] * len(spans)), which)
            moved.append(factor_paths.adjusted(paths, values))
        return TermSpans._make(moved)

    def paths(
        self, spans: TermSpans, which: NDArray[np.intp]
    ) -> tuple[factor_paths.FactorPaths, factor_paths.Matrix]:
        """Return the paths with their shared factors, and the most likely factor of each."""
        shared_factor = self.of_kind.shared_factor
        paths = factor_paths.factor_paths(self.kinds, self.limits, shared_factor, which, spans)
        is_other = paths.terms.is_set_up_told & ~self.of_kind.is_such_sender[which]
        is_fixed = paths.terms.is_buffer_told | is_other
        paths = paths._replace(
            terms=paths.terms._replace(is_buffer_told=is_fixed),
            is_of_such=self.of_kind.is_such_receiver[which],
        )
        factors = np.zeros(int(shared_factor.max(initial=factor_paths.NO_FACTOR)) + 1)
        known = min(len(self.corrector.factors), len(factors))
        factors[:known] = self.corrector.factors[:known]
        return paths, factor_paths.values_of(paths.shared_factor, factors) + self.pairs.factor[
            self.pairs.which
        ]


def pair_of(query: PathQuery) -> str | None:
    """Return the key of a path's pair of places; None if one of them is not known."""
    places = [end.zone or end.region or "" for end in (query.src, query.dst)]
    return shared_factors.pair_key(query, *places)


def _doubts(
    paths: factor_paths.FactorPaths, slope: factor_paths.Matrix, corrector: Corrector
) -> tuple[Column, Column]:
    """Return the variance of the mean, on a logarithmic scale, before any probe and with them."""
    known = len(corrector.factors)
    is_known = (paths.shared_factor != factor_paths.NO_FACTOR) & (paths.shared_factor < known)
    spread = shared_factors.prior_variance(
        np.arange(len(shared_factors.SLOTS)), paths.lower_sd, paths.upper_sd
    )
    untouched = np.where(
        is_known | (paths.shared_factor == factor_paths.NO_FACTOR), 0.0, spread * slope**2
    ).sum(axis=1)
    touched = factor_paths.incidence(
        np.where(is_known, paths.shared_factor, factor_paths.NO_FACTOR), slope, known
    )
    before = touched**2 @ corrector.prior_variance
    after = np.einsum("rl,lm,rm->r", touched, corrector.covariance, touched, optimize=True)
    return untouched + before, untouched + np.minimum(after, before)


def _of_others(
    paths: factor_paths.FactorPaths, slope: factor_paths.Matrix, corrector: Corrector
) -> Column:
    """Return the variance of receivers whose window is none of those that probes saw."""
    own = np.append(corrector.others_variance, 0.0)
    which = np.minimum(paths.shared_factor[:, shared_factors.WINDOW], len(own) - 1)
    return np.asarray(own[which] * slope[:, shared_factors.WINDOW] ** 2)


def _below_caps(means: Means, spans: TermSpans, plain: Spread) -> Means:
    """Return means no higher than documented caps, with the times that were asked for."""
    gbps = np.minimum(means.gbps, np.fmax(plain.means.gbps, plain.wall_gbps / WALL_RATIO))
    sized = spans.likely.transfer_bytes
    with np.errstate(invalid="ignore", divide="ignore"):
        seconds = np.where(
            np.isnan(sized), spans.likely.duration_s, transfer.gbit_from_bytes(sized) / gbps
        )
    return means._replace(gbps=gbps, duration_s=seconds)


def _square(rows: Sequence[Sequence[float]]) -> factor_paths.Matrix:
    """Return a symmetric matrix from its rows up to the diagonal."""
    found = np.zeros((len(rows), len(rows)))
    for at, row in enumerate(rows):
        found[at, : at + 1] = row
        found[: at + 1, at] = row
    return found
