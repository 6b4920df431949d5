"""`netplan price sku|traffic|address`."""

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


class Use(StrEnum):
    """What an address is used for; the values are those of the model's `AddressUse`."""

    STANDARD_VM = "standard-vm"
    SPOT_VM = "spot-vm"
    UNUSED_STATIC = "unused-static"
    ALL = "all"


class Tier(StrEnum):
    """Network tier of internet traffic."""

    PREMIUM = "PREMIUM"
    STANDARD = "STANDARD"


def sku(
    sku_id: Annotated[str, typer.Argument(metavar="SKU", help="Such as BB77-5FDA-69D9.")],
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what a SKU is, where it holds, and every step of its price."""
    from netplan_planner.engine.prices.skus import sku_prices

    specs = answers.specs_of(output, former_format)
    write(sku_prices(sku_id, source_of(prices, discount, billing_export, currency)), specs)


def traffic(
    src: Annotated[
        str,
        typer.Option("--from", envvar="NETPLAN_PRICE_TRAFFIC_FROM", help="Region of the sender."),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="A region, or: zone (another one of the region), same-zone, internet, nat,"
            " google-apis, load-balancer.",
        ),
    ],
    gib: Annotated[float, typer.Option(help="GiB in a month.", min=0)],
    area: Annotated[
        str | None,
        typer.Option(
            help="Where an internet peer is: a country (Japan, JP, jpn), a continent, or an area of"
            " the price list (South America, Western Europe, …)."
        ),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(help="Region of the bucket or service, with --to google-apis."),
    ] = None,
    network_tier: Annotated[
        Tier, typer.Option(help="Of internet traffic.", case_sensitive=False)
    ] = Tier.PREMIUM,
    external: Annotated[
        bool, typer.Option("--external", help="Sent to the external address of an own machine.")
    ] = False,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what a month's traffic costs: every price step that it reaches, and the sum."""
    from netplan_planner.engine.prices.traffic import TrafficQuestion, traffic_prices

    specs = answers.specs_of(output, former_format)
    asked = TrafficQuestion(
        src_region=src,
        to=to,
        gib=amount(gib, "--gib"),
        area=area,
        place=place,
        network_tier=network_tier.value,
        is_external=external,
    )
    write(traffic_prices(asked, source_of(prices, discount, billing_export, currency)), specs)


def address(
    region: Region,
    use: Annotated[Use, typer.Option(help="What the address is used for.")] = Use.ALL,
    hours: Hours = DEFAULT_HOURS,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what one more external IPv4 address costs per hour and month.

    Free hours are per account and month, for all addresses of a kind together: a note names them
    and what they take off, once.
    """
    from netplan_planner.engine.prices.traffic import AddressQuestion, address_prices
    from netplan_planner.model import AddressUse

    specs = answers.specs_of(output, former_format)
    uses = tuple(AddressUse) if use is Use.ALL else (AddressUse(use.value),)
    asked = AddressQuestion(region=region, uses=uses, hours=amount(hours, "--hours"))
    write(address_prices(asked, source_of(prices, discount, billing_export, currency)), specs)
