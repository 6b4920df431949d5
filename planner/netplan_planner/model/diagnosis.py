"""What stands in the way of reading projects, and the role that is enough."""

from enum import StrEnum

from netplan_planner.model.amounts import Text
from netplan_planner.model.base import Value


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


class Diagnosis(Value, frozen=True, kw_only=True):
    """All checks, in the order in which they build on each other."""

    checks: tuple[DoctorCheck, ...]
    permissions: tuple[str, ...]
    """What netplan needs of a project, by name."""
    role: str
    """The same as a custom role in YAML, as `gcloud iam roles create --file` takes it."""

    def count(self, status: CheckStatus) -> int:
        """Return how many checks ended so."""
        return sum(check.status is status for check in self.checks)
