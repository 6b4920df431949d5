"""The cheapest choices of all writers together, within the promised error of dollars."""

from collections.abc import Sequence
from math import sqrt

from netplan_planner.engine.flow_logs.intervals import Planned
from netplan_planner.model.flow_log_bill import LogGoal
from netplan_planner.optimise.log_settings import SamplingChoice, cheapest_settings
from netplan_planner.optimise.sampling_error import move_of_record, safe_multiplier

_ROUNDS = 8
"""Times that the bound is made narrower for records that weigh much."""


def cheapest_choices(
    planned: Sequence[Planned], usd_per_month: float, goal: LogGoal
) -> tuple[tuple[SamplingChoice, ...], float]:
    """Return the cheapest choices, and how many standard errors the promise takes.

    The more the greatest record weighs, the more it takes, and that depends on the choices.
    """
    options = [one.options for one in planned]
    multiplier = safe_multiplier(goal.confidence, 0.0)
    wanted = goal.dollar_error_ratio * usd_per_month
    for _ in range(_ROUNDS):
        chosen = cheapest_settings(options, (wanted / multiplier) ** 2)
        needed = _multiplier(planned, chosen, goal.confidence)
        deviation = sqrt(sum(choice.variance_usd2 for choice in chosen))
        if needed * deviation <= wanted:
            return chosen, needed
        multiplier = max(needed, multiplier * 1.05)
    return cheapest_settings(options, 0.0), safe_multiplier(goal.confidence, 0.0)


def _multiplier(
    planned: Sequence[Planned], chosen: Sequence[SamplingChoice], confidence: float
) -> float:
    deviation = sqrt(sum(choice.variance_usd2 for choice in chosen))
    if not deviation:
        return safe_multiplier(confidence, 0.0)
    most = max(
        move_of_record(one.most_usd[choice.option.interval_s], choice.ratio)
        for one, choice in zip(planned, chosen, strict=True)
    )
    return safe_multiplier(confidence, most / deviation)
