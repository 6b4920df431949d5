"""What stands in the way of reading projects, and the role that is enough."""

from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Text, Value
from netplan_planner.model.evidence.log_volume import LogSettings


class CheckStatus(StrEnum):
    """How a check ended; what could not be looked at is neither well nor ill."""

    OK = "ok"
    PROBLEM = "problem"
    UNKNOWN = "unknown"


class DoctorCheck(Value, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    """`credentials`, `compute-api`, `permission`, `flow-logs`, `clock`, `prices`, `caps`, …"""
    project: str
    """Empty where it is of no project."""
    status: CheckStatus
    told: Text
    """What was found, or why nothing could be."""
    remedy: str
    """What to do; empty where nothing is to be done."""


class SubnetworkLogs(Value, frozen=True, kw_only=True):
    """The flow logs of a subnetwork, and what they cost at most."""

    project: str
    region: str
    name: str
    settings: tuple[LogSettings, ...]
    """Its own setting and every configuration that logs it now, each paid for; empty: off."""
    most_records_per_month: int | None
    """All records at the shortest interval, before sampling; None: not known."""
    usd_per_month: Decimal | None
    """At most, as set; of logs that are off, what all records with metadata would cost. None: not
    known."""
    why_not: str
    """Why the cost is not known."""

    @property
    def is_on(self) -> bool:
        """Whether anything logs it now, as far as was read."""
        return bool(self.settings)


class Diagnosis(Value, frozen=True, kw_only=True):
    """All checks, in the order in which they build on each other."""

    checks: tuple[DoctorCheck, ...]
    flow_logs: tuple[SubnetworkLogs, ...]
    """Of every subnetwork that could be read: on before off, the dearest first."""
    permissions: tuple[str, ...]
    """What netplan needs of a project, by name."""
    role: str
    """The same as a custom role in YAML, as `gcloud iam roles create --file` takes it."""

    def count(self, status: CheckStatus) -> int:
        """Return how many checks ended so."""
        return sum(check.status is status for check in self.checks)
