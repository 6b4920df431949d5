"""One path as the command line of `netplan predict` describes it, for the engine."""

from typing import Annotated

import typer

from netplan_planner.cli.parameters import Parameters
from netplan_planner.cli.path_parts import Ends, Links, Pods, Way
from netplan_planner.engine.asked_class import named_class
from netplan_planner.engine.asked_path import PathQuestion
from netplan_planner.engine.asked_pods import PodWords
from netplan_planner.engine.asked_service import ServiceWords
from netplan_planner.quantities import byte_count, seconds

TRANSFER, SERVICE = "What is sent", "A service on that path"


class Sent(Parameters, frozen=True, kw_only=True):
    """What is sent."""

    streams: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Parallel connections (default: as many as it takes).",
            rich_help_panel=TRANSFER,
        ),
    ] = None
    duration: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="How long it sends from a cold start, such as 5s (default: steady state).",
            rich_help_panel=TRANSFER,
        ),
    ] = None
    omit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="How long it sends before counting starts, as iperf3 -O.",
            rich_help_panel=TRANSFER,
        ),
    ] = None
    byte_count: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="Size of a finite transfer, such as 2TiB: how long it takes.",
            rich_help_panel=TRANSFER,
        ),
    ] = None
    both_ways: Annotated[
        bool,
        typer.Option(
            "--both-ways", help="The other direction sends too.", rich_help_panel=TRANSFER
        ),
    ] = False


class Served(Parameters, frozen=True, kw_only=True):
    """A service on that path."""

    service: Annotated[
        str | None,
        typer.Option(
            "--service",
            metavar="NAME",
            help="A published service: percona-xtradb-sysbench-oltp.",
            rich_help_panel=SERVICE,
        ),
    ] = None
    bytes_per_transaction: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="What the service sends per transaction, with --max-tps: its transactions per"
            " second on that path.",
            rich_help_panel=SERVICE,
        ),
    ] = None
    max_tps: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="Transactions per second of the service where no path holds it back.",
            rich_help_panel=SERVICE,
        ),
    ] = None
    tps_at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GBPS=TPS",
            help="Transactions per second of the service at a bandwidth in Gbit/s, such as 1=2700;"
            " give two.",
            rich_help_panel=SERVICE,
        ),
    ] = None


class OnePath(Parameters, frozen=True, kw_only=True):
    """One path, as the command line describes it."""

    ends: Ends = Ends()
    way: Way = Way()
    pods: Pods = Pods()
    links: Links = Links()
    sent: Sent = Sent()
    served: Served = Served()

    def question(self) -> PathQuestion:
        """Return what is asked, but for the network of a cluster.

        Raises:
            UsageError: If a class, a time or a volume is none.
        """
        ends, way, links, sent = self.ends, self.way, self.links, self.sent
        return PathQuestion(
            src_type=ends.src_type,
            dst_type=ends.dst_type,
            src_place=ends.src_place,
            dst_place=ends.dst_place,
            path_class=named_class(ends.path),
            is_tier1=way.tier1,
            cpu_platform=way.cpu_platform,
            mtu_bytes=way.mtu,
            is_external=ends.external,
            streams=sent.streams,
            rtt_ms=way.rtt_ms,
            window_bytes=way.window_bytes,
            duration_s=seconds("--duration", sent.duration),
            omit_s=seconds("--omit", sent.omit) or 0.0,
            transfer_bytes=byte_count("--bytes", sent.byte_count),
            is_both_ways=sent.both_ways,
            vpn_tunnels=links.vpn_tunnels,
            nic_count=links.nics,
            quota_gbps=links.quota_gbps,
            host_link_gbps=links.host_link_gbps,
        )

    def pod_words(self) -> PodWords:
        """Return how the network of a cluster is named."""
        pods = self.pods
        return PodWords(
            plugins=tuple(pods.plugin or ()),
            encapsulation=pods.encapsulation,
            encryption=pods.encryption,
            other_link_gbps=pods.other_link_gbps,
        )

    def service_words(self) -> ServiceWords:
        """Return how the service is described.

        Raises:
            UsageError: If its volume is none.
        """
        said = self.served
        return ServiceWords(
            name=said.service,
            bytes_per_transaction=byte_count("--bytes-per-transaction", said.bytes_per_transaction),
            max_tps=said.max_tps,
            points=tuple(said.tps_at or ()),
        )
