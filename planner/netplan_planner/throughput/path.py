"""The throughput of one path: the least of its named limits.

Each limit is documented or measured and carries its source. What a model of TCP, of hosts and of
chance adds to this stands behind the same functions later; until then a prediction is a bound with
a name, and its interval is None. IPv4 and IPv6 have the same limits.
"""

from collections.abc import Iterator

import msgspec

from netplan_planner import units
from netplan_planner.model import (
    CapsBook,
    Change,
    ChangeKind,
    EgressCap,
    Estimate,
    Limit,
    LimitKind,
    MeasuredLimit,
    PathClass,
    PathEnd,
    PathQuery,
    series_of,
)
from netplan_planner.throughput.tables import PathLimit, path_limit

INTERNAL_ADDRESS = "the internal address"
MORE_STREAMS = "more parallel connections"
EXTERNAL_PATH = "external-path"
INTERNAL_FLOW = "internal-flow"


def predict(query: PathQuery, caps: CapsBook) -> Estimate:
    """Return the least of the limits of a path, in Gbit/s, with all of them in rising order.

    Limits of a single flow count only where `query.streams` says how many flows there are. The
    answer is None, with the reason in `unknown`, when a limit that must be known is not: no cap of
    the sender, or a class whose limits no document states.
    """
    cap, why_no_cap = _sending_cap(query.src, caps)
    limits = list(_limits(query, cap, caps))
    unknown = tuple(_missing(query, cap, why_no_cap, limits))
    # The sort keeps the order of equal limits: the machine's own cap comes before what follows it.
    limits.sort(key=lambda limit: limit.gbps)
    return Estimate(
        gbps=limits[0].gbps if limits and not unknown else None,
        limits=tuple(limits),
        unknown=unknown,
    )


def single_flow(query: PathQuery, caps: CapsBook) -> Estimate:
    """Return the estimate of one flow on a path."""
    return predict(msgspec.structs.replace(query, streams=1), caps)


def apply_change(query: PathQuery, change: Change) -> PathQuery:
    """Return the path as it is after a change of its sender or of the address it uses.

    The caller sees to it that the change is one of this path. A new machine type has the CPU
    platform that is asked for with it; else it keeps its own within the series, and in another one
    it is not known yet.
    """
    match change.kind:
        case ChangeKind.INTERNAL_ADDRESS:
            return msgspec.structs.replace(query, path_class=query.path_class.over_internal_address)
        case ChangeKind.MORE_FLOWS:
            return msgspec.structs.replace(query, streams=None)
        case ChangeKind.TIER_1:
            src = msgspec.structs.replace(query.src, is_tier1=True)
        case ChangeKind.MACHINE_TYPE:
            old, new = query.src.machine_type, change.to
            same = old is not None and new is not None and series_of(old) == series_of(new)
            kept = query.src.cpu_platform if same else None
            src = msgspec.structs.replace(
                query.src,
                machine_type=new,
                is_tier1=False,
                cpu_platform=change.cpu_platform or kept,
            )
    return msgspec.structs.replace(query, src=src)


def _sending_cap(end: PathEnd, caps: CapsBook) -> tuple[EgressCap | None, str]:
    """Return the sender's cap, or None and why."""
    if end.machine_type is None:
        return None, "the sender is not a machine of the inventory"
    # Tier_1 on a type that does not offer it changes nothing.
    is_offered = any(cap.is_tier1 for cap in caps.variants(end.machine_type))
    tier1 = end.is_tier1 and is_offered
    cap = caps.cap(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)
    if cap is not None:
        return cap, ""
    return None, caps.unknown_reason(end.machine_type, tier1=tier1, cpu_platform=end.cpu_platform)


def _missing(
    query: PathQuery, cap: EgressCap | None, why_no_cap: str, limits: list[Limit]
) -> Iterator[str]:
    """Yield what must be known for an estimate and is not."""
    path_class = query.path_class
    if path_class.distance is None and not path_class.leaves_vpc:
        yield f"no document states what limits traffic of the class {path_class}"
    elif cap is None:
        yield why_no_cap
    elif path_class.leaves_vpc and not any(
        limit.name in {"external-egress", EXTERNAL_PATH} for limit in limits
    ):
        yield f"no documented cap of {cap.machine_type} for addresses outside the VPC"


