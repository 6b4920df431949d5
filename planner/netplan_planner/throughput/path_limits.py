"""The named limits of a path, each with its source, date and range; per flow where they are so.

IPv4 and IPv6 have the same limits. What depends on the round-trip time (windows, the start) is not
here: it is worked out with the mean.
"""

import math
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import NamedTuple

from netplan_planner import units
from netplan_planner.model import (
    CapsBook,
    EgressCap,
    Limit,
    LimitKind,
    MeasuredLimit,
    PathClass,
    PathEnd,
    PathQuery,
    series_of,
)
from netplan_planner.throughput import bounds
from netplan_planner.throughput.bounds import Bound
from netplan_planner.throughput.caps import DEFAULT_TIER, load_caps
from netplan_planner.throughput.host import MTU_BYTES, core_flow
from netplan_planner.throughput.pod_path import pod_bounds
from netplan_planner.throughput.tables import PathLimit, path_limit
from netplan_planner.throughput.tcp import segment_bytes

INTERNAL_ADDRESS = "the internal address"
MORE_STREAMS = "more parallel connections"
EXTERNAL_PATH = "external-path"
INTERNAL_FLOW = "internal-flow"
CARRIED_YEARS = 3
"""How many years back a cap is carried for an answer that may assume it."""
OWN_CLOUD = "gcp"
ETHERNET_MTU_BYTES = 1500
TUNNEL_MTU_BYTES = 1460
"""The gateway's; acknowledgements of the other direction are few and not counted."""
FRAME_BYTES = 38
"""Preamble, header, checksum and gap of Ethernet around a packet."""
GENERAL_CAP_ON = date(2022, 1, 1)
"""The first day for which a document states the cap for addresses outside the VPC."""
SLOW_OUTSIDE_UNTIL = date(2017, 12, 31)
"""The last day of `measured_limits.csv` with its external path inside a zone."""


def is_own_receiver(query: PathQuery) -> bool:
    """Return whether the receiver is one of our machines, whose images are stock mostly."""
    if query.path_class.is_between_own_vms:
        return query.dst.cloud == OWN_CLOUD
    return query.src.cloud != OWN_CLOUD and query.dst.cloud == OWN_CLOUD


def default_window(query: PathQuery) -> tuple[float, float, float]:
    """Return the window of one stream nobody told us about: the likely, the least, the greatest."""
    default = path_limit("tcp-window", query.as_of) if query.as_of else None
    size = default.value if default is not None else math.nan
    return bounds.default_window_bytes(size, is_own=is_own_receiver(query))


class StaticLimits(NamedTuple):
    """What limits a path whatever the round-trip time; flow limits are those of one flow."""

    hard: tuple[Bound, ...]
    """Shared by all flows."""
    per_flow: tuple[Bound, ...]
    unknown: tuple[str, ...]
    """What must be known for an answer and is not."""
    assumed: tuple[str, ...]


def static_limits(
    query: PathQuery, caps: CapsBook, *, may_assume: bool = False, without: str = ""
) -> StaticLimits:
    """Return the limits of a path that do not depend on its round-trip time.

    Args:
        query: The path; its streams and round-trip time are not looked at.
        caps: The caps at a date.
        may_assume: Whether a cap may be taken from a later year, or as the least of the type's
            where the CPU platform is not known; the ranges are then wide.
        without: A campaign whose figures are left out.
    """
    unknown: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    if query.host_link_gbps is not None:
        hard = [bounds.plain(_host_link(query))]
        per_flow = list(_per_flow(query, None, caps, without))
    else:
        sender = _sender(query.src, caps, may_assume)
        hard = list(_hard(query, sender, caps))
        per_flow = list(_per_flow(query, sender.cap, caps, without))
        unknown, assumed = tuple(_missing(query, sender, hard, may_assume)), sender.assumed
    if query.path_class.is_pod and hard:
        shared, each, said = pod_bounds(query, hard, per_flow, caps.as_of)
        hard, per_flow, assumed = hard + shared, per_flow + each, assumed + said
    return StaticLimits(tuple(hard), tuple(per_flow), unknown, assumed)


class _Sender(NamedTuple):
    """The sending machine's cap, or why there is none."""

    cap: EgressCap | None
    why_not: str = ""
    highest_gbps: float = 0.0
    is_carried: bool = False
    assumed: tuple[str, ...] = ()


