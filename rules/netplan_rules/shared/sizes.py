"""What a machine needs of vCPUs and memory, as all rules and `recommend` judge it."""

from netplan_planner.machines import SeenSize, SizeLimits, seen_size
from netplan_planner.model import Facts, Instance, MachineShape

_RULE = "cheaper-series"
"""The rule whose thresholds say how full a machine may be, for every proposal of a type."""


def days_that_decide(facts: Facts) -> float:
    """Return the days with points from which metrics decide a machine's size."""
    return facts.threshold(_RULE, "min_metric_days")


def size_of(facts: Facts, instance: Instance, shape: MachineShape) -> SeenSize:
    """Return the vCPUs and memory that another type of a machine must have."""
    limits = SizeLimits(
        cpu_ratio=facts.threshold(_RULE, "cpu_ratio"),
        memory_ratio=facts.threshold(_RULE, "memory_ratio"),
        min_days=days_that_decide(facts),
    )
    return seen_size(facts, instance, shape, limits)
