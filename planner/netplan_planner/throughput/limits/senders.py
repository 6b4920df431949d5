"""What a sending machine lets through: its cap at a date, its physical NICs, the core of a flow."""

import math
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.limits import bounds, tables
from netplan_planner.throughput.limits.bounds import FIRST_CAP_ON, Bound, admitted
from netplan_planner.throughput.limits.caps import DEFAULT_TIER, load_caps
from netplan_planner.throughput.limits.ends import OWN_CLOUD, vcpus_of
from netplan_planner.throughput.limits.tables import DATA, FlowFigure, flow_figures

# The cap of such a machine is the sum over its NICs. Two machines that talk over one pair of
# addresses use one NIC at each end; the sum takes a vNIC on each, and flows that spread over them.
# NICs that carry RDMA between GPUs only are no way for TCP.


NIC_EGRESS = "nic-egress"
LEAST_VNICS, MOST_VNICS = 2, 10
"""Any machine type takes the first; most types one vNIC a vCPU, up to the second. Dynamic NICs,
which share a vNIC, are not counted (docs.cloud.google.com/vpc/docs/multiple-interfaces-concepts,
"Maximum number of network interfaces"; VPC release note of 2025-06-13)."""


def most_vnics(vcpus: int | None) -> int:
    """Return how many vNICs a machine may have; without its vCPUs what any type may have.

    >>> [most_vnics(vcpus) for vcpus in (1, 2, 4, 10, 96, None)]
    [2, 2, 4, 10, 10, 10]
    """
    return min(max(vcpus, LEAST_VNICS), MOST_VNICS) if vcpus else MOST_VNICS


def why_too_many_vnics(end: model.PathEnd, caps: model.CapsBook) -> str:
    """Return why a machine cannot have the vNICs that are said of it; empty where it can."""
    most = most_vnics(vcpus_of(end, caps))
    if end.nic_count <= most:
        return ""
    return f"{end.machine_type or 'a VM'} supports at most {most} vNICs, not {end.nic_count}"


@cache
def physical_nics() -> dict[str, model.PhysicalNics]:
    """Return the machine types with several physical NICs, by name."""
    found = shipped_values(DATA / "physical_nics.csv", model.PhysicalNics, as_of="source_date")
    return {one.machine_type: one for one in found}


def nic_limit(machine_type: str, nic_count: int) -> model.Limit | None:
    """Return what the NICs in use send together, None for a machine with one physical NIC.

    Args:
        machine_type: Of the sender.
        nic_count: vNICs that the flows spread over, each on a physical NIC of its own.
    """
    nics = physical_nics().get(machine_type)
    if nics is None:
        return None
    used = min(nic_count, nics.vpc_nic_count)
    share = "" if nics.basis == "documented" else f" ({nics.note})"
    rest = nics.vpc_nic_count - used
    return model.Limit(
        name=NIC_EGRESS,
        gbps=nics.nic_gbps * used,
        kind=model.LimitKind.DOCUMENTED,
        source=f"{nics.source}{share}",
        as_of=nics.as_of,
        detail=f"{machine_type}, {used} of {nics.vpc_nic_count} for TCP/IP in use",
        lifted_by="one vNIC per physical NIC, with flows on all of them (--nics)"
        if rest
        else "a machine type with a higher cap",
    )


# What the core that serves one flow lets through, by date: measured, never documented
#
# One flow is handled by one core at each end. Its ceiling has risen with kernels, virtual switches
# and processors, from 1 Gbit/s to more than the caps of most machines.
#
# What machines on shared cores have of their vCPUs, for ever; they burst to all for a while.
#
# What a receiving machine's vCPUs take in, where it is the lesser of the two machines.
#
# Google documents no ingress cap inside the VPC: what arrives must still be handled by the vCPUs.
# Nobody has published a figure for it. Every wall that was measured lay between equal machines, so
# a machine takes at least what it may send itself; for more there is one core's ceiling, times its
# vCPUs. What machines on shared cores have of theirs is documented; for a while they have more.


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
    without: tables.Campaigns = tables.NOBODY,
) -> model.Limit | None:
    """Return the ceiling of one flow inside Google's network, None where no figure is left.

    Between two figures it rises evenly on a logarithmic scale; before the first and after the last
    it stays. On what day between them it rose nobody knows: the range is that of both, once the
    first is a month old.

    Args:
        as_of: The day whose kernels and switches count.
        vcpus: Of the smaller end; None takes a machine with enough of them.
        mtu_bytes: The cost of a packet is nearly constant, so smaller ones carry less.
        without: Campaigns whose figures are left out, so that they can be scored on the rest.
    """
    figures = flow_figures(without)
    if not figures:
        return None
    size = (min(vcpus, ENOUGH_VCPUS) / ENOUGH_VCPUS) ** VCPU_POWER if vcpus else 1.0
    size *= min(mtu_bytes / MTU_BYTES, 1.0)
    before, after, share = _around(as_of, figures)
    middle = _middle(before, after, share)
    high = _between(before.high_gbps, after.high_gbps, _faded(before, as_of, share))
    nearest = before if share < 1 / 2 else after
    return model.Limit(
        name="single-flow-core",
        gbps=size * middle,
        kind=model.LimitKind.MEASURED,
        source=nearest.source,
        as_of=nearest.source_date,
        detail=f"one core at each end in {as_of:%Y-%m}",
        low_gbps=size * before.low_gbps,
        high_gbps=size * high,
        lifted_by="more parallel connections",
    )


