"""`netplan fleet`: machine types for a whole fleet, together with the commitments that pay."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from netplan_planner.cli import answers, options, panels
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import (
    Api,
    FlowReading,
    Input,
    Look,
    MetricsInput,
    PriceInput,
    request_of,
    verbosity,
)
from netplan_planner.cli.options import CHOICE, OUTPUT
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.fleet.plan import fleet_of
from netplan_planner.engine.fleet.request import TERMS, FleetRequest, move_price, quota
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.errors import UsageError
from netplan_planner.model import CommitmentChoice, CommitmentScope, MoveKind
from netplan_planner.renderers import RenderOptions

PAYMENT, MOVES = "How it is paid", "What a move costs"


class Architecture(StrEnum):
    """Processor families, by the names that people use."""

    X86 = "x86"
    ARM = "arm"
    ANY = "any"


_ARCHITECTURES = {Architecture.X86: "X86_64", Architecture.ARM: "ARM64"}
"""As the Compute API names them."""


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
    commitments: Annotated[
        CommitmentChoice,
        typer.Option(
            help="Which commitments may be bought: none, resource, flexible or all.",
            rich_help_panel=PAYMENT,
        ),
    ] = CommitmentChoice.ALL
    years: Annotated[
        list[str] | None,
        typer.Option(
            metavar="1|3",
            help="Only terms of so many years; commas or repeated (default: both).",
            rich_help_panel=PAYMENT,
        ),
    ] = None
    commitment_scope: options.WhichSharing = CommitmentScope.UNKNOWN
    headroom: Annotated[
        float,
        typer.Option(
            min=0, max=0.99, help="Share of the cap that stays free.", rich_help_panel=CHOICE
        ),
    ] = 0.2
    series: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SERIES",
            help="Only these series, such as n2,c3; commas or repeated.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    arch: Annotated[
        Architecture | None,
        typer.Option(
            "--architecture",
            "--arch",
            help="x86 or arm for groups that name none; any: they may change it (default: what"
            " they have; any for new ones).",
            rich_help_panel=CHOICE,
        ),
    ] = None
    quota: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGION/SERIES=VCPUS",
            help="Most vCPUs of a series in a region; repeat it.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    only_sure: Annotated[
        bool,
        typer.Option(
            "--only-sure",
            help="Leave out types of which something has to be looked at before a machine can"
            " become them.",
            rich_help_panel=MOVES,
        ),
    ] = False
    move_price: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=USD",
            help="Dollars a month that such a move of one machine must be worth: restart,"
            " architecture, local-ssd, gpu, licence or check; repeat it (default: 0).",
            rich_help_panel=MOVES,
        ),
    ] = None
    calibration: options.Calibration = None
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: options.AsOf = None
    metrics: MetricsInput = MetricsInput()
    reading: FlowReading = FlowReading()
    api: Api = Api()
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
    answer: answers.Output = answers.Output()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def fleet(asked: Fleet) -> None:
    """Choose the machine types of a fleet together with its commitments, and prove how good it is.

    For every machine, managed group or row of a table a type that carries its traffic, vCPUs and
    memory, so that types and commitments of 1 and 3 years cost the least together. Exit status: 0,
    or 1 when a group has no type.
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
    if not found.is_feasible:
        raise typer.Exit(EXIT_FINDINGS)


def _request(asked: Fleet) -> FleetRequest:
    read = msgspec.structs.replace(
        request_of(asked.given, asked.pricing, as_of=asked.as_of, calibration=asked.calibration),
        commitment_scope=asked.commitment_scope,
        api=asked.api.options(),
        traffic_options=asked.reading.options(),
        log_options=asked.reading.log_options(),
    )
    return FleetRequest(
        read=asked.metrics.added_to(read, asked.given.bundle),
        needs=asked.needs,
        commitments=asked.commitments,
        years=_years(asked.years),
        headroom_ratio=asked.headroom,
        series=options.names(asked.series),
        architecture=_ARCHITECTURES.get(asked.arch) if asked.arch is not None else None,
        any_architecture=asked.arch is Architecture.ANY,
        move_usd=tuple(_move_prices(asked.move_price or ())),
        is_sure=asked.only_sure,
        quotas=tuple(quota(one) for one in asked.quota or ()),
    )


def _years(stated: list[str] | None) -> tuple[int, ...]:
    """Return the terms that are allowed.

    Raises:
        UsageError: If one is not sold.
    """
    found = options.names(stated)
    for one in found:
        if one not in {str(years) for years in TERMS}:
            raise UsageError(f"--years {one!r}: commitments are for 1 or 3 years")
    return tuple(sorted({int(one) for one in found})) or TERMS


def _move_prices(stated: Sequence[str]) -> Iterator[tuple[MoveKind, Decimal]]:
    for one in stated:
        kind, equals, amount = one.partition("=")
        if not equals:
            raise UsageError(f"--move-price {one!r} is not KIND=USD, such as restart=5")
        yield move_price(kind, options.usd("--move-price", amount) or Decimal(0))
