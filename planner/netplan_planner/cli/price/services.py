"""`netplan price nat|vpn|lb|flow-logs`: gateways, tunnels, load balancers and logs for a month."""

from typing import Annotated

import typer

from netplan_planner.choices import Balancer
from netplan_planner.cli import answers
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.price import price_app
from netplan_planner.cli.price.shared import DEFAULT_HOURS, Hours, Prices, Region, amount
from netplan_planner.engine.prices.services import (
    balancer_prices,
    flow_log_prices,
    nat_prices,
    vpn_prices,
)


class Nat(Parameters, frozen=True, kw_only=True):
    """A gateway, and what it processes."""

    region: Region
    vms: Annotated[
        int, typer.Option(metavar="COUNT", help="Machines that use the gateway.", min=0)
    ] = 1
    addresses: Annotated[
        int, typer.Option(metavar="COUNT", help="External addresses of the gateway.", min=0)
    ] = 1
    gib: Annotated[
        float,
        typer.Option(
            "--gib", metavar="GIB", help="GiB processed in a month, both directions.", min=0
        ),
    ] = 0.0
    hours: Hours = DEFAULT_HOURS
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def nat(asked: Nat) -> None:
    """Print what a Cloud NAT gateway costs: its hours, its addresses, the data that it processes.

    --gib counts both directions. What leaves for the internet is charged on top: netplan price
    traffic --to nat.
    """
    specs = asked.answer.specs()
    answer = nat_prices(
        asked.region,
        asked.vms,
        asked.addresses,
        amount(asked.gib),
        amount(asked.hours),
        asked.prices.source(),
    )
    answers.write(answer, specs)


class Vpn(Parameters, frozen=True, kw_only=True):
    """Tunnels, and what is sent through them."""

    region: Region
    tunnels: Annotated[
        int, typer.Option(metavar="COUNT", help="Tunnels; an HA VPN has two.", min=0)
    ] = 2
    gib: Annotated[
        float,
        typer.Option(
            "--gib", metavar="GIB", help="GiB sent through the tunnels in a month.", min=0
        ),
    ] = 0.0
    to: Annotated[
        str | None,
        typer.Option(
            metavar="REGION", help="Region of the other end, where it is in Google Cloud."
        ),
    ] = None
    area: Annotated[
        str | None,
        typer.Option(
            metavar="AREA",
            help="Where the other end is, outside Google Cloud: Europe, Asia/jpn, usa, …",
        ),
    ] = None
    hours: Hours = DEFAULT_HOURS
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def vpn(asked: Vpn) -> None:
    """Print what Cloud VPN costs: the hours of its tunnels, and what is sent through them."""
    specs = asked.answer.specs()
    answer = vpn_prices(
        asked.region,
        asked.tunnels,
        amount(asked.gib),
        amount(asked.hours),
        asked.prices.source(),
        to=asked.to,
        area=asked.area,
    )
    answers.write(answer, specs)


class LoadBalancer(Parameters, frozen=True, kw_only=True):
    """A load balancer, and what it processes."""

    region: Region
    kind: Annotated[Balancer, typer.Option(help="Kind of load balancer.")]
    rules: Annotated[
        int | None,
        typer.Option(
            metavar="COUNT",
            help="Forwarding rules; the first five cost one price together.",
            min=0,
            show_default="1",
        ),
    ] = None
    gib: Annotated[
        float,
        typer.Option(metavar="GIB", help="GiB in a month that clients send to it.", min=0),
    ] = 0.0
    gib_out: Annotated[
        float,
        typer.Option(metavar="GIB", help="GiB in a month that it sends back to clients.", min=0),
    ] = 0.0
    proxies: Annotated[
        int,
        typer.Option(
            metavar="COUNT", help="Proxies of an internal Application Load Balancer.", min=0
        ),
    ] = 0
    hours: Hours = DEFAULT_HOURS
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def lb(asked: LoadBalancer) -> None:
    """Print what a load balancer costs: its forwarding rules and the data that it processes."""
    specs = asked.answer.specs()
    answer = balancer_prices(
        asked.region,
        asked.kind,
        rules=asked.rules,
        proxies=asked.proxies,
        gib_in=amount(asked.gib),
        gib_out=amount(asked.gib_out),
        hours=amount(asked.hours),
        source=asked.prices.source(),
    )
    answers.write(answer, specs)


class FlowLogs(Parameters, frozen=True, kw_only=True):
    """How many records, and what becomes of them."""

    records: Annotated[
        int | None, typer.Option(metavar="COUNT", help="Records in a month.", min=0)
    ] = None
    gib: Annotated[
        float | None,
        typer.Option(metavar="GIB", help="GiB of records in a month, instead of --records.", min=0),
    ] = None
    metadata: Annotated[
        bool, typer.Option("--metadata/--no-metadata", help="Whether --records have metadata.")
    ] = True
    stored: Annotated[
        bool, typer.Option("--stored/--excluded", help="Whether Cloud Logging stores them.")
    ] = True
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def flow_logs(asked: FlowLogs) -> None:
    """Print what VPC Flow Logs cost: generation by its price steps, and storage.

    How many records there would be before logs are on: the metric
    networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count.
    """
    specs = asked.answer.specs()
    answer = flow_log_prices(
        asked.records,
        None if asked.gib is None else amount(asked.gib),
        asked.prices.source(),
        has_metadata=asked.metadata,
        is_stored=asked.stored,
    )
    answers.write(answer, specs)
