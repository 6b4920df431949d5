"""What is worth measuring, what it costs, and what it does to the machines."""

import math
from datetime import date
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import SelfLink, SkuId, Value
from netplan_planner.model.limits import Estimate, PathQuery
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.plans.plan_answer import ProjectAnswer
from netplan_planner.model.project.resources import Instance
from netplan_planner.units import counted


class ProbeWay(StrEnum):
    """Which way a run sends, seen from the client of the tool."""

    FORWARD = "forward"
    REVERSE = "reverse"
    BOTH = "both"
    """Both ways at once."""


class ProbeStake(Value, frozen=True, kw_only=True):
    """A finding that rests on a prediction for the path, and what it promises."""

    rule: str
    saving_usd_per_month: Decimal | None = None
    gain_gbps: float | None = None


class ProbePath(Value, frozen=True, kw_only=True):
    """Two machines, and the address by which the first reaches the second."""

    name: str
    """One of its kind in a plan, without blanks and `/`."""
    client: Instance
    server: Instance
    path_class: PathClass
    address: str | None
    """Of the server; None where it has none of that kind."""
    there: PathQuery
    """From the client to the server, timed as a run is; without streams."""
    back: PathQuery
    rtt_basis: str = ""
    """Where the round-trip time comes from."""
    stakes: tuple[ProbeStake, ...] = ()
    """Empty for a pair that the user named."""
    refused: str = ""
    """Why nothing may be measured there; empty if it may."""

    @property
    def subject(self) -> str:
        """Both machines, for people."""
        return f"{self.client.name} → {self.server.name}"


class ProbeLine(Value, frozen=True, kw_only=True):
    """What one direction of a probe costs: GiB times price."""

    name: str
    gib: Decimal
    usd_per_gib: Decimal
    usd: Decimal
    sku_id: SkuId | None
    as_of: date
    source: str


class ProbeCost(Value, frozen=True, kw_only=True):
    """What a probe takes. All figures are of both directions and all its runs."""

    runs: int
    seconds: float
    gib: Decimal
    """On the wire, headers and omitted seconds included."""
    usd: Decimal | None
    """Of the traffic; None where a price is not known."""
    line_items: tuple[ProbeLine, ...]
    vm_seconds: float
    """Of both ends together."""
    vm_usd_billed: float = 0.0
    """0: both machines run anyway."""
    vm_usd_in_ranking: Decimal | None
    """What their seconds would cost at list price, which counts in the order of probes only."""


class ProbeFlow(Value, frozen=True, kw_only=True):
    """One direction of one kind of run, as it is predicted."""

    way: ProbeWay
    is_back: bool
    """Whether the server sends."""
    estimate: Estimate
    log_width: float
    """Logarithm of the interval's high over its low end."""
    informative_ratio: float
    """Share of the interval that a run can tell apart; below 1 where `--bitrate` cuts it."""
    shares: tuple[tuple[str, float], ...]
    """Limit, and the probability that it binds here; paths with the same limit learn from it."""
    shared_log_width: float = 0.0
    """What probes of other paths leave of the width: paths of one class differ by so much."""


class Probe(Value, frozen=True, kw_only=True):
    """One path with one number of streams: what may be measured as a whole, or not at all."""

    path: ProbePath
    streams: int
    flows: tuple[ProbeFlow, ...]
    expected: ProbeCost
    """At the fewest runs and the predicted rates."""
    most: ProbeCost
    """At the most runs and the high ends of the intervals."""
    unpriced: str = ""
    """Why the price of its traffic is not known."""
    refused: str = ""

    @property
    def name(self) -> str:
        """The path and the streams, for people."""
        streams = counted(self.streams, "stream")
        return f"{self.path.subject}, {self.path.path_class.value}, {streams}"

    @property
    def ranking_usd(self) -> Decimal | None:
        """What it costs in the ranking: its traffic and the seconds of both machines."""
        traffic, machines = self.expected.usd, self.expected.vm_usd_in_ranking
        return None if traffic is None or machines is None else traffic + machines


class ToldLimit(Value, frozen=True, kw_only=True):
    """A limit whose value a probe is likely to show."""

    limit: str
    probability: float
    other_paths: int
    """Paths that have the same limit."""


