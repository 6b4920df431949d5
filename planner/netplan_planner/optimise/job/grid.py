"""Every machine type by every number of machines: time and cost of a run, and what is best."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import JobNeed, LineItem, Usage, line_item
from netplan_planner.optimise.bill import COMMITTED, USAGE_NAMES
from netplan_planner.optimise.job import times
from netplan_planner.optimise.job.rates import Column, HourPrices, Offer, Offers
from netplan_planner.optimise.job.times import run_times
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, SECONDS_PER_MINUTE

# What a run costs: every machine by the second, at least a minute; commitments by the month
#
# Source: cloud.google.com/compute/vm-instance-pricing (a minimum of one minute, then increments of
# a second), while a machine is in the state RUNNING (docs.cloud.google.com/compute/docs/instances/
# instance-lifecycle).


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
    return times.machine_s(need, run_s, need.interruptions_per_day or 0.0, counts)


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
    name = f"{count} × {offer.shape.machine_type}" if count > 1 else offer.shape.machine_type
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


# Every machine type by every number of machines: time and cost of a run, and what is best


SLOW_QUANTILE, FAST_QUANTILE = 0.05, 0.95
"""Of the rates: the ends of the interval at 0.9."""
_ALIKE = 9
"""Digits in which costs or times that are the same agree, in shares of the least."""


class Cell(NamedTuple):
    """A machine (row of the offers) and how many of it."""

    row: int
    machine_count: int


class Grid(NamedTuple):
    """Runs on each machine (rows) and number of them (columns, from 1 on); NaN: no price."""

    offers: Offers
    usage: Usage
    prices: Sequence[HourPrices | None]
    run_s: Column
    """Without interruptions."""
    finish_s: Column
    """With those of Spot machines, as expected."""
    slow_s: Column
    """The same at the slow end of the interval of the rates."""
    usd: Column

    def best(self, may: NDArray[np.bool_]) -> Cell | None:
        """Return the cheapest cell of those that may be, the fastest of equal ones; None: none."""
        cells = list(self._ranked(may))
        return cells[0] if cells else None

    def best_of_rows(self, may: NDArray[np.bool_]) -> list[Cell]:
        """Return the cheapest cell of each machine that may be, ranked."""
        found: dict[int, Cell] = {}
        for cell in self._ranked(may):
            found.setdefault(cell.row, cell)
        return list(found.values())

    def front(self) -> list[Cell]:
        """Return the cells that no other beats in both cost and time, cheapest first."""
        kept: list[Cell] = []
        least = np.inf
        for cell in self._ranked(np.isfinite(self.usd)):
            seconds = self.finish_s[cell.row, cell.machine_count - 1]
            # Nothing is faster than no time at all.
            if np.isinf(least) or (least and round(seconds / least, _ALIKE) < 1):
                kept.append(cell)
                least = seconds
        return kept

    def _ranked(self, may: NDArray[np.bool_]) -> Iterator[Cell]:
        rows, columns = np.nonzero(may & np.isfinite(self.usd) & np.isfinite(self.finish_s))
        if not len(rows):
            return
        usd, seconds = self.usd[rows, columns], self.finish_s[rows, columns]
        keys = (
            # Offers are in order of name, so that equal ones do not depend on the input's order.
            rows,
            columns,
            np.round(seconds / max(float(seconds.min()), 1e-9), _ALIKE),
            np.round(usd / (float(usd.min()) or 1.0), _ALIKE),
        )
        for at in np.lexsort(keys):
            yield Cell(int(rows[at]), int(columns[at]) + 1)


def grid(offers: Offers, usage: Usage, prices: Sequence[HourPrices | None], most: int) -> Grid:
    """Return every machine by every number of them up to `most`, paid in one way."""
    counts = np.arange(1.0, most + 1)[None, :]
    need = offers.need
    run_s = run_times(offers, counts).total
    slow_s = run_times(offers, counts, SLOW_QUANTILE).total
    finish_s = run_s
    if usage is Usage.SPOT:
        per_day = need.interruptions_per_day or 0.0
        finish_s, slow_s = (times.finish_s(need, s, per_day, counts) for s in (run_s, slow_s))
    usd = usd_per_run(need, usage, prices, run_s, counts)
    return Grid(offers, usage, prices, run_s, finish_s, slow_s, usd)


def in_time(seconds: Column, deadline_s: float | None) -> NDArray[np.bool_]:
    """Return where a time meets a deadline, but for the noise of binary fractions."""
    most = np.inf if deadline_s is None else deadline_s * (1 + 10.0**-_ALIKE)
    return np.asarray(seconds <= most) & np.isfinite(seconds)