def _sender(end: PathEnd, caps: CapsBook, may_assume: bool) -> _Sender:
    if end.cloud != OWN_CLOUD:
        return _Sender(None, f"the caps of machines of {end.cloud} are not netplan's to know")
    if end.machine_type is None:
        return _Sender(None, "the sender is not a machine of the inventory")
    # Tier_1 on a type that does not offer it changes nothing.
    is_offered = any(cap.is_tier1 for cap in caps.variants(end.machine_type))
    tier1 = end.is_tier1 and is_offered
    cap = caps.cap(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)
    if cap is not None:
        return _Sender(cap, "", cap.egress_gbps)
    why = caps.unknown_reason(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)
    return _assumed_sender(end.machine_type, tier1, caps, why) if may_assume else _Sender(None, why)


def _assumed_sender(machine_type: str, tier1: bool, caps: CapsBook, why: str) -> _Sender:
    """Return the least cap of a type whose platform is not known, else one of a later year."""
    variants = [cap for cap in caps.variants(machine_type) if cap.is_tier1 == tier1]
    if variants:
        highest = max(cap.egress_gbps for cap in variants)
        least = min(variants, key=lambda cap: cap.egress_gbps)
        said = f"the CPU platform is not known: {least.egress_gbps:g} of at most {highest:g} Gbit/s"
        return _Sender(least, "", highest, assumed=(said,))
    later = _nearest_cap(machine_type, tier1, caps.as_of.year, 1)
    if later is None:
        return _Sender(None, why)
    earlier = _nearest_cap(machine_type, tier1, caps.as_of.year, -1)
    if earlier is None:
        said = f"no cap is documented for {caps.as_of}: that of {later.year} is carried back"
        return _Sender(later.cap, "", later.cap.egress_gbps, is_carried=True, assumed=(said,))
    said = (
        f"between {earlier.year} and {later.year} no cap is documented: from"
        f" {earlier.cap.egress_gbps:g} to {later.cap.egress_gbps:g} Gbit/s"
    )
    highest = max(earlier.cap.egress_gbps, later.cap.egress_gbps)
    return _Sender(earlier.cap, "", highest, assumed=(said,))


class _DatedCap(NamedTuple):
    cap: EgressCap
    year: int


def _nearest_cap(machine_type: str, tier1: bool, year: int, step: int) -> _DatedCap | None:
    """Return the least cap of a type in the nearest year that has one, before or after."""
    for distance in range(1, CARRIED_YEARS + 1):
        on = year + step * distance
        day = date(on, 6, 30) if step < 0 else date(on, 1, 1)
        found = [cap for cap in load_caps(day).variants(machine_type) if cap.is_tier1 == tier1]
        if found:
            return _DatedCap(min(found, key=lambda cap: cap.egress_gbps), on)
    return None


def _missing(
    query: PathQuery, sender: _Sender, hard: list[Bound], may_assume: bool
) -> Iterator[str]:
    """Yield what must be known for an estimate and is not."""
    path_class = query.path_class
    is_tunnel = path_class is PathClass.HYBRID and query.vpn_tunnels is not None
    if path_class.distance is None and not path_class.leaves_vpc and not is_tunnel:
        yield f"no document states what limits traffic of the class {path_class}"
    elif sender.cap is None:
        yield sender.why_not
    elif (
        path_class.leaves_vpc
        and not may_assume
        and not any(b.limit.name in {"external-egress", EXTERNAL_PATH} for b in hard)
    ):
        yield f"no documented cap of {sender.cap.machine_type} for addresses outside the VPC"


