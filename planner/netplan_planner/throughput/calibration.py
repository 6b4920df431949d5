"""From measurements to a calibration: repeated runs, ages, the posterior, and what pairs keep.

Runs of one pair of places with one set-up count as one probe with the figure of their median run:
what they have in common they would otherwise say many times over. The order of the measurements
changes nothing, not even the last digit.
"""

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Calibration, Learnt, PathEnd, PathQuery, ProbedClass
from netplan_planner.throughput import batch
from netplan_planner.throughput.batch import Columns
from netplan_planner.throughput.calibrated import PAIR_SHARE, SCATTER_FREEDOM
from netplan_planner.throughput.joint_mode import Prior, Probes, prior_of
from netplan_planner.throughput.latent_paths import NO_LATENT, latent_paths
from netplan_planner.throughput.latents import HARD, P95, SITE, SLOTS, slot_keys
from netplan_planner.throughput.mean import Column
from netplan_planner.throughput.pairs import probed_pairs
from netplan_planner.throughput.path_limits import StaticLimits
from netplan_planner.throughput.posterior import Posterior, posterior

HALF_LIFE_DAYS = 30.0
"""Of what a measurement says. A published campaign that spans the roll-out of a new virtual switch
(2014) is predicted best by 15 to 60 days; two grids 5 days apart bear out 13 and rule out less
than 6."""
MOST_PROBES = 1000
"""More teach nothing new of what all share; each still counts for its own pair."""
GREATEST_SURPRISE = 9.0
"""Three standard deviations: what lies further out was degraded, and says nothing of scatter."""
_DIGITS = 6


class Measured(NamedTuple):
    """Measurements; one row is one direction of one run."""

    kinds: Sequence[PathQuery]
    limits: Sequence[StaticLimits]
    columns: Columns
    gbps: Column
    days: NDArray[np.int64]
    """The day of the run, as the number of days since 1970."""
    pair: NDArray[np.intp]
    """Number of the pair of places; -1 where they are not known."""
    pairs: Sequence[str]
    is_core_only: NDArray[np.bool_]
    """Whether a core was busy all the time: the figure is that of the core."""
    is_at_least: NDArray[np.bool_]
    """Whether a rate cap that was set on the run held it: the path carries that or more."""

    def rows(self, which: NDArray[np.intp]) -> "Measured":
        """Return some of the measurements."""
        return self._replace(
            columns=Columns._make(column[which] for column in self.columns),
            gbps=self.gbps[which],
            days=self.days[which],
            pair=self.pair[which],
            is_core_only=self.is_core_only[which],
            is_at_least=self.is_at_least[which],
        )


class Grouped(NamedTuple):
    """Measurements as probes: the median run of each path and set-up."""

    row: NDArray[np.intp]
    """The median run, as a row of the measurements."""
    weight: Column
    """By the age of the newest run."""
    run_count: NDArray[np.intp]
    effective_count: Column
    """Runs as the newest one counts; older ones count for less."""


def usable(measured: Measured) -> NDArray[np.intp]:
    """Return the rows with a figure above 0 whose path the model has an answer for."""
    found = batch.spread_columns(measured.kinds, measured.limits, measured.columns)
    return np.flatnonzero(~np.isnan(found.means.gbps) & (measured.gbps > 0))


def calibrate(measured: Measured, *, as_of: date) -> Calibration:
    """Return what measurements teach.

    Args:
        measured: The measurements; rows that `usable` leaves out are left out.
        as_of: Ages are counted from this day, in either direction.
    """
    measured = in_order(measured.rows(usable(measured)))
    empty = Calibration(
        as_of=as_of, measurement_count=0, probe_count=0, fingerprint=fingerprint(measured)
    )
    if not len(measured.gbps):
        return empty
    age_days = np.abs(measured.days - (as_of - date(1970, 1, 1)).days)
    groups = grouped(measured, 0.5 ** (age_days / HALF_LIFE_DAYS))
    names, latent_of_kind = _numbered(measured, groups)
    probes = _probes(measured, groups, latent_of_kind)
    prior = prior_of(probes.paths, len(names))
    shared = _spread_out(len(groups.row))
    found = posterior(probes.rows(shared), prior)
    return msgspec.structs.replace(
        empty,
        measurement_count=len(measured.gbps),
        probe_count=len(groups.row),
        latents=tuple(_learnt(names, prior, found)),
        covariance=tuple(
            tuple(map(_rounded, row[: at + 1])) for at, row in enumerate(found.covariance)
        ),
        classes=tuple(_classes(probes.rows(shared), names, found)),
        pairs=tuple(
            probed_pairs(measured.pairs, measured.pair[groups.row], groups.run_count, probes, found)
        ),
    )


