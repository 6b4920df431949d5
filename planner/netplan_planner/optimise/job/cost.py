"""What a run costs: every machine by the second, at least a minute; commitments by the month.

Source: cloud.google.com/compute/vm-instance-pricing (a minimum of one minute, then increments of a
second), while a machine is in the state RUNNING (docs.cloud.google.com/compute/docs/instances/
instance-lifecycle).
"""

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from netplan_planner.model import JobNeed, LineItem, Usage, line_item
from netplan_planner.optimise.bill import COMMITTED, USAGE_NAMES
from netplan_planner.optimise.job import spot
from netplan_planner.optimise.job.rates import Column, HourPrices, Offer
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, SECONDS_PER_MINUTE

LEAST_BILLED_S = SECONDS_PER_MINUTE
_DIGITS = 6
"""Of hours before they are rounded up: the noise of binary fractions is below."""
_SECOND_DIGITS = 1
"""Of seconds before they are rounded up: no run's time is known better, and a start of milliseconds
is no second that somebody pays."""


def billed_s(seconds: Column) -> Column:
    """Return the seconds that a machine is billed for."""
    found: Column = np.maximum(np.ceil(np.round(seconds, _SECOND_DIGITS)), LEAST_BILLED_S)
    return found


def up_s(need: JobNeed, usage: Usage, run_s: Column, counts: Column) -> Column:
    """Return the time that one machine of a run is up, interruptions of Spot machines included."""
    if usage is not Usage.SPOT:
        return run_s
    return spot.machine_s(need, run_s, need.interruptions_per_day or 0.0, counts)


def usd_per_run(
    need: JobNeed, usage: Usage, prices: Sequence[HourPrices | None], run_s: Column, counts: Column
) -> Column:
    """Return what the machines of a run cost, as floats to compare; NaN where a price is missing.

    Under a commitment as many machines are paid all month as the runs need, one after another; the
    month is shared out over them.
    """
    machine = np.array([float(p.machine.usd) if p else np.nan for p in prices])[:, None]
    tier1 = np.array([float(p.tier1.usd) if p and p.tier1 else 0.0 for p in prices])[:, None]
    hours = billed_s(up_s(need, usage, run_s, counts)) / SECONDS_PER_HOUR * counts
    found: Column = hours * (machine + tier1)
    if usage not in COMMITTED:
        return found
    runs = need.runs_per_month or 0.0
    if not runs:
        return np.full_like(hours, np.nan)
    sets = np.ceil(np.round(runs * run_s / SECONDS_PER_HOUR / HOURS_PER_MONTH, _DIGITS))
    found = machine * HOURS_PER_MONTH * np.maximum(sets, 1) * counts / runs + hours * tier1
    return found


def bill(
    offer: Offer, need: JobNeed, usage: Usage, prices: HourPrices, run_s: float, count: int
) -> tuple[LineItem, ...]:
    """Return what the machines of a month's runs cost, or of the one run, exactly."""
    name = f"{count} x {offer.shape.machine_type}" if count > 1 else offer.shape.machine_type
    one = np.array([[run_s]])
    counts = np.array([[float(count)]])
    seconds = int(billed_s(up_s(need, usage, one, counts))[0, 0])
    runs = Decimal(str(need.runs_per_month or 1))
    hours = Decimal(seconds * count) * runs / SECONDS_PER_HOUR
    paid = hours
    if usage in COMMITTED:
        paid = Decimal(HOURS_PER_MONTH * count * committed_sets(need, run_s))
    machine = line_item(f"{name}, {USAGE_NAMES[usage]}, {need.region}", paid, prices.machine)
    if prices.tier1 is None:
        return (machine,)
    fee = f"Tier_1 of {name}, up to {offer.cap.egress_gbps:g} Gbit/s"
    return machine, line_item(fee, hours, prices.tier1)


def committed_sets(need: JobNeed, run_s: float) -> int:
    """Return how many sets of a run's machines a month's runs need, one after another on each."""
    hours = (need.runs_per_month or 0.0) * run_s / SECONDS_PER_HOUR
    return max(1, math.ceil(round(hours / HOURS_PER_MONTH, _DIGITS)))
