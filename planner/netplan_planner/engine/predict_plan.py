"""What a person can plan with beside the likely value of a path.

One core may carry all flows; the number of streams may not be known; a quota may bind; the transfer
costs money; and what the model itself doubts is to be said.
"""

from decimal import Decimal

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.measuring.protocol import run_times
from netplan_planner.model import (
    CapsBook,
    Estimate,
    LimitKind,
    OneCore,
    PathClass,
    PathQuery,
    Planning,
    PriceBook,
    StreamRate,
    TransferCost,
)
from netplan_planner.paths.spans import span
from netplan_planner.throughput import predict
from netplan_planner.throughput.limits.bounds import DEFAULT_MTU_BYTES
from netplan_planner.throughput.limits.doubts import doubt_of
from netplan_planner.throughput.limits.named import core
from netplan_planner.throughput.limits.quotas import REGION_QUOTA, quota_of
from netplan_planner.throughput.transport.tcp import payload_ratio
from netplan_planner.throughput.transport.tool_threads import THREADED_TEXT
from netplan_planner.units import BYTES_PER_GIB

STREAMS_SHOWN = (1, 8, 64)
"""Of a path whose length makes their number count and of which nobody told it."""
_SLIGHT = 0.98
"""A core that carries more than this share of the value changes nothing."""
_MANY = 16
"""Connections of the probe that decides, as `netplan probe plan` has them."""


def planning_of(
    query: PathQuery, found: Estimate, caps: CapsBook, level: float, prices: PriceBook | None
) -> Planning:
    """Return what a person can plan with on a path with an answer."""
    if found.gbps is None:
        return Planning(quota=_quota(query))
    one_core = _one_core(query, found, caps)
    walls = [b.gbps for b in found.limits if b.kind is LimitKind.DOCUMENTED and _is_wall(b.name)]
    return Planning(
        one_core=one_core,
        cap_gbps=min(walls, default=None),
        probe=_probe(query) if one_core else "",
        by_streams=_by_streams(query, caps, level),
        doubt=doubt_of(query, found),
        quota=_quota(query),
        cost=_cost(query, prices) if query.transfer_bytes is not None else None,
    )


def _is_wall(name: str) -> bool:
    return name.endswith(("-egress", "-ingress", "-packets", "-quota", "-link", "-tunnel"))


def _one_core(query: PathQuery, found: Estimate, caps: CapsBook) -> OneCore | None:
    """Return what one core carries of all flows, where that is less than the value."""
    value = found.gbps or 0.0
    limit = core(query, caps.as_of, "") if query.streams != 1 else None
    if limit is None or query.path_class is PathClass.SAME_NODE_POD:
        return None
    low, high = limit.low_gbps or limit.gbps, limit.high_gbps or limit.gbps
    if low >= _SLIGHT * value:
        return None
    return OneCore(
        gbps=min(limit.gbps, value),
        low_gbps=low,
        high_gbps=min(high, max(found.high_gbps or value, value)),
        source=limit.source,
    )


def _probe(query: PathQuery) -> str:
    times = run_times(rtt_ms=query.rtt_ms)
    return (
        f"`iperf3 -c RECEIVER -P {_MANY} -t {times.duration_s} -O {times.omit_s}` with iperf3"
        f" {THREADED_TEXT} or newer at both ends, beside `-P 1`: if {_MANY} bring no more"
        " than one, one core carries them all (`netplan probe plan` chooses paths and counts the"
        " cost)"
    )


def _by_streams(query: PathQuery, caps: CapsBook, level: float) -> tuple[StreamRate, ...]:
    """Return the rates of a few numbers of streams, where their number is open and counts."""
    is_far = query.path_class.distance == "inter-region" or query.path_class is PathClass.INTERNET
    if query.streams is not None or not query.rtt_ms or not is_far:
        return ()
    return tuple(_rate(query, count, caps, level) for count in STREAMS_SHOWN)


def _rate(query: PathQuery, count: int, caps: CapsBook, level: float) -> StreamRate:
    some = msgspec.structs.replace(query, streams=count)
    found = predict(some, caps, may_assume=True, level=level)
    return StreamRate(
        streams=count,
        gbps=found.gbps,
        low_gbps=found.low_gbps,
        high_gbps=found.high_gbps,
        binding_limit=found.binding.name if found.binding else "",
    )


def _quota(query: PathQuery) -> str:
    quota = quota_of(query.path_class)
    if quota is None or query.quota_gbps is not None:
        return ""
    region = query.src.region or "the sender's region"
    return f"{REGION_QUOTA}: {quota.name}, of the project in {region}"


def _cost(query: PathQuery, prices: PriceBook | None) -> TransferCost | None:
    """Return what the transfer costs; None where no prices were asked."""
    if prices is None or query.transfer_bytes is None:
        return None
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    ratio = Decimal(float(payload_ratio(min(frames, default=DEFAULT_MTU_BYTES))))
    gib = (Decimal(query.transfer_bytes) / BYTES_PER_GIB / ratio).quantize(Decimal("0.001"))
    info = prices.info
    as_of = str(info.network_as_of)
    src, dst = query.src.region, query.dst.region
    if src is None and query.path_class.distance != "same-zone":
        why = "the price depends on the regions: give --src-place and --dst-place"
        return TransferCost(usd=None, gib=gib, why_unknown=why)
    try:
        if query.path_class is PathClass.INTERNET and src is not None:
            low, high = span(prices.possible_prices(query.path_class, src_region=src), gib)
            return TransferCost(usd=low, high_usd=high, gib=gib, prices_as_of=as_of)
        lines = prices.traffic_line_items(
            "transfer", query.path_class, gib, src_region=src or "us-central1", dst_region=dst
        )
    except MissingDatum as error:
        return TransferCost(usd=None, gib=gib, why_unknown=str(error))
    usd = sum((line.usd_per_month for line in lines), Decimal(0))
    return TransferCost(usd=usd, gib=gib, line_items=lines, prices_as_of=as_of)
