"""`netplan forecast`: what traffic becomes, when caps are reached, and what paths will cost."""

from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import OUTPUT
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.forecast.answer import forecast_of
from netplan_planner.engine.forecast.request import ForecastRequest, horizon_days
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.request import ApiOptions
from netplan_planner.errors import UsageError
from netplan_planner.model.forecast import CapStatus
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import FlowReading, Input, MetricsInput, request_of
from netplan_planner.renderers import RenderOptions
from netplan_planner.verbs import panels

AHEAD = "How far, and how sure"
_ACT = frozenset({CapStatus.THERE, CapStatus.WITHIN})


class Forecast(Parameters, frozen=True, kw_only=True):
    """What is forecast, how far, and how sure."""

    series_file: Annotated[
        Path | None,
        typer.Option(
            "--series",
            metavar="FILE",
            help="A table of series instead of an inventory: name, time, gbps or gib of each bin,"
            " and more (docs/forecast.md).",
        ),
    ] = None
    given: Input = Input()
    horizon: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="How far ahead, such as 13w or 30d.", rich_help_panel=AHEAD
        ),
    ] = "13w"
    level: Annotated[
        float,
        typer.Option(
            min=0.5, max=0.99, help="Share of futures that intervals hold.", rich_help_panel=AHEAD
        ),
    ] = 0.9
    headroom: Annotated[
        float,
        typer.Option(
            min=0,
            max=0.99,
            help="Share of the cap that stays free; less is reached.",
            rich_help_panel=AHEAD,
        ),
    ] = 0.1
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: AsOf = None
    metrics: MetricsInput = MetricsInput()
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()
    top: Annotated[int, typer.Option(min=0, help="Rows of a table; 0: all.")] = 10
    verbose: Annotated[
        int,
        typer.Option(
            "--explain",
            "--verbose",
            "-v",
            count=True,
            help="Print every machine, and what the bill is made of.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    answer: answers.PlanOutput = answers.PlanOutput()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def forecast(asked: Forecast) -> None:
    """Say when machines reach their caps and what traffic will cost, with intervals that hold.

    From the traffic of an inventory by hour, or a table of series: growth, week, gaps and steps as
    far as the window shows them. Exit status: 0, or 1 when a machine is at its cap or more likely
    than not gets there.
    """
    specs = asked.answer.specs()
    if asked.series_file is None and not asked.given.is_given:
        raise UsageError(
            "no traffic is given: name a table of series (--series FILE), or an inventory with its"
            " traffic (--inventory DIR --traffic FILE)"
        )
    found = forecast_of(_request(asked), progress)
    answers.write(
        found,
        specs,
        RenderOptions(
            width=asked.look.width,
            colour=asked.look.color,
            verbosity=verbosity(asked.verbose),
            max_rows=asked.top,
            currency=currency_in(asked.given.prices(asked.pricing), asked.currency),
        ),
    )
    if any(one.status in _ACT for one in found.machines):
        raise typer.Exit(EXIT_FINDINGS)


def _request(asked: Forecast) -> ForecastRequest:
    return ForecastRequest(
        read=request_of(asked),
        series=asked.series_file,
        horizon_days=horizon_days(asked.horizon),
        level=asked.level,
        headroom_ratio=asked.headroom,
    )
