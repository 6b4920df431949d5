"""Which machines a commitment is for, and whether it runs."""

import re
from datetime import date
from typing import NamedTuple

from netplan_planner.model import Commitment

BARE_TYPES = {
    "GENERAL_PURPOSE": ("n1",),
    "MEMORY_OPTIMIZED": ("m1", "m2"),
    "COMPUTE_OPTIMIZED": ("c2",),
    "ACCELERATOR_OPTIMIZED": ("a2",),
    "GRAPHICS_OPTIMIZED": ("g2",),
}
"""Types of the Compute API that do not name their series.

Source: the enum `type` of the resource `regionCommitments` (docs.cloud.google.com/compute/docs/
reference/rest/v1/regionCommitments), and the machine series of `VmResourceBasedCud` in the Cloud
Billing API; read 2026-11-22.
"""
_NAMED = re.compile(r"[A-Z]+_[A-Z]+_([A-Z]\d+[A-Z]?)(.*)")
"""`GENERAL_PURPOSE_N2D`; a rest (`ACCELERATOR_OPTIMIZED_A3_MEGA`) names some types of the series.
"""
LICENCE = "LICENSE"
_PLANS = {"TWELVE_MONTH": "1 year", "THIRTY_SIX_MONTH": "3 years"}
PENDING = frozenset({"NOT_YET_ACTIVE", "CREATING"})
_STATES = {
    "ACTIVE": "active",
    "EXPIRED": "ended",
    "CANCELLED": "cancelled",
    "NOT_YET_ACTIVE": "not yet active",
    "CREATING": "not yet active",
}


class Coverage(NamedTuple):
    """The series that a commitment covers, and what is not known of that.

    Without series it covers no machine, or any, where there is a doubt.
    """

    series: tuple[str, ...]
    doubt: str = ""


def coverage_of(commitment: Commitment) -> Coverage:
    """Return what machines a commitment is for; none where it is for licences."""
    if commitment.category == LICENCE:
        return Coverage(())
    name, kind = commitment.name, commitment.commitment_type
    series, is_whole = series_of_type(kind or "")
    if not is_whole:
        of = f"types of {series[0]}" if series else "VMs"
        return Coverage(series, f"which {of} commitment {name} ({kind or 'no type'}) covers")
    if not commitment.vcpu_count and not commitment.memory_mib and not commitment.others:
        return Coverage(series, f"how much commitment {name} covers (its resources are not stated)")
    return Coverage(series)


def series_of_type(kind: str) -> tuple[tuple[str, ...], bool]:
    """Return the series of a commitment's `type`, and whether it covers all their machines.

    >>> series_of_type("GENERAL_PURPOSE_N2D"), series_of_type("MEMORY_OPTIMIZED")
    ((('n2d',), True), (('m1', 'm2'), True))
    >>> series_of_type("ACCELERATOR_OPTIMIZED_A3_MEGA"), series_of_type("NEW_KIND")
    ((('a3',), False), ((), False))
    """
    if kind in BARE_TYPES:
        return BARE_TYPES[kind], True
    named = _NAMED.fullmatch(kind)
    return ((named[1].lower(),), not named[2]) if named else ((), False)


def state_of(commitment: Commitment, today: date) -> str:
    """Return `active`, or why a commitment covers nothing today.

    The API's word may be old: a day that has passed goes before it. Without either it is taken to
    run.
    """
    if commitment.ends is not None and commitment.ends.date() <= today:
        return "ended"
    status = commitment.status
    return "active" if status is None else _STATES.get(status, status.lower().replace("_", " "))


def is_active(commitment: Commitment, today: date) -> bool:
    """Return whether a commitment covers usage today."""
    return state_of(commitment, today) == "active"


def is_pending(commitment: Commitment) -> bool:
    """Return whether a commitment is bought and begins within days."""
    return commitment.status in PENDING


def plan_of(commitment: Commitment) -> str:
    """Return how long a commitment was bought for, in words."""
    return _PLANS.get(commitment.plan or "", commitment.plan or "not stated")
