"""What `netplan collect` is asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import OUTPUT, WRITTEN, Ask, Request
from netplan_planner.planning.inputs import PriceFolder
from netplan_planner.planning.project import FlowReading, Input, MetricsInput, StrictReading
from netplan_planner.world.request import ApiOptions


class CollectAsk(Request, frozen=True, kw_only=True):
    """What to collect, and where it goes."""

    given: Input = Input()
    metrics: MetricsInput = MetricsInput()
    prices: PriceFolder = None
    reading: FlowReading = FlowReading()
    out: Annotated[
        Path,
        Ask(
            "Write the bundle to this file (.tar.zst). Other verbs read it with --bundle.",
            metavar="FILE",
            panel=OUTPUT,
        ),
        WRITTEN,
    ] = Path("netplan.tar.zst")
    is_pseudonymised: Annotated[
        bool,
        Ask(
            "Replace names of projects, VMs, networks and labels, and addresses within their "
            "ranges. Zones, regions and machine types stay.",
            "--pseudonymise",
            panel=OUTPUT,
        ),
    ] = False
    is_strict: StrictReading = False
    api: ApiOptions = ApiOptions()
