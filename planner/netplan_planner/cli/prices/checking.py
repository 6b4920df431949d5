"""`netplan prices map|diff|verify`: what catalogues and snapshots hold."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.cli import answers
from netplan_planner.cli.app import EXIT_FINDINGS
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.prices.snapshots import check_prices, price_changes
from netplan_planner.engine.prices.snapshots import map_skus as mapped
from netplan_planner.planning.inputs import PriceFolder


class Map(Parameters, frozen=True, kw_only=True):
    """Which catalogue to read."""

    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Answers of services.skus.list: JSON, or gzip of it."),
    ]
    answer: answers.Output = answers.Output()


@taking
def map_skus(asked: Map) -> None:
    """Print what each SKU of a catalogue is the price of, one row per SKU in the order read.

    Without --output as CSV. `kind` is empty where nothing fits, and `reason` says why; `reason`
    also says why a SKU that is understood is not needed. SKUs that are needed and not understood
    are counted on stderr.
    """
    specs = asked.answer.specs(default="csv")
    answers.write(mapped(asked.files), specs)


class Diff(Parameters, frozen=True, kw_only=True):
    """Which snapshots to compare."""

    old: Annotated[Path, typer.Argument(metavar="OLD", help="Folder or file of a snapshot.")]
    new: Annotated[
        Path, typer.Argument(metavar="NEW", help="Folder or file of the one to compare it with.")
    ]
    percent: Annotated[
        float,
        typer.Option(
            metavar="PERCENT", help="Leave out prices that moved by no more than this.", min=0
        ),
    ] = 0.0
    answer: answers.Output = answers.Output()


@taking
def diff(asked: Diff) -> None:
    """Print the prices that appeared, vanished or moved between two snapshots.

    Machines are compared where they are offered, traffic by its ends, and every SKU by its id.
    """
    specs = asked.answer.specs()
    answers.write(price_changes(asked.old, asked.new, asked.percent), specs)


class Verify(Parameters, frozen=True, kw_only=True):
    """Which snapshot to check."""

    prices: PriceFolder = None
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="DIR",
            help="Snapshot to compare with; default: the embedded one, where another is checked.",
        ),
    ] = None
    answer: answers.Output = answers.Output()


@taking
def verify(asked: Verify) -> None:
    """Check a snapshot: no price that cannot be, none far from its like, nothing left out.

    Exit status 1 if a check fails.
    """
    specs = asked.answer.specs()
    found = check_prices(asked.prices, asked.against, date.today())
    answers.write(found, specs)
    if found.faults:
        raise typer.Exit(EXIT_FINDINGS)