def _limits(query: PathQuery, cap: EgressCap | None, caps: CapsBook) -> Iterator[Limit]:
    if cap is not None and query.path_class is not PathClass.SAME_NODE_POD:
        yield _vm_egress(cap, caps)
    if query.path_class.leaves_vpc:
        if cap is not None:
            yield from _external_sending(query, cap, caps)
        if query.path_class.is_external_address:
            yield from _external_receiving(query, caps)
    elif cap is not None and query.streams is not None:
        yield from _documented_flow(query, cap)
    for measured in caps.measured(query.path_class):
        if measured.name == EXTERNAL_PATH or query.streams is not None:
            yield _measured(measured, query)
    yield from _window(query, caps)


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


def _external_sending(query: PathQuery, cap: EgressCap, caps: CapsBook) -> Iterator[Limit]:
    own = query.path_class.is_external_address
    if cap.external_gbps is not None:
        tier1 = [] if cap.is_tier1 else [v for v in caps.variants(cap.machine_type) if v.is_tier1]
        raised = f"Tier_1 ({tier1[0].external_gbps:g} Gbit/s)" if _is_raised(tier1) else ""
        yield Limit(
            name="external-egress",
            gbps=cap.external_gbps,
            kind=LimitKind.DOCUMENTED,
            source=cap.external_source or cap.source,
            as_of=cap.external_as_of or cap.as_of,
            detail=f"{_of_machine(cap)}, all flows to addresses outside the VPC",
            lifted_by=INTERNAL_ADDRESS if own else raised or "more machines",
        )
    if cap.external_flow_gbps is not None and query.streams is not None:
        yield Limit(
            name="external-flow",
            gbps=cap.external_flow_gbps * query.streams,
            kind=LimitKind.DOCUMENTED,
            source=cap.path_source or cap.source,
            as_of=cap.path_as_of or cap.as_of,
            detail=_times(query.streams, cap.external_flow_gbps),
            lifted_by=f"{INTERNAL_ADDRESS}, or {MORE_STREAMS}" if own else MORE_STREAMS,
        )


def _is_raised(tier1: list[EgressCap]) -> bool:
    return bool(tier1) and tier1[0].external_gbps is not None


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
        cap.internal_flow_gbps is not None
        and query.streams is not None
        and receiver is not None
        and series_of(receiver) == series_of(cap.machine_type)
    ):
        yield Limit(
            name=INTERNAL_FLOW,
            gbps=cap.internal_flow_gbps * query.streams,
            kind=LimitKind.DOCUMENTED,
            source=cap.source,
            as_of=cap.as_of,
            detail=_times(query.streams, cap.internal_flow_gbps),
            lifted_by=MORE_STREAMS,
        )


def _measured(limit: MeasuredLimit, query: PathQuery) -> Limit:
    count = 1 if limit.name == EXTERNAL_PATH else query.streams or 1
    return Limit(
        name=limit.name,
        gbps=limit.gbps * count,
        kind=LimitKind.MEASURED,
        source=limit.source,
        as_of=limit.as_of,
        detail=limit.detail if count == 1 else f"{_times(count, limit.gbps)}, {limit.detail}",
        low_gbps=limit.low_gbps * count,
        high_gbps=limit.high_gbps * count,
        lifted_by=INTERNAL_ADDRESS if limit.name == EXTERNAL_PATH else MORE_STREAMS,
    )


def _window(query: PathQuery, caps: CapsBook) -> Iterator[Limit]:
    """Yield window over RTT for the given streams, where the RTT and the window are known.

    The receiver sets the window: for one of our machines the default of a stock Linux image, for a
    peer outside none is assumed.
    """
    if query.streams is None or query.rtt_ms is None or query.rtt_ms <= 0:
        return
    default = path_limit("tcp-window", caps.as_of)
    if default is None:
        return
    window_bytes: float | None = query.window_bytes
    if window_bytes is None and query.path_class.is_between_own_vms:
        window_bytes = default.value
    if window_bytes is None:
        return
    is_given = query.window_bytes is not None
    each = units.window_limited_gbps(window_bytes, query.rtt_ms)
    yield Limit(
        name="window-over-rtt",
        gbps=each * query.streams,
        kind=LimitKind.DOCUMENTED,
        source="given with the question" if is_given else default.source,
        as_of=caps.as_of if is_given else default.as_of,
        detail=f"{query.streams} x {window_bytes / 1e6:g} MB over {query.rtt_ms:g} ms",
        lifted_by=f"a greater receive window, or {MORE_STREAMS}",
    )


def _times(streams: int, gbps: float) -> str:
    return f"{streams} x {gbps:g} Gbit/s"