def core_case_ratios(caps: model.CapsBook) -> tuple[float, float]:
    """Return the figures before and after a day over what `core_flow` takes between them."""
    before, after, share = _around(caps.as_of, flow_figures(caps.without))
    middle = _middle(before, after, share)
    most = _between(before.gbps, after.gbps, _faded(before, caps.as_of, share))
    return before.gbps / middle, most / middle


def _faded(before: FlowFigure, as_of: date, share: float) -> float:
    """Return how far the range of a figure has gone over into that of the next, 0 to 1."""
    return min((as_of - before.on).days / FADE_DAYS, 1.0) if share else 0.0


def _middle(before: FlowFigure, after: FlowFigure, share: float) -> float:
    return _between(before.gbps, after.gbps, share)


def _between(first: float, last: float, share: float) -> float:
    """Return what lies so far from one figure to the next on a logarithmic scale."""
    return float(first ** (1 - share) * last**share)


def _around(as_of: date, figures: Sequence[FlowFigure]) -> tuple[FlowFigure, FlowFigure, float]:
    """Return the figures before and after a day, and where between them it lies, 0 to 1."""
    if as_of < figures[0].on:
        return figures[0], figures[0], 0.0
    for before, after in pairwise(figures):
        if as_of < after.on:
            return before, after, (as_of - before.on) / (after.on - before.on)
    return figures[-1], figures[-1], 0.0


RECEIVER_CORES = "receiver-cores"


def intake(query: model.PathQuery, sent_gbps: float, caps: model.CapsBook) -> Bound | None:
    """Return what the receiver takes in: what its vCPUs carry, or what it may send itself if more.

    None: that is all that the sender may send.

    Args:
        query: The path.
        sent_gbps: The sender's cap; infinity where nobody knows it, as of another cloud's.
        caps: The caps at a date.
    """
    machine_type, known = query.dst.machine_type or "", vcpus_of(query.dst, caps)
    most = known or (tables.vcpus_by_type().get(machine_type) if math.isinf(sent_gbps) else None)
    if query.dst.cloud != OWN_CLOUD or not machine_type or not most:
        return None
    own = min((one.egress_gbps for one in caps.variants(machine_type)), default=0.0)
    frame = min((e.mtu_bytes for e in (query.src, query.dst) if e.mtu_bytes), default=MTU_BYTES)
    one = core_flow(caps.as_of, vcpus=1, mtu_bytes=frame, without=caps.without)
    if own >= sent_gbps or one is None:
        return None
    sustained = sustained_vcpus(machine_type, most)
    low = max(sustained * (one.low_gbps or 0.0), own)
    if low >= sent_gbps:
        return None
    gbps = max(sustained * one.gbps, own)
    high = max(most * (one.high_gbps or 0.0), gbps)
    limit = model.Limit(
        name=RECEIVER_CORES,
        gbps=gbps,
        kind=model.LimitKind.MEASURED,
        source=one.source,
        as_of=one.as_of,
        detail=f"{machine_type}, {sustained:g} × {one.gbps:.3g} Gbit/s by one vCPU",
        low_gbps=low,
        high_gbps=high,
        lifted_by="a receiver with more vCPUs",
    )
    return Bound(limit, low, high)


# The cap of a sending machine at a date, or the nearest one that an answer may assume


CARRIED_YEARS = 3
"""How many years back a cap is carried for an answer that may assume it."""


class Sender(NamedTuple):
    """The sending machine's cap, or why there is none."""

    cap: model.EgressCap | None
    why_not: str = ""
    highest_gbps: float = 0.0
    lowest_gbps: float = math.inf
    """Of an earlier day, where the cap changed on an unknown one of this year."""
    is_carried: bool = False
    assumed: tuple[str, ...] = ()


def sender_of(end: model.PathEnd, caps: model.CapsBook, may_assume: bool) -> Sender:
    """Return the cap of a sender at the date of `caps`; `may_assume` allows one of a later year."""
    if end.cloud != OWN_CLOUD:
        return Sender(None, f"netplan has no caps of VMs of {end.cloud}")
    if end.machine_type is None:
        return Sender(None, "the machine type of the sender is unknown")
    # Tier_1 on a type that does not offer it changes nothing.
    tier1 = end.is_tier1 and bool(offers_tier1(end.machine_type, caps))
    cap = caps.cap(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)
    if cap is not None:
        is_early = caps.as_of < FIRST_CAP_ON
        before = _before_this_year(cap, caps, end.cpu_platform)
        assumed = (cap.unstated,) if cap.unstated else ()
        return Sender(cap, "", cap.highest_gbps, before, is_carried=is_early, assumed=assumed)
    why = caps.unknown_reason(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)
    if not may_assume:
        return Sender(None, why)
    variants = [cap for cap in caps.variants(end.machine_type) if cap.is_tier1 == tier1]
    if variants and end.cpu_platform:
        return Sender(None, why)
    return _assumed_sender(end, variants, tier1, caps, why)