def _hard(query: PathQuery, sender: _Sender, caps: CapsBook) -> Iterator[Bound]:
    """Yield the limits that all flows of the path share."""
    cap = sender.cap
    leaves = query.path_class.leaves_vpc
    if cap is not None and query.path_class is not PathClass.SAME_NODE_POD:
        bound = bounds.of_cap(
            _vm_egress(cap, caps),
            cap,
            highest_gbps=sender.highest_gbps,
            is_carried=sender.is_carried,
        )
        is_unstated = leaves and not sender.is_carried and _is_unstated(cap, caps)
        yield bounds.unstated(bound) if is_unstated else bound
    if leaves and cap is not None and cap.external_gbps is not None:
        external = _external_sending(query, cap, caps)
        yield bounds.of_cap(
            external, cap, highest_gbps=cap.external_gbps, is_carried=sender.is_carried
        )
    comes_in = query.path_class.is_external_address or query.src.cloud != OWN_CLOUD
    if leaves and comes_in and query.dst.cloud == OWN_CLOUD:
        yield from map(bounds.plain, _external_receiving(query, caps))
    for measured in caps.measured(query.path_class):
        if measured.name == EXTERNAL_PATH:
            yield bounds.plain(_measured(measured))
    packets = path_limit("vpn-tunnel-packets", caps.as_of)
    if query.path_class is PathClass.HYBRID and query.vpn_tunnels is not None and packets:
        yield bounds.plain(_tunnel(query, packets, query.vpn_tunnels))


def _is_unstated(cap: EgressCap, caps: CapsBook) -> bool:
    """Return whether something below the machine's cap may have held for the outside that day.

    A machine that may send no more than the general cap is not touched by it, in force or not; but
    in 2017 and before something undocumented held even one vCPU back.
    """
    if cap.external_gbps is not None:
        return False
    general = path_limit("external-egress", GENERAL_CAP_ON, DEFAULT_TIER)
    is_small = general is not None and cap.egress_gbps <= general.value
    return caps.as_of <= SLOW_OUTSIDE_UNTIL or not is_small


def _per_flow(
    query: PathQuery, cap: EgressCap | None, caps: CapsBook, without: str
) -> Iterator[Bound]:
    """Yield the limits of one flow."""
    leaves = query.path_class.leaves_vpc
    if leaves and cap is not None and cap.external_flow_gbps is not None:
        yield bounds.plain(_external_flow(query, cap))
    inside = list(_documented_flow(query, cap)) if cap is not None else []
    inside += [_measured(m) for m in caps.measured(query.path_class) if m.name != EXTERNAL_PATH]
    yield from map(bounds.plain, inside)
    # What is documented or measured for this very path knows more than the figures of all cores.
    if not inside and query.src.cloud == OWN_CLOUD:
        core = _core(query, caps.as_of, without)
        if core is not None:
            yield bounds.plain(core)


def _tunnel(query: PathQuery, packets: PathLimit, count: int) -> Limit:
    """Return what VPN tunnels carry one way, less what the other direction takes of them."""
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    mtu = min([*frames, TUNNEL_MTU_BYTES])
    rate = packets.value * count / (2 if query.is_both_ways else 1)
    return Limit(
        name="vpn-tunnel",
        gbps=units.gbps_from_bytes(rate * float(segment_bytes(mtu)), 1),
        kind=LimitKind.DOCUMENTED,
        source=packets.source,
        as_of=packets.as_of,
        detail=f"{count} x {packets.value:g} packets/s of {mtu} bytes",
        lifted_by="more tunnels, or an Interconnect",
    )


def _host_link(query: PathQuery) -> Limit:
    """Return the link of a machine that is not Google's, less Ethernet frames and headers."""
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    mtu = min(frames, default=ETHERNET_MTU_BYTES)
    link = query.host_link_gbps or 0.0
    return Limit(
        name="host-link",
        gbps=link * float(segment_bytes(mtu)) / (mtu + FRAME_BYTES),
        kind=LimitKind.DOCUMENTED,
        source="given with the question",
        as_of=query.as_of or GENERAL_CAP_ON,
        detail=f"{link:g} Gbit/s, frames of {mtu} bytes",
        lifted_by="a faster link",
    )


def _core(query: PathQuery, as_of: date, without: str) -> Limit | None:
    sizes = [end.vcpus for end in (query.src, query.dst) if end.vcpus]
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    return _core_of(as_of, min(sizes, default=0), min(frames, default=MTU_BYTES), without)


@cache
def _core_of(as_of: date, vcpus: int, mtu_bytes: int, without: str) -> Limit | None:
    return core_flow(as_of, vcpus=vcpus or None, mtu_bytes=mtu_bytes, without=without)


