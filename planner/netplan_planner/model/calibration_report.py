"""What `netplan calibrate` answers: what probes taught, and what that is worth."""

from datetime import date

from netplan_planner.model.base import Value
from netplan_planner.model.calibration import Calibration


class Lesson(Value, frozen=True, kw_only=True):
    """What one probe taught: a path and set-up, with the figure of its median run."""

    path: str
    """The pair of places, or the class where they are not known."""
    day: date
    streams: int | None
    run_count: int
    gbps: float
    plain_gbps: float
    """Of the model without probes."""
    calibrated_gbps: float
    """With all that was learnt, also of this very pair."""
    is_believed: bool
    """Whether it taught anything of what paths share: no factor explains one that is not."""
    told: tuple[str, ...]
    """Limits whose factor the figure told."""
    at_least: tuple[str, ...]
    """Limits of which it only said "at least"."""


class LeftOut(Value, frozen=True, kw_only=True):
    """Errors on probes left out, without and with the others' calibration. Ratios."""

    group: str
    """The class of path and who receives; empty for all."""
    measurement_count: int
    plain_median_error_ratio: float
    median_error_ratio: float
    plain_p90_error_ratio: float
    p90_error_ratio: float
    plain_coverage_ratio: float
    coverage_ratio: float


class CalibrationReport(Value, frozen=True, kw_only=True):
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
