"""`netplan price machine`: one type, or a table of them."""

from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.choices import Paid
from netplan_planner.cli import answers
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.price import price_app
from netplan_planner.cli.price.shared import DEFAULT_HOURS, Hours, Prices, amount
from netplan_planner.engine.prices.machines import MachineQuestion, machine_prices
from netplan_planner.errors import UsageError


class Machine(Parameters, frozen=True, kw_only=True):
    """Which machine, or which table of them."""

    machine_type: Annotated[
        str | None,
        typer.Argument(
            metavar="TYPE", help="Machine type, such as n2-standard-16, n2-custom-8-16384."
        ),
    ] = None
    region: Annotated[
        str | None,
        typer.Option("--region", metavar="REGION", help="Where it runs, such as us-central1."),
    ] = None
    batch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV with the columns region and machine_type: all prices of each row, in its"
            " order; `-` reads stdin.",
        ),
    ] = None
    usage: Annotated[Paid, typer.Option(help="How it is paid for.")] = Paid.ON_DEMAND
    hours: Hours = DEFAULT_HOURS
    prices: Prices = Prices()
    answer: answers.Output = answers.Output()


@price_app.command()
@taking
def machine(asked: Machine) -> None:
    """Print what a machine costs per hour and for a month, or for another number of hours."""
    if asked.batch is not None:
        _write_table(asked, asked.batch)
        return
    if asked.machine_type is None or asked.region is None:
        raise UsageError("give a machine type and --region, or a table with --batch FILE")

    specs = asked.answer.specs()
    question = MachineQuestion(
        machine_type=asked.machine_type,
        region=asked.region,
        paid=asked.usage,
        hours=amount(asked.hours),
    )
    answers.write(machine_prices(question, asked.prices.source()), specs)


def _write_table(asked: Machine, file: Path) -> None:
    if asked.hours != DEFAULT_HOURS or asked.usage is not Paid.ON_DEMAND:
        raise UsageError("--batch gives all prices of an hour: no --hours, no --usage with it")
    if asked.machine_type is not None or asked.region is not None:
        raise UsageError("--batch names types and regions in its file: give no others")
    from netplan_planner.engine.prices.batch import price_table

    # What is read by people has no room for such a table.
    specs = asked.answer.specs(default="csv")
    answers.write(price_table(file, asked.prices.source()), specs)