class PlannedProbe(Value, frozen=True, kw_only=True):
    """A probe of the plan, with what it adds to those before it."""

    probe: Probe
    gain: float
    """Expected shrinkage of log widths, summed over all paths that learn from it."""
    gain_per_usd: float | None
    """By egress and VM seconds; None where a price is not known."""
    tells: tuple[ToldLimit, ...]
    """The likeliest first."""


class LeftOutKind(StrEnum):
    """Why a probe is not in the plan."""

    REFUSED = "refused"
    KNOWN = "known"
    """Its answer is inside the tolerance already."""
    LIMIT = "limit"
    """It does not fit under a limit that the user set."""


class LeftOutProbe(Value, frozen=True, kw_only=True):
    """A probe that is not in the plan, and why."""

    probe: Probe
    kind: LeftOutKind
    reason: str


class MachineLoad(Value, frozen=True, kw_only=True):
    """What probes ask of one machine, beside what it sends anyway."""

    name: str
    cap_gbps: float | None
    sends_gbps: float
    """The most that a run may make it send: the high end of its prediction, the cap at most."""
    receives_gbps: float
    busy_s: float
    """Seconds with a run, at the fewest runs."""
    most_busy_s: float
    seen_p95_gbps: float | None = None
    """What flow logs saw it send; None where they are not given, or hold nothing of it."""
    seen_max_gbps: float | None = None


class ProbeImpact(MachineLoad, frozen=True, kw_only=True):
    """What the plan does to one machine."""

    link: SelfLink

    @property
    def cap_ratio(self) -> float | None:
        """Share of the machine's cap that a run takes."""
        return self.sends_gbps / self.cap_gbps if self.cap_gbps else None

    @property
    def is_crowded(self) -> bool:
        """Whether runs and the traffic that was seen are more than the machine may send."""
        seen, cap = self.seen_p95_gbps, self.cap_gbps
        return seen is not None and cap is not None and seen + self.sends_gbps > cap


class StoredRuns(Value, frozen=True, kw_only=True):
    """What a store of measurements has of a plan before anything is run."""

    path: str
    run_count: int
    faults: tuple[str, ...] = ()
    """What of the store cannot be used."""


class ProbePlan(ProjectAnswer, frozen=True, kw_only=True):
    """Probes in the order of what they tell for their cost, and those that are not among them."""

    id: str
    """Of this content: the same plan again goes on where it was broken off."""
    limits_as_of: date
    tolerance_ratio: float
    probes: tuple[PlannedProbe, ...]
    left_out: tuple[LeftOutProbe, ...]
    impacts: tuple[ProbeImpact, ...]
    mean_log_width: float
    """Of all paths that matter, now."""
    expected_log_width: float
    """After the plan, in the mean over what its runs may measure."""
    most_log_width: float
    """After the plan, in nine of ten such cases at most."""
    has_traffic: bool
    """Whether flow logs were given."""
    notes: tuple[str, ...] = ()
    stored: StoredRuns | None = None
    """None where no store was looked at."""

    @property
    def expected(self) -> ProbeCost:
        """What all probes take together at the fewest runs and the predicted rates."""
        return _total([one.probe.expected for one in self.probes])

    @property
    def most(self) -> ProbeCost:
        """The same at the most runs and the high ends of the intervals."""
        return _total([one.probe.most for one in self.probes])


def _total(costs: list[ProbeCost]) -> ProbeCost:
    return ProbeCost(
        runs=sum(cost.runs for cost in costs),
        seconds=sum(cost.seconds for cost in costs),
        gib=sum((cost.gib for cost in costs), Decimal(0)),
        usd=_sum_known([cost.usd for cost in costs]),
        line_items=tuple(line for cost in costs for line in cost.line_items),
        vm_seconds=sum(cost.vm_seconds for cost in costs),
        vm_usd_in_ranking=_sum_known([cost.vm_usd_in_ranking for cost in costs]),
    )


def _sum_known(amounts: list[Decimal | None]) -> Decimal | None:
    """Return a sum, or None where a part of it is not known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else None


def log_width_of(half_width_ratio: float) -> float:
    """Return the logarithmic width of an interval of plus and minus a share.

    >>> round(log_width_of(0.1), 4)
    0.2007
    """
    return 2 * math.atanh(half_width_ratio)


def half_width_of(log_width: float) -> float:
    """Return the share by which the ends of an interval lie off its middle.

    >>> round(half_width_of(log_width_of(0.1)), 4)
    0.1
    """
    return math.tanh(log_width / 2)
