"""What `netplan job` is told, in the parts that stand together on its help page."""

from typing import Annotated

import typer

from netplan_planner.cli.architectures import Architecture
from netplan_planner.cli.options import CHOICE
from netplan_planner.cli.parameters import Parameters

WORK, MOVED, PAYMENT = "What one run does", "Where its bytes come from and go", "How it is paid"
_LEAST = 1e-6


class Work(Parameters, frozen=True, kw_only=True):
    """What one run does."""

    region: Annotated[
        str | None,
        typer.Option(metavar="REGION", help="Where it runs.", rich_help_panel=WORK),
    ] = None
    bytes_in: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Bytes that arrive, of all machines, such as 2TB or 2TiB.",
            rich_help_panel=WORK,
        ),
    ] = None
    bytes_out: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Bytes that leave.", rich_help_panel=WORK),
    ] = None
    bytes_between: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Bytes that its machines shuffle among them, each an equal share to each.",
            rich_help_panel=WORK,
        ),
    ] = None
    cpu_seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0, help="CPU time of one vCPU, in all.", rich_help_panel=WORK
        ),
    ] = 0.0
    parallel: Annotated[
        float,
        typer.Option(
            metavar="RATIO",
            min=0,
            max=1,
            help="Share of the CPU time that spreads over vCPUs and machines; the rest runs on"
            " one.",
            rich_help_panel=WORK,
        ),
    ] = 1.0
    start_up: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="From a machine's start until it works, such as 40s: it is paid, too.",
            rich_help_panel=WORK,
        ),
    ] = None
    overlap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PHASES",
            help="Phases that run at the same time, of in, compute, between and out; commas.",
            rich_help_panel=WORK,
        ),
    ] = None
    deadline: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="How long a run may take, such as 2h, or until when, such as"
            " 2026-12-01T06:00:00Z.",
            rich_help_panel=WORK,
        ),
    ] = None
    runs_per_day: Annotated[
        float | None,
        typer.Option(
            metavar="COUNT", min=_LEAST, help="How often (default: once).", rich_help_panel=WORK
        ),
    ] = None


class Ends(Parameters, frozen=True, kw_only=True):
    """Where its bytes come from and go."""

    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="zone: machines of the same zone; internal: of other zones; a region; internet;"
            " storage: Cloud Storage.",
            rich_help_panel=MOVED,
        ),
    ] = "zone"
    target: Annotated[
        str,
        typer.Option("--to", metavar="PLACE", help="As --from.", rich_help_panel=MOVED),
    ] = "zone"
    area: Annotated[
        str | None,
        typer.Option(
            metavar="AREA",
            help="With --to internet: continent or country, for the price.",
            rich_help_panel=MOVED,
        ),
    ] = None
    in_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What one machine takes in at most, where you measured it.",
            rich_help_panel=MOVED,
        ),
    ] = None
    out_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What one machine sends at most, where you measured it.",
            rich_help_panel=MOVED,
        ),
    ] = None
    in_total_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What the source gives to all machines together.",
            rich_help_panel=MOVED,
        ),
    ] = None
    out_total_gbps: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What the target takes from all machines together.",
            rich_help_panel=MOVED,
        ),
    ] = None
    disk_mib_per_s: Annotated[
        float | None,
        typer.Option(
            min=_LEAST,
            help="What the disk of one machine reads and writes, where bytes in and out pass it.",
            rich_help_panel=MOVED,
        ),
    ] = None
    streams: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Connections of one machine (default: as many as it takes).",
            rich_help_panel=MOVED,
        ),
    ] = None
    rtt_ms: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1e6,
            help="Round-trip time to a region or the internet, with --streams.",
            rich_help_panel=MOVED,
        ),
    ] = None


class Pay(Parameters, frozen=True, kw_only=True):
    """How it is paid; without a word on demand."""

    spot: Annotated[
        bool, typer.Option("--spot", help="Rank by Spot prices.", rich_help_panel=PAYMENT)
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
            help="Work that an interruption takes with it, such as 10m: half of what lies between"
            " two checkpoints (default: all of the run so far).",
            rich_help_panel=PAYMENT,
        ),
    ] = None
    cud_1y: Annotated[
        bool,
        typer.Option(
            "--cud-1y",
            help="Rank with machines committed for 1 year, paid all month.",
            rich_help_panel=PAYMENT,
        ),
    ] = False
    cud_3y: Annotated[
        bool,
        typer.Option(
            "--cud-3y",
            help="Rank with machines committed for 3 years.",
            rich_help_panel=PAYMENT,
        ),
    ] = False


class Choice(Parameters, frozen=True, kw_only=True):
    """Which machines are considered."""

    max_count: Annotated[
        int,
        typer.Option(
            min=1,
            max=1000,
            help="How many machines may share it; 1 where it does not divide.",
            rich_help_panel=CHOICE,
        ),
    ] = 16
    memory_gib: Annotated[
        float,
        typer.Option(min=0, help="Least memory of one machine in GiB.", rich_help_panel=CHOICE),
    ] = 0.0
    machine_type: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE",
            help="Only these types; commas or repeated.",
            rich_help_panel=CHOICE,
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
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="TYPE", help="The machine type in use, to compare.", rich_help_panel=CHOICE
        ),
    ] = None
    baseline_count: Annotated[
        int,
        typer.Option(min=1, max=1000, help="How many of it.", rich_help_panel=CHOICE),
    ] = 1
