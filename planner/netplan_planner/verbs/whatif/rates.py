"""What every flow gets when all send at once: max-min fair, with who shares what.

A flow is what one machine sends to one other end by one path class; all weigh the same. It asks for
its busiest minute, or its part of what is declared as wanted of its sender; one that is held back
today asks for all that its path can carry, as nobody knows what it would send. It shares with
others its sender's egress, physical NIC and egress to the outside, and its receiver's ingress and
vCPUs (`throughput.sharing`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import Facts, OwnerKind, PathClass, PathEnd, PathQuery, PodNetwork
from netplan_planner.throughput import machine_end
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.ends import ANYBODY
from netplan_planner.throughput.sharing.links import Ends, Links, path_rates, shared_links
from netplan_planner.throughput.sharing.rates import OWN_BOUND, fair_rates
from netplan_planner.verbs.whatif.scenario import Scenario

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
_CLASSES = tuple(PathClass)
_CODE = {path_class: code for code, path_class in enumerate(_CLASSES)}
_IS_JUDGED = np.array([one.distance is not None or one.leaves_vpc for one in _CLASSES])


_LEAVES_VPC = np.array([one.leaves_vpc for one in _CLASSES])


class FlowRates(NamedTuple):
    """The flows of a scenario, in the order of the traffic's edges."""

    gbps: Floats
    """By edge; NaN: not known, or no flow that an own machine sends."""
    binding: Codes
    """By edge: the link that holds it back; -1: its own path, or none."""
    links: Links
    """`of_flow` is by `flows`."""
    flows: Codes
    """The edges whose rate is known."""
    src: Codes
    """By edge: the owner that sends."""
    dst: Codes
    unknown_count: int
    """Flows of own machines whose limits are not known."""
    waiting_count: int
    """Flows that ask for all that their paths can carry."""

    @property
    def total_gbps(self) -> float | None:
        """The sum of the flows whose rate is known; None where that of none is."""
        is_none = not len(self.gbps) or (self.unknown_count and not len(self.flows))
        return None if is_none else float(np.nansum(self.gbps))

    def by_sender(self, owner_count: int) -> Floats:
        """Return the sum of what each owner sends."""
        return np.bincount(
            self.src[self.flows], self.gbps[self.flows], minlength=owner_count
        ).astype(np.float64)


_NONE = np.empty(0)
NO_FLOWS = FlowRates(
    gbps=_NONE,
    binding=np.empty(0, dtype=np.intp),
    links=Links(
        np.empty((0, 1), dtype=np.intp),
        _NONE,
        np.empty(0, dtype=np.intp),
        np.empty(0, dtype=np.intp),
    ),
    flows=np.empty(0, dtype=np.intp),
    src=np.empty(0, dtype=np.intp),
    dst=np.empty(0, dtype=np.intp),
    unknown_count=0,
    waiting_count=0,
)


class Demand(NamedTuple):
    """Which flows ask for more than they send."""

    held_back_ratio: float
    """Share of a limit in use from which traffic counts as held back by it."""
    used_ratio: Floats
    """Owners × (all that it sends, what leaves the VPC): 95th percentile against its limit; NaN
    where that is not known."""
    is_all_out: bool = False
    """All flows ask for all that their paths can carry."""


