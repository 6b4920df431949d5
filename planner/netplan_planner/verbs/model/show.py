"""The model against measurements: error, coverage and score by group, beside two rivals."""

from collections.abc import Iterator

from netplan_planner.model import taken
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Line, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.model.answer import Evaluation, GroupScore, Scores

SCHEMA = "netplan.evaluation/1"
UNKNOWN = "-"
_NAME_LENGTH = 60
_COLUMNS = (
    *("rows", "known", "err", "P90", "in", "width", "single", "score", "caps", "table", "of"),
)
_GROUPED_BY = (
    ("source", "by_source"),
    ("path class", "by_path_class"),
    ("machine series of the sender", "by_machine_family"),
)


def record(answer: Evaluation) -> Scores:
    """Return the scores of all groups."""
    return taken(Scores, answer)


def table(answer: Evaluation) -> DataTable:
    """Return a row for each group, with what it is a group by."""
    kinds = ("by_source", "by_path", "by_path_class", "by_machine_family")
    rows = (
        (kind.removeprefix("by_"), *(getattr(one, name) for name in GroupScore.__struct_fields__))
        for kind in kinds
        for one in getattr(answer, kind)
    )
    return DataTable(("grouped_by", *GroupScore.__struct_fields__), rows)


def blocks(answer: Evaluation, options: RenderOptions) -> Iterator[Block]:
    """Yield the rows, a table for each way to group them, and what its columns say."""
    unused = f"{answer.unused_count:,} with no measured value"
    rows = f"{counted(answer.row_count, 'row')}, {unused}"
    yield doc.Title(line=line(say(answer.name, length=_NAME_LENGTH)), basis=line(rows))
    for title, field in _GROUPED_BY:
        yield doc.entry(f"By {title}")
        yield from _table(title, getattr(answer, field))
    if answer.not_scored:
        yield doc.entry("Not scored, as only their own source has values for them")
    for one in answer.not_scored:
        name = say(one.source, length=_NAME_LENGTH)
        yield doc.para(name, f", {counted(one.row_count, 'row')}: {one.reason}")
    yield doc.entry("Columns")
    for label, text in _legend(answer.level):
        yield doc.field(label, text)


def _table(title: str, groups: tuple[GroupScore, ...]) -> Iterator[Block]:
    """Yield a table; groups without any prediction stand together below it."""
    known = [one for one in groups if one.known_count]
    if known:
        numbers = (
            doc.Column(title=name, is_number=True, stacked=f"{name} {{}}") for name in _COLUMNS
        )
        name = doc.Column(title=title, is_note=True)
        yield doc.Table(columns=(name, *numbers), rows=tuple(map(_row, known)))
    others = [one for one in groups if not one.known_count]
    if others:
        count = sum(one.row_count for one in others)
        text = f"unknown: {counted(count, 'row')} of {counted(len(others), 'other group')}"
        yield doc.para(text)


def _row(one: GroupScore) -> tuple[Line, ...]:
    cells = (
        f"{one.row_count:,}",
        f"{one.known_count:,}",
        _percent(one.median_error_ratio),
        _percent(one.p90_error_ratio),
        _percent(one.coverage_ratio),
        _gbps(one.mean_width_gbps),
        _gbps(one.single_width_gbps),
        _gbps(one.interval_score_gbps),
        _percent(one.caps_median_error_ratio),
        _percent(one.lookup_median_error_ratio),
        f"{one.lookup_count:,}",
    )
    return line(say(one.group, length=_NAME_LENGTH)), *(line(fixed(cell)) for cell in cells)


def _legend(level: float) -> Iterator[tuple[str, str]]:
    yield "err, P90", "|predicted / measured - 1|, median and 90th percentile"
    yield "in", f"share inside the {level:.0%} interval"
    yield "width", "mean width of the interval, Gbit/s"
    yield (
        "single",
        "width of the best constant interval with the same coverage",
    )
    yield "score", "width plus the distance of rows outside it, Gbit/s"
    yield "caps", "median error of the documented caps alone"
    yield (
        "table, of",
        "the same for the newest earlier source on the same pair, for this many rows",
    )


def _percent(ratio: float | None) -> str:
    if ratio is None:
        return UNKNOWN
    return f"{100 * ratio:.1f}%" if ratio < 1 else f"{100 * ratio:,.0f}%"


def _gbps(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.3g}"
