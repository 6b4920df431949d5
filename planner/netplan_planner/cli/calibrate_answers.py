"""What `netplan calibrate` learnt, as text or JSON."""

import math
from collections.abc import Iterator, Sequence

import msgspec

from netplan_planner.engine.calibrate import CalibrationAnswer
from netplan_planner.inert import NAME_LENGTH, escaped_json, inert
from netplan_planner.throughput.calibration.learning.calibration import Lesson
from netplan_planner.throughput.calibration.learning.left_out import LeftOut
from netplan_planner.units import counted

SCHEMA = "netplan.calibration-answer/1"
SHOWN_LESSONS = 20
SHOWN_FAULTS = 5
WORSE_BY, FEWER_BY = 0.01, 0.1
ODD_RATIO = 0.05
"""A pair of places that is further from the others is counted as different."""


def written(found: CalibrationAnswer, form: str) -> str:
    """Return the answer in a form, ending with a line end."""
    if form == "json":
        document = {"schema": SCHEMA, **msgspec.to_builtins(found)}
        return escaped_json(msgspec.json.format(msgspec.json.encode(document)).decode()) + "\n"
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: CalibrationAnswer) -> Iterator[str]:
    made = found.calibration
    yield (
        f"{made.measurement_count:,} of {counted(found.record_count, 'figure')},"
        f" {counted(made.probe_count, 'path and set-up', 'paths and set-ups')}, ages counted from"
        f" {made.as_of}"
    )
    yield from _faults(found.faults)
    yield ""
    yield from _latents(found)
    yield ""
    yield from _left_out(found)
    yield ""
    yield from _lessons(found.lessons)


def _faults(faults: Sequence[str]) -> Iterator[str]:
    for fault in faults[:SHOWN_FAULTS]:
        yield f"not used: {inert(fault)}"
    if len(faults) > SHOWN_FAULTS:
        yield f"not used: {len(faults) - SHOWN_FAULTS:,} more (--format json has them all)"


def _latents(found: CalibrationAnswer) -> Iterator[str]:
    """Yield the limits whose factor was told, then those that are only known not to be lower."""
    made = found.calibration
    told = [one for one in made.latents if one.value_count]
    if not told:
        yield "no figure told the factor of any limit"
    head = ("limit", "of", "factor", "range", "before", "told by", "at least")
    yield from _table(
        head if told else (),
        [
            (
                one.name,
                inert(one.key, NAME_LENGTH),
                f"{one.ratio:.3f}",
                f"{one.low_ratio:.3f} to {one.high_ratio:.3f}",
                f"{one.prior_low_ratio:.3f} to {one.prior_high_ratio:.3f}",
                f"{one.value_count:,}",
                f"{one.bound_count:,}",
            )
            for one in told
        ],
    )
    held = [one for one in made.latents if not one.value_count and one.bound_count]
    for one in held:
        count = one.bound_count
        name = f"{one.name} of {inert(one.key, NAME_LENGTH)}"
        yield f"{name}: no lower than {counted(count, 'figure')} showed"
    if made.pairs:
        odd = sum(abs(pair.ratio - 1) > ODD_RATIO for pair in made.pairs)
        keys = {pair.key for pair in made.pairs}
        pairs = counted(len(keys), "pair of places", "pairs of places")
        yield f"{pairs}; {odd:,} of their limits differ by more than 5 % from the others'"


def _left_out(found: CalibrationAnswer) -> Iterator[str]:
    if not found.left_out:
        yield "one pair of places only: none could be left out to see what the calibration is worth"
        return
    inside = f"in {found.level:.0%}"
    head = ("left out", "figures", "error before", "P90", inside, "error after", "P90", inside)
    # Of one class only, all of them are the class.
    shown = found.left_out if len(found.left_out) > 2 else found.left_out[:1]
    yield from _table(head, [_score(one) for one in shown])
    for one in found.left_out[1:]:
        grows = one.median_error_ratio > one.plain_median_error_ratio + WORSE_BY
        if grows or one.coverage_ratio < one.plain_coverage_ratio - FEWER_BY:
            what = "the error grows" if grows else "fewer lie inside their intervals"
            yield (
                f"{inert(one.group, 60)}: {what}: these measurements disagree (other days, images"
                " or tools); calibrate by those that are like what you want to know"
            )


def _score(one: LeftOut) -> tuple[str, ...]:
    return (
        inert(one.group, 60) or "all",
        f"{one.measurement_count:,}",
        _percent(one.plain_median_error_ratio),
        _percent(one.plain_p90_error_ratio),
        _percent(one.plain_coverage_ratio),
        _percent(one.median_error_ratio),
        _percent(one.p90_error_ratio),
        _percent(one.coverage_ratio),
    )


def _lessons(lessons: Sequence[Lesson]) -> Iterator[str]:
    farthest = sorted(lessons, key=lambda one: -abs(math.log(one.gbps / one.plain_gbps)))
    for one in farthest[:SHOWN_LESSONS]:
        streams = f", {counted(one.streams, 'stream')}" if one.streams else ""
        yield (
            f"{inert(one.path)}{streams}, {one.day}: {one.gbps:.3g} Gbit/s; without probes"
            f" {one.plain_gbps:.3g}, with them {one.calibrated_gbps:.3g}"
        )
        if not one.is_believed:
            yield "  not believed: no limit explains it; it counts for its own pair of places only"
        if one.told:
            yield f"  told: {', '.join(one.told)}"
        if one.at_least:
            yield f"  at least: {', '.join(one.at_least)}"
    if len(lessons) > SHOWN_LESSONS:
        rest = len(lessons) - SHOWN_LESSONS
        yield f"{rest:,} more, nearer to what was predicted (--format json has them)"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows) if head else ():
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip()


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f}%"
