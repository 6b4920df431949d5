"""`netplan flows aggregate`: a folder of sums that verbs read as traffic."""

from typing import Annotated

import typer
from msgspec.structs import replace

from netplan_planner.asks import OUTPUT, TRAFFIC, WRITTEN_FOLDER
from netplan_planner.cli import answers
from netplan_planner.cli.app import progress
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.aggregate import aggregate as write_aggregates
from netplan_planner.engine.aggregate import check_folder
from netplan_planner.engine.request import ApiOptions
from netplan_planner.model.log_volume import MACHINES_FROM_GBPS
from netplan_planner.planning.project import FlowReading, Input, StrictReading, request_of


class Aggregate(Parameters, frozen=True, kw_only=True):
    """What to sum, and where the sums go."""

    given: Input = Input()
    reading: FlowReading = FlowReading()
    log_volume: Annotated[
        bool,
        typer.Option(
            "--log-volume",
            help="Also count what the records themselves are, for flow-logs cost and plan.",
            rich_help_panel=TRAFFIC,
        ),
    ] = False
    out: Annotated[
        str,
        typer.Option(
            metavar="FOLDER",
            help="Write the aggregates here, for --traffic of other verbs; in the place of older"
            " ones, and of nothing else. A job of spark-submit also writes to gs://….",
            rich_help_panel=OUTPUT,
        ),
        WRITTEN_FOLDER,
    ] = "netplan-aggregates"
    strict: StrictReading = False
    answer: answers.Output = answers.Output()
    api: ApiOptions = ApiOptions()


@taking
def aggregate(asked: Aggregate) -> None:
    """Read flow logs once, and write their sums to a folder of Parquet files.

    Verbs that read traffic take the folder (--traffic FOLDER) with the inventory that it was made
    with, and answer as from the records themselves.
    """
    specs = asked.answer.specs()
    check_folder(asked.out)
    volume_from = MACHINES_FROM_GBPS if asked.log_volume else None
    summed = replace(asked.reading.traffic, by_hour=True, log_volume_from_gbps=volume_from)
    request = request_of(asked, traffic_options=summed)
    found = write_aggregates(request, asked.out, say=progress)
    answers.write(found, specs)
    if asked.strict:
        answers.refuse_incomplete("the aggregates are", found.incomplete)
