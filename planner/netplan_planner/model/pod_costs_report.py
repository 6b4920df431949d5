"""What of a cluster's traffic costs most, and what near endpoints would save, for a report."""

from decimal import Decimal

from netplan_planner.model.base import Value
from netplan_planner.model.path_class import PathClass


class PodPair(Value, frozen=True, kw_only=True):
    """What the pods of a workload in a zone send to those of another; part of the edges' bill."""

    src: str
    """Workload."""
    dst: str
    src_zone: str
    """Empty where it is not known."""
    dst_zone: str
    service: str
    """By which they met; empty where none is known."""
    path_class: PathClass | None
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    """At the first price step; None: `unknown` says why."""
    unknown: str = ""


class NearSaving(Value, frozen=True, kw_only=True):
    """What `trafficDistribution: PreferClose` would make of a Service's traffic."""

    service: str
    prefers_near: bool
    """It is asked for already."""
    crossing_gib_per_month: Decimal | None
    """Between zones, now; this and the next four are None where `unknown` says why."""
    saved_gib_per_month: Decimal | None
    saving_usd_per_month: Decimal | None
    overload_times: float | None
    """What the fullest endpoint would carry, in times of what the fullest carries now."""
    fullest_zone: str | None
    """Where that endpoint is."""
    lone_zones: tuple[str, ...] = ()
    """Zones with a single endpoint."""
    unknown: str = ""
