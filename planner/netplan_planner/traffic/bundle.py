"""The traffic of a bundle of `netplan collect`: sums that were made when it was collected."""

from collections.abc import Sequence
from pathlib import Path

from netplan_planner.bundle_file import POD_TRAFFIC, TRAFFIC, value_of
from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.model import Reporter, TrafficMatrix
from netplan_planner.model.pod_traffic import PodTraffic
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
            f"{shown}: a bundle holds sums of traffic, to which no other traffic can be added:"
            " collect all of it into one bundle"
        )
    found = value_of(paths[0], TRAFFIC, TrafficMatrix)
    if found is None:
        raise InputError(f"{shown}: the bundle holds no traffic")
    if options.since is not None or options.until is not None:
        raise UsageError(
            f"--since and --until: {shown} holds sums of its whole window; collect anew with them"
        )
    if options.reporter not in {Reporter.SOURCE, found.reporter}:
        raise UsageError(
            f"--reporter {options.reporter.value}: {shown} holds sums by {found.reporter.value};"
            " collect it anew"
        )
    return found


def read_pods(path: Path) -> PodTraffic | None:
    """Return the traffic of pods of a bundle; None where none was known when it was collected.

    Raises:
        InputError: If the bundle is damaged or of another version.
    """
    return value_of(path, POD_TRAFFIC, PodTraffic)
