"""Parameters of `netplan probe`: what to measure, within which limits, how, and by which way."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import KEPT, OUTPUT
from netplan_planner.cli.parameters import Parameters

WHAT, WITHIN, HOW, REACH = (
    "What to measure",
    "At most",
    "How to measure",
    "How to reach the machines",
)
STORE_VARIABLE = "NETPLAN_PROBE_STORE"
STORE = Path("netplan-probes.jsonl")


class Transport(StrEnum):
    """How commands get to the machines."""

    LOCAL = "local"
    SSH = "ssh"
    GCLOUD = "gcloud"


Store = Annotated[
    Path,
    typer.Option(
        "--store",
        metavar="FILE",
        envvar=STORE_VARIABLE,
        help="Measurements, JSON lines that are only ever added to.",
        rich_help_panel=OUTPUT,
    ),
    KEPT,
]


class What(Parameters, frozen=True, kw_only=True):
    """What to measure."""

    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SRC:DST",
            help="Two machines of the input; repeat it (default: the paths that findings of the"
            " audit rest on).",
            rich_help_panel=WHAT,
        ),
    ] = None
    external: Annotated[
        bool,
        typer.Option(
            "--external", help="Named pairs by DST's external address.", rich_help_panel=WHAT
        ),
    ] = False
    streams: Annotated[
        list[int] | None,
        typer.Option(help="Only 1 or only 16 streams (default: both).", rich_help_panel=WHAT),
    ] = None
    max_paths: Annotated[
        int,
        typer.Option(
            min=1, max=500, help="How many paths of findings, at most.", rich_help_panel=WHAT
        ),
    ] = 50


class Within(Parameters, frozen=True, kw_only=True):
    """What it may cost, send and take."""

    max_usd: Annotated[
        str | None,
        typer.Option(metavar="USD", help="Cost of all traffic.", rich_help_panel=WITHIN),
    ] = None
    max_gib: Annotated[
        float | None,
        typer.Option(min=0.001, help="Volume of all runs in GiB.", rich_help_panel=WITHIN),
    ] = None
    max_seconds: Annotated[
        float | None,
        typer.Option(min=1, help="Seconds from the first run on.", rich_help_panel=WITHIN),
    ] = None
    bitrate: Annotated[
        float | None,
        typer.Option(
            min=0.000001,
            metavar="GBPS",
            help="Gbit/s of each direction of a run.",
            rich_help_panel=WITHIN,
        ),
    ] = None


class How(Parameters, frozen=True, kw_only=True):
    """How to measure."""

    tolerance: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=0.5,
            help="Half the width of an interval that is narrow enough, as a share.",
            rich_help_panel=HOW,
        ),
    ] = 0.1
    min_runs: Annotated[
        int,
        typer.Option(min=2, max=100, help="Least runs of each kind.", rich_help_panel=HOW),
    ] = 3
    max_runs: Annotated[
        int,
        typer.Option(min=2, max=100, help="Most runs of each kind.", rich_help_panel=HOW),
    ] = 10
    seed: Annotated[
        int,
        typer.Option(
            help="Decides the order of runs; another one measures everything anew.",
            rich_help_panel=HOW,
        ),
    ] = 0
    time_scale: Annotated[float, typer.Option(min=0.01, max=10, hidden=True)] = 1.0


class Reach(Parameters, frozen=True, kw_only=True):
    """How to reach the machines."""

    transport: Annotated[
        Transport,
        typer.Option(
            help="gcloud: `gcloud compute ssh`; ssh; local: commands here, such as in network"
            " namespaces.",
            rich_help_panel=REACH,
        ),
    ] = Transport.GCLOUD
    end: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HOW",
            help="A machine's host for ssh, its name with a user (`me@vm-1`) for gcloud, or the"
            " words before a command for local; repeat it.",
            rich_help_panel=REACH,
        ),
    ] = None
    local_src: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Words before a command of the first machine of one pair, such as"
            " `ip netns exec a`.",
            rich_help_panel=REACH,
        ),
    ] = None
    local_dst: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Words before a command of the second machine.",
            rich_help_panel=REACH,
        ),
    ] = None
    iap: Annotated[
        bool,
        typer.Option(
            "--iap/--no-iap",
            help="Whether gcloud goes through Identity-Aware Proxy.",
            rich_help_panel=REACH,
        ),
    ] = True
    ssh_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Option of ssh as behind its -o, such as Port=2222; repeat it.",
            rich_help_panel=REACH,
        ),
    ] = None
    iperf3: Annotated[
        str,
        typer.Option(
            metavar="PROGRAM", help="The iperf3 program on the machines.", rich_help_panel=REACH
        ),
    ] = "iperf3"
    ports: Annotated[
        str,
        typer.Option(
            metavar="FIRST-LAST",
            help="TCP ports of the server; the firewall must let them in.",
            rich_help_panel=REACH,
        ),
    ] = "5201-5232"
