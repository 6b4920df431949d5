"""Series of days with known truth, and tables of them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
NOISE = 0.1
WEEK = np.array([0.0, 0.05, 0.1, 0.1, 0.05, -0.3, -0.4])
START = datetime(2026, 8, 3, tzinfo=UTC)


def _lingering(noise: Floats, memory: float) -> Floats:
    found = noise.copy()
    for at in range(1, len(noise)):
        found[at] = memory * found[at - 1] + np.sqrt(1 - memory**2) * noise[at]
    return found


def series(kind: str, known: int, ahead: int, dice: np.random.Generator) -> Floats:
    """Return days of a kind, those ahead with them; NaN where nothing is known.

    Kinds: level, ratio (grows by 0.5 % a day), amount (by 1 % of the first level), amount-noise
    (the same, noise of one size), lingering (noise of one day goes on in the next), step, outage
    (two days at a tenth), gap (five unknown days), wandering (the level takes random steps), bursty
    (a day is often twice or half the usual), batch (one day in four ten times the others), heavy
    (most days little, some 20 times that).
    """
    days = np.arange(known + ahead)
    week = WEEK[days % 7]
    noise = dice.standard_normal(len(days)) * NOISE
    match kind:
        case "level" | "gap":
            found = np.exp(week + noise)
        case "ratio":
            found = np.exp(week + noise + 0.005 * days)
        case "amount":
            found = (1 + 0.01 * days) * np.exp(week + noise)
        case "amount-noise":
            found = np.maximum(2 + 0.02 * days + week + 2 * noise, 0)
        case "lingering":
            found = np.exp(week + 0.003 * days + _lingering(noise, 0.7))
        case "step":
            found = np.exp(week + noise + 0.7 * (days >= int(known * dice.uniform(0.3, 0.7))))
        case "outage":
            found = np.exp(week + noise + 0.003 * days)
            first = int(dice.integers(3, known - 3))
            found[first : first + 2] *= 0.1
        case "wandering":
            found = np.exp(week + noise + np.cumsum(dice.standard_normal(len(days)) * 0.03))
        case "bursty":
            found = np.exp(week + 8 * noise)
        case "batch":
            found = np.where(dice.random(len(days)) < 0.25, 10.0, 1.0) * np.exp(noise)
        case "heavy":
            found = np.exp(week + 13 * noise)
        case _:
            raise ValueError(kind)
    if kind == "gap":
        found[known // 3 : known // 3 + 5] = np.nan
    return found


Rate = Callable[[int], float | None]


def hourly(days: int, rate: Rate, name: str = "web") -> list[tuple[str, str, float | None]]:
    """Return a table's rows of so many days; None: the row is there and its cell empty."""
    return [
        (name, f"{START + timedelta(hours=hour):%Y-%m-%dT%H:%M:%SZ}", rate(hour))
        for hour in range(24 * days)
    ]


def daily(rates: Sequence[float], name: str = "web") -> list[tuple[str, str, float | None]]:
    """Return rows of a bin a day."""
    return [
        (name, f"{START + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}", rate)
        for day, rate in enumerate(rates)
    ]


def table(rows: Sequence[tuple[str, str, float | None]], unit: str = "gbps", **more: str) -> str:
    """Return the rows as CSV; `more` are columns that are alike in all rows."""
    head = ",".join(("name", "time", unit, *more))
    lines = (
        ",".join((name, time, "" if value is None else repr(float(value)), *more.values()))
        for name, time, value in rows
    )
    return "\n".join((head, *lines)) + "\n"
