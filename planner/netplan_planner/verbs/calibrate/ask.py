"""What `netplan calibrate` is asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import OUTPUT, WRITTEN, Ask, Day, Request
from netplan_planner.planning.inputs import DATE_FORMATS


class CalibrateAsk(Request, frozen=True, kw_only=True):
    """Which measurements to learn from."""

    measurements: Annotated[
        list[Path],
        Ask(
            "Stores of `netplan probe` (JSON lines), and tables in the columns of"
            " docs/predict.md with value (CSV, Parquet).",
            is_argument=True,
        ),
    ]
    out: Annotated[
        Path,
        Ask(
            "Write the calibration here, for --calibration of other verbs.",
            metavar="FILE",
            panel=OUTPUT,
        ),
        WRITTEN,
    ]
    as_of: Annotated[
        Day | None,
        Ask(
            "Count ages of measurements from this day (default: the newest one).",
            formats=DATE_FORMATS,
        ),
    ] = None
