"""The options of `netplan predict` that describe one path, what is sent, and a service on it."""

from typing import Annotated

import typer

PATH, TRANSFER, SERVICE = "The path", "What is sent", "A service on that path"

Src = Annotated[
    str | None,
    typer.Argument(
        help="Sender: a machine of the input, or without an input a machine type.",
        show_default=False,
    ),
]
Dst = Annotated[
    str | None,
    typer.Argument(
        help="Receiver: a machine of the input, or a machine type (default: the sender's type).",
        show_default=False,
    ),
]
SrcType = Annotated[
    str | None, typer.Option(help="Machine type of the sender.", rich_help_panel=PATH)
]
DstType = Annotated[
    str | None,
    typer.Option(
        help="Machine type of the receiver (default: the sender's).", rich_help_panel=PATH
    ),
]
PathClassName = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS",
        help="Path class, such as inter-region-internal (default: by the places).",
        rich_help_panel=PATH,
    ),
]
SrcPlace = Annotated[
    str | None,
    typer.Option(metavar="ZONE", help="Zone or region of the sender.", rich_help_panel=PATH),
]
DstPlace = Annotated[
    str | None,
    typer.Option(metavar="ZONE", help="Zone or region of the receiver.", rich_help_panel=PATH),
]
External = Annotated[
    bool,
    typer.Option(
        "--external", help="Sent to the external address of the receiver.", rich_help_panel=PATH
    ),
]
Tier1 = Annotated[
    bool | None,
    typer.Option(
        "--tier1/--no-tier1",
        help="Whether the sender has Tier_1 networking (default: as its machine has it).",
        rich_help_panel=PATH,
    ),
]
CpuPlatform = Annotated[
    str | None,
    typer.Option(
        help="CPU platform of the sender, where the cap depends on it (N1, M2).",
        rich_help_panel=PATH,
    ),
]
RttMs = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        max=1e6,
        help="Round-trip time (default: as seen in flow logs, else of the places).",
        rich_help_panel=PATH,
    ),
]
Mtu = Annotated[
    int | None,
    typer.Option(
        min=576,
        max=65535,
        help="MTU of the path in bytes; of a VPC network 8896 at most.",
        rich_help_panel=PATH,
    ),
]
Nics = Annotated[
    int,
    typer.Option(
        "--nics",
        min=1,
        max=64,
        help="vNICs that the flows spread over, each on a physical NIC of its own (A3, A4, C4N).",
        rich_help_panel=PATH,
    ),
]
QuotaGbps = Annotated[
    float | None,
    typer.Option(
        "--quota-gbps",
        min=0.000001,
        help="What the project may send from that region to others (or to the outside): a quota"
        " of the console, in Gbit/s.",
        rich_help_panel=PATH,
    ),
]
HostLinkGbps = Annotated[
    float | None,
    typer.Option(
        "--host-link-gbps",
        min=0.001,
        help="Link of hosts that are not Google's, in Gbit/s, instead of a machine type.",
        rich_help_panel=PATH,
    ),
]
WindowBytes = Annotated[
    int | None,
    typer.Option(
        min=1024,
        help="Receive window of one stream, half of net.ipv4.tcp_rmem's last value"
        " (default: 3.06 MB, a stock Linux image).",
        rich_help_panel=PATH,
    ),
]
Plugin = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[@GBPS]",
        help="Network plugin of a -pod path: cilium, calico, flannel, gke, …; several for a table"
        " of them, @1 for one that uses another link of 1 Gbit/s.",
        rich_help_panel=PATH,
    ),
]
Encapsulation = Annotated[
    str | None,
    typer.Option(
        help="How a -pod path wraps packets: none, vxlan, geneve, ipip, gre, udp.",
        rich_help_panel=PATH,
    ),
]
Encryption = Annotated[
    str | None,
    typer.Option(
        help="How a -pod path encrypts packets: none, wireguard, ipsec.", rich_help_panel=PATH
    ),
]
OtherLinkGbps = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        help="Link in Gbit/s that the plugin uses instead, set up on the wrong interface.",
        rich_help_panel=PATH,
    ),
]
VpnTunnels = Annotated[
    int | None,
    typer.Option(min=1, help="Cloud VPN tunnels of a hybrid path.", rich_help_panel=PATH),
]
Streams = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Parallel connections (default: as many as it takes).",
        rich_help_panel=TRANSFER,
    ),
]
Duration = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="How long it sends from a cold start, such as 5s (default: steady state).",
        rich_help_panel=TRANSFER,
    ),
]
Omit = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="How long it sends before counting starts, as iperf3 -O.",
        rich_help_panel=TRANSFER,
    ),
]
ByteCount = Annotated[
    str | None,
    typer.Option(
        "--bytes",
        metavar="SIZE",
        help="Size of a finite transfer, such as 2TiB: how long it takes.",
        rich_help_panel=TRANSFER,
    ),
]
BothWays = Annotated[
    bool,
    typer.Option("--both-ways", help="The other direction sends too.", rich_help_panel=TRANSFER),
]
ServiceName = Annotated[
    str | None,
    typer.Option(
        "--service",
        metavar="NAME",
        help="A published service: percona-xtradb-sysbench-oltp.",
        rich_help_panel=SERVICE,
    ),
]
BytesPerTransaction = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="What the service sends per transaction, with --max-tps: its transactions per second"
        " on that path.",
        rich_help_panel=SERVICE,
    ),
]
MaxTps = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        help="Transactions per second of the service where no path holds it back.",
        rich_help_panel=SERVICE,
    ),
]
TpsAt = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GBPS=TPS",
        help="Transactions per second of the service at a bandwidth in Gbit/s, such as 1=2700;"
        " give two.",
        rich_help_panel=SERVICE,
    ),
]
