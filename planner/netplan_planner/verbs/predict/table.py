"""Predictions for a table of paths, what is said beside each, and what each gets beside the others.

Where all flows run at the same time, machines are told apart by the columns `src` and `dst`. Every
flow is bounded by its own prediction; the egress of a machine, its egress to the outside and a
receiver's ingress are shared max-min fairly, with streams as weights (`throughput.sharing`).
"""

from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_cell
from netplan_planner.model import Calibration
from netplan_planner.planning.table_kinds import TableKinds, pairs_of, read_kinds
from netplan_planner.readers.path_table import PathTable
from netplan_planner.tables.extended import CodedTexts
from netplan_planner.throughput.batch import Predictions, predict_columns, reasons
from netplan_planner.throughput.calibration.factors.calibrated import Corrector
from netplan_planner.throughput.goodput.intervals import Factors, factors_at
from netplan_planner.throughput.round_trips.given import why_believed, why_raised
from netplan_planner.throughput.sharing.links import NAMES, Ends, shared_links
from netplan_planner.throughput.sharing.rates import OWN_BOUND, fair_rates

OWN = "own-path"
"""The flow gets what its own prediction allows."""


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


class SharedRates(NamedTuple):
    """What each row gets while all run; NaN and -1 where its own prediction is not known."""

    gbps: NDArray[np.float64]
    limit: CodedTexts
    unknown_count: int
    """Rows without a prediction: they take their share in truth, but not here."""


def share_table(table: PathTable, answer: TableAnswer) -> SharedRates:
    """Return the max-min fair rates of all rows at once.

    Raises:
        UsageError: If the table does not name the machines.
    """
    lacking = [name for name in ("src", "dst") if not table.has(name)]
    if lacking:
        raise UsageError(
            f"{table.shown}: --together needs the columns src and dst, the names of the machines;"
            f" there is no {' and no '.join(lacking)}"
        )
    own = answer.predictions.gbps
    known = ~np.isnan(own)
    limits = answer.predictions.found.means.limits_gbps[known]
    src, dst = (_ends(table, side, known) for side in ("src", "dst"))
    links = shared_links(src, dst, limits)
    streams = table.numbers("streams")[known]
    rates = fair_rates(
        capacity_gbps=links.capacity_gbps,
        links=links.of_flow,
        bound_gbps=own[known],
        weight=np.where(np.isnan(streams), 1.0, streams),
    )
    gbps = np.full_like(own, np.nan)
    gbps[known] = rates.gbps
    texts = (*NAMES, OWN)
    code = np.full(len(own), -1)
    is_own = rates.binding_link == OWN_BOUND
    code[known] = np.where(is_own, texts.index(OWN), links.name[rates.binding_link])
    return SharedRates(rounded(gbps), CodedTexts(texts, code), int((~known).sum()))


def _ends(table: PathTable, side: str, known: NDArray[np.bool_]) -> Ends:
    machines, which = table.texts(side)
    return Ends(which[known], len(machines))
