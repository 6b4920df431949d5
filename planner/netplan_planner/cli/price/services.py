"""`netplan price nat|vpn|lb|flow-logs`: gateways, tunnels, load balancers and logs for a month."""

from enum import StrEnum
from typing import Annotated

import typer

from netplan_planner.cli import answers, options
from netplan_planner.cli.price.shared import (
    DEFAULT_HOURS,
    Currency,
    Hours,
    Region,
    amount,
    source_of,
    write,
)

Gib = Annotated[float, typer.Option("--gib", help="GiB in a month.", min=0)]


class Kind(StrEnum):
    """Kinds of load balancers, as `engine.prices.services.Balancer` has them."""

    INTERNAL_PASSTHROUGH = "internal-passthrough"
    INTERNAL_APPLICATION = "internal-application"
    INTERNAL_PROXY = "internal-proxy"
    CROSS_REGION_APPLICATION = "cross-region-internal-application"
    CROSS_REGION_PROXY = "cross-region-internal-proxy"
    EXTERNAL_PASSTHROUGH = "external-passthrough"
    EXTERNAL_APPLICATION = "external-application"
    EXTERNAL_PROXY = "external-proxy"
    GLOBAL_APPLICATION = "global-external-application"
    GLOBAL_PROXY = "global-external-proxy"


def nat(
    region: Region,
    vms: Annotated[int, typer.Option(help="Machines that use the gateway.", min=0)] = 1,
    addresses: Annotated[int, typer.Option(help="External addresses of it.", min=0)] = 1,
    gib: Gib = 0.0,
    hours: Hours = DEFAULT_HOURS,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what a Cloud NAT gateway costs: its hours, its addresses, the data that it processes.

    --gib counts both directions. What leaves for the internet is charged on top: netplan price
    traffic --to nat.
    """
    from netplan_planner.engine.prices.services import nat_prices

    specs = answers.specs_of(output, former_format)
    source = source_of(prices, discount, billing_export, currency)
    volume, run_h = amount(gib, "--gib"), amount(hours, "--hours")
    write(nat_prices(region, vms, addresses, volume, run_h, source), specs)


def vpn(
    region: Region,
    tunnels: Annotated[int, typer.Option(help="Tunnels; an HA VPN has two.", min=0)] = 2,
    gib: Gib = 0.0,
    to: Annotated[
        str | None, typer.Option(help="The other end's region, where it is in Google Cloud.")
    ] = None,
    area: Annotated[
        str | None, typer.Option(help="Where the other end is else: Europe, Asia/jpn, usa, …")
    ] = None,
    hours: Hours = DEFAULT_HOURS,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what Cloud VPN costs: the hours of its tunnels, and what is sent through them."""
    from netplan_planner.engine.prices.services import vpn_prices

    specs = answers.specs_of(output, former_format)
    source = source_of(prices, discount, billing_export, currency)
    volume, run_h = amount(gib, "--gib"), amount(hours, "--hours")
    write(vpn_prices(region, tunnels, volume, run_h, source, to=to, area=area), specs)


def lb(
    region: Region,
    kind: Annotated[Kind, typer.Option(help="Which load balancer.")],
    rules: Annotated[
        int, typer.Option(help="Forwarding rules; the first five cost one price together.", min=0)
    ] = 1,
    gib: Annotated[
        float, typer.Option(help="GiB in a month that clients send to it.", min=0)
    ] = 0.0,
    gib_out: Annotated[
        float, typer.Option(help="GiB in a month that it sends back to clients.", min=0)
    ] = 0.0,
    proxies: Annotated[
        int, typer.Option(help="Proxies of an internal Application Load Balancer.", min=0)
    ] = 0,
    hours: Hours = DEFAULT_HOURS,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what a load balancer costs: its forwarding rules and the data that it processes."""
    from netplan_planner.engine.prices.services import Balancer, balancer_prices

    specs = answers.specs_of(output, former_format)
    answer = balancer_prices(
        region,
        Balancer(kind.value),
        rules=rules,
        proxies=proxies,
        gib_in=amount(gib, "--gib"),
        gib_out=amount(gib_out, "--gib-out"),
        hours=amount(hours, "--hours"),
        source=source_of(prices, discount, billing_export, currency),
    )
    write(answer, specs)


def flow_logs(
    records: Annotated[int | None, typer.Option(help="Records in a month.", min=0)] = None,
    gib: Annotated[float | None, typer.Option(help="Or GiB of them.", min=0)] = None,
    metadata: Annotated[
        bool, typer.Option("--metadata/--no-metadata", help="Whether records have metadata.")
    ] = True,
    stored: Annotated[
        bool, typer.Option("--stored/--excluded", help="Whether Cloud Logging stores them.")
    ] = True,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what VPC Flow Logs cost: generation by its price steps, and storage.

    How many records there would be before logs are on: the metric
    networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count.
    """
    from netplan_planner.engine.prices.services import flow_log_prices

    specs = answers.specs_of(output, former_format)
    answer = flow_log_prices(
        records,
        None if gib is None else amount(gib, "--gib"),
        source_of(prices, discount, billing_export, currency),
        has_metadata=metadata,
        is_stored=stored,
    )
    write(answer, specs)
