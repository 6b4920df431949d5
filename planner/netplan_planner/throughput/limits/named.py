"""The limits of a path as values: each with its name, figure, source, date, and what lifts it."""

from collections.abc import Iterator
from datetime import date
from functools import cache

import msgspec

from netplan_planner import model, units
from netplan_planner.model import Limit, LimitKind, PathClass, PathQuery, Value
from netplan_planner.model.limits import GIVEN
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.limits import tables
from netplan_planner.throughput.limits.ends import OWN_CLOUD, vcpus_of
from netplan_planner.throughput.limits.senders import MTU_BYTES, core_flow, sustained_share
from netplan_planner.throughput.transport.transfer import segment_bytes

INTERNAL_ADDRESS = "the internal address"
MORE_STREAMS = "more parallel connections"
EXTERNAL_PATH = "external-path"
INTERNAL_FLOW = "internal-flow"
GENERAL_CAP_ON = date(2022, 1, 1)
"""The first day for which a document states the cap for addresses outside the VPC."""
ETHERNET_MTU_BYTES = 1500
TUNNEL_MTU_BYTES = 1460
"""The gateway's; acknowledgements of the other direction are few and not counted."""
FRAME_BYTES = 38
"""Preamble, header, checksum and gap of Ethernet around a packet."""


def tunnel(query: model.PathQuery, packets: tables.PathLimit, count: int) -> model.Limit:
    """Return what VPN tunnels carry one way, less what the other direction takes of them."""
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    mtu = min([*frames, TUNNEL_MTU_BYTES])
    rate = packets.value * count / (2 if query.is_both_ways else 1)
    return model.Limit(
        name="vpn-tunnel",
        gbps=units.gbps_from_bytes(rate * float(segment_bytes(mtu)), 1),
        kind=model.LimitKind.DOCUMENTED,
        source=packets.source,
        as_of=packets.as_of,
        detail=f"{count} × {packets.value:,.0f} packets/s of {mtu} bytes",
        lifted_by="more tunnels, or an Interconnect",
    )


def host_link(query: model.PathQuery) -> model.Limit:
    """Return the link of a machine that is not Google's, less Ethernet frames and headers."""
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    mtu = min(frames, default=ETHERNET_MTU_BYTES)
    link = query.host_link_gbps or 0.0
    return model.Limit(
        name="host-link",
        gbps=link * ethernet_payload_ratio(mtu),
        kind=model.LimitKind.DOCUMENTED,
        source=GIVEN,
        as_of=query.as_of or GENERAL_CAP_ON,
        detail=f"{link:g} Gbit/s, frames of {mtu} bytes",
        lifted_by="a faster link",
    )


def ethernet_payload_ratio(mtu_bytes: int = ETHERNET_MTU_BYTES) -> float:
    """Return the goodput of TCP over the rate of an Ethernet link that it fills.

    >>> round(ethernet_payload_ratio(), 4)
    0.9415
    """
    return float(segment_bytes(mtu_bytes)) / (mtu_bytes + FRAME_BYTES)


def core(query: model.PathQuery, caps: model.CapsBook) -> model.Limit | None:
    """Return what one core of the smaller end carries; None where no figure of the day is known."""
    sizes = [size for end in (query.src, query.dst) if (size := vcpus_of(end, caps))]
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    mtu = min(frames, default=MTU_BYTES)
    found = _core_of(caps.as_of, min(sizes, default=0), mtu, caps.without)
    share = min(sustained_share(end.machine_type) for end in (query.src, query.dst))
    if found is None or found.low_gbps is None or share == 1:
        return found
    return msgspec.structs.replace(found, low_gbps=found.low_gbps * share)


@cache
def _core_of(
    as_of: date, vcpus: int, mtu_bytes: int, without: tables.Campaigns
) -> model.Limit | None:
    return core_flow(as_of, vcpus=vcpus or None, mtu_bytes=mtu_bytes, without=without)


def vm_egress(cap: model.EgressCap, caps: model.CapsBook) -> model.Limit:
    """Return the cap of all that the machine sends."""
    lifted = "a machine type with a higher cap"
    tier1 = [] if cap.is_tier1 else [v for v in caps.variants(cap.machine_type) if v.is_tier1]
    if tier1 and tier1[0].egress_gbps > cap.egress_gbps:
        lifted = f"Tier_1 ({tier1[0].egress_gbps:g} Gbit/s), or {lifted}"
    if cap.cpu_platform and not cap.min_cpu_platform:
        lifted = f"a newer CPU platform, or {lifted}"
    return model.Limit(
        name="vm-egress",
        gbps=cap.egress_gbps,
        kind=cap.kind,
        source=cap.source,
        as_of=cap.as_of,
        detail=_of_machine(cap),
        lifted_by=lifted,
    )


def _of_machine(cap: model.EgressCap) -> str:
    parts = (cap.machine_type, "Tier_1" if cap.is_tier1 else "", cap.cpu_platform)
    return ", ".join(part for part in parts if part)


def external_sending(
    query: model.PathQuery, cap: model.EgressCap, caps: model.CapsBook
) -> model.Limit:
    """Return the cap of all flows to addresses outside the VPC."""
    tier1 = [] if cap.is_tier1 else [v for v in caps.variants(cap.machine_type) if v.is_tier1]
    is_raised = bool(tier1) and tier1[0].external_gbps is not None
    raised = f"Tier_1 ({tier1[0].external_gbps:g} Gbit/s)" if is_raised else ""
    own = query.path_class.is_external_address
    return model.Limit(
        name="external-egress",
        gbps=cap.external_gbps or 0.0,
        kind=model.LimitKind.DOCUMENTED,
        source=cap.external_source or cap.source,
        as_of=cap.external_as_of or cap.as_of,
        detail=f"{_of_machine(cap)}, all flows to external addresses",
        lifted_by=INTERNAL_ADDRESS if own else raised or "more VMs",
    )


