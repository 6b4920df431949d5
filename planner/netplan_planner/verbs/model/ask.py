"""What the commands of `netplan model` are asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import INPUT, OUTPUT, WRITTEN, Ask, Paths, Request
from netplan_planner.planning.inputs import AsOf, PriceInput
from netplan_planner.planning.project import IntervalLevel


class EvaluateAsk(Request, frozen=True, kw_only=True):
    """Which measurements to score the model on, and how."""

    file: Annotated[
        Path,
        Ask(
            "Measurements as CSV or Parquet, with the columns of "
            "docs/reference/verbs/predict.md and value.",
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
            "Plot predicted against measured, as .svg or .png (needs matplotlib).",
            metavar="FILE",
            panel=OUTPUT,
        ),
        WRITTEN,
    ] = None


class AtlasAsk(Request, frozen=True, kw_only=True):
    """Which measurements stand in the atlas, and which machines the model is asked about."""

    measurements: Annotated[
        Paths,
        Ask(
            "Measurements: CSV or Parquet with the columns of docs/reference/verbs/predict.md "
            "and value, or a store of `netplan probe`. Repeat for more.",
            "--measurements",
            metavar="FILE",
            panel=INPUT,
        ),
    ] = ()
    machine_type: Annotated[str, Ask("Machine type at both ends.")] = "n2-standard-32"
    streams: Annotated[int, Ask("Parallel connections.", least=1)] = 64
    pricing: PriceInput = PriceInput()
    as_of: AsOf = None
    level: IntervalLevel = 0.9
    """Share of cases in the interval."""
