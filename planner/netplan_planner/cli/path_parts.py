"""What `netplan predict` is told of a path, in the parts that stand together on its help page."""

from typing import Annotated

import typer

from netplan_planner.cli.parameters import Parameters

PATH = "The path"


class Ends(Parameters, frozen=True, kw_only=True):
    """Which two ends, and by which kind of path."""

    src: Annotated[
        str | None,
        typer.Argument(
            help="Sender: a machine of the input, or without an input a machine type.",
            show_default=False,
        ),
    ] = None
    dst: Annotated[
        str | None,
        typer.Argument(
            help="Receiver: a machine of the input, or a machine type (default: the"
            " sender's type).",
            show_default=False,
        ),
    ] = None
    src_type: Annotated[
        str | None, typer.Option(help="Machine type of the sender.", rich_help_panel=PATH)
    ] = None
    dst_type: Annotated[
        str | None,
        typer.Option(
            help="Machine type of the receiver (default: the sender's).", rich_help_panel=PATH
        ),
    ] = None
    path: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="Path class, such as inter-region-internal (default: by the places).",
            rich_help_panel=PATH,
        ),
    ] = None
    src_place: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Zone or region of the sender.", rich_help_panel=PATH),
    ] = None
    dst_place: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Zone or region of the receiver.", rich_help_panel=PATH),
    ] = None
    external: Annotated[
        bool,
        typer.Option(
            "--external", help="Sent to the external address of the receiver.", rich_help_panel=PATH
        ),
    ] = False


class Way(Parameters, frozen=True, kw_only=True):
    """What is known of the sender and the way."""

    tier1: Annotated[
        bool | None,
        typer.Option(
            "--tier1/--no-tier1",
            help="Whether the sender has Tier_1 networking (default: as its machine has it).",
            rich_help_panel=PATH,
        ),
    ] = None
    cpu_platform: Annotated[
        str | None,
        typer.Option(
            help="CPU platform of the sender, where the cap depends on it (N1, M2).",
            rich_help_panel=PATH,
        ),
    ] = None
    rtt_ms: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1e6,
            help="Round-trip time (default: as seen in flow logs, else of the places).",
            rich_help_panel=PATH,
        ),
    ] = None
    mtu: Annotated[
        int | None,
        typer.Option(
            min=576,
            max=65535,
            help="MTU of the path in bytes; of a VPC network 8896 at most.",
            rich_help_panel=PATH,
        ),
    ] = None
    window_bytes: Annotated[
        int | None,
        typer.Option(
            min=1024,
            help="Receive window of one stream, half of net.ipv4.tcp_rmem's last value"
            " (default: 3.06 MB, a stock Linux image).",
            rich_help_panel=PATH,
        ),
    ] = None


class Pods(Parameters, frozen=True, kw_only=True):
    """The network of a cluster on that path."""

    plugin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[@GBPS]",
            help="Network plugin of a -pod path: cilium, calico, flannel, gke, …; several for a"
            " table of them, @1 for one that uses another link of 1 Gbit/s.",
            rich_help_panel=PATH,
        ),
    ] = None
    encapsulation: Annotated[
        str | None,
        typer.Option(
            help="How a -pod path wraps packets: none, vxlan, geneve, ipip, gre, udp.",
            rich_help_panel=PATH,
        ),
    ] = None
    encryption: Annotated[
        str | None,
        typer.Option(
            help="How a -pod path encrypts packets: none, wireguard, ipsec.", rich_help_panel=PATH
        ),
    ] = None
    other_link_gbps: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="Link in Gbit/s that the plugin uses instead, set up on the wrong interface.",
            rich_help_panel=PATH,
        ),
    ] = None


class Links(Parameters, frozen=True, kw_only=True):
    """What carries it beside one network interface of a machine."""

    host_link_gbps: Annotated[
        float | None,
        typer.Option(
            "--host-link-gbps",
            min=0.001,
            help="Link of hosts that are not Google's, in Gbit/s, instead of a machine type.",
            rich_help_panel=PATH,
        ),
    ] = None
    nics: Annotated[
        int,
        typer.Option(
            "--nics",
            min=1,
            max=64,
            help="vNICs that the flows spread over, each on a physical NIC of its own (A3, A4,"
            " C4N).",
            rich_help_panel=PATH,
        ),
    ] = 1
    quota_gbps: Annotated[
        float | None,
        typer.Option(
            "--quota-gbps",
            min=0.000001,
            help="What the project may send from that region to others (or to the outside): a quota"
            " of the console, in Gbit/s.",
            rich_help_panel=PATH,
        ),
    ] = None
    vpn_tunnels: Annotated[
        int | None,
        typer.Option(min=1, help="Cloud VPN tunnels of a hybrid path.", rich_help_panel=PATH),
    ] = None