def _vm_egress(cap: EgressCap, caps: CapsBook) -> Limit:
    lifted = "a machine type with a greater cap"
    tier1 = [] if cap.is_tier1 else [v for v in caps.variants(cap.machine_type) if v.is_tier1]
    if tier1 and tier1[0].egress_gbps > cap.egress_gbps:
        lifted = f"Tier_1 ({tier1[0].egress_gbps:g} Gbit/s), or {lifted}"
    if cap.cpu_platform and not cap.min_cpu_platform:
        lifted = f"a newer CPU platform, or {lifted}"
    return Limit(
        name="vm-egress",
        gbps=cap.egress_gbps,
        kind=cap.kind,
        source=cap.source,
        as_of=cap.as_of,
        detail=_of_machine(cap),
        lifted_by=lifted,
    )


def _of_machine(cap: EgressCap) -> str:
    parts = (cap.machine_type, "Tier_1" if cap.is_tier1 else "", cap.cpu_platform)
    return ", ".join(part for part in parts if part)


def _external_sending(query: PathQuery, cap: EgressCap, caps: CapsBook) -> Limit:
    tier1 = [] if cap.is_tier1 else [v for v in caps.variants(cap.machine_type) if v.is_tier1]
    is_raised = bool(tier1) and tier1[0].external_gbps is not None
    raised = f"Tier_1 ({tier1[0].external_gbps:g} Gbit/s)" if is_raised else ""
    own = query.path_class.is_external_address
    return Limit(
        name="external-egress",
        gbps=cap.external_gbps or 0.0,
        kind=LimitKind.DOCUMENTED,
        source=cap.external_source or cap.source,
        as_of=cap.external_as_of or cap.as_of,
        detail=f"{_of_machine(cap)}, all flows to addresses outside the VPC",
        lifted_by=INTERNAL_ADDRESS if own else raised or "more machines",
    )


def _external_flow(query: PathQuery, cap: EgressCap) -> Limit:
    own = query.path_class.is_external_address
    return Limit(
        name="external-flow",
        gbps=cap.external_flow_gbps or 0.0,
        kind=LimitKind.DOCUMENTED,
        source=cap.path_source or cap.source,
        as_of=cap.path_as_of or cap.as_of,
        detail="whatever the machine",
        lifted_by=f"{INTERNAL_ADDRESS}, or {MORE_STREAMS}" if own else MORE_STREAMS,
    )


def _external_receiving(query: PathQuery, caps: CapsBook) -> Iterator[Limit]:
    """Yield the receiver's limits for packets from outside the VPC; it is one of our machines."""
    total = path_limit("external-ingress", caps.as_of)
    if total is not None:
        yield _ingress(total, total.value, "the receiver, from outside the VPC")
    packets = path_limit("external-ingress-packets", caps.as_of)
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes is not None]
    if packets is not None and frames:
        frame_bytes = min(frames)
        yield _ingress(
            packets,
            units.gbps_from_bytes(packets.value * frame_bytes, 1),
            f"the receiver, {packets.value:g} packets/s of {frame_bytes} bytes",
        )


def _ingress(limit: PathLimit, gbps: float, detail: str) -> Limit:
    return Limit(
        name=limit.name,
        gbps=gbps,
        kind=LimitKind.DOCUMENTED,
        source=limit.source,
        as_of=limit.as_of,
        detail=detail,
        lifted_by=INTERNAL_ADDRESS,
    )


def _documented_flow(query: PathQuery, cap: EgressCap) -> Iterator[Limit]:
    """Yield the limit of one flow inside the VPC, documented between two C4N machines only."""
    receiver = query.dst.machine_type
    if (
        not query.path_class.leaves_vpc
        and cap.internal_flow_gbps is not None
        and receiver is not None
        and series_of(receiver) == series_of(cap.machine_type)
    ):
        yield Limit(
            name=INTERNAL_FLOW,
            gbps=cap.internal_flow_gbps,
            kind=LimitKind.DOCUMENTED,
            source=cap.source,
            as_of=cap.as_of,
            detail="between two machines of the series",
            lifted_by=MORE_STREAMS,
        )


def _measured(limit: MeasuredLimit) -> Limit:
    return Limit(
        name=limit.name,
        gbps=limit.gbps,
        kind=LimitKind.MEASURED,
        source=limit.source,
        as_of=limit.as_of,
        detail=limit.detail,
        low_gbps=limit.low_gbps,
        high_gbps=limit.high_gbps,
        lifted_by=INTERNAL_ADDRESS if limit.name == EXTERNAL_PATH else MORE_STREAMS,
    )
