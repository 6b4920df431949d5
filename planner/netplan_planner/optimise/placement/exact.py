"""A small placement to its proven optimum, as a mixed-integer program.

A machine's traffic to a group whose members stand apart meets one of them at most: stated for each
zone, that is what makes the relaxation tight enough to prove 100 machines. Where traffic costs the
same between any two zones, a pair needs one variable a zone, that both stand there; else one for
each pair of zones.
"""

from collections import defaultdict
from collections.abc import Iterator
from time import monotonic
from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.placement.cuts import CutFinder
from netplan_planner.optimise.placement.problem import EPSILON, Floats, Zones
from netplan_planner.optimise.placement.program import INFINITY, Program, Row
from netplan_planner.optimise.placement.reduced import Pair, Reduced
from netplan_planner.optimise.placement.symmetry import broken_symmetry

_ROUNDS = 40
_TIGHTENING = 0.4
"""Share of the time that rows are looked for in."""
_LEAST_S = 0.2


class Exact(NamedTuple):
    """What is known of a part."""

    zones: Zones | None
    """Of the open machines; None where nothing was found."""
    bound_usd: float
    """Of the part with all that stands still."""
    is_proven: bool
    is_infeasible: bool


def solve_exactly(
    part: Reduced,
    vcpus: Floats,
    start: Zones,
    *,
    time_limit_s: float,
    node_limit: int | None = None,
    is_potts: bool,
    tightens: bool = True,
) -> Exact:
    """Return the best zones of the open machines, and what no other can undercut.

    Args:
        part: What is open.
        vcpus: Of the open machines.
        start: Zones that keep every constraint.
        time_limit_s: After which the best so far is taken.
        node_limit: After so many branches likewise; the same on every machine.
        is_potts: Traffic costs the same between any two zones, and nothing inside one.
        tightens: Rows are added that relaxed placements break; what is small needs none.
    """
    allowed, start = broken_symmetry(part, start)
    model = _Model(part._replace(allowed=allowed), vcpus, is_potts=is_potts)
    begun = monotonic()
    if is_potts and tightens:
        model.tighten(time_limit_s * _TIGHTENING)
    time_limit_s = max(time_limit_s - (monotonic() - begun), _LEAST_S)
    solved = model.program.solve(
        start=model.values_of(start), time_limit_s=time_limit_s, node_limit=node_limit
    )
    zones = None if solved.values is None else model.zones_of(solved.values)
    bound = solved.bound if solved.bound > -INFINITY else -np.inf
    return Exact(zones, float(bound), solved.is_proven, solved.is_infeasible)


