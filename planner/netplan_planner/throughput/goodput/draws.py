"""One path drawn many times over the ranges of all that is not known of it, without chance.

The draws are an additive recurrence, a low-discrepancy sequence: the same path gives the same
figures on every machine.
"""

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.goodput.mean import PER_FLOW, SHARED, PathTerms
from netplan_planner.throughput.goodput.terms import TermSpans

COUNT = 1024
_DIMENSIONS = len(SHARED) + len(PER_FLOW) + 3
"""The uncertain quantities: every limit, the window, the round-trip time and the send buffer."""


def draws(spans: TermSpans, count: int = COUNT) -> PathTerms:
    """Return `count` rows of terms for the first path of `spans`.

    Each quantity moves by itself: evenly on a logarithmic scale from its least to its likely value
    in one half of the draws, from there to its greatest in the other.
    """
    shares = _shares(count)
    shared_count = spans.likely.shared_gbps.shape[1]
    flow_count = spans.likely.per_flow_gbps.shape[1]
    ends = (spans.low, spans.likely, spans.high)
    first = spans.likely

    def drawn(name: str, at: int) -> NDArray[np.float64]:
        low, likely, high = (float(getattr(one, name)[0]) for one in ends)
        return _between(low, likely, high, shares[:, at])

    def drawn_limits(name: str, start: int, width: int) -> NDArray[np.float64]:
        rows = [getattr(one, name)[0] for one in ends]
        return np.column_stack(
            [
                _between(rows[0][i], rows[1][i], rows[2][i], shares[:, start + i])
                for i in range(width)
            ]
        )

    after = shared_count + flow_count
    held = PathTerms._make(np.repeat(column[:1], count, axis=0) for column in first)
    return held._replace(
        shared_gbps=drawn_limits("shared_gbps", 0, shared_count),
        per_flow_gbps=drawn_limits("per_flow_gbps", shared_count, flow_count),
        window_bytes=drawn("window_bytes", after),
        sent_bytes=drawn("sent_bytes", after + 2),
        rtt_ms=drawn("rtt_ms", after + 1),
    )


def _shares(count: int) -> NDArray[np.float64]:
    """Return evenly spread points of the unit cube; axes: draw, dimension.

    Source:
        Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018 (R sequence).
    """
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (_DIMENSIONS + 1))
    steps = root ** -np.arange(1, _DIMENSIONS + 1)
    return (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0


def _between(
    low: float, likely: float, high: float, share: NDArray[np.float64]
) -> NDArray[np.float64]:
    if not (np.isfinite(low) and np.isfinite(likely) and np.isfinite(high)) or low <= 0:
        return np.full_like(share, likely)
    knots = np.log([min(low, likely), likely, max(high, likely)])
    return np.exp(np.interp(share, [0.0, 0.5, 1.0], knots))
