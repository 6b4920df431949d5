"""The traffic of metrics by hour: of machines, and of paths."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from netplan_planner.model import Inventory, PathClass, TrafficMatrix
from netplan_planner.model.rate_bins import MachineHours, PathHours, RateBins, TrafficHours
from netplan_planner.paths.path_keys import PricedPathKey, priced_path_key
from netplan_planner.readers.time_series.hours import hours_of
from netplan_planner.readers.time_series.intervals import Floats, Grid
from netplan_planner.readers.time_series.raw import US_PER_S

EdgeKey = tuple[str, str, PathClass]
"""Keys of source and destination, path class."""


class Told(NamedTuple):
    """Which intervals any point tells of."""

    grid: Grid
    is_told: np.ndarray[tuple[int], np.dtype[np.bool_]]

    def bins(self, byte_counts: Floats) -> RateBins:
        """Return bytes of the told intervals by hour; the others are unknown."""
        laid = np.full(self.grid.interval_count, np.nan)
        laid[self.is_told] = byte_counts / (self.grid.resolution_us / US_PER_S)
        return hours_of(laid, self.grid)


def flow_hours(
    matrix: TrafficMatrix,
    inventory: Inventory,
    edges: Mapping[EdgeKey, Floats],
    machines: Mapping[str, tuple[Floats, Floats]],
    told: Told,
) -> TrafficHours:
    """Return the hours of a matrix.

    Args:
        matrix: What the metrics came to.
        inventory: Decides which edges have one price.
        edges: Bytes of each edge by told interval.
        machines: The same of what each machine sends, in all and to outside the VPC.
        told: Which intervals these are.
    """
    paths: dict[PricedPathKey, tuple[int, Floats]] = {}
    for at, edge in enumerate(matrix.edges):
        src, dst = matrix.owners[edge.src].key, matrix.owners[edge.dst].key
        own = edges[src, dst, edge.path_class]
        key = priced_path_key(matrix, edge, inventory)
        example, before = paths.get(key, (at, np.zeros(len(own))))
        paths[key] = example, before + own
    whole = told.bins(np.zeros(np.count_nonzero(told.is_told)))
    by_owner = ((vm.owner, machines.get(matrix.owners[vm.owner].key)) for vm in matrix.vms)
    return TrafficHours(
        start=whole.start,
        bin_s=whole.bin_s,
        machines=tuple(
            MachineHours(
                owner=owner,
                gbps=told.bins(sums[0]).gbps,
                outside_gbps=told.bins(sums[1]).gbps,
            )
            for owner, sums in by_owner
            if sums is not None
        ),
        paths=tuple(
            PathHours(edge=example, gbps=told.bins(sums).gbps) for example, sums in paths.values()
        ),
    )
