"""`netplan flow-logs cost`: what flow logs cost a month, before they are on and after."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from netplan_planner.cli import answers, options
from netplan_planner.cli.app import progress
from netplan_planner.cli.bundles import Look
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.flow_logs.cost import ONLY_COUNTS
from netplan_planner.engine.flow_logs.forecast import cost as cost_of
from netplan_planner.engine.flow_logs.forecast import forecast
from netplan_planner.engine.prices.source import PriceSource, currency_in
from netplan_planner.engine.request import ApiOptions
from netplan_planner.errors import UsageError
from netplan_planner.model.flow_log_bill import FlowLogBill
from netplan_planner.planning.inputs import PriceInput
from netplan_planner.planning.project import FlowReading, Input, MetricsInput, request_of
from netplan_planner.renderers import RenderOptions


class Cost(Parameters, frozen=True, kw_only=True):
    """Whose flow logs."""

    records: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table (CSV, Parquet) of records before logs are on: place, records, and of how"
            " many hours; such as from the metric predicted_max_vpc_flow_logs_count.",
        ),
    ] = None
    metadata: Annotated[
        bool,
        typer.Option(
            "--metadata/--no-metadata",
            help="With --records and metrics: whether they will have metadata.",
        ),
    ] = True
    given: Input = Input()
    metrics: MetricsInput = MetricsInput()
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()
    answer: answers.Output = answers.Output()
    look: Look = Look()


@taking
def cost(asked: Cost) -> None:
    """Say what flow logs cost a month, by the subnetwork or configuration that writes them.

    From the records themselves, duplicates of two configurations apart; or before they are on, from
    a table, or the metric predicted_max_vpc_flow_logs_count (--metrics; --project asks for it where
    no --traffic is given), of how many there would be. Generation by its price steps, and storage.
    """
    specs = asked.answer.specs()
    look = RenderOptions(
        width=asked.look.width,
        colour=asked.look.color,
        # Before anything is read: a rate that is not there is no reason to wait for.
        currency=currency_in(asked.given.prices(asked.pricing), asked.currency),
    )
    answers.write(_bill(asked), specs, look)


def _bill(asked: Cost) -> FlowLogBill:
    """Return the bill by what was given: a table, a metric, else the records themselves."""
    pricing = asked.pricing
    source = PriceSource(
        today=date.today(),
        folder=asked.given.prices(pricing),
        discounts=pricing.discounts,
        billing_exports=pricing.billing_exports,
    )
    if asked.records is not None:
        if asked.given.is_given or asked.metrics.metrics:
            raise UsageError("--records is for logs that are not on: give it or what to read")
        return forecast(asked.records, source, has_metadata=asked.metadata)
    counted = replace(asked.reading.traffic, log_volume_from_gbps=ONLY_COUNTS)
    request = request_of(asked, traffic_options=counted)
    return cost_of(request, source, has_metadata=asked.metadata, say=progress)
