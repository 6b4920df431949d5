"""`netplan price machine`: one type, or a table of them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.cli import answers, options
from netplan_planner.cli.price.shared import (
    DEFAULT_HOURS,
    Currency,
    Hours,
    amount,
    source_of,
    write,
)
from netplan_planner.errors import UsageError


class Usage(StrEnum):
    """How a machine is paid for."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    CUD_1Y = "cud-1y"
    CUD_3Y = "cud-3y"
    SUSTAINED_USE = "sustained-use"
    FLEX_1Y = "flex-1y"
    FLEX_3Y = "flex-3y"
    ALL = "all"


def machine(
    machine_type: Annotated[
        str | None,
        typer.Argument(metavar="[TYPE]", help="Such as n2-standard-16, n2-custom-8-16384."),
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="A region, such as us-central1.")
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV with the columns region and machine_type: all prices of each row, in its"
            " order; `-` reads stdin.",
        ),
    ] = None,
    usage: Annotated[Usage, typer.Option(help="How it is paid for.")] = Usage.ON_DEMAND,
    hours: Hours = DEFAULT_HOURS,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    currency: Currency = None,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Print what a machine costs per hour and for a month, or for another number of hours."""
    source = source_of(prices, discount, billing_export, currency)
    if batch is not None:
        if hours != DEFAULT_HOURS or usage is not Usage.ON_DEMAND:
            raise UsageError("--batch gives all prices of an hour: no --hours, no --usage with it")
        if machine_type is not None or region is not None:
            raise UsageError("--batch names types and regions in its file: give no others")
        from netplan_planner.engine.prices.batch import price_table

        # What is read by people has no room for such a table.
        specs = answers.specs_of(output, former_format, default="csv")
        write(price_table(batch, source), specs)
        return
    if machine_type is None or region is None:
        raise UsageError("give a machine type and --region, or a table with --batch FILE")
    from netplan_planner.engine.prices.machines import MachineQuestion, Paid, machine_prices

    specs = answers.specs_of(output, former_format)
    paid = tuple(Paid) if usage is Usage.ALL else (Paid(usage.value),)
    asked = MachineQuestion(
        machine_type=machine_type, region=region, paid=paid, hours=amount(hours, "--hours")
    )
    write(machine_prices(asked, source), specs)
