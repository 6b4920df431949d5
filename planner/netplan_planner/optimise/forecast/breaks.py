"""Days that are no part of the usual, and days from which on the usual is another."""

import numpy as np

from netplan_planner.optimise.forecast.grid import DAYS_PER_WEEK, Design, Floats
from netplan_planner.optimise.forecast.level import best_evidence

_FAR = 6.0
"""Robust standard deviations from the days around, from which on a day is set aside."""
_NORMAL = 1.4826
"""Median absolute deviations in a standard deviation of normal noise."""
_LEAST_OF_WEEKDAY = 3
_MOST_SHARE = 0.1
"""Of the days that may be set aside: more of them are no exceptions."""
_MOST_STEPS = 2
_LEAST_APART = 7
"""Days between two steps, and from either end: less is an exception, not a level."""
_DAYS_BEHIND_STEP = 28
"""Known days for each step that is looked for."""


def exceptions(days: np.ndarray[tuple[int], np.dtype[np.int64]], values: Floats) -> tuple[int, ...]:
    """Return days that lie far from those around, such as the day of an outage.

    Each is held against the median of the week before and after, and weekdays against their own
    kind where there are enough of them.
    """
    scaled = np.log(values) if float(values.min()) > 0 else values
    rest = _rest(days, scaled)
    spread = _NORMAL * float(np.median(np.abs(rest)))
    if spread <= 0.0:
        return ()
    far = np.flatnonzero(np.abs(rest) > _FAR * spread)
    if len(far) > _MOST_SHARE * len(days):
        return ()
    return tuple(int(days[one]) for one in far)


def _rest(days: np.ndarray[tuple[int], np.dtype[np.int64]], scaled: Floats) -> Floats:
    """Return what a day has beyond the week around it, and beyond its weekday's usual share."""
    found = np.empty(len(days))
    for at, day in enumerate(days):
        near = np.abs(days - day) <= DAYS_PER_WEEK
        found[at] = scaled[at] - np.median(scaled[near])
    weekday = days % DAYS_PER_WEEK
    if int(np.bincount(weekday, minlength=DAYS_PER_WEEK).min()) < _LEAST_OF_WEEKDAY:
        return found
    for number in range(DAYS_PER_WEEK):
        found[weekday == number] -= np.median(found[weekday == number])
    return found


def steps(values: Floats, design: Design) -> tuple[int, ...]:
    """Return the days from which on the level is another, the clearest first found.

    A step is taken where the likelihood gains what the criterion of Schwarz asks for its two
    numbers (when and how much), twice over: a level that wanders explains most of the rest.
    """
    found: tuple[int, ...] = ()
    most = min(_MOST_STEPS, len(design.days) // _DAYS_BEHIND_STEP)
    evidence = best_evidence(values, design) if most else 0.0
    price = 2.0 * np.log(len(design.days))
    while len(found) < most:
        tried = [
            (best_evidence(values, design._replace(steps=tuple(sorted((*found, day))))), day)
            for day in _candidates(values, design, found)
        ]
        if not tried or max(tried)[0] - evidence < price:
            break
        evidence, day = max(tried)
        found = tuple(sorted((*found, day)))
    return found


def _candidates(values: Floats, design: Design, found: tuple[int, ...]) -> list[int]:
    """Return the days at which the medians of a fortnight before and after differ most."""
    days = np.array(design.days)
    scaled = np.log(values) if float(values.min()) > 0 else values
    gains: list[tuple[float, int]] = []
    for day in design.days:
        # Known days, however far: of a calendar's fortnight a gap may leave none.
        at = int(np.searchsorted(days, day))
        before, after = scaled[max(0, at - 2 * _LEAST_APART) : at], scaled[at:][: 2 * _LEAST_APART]
        is_edge = min(at, len(days) - at) < _LEAST_APART
        is_near = any(abs(day - other) < _LEAST_APART for other in found)
        if is_edge or is_near:
            continue
        gain = abs(float(np.median(after) - np.median(before)))
        gains.append((gain, int(day)))
    gains.sort(key=lambda one: (-one[0], one[1]))
    return [day for _, day in gains[:5]]
