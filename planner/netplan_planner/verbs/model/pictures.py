"""The pictures of the answers' pages."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from netplan_planner.model import CurrencyRate, PathClass
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Role, fixed, line, say
from netplan_planner.renderers.html.charts.agreement import agreement
from netplan_planner.renderers.html.charts.heat import Cell, Matrix, Panel, by_magnitude, evenly
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.model.answer import Evaluation
from netplan_planner.verbs.model.atlas import Atlas, AtlasRow
from netplan_planner.verbs.model.show_atlas import NOBODY

# The atlas as matrices of regions: one a path class, with a panel a measure


_DRAWN = (PathClass.INTER_REGION_INTERNAL, PathClass.INTER_REGION_EXTERNAL)


class _Measure(NamedTuple):
    title: str
    note: str
    value: Callable[[AtlasRow], float | None]
    text: Callable[[float], str]
    lacking: str
    """What stands in a cell without a value."""
    is_even: bool = False


def matrices_of(answer: Atlas) -> Iterator[Matrix]:
    """Yield the matrix of each path class between regions."""
    for path_class in _DRAWN:
        rows = [row for row in answer.rows if row.path_class is path_class]
        places = tuple(sorted({row.src for row in rows} | {row.dst for row in rows}))
        # The newest campaign of a path stands for it.
        newest = {(r.src, r.dst): r for r in sorted(rows, key=lambda one: one.date)}
        yield Matrix(
            name=path_class.value,
            title=f"{path_class.value}: from rows to columns",
            places=places,
            panels=tuple(_panel(one, newest, places) for one in _measures(answer)),
            rest="",
        )


def _panel(
    measure: _Measure, rows: dict[tuple[str, str], AtlasRow], places: Sequence[str]
) -> Panel:
    values = {
        ends: value for ends, row in rows.items() if (value := measure.value(row)) is not None
    }
    shade = evenly if measure.is_even else by_magnitude([v for v in values.values() if v > 0])

    def cell(src: str, dst: str) -> Cell:
        value = values.get((src, dst))
        if value is None:
            text = "" if src == dst else measure.lacking
            return Cell(text=line(say(text, Role.DIM)))
        return Cell(
            text=line(fixed(measure.text(value))),
            shade=shade(value),
            is_over=measure.is_even and value > 1,
        )

    return Panel(
        title=measure.title,
        note=measure.note,
        rows=tuple(tuple(cell(src, dst) for dst in places) for src in places),
    )


def _measures(answer: Atlas) -> tuple[_Measure, ...]:
    asked = f"{answer.machine_type}, {answer.streams} connections, limits of {answer.as_of}"
    return (
        _Measure(
            title="model prediction",
            note=f"Gbit/s in steady state: {asked}.",
            value=lambda row: row.gbps,
            text=figures.number,
            lacking="unknown",
        ),
        _Measure(
            title="low end of the interval",
            note=f"Gbit/s that {answer.level:.0%} of cases exceed or reach: {asked}.",
            value=lambda row: row.low_gbps,
            text=figures.number,
            lacking="unknown",
        ),
        _Measure(
            title="measured",
            note=f"Gbit/s, median of the newest campaign's runs; -: {NOBODY}. The table has "
            "each campaign with date and setup.",
            value=lambda row: row.measured_gbps,
            text=figures.number,
            lacking="-",
        ),
        _Measure(
            title="measured against the model",
            note=f"Same setup and date. 1: as predicted; outlined: more was measured; -: {NOBODY}.",
            value=lambda row: row.ratio,
            text=lambda ratio: f"{ratio:.2f}",
            lacking="-",
            is_even=True,
        ),
        _Measure(
            title="round trip",
            note="ms on an idle path.",
            value=lambda row: row.rtt_ms,
            text=figures.number,
            lacking="unknown",
        ),
        _Measure(
            title="price",
            note=f"US dollars per GiB, first step of the list prices of {answer.prices_as_of}.",
            value=lambda row: row.usd_per_gib,
            text=lambda usd: f"{usd:g}",
            lacking="unknown",
        ),
    )


# The pictures of the answers' pages


def pictures(answer: Evaluation | Atlas, currency: CurrencyRate | None) -> list[Picture]:
    """Return predicted against measured; of the atlas the matrices of regions."""
    del currency
    if isinstance(answer, Atlas):
        return drawn("heat", *matrices_of(answer))
    return drawn("agreement", agreement(answer.rows))
