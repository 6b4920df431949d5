"""The model against measurements that a user has, beside two rivals that need no model.

The rivals: the caps alone (the least documented limit, as everybody uses it), and a look-up table
(what the newest earlier campaign measured on the same pair).
"""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.errors import InputError
from netplan_planner.planning.table_kinds import TableKinds, read_kinds
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.renderers.html.charts.agreement import Point
from netplan_planner.throughput.batch import predict_columns, spread_columns
from netplan_planner.throughput.goodput import conformal
from netplan_planner.throughput.goodput.conformal import Scores
from netplan_planner.throughput.goodput.intervals import Spread, factors_at, interval
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.tables import NOBODY, Campaigns, campaigns_with_figures
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.model import scatter
from netplan_planner.verbs.model.answer import Evaluation, GroupScore, NotScored
from netplan_planner.verbs.model.ask import AtlasAsk, EvaluateAsk
from netplan_planner.verbs.model.atlas import Atlas
from netplan_planner.verbs.model.atlas_rows import atlas_of

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_DOCUMENTED = [LIMITS.index(name) for name in ("vm-egress", "external-egress", "external-flow")]
_RATIOS_TRIED = 201
"""Quantiles of the rows' own."""
MOST_DRAWN = 20_000
"""Rows; a picture of more is one that no viewer opens."""


class Measured(NamedTuple):
    """A table of measurements with its predictions, by row."""

    value_gbps: Floats
    gbps: Floats
    low_gbps: Floats
    high_gbps: Floats
    caps_gbps: Floats
    lookup_gbps: Floats
    binding: NDArray[np.int8]
    source: NDArray[np.str_]
    path_class: NDArray[np.str_]
    family: NDArray[np.str_]


@verb(panel=panels.MEASURE, question="How good are the predictions?", ends=always_well)
def evaluate(ask: EvaluateAsk, now: Now) -> Evaluation:
    """Score the model on measurements: error, interval coverage and score, by group.

    Compares with two alternatives: the documented caps alone, and the newest earlier measurement
    of the same pair in the file. Rows whose limits are unknown to netplan are counted, not
    guessed.
    """
    found = evaluation_of(ask, now.today)
    if found.refused:
        now.note(f"refused rows, such as {'; '.join(found.refused)}")
    if ask.plot is not None:
        scatter.write_scatter(ask.plot, found)
    return found


@verb(panel=panels.MEASURE, ends=always_well)
def atlas(ask: AtlasAsk, now: Now) -> Atlas:
    """Show measurements between regions, next to the prediction for the same paths.

    For every pair of regions and path class: the measurements with source, date and setup, the
    prediction with its interval, the round-trip time, and the price per GiB. Paths that have no
    measurement say so. Output: a page of matrices (`--output html`) or a table (`--output csv`).
    """
    found = atlas_of(ask, now.today)
    if found.refused:
        now.note(f"refused rows, such as {'; '.join(found.refused)}")
    return found


def evaluation_of(ask: EvaluateAsk, today: date) -> Evaluation:
    """Return how well the model predicts a table of measurements, with rows for pictures.

    Raises:
        InputError: If the table has no column `value`, or no row with one.
    """
    score = evaluated_left_out if ask.leaves_out else evaluated
    found, measured = score(ask.file, as_of=ask.as_of or today, level=ask.level)
    return replace(found, name=ask.file.name, rows=drawn(measured))


