"""From flow-log files and an inventory to a traffic matrix.

Importing this package is cheap: the engine (DuckDB) is imported when traffic is read.
"""

from collections.abc import Sequence
from pathlib import Path

from netplan_planner.bundle_file import is_bundle
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.traffic import read as logs
from netplan_planner.traffic.aggregates import is_aggregates, reading
from netplan_planner.traffic.files import bundle
from netplan_planner.traffic.options import HeaderBytes, TrafficOptions
from netplan_planner.traffic.pod_flows import pods

_DEFAULTS = TrafficOptions()

__all__ = ["HeaderBytes", "TrafficOptions", "read_pod_traffic", "read_traffic"]


def read_traffic(
    paths: Sequence[Path], inventory: Inventory, options: TrafficOptions = _DEFAULTS
) -> TrafficMatrix:
    """Return the traffic matrix of flow logs and plain tables, or of one bundle or aggregates.

    Args:
        paths: Files, or folders whose files are all read; the order does not matter.
        inventory: What the addresses of the records are looked up in.
        options: Choices and bounds.

    Raises:
        InputError: If a file is missing, empty, of no known layout, or holds no readable record.
        UsageError: If an option is not what the engine takes, such as a memory limit.
    """
    if any(map(is_bundle, paths)):
        return bundle.read(sorted(paths, key=is_bundle, reverse=True), options)
    if any(map(is_aggregates, paths)):
        return reading.read(sorted(paths, key=is_aggregates, reverse=True), inventory, options)
    return logs.read(paths, inventory, options)


def read_pod_traffic(
    paths: Sequence[Path],
    inventory: Inventory,
    options: TrafficOptions = _DEFAULTS,
    beside: TrafficMatrix | None = None,
) -> PodTraffic | None:
    """Return the traffic between pods by workload, zone and Service; None where no pod is named.

    Of a bundle, and of aggregates, what they hold of them.

    Args:
        paths: Flow logs with GKE annotations, tables whose `src` and `dst` are pods or workloads
            (`namespace/name`), or flows of Hubble; the order does not matter.
        inventory: Its Kubernetes objects say where pods are, and which Service they belong to.
        options: Window, bounds of the engine, and the headers of a packet.
        beside: What `read_traffic` returned for the same paths and options, whose window is then
            the one of which a month is made. Without it the window is that of the pods' own
            records.

    Raises:
        InputError: If a file is missing, empty or of no known layout.
        UsageError: If an option is not what the engine takes, such as a memory limit.
    """
    bundled = next(filter(is_bundle, paths), None)
    if bundled is not None:
        return bundle.read_pods(bundled)
    summed = next(filter(is_aggregates, paths), None)
    if summed is not None:
        return reading.read_pods(summed)
    return pods.read(paths, inventory, options, beside)
