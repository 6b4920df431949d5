"""What pairs of senders and receivers cost before a step and after it, weekday by weekday."""

from collections import defaultdict, deque
from collections.abc import Sequence
from math import isnan
from statistics import median
from typing import NamedTuple

from netplan_planner.model import Direction, PathClass
from netplan_planner.planning.run_record import RunPair, RunRecord

BEFORE_RUNS = 14
"""Runs before a step that it is held against: two of each weekday. More would count growth."""
AFTER_RUNS = 7
"""Runs behind a step, one of each weekday; fewer where it is new."""
_WHOLE = 0.99
"""Of the cost of all traffic, from which on the pairs of a record are all that cost anything."""

End = tuple[str, str]
"""A name with its zone or region: names alone may be of several zones."""


class Cell(NamedTuple):
    """A series of dollars: what own VMs send over a path class, what a group sends or has."""

    kind: str
    """`PATH`; `GROUP`, what it sends; `RATE`, all its traffic, had its volumes stayed."""
    name: str


PATH, GROUP, RATE = "path", "group", "rate"
_Key = tuple[str, str, str, str, PathClass]
Relation = tuple[str, str]
"""Groups that send and receive; of a VM without one its name."""


class Moved(NamedTuple):
    """A pair over one path class, in figures of a month before a step and after it."""

    src: End
    dst: End
    src_group: str
    dst_group: str
    path_class: PathClass
    usd_before: float
    usd_after: float
    gib_before: float
    gib_after: float
    is_at_same_volume: bool = False
    """Whether what is after is scaled to the volume that its relation had before."""

    @property
    def usd(self) -> float:
        """What it costs more since."""
        return self.usd_after - self.usd_before

    @property
    def cells(self) -> "tuple[Cell, Cell]":
        """The series that it is part of."""
        if self.is_at_same_volume:
            return Cell(RATE, self.src_group), Cell(RATE, self.dst_group)
        return Cell(PATH, self.path_class), Cell(GROUP, self.src_group)

    @property
    def ends(self) -> tuple[End, End]:
        """Both."""
        return self.src, self.dst


class Sides(NamedTuple):
    """The runs that a step parts, and what moved."""

    before: tuple[RunRecord, ...]
    """The older first."""
    after: tuple[RunRecord, ...]
    moved: tuple[Moved, ...]


class Parted:
    """Runs before a step, weighted as the weekdays of those behind it."""

    def __init__(self, runs: Sequence[RunRecord], first: int, start: int, end: int) -> None:
        """Part runs `first` to `end` (not with it) at `start`."""
        self.before = tuple(runs[max(first, start - BEFORE_RUNS) : start])
        self.after = tuple(runs[start : min(end, start + AFTER_RUNS)])
        self.weights: dict[int, float] = defaultdict(float)
        for one in self.after:
            alike = [
                at for at, run in enumerate(self.before) if run.day.weekday() == one.day.weekday()
            ]
            for at in (alike := alike or list(range(len(self.before)))):
                self.weights[at] += 1 / len(alike) / len(self.after)

    def means(self, row: Sequence[float], start: int) -> tuple[float, float]:
        """Return the mean of a series before the step and behind it."""
        first = start - len(self.before)
        before = sum(weight * row[first + at] for at, weight in self.weights.items())
        return before, sum(row[start : start + len(self.after)]) / len(self.after)

    def sides(self, *, is_at_same_volume: bool = False) -> Sides:
        """Return what every pair costs before and behind it.

        Args:
            is_at_same_volume: Whether each relation has behind it the volume that it had before,
                so that dollars move with its paths and prices alone.
        """
        kinds: dict[_Key, RunPair] = {}
        sums: dict[_Key, list[float]] = defaultdict(lambda: [0.0] * 4)
        weighted = [(weight, 0, self.before[at]) for at, weight in self.weights.items()]
        weighted += [(1 / len(self.after), 1, run) for run in self.after]
        # What a list that is cut off lacks costs at most as much as the last in it.
        least = {id(run): _least(run) for _, _, run in weighted}
        floor = [sum(w * least[id(run)] for w, side, run in weighted if side == one)
                 for one in (0, 1)]  # fmt: skip
        for weight, side, run in weighted:
            for pair in run.dear_pairs:
                key = (pair.src, pair.src_place, pair.dst, pair.dst_place, pair.path_class)
                kinds[key] = pair
                found = sums[key]
                found[side] += weight * (float(pair.usd_per_month) - least[id(run)])
                found[side + 2] += weight * float(pair.gib_per_month)
        scale: dict[Relation, float] = defaultdict(lambda: 1.0)
        if is_at_same_volume:
            gib: dict[Relation, list[float]] = defaultdict(lambda: [0.0, 0.0])
            for key, pair in kinds.items():
                gib[_relation(pair)][0] += sums[key][2]
                gib[_relation(pair)][1] += sums[key][3]
            scale |= {key: was / now if now else 0.0 for key, (was, now) in gib.items()}
            # What begins or ends is a change of volume.
            kinds = {key: pair for key, pair in kinds.items() if scale[_relation(pair)]}
        return Sides(
            before=self.before,
            after=self.after,
            moved=tuple(
                Moved(
                    src=(pair.src, pair.src_place),
                    dst=(pair.dst, pair.dst_place),
                    src_group=pair.src_group,
                    dst_group=pair.dst_group,
                    path_class=pair.path_class,
                    usd_before=sums[key][0] + floor[0],
                    usd_after=(sums[key][1] + floor[1]) * scale[_relation(pair)],
                    gib_before=sums[key][2],
                    gib_after=sums[key][3] * scale[_relation(pair)],
                    is_at_same_volume=is_at_same_volume,
                )
                for key, pair in kinds.items()
            ),
        )


