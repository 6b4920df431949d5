"""`netplan graph`: who sends how much to whom."""

from typing import Annotated

import typer

from netplan_planner.asks import ANSWER, CHOICE, OUTPUT
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import app, progress
from netplan_planner.cli.bundles import Look
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.state import state
from netplan_planner.engine.graph import traffic_graph
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.request import ApiOptions
from netplan_planner.model.traffic_graph import EdgeWeight, GraphLevel
from netplan_planner.planning.inputs import AsOf, PriceInput
from netplan_planner.planning.project import FlowReading, Input, Today, request_of
from netplan_planner.renderers import RenderOptions, any_of
from netplan_planner.renderers.output import renderers_of
from netplan_planner.verbs import panels

_FORMATS = tuple(renderers_of("TrafficGraph"))


class Drawn(Parameters, frozen=True, kw_only=True):
    """What the graph shows."""

    level: Annotated[
        GraphLevel,
        typer.Option(
            help="What own machines are taken together by; service: label netplan-role, service or"
            " app, else the instance group.",
            rich_help_panel=CHOICE,
        ),
    ] = GraphLevel.ZONE
    edges: Annotated[
        EdgeWeight,
        typer.Option(
            help="What edges rank by, and how wide they are drawn; rate: against the sender's cap.",
            rich_help_panel=CHOICE,
        ),
    ] = EdgeWeight.BYTES
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="COUNT",
            help="Only the greatest edges, the rest summed up (default: 40 in pictures, 20 in"
            " texts, all in data).",
            rich_help_panel=CHOICE,
        ),
    ] = None


class Graph(Parameters, frozen=True, kw_only=True):
    """Which traffic to draw, and how."""

    given: Input = Input()
    drawn: Drawn = Drawn()
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: AsOf = None
    today: Today = None
    reading: FlowReading = FlowReading()
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT[:PATH]",
            help=f"{any_of(_FORMATS)}; repeat it for several at once.",
            rich_help_panel=OUTPUT,
        ),
        ANSWER,
    ] = None
    look: Look = Look()
    api: ApiOptions = ApiOptions()


@app.command(rich_help_panel=panels.AUDIT)
@taking
def graph(asked: Graph) -> None:
    """Draw the traffic graph of machines, groups, services, zones or regions."""
    specs = answers.specs_of(asked.output, None, formats=_FORMATS)
    shown_in = currency_in(asked.given.prices(asked.pricing), asked.currency)
    request = request_of(asked)
    drawn = asked.drawn
    found = traffic_graph(
        request, level=drawn.level, weight=drawn.edges, top_count=drawn.top, say=progress
    )
    look = RenderOptions(
        currency=shown_in,
        width=asked.look.width,
        colour=asked.look.color,
        verbosity=int(state.explain),
    )
    answers.write(found, specs, look)
