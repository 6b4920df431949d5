"""Reads what a request names and joins it into `Facts`; what judges and plans does no I/O."""

from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.bundle_file import is_bundle
from netplan_planner.errors import InputError, UsageError, near
from netplan_planner.google.assets import read_assets
from netplan_planner.google.compute import read_projects
from netplan_planner.google.logs.options import CLOUD_LOGGING
from netplan_planner.google.metrics_window import window_until
from netplan_planner.google.monitoring import gather_live, gather_predicted_logs
from netplan_planner.inert import inert_line
from netplan_planner.input_files import unreadable
from netplan_planner.measuring.store import read_store
from netplan_planner.model import Facts, Instance, Inventory, Metrics, TrafficMatrix
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.readers import (
    merge_inventories,
    prior_state,
    read_bundled_metrics,
    read_inventory,
    without_projects,
)
from netplan_planner.readers.time_series import Gathering, gather_files, metrics_of, traffic_of
from netplan_planner.throughput import load_caps
from netplan_planner.traffic import read_pod_traffic, read_traffic
from netplan_planner.traffic.spark.place import SparkPlace
from netplan_planner.world.calibration import with_calibration
from netplan_planner.world.demos import Demo, load_demo, relabelled_inventory, relabelled_traffic
from netplan_planner.world.remote_traffic import (
    is_live,
    place_in_bigquery,
    read_in_bigquery,
    read_live,
    read_on_spark,
    server_of_spark,
)
from netplan_planner.world.request import InputRequest
from netplan_planner.world.settings import targets_of, with_set_ups
from netplan_pricing import open_prices
from netplan_rules.registry import thresholds

# Metrics of a request: stored time series, and what Cloud Monitoring says of the projects


