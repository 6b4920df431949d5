"""The traffic of a bundle of `netplan collect`: sums that were made when it was collected."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.bundle_file import POD_TRAFFIC, TRAFFIC, value_of
from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.model import Reporter, TrafficMatrix
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.traffic.options import TrafficOptions


def read(paths: Sequence[Path], options: TrafficOptions) -> TrafficMatrix:
    """Return the traffic matrix of the one bundle among paths of traffic.

    Raises:
        UsageError: If an option asks for what sums no longer tell.
        InputError: If there is other traffic beside it, or it holds none, or is damaged.
    """
    shown = inert_line(str(paths[0]))
    if len(paths) > 1:
        raise InputError(
            f"{shown}: a bundle holds aggregated traffic, which cannot be combined with other"
            " traffic. Collect all of it into one bundle"
        )
    found = value_of(paths[0], TRAFFIC, TrafficMatrix)
    if found is None:
        raise InputError(f"{shown}: the bundle holds no traffic")
    if options.since is not None or options.until is not None:
        raise UsageError(
            f"--since and --until: {shown} has sums of its whole window; collect again with them"
        )
    if options.reporter not in {Reporter.SOURCE, found.reporter}:
        raise UsageError(
            f"--reporter {options.reporter.value}: {shown} has sums for {found.reporter.value};"
            " collect again with it"
        )
    return with_machines_from(found, options.log_volume_from_gbps, shown)


def with_machines_from(
    matrix: TrafficMatrix, wanted_gbps: float | None, shown: str
) -> TrafficMatrix:
    """Return a matrix whose records tell the series of machines that are looked at, and no others.

    Args:
        matrix: Sums that were stored.
        wanted_gbps: Machines are looked at from this 95th percentile on; None: none are.
        shown: What the sums were read from.

    Raises:
        UsageError: If machines are looked at of which no series are stored.
    """
    held_gbps = matrix.log_volume_from_gbps
    if wanted_gbps is None or matrix.log_volume is None or held_gbps is None:
        return matrix
    if wanted_gbps < held_gbps:
        raise UsageError(
            f"--p95-from {wanted_gbps:g}: {shown} has the series of VMs from {held_gbps:g}"
            " Gbit/s on; give it the flow logs themselves (--traffic)"
        )
    busy = {vm.owner for vm in matrix.vms if vm.egress.p95_gbps >= wanted_gbps}
    sources = tuple(
        replace(
            source,
            intervals=tuple(
                replace(one, machines=tuple(m for m in one.machines if m.owner in busy))
                for one in source.intervals
            ),
        )
        for source in matrix.log_volume
    )
    return replace(matrix, log_volume=sources, log_volume_from_gbps=wanted_gbps)


def read_pods(path: Path) -> PodTraffic | None:
    """Return the traffic of pods of a bundle; None where none was known when it was collected.

    Raises:
        InputError: If the bundle is damaged or of another version.
    """
    return value_of(path, POD_TRAFFIC, PodTraffic)
