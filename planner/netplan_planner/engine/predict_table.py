"""Predictions for a table of paths, and what is said beside each."""

from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.engine.table_kinds import TableKinds, pairs_of, read_kinds
from netplan_planner.inert import inert_cell
from netplan_planner.model import Calibration
from netplan_planner.readers.path_table import PathTable
from netplan_planner.tables.extended import CodedTexts
from netplan_planner.throughput.batch import Predictions, predict_columns, reasons
from netplan_planner.throughput.calibration.factors.calibrated import Corrector
from netplan_planner.throughput.goodput.intervals import Factors, factors_at
from netplan_planner.throughput.round_trips.given import why_believed, why_raised


class TableAnswer(NamedTuple):
    """The predictions of a table, in its order."""

    predictions: Predictions
    reason: CodedTexts
    """Why a row has no value; or, beside one, what of the row was not taken as it stands."""


def predict_table(
    table: PathTable,
    *,
    as_of: date,
    level: float,
    factors: Factors | None = None,
    calibration: Calibration | None = None,
) -> TableAnswer:
    """Return the prediction of each row of a table.

    Args:
        table: The paths.
        as_of: The date of rows that have none.
        level: Of the intervals.
        factors: Others than those that ship for the level.
        calibration: What probes taught.
    """
    found = read_kinds(table, as_of=as_of)
    probed = None
    if calibration is not None:
        corrector = Corrector(calibration)
        keys, pair = pairs_of(found)
        pairs = corrector.of_pairs([*keys, None], pair)
        probed = corrector.probed(found.kinds, found.limits, pairs)
    answers = predict_columns(
        found.kinds, found.limits, found.columns, factors or factors_at(level), probed
    )
    codes, texts = reasons(found.limits, found.columns, answers)
    codes, texts = _with_doubts(codes, texts, found)
    codes, texts = _with_notes(codes, texts, found)
    return TableAnswer(answers, CodedTexts([inert_cell(text) for text in texts], codes))


def _with_doubts(
    codes: NDArray[np.intp], texts: list[str], found: TableKinds
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the reasons, with one for each row whose round-trip time is below all pings."""
    more = codes.copy()
    for is_raised, why in ((True, why_raised), (False, why_believed)):
        is_below = ~np.isnan(found.rtt.pings_ms) & (found.rtt.is_raised == is_raised)
        rows = np.flatnonzero(is_below & (codes < 0))
        least, which = np.unique(found.rtt.pings_ms[rows], return_inverse=True)
        more[rows] = len(texts) + which
        texts = [*texts, *map(why, least.tolist())]
    return more, texts


def _with_notes(
    codes: NDArray[np.intp], texts: list[str], found: TableKinds
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the reasons, with what was not taken as it stands of rows that have a value."""
    more, longer = codes.copy(), list(texts)
    for kind, note in enumerate(found.notes):
        rows = np.flatnonzero(found.columns.kind == kind) if note else np.zeros(0, np.intp)
        for code in np.unique(codes[rows]).tolist():
            if code >= 0 and found.limits[kind].unknown:
                continue
            said = f"{texts[code]}; {note}" if code >= 0 else note
            more[rows[codes[rows] == code]] = len(longer)
            longer.append(said)
    return more, longer


def rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values to six digits: more would feign what no model knows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = 5 - np.floor(np.log10(np.abs(values)))
        scale = 10.0 ** np.clip(digits, -300, 300)
        return np.asarray(np.where(values > 0, np.round(values * scale) / scale, values))
