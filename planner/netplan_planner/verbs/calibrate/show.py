"""A calibration: what probes taught of each limit, and the errors on probes that were left out."""

import math
from collections.abc import Iterator, Sequence

from netplan_planner.inert import NAME_LENGTH
from netplan_planner.model import Learnt, LeftOut, Lesson
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Column, Entry, Item, Para, Table, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.calibrate.answer import CalibrationReport

SCHEMA = "netplan.calibration-answer/1"
SHOWN_LESSONS = 20
SHOWN_FAULTS = 5
WORSE_BY, FEWER_BY = 0.01, 0.1
ODD_RATIO = 0.05
"""A pair of places that is further from the others is counted as different."""
_LONG = 2000


def table(answer: CalibrationReport) -> DataTable:
    """Return a row for each limit of which something was learnt."""
    columns = (
        *("limit", "of", "ratio", "low_ratio", "high_ratio", "prior_low_ratio"),
        *("prior_high_ratio", "value_count", "bound_count"),
    )
    rows = (
        (
            *(one.name, one.key, one.ratio, one.low_ratio, one.high_ratio, one.prior_low_ratio),
            *(one.prior_high_ratio, one.value_count, one.bound_count),
        )
        for one in answer.calibration.latents
    )
    return DataTable(columns, rows)


def blocks(answer: CalibrationReport, options: RenderOptions) -> Iterator[Block]:
    """Yield what was used, what it taught, and what it is worth."""
    made = answer.calibration
    yield _para(
        f"{made.measurement_count:,} of {counted(answer.record_count, 'measurement')}, "
        f"{counted(made.probe_count, 'path and setup', 'paths and setups')}, ages counted from "
        f"{made.as_of}"
    )
    for fault in answer.faults[:SHOWN_FAULTS]:
        yield _para(f"not used: {fault}")
    if len(answer.faults) > SHOWN_FAULTS:
        rest = len(answer.faults) - SHOWN_FAULTS
        yield _para(f"not used: {rest:,} more (--output json has them all)")
    yield Entry(line=line("What changes"))
    yield from _limits(answer)
    yield Entry(line=line("Accuracy"))
    yield from _left_out(answer)
    yield Entry(line=line("Each measurement"))
    yield from _lessons(answer.lessons)


def _para(text: str) -> Para:
    return Para(line=line(say(text, length=_LONG)))


def _limits(answer: CalibrationReport) -> Iterator[Block]:
    """Yield the limits whose factor was told, then those that are only known not to be lower."""
    made = answer.calibration
    told = [one for one in made.latents if one.value_count]
    if not told:
        yield _para("no measurement determines the factor of a limit")
    else:
        titles = ("limit", "of", "factor", "range", "before", "set by", "at least")
        rows = [
            (
                one.name,
                one.key,
                f"{one.ratio:.3f}",
                f"{one.low_ratio:.3f} to {one.high_ratio:.3f}",
                f"{one.prior_low_ratio:.3f} to {one.prior_high_ratio:.3f}",
                f"{one.value_count:,}",
                f"{one.bound_count:,}",
            )
            for one in told
        ]
        yield _texts(titles, rows, numbers=(2, 5, 6), note=1)
    for one in made.latents:
        if not one.value_count and one.bound_count:
            showed = counted(one.bound_count, "figure")
            yield _para(f"{one.name} of {one.key}: at least as high as {showed} showed")
    yield from _windows(made.latents)
    if made.pairs:
        odd = sum(abs(pair.ratio - 1) > ODD_RATIO for pair in made.pairs)
        pairs = counted(len({pair.key for pair in made.pairs}), "pair of places", "pairs of places")
        yield _para(f"{pairs}; {odd:,} of their limits differ by more than 5% from the others")


def _windows(latents: Sequence[Learnt]) -> Iterator[Block]:
    """Yield which receivers may have another window than the probes showed."""
    for one in latents:
        whose = f"{one.name} of {one.key}"
        if one.unlike_count:
            some = counted(one.value_count + one.unlike_count, "measurement")
            yield _para(
                f"{whose}: {one.unlike_count:,} of {some} show another window. These paths do not"
                " share one window, so the intervals of other receivers include both. To tell them"
                " apart, set their image (dst_image)"
            )
        elif one.others_sd:
            yield _para(
                f"{whose}: it is not the window of a stock image, and no image is set. Receivers"
                " without a measurement may have the stock window: their intervals include it"
            )


def _left_out(answer: CalibrationReport) -> Iterator[Block]:
    if not answer.left_out:
        yield _para("only one pair of places: the accuracy needs a second pair to test it")
        return
    inside = f"in {answer.level:.0%}"
    titles = ("not in fit", "results", "error before", "P90", inside, "error after", "P90", inside)
    # Of one class only, all of them are the class.
    shown = answer.left_out if len(answer.left_out) > 2 else answer.left_out[:1]
    yield _texts(titles, [_score(one) for one in shown], numbers=tuple(range(1, 8)))
    for one in answer.left_out[1:]:
        grows = one.median_error_ratio > one.plain_median_error_ratio + WORSE_BY
        if grows or one.coverage_ratio < one.plain_coverage_ratio - FEWER_BY:
            what = "the error increases" if grows else "fewer are inside their intervals"
            yield _para(
                f"{one.group}: {what}. These measurements disagree (other days, images or "
                "tools). Calibrate with those taken in the conditions you plan for"
            )


def _score(one: LeftOut) -> tuple[str, ...]:
    return (
        one.group or "all",
        f"{one.measurement_count:,}",
        _percent(one.plain_median_error_ratio),
        _percent(one.plain_p90_error_ratio),
        _percent(one.plain_coverage_ratio),
        _percent(one.median_error_ratio),
        _percent(one.p90_error_ratio),
        _percent(one.coverage_ratio),
    )


def _lessons(lessons: Sequence[Lesson]) -> Iterator[Block]:
    farthest = sorted(lessons, key=lambda one: -abs(math.log(one.gbps / one.plain_gbps)))
    for one in farthest[:SHOWN_LESSONS]:
        streams = f", {counted(one.streams, 'stream')}" if one.streams else ""
        said = [
            f"{one.path}{streams}, {one.day}: {one.gbps:.3g} Gbit/s; without probes"
            f" {one.plain_gbps:.3g}, with them {one.calibrated_gbps:.3g}"
        ]
        if not one.is_believed:
            said.append("no limit explains it: it counts only for its own pair of places")
        if one.told:
            said.append(f"determines: {', '.join(one.told)}")
        if one.at_least:
            said.append(f"at least: {', '.join(one.at_least)}")
        yield Item(line=line(say("; ".join(said), length=_LONG)))
    if len(lessons) > SHOWN_LESSONS:
        rest = len(lessons) - SHOWN_LESSONS
        yield _para(f"{rest:,} more, closer to the prediction (--output json has all)")


def _texts(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[int],
    note: int | None = None,
) -> Table:
    """Return a table of texts; `note` is the column that may give way where it is too wide."""
    columns = tuple(
        Column(title=title, is_number=at in numbers, is_note=at == note, stacked=f"{title} {{}}")
        for at, title in enumerate(titles)
    )
    cells = tuple(tuple(line(say(cell, length=NAME_LENGTH)) for cell in row) for row in rows)
    return Table(columns=columns, rows=cells, is_inner=True)


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f}%"
