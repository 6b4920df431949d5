"""What happens during a campaign, and what became of it."""

from netplan_planner.measuring.progress import RunKey
from netplan_planner.model import Measurement, Value


class RunMeasured(Value, frozen=True, kw_only=True):
    """A run ended well and is in the store."""

    key: RunKey
    measurements: tuple[Measurement, ...]


class RunFailed(Value, frozen=True, kw_only=True):
    """A run ended without a result; another one may follow."""

    key: RunKey
    reason: str


class PairRefused(Value, frozen=True, kw_only=True):
    """A pair cannot be measured; the others go on."""

    pair: str
    reason: str


class RunsLeftOut(Value, frozen=True, kw_only=True):
    """A configuration of a pair, or everything (both empty), has fewer runs than it should."""

    pair: str = ""
    configuration: str = ""
    reason: str


ProbeEvent = RunMeasured | RunFailed | PairRefused | RunsLeftOut


class Outcome(Value, frozen=True, kw_only=True):
    """What became of a campaign."""

    resumed_count: int
    """Runs that the store had before."""
    order: tuple[RunKey, ...]
    """The runs that were begun now, in their order."""
    events: tuple[ProbeEvent, ...]
    moved_bytes: int
    """On the wire, earlier parts included; estimated from payload and segment size."""
    elapsed_s: float

    @property
    def measured_count(self) -> int:
        """How many runs were measured now."""
        return sum(isinstance(event, RunMeasured) for event in self.events)

    @property
    def is_complete(self) -> bool:
        """Whether every pair was measured in every configuration until the stop rule held."""
        return not any(isinstance(event, PairRefused | RunsLeftOut) for event in self.events)
