"""A placement as numbers: machines by index, zones by index, dollars a month.

Arrays cross modules here: axes are machines (n) and zones (Z), always in the order of the problem.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Zones = NDArray[np.intp]
"""The zone of each machine, by index."""
EPSILON = 1e-9
"""Dollars that are none."""
BROKEN_USD = 1e9
"""What a round trip above its limit costs in the search, so that no plan keeps one."""


class Layer(NamedTuple):
    """Traffic of one sort of price, as each machine sees it."""

    weights: Any
    """Sparse rows, n × n: what machine v exchanges with machine u, in units of `usd`."""
    usd: Floats
    """Z × Z: dollars of a unit where v stands in the row's zone and u in the column's."""


class Group(NamedTuple):
    """Machines that stand apart."""

    members: Zones
    """Machines by index."""
    least_zones: int
    """In so many different zones at least."""

    @property
    def is_apart(self) -> bool:
        """Whether no two of them may share a zone."""
        return self.least_zones == len(self.members)


class RttLimit(NamedTuple):
    """Two machines, and the pairs of zones that are too far apart for them."""

    one: int
    other: int
    is_too_far: NDArray[np.bool_]
    """Z × Z."""


class PlacementProblem:
    """What is to be placed; nothing of it changes."""

    def __init__(
        self,
        *,
        vcpus: Floats,
        capacity: Floats,
        allowed: NDArray[np.bool_],
        unary_usd: Floats,
        layers: tuple[Layer, ...],
        groups: tuple[Group, ...],
        rtt_limits: tuple[RttLimit, ...],
        today: Zones,
    ) -> None:
        """Take the numbers as they are.

        Args:
            vcpus: What each machine takes of a zone, n.
            capacity: What each zone holds, Z; infinite where nothing says.
            allowed: Where each machine may stand, n × Z.
            unary_usd: What each machine costs in each zone whatever the others do, n × Z.
            layers: The traffic; each pair stands in the rows of both ends.
            groups: Each machine is in one at most.
            rtt_limits: Pairs with a limit; `layers` need not hold them.
            today: Where each stands now.
        """
        self.vcpus, self.capacity, self.allowed = vcpus, capacity, allowed
        self.unary_usd, self.groups, self.rtt_limits = unary_usd, groups, rtt_limits
        self.today = today
        self.priced_layers = layers
        self.count, self.zone_count = allowed.shape

    @cached_property
    def group_of(self) -> Zones:
        """The group of each machine, -1 where it is in none."""
        found = np.full(self.count, -1, dtype=np.intp)
        for number, group in enumerate(self.groups):
            found[group.members] = number
        return found

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The traffic, and what breaks a limit of a round trip at a price that nobody pays."""
        by_pairs: dict[bytes, list[RttLimit]] = {}
        for limit in self.rtt_limits:
            by_pairs.setdefault(limit.is_too_far.tobytes(), []).append(limit)
        return (*self.priced_layers, *map(self._broken, by_pairs.values()))

    def _broken(self, limits: list[RttLimit]) -> Layer:
        from_one = np.array([limit.one for limit in limits])
        from_other = np.array([limit.other for limit in limits])
        pairs = np.concatenate([from_one, from_other]), np.concatenate([from_other, from_one])
        is_too_far = limits[0].is_too_far
        return Layer(
            sparse_rows(np.ones(len(pairs[0])), pairs, self.count),
            np.where(is_too_far | is_too_far.T, BROKEN_USD, 0.0),
        )

    def without_limits(self) -> "PlacementProblem":
        """Return the same without limits of round trips."""
        return self.with_layers(self.priced_layers, ())

    def with_layers(
        self, layers: tuple[Layer, ...], rtt_limits: tuple[RttLimit, ...]
    ) -> "PlacementProblem":
        """Return the same with other traffic."""
        return PlacementProblem(
            vcpus=self.vcpus,
            capacity=self.capacity,
            allowed=self.allowed,
            unary_usd=self.unary_usd,
            layers=layers,
            groups=self.groups,
            rtt_limits=rtt_limits,
            today=self.today,
        )

    @cached_property
    def is_potts(self) -> bool:
        """Whether traffic costs the same between any two zones that differ, and nothing inside."""
        same = 1.0 - np.eye(self.zone_count)
        return all(np.array_equal(layer.usd, same) for layer in self.priced_layers)

    @cached_property
    def movable(self) -> Zones:
        """Machines with more than one zone to stand in."""
        return np.flatnonzero(self.allowed.sum(axis=1) > 1)

    def usd(self, zones: Zones) -> float:
        """Return what a placement costs a month, broken limits aside."""
        total = float(self.unary_usd[np.arange(self.count), zones].sum())
        for layer in self.priced_layers:
            rows = layer.weights.tocoo()
            total += 0.5 * float((rows.data * layer.usd[zones[rows.row], zones[rows.col]]).sum())
        return total

    def used(self, zones: Zones) -> Floats:
        """Return the vCPUs that stand in each zone."""
        found = np.bincount(zones, weights=self.vcpus, minlength=self.zone_count)
        return found.astype(np.float64)

    def faults(self, zones: Zones) -> int:
        """Return how many constraints a placement breaks."""
        over = int((self.used(zones) > self.capacity + EPSILON).sum())
        misplaced = int((~self.allowed[np.arange(self.count), zones]).sum())
        joined = sum(
            len(np.unique(zones[group.members])) < group.least_zones for group in self.groups
        )
        far = sum(
            bool(limit.is_too_far[zones[limit.one], zones[limit.other]])
            for limit in self.rtt_limits
        )
        return over + misplaced + joined + far


def sparse_rows(values: Floats, pairs: tuple[Zones, Zones], count: int) -> Any:
    """Return values of pairs as sparse rows, those of one pair added up."""
    found = csr_array((values, pairs), shape=(count, count))
    found.sum_duplicates()
    return found
