"""`netplan predict`: the throughput of one path, or of a table of paths."""

from datetime import date
from typing import Annotated

import typer

from netplan_planner.asks import ANSWER, OUTPUT, given_options
from netplan_planner.cli import answers
from netplan_planner.cli.app import EXIT_FINDINGS, app, note, progress
from netplan_planner.cli.bundles import verbosity
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.price.shared import tell_unused
from netplan_planner.errors import UsageError
from netplan_planner.model import Prediction
from netplan_planner.planning.project import request_of
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs import panels
from netplan_planner.verbs.predict.ask import PredictAsk
from netplan_planner.verbs.predict.run import predict_asked
from netplan_planner.verbs.predict.table_file import table_outputs, write_predictions


class Written(Parameters, frozen=True, kw_only=True):
    """How the prediction is told."""

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
    """What is asked, and how it is told."""

    ask: PredictAsk = PredictAsk()
    written: Written = Written()


@app.command(rich_help_panel=panels.PLAN)
@taking
def predict(asked: Predict) -> None:
    """Predict Gbit/s with an interval, the limit that binds, and what would lift it.

    Two machines of an input by name, two machine types (in one zone unless --path or the places
    say otherwise), or a table of paths. From documented caps, TCP and what published measurements
    show; with a date, under the limits of that day. A transfer (--bytes) has its time and cost.
    """
    ask, written = asked.ask, asked.written
    if ask.batch is not None:
        for part in (ask.path, ask.given):
            for option in given_options(part):
                raise UsageError(f"--batch has its own paths: leave out {option}")
        outputs = table_outputs(written.output or (), written.former_format)
        write_predictions(ask, ask.batch, outputs, date.today(), note)
        return
    if ask.is_together:
        raise UsageError("--together is for a table of flows: give one with --batch")
    specs = answers.specs_of(written.output, written.former_format)
    found = predict_asked(ask.path, request_of(ask), progress, tell_unused, ask.level)
    explained = RenderOptions(verbosity=verbosity(written.explain))
    answers.write(found, specs, explained)
    if isinstance(found, Prediction) and found.is_unknown:
        raise typer.Exit(EXIT_FINDINGS)