def external_flow(query: model.PathQuery, cap: model.EgressCap) -> model.Limit:
    """Return the cap of one flow to an address outside the VPC."""
    own = query.path_class.is_external_address
    return model.Limit(
        name="external-flow",
        gbps=cap.external_flow_gbps or 0.0,
        kind=model.LimitKind.DOCUMENTED,
        source=cap.path_source or cap.source,
        as_of=cap.path_as_of or cap.as_of,
        detail="for any machine type",
        lifted_by=f"{INTERNAL_ADDRESS}, or {MORE_STREAMS}" if own else MORE_STREAMS,
    )


def later_limit(found: tables.PathLimit, gbps: float) -> model.Limit:
    """Return a limit that a source states for a later day."""
    return model.Limit(
        name=found.name,
        gbps=gbps,
        kind=model.LimitKind.DOCUMENTED,
        source=found.source,
        as_of=found.as_of,
        detail="of a later day",
    )


def comes_in(query: model.PathQuery) -> bool:
    """Return whether one of our machines receives from outside the VPC."""
    is_host = query.host_link_gbps is not None
    is_ours = query.dst.cloud == OWN_CLOUD and not (is_host and query.dst.machine_type is None)
    is_elsewhere = is_host or query.src.cloud != OWN_CLOUD
    is_outside = is_elsewhere or query.path_class.is_external_address
    return query.path_class.leaves_vpc and is_ours and is_outside


def external_receiving(
    query: model.PathQuery, caps: model.CapsBook, *, is_possible: bool = False
) -> Iterator[model.Limit]:
    """Yield the receiver's limits for packets from outside the VPC, where it is one of ours.

    With `is_possible` they are those of a later day that may have been in force.
    """
    if not comes_in(query):
        return
    known = tables.possible_path_limit if is_possible else tables.path_limit
    total = known("external-ingress", caps.as_of, without=caps.without)
    if total is not None:
        yield _ingress(total, total.value, "the receiver, from outside the VPC")
    packets = known("external-ingress-packets", caps.as_of, without=caps.without)
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes is not None]
    if packets is not None and frames:
        frame_bytes = min(frames)
        yield _ingress(
            packets,
            units.gbps_from_bytes(packets.value * frame_bytes, 1),
            f"the receiver, {packets.value:,.0f} packets/s of {frame_bytes} bytes",
        )


def _ingress(limit: tables.PathLimit, gbps: float, detail: str) -> model.Limit:
    return model.Limit(
        name=limit.name,
        gbps=gbps,
        kind=model.LimitKind.DOCUMENTED,
        source=limit.source,
        as_of=limit.as_of,
        detail=detail,
        lifted_by=INTERNAL_ADDRESS,
    )


def documented_flow(query: model.PathQuery, cap: model.EgressCap) -> Iterator[model.Limit]:
    """Yield the limit of one flow inside the VPC, documented between two C4N machines only."""
    receiver = query.dst.machine_type
    if (
        not query.path_class.leaves_vpc
        and cap.internal_flow_gbps is not None
        and receiver is not None
        and model.series_of(receiver) == model.series_of(cap.machine_type)
    ):
        yield model.Limit(
            name=INTERNAL_FLOW,
            gbps=cap.internal_flow_gbps,
            kind=model.LimitKind.DOCUMENTED,
            source=cap.source,
            as_of=cap.as_of,
            detail="between two VMs of the series",
            lifted_by=MORE_STREAMS,
        )


def measured_limit(limit: model.MeasuredLimit) -> model.Limit:
    """Return a limit that was measured and that no document states."""
    return model.taken(
        model.Limit,
        limit,
        kind=model.LimitKind.MEASURED,
        lifted_by=INTERNAL_ADDRESS if limit.name == EXTERNAL_PATH else MORE_STREAMS,
    )


# The regional bandwidth quotas of the sender's project: named limits whose value Google sets
#
# A project has two of them in each region, in Mbit/s: one for what goes to other regions inside the
# VPC, one for what goes to addresses outside of it. No document states their values, which differ
# by project; the quotas page of the console shows them.


REGION_QUOTA = "region-quota"
_INSIDE, _OUTSIDE = "inside", "outside"


class RegionalQuota(Value, frozen=True, kw_only=True):
    """A quota of a project in a region, without its value."""

    name: str
    direction: str
    """`inside` the VPC, or `outside` of it."""
    source: str
    as_of: date
    note: str = ""


@cache
def _quotas() -> dict[str, RegionalQuota]:
    file = tables.DATA / "regional_quotas.csv"
    return {one.direction: one for one in shipped_values(file, RegionalQuota, as_of="source_date")}


def quota_of(path_class: PathClass) -> RegionalQuota | None:
    """Return the quota that a path's traffic counts against; None where none is documented."""
    if path_class.leaves_vpc:
        return _quotas()[_OUTSIDE]
    return _quotas()[_INSIDE] if path_class.distance == "inter-region" else None


def quota_limit(query: PathQuery, as_of: date) -> Limit | None:
    """Return the quota as a limit, None where its value is not given or it does not apply."""
    quota = quota_of(query.path_class)
    if quota is None or query.quota_gbps is None:
        return None
    region = f", {query.src.region}" if query.src.region else ""
    return Limit(
        name=REGION_QUOTA,
        gbps=query.quota_gbps,
        kind=LimitKind.DOCUMENTED,
        source=f"{quota.source}; its value is {GIVEN}",
        as_of=as_of,
        detail=f"{quota.name}{region}, all VMs of the project together",
        lifted_by="a larger quota (console, Quotas page)",
    )
