"""Metrics of a request: stored time series, and what Cloud Monitoring says of the projects."""

from collections.abc import Callable
from datetime import UTC, datetime

from netplan_planner.engine.request import AuditRequest
from netplan_planner.google.metrics_window import window_until
from netplan_planner.google.monitoring import gather_live
from netplan_planner.model import Inventory, Metrics, TrafficMatrix
from netplan_planner.readers.time_series import Gathering, gather_files, metrics_of, traffic_of

FLOWS_LEFT_OUT = (
    "the metrics of flows (vm_flow) are not used: the traffic input tells more, and counts once"
)


def read_metrics(
    request: AuditRequest,
    inventory: Inventory,
    say: Callable[[str], None],
    *,
    with_flows: bool,
) -> tuple[Metrics | None, TrafficMatrix | None]:
    """Return the metrics, and the traffic that they tell of; None where nothing was to be read.

    Args:
        request: Names files, and whether the live API is asked.
        inventory: Whose resources the series are of.
        say: Takes a line on what is read.
        with_flows: Whether traffic is wanted: flow logs go before it.

    Raises:
        AccessError: If there are no credentials for the live API.
        InputError: If a file cannot be read, or holds no time series.
    """
    gathering: Gathering | None = None
    if request.metrics:
        say(
            f"reading {len(request.metrics)} {'input' if len(request.metrics) == 1 else 'inputs'}"
            " of metrics"
        )
        gathering = gather_files(request.metrics)
    if request.live_metrics and request.projects:
        found = _live(request, inventory, say, with_flows=with_flows)
        if gathering is None:
            gathering = found
        elif found is not None:
            gathering.merge(found)
    if gathering is None:
        return None, None
    notes = (FLOWS_LEFT_OUT,) if gathering.has_flows and not with_flows else ()
    traffic = traffic_of(gathering, inventory) if with_flows else None
    return metrics_of(gathering, inventory, notes), traffic


def _live(
    request: AuditRequest, inventory: Inventory, say: Callable[[str], None], *, with_flows: bool
) -> Gathering | None:
    """Return what the API says; None where it is not asked."""
    chosen = request.traffic_options
    window = window_until(datetime.now(UTC), request.metrics_days, chosen.since, chosen.until)
    return gather_live(
        request.projects, inventory, request.api, window, with_flows=with_flows, progress=say
    )