def in_order(measured: Measured) -> Measured:
    """Return the measurements in an order that depends on what they say only."""
    used = np.unique(measured.columns.kind).tolist()
    texts = {at: _kind_text(measured.kinds[at]) for at in used}
    first = {text: at for at, text in reversed(texts.items())}
    kept = sorted(first)
    place = {text: at for at, text in enumerate(kept)}
    renumbered = np.zeros(len(measured.kinds), dtype=np.intp)
    renumbered[used] = [place[texts[at]] for at in used]
    kind = renumbered[measured.columns.kind]
    pairs = sorted({measured.pairs[at] for at in np.unique(measured.pair) if at >= 0})
    number = {pair: at for at, pair in enumerate(pairs)}
    renamed = [*(number.get(pair, -1) for pair in measured.pairs), -1]
    found = measured._replace(
        kinds=[_placeless(measured.kinds[first[text]]) for text in kept],
        limits=[measured.limits[first[text]] for text in kept],
        columns=measured.columns._replace(kind=kind),
        pairs=pairs,
        pair=np.array(renamed, dtype=np.intp)[measured.pair],
    )
    return found.rows(np.lexsort(_keys(found)[::-1]))


def fingerprint(measured: Measured) -> str:
    """Return a hash of measurements that are in order."""
    kinds = [_kind_text(kind) for kind in measured.kinds]
    digest = hashlib.sha256()
    columns = [column.tolist() for column in (*_keys(measured), measured.columns.kind)]
    for *numbers, kind in zip(*columns, strict=True):
        pair = int(numbers[1])
        named = measured.pairs[pair] if pair >= 0 else ""
        digest.update(f"{kinds[int(kind)]} {named} {numbers[2:]}\n".encode())
    return digest.hexdigest()


def grouped(measured: Measured, weight: Column) -> Grouped:
    """Return measurements that are in order as probes.

    Args:
        measured: The measurements.
        weight: Of each, by its age.
    """
    found = batch.spread_columns(measured.kinds, measured.limits, measured.columns)
    ratio = measured.gbps / found.means.gbps
    undated = [_kind_text(msgspec.structs.replace(kind, as_of=None)) for kind in measured.kinds]
    number = {text: at for at, text in enumerate(sorted(set(undated)))}
    path = np.array([number[text] for text in undated])[measured.columns.kind]
    columns = measured.columns
    same = (
        path,
        measured.pair,
        *(
            np.nan_to_num(column.astype(float), nan=-1.0, posinf=-2.0)
            for column in (columns.streams, columns.window_bytes, columns.transfer_bytes)
        ),
        *(np.nan_to_num(np.round(c), nan=-1.0) for c in (columns.duration_s, columns.omit_s)),
        *(columns.is_both_ways, columns.is_sender_count),
        *(measured.is_core_only, measured.is_at_least),
    )
    _, group = np.unique(np.column_stack(same), axis=0, return_inverse=True)
    group = group.reshape(-1)
    order = np.lexsort((ratio, group))
    rows, newest, count, effective = [], [], [], []
    for part in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        reached = np.cumsum(weight[part])
        middle = int(np.searchsorted(reached, reached[-1] / 2))
        rows.append(int(part[min(middle, len(part) - 1)]))
        newest.append(float(weight[part].max()))
        count.append(len(part))
        effective.append(float(reached[-1]) / newest[-1])
    return Grouped(np.array(rows), np.array(newest), np.array(count), np.array(effective))


