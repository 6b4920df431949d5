"""What probes tell: which limit each one shows, and which intervals become narrower by that.

A run observes the least of a path's limits. With the probability that a limit binds there, its
value becomes known; every path that is bound by the same limit then has a narrower interval. That
limits are "the same" is said where calibrations that learn from the runs look it up, too
(`throughput.limits.shared_by`).

What is still open of one direction of a path, as a share of what its interval has too much:

    sum over its limits of max(0, probability that it binds - greatest probability of any probe)

A window is shown by half until probes of two pairs of places agree, if two have it: what an image
of one's own has may lie far from the stock window, and a calibration believes that of two only.
Windows of receivers elsewhere differ by so much that it takes more: until their mean is known to
half the tolerance, by the scatter that calibrations take. So of two paths alike in all limits the
second has little more to tell: whichever limit the first one shows is the one that binds the
second. How far paths of its class differ from each other stays open until it is measured itself;
what its own runs told is never open again. Censored knowledge ("at least this") is not counted. So
probes are ordered; what is promised of them all is worked out with a calibration (`promise`).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from netplan_planner.model import CapsBook, Estimate, PathQuery
from netplan_planner.throughput.batch import terms_of
from netplan_planner.throughput.calibration.factors.calibrated import pair_of
from netplan_planner.throughput.calibration.factors.calibrated_caps import corrector_of
from netplan_planner.throughput.calibration.factors.factor_paths import (
    LIKELIER,
    answers,
    run_scatter,
    slopes,
)
from netplan_planner.throughput.calibration.factors.shared_factors import (
    P95,
    WINDOW_SCATTER_FOREIGN,
    WINDOW_SCATTER_OWN,
)
from netplan_planner.throughput.goodput.intervals import probed_tails
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.limits.shared_by import OWN, WINDOW, said_of, same_for
from netplan_planner.throughput.single_row import single_row
from netplan_planner.verbs.probe.answer import Probe, ProbeFlow

UNKNOWN_RATIO = 10.0
"""A path without a prediction is taken for anything from a tenth of the bitrate to all of it."""


def limit_shares(query: PathQuery, estimate: Estimate) -> tuple[tuple[str, float], ...]:
    """Return each limit with what decides it, and the probability that it binds; summing to 1.

    Args:
        query: The path.
        estimate: Its prediction, weighed.
    """
    found: dict[str, float] = defaultdict(float)
    for limit, chance in zip(estimate.limits, estimate.probabilities, strict=False):
        if chance > 0:
            found[said_of(limit.name, same_for(limit.name, query))] += chance
    total = sum(found.values())
    return tuple((key, chance / total) for key, chance in found.items())


def width_and_reach(estimate: Estimate, bitrate_gbps: float | None) -> tuple[float, float]:
    """Return an interval's log width, and the share of it that runs under a rate cap can tell.

    Args:
        estimate: Of one direction.
        bitrate_gbps: The cap on its runs, or None.

    >>> found = Estimate(gbps=2.0, low_gbps=1.0, high_gbps=4.0)
    >>> [round(x, 3) for x in width_and_reach(found, 2.0)]
    [1.386, 0.5]
    """
    low, high = estimate.low_gbps, estimate.high_gbps
    if estimate.gbps is None or not low or not high:
        return math.log(UNKNOWN_RATIO), 1.0
    width = math.log(high / low)
    if bitrate_gbps is None or bitrate_gbps >= high:
        return width, 1.0
    return width, math.log(bitrate_gbps / low) / width if bitrate_gbps > low else 0.0


class Information:
    """What is still open on all paths that matter, while probes are chosen."""

    def __init__(self, probes: Iterable[Probe], *, floor: float) -> None:
        """Begin with nothing measured.

        Args:
            probes: All that matter, also those that cannot be measured: they learn from others.
            floor: The log width that a measured path still has.
        """
        self._floor = floor
        self._shown: dict[str, _Shown] = {}
        self._places: dict[str, set[str]] = defaultdict(set)
        """By limit, the pairs of places whose paths have it."""
        self._alike: Counter[_Kind] = Counter()
        """Flows by what decides how much is open on them: there are far fewer kinds than flows."""
        self.flows: list[ProbeFlow] = []
        """All whose intervals count."""
        for probe in probes:
            self.flows += probe.flows
            for flow in probe.flows:
                for key, _ in flow.shares:
                    self._places[key].add(_places_of(probe))
            self._alike.update(self._kind(flow) for flow in probe.flows)

    @property
    def log_width(self) -> float:
        """The log widths of all intervals together, as they are expected to be by now."""
        narrow = sum(min(flow.log_width, self._floor) for flow in self.flows)
        return narrow + sum(count * _open(kind, self._shown) for kind, count in self._alike.items())

    def widest(self, probe: Probe) -> float:
        """Return the log width that the widest interval of a probe is expected to have by now."""
        return max(
            min(flow.log_width, self._floor) + _open(self._kind(flow), self._shown)
            for flow in probe.flows
        )

    def gain(self, probe: Probe) -> float:
        """Return by how much log widths are expected to shrink in all if `probe` is added.

        Args:
            probe: One that was not added yet.
        """
        then = self._then(probe)
        own = Counter(self._kind(flow) for flow in probe.flows)
        others = sum(
            (count - own[kind]) * (_open(kind, self._shown) - _open(kind, then))
            for kind, count in self._alike.items()
        )
        return others + sum(
            _open(kind, self._shown) - _open(kind.measured, then) for kind in own.elements()
        )

    def add(self, probe: Probe) -> None:
        """Take a probe as measured."""
        self._shown = self._then(probe)
        for flow in probe.flows:
            kind = self._kind(flow)
            self._alike[kind] -= 1
            self._alike[kind.measured] += 1

    def _then(self, probe: Probe) -> "dict[str, _Shown]":
        then = dict(self._shown)
        for key, chance in shown_by(probe).items():
            needed = min(self._needed(key), len(self._places[key]))
            # A figure that another limit explains better says little of a far window.
            if needed == 1 or chance > LIKELIER:
                then[key] = then.get(key, _Shown(needed)).plus(chance, _places_of(probe))
        return then

    def _needed(self, key: str) -> int:
        """Return how many pairs of places show a limit."""
        if not key.startswith(WINDOW):
            return 1
        scatter = WINDOW_SCATTER_OWN if f" (to {OWN}" in key else WINDOW_SCATTER_FOREIGN
        return max(2, math.ceil((P95 * scatter / self._floor) ** 2))

    def _kind(self, flow: ProbeFlow) -> "_Kind":
        excess = max(flow.log_width - self._floor, 0.0)
        # Up to the tolerance, twice the floor: how far paths differ is no reason to measure all.
        least = min(max(flow.shared_log_width - self._floor, 0.0), self._floor)
        return _Kind(excess, flow.shares, flow.informative_ratio, 1.0, least)


class _Shown(NamedTuple):
    """With what probability probes show a limit."""

    needed: int
    """How many pairs of places it takes."""
    best: tuple[tuple[float, str], ...] = ()
    """The greatest of so many, with their places."""

    @property
    def chance(self) -> float:
        """The mean of so many."""
        return sum(chance for chance, _ in self.best) / self.needed

    def plus(self, chance: float, places: str) -> "_Shown":
        """Return the same with one more probe."""
        by_places = {place: known for known, place in self.best}
        by_places[places] = max(by_places.get(places, 0.0), chance)
        best = sorted(((one, place) for place, one in by_places.items()), reverse=True)
        return self._replace(best=tuple(best[: self.needed]))


def _places_of(probe: Probe) -> str:
    return pair_of(probe.path.there) or probe.path.name


class _Kind(NamedTuple):
    """What decides how much is open on a flow."""

    excess: float
    """By how much its log width is above that of a measured path."""
    shares: tuple[tuple[str, float], ...]
    informative_ratio: float
    most: float
    """The share of the excess that its own runs leave."""
    least: float
    """What probes of other paths leave of it."""

    @property
    def measured(self) -> "_Kind":
        """The same after its own runs."""
        return self._replace(most=1 - self.informative_ratio)


def _open(kind: _Kind, shown: Mapping[str, _Shown]) -> float:
    """Return by how much a flow's interval is expected to be wider than a measured one."""
    if not kind.excess:
        return 0.0
    none = 1 - sum(chance for _, chance in kind.shares)
    left = sum(
        max(chance - (shown[key].chance if key in shown else 0.0), 0.0)
        for key, chance in kind.shares
    )
    by_others = max(kind.excess * (left + max(none, 0.0)), kind.least)
    return min(by_others, kind.excess * kind.most)


def shown_by(probe: Probe) -> dict[str, float]:
    """Return, by limit, the probability that a probe shows its value."""
    found: dict[str, float] = {}
    for flow in probe.flows:
        for key, chance in flow.shares:
            found[key] = max(found.get(key, 0.0), chance * flow.informative_ratio)
    return found


def width_others_leave(query: PathQuery, caps: CapsBook, *, level: float = 0.9) -> float:
    """Return the log width that an interval keeps however many probes of other paths tell of it.

    Paths of one class differ by more than their limits: as far as the calibration of the caps has
    measured it, else as is usual. 0 where nothing can be predicted.
    """
    found = static_limits(query, caps, may_assume=True)
    row, _ = single_row(query)
    corrector = corrector_of(caps)
    probed = corrector.probed([query], [found], corrector.of_pairs([None]))
    paths, values = probed.paths(terms_of([query], [found], row), row.kind)
    now = answers(paths, values)
    if found.unknown or math.isnan(now.log_gbps[0]):
        return 0.0
    scatter = float(run_scatter(paths, slopes(paths, values, now))[0])
    return sum(probed_tails(level)) * scatter * float(probed.of_kind.scatter_ratio[0])
