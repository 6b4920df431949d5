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
            "Measurements to use: stores of `netplan probe` (JSON lines), or tables (CSV, "
            "Parquet) with the columns of docs/reference/verbs/predict.md and value.",
            is_argument=True,
        ),
    ]
    out: Annotated[
        Path,
        Ask(
            "Write the calibration to this file. Other verbs use it with --calibration.",
            metavar="FILE",
            panel=OUTPUT,
        ),
        WRITTEN,
    ]
    as_of: Annotated[
        Day | None,
        Ask(
            "Count the age of measurements from this day. Default: the newest one.",
            formats=DATE_FORMATS,
        ),
    ] = None
