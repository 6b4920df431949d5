"""`netplan prices reconcile`: the traffic model against the bill."""

from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.cli import answers
from netplan_planner.cli.app import progress
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.reconcile import reconcile as compare
from netplan_planner.model import Reporter
from netplan_planner.planning.inputs import Discounts, PriceFolder
from netplan_planner.planning.project import Input, WhichReporter, request_of
from netplan_planner.world.request import TrafficOptions


class Reconcile(Parameters, frozen=True, kw_only=True):
    """Which traffic to compare with which bill."""

    billing_export: Annotated[
        list[Path],
        typer.Option(
            "--billing-export",
            metavar="FILE",
            help="Detailed usage table of the Cloud Billing export (Parquet, CSV); repeat it.",
        ),
    ]
    given: Input = Input()
    prices: PriceFolder = None
    discounts: Discounts = ()
    contract: Annotated[
        bool,
        typer.Option(
            "--contract", help="Price the model with the effective prices of the export as well."
        ),
    ] = False
    reporter: WhichReporter = Reporter.SOURCE
    answer: answers.Output = answers.Output()


@taking
def reconcile(asked: Reconcile) -> None:
    """Compare what flow records say for a month with what was billed, per SKU.

    The model's volumes are scaled to the hours of the bill; the residual is what the bill has more.
    """
    specs = asked.answer.specs()
    request = request_of(
        asked,
        discounts=asked.discounts,
        billing_exports=tuple(asked.billing_export) if asked.contract else (),
        traffic_options=TrafficOptions(reporter=asked.reporter),
    )
    answers.write(compare(request, asked.billing_export, progress), specs)
