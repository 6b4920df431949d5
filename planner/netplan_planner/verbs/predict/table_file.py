"""`netplan predict --batch`: a table of paths with its predictions, written as it is computed.

A special answer: a million rows go from the table engine to a file without becoming values.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import UsageError
from netplan_planner.inert import escaped_json, inert_cell, inert_line
from netplan_planner.model import Calibration, PathQuery
from netplan_planner.planning.table_kinds import TableKinds, pairs_of, read_kinds
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.renderers.figures import rate_interval
from netplan_planner.renderers.output import OutputSpec
from netplan_planner.renderers.prediction_rows import SCHEMA
from netplan_planner.streams import to_stdout
from netplan_planner.tables.extended import AddedColumn, CodedTexts
from netplan_planner.throughput.batch import Columns, Predictions, predict_columns, reasons
from netplan_planner.throughput.calibration.factors.calibrated import Corrector, Probed
from netplan_planner.throughput.cases import STREAM_COUNTS
from netplan_planner.throughput.goodput.intervals import Factors, factors_at
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.open_runs import predict_rows
from netplan_planner.throughput.round_trips.of_path import why_believed, why_raised
from netplan_planner.throughput.sharing.links import NAMES, Ends, shared_links
from netplan_planner.throughput.sharing.rates import OWN_BOUND, fair_rates
from netplan_planner.throughput.single_row import said_of_images
from netplan_planner.units import counted
from netplan_planner.verbs.predict.ask import JSON, PARQUET, PredictAsk
from netplan_planner.world.calibration import read_calibration
from netplan_planner.writing import write_each, written_whole

OWN = "own-path"
"""The flow gets what its own prediction allows."""


class TableAnswer(NamedTuple):
    """The predictions of a table, in its order."""

    predictions: Predictions
    reason: CodedTexts
    """Why a row has no value; or, beside one, what of the row was not taken as it stands."""
    cases: CodedTexts | None = None
    """What rows get with so many streams where nobody told their number; None: all rows tell it."""


class SharedRates(NamedTuple):
    """What each row gets while all run; NaN and -1 where its own prediction is not known."""

    gbps: NDArray[np.float64]
    limit: CodedTexts
    unknown_count: int
    """Rows without a prediction: they take their share in truth, but not here."""


_MOST_NAMED = 8
"""Columns that a note names."""


_NAME_LENGTH = 40


Note = Callable[[str], None]


def write_predictions(
    ask: PredictAsk, batch: Path, outputs: Sequence[OutputSpec], today: date, note: Note
) -> None:
    """Read a table, predict its rows and write it with the predictions after its own columns.

    Args:
        ask: As of when, at which level, and by which calibration.
        batch: The table.
        outputs: Where it goes.
        today: As of when rows are that have no date, where nothing is asked for.
        note: Told what of the table is not read, refused, or left out.

    Raises:
        InputError: If the table cannot be read or the answer not written.
        UsageError: If the table lacks what it has to name.
    """
    learnt = read_calibration(ask.calibration) if ask.calibration is not None else None
    with PathTable(batch) as table:
        _note_unread(table, note)
        answer = predict_table(table, as_of=ask.as_of or today, level=ask.level, calibration=learnt)
        _note_refused(table, note)
        cases = {"cases": answer.cases} if answer.cases is not None else {}
        more = {**cases, **(_shared(table, answer, note) if ask.is_together else {})}
        # What can be read on a screen comes last, when all files are complete.
        specs = sorted(outputs, key=lambda one: one.path is None)
        write_each(partial(_write, spec, table, answer, ask.level, more) for spec in specs)


def _write(
    spec: OutputSpec,
    table: PathTable,
    answer: TableAnswer,
    level: float,
    more: Mapping[str, AddedColumn],
) -> None:
    with to_stdout() if spec.path is None else written_whole(spec.path) as target:
        _write_to(target, spec.format, table, answer, level, more)


def _write_to(
    target: Path,
    form: str,
    table: PathTable,
    answer: TableAnswer,
    level: float,
    more: Mapping[str, AddedColumn],
) -> None:
    if form == JSON:
        target.write_text(_json(answer, table, level, more), encoding="utf-8")
        return
    added = {
        "predicted_gbps": rounded(answer.predictions.gbps),
        "low_gbps": rounded(answer.predictions.low_gbps),
        "high_gbps": rounded(answer.predictions.high_gbps),
        "binding_limit": CodedTexts(LIMITS, answer.predictions.binding),
        "next_limit": CodedTexts(LIMITS, answer.predictions.following),
        "reason": answer.reason,
        **more,
    }
    table.write(added, target, is_parquet=form == PARQUET)


def _json(
    answer: TableAnswer, table: PathTable, level: float, more: Mapping[str, AddedColumn]
) -> str:
    """Return the table with its predictions as one JSON document, ending with a line end."""
    document = {
        "schema": SCHEMA,
        "level": level,
        "predictions": tuple(_records(answer, table, more)),
    }
    return escaped_json(msgspec.json.format(msgspec.json.encode(document)).decode()) + "\n"


def _records(
    answer: TableAnswer, table: PathTable, more: Mapping[str, AddedColumn]
) -> Iterator[dict[str, object]]:
    found = answer.predictions
    for row, cells in enumerate(table.head(table.row_count)):
        yield {
            **cells,
            "predicted_gbps": _or_none(found.gbps[row]),
            "low_gbps": _or_none(found.low_gbps[row]),
            "high_gbps": _or_none(found.high_gbps[row]),
            "binding_limit": _text(LIMITS, found.binding[row]),
            "next_limit": _text(LIMITS, found.following[row]),
            "reason": _text(answer.reason.texts, answer.reason.code[row]),
            **{name: _cell(column, row) for name, column in more.items()},
        }


def _text(texts: Sequence[str], code: int) -> str | None:
    return texts[code] if code >= 0 else None


def _cell(column: AddedColumn, row: int) -> float | str | None:
    if isinstance(column, CodedTexts):
        return _text(column.texts, int(column.code[row]))
    return _or_none(column[row])


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _note_unread(table: PathTable, note: Note) -> None:
    unread = table.unread_columns
    if unread:
        shown = ", ".join(inert_line(name)[:_NAME_LENGTH] for name in unread[:_MOST_NAMED])
        rest = f" and {len(unread) - _MOST_NAMED} more" if len(unread) > _MOST_NAMED else ""
        note(
            f"{counted(len(unread), 'column')} not used: {shown}{rest} (used columns: "
            "docs/reference/verbs/predict.md)"
        )


def _note_refused(table: PathTable, note: Note) -> None:
    refused = table.refused
    if refused.count:
        rest = refused.count - len(refused.named)
        more = f"; and {rest:,} more" if rest else ""
        note(
            f"{counted(refused.count, 'row')} of {table.row_count:,} refused, the others have "
            f"answers: {'; '.join(refused.named)}{more}"
        )


def _shared(table: PathTable, answer: TableAnswer, note: Note) -> dict[str, AddedColumn]:
    found = share_table(table, answer)
    count = found.unknown_count
    if count:
        has, is_ = ("has", "is") if count == 1 else ("have", "are")
        takes = "uses" if count == 1 else "use"
        note(
            f"{counted(count, 'row')} {has} no prediction and {is_} excluded from sharing, but "
            f"{takes} bandwidth too"
        )
    return {"shared_gbps": found.gbps, "shared_limit": found.limit}


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
    if calibration is None:
        found = found._replace(notes=list(map(_with_images, found.notes, found.kinds)))
    probed = None
    if calibration is not None:
        corrector = Corrector(calibration)
        keys, pair = pairs_of(found)
        pairs = corrector.of_pairs([*keys, None], pair)
        probed = corrector.probed(found.kinds, found.limits, pairs)
    factors = factors or factors_at(level)
    # As of one path: without a number of streams as many as it takes (what fewer get are its
    # cases), without a time the steady state.
    open_rows = np.flatnonzero(np.isnan(found.columns.streams))
    told = found.columns
    columns = told._replace(
        streams=np.where(np.isnan(told.streams), np.inf, told.streams),
        duration_s=np.where(np.isnan(told.duration_s), np.inf, told.duration_s),
    )
    found = found._replace(columns=columns)
    answers = predict_rows(found.kinds, found.limits, columns, factors, probed, tells_streams=False)
    codes, texts = reasons(found.limits, found.columns, answers)
    codes, texts = _with_doubts(codes, texts, found)
    codes, texts = _with_notes(codes, texts, found, ~np.isnan(answers.gbps))
    cases = stream_cases(found, open_rows, factors, probed) if len(open_rows) else None
    return TableAnswer(answers, CodedTexts([inert_cell(text) for text in texts], codes), cases)


def _with_images(note: str, kind: PathQuery) -> str:
    """Return the note of a kind of path with what is said of its images."""
    images = kind.src.set_up.image, kind.dst.set_up.image
    return "; ".join(filter(None, (note, *said_of_images(images))))


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
    codes: NDArray[np.intp], texts: list[str], found: TableKinds, has_value: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the reasons, with what was not taken as it stands of rows that have a value."""
    more, longer = codes.copy(), list(texts)
    for kind, note in enumerate(found.notes):
        if not note:
            continue
        rows = np.flatnonzero((found.columns.kind == kind) & has_value)
        for code in np.unique(codes[rows]).tolist():
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


