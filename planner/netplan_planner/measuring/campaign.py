"""What is to be measured: pairs of machines, configurations of the tool, and limits."""

import ipaddress
import re
from enum import StrEnum

from netplan_planner.errors import UsageError
from netplan_planner.inert import inert
from netplan_planner.measuring.transports import Transport
from netplan_planner.model import MeasuredEnd, PathClass, Value

_NAME = re.compile(r"[^/\s\x00-\x1f]{1,200}")
_PORTS = range(1, 65536)


class Direction(StrEnum):
    """Which way the data goes, seen from the tool's client."""

    FORWARD = "forward"
    REVERSE = "reverse"
    BOTH = "both"
    """Both ways at once."""


class Configuration(Value, frozen=True, kw_only=True):
    """How one run is done."""

    streams: int
    direction: Direction

    @property
    def name(self) -> str:
        """How the store and messages call it.

        >>> Configuration(streams=16, direction=Direction.BOTH).name
        '16-both'
        """
        return f"{self.streams}-{self.direction.value}"


CONFIGURATIONS = (
    *(
        Configuration(streams=streams, direction=direction)
        for streams in (1, 16)
        for direction in (Direction.FORWARD, Direction.REVERSE)
    ),
    Configuration(streams=16, direction=Direction.BOTH),
)
"""One stream shows what binds a flow, sixteen what binds a machine; both ways at once, whether
the two share something."""


class ProbeEnd(Value, frozen=True, kw_only=True):
    """A machine, how to reach it, and what is already known of it."""

    transport: Transport
    described: MeasuredEnd = MeasuredEnd()
    """Name, machine type, zone and so on, from the inventory; goes into the store."""
    iperf3: str = "iperf3"
    """The program there: a name or a path."""


class ProbePair(Value, frozen=True, kw_only=True):
    """Two machines and the address by which one reaches the other.

    Raises:
        UsageError: If a name, address or port range cannot be one.
    """

    name: str
    """One of its kind in a campaign; it stands in the store, without blanks and `/`."""
    client: ProbeEnd
    server: ProbeEnd
    address: str
    """Of the server, as the path to be measured has it: internal or external."""
    path_class: PathClass | None = None
    ports: tuple[int, int] = (5201, 5232)
    """First and last; the firewall must let the client reach them by TCP."""
    configurations: tuple[Configuration, ...] = ()
    """Only these, where they are not those of the campaign."""
    expected_gbps: float | None = None
    """The most that one direction may carry, such as the documented cap: before a first run, it
    decides whether the run fits under a limit of bytes."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise UsageError(f"probe pair {inert(self.name)!r}: a name has no blank and no `/`")
        try:
            ipaddress.ip_address(self.address)
        except ValueError as exc:
            raise UsageError(
                f"probe pair {self.name}: {inert(self.address)!r} is not an IP address; give the"
                " server's internal or external address"
            ) from exc
        first, last = self.ports
        if first not in _PORTS or last not in _PORTS or first > last:
            raise UsageError(f"probe pair {self.name}: ports {first} to {last} are not a range")


class StopRule(Value, frozen=True, kw_only=True):
    """When a configuration of a pair has runs enough."""

    min_runs: int = 3
    max_runs: int = 10
    tolerance_ratio: float = 0.10
    """Half the width of the predictive 90 % interval, as a share of the mean."""
    median_ratio: float = 0.02
    """How far the median may move with the last run."""

    def __post_init__(self) -> None:
        if not 2 <= self.min_runs <= self.max_runs:
            raise UsageError(
                f"runs from {self.min_runs} to {self.max_runs}: must be a range from at least 2"
            )


class ProbeLimits(Value, frozen=True, kw_only=True):
    """What a campaign may use; None is no limit."""

    max_gib: float | None = None
    """Sent in all runs together, headers and omitted seconds included."""
    max_seconds: float | None = None
    """From the start of the campaign; no run begins that could end later."""
    bitrate_gbps: float | None = None
    """Of one direction of one run."""

    def __post_init__(self) -> None:
        for name in ("max_gib", "max_seconds", "bitrate_gbps"):
            number = getattr(self, name)
            if number is not None and not number > 0:
                raise UsageError(f"{name.replace('_', ' ')} must be above 0, not {number}")


class Patience(Value, frozen=True, kw_only=True):
    """How long netplan waits, in seconds."""

    start_s: int = 45
    """For an end to answer at all; `gcloud` needs some of it to set up its tunnel."""
    slack_s: int = 20
    """For a run beyond its own duration."""
    silence_s: int = 20
    """How long an end hears nothing before it stops what it does."""
    connect_s: int = 5
    """For the client to connect."""


class Campaign(Value, frozen=True, kw_only=True):
    """Pairs, each measured in every configuration, in one random order.

    Raises:
        UsageError: If two pairs have one name, or the scale is not above 0.
    """

    id: str
    """`Measurement.source` of its runs; the same id resumes it."""
    seed: int = 0
    """Of the order."""
    pairs: tuple[ProbePair, ...]
    configurations: tuple[Configuration, ...] = CONFIGURATIONS
    stop: StopRule = StopRule()
    limits: ProbeLimits = ProbeLimits()
    patience: Patience = Patience()
    time_scale: float = 1.0
    """Of the duration of runs; below 1 they carry their slow start, which is for trying out."""

    def __post_init__(self) -> None:
        names = [pair.name for pair in self.pairs]
        if len(set(names)) < len(names):
            raise UsageError(f"campaign {inert(self.id)}: two pairs have the same name")
        if not 0 < self.time_scale < 100:
            raise UsageError(f"campaign {inert(self.id)}: invalid time scale {self.time_scale}")
