"""What the verbs of `netplan price` share: which prices, and amounts of the command line."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated

import typer

from netplan_planner.cli.parameters import Parameters
from netplan_planner.cli.state import state
from netplan_planner.engine.prices.source import PriceSource
from netplan_planner.inert import inert_line
from netplan_planner.planning.inputs import BillingExports, Discounts, PriceFolder
from netplan_planner.units import HOURS_PER_MONTH

Region = Annotated[
    str, typer.Option("--region", metavar="REGION", help="Where it runs, such as us-central1.")
]
Hours = Annotated[
    float,
    typer.Option("--hours", metavar="HOURS", help="That the total is for; 730 are a month.", min=0),
]
DEFAULT_HOURS = float(HOURS_PER_MONTH)


class Prices(Parameters, frozen=True, kw_only=True):
    """Which prices are asked for, and how they are shown."""

    prices: PriceFolder = None
    discounts: Discounts = ()
    billing_exports: BillingExports = ()
    currency: Annotated[
        str | None,
        typer.Option(
            "--currency",
            metavar="CODE",
            help="Show amounts in this currency too, at the rate that the API returned.",
        ),
    ] = None

    def source(self) -> "PriceSource":
        """Return where the engine takes prices from."""
        return PriceSource(
            today=date.today(),
            folder=self.prices,
            discounts=self.discounts,
            billing_exports=self.billing_exports,
            currency=self.currency,
        )


def amount(number: float) -> Decimal:
    """Return a number of the command line, exactly as it is written."""
    return Decimal(str(number))


def tell_unused(warnings: "Sequence[str]") -> None:
    """Write to stderr what of a contract was not used."""
    if not state.quiet:
        for warning in warnings:
            typer.echo(inert_line(f"netplan: {warning}"), err=True)
