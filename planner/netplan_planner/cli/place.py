"""`netplan place`: zones for machines at least cost of traffic."""

from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import CHOICE, INPUT, OUTPUT
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.place.asked import PlaceRequest
from netplan_planner.engine.place.plan import plan_places
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.request import ApiOptions
from netplan_planner.errors import UsageError
from netplan_planner.planning.inputs import PriceInput
from netplan_planner.planning.project import FlowReading, Input, Today, request_of
from netplan_planner.renderers import RenderOptions
from netplan_planner.verbs import panels


class Tables(Parameters, frozen=True, kw_only=True):
    """Machines and traffic of one's own."""

    vms: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of machines instead of an inventory: name, zone, region, vcpus, group,"
            " is_spread, is_pinned, machine_type (docs/place.md).",
            rich_help_panel=INPUT,
        ),
    ] = None
    edges: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of their traffic: src, dst, gib_per_month, max_rtt_ms.",
            rich_help_panel=INPUT,
        ),
    ] = None
    zones: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of the zones where they may stand: zone, capacity_vcpus.",
            rich_help_panel=INPUT,
        ),
    ] = None


class Limits(Parameters, frozen=True, kw_only=True):
    """What moves are considered."""

    least_saving: Annotated[
        float | None,
        typer.Option(
            metavar="USD",
            min=0,
            help="The stop line: what a move has to save a month (default: 20, as the rule"
            " chatty-inter-zone-pair).",
            rich_help_panel=CHOICE,
        ),
    ] = None
    zone_growth: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT",
            help="How much more vCPUs than today a zone may hold, where no table says (default: 25%"
            " of an inventory; tables: no limit).",
            rich_help_panel=CHOICE,
        ),
    ] = None
    between_regions: Annotated[
        bool | None,
        typer.Option(
            "--between-regions/--within-regions",
            help="Whether machines of tables may leave their region (default: where --zones names"
            " others).",
            rich_help_panel=CHOICE,
        ),
    ] = None


class Place(Parameters, frozen=True, kw_only=True):
    """Which machines, and where they may go."""

    given: Input = Input()
    tables: Tables = Tables()
    limits: Limits = Limits()
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    today: Today = None
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()
    verbose: Annotated[
        int,
        typer.Option(
            "--explain",
            "--verbose",
            "-v",
            count=True,
            help="Every move, bill and command.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    answer: answers.PlanOutput = answers.PlanOutput()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def place(asked: Place) -> None:
    """Choose zones for machines at least cost of traffic, and rank the moves by saving.

    Capacity of zones, groups that stay spread, pins and round trips are kept. Prints commands;
    changes nothing. Exit status: 0, or 1 when no placement keeps every constraint.
    """
    specs = asked.answer.specs()
    shown_in = currency_in(asked.given.prices(asked.pricing), asked.currency)
    request = request_of(asked)
    wanted = PlaceRequest(
        vms=asked.tables.vms,
        edges=asked.tables.edges,
        zones=asked.tables.zones,
        least_saving_usd=asked.limits.least_saving,
        zone_growth_ratio=_ratio(asked.limits.zone_growth),
        between_regions=asked.limits.between_regions,
    )
    found = plan_places(request, wanted, progress)
    look = RenderOptions(
        currency=shown_in,
        width=asked.look.width,
        colour=asked.look.color,
        verbosity=verbosity(asked.verbose),
    )
    answers.write(found, specs, look)
    if found.infeasible:
        raise typer.Exit(EXIT_FINDINGS)


def _ratio(text: str | None) -> float | None:
    """Return a percentage as a ratio of 0 or more.

    Raises:
        UsageError: If it is none.
    """
    if text is None:
        return None
    number, sign, rest = text.strip().partition("%")
    try:
        ratio = float(number) / 100
    except ValueError:
        ratio = -1.0
    if not sign or rest or not 0 <= ratio < float("inf"):
        raise UsageError("--zone-growth takes a percentage of 0% or more, such as 25%")
    return ratio
