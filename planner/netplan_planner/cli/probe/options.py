"""Parameters of `netplan probe`: what to measure, within which limits, how, and by which way."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import KEPT, OUTPUT, Ask, Request

WHAT, WITHIN, HOW, REACH = (
    "What to measure",
    "Limits",
    "How to measure",
    "How to reach the VMs",
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
    Ask(
        "Store of measurements (JSON lines); results are only appended.",
        metavar="FILE",
        variable=STORE_VARIABLE,
        panel=OUTPUT,
    ),
    KEPT,
]


class What(Request, frozen=True, kw_only=True):
    """What to measure."""

    PANEL: ClassVar[str] = WHAT

    pair: Annotated[
        list[str] | None,
        Ask(
            "Two VMs of the input; repeat it (default: paths of the audit's findings).",
            metavar="SRC:DST",
        ),
    ] = None
    external: Annotated[
        bool, Ask("Named pairs use the external IP address of DST.", "--external")
    ] = False
    streams: Annotated[list[int] | None, Ask("Only 1 or only 16 streams (default: both).")] = None
    max_paths: Annotated[int, Ask("Paths of findings to measure at most.", least=1, most=500)] = 50


class Within(Request, frozen=True, kw_only=True):
    """What it may cost, send and take."""

    PANEL: ClassVar[str] = WITHIN

    max_usd: Annotated[str | None, Ask("Cost of all traffic.", metavar="USD")] = None
    max_gib: Annotated[float | None, Ask("Volume of all runs in GiB.", least=0.001)] = None
    max_seconds: Annotated[float | None, Ask("Seconds from the first run.", least=1)] = None
    bitrate: Annotated[
        float | None, Ask("Gbit/s in each direction of a run.", metavar="GBPS", least=0.000001)
    ] = None


class How(Request, frozen=True, kw_only=True):
    """How to measure."""

    PANEL: ClassVar[str] = HOW
    IS_EXPERT: ClassVar[bool] = True

    tolerance: Annotated[
        float,
        Ask("Half the width of a sufficiently narrow interval, as a share.", least=0.01, most=0.5),
    ] = 0.1
    min_runs: Annotated[int, Ask("Minimum runs of each kind.", least=2, most=100)] = 3
    max_runs: Annotated[int, Ask("Maximum runs of each kind.", least=2, most=100)] = 10
    seed: Annotated[
        int, Ask("Seed of the order of runs; another seed measures everything again.")
    ] = 0
    time_scale: Annotated[float, Ask("", least=0.01, most=10, is_hidden=True)] = 1.0


class Reach(Request, frozen=True, kw_only=True):
    """How to reach the machines."""

    PANEL: ClassVar[str] = REACH
    IS_EXPERT: ClassVar[bool] = True

    transport: Annotated[
        Transport,
        Ask(
            "gcloud: `gcloud compute ssh`; ssh; local: commands on this computer, such as in"
            " network namespaces."
        ),
    ] = Transport.GCLOUD
    end: Annotated[
        list[str] | None,
        Ask(
            "A VM's host for ssh, its user and name (`me@vm-1`) for gcloud, or the command prefix"
            " for local; repeat it.",
            metavar="NAME=HOW",
        ),
    ] = None
    local_src: Annotated[
        str | None,
        Ask(
            "Command prefix for the first VM of a single pair, such as `ip netns exec a`.",
            metavar="WORDS",
        ),
    ] = None
    local_dst: Annotated[str | None, Ask("Command prefix of the second VM.", metavar="WORDS")] = (
        None
    )
    iap: Annotated[bool, Ask("Whether gcloud uses Identity-Aware Proxy.", "--iap/--no-iap")] = True
    ssh_option: Annotated[
        list[str] | None,
        Ask("ssh option as after -o, such as Port=2222; repeat it.", metavar="KEY=VALUE"),
    ] = None
    iperf3: Annotated[str, Ask("The iperf3 program on the VMs.", metavar="PROGRAM")] = "iperf3"
    ports: Annotated[
        str, Ask("TCP ports of the server; the firewall must allow them.", metavar="FIRST-LAST")
    ] = "5201-5232"
