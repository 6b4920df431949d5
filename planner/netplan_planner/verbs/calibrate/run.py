"""`netplan calibrate`: from files of measurements to a calibration, and what it is worth."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.throughput.calibration.learning.calibration import fitted
from netplan_planner.throughput.calibration.learning.left_out import left_out
from netplan_planner.throughput.calibration.learning.measured_runs import reasons
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.units import counted
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.calibrate.answer import CalibrationReport
from netplan_planner.verbs.calibrate.ask import CalibrateAsk
from netplan_planner.verbs.calibrate.rows import ProbeRows, read_probe_rows
from netplan_planner.world.calibration import write_calibration

_SHOWN_FAULTS = 3
_EPOCH = np.datetime64(0, "D")


@verb(panel=panels.MEASURE, question="What do my measurements teach the model?", ends=always_well)
def calibrate(ask: CalibrateAsk, now: Now) -> CalibrationReport:
    """Fit the model to measurements, and show what changes and how much the accuracy improves.

    The limit that a measurement reached is fitted to it; every other limit is at least that high.
    A measurement of 90 days ago counts half; for its own pair of places, one of 30 days. Errors
    before and after are tested on measurements that the fit did not use. The same measurements
    give the same file, in any order.
    """
    found = calibrate_files(ask.measurements, as_of=ask.as_of, today=now.today)
    write_calibration(ask.out, found.calibration)
    return found


def calibrate_files(
    paths: Sequence[Path], *, as_of: date | None, today: date, level: float = 0.9
) -> CalibrationReport:
    """Return what the measurements of some files teach.

    Figures without a date get that of the newest one, so that the same files teach the same on any
    day.

    Args:
        paths: Stores of probes, and tables of figures; one that is named twice counts once.
        as_of: Ages are counted from this day; None takes the newest measurement's.
        today: Figures of later days are left out.
        level: Of the intervals whose coverage is shown.

    Raises:
        InputError: If a file cannot be read, or no figure of any is one to learn from.
        UsageError: If no figure has a date and `as_of` is not given.
    """
    once = tuple(dict.fromkeys(paths))
    rows = read_probe_rows(once, as_of=as_of or today)
    day = as_of or _newest(rows, today)
    if rows.is_undated.any() and day != (as_of or today):
        rows = read_probe_rows(once, as_of=day)
    why = reasons(rows.measured)
    late = (np.datetime64(today, "D") - _EPOCH).astype(np.int64)
    why = np.where((why == "") & (rows.measured.days > late), "dated after today", why)
    faults = (*rows.faults, *_counted_reasons(why))
    measured = rows.measured.rows(np.flatnonzero(why == ""))
    if not len(measured.gbps):
        raise InputError(_nothing(once, faults))
    found = fitted(measured, as_of=day)
    return CalibrationReport(
        calibration=found.calibration,
        record_count=rows.record_count,
        level=level,
        left_out=left_out(measured, as_of=day, factors=factors_at(level)),
        lessons=found.lessons,
        faults=faults,
    )


def _newest(rows: ProbeRows, today: date) -> date:
    """Return the newest day of the figures that have one, up to today."""
    days = rows.measured.days[~rows.is_undated]
    days = days[days <= (np.datetime64(today, "D") - _EPOCH).astype(np.int64)]
    if len(days):
        newest: date = np.datetime64(int(days.max()), "D").astype(date)
        return newest
    if rows.is_undated.any():
        raise UsageError("the measurements have no date: state their day with --as-of")
    return today


def _counted_reasons(why: NDArray[np.str_]) -> Iterator[str]:
    """Yield each reason with the number of figures that it leaves out, the most frequent first."""
    texts, counts = np.unique(why[why != ""], return_counts=True)
    for at in np.lexsort((texts, -counts)):
        yield f"{counted(int(counts[at]), 'figure')}: {texts[at]}"


def _nothing(paths: Sequence[Path], faults: Sequence[str]) -> str:
    shown = ", ".join(inert_line(str(path)) for path in paths)
    why = f" ({'; '.join(faults[-_SHOWN_FAULTS:])})" if faults else ""
    return (
        f"{shown}: no usable measurement{why}. It needs a rate above 0, the sender's machine "
        "type, the path class, and both places or the round-trip time. `netplan probe import` "
        "takes --src-type, --path, --src-place and --dst-place"
    )
