"""What the core that serves one flow lets through, by date: measured, never documented.

One flow is handled by one core at each end. Its ceiling has risen with kernels, virtual switches
and processors, from 1 Gbit/s to more than the caps of most machines.
"""

import math
from datetime import date
from itertools import pairwise

from netplan_planner.model import Limit, LimitKind
from netplan_planner.throughput.limits.tables import FlowFigure, flow_figures

VCPU_POWER = 0.25
"""A flow gains that power of the vCPUs, up to four: what else runs then has a core of its own."""
ENOUGH_VCPUS = 4
MTU_BYTES = 1460
"""Of the figures on Compute Engine. The greatest ones elsewhere had packets of 9000 bytes, and a
copy per byte is what costs most (Cai and others, Understanding Host Network Stack Overheads,
SIGCOMM 2021): greater packets are not said to add anything."""


FADE_DAYS = 30
"""After a figure, until its range is that of the next one too: what a run says of its own path
counts for half after so many days (`calibration.learning.measured_runs`)."""


def core_flow(
    as_of: date,
    *,
    vcpus: int | None = None,
    mtu_bytes: int = MTU_BYTES,
    without: str = "",
) -> Limit | None:
    """Return the ceiling of one flow inside Google's network, None where no figure is left.

    Between two figures it rises evenly on a logarithmic scale; before the first and after the last
    it stays. On what day between them it rose nobody knows: the range is that of both, once the
    first is a month old.

    Args:
        as_of: The day whose kernels and switches count.
        vcpus: Of the smaller end; None takes a machine with enough of them.
        mtu_bytes: The cost of a packet is nearly constant, so smaller ones carry less.
        without: A campaign whose figures are left out, so that it can be scored on the rest.
    """
    figures = [f for f in flow_figures() if not without or f.campaign != without]
    if not figures:
        return None
    size = (min(vcpus, ENOUGH_VCPUS) / ENOUGH_VCPUS) ** VCPU_POWER if vcpus else 1.0
    size *= min(mtu_bytes / MTU_BYTES, 1.0)
    before, after, share = _around(as_of, figures)
    middle = _middle(before, after, share)
    high = _between(before.high_gbps, after.high_gbps, _faded(before, as_of, share))
    nearest = before if share < 1 / 2 else after
    return Limit(
        name="single-flow-core",
        gbps=size * middle,
        kind=LimitKind.MEASURED,
        source=nearest.source,
        as_of=nearest.source_date,
        detail=f"one core at each end in {as_of:%Y-%m}",
        low_gbps=size * before.low_gbps,
        high_gbps=size * high,
        lifted_by="more parallel connections",
    )


def core_case_ratios(as_of: date, without: str = "") -> tuple[float, float]:
    """Return the figures before and after a day over what `core_flow` takes between them."""
    figures = [f for f in flow_figures() if not without or f.campaign != without]
    before, after, share = _around(as_of, figures)
    middle = _middle(before, after, share)
    most = _between(before.gbps, after.gbps, _faded(before, as_of, share))
    return before.gbps / middle, most / middle


def _faded(before: FlowFigure, as_of: date, share: float) -> float:
    """Return how far the range of a figure has gone over into that of the next, 0 to 1."""
    return min((as_of - before.on).days / FADE_DAYS, 1.0) if share else 0.0


def _middle(before: FlowFigure, after: FlowFigure, share: float) -> float:
    return _between(before.gbps, after.gbps, share)


def _between(first: float, last: float, share: float) -> float:
    """Return what lies so far from one figure to the next on a logarithmic scale."""
    return math.exp((1 - share) * math.log(first) + share * math.log(last))


def _around(as_of: date, figures: list[FlowFigure]) -> tuple[FlowFigure, FlowFigure, float]:
    """Return the figures before and after a day, and where between them it lies, 0 to 1."""
    if as_of < figures[0].on:
        return figures[0], figures[0], 0.0
    for before, after in pairwise(figures):
        if as_of < after.on:
            return before, after, (as_of - before.on) / (after.on - before.on)
    return figures[-1], figures[-1], 0.0
