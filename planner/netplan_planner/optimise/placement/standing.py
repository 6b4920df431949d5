"""A placement under change: what each machine would cost in each zone, kept as machines move."""

from typing import Any

import numpy as np

from netplan_planner.optimise.placement.problem import EPSILON, Floats, PlacementProblem, Zones


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
        self.used[was] -= problem.vcpus[machine]
        self.used[zone] += problem.vcpus[machine]
        group = problem.group_of[machine]
        if group >= 0:
            self.group_counts[group, was] -= 1
            self.group_counts[group, zone] += 1
        self.zones[machine] = zone

    def move_many(self, machines: Zones, zones: Zones) -> None:
        """Put several machines, each once, into zones."""
        problem = self.problem
        was = self.zones[machines]
        for layer, seen in zip(problem.layers, self._seen_by, strict=True):
            difference = layer.usd[:, zones] - layer.usd[:, was]
            self.usd += _spread(seen[machines], difference, problem.zone_count)
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


def _spread(rows: Any, difference: Floats, zone_count: int) -> Floats:
    """Return what each machine sees of the moves: sparse rows by their zones' differences."""
    return np.asarray((rows.T @ difference.T)[:, :zone_count])


def _weight(rows: Any, one: int, other: int) -> float:
    first, last = rows.indptr[one], rows.indptr[one + 1]
    at = first + int(np.searchsorted(rows.indices[first:last], other))
    return float(rows.data[at]) if at < last and rows.indices[at] == other else 0.0