def share_table(table: PathTable, answer: TableAnswer) -> SharedRates:
    """Return the max-min fair rates of all rows at once.

    Raises:
        UsageError: If the table does not name the machines.
    """
    lacking = [name for name in ("src", "dst") if not table.has(name)]
    if lacking:
        raise UsageError(
            f"{table.shown}: --together needs the columns src and dst, the names of the VMs; "
            f"missing: {' and '.join(lacking)}"
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


def stream_cases(
    found: TableKinds, rows: NDArray[np.intp], factors: Factors, probed: Probed | None
) -> CodedTexts:
    """Return the cases of some rows as texts: "1 stream: 0.17 Gbit/s [0.16 to 0.18]; 8 …".

    Args:
        found: The table.
        rows: Those that do not tell their number of streams.
        factors: Of the interval's level.
        probed: What probes taught of the whole table.
    """
    some = Columns._make(column[rows] for column in found.columns)
    own = probed.rows(rows) if probed is not None else None
    texts = [""] * len(rows)
    for count in STREAM_COUNTS:
        columns = some._replace(streams=np.full(len(rows), float(count)))
        answers = predict_columns(found.kinds, found.limits, columns, factors, own)
        ends = zip(answers.gbps, answers.low_gbps, answers.high_gbps, strict=True)
        for at, (gbps, low, high) in enumerate(ends):
            if not np.isnan(gbps):
                told = rate_interval(float(gbps), float(low), float(high))
                texts[at] += f"{'; ' if texts[at] else ''}{counted(count, 'stream')}: {told}"
    code = np.full(len(found.columns.streams), -1)
    code[rows] = np.where(np.array(texts) == "", -1, np.arange(len(rows)))
    return CodedTexts(texts, code)
