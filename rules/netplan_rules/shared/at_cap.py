"""Whether a machine sends as much as it may: one judgement for the rules that speak of it."""

from netplan_planner.model import EgressCap, Facts, MachineRates

_SHARED = "egress-cap-saturated"
"""The rule whose thresholds say when a machine stands at its cap."""


def is_full(facts: Facts, rates: MachineRates, cap: EgressCap) -> bool:
    """Return whether the 95th percentile, or enough single minutes, stand at the cap."""
    full_gbps = facts.threshold(_SHARED, "max_ratio") * cap.egress_gbps
    full_minutes = facts.threshold(_SHARED, "full_minutes")
    is_high = rates.egress.p95_gbps >= facts.threshold(_SHARED, "p95_ratio") * cap.egress_gbps
    return is_high or rates.egress.minutes_at_least(full_gbps) >= full_minutes