FLOWS_LEFT_OUT = (
    "metrics of flows (vm_flow) are not used: the traffic input has more detail, and traffic counts"
    " once"
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
            f"{shown}: a bundle holds summaries of metrics, which cannot be combined with others."
            " Collect all of them into one bundle, or leave out the live ones (--no-live-metrics)"
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


# Reads what a request names and joins it into `Facts`; what judges and plans does no I/O


Say = Callable[[str], None]


def read_facts(request: InputRequest, demo: Demo | None, say: Say) -> model.Facts:
    """Return everything that the rules may look at.

    Raises:
        UsageError: If the request names nothing to read.
        InputError: If an input cannot be read at all.
    """
    inventory, traffic, pod_traffic = read_flows(request, demo, say)
    inventory = with_set_ups(inventory, request.set_ups, is_side=request.is_side)
    metrics, of_metrics = read_metrics(request, inventory, say, with_flows=traffic is None)
    prices = open_prices(request.prices, request.discounts, request.billing_exports)
    caps = with_calibration(load_caps(limits_date(request, demo)), request.calibration)
    measurements, measured = _measurements(request, say)
    overrides: dict[str, dict[str, float]] = {}
    for rule, name, value in (*(demo.thresholds if demo else ()), *request.thresholds):
        overrides.setdefault(rule, {})[name] = value
    return model.Facts(
        inventory=inventory,
        traffic=traffic if traffic is not None else of_metrics,
        pod_traffic=pod_traffic,
        prices=prices,
        caps=caps,
        machines=Chooser(prices, caps, request.commitment_scope),
        today=request.today,
        thresholds=thresholds(overrides),
        targets=targets_of(
            (*(demo.targets if demo else ()), *request.targets), inventory, is_side=request.is_side
        ),
        links=tuple(
            model.DeclaredLink(range=addresses, gbps=gbps, source=source)
            for addresses, gbps, source in (*(demo.links if demo else ()), *request.links)
        ),
        measurements=measurements,
        measurement_coverage=measured,
        metrics=metrics,
    )


def read_flows(
    request: InputRequest, demo: Demo | None, say: Say
) -> tuple[model.Inventory, model.TrafficMatrix | None, PodTraffic | None]:
    """Return the inventory and the flows alone: the traffic of machines, and of pods.

    Raises:
        UsageError: If the request names no inventory.
        InputError: If an input cannot be read at all.
    """
    # Before anything is read, which may take long.
    server = server_of_spark(request)
    inventory = _inventory(request, demo, say)
    return inventory, *_traffic(request, demo, server, inventory, say)


def limits_date(request: InputRequest, demo: Demo | None) -> date:
    """Return the date whose limits hold: as asked for, else the demo's, else today."""
    if request.as_of is not None:
        return request.as_of
    return demo.limits_as_of if demo is not None else request.today


def _inventory(request: InputRequest, demo: Demo | None, say: Say) -> model.Inventory:
    parts = []
    if demo is not None:
        parts.append(relabelled_inventory(read_inventory(demo.inventory)))
    if request.inventory:
        (*_, last) = request.inventory
        parts.append(prior_state(last) if request.is_before else read_inventory(request.inventory))
    if request.projects:
        parts.append(read_projects(request.projects, request.api, say))
    if request.parents:
        parts.append(read_assets(request.parents, request.api, say))
    if not parts:
        given = [
            option
            for option, paths in (("--traffic", request.traffic), ("--metrics", request.metrics))
            if paths
        ]
        nothing = f"{' and '.join(given)} without VMs" if given else "nothing to read"
        raise UsageError(
            f"{nothing}: give a project (--project P), files (--inventory DIR), an organization"
            " or folder (--organization, --folder), or a demo (--demo gecko)"
        )
    whole = parts[0] if len(parts) == 1 else merge_inventories(parts)
    return without_projects(whole, request.excluded)


def _traffic(
    request: InputRequest,
    demo: Demo | None,
    server: SparkPlace | None,
    inventory: model.Inventory,
    say: Say,
) -> tuple[model.TrafficMatrix | None, PodTraffic | None]:
    """Return the traffic between machines, and of a cluster's pods: both None without any input."""
    paths = (*(demo.traffic if demo is not None else ()), *request.traffic)
    if server is not None:
        return read_on_spark(request, server, inventory, say), None
    if request.log_options.views and not is_live(request):
        raise UsageError(f"--log-view needs --traffic {CLOUD_LOGGING}")
    place = place_in_bigquery(request)
    if place is not None:
        return read_in_bigquery(request, place, inventory, say), None
    if is_live(request):
        files = [path for path in paths if path != Path(CLOUD_LOGGING)]
        return read_live(request, files, inventory, say)
    if not paths:
        return None, None
    say(f"reading {len(paths)} traffic {'input' if len(paths) == 1 else 'inputs'}")
    options = request.traffic_options
    traffic = read_traffic(paths, inventory, options)
    if demo is not None:
        traffic = relabelled_traffic(traffic)
    if inventory.kubernetes is None:
        return traffic, None
    # Only beside a cluster: it reads the logs again.
    say("reading the traffic of pods")
    return traffic, read_pod_traffic(paths, inventory, options, traffic)


def _measurements(
    request: InputRequest, say: Say
) -> tuple[tuple[model.Measurement, ...] | None, model.MeasurementCoverage | None]:
    paths = tuple(dict.fromkeys(request.measurements))
    if not paths:
        return None, None
    say(f"reading {len(paths)} {'store' if len(paths) == 1 else 'stores'} of measurements")
    return read_measurements(paths)


Measured = tuple[tuple[model.Measurement, ...], model.MeasurementCoverage]


def read_measurements(paths: Sequence[Path]) -> Measured:
    """Return the measurements of several stores, and what could not be read of them.

    A run that several stores hold counts once, as the first of them has it.

    Raises:
        InputError: If a file is not there or cannot be opened, or if no line of it is a record.
    """
    kept: dict[Hashable, model.Measurement] = {}
    faults: list[str] = []
    record_count = 0
    for path in paths:
        try:
            path.stat()
        except OSError as exc:
            raise unreadable(path, exc, "--measurements needs a store") from exc
        store = read_store(path)
        if store.faults and not store.measurements:
            raise InputError(
                f"{store.faults[0]}; no line of it is a measurement. Create a store from tool"
                " output with `netplan probe import`."
            )
        record_count += len(store.measurements) + store.repeated_count
        faults += store.faults
        for one in store.measurements:
            kept.setdefault(one.run_id or replace(one, source="", place=""), one)
    return tuple(kept.values()), model.MeasurementCoverage(
        files=len(paths),
        measurement_count=len(kept),
        repeated_count=record_count - len(kept),
        faults=tuple(faults),
    )


# A machine of the input by the name that a user gives


_LISTED = 5


def find_machine(
    request: InputRequest, name: str, say: Say = lambda _: None
) -> tuple[Facts, Instance]:
    """Return the facts of a request and the one machine of that name.

    Raises:
        UsageError: If no machine has the name, or several have.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    return facts, machine_of(facts.inventory, name)


def machine_of(inventory: Inventory, name: str) -> Instance:
    """Return the machine of a name, `project/zone/name` or the end of a self link.

    Raises:
        UsageError: If there is none, or more than one.
    """
    wanted = name.strip("/")
    found = [i for i in inventory.instances if _is_named(i, wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        links = ", ".join(f"{i.project}/{i.zone}/{i.name}" for i in found[:_LISTED])
        raise UsageError(f"{len(found)} VMs are named {name!r}: {links}. Name one of them.")
    hint = near(wanted, (i.name for i in inventory.instances))
    raise UsageError(f"no VM of the input is named {name!r}{hint}")


def _is_named(instance: Instance, wanted: str) -> bool:
    full = f"{instance.project}/{instance.zone}/{instance.name}"
    return wanted in {instance.name, full} or instance.ref.self_link.endswith("/" + wanted)
