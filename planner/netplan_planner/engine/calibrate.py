"""`netplan calibrate`: from files of measurements to a calibration, and what it is worth."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np

from netplan_planner.engine.probe_rows import read_probe_rows
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.model import Calibration, Value
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.learning.calibration import Lesson, fitted
from netplan_planner.throughput.learning.left_out import LeftOut, left_out
from netplan_planner.throughput.learning.measured_runs import usable


class CalibrationAnswer(Value, frozen=True, kw_only=True):
    """A calibration, what each probe taught, and the error on probes left out."""

    calibration: Calibration
    record_count: int
    """Figures in the files; those that are not among the calibration's taught nothing."""
    level: float
    left_out: tuple[LeftOut, ...]
    """On all, then by class; empty where there is one pair of places only."""
    lessons: tuple[Lesson, ...]
    faults: tuple[str, ...]
    """Records that could not be used, with file or source and reason."""


def calibrate_files(
    paths: Sequence[Path], *, as_of: date | None, today: date, level: float = 0.9
) -> CalibrationAnswer:
    """Return what the measurements of some files teach.

    Args:
        paths: Stores of probes, and tables of figures.
        as_of: Ages are counted from this day; None takes the newest measurement's.
        today: The day of figures without a date.
        level: Of the intervals whose coverage is shown.

    Raises:
        InputError: If a file cannot be read, or no figure of any is one to learn from.
    """
    rows = read_probe_rows(tuple(dict.fromkeys(paths)), as_of=as_of or today)
    kept = usable(rows.measured)
    if not len(kept):
        shown = ", ".join(inert_line(str(path)) for path in paths)
        why = f" ({rows.faults[0]})" if rows.faults else ""
        raise InputError(
            f"{shown}: no figure above 0 of a path whose limits netplan knows{why};"
            " it needs the sender's machine type, the path class and both places or the round-trip"
            " time; `netplan probe import` takes --src-type, --path, --src-place and --dst-place"
        )
    measured = rows.measured.rows(kept)
    newest = np.datetime64(int(measured.days.max()), "D").astype(date)
    day = as_of or newest
    found = fitted(measured, as_of=day)
    return CalibrationAnswer(
        calibration=found.calibration,
        record_count=rows.record_count,
        level=level,
        left_out=left_out(measured, as_of=day, factors=factors_at(level)),
        lessons=found.lessons,
        faults=rows.faults,
    )
