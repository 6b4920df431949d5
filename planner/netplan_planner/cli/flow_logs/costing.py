"""`netplan flow-logs cost`: what flow logs cost a month, before they are on and after."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from netplan_planner.cli import answers
from netplan_planner.cli.app import progress
from netplan_planner.cli.bundles import Api, FlowReading, Input, Look, PriceInput, request_of
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.flow_log_bill import ONLY_COUNTS, flow_log_bill
from netplan_planner.engine.flow_log_forecast import forecast
from netplan_planner.engine.prices.source import PriceSource
from netplan_planner.errors import UsageError
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
            "--metadata/--no-metadata", help="With --records: whether they will have metadata."
        ),
    ] = True
    given: Input = Input()
    pricing: PriceInput = PriceInput()
    reading: FlowReading = FlowReading()
    api: Api = Api()
    answer: answers.Output = answers.Output()
    look: Look = Look()


@taking
def cost(asked: Cost) -> None:
    """Say what flow logs cost a month, by the subnetwork or configuration that writes them.

    From the records themselves, duplicates of two configurations apart; or before they are on, from
    a table of how many there would be. Generation by its price steps, and storage.
    """
    specs = asked.answer.specs()
    look = RenderOptions(width=asked.look.width, colour=asked.look.color)
    pricing = asked.pricing
    if asked.records is not None:
        if asked.given.is_given:
            raise UsageError("--records is for logs that are not on: give it or what to read")
        source = PriceSource(
            today=date.today(),
            folder=pricing.prices,
            discounts=tuple(pricing.discount or ()),
            billing_exports=tuple(pricing.billing_export or ()),
        )
        found = forecast(asked.records, source, has_metadata=asked.metadata)
        answers.write(found, specs, look)
        return
    request = replace(
        request_of(asked.given, pricing, as_of=None, calibration=None),
        api=asked.api.options(),
        traffic_options=replace(asked.reading.options(), log_volume_from_gbps=ONLY_COUNTS),
    )
    answers.write(flow_log_bill(request, progress), specs, look)
