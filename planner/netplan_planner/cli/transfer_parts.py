"""What `netplan transfer` is told, in the parts that stand together on its help page."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import CHOICE
from netplan_planner.choices import Architecture
from netplan_planner.cli.parameters import Parameters
from netplan_planner.model.transfer import AddressKind, TransferGoal

MOVED, BOUNDS, WAYS = "What is moved", "Goal and bounds", "Which ways it may take"
GIVEN, PAYMENT = "Other people's networks", "How it is paid"
_LEAST = 1e-6


class Tier(StrEnum):
    """Network tiers, as people write them."""

    PREMIUM = "premium"
    STANDARD = "standard"


class Moved(Parameters, frozen=True, kw_only=True):
    """What is moved, from where to where."""

    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="A region, storage:REGION (a bucket of Cloud Storage), or a place of --grid.",
            rich_help_panel=MOVED,
        ),
    ] = None
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="PLACE",
            help="As --from, or internet; several each get all bytes; commas or repeated.",
            rich_help_panel=MOVED,
        ),
    ] = None
    volume: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="How much, such as 10TB or 10TiB.",
            rich_help_panel=MOVED,
        ),
    ] = None
    area: Annotated[
        str | None,
        typer.Option(
            metavar="AREA",
            help="With --to internet: continent or country, for the price.",
            rich_help_panel=MOVED,
        ),
    ] = None


class Bounds(Parameters, frozen=True, kw_only=True):
    """What is to be least, and what bounds it."""

    goal: Annotated[
        TransferGoal,
        typer.Option(
            help="cost: the cheapest within the deadline; time: the fastest within the budget.",
            rich_help_panel=BOUNDS,
        ),
    ] = TransferGoal.COST
    deadline: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="How long it may take, such as 2h, or until when, such as 2026-12-01T06:00:00Z.",
            rich_help_panel=BOUNDS,
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="USD", help="What it may cost, machines and traffic.", rich_help_panel=BOUNDS
        ),
    ] = None
    start_up: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="From a machine's start until it works, such as 40s: it is paid, too.",
            rich_help_panel=BOUNDS,
        ),
    ] = None
    quota: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGION=GBPS",
            help="What a region's machines may send to other regions (console, Quotas page);"
            " repeat it.",
            rich_help_panel=BOUNDS,
        ),
    ] = None
    internet_quota: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGION=GBPS",
            help="What they may send to addresses outside the VPC; repeat it.",
            rich_help_panel=BOUNDS,
        ),
    ] = None


class Ways(Parameters, frozen=True, kw_only=True):
    """Which ways the bytes may take."""

    relay: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACE",
            help="Only these may pass bytes on, beside targets; commas or repeated (default: any).",
            rich_help_panel=WAYS,
        ),
    ] = None
    no_relays: Annotated[
        bool, typer.Option("--no-relays", help="The direct way alone.", rich_help_panel=WAYS)
    ] = False
    address: Annotated[
        AddressKind,
        typer.Option(help="Between regions: internal or external addresses.", rich_help_panel=WAYS),
    ] = AddressKind.INTERNAL
    network_tier: Annotated[
        Tier, typer.Option(help="To the internet: premium or standard.", rich_help_panel=WAYS)
    ] = Tier.PREMIUM
    streams: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Connections of one machine (default: as many as it takes).",
            rich_help_panel=WAYS,
        ),
    ] = None
    machine_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What one machine moves each way at most, where you measured it: disk, tool.",
            rich_help_panel=WAYS,
        ),
    ] = None
    storage_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What one machine exchanges with Cloud Storage, where you measured it.",
            rich_help_panel=WAYS,
        ),
    ] = None


class Given(Parameters, frozen=True, kw_only=True):
    """Networks that somebody else measured or sells."""

    grid: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Rates between places: a table of src, dst, gbps_per_vm.",
            rich_help_panel=GIVEN,
        ),
    ] = None
    edge_prices: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Traffic prices between places: a table of src, dst, usd_per_gib.",
            rich_help_panel=GIVEN,
        ),
    ] = None
    machine_usd_per_hour: Annotated[
        str | None,
        typer.Option(
            metavar="USD", help="What a machine of the grid costs.", rich_help_panel=GIVEN
        ),
    ] = None
    machine_egress_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What a machine of the grid sends in all (default: the most on one edge).",
            rich_help_panel=GIVEN,
        ),
    ] = None
    machine_ingress_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What it takes in all (default: the most on one edge).",
            rich_help_panel=GIVEN,
        ),
    ] = None


class SpotPay(Parameters, frozen=True, kw_only=True):
    """How it is paid; without a word on demand."""

    spot: Annotated[
        bool, typer.Option("--spot", help="On Spot machines.", rich_help_panel=PAYMENT)
    ] = False
    spot_interruptions_per_day: Annotated[
        float | None,
        typer.Option(
            metavar="COUNT",
            min=0,
            help="Interruptions of one Spot machine a day; Google documents none, so there is no"
            " default.",
            rich_help_panel=PAYMENT,
        ),
    ] = None
    spot_lost_work: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="What an interruption takes with it, such as 10m (default: all so far).",
            rich_help_panel=PAYMENT,
        ),
    ] = None


class Machines(Parameters, frozen=True, kw_only=True):
    """Which machines are considered."""

    max_count: Annotated[
        int,
        typer.Option(
            min=1, max=1000, help="How many machines may stand in a place.", rich_help_panel=CHOICE
        ),
    ] = 16
    memory_gib: Annotated[
        float,
        typer.Option(min=0, help="Least memory of one machine in GiB.", rich_help_panel=CHOICE),
    ] = 0.0
    machine_type: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE", help="Only these types; commas or repeated.", rich_help_panel=CHOICE
        ),
    ] = None
    series: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SERIES",
            help="Only these series, such as n2,c3; commas or repeated.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    arch: Annotated[
        Architecture,
        typer.Option(
            "--architecture",
            "--arch",
            help="Only x86, only arm, or any.",
            rich_help_panel=CHOICE,
        ),
    ] = Architecture.X86
