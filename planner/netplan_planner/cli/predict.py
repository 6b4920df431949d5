"""`netplan predict`: the throughput of one path, or of a table of paths."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import ANSWER, INPUT, OUTPUT
from netplan_planner.cli import answers
from netplan_planner.cli.app import EXIT_FINDINGS, app, note, progress
from netplan_planner.cli.bundles import verbosity
from netplan_planner.cli.one_path import OnePath
from netplan_planner.cli.parameters import Parameters, given_in, spelling, taking
from netplan_planner.cli.price.shared import tell_unused
from netplan_planner.engine.predict import PredictRequest, predict_asked
from netplan_planner.engine.predicted_rows import TableRequest, table_outputs, write_predictions
from netplan_planner.errors import UsageError
from netplan_planner.model import Prediction
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import Input, IntervalLevel, request_of
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs import panels


class Written(Parameters, frozen=True, kw_only=True):
    """How the prediction is told."""

    level: IntervalLevel = 0.9
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            "-v",
            help="Every limit with its source, and the arithmetic.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT[:PATH]",
            help="text, json, csv, md or html, to a file where a path is given; repeat it. Of a"
            " table (--batch): csv, json or parquet:PATH.",
            rich_help_panel=OUTPUT,
        ),
        ANSWER,
    ] = None
    former_format: answers.FormerFormat = None


class Predict(Parameters, frozen=True, kw_only=True):
    """One path, or a table of them, and what the prediction rests on."""

    path: OnePath = OnePath()
    batch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of paths instead, CSV or Parquet (docs/predict.md).",
            rich_help_panel=INPUT,
        ),
    ] = None
    together: Annotated[
        bool,
        typer.Option(
            "--together",
            help="All rows of the table run at once, between the machines src and dst: adds"
            " shared_gbps and shared_limit.",
            rich_help_panel=INPUT,
        ),
    ] = False
    given: Input = Input()
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    as_of: AsOf = None
    written: Written = Written()


@app.command(rich_help_panel=panels.PLAN)
@taking
def predict(asked: Predict, ctx: typer.Context) -> None:
    """Predict Gbit/s with an interval, the limit that binds, and what would lift it.

    Two machines of an input by name, two machine types (in one zone unless --path or the places
    say otherwise), or a table of paths. From documented caps, TCP and what published measurements
    show; with a date, under the limits of that day. A transfer (--bytes) has its time and cost.
    """
    if asked.batch is not None:
        for name in (*given_in(asked.path), *given_in(asked.given)):
            raise UsageError(f"--batch has its own paths: leave out {spelling(ctx, name)}")
        write_predictions(_table(asked, asked.batch), note)
        return
    if asked.together:
        raise UsageError("--together is for a table of flows: give one with --batch")
    specs = answers.specs_of(asked.written.output, asked.written.former_format)
    found = predict_asked(_request(asked), progress, tell_unused)
    explained = RenderOptions(verbosity=verbosity(asked.written.explain))
    answers.write(found, specs, explained)
    if isinstance(found, Prediction) and found.is_unknown:
        raise typer.Exit(EXIT_FINDINGS)


def _table(asked: Predict, batch: Path) -> TableRequest:
    return TableRequest(
        batch=batch,
        as_of=asked.as_of or date.today(),
        level=asked.written.level,
        calibration=asked.calibration,
        is_together=asked.together,
        outputs=table_outputs(asked.written.output or (), asked.written.former_format),
    )


def _request(asked: Predict) -> PredictRequest:
    return PredictRequest(
        src=asked.path.ends.src,
        dst=asked.path.ends.dst,
        path=asked.path.question(),
        pods=asked.path.pod_words(),
        service=asked.path.service_words(),
        level=asked.written.level,
        inputs=request_of(asked),
    )
