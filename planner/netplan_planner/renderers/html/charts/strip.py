"""Machines against their caps: the 95th percentile, the peak and the cap of each, as strips."""

from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner.model import MachineRow, Report
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Line, fixed, line, say

FULL = 1.25
"""The right end of a strip as a ratio of the cap: a minute can pass it by what a shaper lets by."""


class Strip(NamedTuple):
    """One machine in one direction; places are ratios of the strip's length, 0 to 1."""

    machine: str
    machine_type: str
    way: str
    p95_gbps: float
    peak_gbps: float
    cap_gbps: float

    @property
    def used_ratio(self) -> float:
        """The 95th percentile against the cap."""
        return self.p95_gbps / self.cap_gbps

    @property
    def used(self) -> Line:
        """The same, in words."""
        return line(fixed(figures.use(self.used_ratio)))

    def place(self, gbps: float) -> float:
        """Return where a rate stands."""
        return round(min(gbps / self.cap_gbps / FULL, 1.0), 4)

    def rate(self, gbps: float) -> Line:
        """Return a rate in words."""
        return line(fixed(figures.rate(gbps)))


def strips(report: Report) -> tuple[Strip, ...]:
    """Return the machines that were seen to send, the fullest first.

    What carries to all destinations is set against the cap inside the VPC, what leaves the VPC
    against the cap to outside addresses. Without a known cap there is nothing to set it against.
    """
    found = [strip for row in report.machines for strip in _of(row)]
    return tuple(sorted(found, key=lambda one: (-one.used_ratio, one.machine, one.way)))


def _of(row: MachineRow) -> Iterator[Strip]:
    ways = (
        ("all", row.egress_p95_gbps, row.egress_max_gbps, row.egress_gbps),
        ("to outside", row.external_p95_gbps, row.external_max_gbps, row.external_gbps),
    )
    for way, p95, peak, cap in ways:
        if p95 is not None and peak and cap:
            yield Strip(
                machine=say(row.name, length=63).text,
                machine_type=say(row.machine_type, length=60).text,
                way=way,
                p95_gbps=p95,
                peak_gbps=peak,
                cap_gbps=cap,
            )
