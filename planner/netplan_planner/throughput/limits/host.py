"""What the core that serves one flow lets through, by date: measured, never documented.

One flow is handled by one core at each end. Its ceiling has risen with kernels, virtual switches
and processors, from 1 Gbit/s to more than the caps of most machines.

What machines on shared cores have of their vCPUs, for ever; they burst to all for a while.

What a receiving machine's vCPUs take in, where it is the lesser of the two machines.

Google documents no ingress cap inside the VPC: what arrives must still be handled by the vCPUs.
Nobody has published a figure for it. Every wall that was measured lay between equal machines, so a
machine takes at least what it may send itself; for more there is one core's ceiling, times
its vCPUs. What machines on shared cores have of theirs is documented; for a while they have more.
"""

from datetime import date
from itertools import pairwise

from netplan_planner.model import CapsBook, EgressCap, Limit, LimitKind, PathQuery
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.ends import OWN_CLOUD, vcpus_of
from netplan_planner.throughput.limits.tables import FlowFigure, flow_figures

SUSTAINED_VCPUS = {
    "e2-micro": 0.25,
    "e2-small": 0.5,
    "e2-medium": 1.0,
    "f1-micro": 0.2,
}
"""What shared-core types have of their vCPUs in the long run; for a while they burst to all.

Source: cloud.google.com/compute/vm-instance-pricing (2026-07-30) bills E2 types for that part of
their vCPUs; opsdash.com/blog/google-cloud-f1-micro.html (2017) has 0.2 and measured 0.22. Of
g1-small no source was found: it is taken for a whole vCPU.
"""


def sustained_vcpus(machine_type: str, vcpus: float) -> float:
    """Return the vCPUs that a machine has in the long run.

    >>> sustained_vcpus("e2-custom-micro-2048", 2), sustained_vcpus("n2-standard-4", 4)
    (0.25, 4)
    """
    # e2-custom-micro-2048 has the vCPUs of e2-micro.
    standard = "-".join(part for part in machine_type.split("-")[:3] if part != "custom")
    return SUSTAINED_VCPUS.get(standard, vcpus)


def sustained_share(machine_type: str | None) -> float:
    """Return the part of one core that a flow can count on, at most all of it.

    >>> sustained_share("f1-micro"), sustained_share("n2-standard-4"), sustained_share(None)
    (0.2, 1.0, 1.0)
    """
    return min(sustained_vcpus(machine_type or "", 1.0), 1.0)


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
    return float(first ** (1 - share) * last**share)


def _around(as_of: date, figures: list[FlowFigure]) -> tuple[FlowFigure, FlowFigure, float]:
    """Return the figures before and after a day, and where between them it lies, 0 to 1."""
    if as_of < figures[0].on:
        return figures[0], figures[0], 0.0
    for before, after in pairwise(figures):
        if as_of < after.on:
            return before, after, (as_of - before.on) / (after.on - before.on)
    return figures[-1], figures[-1], 0.0


RECEIVER_CORES = "receiver-cores"


def intake(query: PathQuery, cap: EgressCap, caps: CapsBook, without: str) -> Bound | None:
    """Return what the receiver takes in, None where that is all that the sender may send.

    Its least is what the vCPUs carry at their least, or what the machine may send itself.

    Args:
        query: The path.
        cap: Of the sender.
        caps: The caps at a date.
        without: A campaign whose figures are left out.
    """
    machine_type, most = query.dst.machine_type, vcpus_of(query.dst, caps)
    if query.dst.cloud != OWN_CLOUD or machine_type is None or not most:
        return None
    own = min((one.egress_gbps for one in caps.variants(machine_type)), default=0.0)
    frame = min((e.mtu_bytes for e in (query.src, query.dst) if e.mtu_bytes), default=MTU_BYTES)
    one = core_flow(caps.as_of, vcpus=1, mtu_bytes=frame, without=without)
    if own >= cap.egress_gbps or one is None:
        return None
    sustained = sustained_vcpus(machine_type, most)
    low = max(sustained * (one.low_gbps or 0.0), own)
    if low >= cap.egress_gbps:
        return None
    gbps = max(sustained * one.gbps, own)
    high = max(most * (one.high_gbps or 0.0), gbps)
    limit = Limit(
        name=RECEIVER_CORES,
        gbps=gbps,
        kind=LimitKind.MEASURED,
        source=one.source,
        as_of=one.as_of,
        detail=f"{machine_type}, {sustained:g} x {one.gbps:.3g} Gbit/s by one vCPU",
        low_gbps=low,
        high_gbps=high,
        lifted_by="a receiver with more vCPUs",
    )
    return Bound(limit, low, high)
