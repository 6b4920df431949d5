"""A small placement as a mixed-integer program.

A machine's traffic to a group whose members stand apart meets one of them at most: stated for each
zone, that is what makes the relaxation tight enough to prove 100 machines. Where prices grow with
the smallest circle of zones that holds both ends, a pair needs one variable a circle, that both
stand there; else one for each pair of zones.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from netplan_planner.verbs.place.solve.bounds import circles_of, saved_by_circle
from netplan_planner.verbs.place.solve.problem import EPSILON, Floats, Zones
from netplan_planner.verbs.place.solve.program import INFINITY, CutFinder, Program, Row
from netplan_planner.verbs.place.solve.reduced import Pair, Reduced


class Formulation:
    """The program of a part."""

    def __init__(self, part: Reduced, vcpus: Floats) -> None:
        """Write it down; `vcpus` of the open machines."""
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
        self._both: list[tuple[int, int, NDArray[np.bool_], int, NDArray[np.bool_]]] = []
        """Variables of pairs: number, one, its zones, other, its zones."""
        zone_count = part.allowed.shape[1]
        usd = sum((pair.usd for pair in part.pairs), np.zeros((zone_count, zone_count)))
        self.circles = circles_of(usd)
        self._joined: dict[tuple[int, int], dict[int, int]] = {}
        """Of pairs, by circle, the variable that both stand in it."""
        self._meets: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
        for pair in part.pairs:
            saved = saved_by_circle(pair.usd, self.circles)
            if saved is None:
                self._traffic(pair)
            else:
                self._traffic_inside(pair, *saved)
        self._meetings()
        self._capacity()
        self._apart()
        self._round_trips()

    def cut_finder(self) -> Callable[[Floats], Iterator[Row]]:
        """Return what finds rows that no placement breaks, and a relaxed one does."""
        finders = []
        for number, level in enumerate(self.circles.levels):
            pairs = {
                pair: [joined[circle] for circle in level if circle in joined]
                for pair, joined in sorted(self._joined.items())
            }
            if not pairs:
                continue
            groups = [g.members for g in self.part.groups if g.is_apart] if not number else []
            most = max(float(self.part.room[self.circles.holds[one]].sum()) for one in level)
            finder = CutFinder(list(pairs), groups, self.vcpus, most)
            finders.append((finder, list(pairs.values())))

        def broken(values: Floats) -> Iterator[Row]:
            for finder, columns in finders:
                crossing = np.array([1.0 - values[of_pair].sum() for of_pair in columns])
                for counts, least in finder.broken(np.clip(crossing, 0.0, 1.0)):
                    terms = [(c, -value) for n, value in counts.items() for c in columns[n]]
                    yield terms, least - sum(counts.values()), INFINITY

        return broken

    def _is_apart(self, one: int, other: int) -> bool:
        group = self._group_of.get(one)
        return group is not None and group == self._group_of.get(other)

    def _inside(self, machine: int, circle: int) -> list[int]:
        """Return the variables of a machine in each zone of a circle."""
        holds = self.circles.holds[circle]
        return [column for zone, column in self.at[machine].items() if holds[zone]]

    def _traffic_inside(self, pair: Pair, top_usd: float, saved_usd: Floats) -> None:
        """Take what is saved where two stand in one circle off what they cost in none."""
        self.program.constant += top_usd
        joined: dict[int, int] = {}
        for circle, usd in enumerate(saved_usd.tolist()):
            is_zone = circle < len(self.part.room)
            if is_zone and self._is_apart(pair.one, pair.other):
                continue
            if not (self._inside(pair.one, circle) and self._inside(pair.other, circle)):
                continue
            both = joined[circle] = self.program.variable(-usd)
            holds = self.circles.holds[circle]
            self._both.append((both, pair.one, holds, pair.other, holds))
            for machine, met in ((pair.one, pair.other), (pair.other, pair.one)):
                # Those of one group meet a machine one at a time in a zone.
                group = self._group_of.get(met, -1 - met) if is_zone else -1 - met
                self._meets[machine, group, circle].append((both, met))
        for circle, both in joined.items():
            inner = [(c, 1.0) for one, c in joined.items() if self.circles.parent[one] == circle]
            if inner:
                self.program.row([*inner, (both, -1.0)], -INFINITY, 0.0)
        self._joined[pair.one, pair.other] = joined

    def _meetings(self) -> None:
        """Let two meet in a circle only where each stands in it."""
        filled: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for (machine, _, circle), found in sorted(self._meets.items()):
            own = [(column, -1.0) for column in self._inside(machine, circle)]
            self.program.row([*((both, 1.0) for both, _ in found), *own], -INFINITY, 0.0)
            filled[machine, circle] += found
        for (machine, circle), found in sorted(filled.items()):
            self._room_beside(machine, circle, found)

    def _room_beside(self, machine: int, circle: int, met: list[tuple[int, int]]) -> None:
        """Let no more stand beside a machine than its circle holds."""
        room = float(self.part.room[self.circles.holds[circle]].sum())
        room -= float(self.vcpus[machine])
        if sum(float(self.vcpus[other]) for _, other in met) <= room + EPSILON or room < 0:
            return
        own = [(column, -room) for column in self._inside(machine, circle)]
        terms = [(both, float(self.vcpus[other])) for both, other in met]
        self.program.row([*terms, *own], -INFINITY, 0.0)

    def _traffic(self, pair: Pair) -> None:
        """Price every pair of zones of two machines."""
        one, other = self.at[pair.one], self.at[pair.other]
        zones = np.arange(self.part.allowed.shape[1])
        by_one: dict[int, list[tuple[int, float]]] = defaultdict(list)
        by_other: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for first in one:
            for second in other:
                if first == second and self._is_apart(pair.one, pair.other):
                    continue
                both = self.program.variable(float(pair.usd[first, second]))
                self._both.append((both, pair.one, zones == first, pair.other, zones == second))
                by_one[first].append((both, 1.0))
                by_other[second].append((both, 1.0))
        for at, found in ((one, by_one), (other, by_other)):
            for zone, column in at.items():
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
            if wanted > 0:
                new = {zone: terms for zone, terms in by_zone.items() if not group.held[zone]}
                self._spread(group.members, new, wanted)

    def _spread(self, members: Zones, new: dict[int, list[tuple[int, float]]], wanted: int) -> None:
        """Have machines in so many zones at least where none of their group stands yet."""
        if wanted == len(new):
            for terms in new.values():
                self.program.row(terms, 1.0, INFINITY)
            return
        used = []
        for terms in new.values():
            is_used = self.program.variable()
            self.program.row([*terms, (is_used, -1.0)], 0.0, INFINITY)
            used.append((is_used, 1.0))
        self.program.row(used, float(wanted), INFINITY)
        self._used_zones.append((members, list(new), [column for column, _ in used]))

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
            values[both] = float(first[zones[one]] and second[zones[other]])
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
