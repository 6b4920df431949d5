"""What `netplan model evaluate` is asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import OUTPUT, WRITTEN, Ask, Request
from netplan_planner.planning.inputs import AsOf
from netplan_planner.planning.project import IntervalLevel


class EvaluateAsk(Request, frozen=True, kw_only=True):
    """Which measurements to score the model on, and how."""

    file: Annotated[
        Path,
        Ask(
            "Measurements, CSV or Parquet, in the columns of docs/predict.md with value.",
            is_argument=True,
        ),
    ]
    as_of: AsOf = None
    level: IntervalLevel = 0.9
    """Share of cases in the interval."""
    leaves_out: Annotated[
        bool,
        Ask("Fit the intervals of each source on the other sources of this file.", "--leave-out"),
    ] = False
    plot: Annotated[
        Path | None,
        Ask(
            "Predicted against measured, as .svg or .png (needs matplotlib).",
            metavar="FILE",
            panel=OUTPUT,
        ),
        WRITTEN,
    ] = None
