"""A placement as numbers: machines by index, zones by index, dollars a month.

Arrays cross modules here: axes are machines (n) and zones (Z), always in the order of the problem.

A placement under change: what each machine would cost in each zone, kept as machines move.
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


class Standing:
    """Where machines stand, and what follows from it."""

    def __init__(self, problem: PlacementProblem, zones: Zones) -> None:
        """Put every machine where `zones` says."""
        self.problem = problem
        self.zones = zones.copy()
        self.used = problem.used(zones)
        self.group_counts = np.zeros((len(problem.groups), problem.zone_count), dtype=np.intp)
        grouped = np.flatnonzero(problem.group_of >= 0)
        np.add.at(self.group_counts, (problem.group_of[grouped], zones[grouped]), 1)
        # Who sees a machine: the columns of the layers.
        self._seen_by = [layer.weights.T.tocsr() for layer in problem.layers]
        self.usd = self._costs()
        """n × Z: what each machine and its traffic would cost in each zone, others as they are."""

    def _costs(self) -> Floats:
        problem = self.problem
        where = np.zeros((problem.count, problem.zone_count))
        where[np.arange(problem.count), self.zones] = 1.0
        found = problem.unary_usd.copy()
        for layer in problem.layers:
            found += (layer.weights @ where) @ layer.usd.T
        return found

    def recount(self) -> None:
        """Work costs out anew, where many moves have added up small errors."""
        self.usd = self._costs()

    def move(self, machine: int, zone: int) -> None:
        """Put one machine into a zone."""
        problem, was = self.problem, int(self.zones[machine])
        if was == zone:
            return
        for layer, seen in zip(problem.layers, self._seen_by, strict=True):
            first, last = seen.indptr[machine], seen.indptr[machine + 1]
            others = seen.indices[first:last]
            difference = layer.usd[:, zone] - layer.usd[:, was]
            self.usd[others] += seen.data[first:last, None] * difference
        self.count(machine, zone)

    def count(self, machine: int, zone: int) -> None:
        """Count one machine in a zone, prices as they are."""
        problem, was = self.problem, int(self.zones[machine])
        self.used[was] -= problem.vcpus[machine]
        self.used[zone] += problem.vcpus[machine]
        group = problem.group_of[machine]
        if group >= 0:
            self.group_counts[group, was] -= 1
            self.group_counts[group, zone] += 1
        self.zones[machine] = zone

    def count_many(self, machines: Zones, zones: Zones) -> None:
        """Count several machines, each once, in zones, prices as they are."""
        problem = self.problem
        was = self.zones[machines]
        np.subtract.at(self.used, was, problem.vcpus[machines])
        np.add.at(self.used, zones, problem.vcpus[machines])
        groups = problem.group_of[machines]
        grouped = groups >= 0
        np.subtract.at(self.group_counts, (groups[grouped], was[grouped]), 1)
        np.add.at(self.group_counts, (groups[grouped], zones[grouped]), 1)
        self.zones[machines] = zones

    def gains(self, machine: int) -> Floats:
        """Return what the bill would fall by with a machine in each zone alone."""
        return np.asarray(self.usd[machine, self.zones[machine]] - self.usd[machine])

    def fits(self, machine: int, zone: int) -> bool:
        """Return whether a machine alone may go to a zone: capacity and its group, not price."""
        problem = self.problem
        if not problem.allowed[machine, zone]:
            return False
        if self.used[zone] + problem.vcpus[machine] > problem.capacity[zone] + EPSILON:
            return False
        return self.keeps_spread(machine, zone)

    def keeps_spread(self, machine: int, zone: int) -> bool:
        """Return whether a machine's group stands in enough zones with it elsewhere."""
        group = int(self.problem.group_of[machine])
        if group < 0:
            return True
        counts, was = self.group_counts[group], self.zones[machine]
        zones = int((counts > 0).sum())
        after = zones - int(counts[was] == 1) + int(counts[zone] == 0)
        return after >= min(zones, self.problem.groups[group].least_zones)

    def between(self, one: int, other: int) -> Floats:
        """Return what two machines' own traffic costs by their zones, Z × Z, as the first sees it.

        Limits of round trips are in it.
        """
        found = np.zeros((self.problem.zone_count, self.problem.zone_count))
        for layer in self.problem.layers:
            found += _weight(layer.weights, one, other) * layer.usd
        return found

    def swap_gain(self, one: int, other: int) -> float:
        """Return what the bill would fall by if two machines changed places."""
        a, b = int(self.zones[one]), int(self.zones[other])
        own = self.between(one, other)
        gain = float(self.gains(one)[b] + self.gains(other)[a])
        # Their own traffic: each gain takes the other one for standing still.
        return gain - float(own[a, b] + own[b, a] - own[a, a] - own[b, b])


def _weight(rows: Any, one: int, other: int) -> float:
    first, last = rows.indptr[one], rows.indptr[one + 1]
    at = first + int(np.searchsorted(rows.indices[first:last], other))
    return float(rows.data[at]) if at < last and rows.indices[at] == other else 0.0
