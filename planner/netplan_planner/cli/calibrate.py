"""`netplan calibrate`: fit the model to measurements."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import OUTPUT, WRITTEN, Ask
from netplan_planner.cli import answers
from netplan_planner.cli.app import app
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.planning.inputs import DATE_FORMATS
from netplan_planner.quantities import Day
from netplan_planner.verbs import panels
from netplan_planner.verbs.calibrate.run import calibrate_files
from netplan_planner.world.calibration import write_calibration


class Calibrate(Parameters, frozen=True, kw_only=True):
    """Which measurements to learn from."""

    measurements: Annotated[
        list[Path],
        typer.Argument(
            help="Stores of `netplan probe` (JSON lines), and tables in the columns of"
            " docs/predict.md with value (CSV, Parquet).",
            show_default=False,
        ),
    ]
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="Write the calibration here, for --calibration of other verbs.",
            show_default=False,
            rich_help_panel=OUTPUT,
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
    answer: answers.Output = answers.Output()


@app.command(rich_help_panel=panels.MEASURE)
@taking
def calibrate(asked: Calibrate) -> None:
    """Fit the model to measurements, and say what they taught and what that is worth.

    The limit that bound a measurement is told by its figure; every other limit learns "at least
    this". One of 90 days ago counts for half, and for its own pair of places one of 30. The errors
    before and after are on measurements that were left out. The same measurements give the same
    file, in whatever order.
    """
    specs = asked.answer.specs()
    found = calibrate_files(asked.measurements, as_of=asked.as_of, today=date.today())
    write_calibration(asked.out, found.calibration)
    answers.write(found, specs)
