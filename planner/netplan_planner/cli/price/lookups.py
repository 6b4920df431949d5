"""`netplan price sku|traffic|address`."""

from typing import Annotated

import typer

from netplan_planner.choices import Tier, Use
from netplan_planner.cli import answers
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.price import price_app
from netplan_planner.cli.price.shared import DEFAULT_HOURS, Hours, Prices, Region, amount
from netplan_planner.engine.prices.skus import sku_prices
from netplan_planner.engine.prices.traffic import (
    AddressQuestion,
    TrafficQuestion,
    address_prices,
    traffic_prices,
)
from netplan_planner.model import AddressUse


class Sku(Parameters, frozen=True, kw_only=True):
    """Which SKU."""

    sku_id: Annotated[
        str, typer.Argument(metavar="SKU", help="Id of a SKU, such as BB77-5FDA-69D9.")
    ]
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def sku(asked: Sku) -> None:
    """Print what a SKU is, where it holds, and every step of its price."""
    specs = asked.answer.specs()
    answers.write(sku_prices(asked.sku_id, asked.prices.source()), specs)


class Traffic(Parameters, frozen=True, kw_only=True):
    """From where to where, and how much."""

    src: Annotated[
        str,
        typer.Option(
            "--from",
            envvar="NETPLAN_PRICE_TRAFFIC_FROM",
            metavar="REGION",
            help="Region of the sender.",
        ),
    ]
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="PLACE",
            help="Region of the receiver, or: zone (another one of the sender's region), same-zone,"
            " internet, nat, google-apis, load-balancer.",
        ),
    ]
    gib: Annotated[float, typer.Option(metavar="GIB", help="GiB sent in a month.", min=0)]
    area: Annotated[
        str | None,
        typer.Option(
            metavar="AREA",
            help="Where an internet peer is: a country (Japan, JP, jpn), a continent, or an area of"
            " the price list (South America, Western Europe, …).",
        ),
    ] = None
    place: Annotated[
        str | None,
        typer.Option(
            metavar="REGION", help="Region of the bucket or service, with --to google-apis."
        ),
    ] = None
    network_tier: Annotated[
        Tier, typer.Option(help="Network tier of internet traffic.", case_sensitive=False)
    ] = Tier.PREMIUM
    external: Annotated[
        bool, typer.Option("--external", help="Sent to the external address of an own machine.")
    ] = False
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def traffic(asked: Traffic) -> None:
    """Print what a month's traffic costs: every price step that it reaches, and the sum."""
    specs = asked.answer.specs()
    question = TrafficQuestion(
        src_region=asked.src,
        to=asked.to,
        gib=amount(asked.gib),
        area=asked.area,
        place=asked.place,
        network_tier=asked.network_tier.value,
        is_external=asked.external,
    )
    answers.write(traffic_prices(question, asked.prices.source()), specs)


class Address(Parameters, frozen=True, kw_only=True):
    """Which address, for how long."""

    region: Region
    use: Annotated[Use, typer.Option(help="What the address is used for.")] = Use.ALL
    hours: Hours = DEFAULT_HOURS
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def address(asked: Address) -> None:
    """Print what one more external IPv4 address costs per hour and month.

    Free hours are per account and month, for all addresses of a kind together: a note names them
    and what they take off, once.
    """
    specs = asked.answer.specs()
    uses = tuple(AddressUse(one.value) for one in asked.use.each)
    question = AddressQuestion(region=asked.region, uses=uses, hours=amount(asked.hours))
    answers.write(address_prices(question, asked.prices.source()), specs)
