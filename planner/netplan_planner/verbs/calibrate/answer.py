"""What `netplan calibrate` answers: what probes taught, and what that is worth."""

from netplan_planner.model.base import Value
from netplan_planner.model.calibration import Calibration, LeftOut, Lesson


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
