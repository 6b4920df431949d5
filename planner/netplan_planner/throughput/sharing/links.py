"""The limits that flows share, as links: one for each limit of each sender and receiver.

What every limit of a path lets through, for paths over as many streams as it takes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import CapsBook, PathQuery
from netplan_planner.throughput.batch import spread_columns
from netplan_planner.throughput.calibration.factors.calibrated_caps import probed_paths
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.limits.senders import RECEIVER_CORES
from netplan_planner.throughput.limits.shared_by import OF_RECEIVER, OF_SENDER
from netplan_planner.throughput.single_row import single_row, stacked


class PathRates(NamedTuple):
    """The arrays' first axis is that of the paths; NaN where a path's rate is not known."""

    gbps: NDArray[np.float64]
    """What the path carries alone: what `predict` says."""
    limits_gbps: NDArray[np.float64]
    """Second axis: `mean.LIMITS`; NaN also for a limit that the path has not."""
    unknown: tuple[str, ...]
    """By path: why its rate is not known; empty where it is."""


def path_rates(queries: Sequence[PathQuery], caps: CapsBook) -> PathRates:
    """Return the rates of paths and of each of their limits, worked out on whole columns.

    Args:
        queries: Paths in steady state without a number of streams.
        caps: The caps at a date.
    """
    gbps = np.full(len(queries), np.nan)
    limits_gbps = np.full((len(queries), len(LIMITS)), np.nan)
    found = [static_limits(query, caps) for query in queries]
    known = [number for number, one in enumerate(found) if not one.unknown]
    if known:
        asked = [replace(queries[number], as_of=caps.as_of) for number in known]
        limits = [found[number] for number in known]
        columns = stacked([single_row(query)[0] for query in asked])
        means = spread_columns(asked, limits, columns, probed_paths(asked, limits, caps)).means
        gbps[known] = means.gbps
        limits_gbps[known] = means.limits_gbps
    return PathRates(gbps, limits_gbps, tuple("; ".join(one.unknown) for one in found))


Codes = NDArray[np.integer[Any]]


class Ends(NamedTuple):
    """One end of each flow."""

    machine: Codes
    """By flow: which of the machines."""
    machine_count: int


class Links(NamedTuple):
    """Links and who is on them; a link is a machine and one of its limits."""

    of_flow: NDArray[np.intp]
    """Axes: flow, place. Entries: a link, -1 for none."""
    capacity_gbps: NDArray[np.float64]
    """By link; infinity where no flow has the limit."""
    name: NDArray[np.intp]
    """By link: index into `NAMES`."""
    machine: NDArray[np.intp]
    """By link: which of the senders, or of the receivers."""


NAMES = (*OF_SENDER, *OF_RECEIVER)
"""What limits are called, those of senders first."""


def shared_links(src: Ends, dst: Ends, limits_gbps: NDArray[np.float64]) -> Links:
    """Return the links of flows that run at the same time.

    A machine has one link for each of the limits, of the least capacity that any flow gives it.

    Args:
        src: Senders.
        dst: Receivers.
        limits_gbps: Axes: flow, limit in the order of `mean.LIMITS`; NaN where it has none. What
            each limit lets through of the flow.
    """
    columns: list[NDArray[np.intp]] = []
    capacities: list[NDArray[np.float64]] = []
    names: list[NDArray[np.intp]] = []
    start = 0
    for ends, limit_names in ((src, OF_SENDER), (dst, OF_RECEIVER)):
        for name in limit_names:
            capacity = np.full(ends.machine_count, np.inf)
            values = limits_gbps[:, LIMITS.index(name)]
            np.minimum.at(capacity, ends.machine, np.where(np.isnan(values), np.inf, values))
            # What arrives at a receiver's vCPUs counts, also from a sender too small to fill them.
            felt = capacity[ends.machine] if name == RECEIVER_CORES else values
            columns.append(np.where(np.isinf(felt) | np.isnan(felt), -1, start + ends.machine))
            capacities.append(capacity)
            names.append(np.full(ends.machine_count, len(names)))
            start += ends.machine_count
    sides = (*(src.machine_count for _ in OF_SENDER), *(dst.machine_count for _ in OF_RECEIVER))
    return Links(
        of_flow=np.column_stack(columns),
        capacity_gbps=np.concatenate(capacities),
        name=np.concatenate(names),
        machine=np.concatenate([np.arange(count) for count in sides]),
    )
