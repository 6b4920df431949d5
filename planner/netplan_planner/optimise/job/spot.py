"""What interruptions make of a run on Spot machines.

They come to each machine at a steady rate, one independent of another. Where each takes a known
time of work with it, a run of `T` seconds takes `T / (1 - rate x (lost + start-up))`; where all
work so far is lost, `(exp(rate x T) - 1) / rate`, the mean time until a run gets through.
"""

import numpy as np

from netplan_planner.model import JobNeed
from netplan_planner.optimise.job.rates import Column
from netplan_planner.units import SECONDS_PER_DAY

_NEVER_S = 36_500 * SECONDS_PER_DAY
"""Nobody waits for a century."""


def is_coupled(need: JobNeed) -> bool:
    """Return whether the machines of a job wait for each other, so that one holds up all."""
    return need.between_bytes > 0 or need.parallel_ratio < 1


def expected_s(need: JobNeed, run_s: Column, per_day: float, machines: Column) -> Column:
    """Return the mean time of a run that so many machines must get through; infinite: never.

    Args:
        need: Start-up time and what an interruption takes with it.
        run_s: Without interruptions, start-up included.
        per_day: Interruptions of one machine.
        machines: How many of them hold the run up.
    """
    rate = per_day / SECONDS_PER_DAY * machines
    if per_day == 0:
        return run_s
    with np.errstate(over="ignore"):
        restarted = np.expm1(rate * run_s) / rate
    if need.lost_work_s is None:
        return _in_a_lifetime(restarted)
    left = 1 - rate * (need.lost_work_s + (need.startup_s or 0.0))
    with np.errstate(divide="ignore"):
        resumed = np.where(left > 0, run_s / np.maximum(left, 1e-300), np.inf)
    # No run loses more than all of it.
    return _in_a_lifetime(np.minimum(restarted, resumed))


def _in_a_lifetime(seconds: Column) -> Column:
    return np.where(seconds > _NEVER_S, np.inf, seconds)


def machine_s(need: JobNeed, run_s: Column, per_day: float, counts: Column) -> Column:
    """Return the mean time that one machine of a run is up."""
    machines = counts if is_coupled(need) else np.ones_like(counts)
    return expected_s(need, run_s, per_day, machines)


def finish_s(need: JobNeed, run_s: Column, per_day: float, counts: Column) -> Column:
    """Return the mean time until the last machine is done, at most: as if one held up all."""
    return expected_s(need, run_s, per_day, counts)
