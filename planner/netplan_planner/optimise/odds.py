"""How likely a deadline is met, by what a run takes at quantiles of the rates."""

import math
from collections.abc import Mapping

import numpy as np

from netplan_planner.units import SECONDS_PER_DAY

QUANTILES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995)
"""Of the rates: both ends of the model's intervals at 0.99, 0.98, 0.95, 0.9, 0.8 and 0.5."""


def deadline_probability(
    deadline_s: float | None, seconds: Mapping[float, float], interruptions_per_day: float
) -> float | None:
    """Return the probability of meeting a deadline; None: there is no deadline.

    All rates stand at the same quantile; between two of them the probability is in proportion to
    the time, beyond the outermost it is theirs. On Spot machines: without any interruption.

    Args:
        deadline_s: From the start.
        seconds: What a run takes at each of `QUANTILES`.
        interruptions_per_day: Of all Spot machines together.
    """
    if deadline_s is None:
        return None
    times = np.array([seconds[q] for q in reversed(QUANTILES)])
    share = np.array([1 - q for q in reversed(QUANTILES)])
    times = np.maximum.accumulate(times)
    most_s = deadline_s * (1 + 1e-9)
    if times[-1] == times[0]:
        found = 1.0 if most_s >= times[0] else 0.0
    elif most_s < times[0]:
        found = float(share[0])
    else:
        at = int(np.searchsorted(times, most_s, side="right")) - 1
        found = float(share[at])
        if at + 1 < len(times):
            part = (most_s - times[at]) / (times[at + 1] - times[at])
            found += float(part * (share[at + 1] - share[at]))
    found *= math.exp(-interruptions_per_day / SECONDS_PER_DAY * deadline_s)
    return round(found, 4)
