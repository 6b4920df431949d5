"""`netplan model evaluate`: the model against measurements, beside caps and a look-up table."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import OUTPUT, WRITTEN
from netplan_planner.cli import answers
from netplan_planner.cli.app import app
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.state import state
from netplan_planner.inert import inert_line
from netplan_planner.planning.inputs import AsOf
from netplan_planner.planning.project import IntervalLevel
from netplan_planner.verbs import panels
from netplan_planner.verbs.model.run import EvaluationRequest, evaluation_of
from netplan_planner.verbs.model.scatter import write_scatter

model_app = typer.Typer(help="How good the throughput model is.", no_args_is_help=True)
app.add_typer(model_app, name="model", rich_help_panel=panels.MEASURE)


class Evaluate(Parameters, frozen=True, kw_only=True):
    """Which measurements to score the model on, and how."""

    file: Annotated[
        Path,
        typer.Argument(
            help="Measurements, CSV or Parquet, in the columns of docs/predict.md with value."
        ),
    ]
    as_of: AsOf = None
    level: IntervalLevel = 0.9
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-out",
            help="Fit the intervals of each source on the other sources of this file.",
        ),
    ] = False
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Predicted against measured, as .svg or .png (needs matplotlib).",
            rich_help_panel=OUTPUT,
        ),
        WRITTEN,
    ] = None
    answer: answers.Output = answers.Output()


@model_app.command()
@taking
def evaluate(asked: Evaluate) -> None:
    """Score the model on measurements: error, interval coverage and score, by group.

    Beside it stand two rivals: the documented caps alone, and what the newest earlier source of the
    same file measured on the same pair. Rows whose limits netplan cannot know are counted, not
    guessed.
    """
    specs = asked.answer.specs()
    request = EvaluationRequest(
        file=asked.file,
        as_of=asked.as_of or date.today(),
        level=asked.level,
        leaves_out=asked.leave_out,
    )
    found = evaluation_of(request)
    if found.refused and not state.quiet:
        rows = f"note: rows that are refused, among them {'; '.join(found.refused)}"
        typer.echo(inert_line(rows), err=True)
    if asked.plot is not None:
        write_scatter(asked.plot, found)
    answers.write(found, specs)