def _relation(pair: RunPair) -> Relation:
    return pair.src_group or pair.src, pair.dst_group or pair.dst


def _least(run: RunRecord) -> float:
    paid = sum(float(one.usd_per_month or 0) for one in run.traffic_by_class)
    listed = [float(one.usd_per_month) for one in run.dear_pairs]
    return min(listed, default=0.0) if sum(listed) < _WHOLE * paid else 0.0


def series_of(runs: Sequence[RunRecord]) -> dict[Cell, list[float]]:
    """Return what each path class costs in every run, and each sending group where pairs are whole.

    A path class without a known price in some run is in none: it would look like one that is free.
    """
    found: dict[Cell, list[float]] = {}
    for at, run in enumerate(runs):
        for one in run.traffic_by_class:
            if one.direction is Direction.SENT:
                row = found.setdefault(Cell(PATH, one.path_class), [0.0] * len(runs))
                row[at] += float("nan" if one.usd_per_month is None else one.usd_per_month)
    if not any(map(_least, runs)):
        for at, run in enumerate(runs):
            for pair in run.dear_pairs:
                if pair.src_group:
                    row = found.setdefault(Cell(GROUP, pair.src_group), [0.0] * len(runs))
                    row[at] += float(pair.usd_per_month)
        found |= _at_same_volume(runs)
    return {cell: row for cell, row in found.items() if any(row) and not any(map(isnan, row))}


def _at_same_volume(runs: Sequence[RunRecord]) -> dict[Cell, list[float]]:
    """Return what the traffic of each group would cost if its volumes stayed, in dollars a month.

    A chained index of dollars per GiB with the volumes before each run as weights (Laspeyres): a
    change of paths or prices moves it, more or less traffic does not, nor its noise.
    """
    found: dict[Cell, list[float]] = defaultdict(lambda: [0.0] * len(runs))
    rates: dict[Relation, float] = {}
    volumes: dict[Relation, deque[float]] = defaultdict(lambda: deque(maxlen=BEFORE_RUNS))
    for at, run in enumerate(runs):
        sums: dict[Relation, list[float]] = defaultdict(lambda: [0.0, 0.0])
        groups: dict[Relation, set[str]] = {}
        for pair in run.dear_pairs:
            key = _relation(pair)
            sums[key][0] += float(pair.gib_per_month)
            sums[key][1] += float(pair.usd_per_month)
            groups[key] = {pair.src_group, pair.dst_group} - {""}
        for row in found.values():
            row[at] = row[at - 1]
        for key, (gib, usd) in sums.items():
            if gib <= 0:
                continue
            rate = usd / gib
            if key in rates:
                moved = (rate - rates[key]) * median(volumes[key])
            else:
                moved = usd if at == 0 else 0.0
            for group in groups[key]:
                found[Cell(RATE, group)][at] += moved
            rates[key] = rate
            volumes[key].append(gib)
    return dict(found)
