"""When the level of a series of runs changed for good.

A generalised likelihood ratio over a limited window (Lai, "Sequential changepoint detection in
quality control and dynamical systems", JRSS B 57, 1995; Willsky and Jones 1976), run by run: the
last few runs are held against those before, weekday by weekday. Medians stand for means and median
absolute deviations for standard deviations, so that a burst of one day is no step. What a run saw
does not change with later runs.
"""

from collections.abc import Sequence
from datetime import date
from statistics import median
from typing import NamedTuple

BASE_RUNS = 28
"""Runs that make a level: of daily runs four of every weekday. More would lag behind growth."""
LEAST_BASE = 7
"""Of the first level: one of every weekday."""
AFTER_STEP = 3
"""Of a level behind a step, whose noise is known from before: its median ignores one odd run."""
CONFIRM_RUNS = 2
"""Runs at a new level that make a step: one may be a burst, and two days are what an answer may
take."""
WINDOW_RUNS = 7
"""Runs over which a small step adds up: one of every weekday."""
THRESHOLD = 6.0
"""Standard deviations: some ten path classes are looked at on every day, in seven windows."""
LEAST_NOISE = 0.03
"""Of a level of volumes: the spread of a few of them can be near 0 by chance. Chosen on seeds 0 to
49 of `benchmarks/history.py`, and by no law; what is free of volumes has no such floor."""
LEAST_SHARE = 0.02
"""Of what all traffic costs: a smaller step is not worth a reader's time."""
_NORMAL = 1.4826
"""Median absolute deviations in a standard deviation of normal noise."""
_WEEK = 7
_SEASON_RUNS = 3 * _WEEK
_LEAST_USUAL = 0.05
"""Of a weekday's share: on one with less there is no traffic, and a division makes noise of it."""
_DAY_OF_WEEKDAY = 2
"""Days of each weekday from which on weekdays have shares of their own."""


class Shift(NamedTuple):
    """A change of level: indices of runs, and how far the level moved."""

    start: int
    seen: int
    difference: float


def shifts(
    days: Sequence[date],
    values: Sequence[float],
    totals: Sequence[float],
    least_noise: float = LEAST_NOISE,
) -> list[Shift]:
    """Return where the level of a series changed, in order.

    Args:
        days: Of the runs, rising.
        values: Of the series, one a run.
        totals: Of all series together, which a step is held against.
        least_noise: Share of a level; 0 of a series that volumes do not move.

    >>> from datetime import timedelta
    >>> days = [date(2026, 11, 2) + timedelta(days=number) for number in range(30)]
    >>> values = [100.0 + number % 3 for number in range(20)] + [150.0 + n % 3 for n in range(10)]
    >>> [(one.start, one.seen, round(one.difference)) for one in shifts(days, values, values)]
    [(20, 21, 49)]
    """
    found: list[Shift] = []
    start, noise = 0, 0.0
    for now in range(len(values)):
        even = _even(days, values, start, now)
        if not even:
            continue
        best: tuple[float, Shift] | None = None
        for count in range(CONFIRM_RUNS, WINDOW_RUNS + 1):
            at = now - count + 1
            base = even[max(start, at - BASE_RUNS) : max(at, 0)]
            if len(base) < (AFTER_STEP if found else LEAST_BASE):
                break
            level = median(base)
            spread = max(_spread(base, level), noise * level if len(base) < BASE_RUNS // 2 else 0.0)
            spread = max(spread, least_noise * level)
            recent = [one - level for one in even[at : now + 1]]
            difference = median(recent)
            if count == CONFIRM_RUNS:
                # Both have to be there: the lesser counts.
                difference = min(recent, key=abs) if min(recent) * max(recent) > 0 else 0.0
            is_small = abs(difference) < LEAST_SHARE * median(totals[max(start, at - _WEEK) : at])
            size = abs(difference) / max(spread, 1e-9) / (1 / count + 1 / len(base)) ** 0.5
            if not is_small and size > THRESHOLD and (best is None or size > best[0]):
                best = size, Shift(at, now, difference)
        if best is not None:
            best = best[0], _dated(best[1], even, start)
            found.append(best[1])
            level = median(even[max(start, best[1].start - BASE_RUNS) : best[1].start])
            base = even[max(start, best[1].start - BASE_RUNS) : best[1].start]
            noise = max(noise, _spread(base, level) / level if level > 0 else 0.0)
            start = best[1].start
    return found


def _dated(shift: Shift, even: Sequence[float], start: int) -> Shift:
    """Return a shift from the run on where two levels fit best, by least squares.

    A median holds while fewer than half of its runs are still at the old level.
    """
    level = median(even[max(start, shift.start - BASE_RUNS) : shift.start])

    def misfit(at: int) -> float:
        new = even[at : shift.seen + 1]
        middle = median(new)
        old = sum((one - level) ** 2 for one in even[shift.start : at])
        return old + sum((one - middle) ** 2 for one in new)

    return shift._replace(start=min(range(shift.start, shift.seen - CONFIRM_RUNS + 2), key=misfit))


def _spread(values: Sequence[float], level: float) -> float:
    return _NORMAL * median(abs(one - level) for one in values)


def _even(days: Sequence[date], values: Sequence[float], start: int, now: int) -> list[float]:
    """Return the values up to a run without what their weekday has, by the eight weeks before.

    Empty: weekdays are not known yet; a weekend would look like a step.
    The share of a weekday is the median of its values, each held against the week around it.
    """
    known = range(max(0, now - 2 * BASE_RUNS), max(0, now - CONFIRM_RUNS + 1))
    if len(known) >= _SEASON_RUNS and not any(values[known.start : known.stop]):
        # Nothing has no weekdays: a new path class is a step as soon as it is there.
        return list(values[: now + 1])
    shares: dict[int, list[float]] = {}
    for at in known:
        near = [
            values[one]
            for one in range(max(known.start, at - 3), min(known.stop, at + 4))
            if (one < start) == (at < start)
        ]
        middle = sum(near) / len(near)
        if middle > 0 and len(near) == _WEEK:
            shares.setdefault(days[at].weekday(), []).append(values[at] / middle)
    if len(shares) < _WEEK or min(map(len, shares.values())) < _DAY_OF_WEEKDAY:
        return list(values[: now + 1]) if len({day.weekday() for day in days}) == 1 else []
    usual = {weekday: max(median(found), _LEAST_USUAL) for weekday, found in shares.items()}
    return [
        one / usual[day.weekday()]
        for one, day in zip(values[: now + 1], days[: now + 1], strict=True)
    ]
