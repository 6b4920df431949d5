"""Metrics of a request: stored time series, and what Cloud Monitoring says of the projects."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from netplan_planner.bundle_file import is_bundle
from netplan_planner.errors import InputError
from netplan_planner.google.metrics_window import window_until
from netplan_planner.google.monitoring import gather_live, gather_predicted_logs
from netplan_planner.inert import inert_line
from netplan_planner.model import Inventory, Metrics, TrafficMatrix
from netplan_planner.readers import read_bundled_metrics
from netplan_planner.readers.time_series import Gathering, gather_files, metrics_of, traffic_of
from netplan_planner.world.request import InputRequest

FLOWS_LEFT_OUT = (
    "the metrics of flows (vm_flow) are not used: the traffic input tells more, and counts once"
)


def read_metrics(
    request: InputRequest,
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
    bundles = [path for path in request.metrics if is_bundle(path)]
    if bundles:
        return _bundled(bundles, request), None
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
    by_hour = request.traffic_options.by_hour
    traffic = traffic_of(gathering, inventory, by_hour=by_hour) if with_flows else None
    return metrics_of(gathering, inventory, notes, by_hour=by_hour), traffic


def read_predicted_logs(request: InputRequest, say: Callable[[str], None]) -> Metrics | None:
    """Return the metrics of files, a bundle and the live API that tell of logs before they are on.

    None where nothing was to be read.

    Raises:
        AccessError: If there are no credentials for the live API.
        InputError: If a file cannot be read, or holds no time series.
    """
    bundles = [path for path in request.metrics if is_bundle(path)]
    if bundles:
        return _bundled(bundles, request)
    gathering = gather_files(request.metrics) if request.metrics else None
    if request.live_metrics and request.projects:
        chosen = request.traffic_options
        window = window_until(datetime.now(UTC), request.metrics_days, chosen.since, chosen.until)
        live = gather_predicted_logs(request.projects, request.api, window, say)
        if gathering is None:
            gathering = live
        elif live is not None:
            gathering.merge(live)
    return None if gathering is None else metrics_of(gathering, Inventory())


def _bundled(bundles: list[Path], request: InputRequest) -> Metrics:
    """Return the metrics of the one bundle, whose traffic is a part of its own."""
    shown = inert_line(str(bundles[0]))
    if len(request.metrics) > 1 or (request.live_metrics and request.projects):
        raise InputError(
            f"{shown}: a bundle holds summaries of metrics, to which no others can be added:"
            " collect all of them into one bundle, or leave the live ones out (--no-live-metrics)"
        )
    found = read_bundled_metrics(bundles[0])
    if found is None:
        raise InputError(f"{shown}: the bundle holds no metrics")
    return found


def _live(
    request: InputRequest, inventory: Inventory, say: Callable[[str], None], *, with_flows: bool
) -> Gathering | None:
    """Return what the API says; None where it is not asked."""
    chosen = request.traffic_options
    window = window_until(datetime.now(UTC), request.metrics_days, chosen.since, chosen.until)
    return gather_live(
        request.projects,
        inventory,
        request.api,
        window,
        with_flows=with_flows,
        with_predicted_logs=request.predicted_logs,
        progress=say,
    )
