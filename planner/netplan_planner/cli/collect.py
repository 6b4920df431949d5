"""`netplan collect`: one file of what an audit reads."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from netplan_planner.asks import OUTPUT, WRITTEN
from netplan_planner.cli import answers
from netplan_planner.cli.app import app, progress
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.collect import check_bundle_path
from netplan_planner.engine.collect import collect as write_bundle
from netplan_planner.engine.request import ApiOptions
from netplan_planner.model.log_volume import MACHINES_FROM_GBPS
from netplan_planner.planning.inputs import PriceFolder
from netplan_planner.planning.project import (
    FlowReading,
    Input,
    MetricsInput,
    StrictReading,
    request_of,
)
from netplan_planner.verbs import panels


class Collect(Parameters, frozen=True, kw_only=True):
    """What to collect, and where it goes."""

    given: Input = Input()
    metrics: MetricsInput = MetricsInput()
    prices: PriceFolder = None
    reading: FlowReading = FlowReading()
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="Write the bundle here (.tar.zst), for --bundle of other verbs.",
            rich_help_panel=OUTPUT,
        ),
        WRITTEN,
    ] = Path("netplan.tar.zst")
    pseudonymise: Annotated[
        bool,
        typer.Option(
            "--pseudonymise",
            help="Replace names of projects, machines, networks and labels, and addresses within"
            " their ranges; zones, regions and machine types stay.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    strict: StrictReading = False
    answer: answers.Output = answers.Output()
    api: ApiOptions = ApiOptions()


@app.command(rich_help_panel=panels.AUDIT)
@taking
def collect(asked: Collect) -> None:
    """Write inventory, sums of the traffic, metrics and prices to one file, without secrets.

    Every verb runs from it (--bundle FILE) and asks nobody for anything.
    """
    specs = asked.answer.specs()
    check_bundle_path(asked.out)
    # What `flow-logs cost` and `plan` count, which sums of traffic no longer tell.
    counted = replace(asked.reading.traffic, log_volume_from_gbps=MACHINES_FROM_GBPS, by_hour=True)
    request = request_of(asked, traffic_options=counted, predicted_logs=True)
    found = write_bundle(request, asked.out, is_pseudonymised=asked.pseudonymise, say=progress)
    answers.write(found, specs)
    if asked.strict:
        answers.refuse_incomplete("the bundle is", found.incomplete)