def offers_tier1(machine_type: str, caps: model.CapsBook) -> bool | None:
    """Return whether a type offers Tier_1, by its next caps where none of the day is known.

    None: no cap is known.
    """
    if known := caps.variants(machine_type):
        return any(cap.is_tier1 for cap in known)
    if _nearest_cap(machine_type, True, caps, 1) is not None:
        return True
    return False if _nearest_cap(machine_type, False, caps, 1) is not None else None


def _assumed_sender(
    end: model.PathEnd, variants: list[model.EgressCap], tier1: bool, caps: model.CapsBook, why: str
) -> Sender:
    """Return the least cap of a type whose platform or size is not documented, or a later one."""
    machine_type = end.machine_type or ""
    if variants:
        highest = max(cap.highest_gbps for cap in variants)
        least = min(variants, key=lambda cap: cap.egress_gbps)
        said = f"the CPU platform is unknown: {least.egress_gbps:g} of at most {highest:g} Gbit/s"
        return Sender(least, "", highest, assumed=(said,))
    later = _nearest_cap(machine_type, tier1, caps, 1)
    if later is None:
        return Sender(None, why)
    earlier = _nearest_cap(machine_type, tier1, caps, -1)
    if earlier is None:
        what = "cap with Tier_1" if tier1 else "cap"
        said = f"no cap is documented for {caps.as_of}: the {what} of {later.year} is used"
        return Sender(later.cap, "", later.cap.highest_gbps, is_carried=True, assumed=(said,))
    said = (
        f"no cap is documented between {earlier.year} and {later.year}: from"
        f" {earlier.cap.egress_gbps:g} to {later.cap.egress_gbps:g} Gbit/s"
    )
    highest = max(earlier.cap.highest_gbps, later.cap.highest_gbps)
    return Sender(earlier.cap, "", highest, assumed=(said,))


def least_outside(cap: model.EgressCap, caps: model.CapsBook) -> bounds.Doubt | None:
    """Return the least that a machine may send to the outside where no document states it, and why.

    None: no document of the day states such a cap for machines in general.
    """
    if smaller := load_caps(caps.as_of, caps.without).outside_of_smaller(cap):
        least, name = smaller.external_gbps or 0.0, smaller.machine_type
        said = f"{name} has {least:g} Gbit/s, and no larger type of a series has less"
        is_sure = smaller.source_confidence not in bounds.DOUBTFUL
        return bounds.Doubt(said, least if is_sure else least * bounds.DOUBTED_RATIO)
    general = tables.path_limit("external-egress", caps.as_of, DEFAULT_TIER)
    if general is None:
        return None
    said = f"whether the {general.value:g} Gbit/s of most types apply to it is unknown"
    return bounds.Doubt(said, general.value)


def _before_this_year(
    cap: model.EgressCap, caps: model.CapsBook, cpu_platform: str | None
) -> float:
    """Return what a type may have had still, where all that is known of a change is the year.

    The first of January stands for a year in the table: each day is as likely, so in the last ones
    the cap of before is hardly in force any more. Infinite: there is no such change.
    """
    first = date(caps.as_of.year, 1, 1)
    tier1 = cap.is_tier1
    begun, ended = (
        load_caps(day, caps.without).cap(cap.machine_type, tier1=tier1, cpu_platform=cpu_platform)
        for day in (first, first - timedelta(days=1))
    )
    if begun is None or begun.egress_gbps != cap.egress_gbps:
        return math.inf
    if ended is None:
        earlier = _nearest_cap(cap.machine_type, tier1, load_caps(first, caps.without), -1)
        ended = earlier.cap if earlier is not None else None
    if ended is None:
        return math.inf
    chance = (date(first.year + 1, 1, 1) - caps.as_of) / timedelta(days=365)
    return admitted(cap.egress_gbps, min(ended.egress_gbps, cap.egress_gbps), chance)


class _DatedCap(NamedTuple):
    cap: model.EgressCap
    year: int


def _nearest_cap(
    machine_type: str, tier1: bool, caps: model.CapsBook, step: int
) -> _DatedCap | None:
    """Return the least cap of a type in the nearest year that has one, before or after."""
    for distance in range(CARRIED_YEARS + 1):
        on = caps.as_of.year + step * distance
        day = date(on, 6, 30) if step < 0 else date(on, 1, 1)
        if (day - caps.as_of).days * step <= 0:
            continue
        known = load_caps(day, caps.without).variants(machine_type)
        found = [cap for cap in known if cap.is_tier1 == tier1]
        if found:
            least = min(found, key=lambda cap: cap.egress_gbps)
            # Of a later one the first day of the next year is asked; it may have come before that.
            return _DatedCap(least, min(on, (least.valid_from or day).year) if step > 0 else on)
    return None