class _Model:
    """The program of a part."""

    def __init__(self, part: Reduced, vcpus: Floats, *, is_potts: bool) -> None:
        self.part, self.vcpus, self.program = part, vcpus, Program()
        self.program.constant = part.fixed_usd
        self._group_of: dict[int, int] = {}
        for number, group in enumerate(part.groups):
            if group.is_apart:
                self._group_of.update(dict.fromkeys(group.members.tolist(), number))
        count = len(part.machines)
        self.at = [
            {
                int(zone): self.program.variable(
                    float(part.unary_usd[machine, zone]), is_whole=True
                )
                for zone in np.flatnonzero(part.allowed[machine])
            }
            for machine in range(count)
        ]
        for zones in self.at:
            self.program.row([(column, 1.0) for column in zones.values()], 1.0, 1.0)
        self._used_zones: list[tuple[Zones, list[int], list[int]]] = []
        """Members of a group, zones that would be new to it, and their variables."""
        self._both: list[tuple[int, int, int, int, int]] = []
        """Variables of pairs: number, one, its zone, other, its zone."""
        if is_potts:
            self._traffic_inside()
        else:
            for pair in part.pairs:
                self._traffic(pair)
        self._capacity()
        self._apart()
        self._round_trips()

    def tighten(self, time_limit_s: float) -> None:
        """Add rows that no placement breaks, and the relaxed one does."""
        pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
        for both, one, _, other, _ in self._both:
            pairs[one, other].append(both)
        groups = [group.members for group in self.part.groups if group.is_apart]
        finder = CutFinder(list(pairs), groups, self.vcpus, float(self.part.room.max()))
        columns = list(pairs.values())

        def broken(values: Floats) -> Iterator[Row]:
            crossing = np.array([1.0 - values[of_pair].sum() for of_pair in columns])
            for counts, least in finder.broken(np.clip(crossing, 0.0, 1.0)):
                terms = [(c, -value) for n, value in counts.items() for c in columns[n]]
                yield terms, least - sum(counts.values()), INFINITY

        if pairs:
            self.program.tighten(broken, rounds=_ROUNDS, time_limit_s=time_limit_s)

    def _is_apart(self, one: int, other: int) -> bool:
        group = self._group_of.get(one)
        return group is not None and group == self._group_of.get(other)

    def _traffic_inside(self) -> None:
        """Take what is saved where two stand in one zone off what all pairs cost apart."""
        meets: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
        for pair in self.part.pairs:
            usd = float(pair.usd.max())
            self.program.constant += usd
            if self._is_apart(pair.one, pair.other):
                continue
            for zone in self.at[pair.one].keys() & self.at[pair.other].keys():
                both = self.program.variable(-usd)
                self._both.append((both, pair.one, zone, pair.other, zone))
                for machine, met in ((pair.one, pair.other), (pair.other, pair.one)):
                    # Those of one group meet a machine one at a time.
                    group = self._group_of.get(met, -1 - met)
                    meets[machine, group, zone].append((both, met))
        filled: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for (machine, _, zone), found in sorted(meets.items()):
            terms = [(both, 1.0) for both, _ in found]
            self.program.row([*terms, (self.at[machine][zone], -1.0)], -INFINITY, 0.0)
            filled[machine, zone] += found
        for (machine, zone), found in sorted(filled.items()):
            self._room_beside(machine, zone, found)

    def _room_beside(self, machine: int, zone: int, met: list[tuple[int, int]]) -> None:
        """Let no more stand beside a machine than its zone holds."""
        room = float(self.part.room[zone]) - float(self.vcpus[machine])
        if sum(float(self.vcpus[other]) for _, other in met) <= room + EPSILON or room < 0:
            return
        terms = [(both, float(self.vcpus[other])) for both, other in met]
        self.program.row([*terms, (self.at[machine][zone], -room)], -INFINITY, 0.0)

    def _traffic(self, pair: Pair) -> None:
        """Price every pair of zones of two machines."""
        one, other = self.at[pair.one], self.at[pair.other]
        by_one: dict[int, list[tuple[int, float]]] = defaultdict(list)
        by_other: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for first in one:
            for second in other:
                if first == second and self._is_apart(pair.one, pair.other):
                    continue
                both = self.program.variable(float(pair.usd[first, second]))
                self._both.append((both, pair.one, first, pair.other, second))
                by_one[first].append((both, 1.0))
                by_other[second].append((both, 1.0))
        for zones, found in ((one, by_one), (other, by_other)):
            for zone, column in zones.items():
                self.program.row([*found[zone], (column, -1.0)], 0.0, 0.0)

    def _capacity(self) -> None:
        for zone, room in enumerate(self.part.room.tolist()):
            terms = [
                (zones[zone], float(self.vcpus[machine]))
                for machine, zones in enumerate(self.at)
                if zone in zones
            ]
            if terms and sum(value for _, value in terms) > room + EPSILON:
                self.program.row(terms, -INFINITY, room)

    def _apart(self) -> None:
        for group in self.part.groups:
            by_zone: dict[int, list[tuple[int, float]]] = defaultdict(list)
            for machine in group.members.tolist():
                for zone, column in self.at[machine].items():
                    by_zone[zone].append((column, 1.0))
            if group.is_apart:
                for terms in by_zone.values():
                    if len(terms) > 1:
                        self.program.row(terms, -INFINITY, 1.0)
                continue
            wanted = group.least_zones - int(group.held.sum())
            new = {zone: terms for zone, terms in by_zone.items() if not group.held[zone]}
            if wanted <= 0:
                continue
            if wanted == len(new):
                for terms in new.values():
                    self.program.row(terms, 1.0, INFINITY)
                continue
            used = []
            for terms in new.values():
                is_used = self.program.variable()
                self.program.row([*terms, (is_used, -1.0)], 0.0, INFINITY)
                used.append((is_used, 1.0))
            self.program.row(used, float(wanted), INFINITY)
            self._used_zones.append((group.members, list(new), [column for column, _ in used]))

    def _round_trips(self) -> None:
        for limit in self.part.rtt_limits:
            for first, second in ((limit.one, limit.other), (limit.other, limit.one)):
                far = limit.is_too_far | limit.is_too_far.T
                for zone, column in self.at[first].items():
                    terms = [(c, 1.0) for z, c in self.at[second].items() if far[zone, z]]
                    if terms:
                        self.program.row([*terms, (column, 1.0)], -INFINITY, 1.0)

    def values_of(self, zones: Zones) -> Floats | None:
        """Return a placement as values of the variables; None where it is not allowed."""
        values = np.zeros(len(self.program.costs))
        for machine, zone in enumerate(zones.tolist()):
            if zone not in self.at[machine]:
                return None
            values[self.at[machine][zone]] = 1.0
        for both, one, first, other, second in self._both:
            values[both] = float(zones[one] == first and zones[other] == second)
        for members, new, columns in self._used_zones:
            for zone, column in zip(new, columns, strict=True):
                values[column] = float((zones[members] == zone).any())
        return values

    def zones_of(self, values: Floats) -> Zones:
        """Return the zones that values of the variables stand for."""
        return np.array(list(self._chosen(values)), dtype=np.intp)

    def _chosen(self, values: Floats) -> Iterator[int]:
        for zones in self.at:
            yield max(zones, key=lambda zone: (values[zones[zone]], -zone))
