"""The limits that flows share, as links: one for each limit of each sender and receiver."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.receivers import RECEIVER_CORES
from netplan_planner.throughput.limits.shared_by import OF_RECEIVER, OF_SENDER

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
