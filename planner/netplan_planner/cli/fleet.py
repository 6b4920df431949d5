"""`netplan fleet`: machine types for a whole fleet, together with the commitments that pay."""

from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import OUTPUT
from netplan_planner.choices import Architecture
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.fleet_parts import Choosing, Moving, Paying
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.fleet.plan import fleet_of
from netplan_planner.engine.fleet.request import FleetRequest, quota
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.request import ApiOptions
from netplan_planner.errors import UsageError
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import (
    FlowReading,
    Input,
    MetricsInput,
    StrictReading,
    request_of,
)
from netplan_planner.quantities import names
from netplan_planner.renderers import RenderOptions
from netplan_planner.verbs import panels


class Fleet(Parameters, frozen=True, kw_only=True):
    """What is planned, and what it is held against."""

    needs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of groups instead of an inventory: name, zone, count, gbps, vcpus,"
            " memory_gib, and more (docs/fleet.md).",
        ),
    ] = None
    given: Input = Input()
    paying: Paying = Paying()
    choosing: Choosing = Choosing()
    moving: Moving = Moving()
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: AsOf = None
    metrics: MetricsInput = MetricsInput()
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()
    top: Annotated[int, typer.Option(min=0, help="Rows of a table; 0: all.")] = 20
    verbose: Annotated[
        int,
        typer.Option(
            "--explain",
            "--verbose",
            "-v",
            count=True,
            help="Print every row, and what the bill is made of.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    strict: StrictReading = False
    answer: answers.PlanOutput = answers.PlanOutput()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def fleet(asked: Fleet) -> None:
    """Choose the machine types of a fleet together with its commitments, and prove how good it is.

    For every machine, managed group or row of a table a type that carries its traffic, vCPUs and
    memory, so that types and commitments of 1 and 3 years cost the least together. Exit status: 0,
    1 when a group has no type, 4 incomplete and --strict.
    """
    specs = asked.answer.specs()
    if asked.needs is None and not asked.given.is_given:
        raise UsageError(
            "no fleet is given: name a table of needs (--needs FILE), or an inventory with its"
            " traffic (--inventory DIR --traffic FILE)"
        )
    found = fleet_of(_request(asked), progress)
    shown_in = currency_in(asked.given.prices(asked.pricing), asked.currency)
    answers.write(
        found,
        specs,
        RenderOptions(
            width=asked.look.width,
            colour=asked.look.color,
            verbosity=verbosity(asked.verbose),
            max_rows=asked.top,
            currency=shown_in,
        ),
    )
    if asked.strict:
        answers.refuse_incomplete("the plan is", found.incomplete)
    if not found.is_feasible:
        raise typer.Exit(EXIT_FINDINGS)


def _request(asked: Fleet) -> FleetRequest:
    read = request_of(asked, commitment_scope=asked.paying.commitment_scope)
    arch = asked.choosing.arch
    return FleetRequest(
        read=read,
        needs=asked.needs,
        commitments=asked.paying.commitments,
        years=asked.paying.terms(),
        headroom_ratio=asked.choosing.headroom,
        series=names(asked.choosing.series),
        architecture=arch.as_the_api_names_it if arch is not None else None,
        any_architecture=arch is Architecture.ANY,
        move_usd=tuple(asked.moving.prices()),
        is_sure=asked.moving.only_sure,
        quotas=tuple(quota(one) for one in asked.choosing.quota or ()),
    )
