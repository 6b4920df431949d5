"""What the verbs of `netplan price` share: their options, and how their answers are written."""

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli import answers
from netplan_planner.cli.app import state
from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_line
from netplan_planner.units import HOURS_PER_MONTH

if TYPE_CHECKING:
    from netplan_planner.engine.prices.source import PriceSource
    from netplan_planner.model import PriceAnswer, PriceTable
    from netplan_planner.renderers.output import OutputSpec

Region = Annotated[str, typer.Option("--region", help="A region, such as us-central1.")]
Hours = Annotated[
    float, typer.Option("--hours", help="Hours of the total; 730 are a month.", min=0)
]
Currency = Annotated[
    str | None,
    typer.Option(
        "--currency",
        help="Show amounts in this currency too, at the rate that the API returned.",
    ),
]
DEFAULT_HOURS = float(HOURS_PER_MONTH)
_MOST = 1e15
"""More of anything is a slip of the keyboard."""


def amount(number: float, option: str) -> Decimal:
    """Return a number of the command line, exactly as it is written.

    Raises:
        UsageError: If it is no amount.
    """
    if not math.isfinite(number) or number > _MOST:
        raise UsageError(f"{option}: {number} is not an amount")
    return Decimal(str(number))


def source_of(
    prices: Path | None,
    discount: list[str] | None,
    billing_export: list[Path] | None,
    currency: str | None,
) -> "PriceSource":
    """Return which prices are asked for."""
    from netplan_planner.engine.prices.source import PriceSource

    return PriceSource(
        today=date.today(),
        folder=prices,
        discounts=tuple(discount or ()),
        billing_exports=tuple(billing_export or ()),
        currency=currency,
    )


def tell_unused(warnings: Sequence[str]) -> None:
    """Write to stderr what of a contract was not used."""
    if not state.quiet:
        for warning in warnings:
            typer.echo(inert_line(f"netplan: {warning}"), err=True)


def write(answer: "PriceAnswer | PriceTable", specs: "tuple[OutputSpec, ...]") -> None:
    """Write prices, and what of a contract was not used."""
    tell_unused(answer.warnings)
    answers.write(answer, specs)
