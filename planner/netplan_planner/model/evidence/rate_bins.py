"""Rates by equal stretches of time: what a forecast needs, and a summary no longer has."""

from datetime import datetime, timedelta

from netplan_planner.model.base import Value
from netplan_planner.units import SECONDS_PER_HOUR

Rates = tuple[float | None, ...]
"""Mean rate of each bin in Gbit/s; None: nothing tells of it, which is not 0."""


class RateBins(Value, frozen=True, kw_only=True):
    """The series of one thing."""

    start: datetime
    """Of the first bin, UTC."""
    bin_s: float = float(SECONDS_PER_HOUR)
    gbps: Rates

    @property
    def end(self) -> datetime:
        """End of the last bin."""
        return self.start + timedelta(seconds=self.bin_s * len(self.gbps))

    @property
    def known_s(self) -> float:
        """Time that is known."""
        return self.bin_s * sum(rate is not None for rate in self.gbps)


class MachineHours(Value, frozen=True, kw_only=True, gc=False):
    """What one machine sent by hour."""

    owner: int
    """Index into `TrafficMatrix.owners`."""
    gbps: Rates
    outside_gbps: Rates
    """The part to addresses outside the VPC."""


class PathHours(Value, frozen=True, kw_only=True, gc=False):
    """What was sent by hour from one place to another over paths of one price."""

    edge: int
    """Index into `TrafficMatrix.edges`: any one of the path's, which differ in their ends alone."""
    gbps: Rates


class TrafficHours(Value, frozen=True, kw_only=True):
    """The traffic of a matrix by hour."""

    start: datetime
    bin_s: float = float(SECONDS_PER_HOUR)
    machines: tuple[MachineHours, ...]
    paths: tuple[PathHours, ...]

    def bins(self, gbps: Rates) -> RateBins:
        """Return rates of a part of it with their time."""
        return RateBins(start=self.start, bin_s=self.bin_s, gbps=gbps)
