"""Every machine type by every number of machines: time and cost of a run, and what is best."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Usage
from netplan_planner.optimise.job import spot
from netplan_planner.optimise.job.cost import usd_per_run
from netplan_planner.optimise.job.rates import Column, HourPrices, Offers
from netplan_planner.optimise.job.times import run_times

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
        finish_s, slow_s = (spot.finish_s(need, s, per_day, counts) for s in (run_s, slow_s))
    usd = usd_per_run(need, usage, prices, run_s, counts)
    return Grid(offers, usage, prices, run_s, finish_s, slow_s, usd)


def in_time(seconds: Column, deadline_s: float | None) -> NDArray[np.bool_]:
    """Return where a time meets a deadline, but for the noise of binary fractions."""
    most = np.inf if deadline_s is None else deadline_s * (1 + 10.0**-_ALIKE)
    return np.asarray(seconds <= most) & np.isfinite(seconds)
