"""What `netplan flows aggregate` is asked."""

from typing import Annotated

from netplan_planner.asks import OUTPUT, TRAFFIC, WRITTEN_FOLDER, Ask, Request
from netplan_planner.planning.project import FlowReading, Input, StrictReading
from netplan_planner.world.request import ApiOptions


class AggregateAsk(Request, frozen=True, kw_only=True):
    """What to sum, and where the sums go."""

    given: Input = Input()
    reading: FlowReading = FlowReading()
    has_log_volume: Annotated[
        bool,
        Ask(
            "Also count the records, which flow-logs cost and plan need.",
            "--log-volume",
            panel=TRAFFIC,
        ),
    ] = False
    out: Annotated[
        str,
        Ask(
            "Write the aggregates to this folder, which other verbs read with --traffic. Replaces "
            "older aggregates and nothing else. A spark-submit job also writes to gs://….",
            metavar="FOLDER",
            panel=OUTPUT,
        ),
        WRITTEN_FOLDER,
    ] = "netplan-aggregates"
    is_strict: StrictReading = False
    api: ApiOptions = ApiOptions()
