"""Machines against their caps: the 95th percentile, the peak and the cap of each, as strips."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from netplan_planner.model import Evidence, Finding, MachineRow, Report, ResourceRef
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Line, fixed, line, say

FULL = 1.25
"""The right end of a strip as a ratio of the cap: a minute can pass it by what a shaper lets by."""
_NO_NAME = ""


class _Way(NamedTuple):
    """Where a rule's evidence holds rates of a whole machine, and which cap they stand against."""

    title: str
    p95: str
    peak: str
    has_own_cap: bool
    """The evidence's `cap` is the one that the rule judged by, which may be a measured one."""
    is_outside: bool


_WAYS = (
    _Way("all", "p95", "max", has_own_cap=True, is_outside=False),
    _Way("to outside", "outside_p95", "outside_max", has_own_cap=True, is_outside=True),
    _Way("all", "all_p95", _NO_NAME, has_own_cap=False, is_outside=False),
)


class Strip(NamedTuple):
    """One machine in one direction; places are ratios of the strip's length, 0 to 1."""

    machine: str
    machine_type: str
    way: str
    p95_gbps: float
    peak_gbps: float | None
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

    def rate(self, gbps: float | None) -> Line:
        """Return a rate in words; empty when it is not known."""
        return line(fixed(figures.rate(gbps))) if gbps is not None else ()


def strips(report: Report) -> tuple[Strip, ...]:
    """Return the machines whose rates stand in a finding's evidence, the fullest first.

    What carries to all destinations is set against the cap inside the VPC, what leaves the VPC
    against the cap to outside addresses.
    """
    machines = {_link(row): row for row in report.machines}
    found: dict[tuple[str, str], Strip] = {}
    for ref, evidence in _judged(report.findings):
        for strip in _of(ref, evidence, machines.get(ref.self_link)):
            key = (ref.self_link, strip.way)
            if key not in found or found[key].peak_gbps is None:
                found[key] = strip
    return tuple(sorted(found.values(), key=lambda one: (-one.used_ratio, one.machine, one.way)))


def _judged(findings: Iterable[Finding]) -> Iterator[tuple[ResourceRef, Mapping[str, Evidence]]]:
    for finding in findings:
        for member in finding.members:
            if member.resources:
                named = {entry.name: entry for entry in member.evidence}
                yield member.resources[0], named


def _of(
    ref: ResourceRef, evidence: Mapping[str, Evidence], row: MachineRow | None
) -> Iterator[Strip]:
    for way in _WAYS:
        p95, cap = _gbps(evidence.get(way.p95)), None
        if way.has_own_cap:
            cap = _gbps(evidence.get("cap"))
        if cap is None and row is not None:
            cap = row.external_gbps if way.is_outside else row.egress_gbps
        if p95 is not None and cap:
            yield Strip(
                machine=say(ref.name, length=63).text,
                machine_type=say(row.machine_type, length=60).text if row else "",
                way=way.title,
                p95_gbps=p95,
                peak_gbps=_gbps(evidence.get(way.peak)),
                cap_gbps=cap,
            )


def _gbps(entry: Evidence | None) -> float | None:
    if entry is None or entry.unit != "Gbit/s" or isinstance(entry.value, str):
        return None
    return float(entry.value)


def _link(row: MachineRow) -> str:
    return f"projects/{row.project}/zones/{row.zone}/instances/{row.name}"
