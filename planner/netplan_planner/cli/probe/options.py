"""Options of `netplan probe`: what to measure, within which limits, how, and by which way."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.cli.options import OUTPUT

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
]
Pairs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SRC:DST",
        help="Two machines of the input; repeat it (default: the paths that findings of the"
        " audit rest on).",
        rich_help_panel=WHAT,
    ),
]
External = Annotated[
    bool,
    typer.Option("--external", help="Named pairs by DST's external address.", rich_help_panel=WHAT),
]
Streams = Annotated[
    list[int] | None,
    typer.Option(help="Only 1 or only 16 streams (default: both).", rich_help_panel=WHAT),
]
MaxPaths = Annotated[int, typer.Option(min=1, max=500, help="Of findings.", rich_help_panel=WHAT)]
MaxUsd = Annotated[
    str | None,
    typer.Option(metavar="USD", help="Of traffic in all.", rich_help_panel=WITHIN),
]
MaxGib = Annotated[
    float | None, typer.Option(min=0.001, help="Sent in all.", rich_help_panel=WITHIN)
]
MaxSeconds = Annotated[
    float | None, typer.Option(min=1, help="From the first run on.", rich_help_panel=WITHIN)
]
Bitrate = Annotated[
    float | None,
    typer.Option(
        min=0.000001,
        metavar="GBPS",
        help="Gbit/s of each direction of a run.",
        rich_help_panel=WITHIN,
    ),
]
Tolerance = Annotated[
    float,
    typer.Option(
        min=0.01,
        max=0.5,
        help="Half the width of an interval that is narrow enough, as a share.",
        rich_help_panel=HOW,
    ),
]
RunCount = Annotated[
    int, typer.Option(min=2, max=100, help="Of each kind of run.", rich_help_panel=HOW)
]
Seed = Annotated[
    int,
    typer.Option(
        help="Of the order of runs; another one measures everything anew.", rich_help_panel=HOW
    ),
]
TimeScale = Annotated[float, typer.Option(min=0.01, max=10, hidden=True)]
WhichTransport = Annotated[
    Transport,
    typer.Option(
        help="gcloud: `gcloud compute ssh`; ssh; local: commands here, such as in network"
        " namespaces.",
        rich_help_panel=REACH,
    ),
]
Ends = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=HOW",
        help="A machine's host for ssh, its name with a user (`me@vm-1`) for gcloud, or the"
        " words before a command for local; repeat it.",
        rich_help_panel=REACH,
    ),
]
LocalSrc = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS",
        help="Before a command of the first machine of one pair, such as `ip netns exec a`.",
        rich_help_panel=REACH,
    ),
]
LocalDst = Annotated[
    str | None, typer.Option(metavar="WORDS", help="Of the second one.", rich_help_panel=REACH)
]
Iap = Annotated[
    bool,
    typer.Option(
        "--iap/--no-iap",
        help="Whether gcloud goes through Identity-Aware Proxy.",
        rich_help_panel=REACH,
    ),
]
SshOptions = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="As ssh -o, such as Port=2222.", rich_help_panel=REACH),
]
Iperf3 = Annotated[
    str, typer.Option(metavar="PROGRAM", help="On the machines.", rich_help_panel=REACH)
]
Ports = Annotated[
    str,
    typer.Option(
        metavar="FIRST-LAST",
        help="Of the server, by TCP; the firewall must let them in.",
        rich_help_panel=REACH,
    ),
]
StrictParts = Annotated[
    bool,
    typer.Option("--strict", help="Exit with 4 when a part is missing.", rich_help_panel=OUTPUT),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        help="Carry the plan out; on the command line only, of `probe run` only.",
        show_envvar=False,
        rich_help_panel=OUTPUT,
    ),
]
