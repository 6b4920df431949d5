"""What the verbs of `netplan price` share: which prices, and amounts of the command line."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.cli import options
from netplan_planner.cli.parameters import Parameters
from netplan_planner.cli.state import state
from netplan_planner.engine.prices.source import PriceSource
from netplan_planner.inert import inert_line
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

    prices: options.Prices = None
    discount: options.Discounts = None
    billing_export: options.BillingExports = None
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
        return source_of(self.prices, self.discount, self.billing_export, self.currency)


def amount(number: float) -> Decimal:
    """Return a number of the command line, exactly as it is written."""
    return Decimal(str(number))


def source_of(
    prices: Path | None,
    discount: list[str] | None,
    billing_export: list[Path] | None,
    currency: str | None,
) -> "PriceSource":
    """Return which prices are asked for."""
    return PriceSource(
        today=date.today(),
        folder=prices,
        discounts=tuple(discount or ()),
        billing_exports=tuple(billing_export or ()),
        currency=currency,
    )


def tell_unused(warnings: "Sequence[str]") -> None:
    """Write to stderr what of a contract was not used."""
    if not state.quiet:
        for warning in warnings:
            typer.echo(inert_line(f"netplan: {warning}"), err=True)