def drawn(measured: Measured) -> tuple[Point, ...]:
    """Return the rows that have both figures, every n-th of them where they are very many."""
    both = np.flatnonzero((measured.value_gbps > 0) & (measured.gbps > 0))
    rows = _rows(measured, both[:: max(1, -(-len(both) // MOST_DRAWN))])
    columns = (rows.path_class, rows.value_gbps, rows.gbps, rows.low_gbps, rows.high_gbps)
    return tuple(starmap(Point, zip(*(one.tolist() for one in columns), strict=True)))


def evaluated(path: Path, *, as_of: date, level: float) -> tuple[Evaluation, Measured]:
    """Return how well the shipped model predicts a table of measurements.

    Raises:
        InputError: If the table has no column `value`, or no row with one.
    """
    with PathTable(path) as table:
        found = read_kinds(table, as_of=as_of)
        answers = predict_columns(found.kinds, found.limits, found.columns, factors_at(level))
        measured = _measured(table, found, answers.found, answers.low_gbps, answers.high_gbps)
        refused = table.refused.named
    return summary(measured, level, refused), measured


def evaluated_left_out(path: Path, *, as_of: date, level: float) -> tuple[Evaluation, Measured]:
    """Return the same with intervals of each campaign fitted on the others only.

    Constants that rest on a campaign are left out where it is scored, also of the others' scores.
    Rows that have no answer then are not scored, and said.
    """
    with PathTable(path) as table:
        plain = read_kinds(table, as_of=as_of)
        whole = spread_columns(plain.kinds, plain.limits, plain.columns)
        campaigns = _Campaigns(table, plain)
        low, high = (np.full(len(plain.columns.kind), np.nan) for _ in range(2))
        mean, binding = whole.means.gbps.copy(), whole.means.binding.copy()
        lost: list[NotScored] = []
        for name, rows in campaigns.rows.items():
            spread, why = campaigns.without(name, rows)
            fitted = conformal.fit(campaigns.others_of(name), level)
            low[rows], high[rows] = interval(spread, fitted)
            lost += _not_scored(name, why[~np.isnan(mean[rows]) & np.isnan(spread.means.gbps)])
            mean[rows], binding[rows] = spread.means.gbps, spread.means.binding
        measured = _measured(table, plain, whole, low, high)._replace(gbps=mean, binding=binding)
        refused = table.refused.named
    return replace(summary(measured, level, refused), not_scored=tuple(lost)), measured


def _not_scored(name: str, whys: NDArray[np.str_]) -> Iterator[NotScored]:
    """Yield how many rows of a campaign have no answer without it, by reason."""
    for why, count in Counter(whys.tolist()).items():
        yield NotScored(source=name, row_count=count, reason=why)


class _Campaigns:
    """The campaigns of a table, each predicted without what rests on some of them."""

    def __init__(self, table: PathTable, plain: TableKinds) -> None:
        names, which = table.texts("source")
        self.rows = {name: which == number for number, name in enumerate(names)}
        self._plain, self._value, self._own = plain, table.values_gbps(), _own_senders(plain)
        self._scores: dict[tuple[str, Campaigns], list[Scores]] = {}

    def without(self, name: str, rows: Mask) -> tuple[Spread, NDArray[np.str_]]:
        """Return rows predicted without what rests on a campaign, and why one has no answer."""
        kinds, limits, columns = self._plain.of_rows(rows, _with_figures(name))
        whys = np.array([" ".join(one.unknown[:1]) for one in limits])
        return spread_columns(kinds, limits, columns), whys[columns.kind]

    def others_of(self, name: str) -> Iterator[Scores]:
        """Yield the scores of each other campaign, without what rests on it or on this one."""
        for other, rows in self.rows.items():
            left_out = _with_figures(name, other)
            # Fewer rows tell nothing (`conformal.usable`).
            if other != name and rows.sum() >= conformal.LEAST_ROWS:
                if (other, left_out) not in self._scores:
                    self._scores[other, left_out] = list(self.scored(other, left_out))
                yield from self._scores[other, left_out]

    def scored(self, name: str, left_out: Campaigns = NOBODY) -> Iterator[Scores]:
        """Yield the scores of a campaign of Google senders, if it has any with an answer."""
        rows = self.rows[name] & self._own & (self._value > 0)
        spread = spread_columns(*self._plain.of_rows(rows, left_out))
        usable = ~np.isnan(spread.means.gbps)
        if usable.any() and name not in conformal.CONSTANTS_ONLY:
            yield conformal.scores(name, spread, usable, self._value[rows])


def _with_figures(*names: str) -> Campaigns:
    return campaigns_with_figures().intersection(names)


def calibration_scores(path: Path, *, as_of: date) -> list[Scores]:
    """Return the scores of every campaign of a table under all constants, as they ship."""
    with PathTable(path) as table:
        campaigns = _Campaigns(table, read_kinds(table, as_of=as_of))
        return [one for name in campaigns.rows for one in campaigns.scored(name)]


def summary(measured: Measured, level: float, refused: tuple[str, ...] = ()) -> Evaluation:
    """Return the figures of all groups."""
    usable = measured.value_gbps > 0
    kept = _rows(measured, usable)
    return Evaluation(
        level=level,
        row_count=len(usable),
        unused_count=int((~usable).sum()),
        by_source=_grouped(kept, kept.source, level),
        by_path=_grouped(kept, _joined(kept.source, kept.path_class), level),
        by_path_class=_grouped(kept, kept.path_class, level),
        by_machine_family=_grouped(kept, kept.family, level),
        refused=refused,
    )


def _own_senders(found: TableKinds) -> Mask:
    is_own = np.array([kind.src.cloud == "gcp" for kind in found.kinds], dtype=bool)
    return is_own[found.columns.kind]


def _measured(
    table: PathTable, found: TableKinds, spread: Spread, low: Floats, high: Floats
) -> Measured:
    value = table.values_gbps()
    if not (value > 0).any():
        named = "".join(f"; {one}" for one in table.refused.named)
        raise InputError(f"{table.shown}: no row has a measured value above 0{named}")
    limits = spread.means.limits_gbps[:, _DOCUMENTED]
    caps = np.min(np.where(np.isnan(limits), np.inf, limits), axis=1)
    kinds = found.kinds
    which = found.columns.kind
    senders = np.array([f", sender {kind.src.cloud}" for kind in kinds])[which]
    sources, source = table.texts("source")
    return Measured(
        value_gbps=value,
        gbps=spread.means.gbps,
        low_gbps=low,
        high_gbps=high,
        caps_gbps=np.where(np.isinf(caps), np.nan, caps),
        lookup_gbps=table.earlier_values(),
        binding=spread.means.binding,
        source=np.char.add(np.array(sources)[source], senders),
        path_class=np.array([_class_name(kind.path_class, kind.dst.cloud) for kind in kinds])[
            which
        ],
        family=np.array([_family(kind.src.machine_type) for kind in kinds])[which],
    )


def _class_name(path_class: str, receiver: str) -> str:
    return f"{path_class} to {receiver}" if receiver != "gcp" else str(path_class)


def _joined(first: NDArray[np.str_], second: NDArray[np.str_]) -> NDArray[np.str_]:
    return np.char.add(np.char.add(first, ", "), second)


def _family(machine_type: str | None) -> str:
    return machine_type.split("-")[0].split(".")[0] if machine_type else "not stated"


def _grouped(measured: Measured, key: NDArray[np.str_], level: float) -> tuple[GroupScore, ...]:
    return tuple(_score(str(name), _rows(measured, key == name), level) for name in np.unique(key))


def _rows(measured: Measured, which: Mask | NDArray[np.intp]) -> Measured:
    return Measured._make(column[which] for column in measured)


def _score(name: str, rows: Measured, level: float) -> GroupScore:
    is_known = ~np.isnan(rows.gbps)
    known = _rows(rows, is_known)
    has_earlier = ~np.isnan(rows.lookup_gbps)
    earlier = _errors(rows.lookup_gbps[has_earlier], rows.value_gbps[has_earlier])
    score = GroupScore(
        group=name,
        row_count=len(rows.value_gbps),
        known_count=int(is_known.sum()),
        lookup_count=int(has_earlier.sum()),
        lookup_median_error_ratio=_at(earlier, 0.5),
        lookup_p90_error_ratio=_at(earlier, 0.9),
    )
    if not is_known.any():
        return score
    value, low, high = known.value_gbps, known.low_gbps, known.high_gbps
    has_cap = ~np.isnan(known.caps_gbps)
    caps = _errors(known.caps_gbps[has_cap], value[has_cap])
    errors = _errors(known.gbps, value)
    below, above = value < low, value > high
    coverage = float((~(below | above)).mean())
    return replace(
        score,
        median_error_ratio=_at(errors, 0.5),
        p90_error_ratio=_at(errors, 0.9),
        coverage_ratio=coverage,
        below_ratio=float(below.mean()),
        above_ratio=float(above.mean()),
        mean_width_gbps=float((high - low).mean()),
        single_width_gbps=_single_width(known, coverage),
        interval_score_gbps=_interval_score(value, low, high, level),
        single_score_gbps=_single_score(known, level),
        caps_median_error_ratio=_at(caps, 0.5),
        caps_p90_error_ratio=_at(caps, 0.9),
    )


def _interval_score(value: Floats, low: Floats, high: Floats, level: float) -> float:
    missed = np.maximum(low - value, 0.0) + np.maximum(value - high, 0.0)
    return float((high - low + 2 / (1 - level) * missed).mean())


def _single_score(known: Measured, level: float) -> float:
    """Return the least score of one ratio around all values: it lies where some row's does."""
    off = np.abs(np.log(known.value_gbps / known.gbps))
    ratios = np.exp(np.unique(np.quantile(off, np.linspace(0, 1, _RATIOS_TRIED))))
    return min(
        _interval_score(known.value_gbps, known.gbps / one, known.gbps * one, level)
        for one in ratios
    )


def _single_width(known: Measured, coverage: float) -> float:
    """Return the lesser mean width of [value / f, value f] and [value - w, value + w].

    `f` and `w` are chosen in hindsight, on these very rows, for the same coverage.
    """
    ratio = np.exp(np.quantile(np.abs(np.log(known.value_gbps / known.gbps)), coverage))
    distance = np.quantile(np.abs(known.value_gbps - known.gbps), coverage)
    return float(min((known.gbps * (ratio - 1 / ratio)).mean(), 2 * distance))


def _errors(predicted: Floats, measured: Floats) -> Floats:
    return np.abs(predicted / measured - 1)


def _at(errors: Floats, share: float) -> float | None:
    return float(np.quantile(errors, share)) if len(errors) else None