class Matrix:
    """The flows of one traffic, asked for under many scenarios; kinds of paths are asked once.

    Who is held back is seen in the traffic as it is, and stays so in all scenarios.
    """

    def __init__(self, before: Scenario, demand: Demand) -> None:
        self._before = before
        self._facts = before.facts
        self._demand = demand
        self._waiting: NDArray[np.bool_] | None = None
        self._targets: Floats | None = None
        self._ends: dict[PathEnd, int] = {}
        self._pods: dict[tuple[str, PodNetwork], int] = {}
        self._kinds: dict[tuple[int, ...], int] = {}
        self._own_gbps = np.empty(0)
        self._limits_gbps = np.empty((0, len(LIMITS)))
        # What probes teach of one pair holds for its places alone.
        self._keeps_places = isinstance(before.facts.caps, CalibratedCaps)

    def rates(self, scenario: Scenario) -> FlowRates:
        """Return the rates of all flows at once."""
        facts = scenario.facts
        if facts.traffic is None or facts.traffic.is_of_metrics or not facts.traffic.edges:
            return NO_FLOWS
        edges, owners = facts.traffic.edges, facts.traffic.owners
        columns = _columns(facts)
        src, dst, sends = columns.src, columns.dst, columns.sends
        asked = np.flatnonzero(sends & _IS_JUDGED[columns.classes])
        kinds = self._kinds_of(scenario, asked, columns)
        own_gbps, limits_gbps = self._own_gbps[kinds], self._limits_gbps[kinds]
        is_known = ~np.isnan(own_gbps)
        flows = asked[is_known]
        links = shared_links(
            Ends(src[flows], len(owners)), Ends(dst[flows], len(owners)), limits_gbps[is_known]
        )
        if self._waiting is None:
            self._waiting = self._held_back()
        asks = np.fromiter((edge.series.max_gbps for edge in edges), dtype=float, count=len(edges))
        asks = np.maximum(asks, self._declared())
        asks[self._waiting] = np.inf
        found = fair_rates(
            capacity_gbps=links.capacity_gbps,
            links=links.of_flow,
            bound_gbps=np.minimum(own_gbps[is_known], asks[flows]),
        )
        gbps = np.full(len(edges), np.nan)
        binding = np.full(len(edges), OWN_BOUND, dtype=np.intp)
        gbps[flows], binding[flows] = found.gbps, found.binding_link
        unknown = int(sends.sum()) - len(flows)
        waiting = int(self._waiting[flows].sum())
        return FlowRates(gbps, binding, links, flows, src, dst, unknown, waiting)

    def _held_back(self) -> NDArray[np.bool_]:
        """Return which flows are held back today, by their paths or by their senders' limits."""
        facts, demand = self._facts, self._demand
        edges = facts.seen_traffic.edges
        if demand.is_all_out:
            return np.ones(len(edges), dtype=np.bool_)
        columns = _columns(facts)
        asked = np.flatnonzero(columns.sends & _IS_JUDGED[columns.classes])
        kinds = self._kinds_of(self._before, asked, columns)
        p95 = np.fromiter((edge.series.p95_gbps for edge in edges), dtype=float, count=len(edges))
        # A limit holds back what goes through it, and nothing else that the machine sends.
        is_full = demand.used_ratio[columns.src] >= demand.held_back_ratio
        found: NDArray[np.bool_] = is_full[:, 0] | (is_full[:, 1] & _LEAVES_VPC[columns.classes])
        found[asked] |= p95[asked] >= demand.held_back_ratio * self._own_gbps[kinds]
        return found

    def _declared(self) -> Floats:
        """Return each flow's part, by bytes, of what is declared as wanted of its sender."""
        if self._targets is None:
            facts = self._facts
            edges, owners = facts.seen_traffic.edges, facts.seen_traffic.owners
            src = np.fromiter((edge.src for edge in edges), dtype=np.intp, count=len(edges))
            sent = np.fromiter((edge.wire_bytes for edge in edges), dtype=float, count=len(edges))
            instances = [facts.instance(owner) for owner in owners]
            targets = [facts.target(one) if one is not None else None for one in instances]
            wanted = np.array([one.gbps if one is not None else 0.0 for one in targets])
            whole = np.bincount(src, sent, minlength=len(owners))
            self._targets = wanted[src] * sent / np.maximum(whole[src], 1.0)
        return self._targets

    def _kinds_of(self, scenario: Scenario, asked: Codes, columns: "_Columns") -> Codes:
        """Return the kind of each flow's path, after those not met before were worked out."""
        ends = self._end_codes(scenario)
        src, dst, classes = columns.src[asked], columns.dst[asked], columns.classes[asked]
        pods = self._pod_codes(scenario, src, dst, classes)
        kinds = np.column_stack((classes, ends[src], ends[dst], pods))
        distinct, which = np.unique(kinds, axis=0, return_inverse=True)
        keys = [tuple(int(one) for one in row) for row in distinct]
        new = [key for key in keys if key not in self._kinds]
        if new:
            rates = path_rates([self._query(key) for key in new], self._facts.caps)
            for key in new:
                self._kinds[key] = len(self._kinds)
            self._own_gbps = np.concatenate((self._own_gbps, rates.gbps))
            self._limits_gbps = np.concatenate((self._limits_gbps, rates.limits_gbps))
        numbers = np.array([self._kinds[key] for key in keys], dtype=np.intp)
        return numbers[which.ravel()]

    def _end_codes(self, scenario: Scenario) -> Codes:
        """Return the number of each owner's end of a path."""
        facts = scenario.facts
        codes = []
        for owner in facts.seen_traffic.owners:
            instance = facts.instance(owner)
            end = ANYBODY if instance is None else machine_end(facts, instance)
            if self._keeps_places:
                end = replace(end, zone=owner.zone, region=owner.region)
            else:
                end = replace(end, zone=None, region=None)
            codes.append(self._ends.setdefault(end, len(self._ends)))
        return np.array(codes, dtype=np.intp)

    def _pod_codes(self, scenario: Scenario, src: Codes, dst: Codes, classes: Codes) -> Codes:
        """Return the network of pods by which each flow goes; 0: none."""
        found = np.zeros(len(src), dtype=np.intp)
        traffic = scenario.facts.traffic
        if not scenario.pods or traffic is None:
            return found
        of_owner = np.zeros(len(traffic.owners), dtype=np.intp)
        for number, owner in enumerate(traffic.owners):
            if owner.link is not None and owner.link in scenario.pods:
                pod = scenario.pods[owner.link]
                of_owner[number] = 1 + self._pods.setdefault(pod, len(self._pods))
        can_be = np.array([_pod_class(one) is not None for one in _CLASSES])
        is_pair = (of_owner[src] == of_owner[dst]) & can_be[classes]
        found[is_pair] = of_owner[src][is_pair]
        return found

    def _query(self, kind: Sequence[int]) -> PathQuery:
        path_class, src, dst, pod = kind
        ends = list(self._ends)
        query = PathQuery(path_class=_CLASSES[path_class], src=ends[src], dst=ends[dst])
        if not pod:
            return query
        _, network = list(self._pods)[pod - 1]
        over = _pod_class(query.path_class) or query.path_class
        return replace(query, path_class=over, pod=network)


class _Columns(NamedTuple):
    """Of each edge."""

    src: Codes
    dst: Codes
    classes: Codes
    sends: NDArray[np.bool_]
    """Whether a machine of the input sends it."""


def _columns(facts: Facts) -> _Columns:
    edges, owners = facts.seen_traffic.edges, facts.seen_traffic.owners
    count = len(edges)
    src = np.fromiter((edge.src for edge in edges), dtype=np.intp, count=count)
    is_own = np.array(
        [one.kind is OwnerKind.VM and facts.instance(one) is not None for one in owners]
    )
    return _Columns(
        src=src,
        dst=np.fromiter((edge.dst for edge in edges), dtype=np.intp, count=count),
        classes=np.fromiter((_CODE[e.path_class] for e in edges), dtype=np.intp, count=count),
        sends=is_own[src],
    )


def _pod_class(path_class: PathClass) -> PathClass | None:
    """Return the class of pods by which nodes reach each other inside the VPC, if there is one."""
    if path_class.is_pod:
        return path_class if path_class.distance is not None else None
    name = f"{path_class.value}-pod"
    return PathClass(name) if name in set(PathClass) else None