def _keys(measured: Measured) -> list[Column]:
    """Return what tells measurements apart, the most important first."""
    numbers = [
        np.nan_to_num(np.asarray(column, dtype=float), nan=-1.0, posinf=-2.0)
        for column in (
            measured.columns.kind,
            measured.pair,
            *measured.columns[1:],
            measured.days,
            measured.is_core_only,
            measured.is_at_least,
            measured.gbps,
        )
    ]
    return list(numbers)


def _kind_text(kind: PathQuery) -> str:
    return msgspec.json.encode(_placeless(kind)).decode()


def _placeless(kind: PathQuery) -> PathQuery:
    """Return a kind of path without its places, which no limit depends on."""

    def end(one: PathEnd) -> PathEnd:
        return msgspec.structs.replace(one, zone=None, region=None)

    return msgspec.structs.replace(kind, src=end(kind.src), dst=end(kind.dst))


def _spread_out(count: int) -> NDArray[np.intp]:
    """Return numbers of at most `MOST_PROBES` of `count` probes, evenly."""
    kept = np.linspace(0, count - 1, min(count, MOST_PROBES))
    return np.unique(np.round(kept).astype(np.intp))


def _numbered(
    measured: Measured, groups: Grouped
) -> tuple[list[tuple[str, str]], NDArray[np.intp]]:
    """Return name and key of each latent, and the latents' numbers by kind."""
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
    latent = [
        [
            NO_LATENT if key is None else number.get((name, key), NO_LATENT)
            for name, key in zip(SLOTS, row, strict=True)
        ]
        for row in keys
    ]
    return names, np.array(latent, dtype=np.intp)


def _probes(measured: Measured, groups: Grouped, latent_of_kind: NDArray[np.intp]) -> Probes:
    some = measured.rows(groups.row)
    paths = latent_paths(
        some.kinds,
        some.limits,
        latent_of_kind,
        some.columns.kind,
        batch.terms_of(some.kinds, some.limits, some.columns),
        ~np.isnan(some.columns.window_bytes),
    )
    others = np.arange(len(SLOTS)) != HARD.index("single-flow-core")
    paths.latent[np.ix_(np.flatnonzero(some.is_core_only), others)] = NO_LATENT
    return Probes(
        paths=paths,
        log_gbps=np.log(some.gbps),
        weight=groups.weight,
        scatter_share=PAIR_SHARE + (1 - PAIR_SHARE) / groups.effective_count,
        is_at_least=some.is_at_least,
    )


def _learnt(names: list[tuple[str, str]], prior: Prior, found: Posterior) -> list[Learnt]:
    return [
        Learnt(
            name=name,
            key=key,
            ratio=_rounded(np.exp(found.factors[at])),
            low_ratio=_rounded(np.exp(found.low[at])),
            high_ratio=_rounded(np.exp(found.high[at])),
            prior_low_ratio=_rounded(np.exp(-P95 * prior.lower_sd[at])),
            prior_high_ratio=_rounded(np.exp(P95 * prior.upper_sd[at])),
            value_count=int(found.value_count[at]),
            bound_count=int(found.bound_count[at]),
        )
        for at, (name, key) in enumerate(names)
    ]


def _classes(probes: Probes, names: list[tuple[str, str]], found: Posterior) -> list[ProbedClass]:
    """Return how many probes each class has and how far they scatter."""
    site = probes.paths.latent[:, SITE]
    classes = []
    for latent in np.unique(site[site != NO_LATENT]):
        rows = np.flatnonzero(site == latent)
        weight = probes.weight[rows]
        surprise = np.minimum(found.surprise[rows], GREATEST_SURPRISE)
        scatter = SCATTER_FREEDOM + (weight * surprise).sum()
        classes.append(
            ProbedClass(
                key=names[latent][1],
                probe_count=_rounded(weight.sum()),
                scatter_ratio=_rounded(np.sqrt(scatter / (SCATTER_FREEDOM + weight.sum()))),
            )
        )
    return classes


def _rounded(value: float) -> float:
    """Return a value to six digits, so that files do not feign more."""
    return float(f"{float(value):.{_DIGITS}g}")
