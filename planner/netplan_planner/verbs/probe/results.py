"""What was measured of a plan of probes, beside what was predicted."""

from netplan_planner.model.base import Value
from netplan_planner.verbs.probe.answer import Probe, ProbeFlow, ProbePlan


class MeasuredRun(Value, frozen=True, kw_only=True):
    """A run that ended well."""

    place: str
    """Path, kind of run and number, as the store has it."""
    gbps: tuple[float, ...]
    """Of each direction."""


class MissedRuns(Value, frozen=True, kw_only=True):
    """What was not measured, and why."""

    what: str
    """The place of a run, a pair, a kind of run of a pair, or the rest."""
    reason: str
    is_one_run: bool = False
    """One run without a result, which another one may have made good."""


ProbeEvent = MeasuredRun | MissedRuns


class FlowResult(Value, frozen=True, kw_only=True):
    """One direction of one kind of run: what was measured, beside what was predicted."""

    probe: Probe
    flow: ProbeFlow
    gbps: tuple[float, ...]
    """Of each run, in their order."""
    is_capped: bool
    """Whether a rate cap was set on runs: then the figures are at least in part its own."""

    @property
    def median_gbps(self) -> float:
        """The middle of the runs, or of the two in the middle."""
        rates = sorted(self.gbps)
        half = len(rates) // 2
        return (rates[half] + rates[~half]) / 2

    @property
    def is_inside(self) -> bool | None:
        """Whether the median lies in the predicted interval; None without a prediction."""
        low, high = self.flow.estimate.low_gbps, self.flow.estimate.high_gbps
        return None if low is None or high is None else low <= self.median_gbps <= high


class ProbeResults(Value, frozen=True, kw_only=True):
    """What became of a plan."""

    plan: ProbePlan
    store: str
    flows: tuple[FlowResult, ...]
    resumed_count: int
    """Runs that the store had before."""
    measured_count: int
    """Runs that were measured now."""
    is_complete: bool
    """Whether everything in the plan was measured until the stop rule held."""
    missed: tuple[MissedRuns, ...] = ()
    """In the order in which it happened."""
    not_begun: tuple[str, ...] = ()
    """Why campaigns were not begun."""
