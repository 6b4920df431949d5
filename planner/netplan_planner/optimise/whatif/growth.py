"""Traffic that grows by a factor: of machines, with what others outside send to them."""

from collections import defaultdict
from decimal import Decimal, InvalidOperation

from msgspec.structs import replace

from netplan_planner.model import Edge, MeasuredKind, Metric, Metrics, MetricSeries, OwnerKind
from netplan_planner.model.whatif import WhatifChange
from netplan_planner.optimise.whatif.draft import Draft, scaled_series
from netplan_planner.optimise.whatif.selecting import Aimed

_LEAST, _MOST = Decimal("0.001"), Decimal(1000)
_SENT = frozenset({Metric.VM_SENT_BYTES, Metric.VM_SENT_PACKETS, Metric.VM_NAT_SENT_BYTES})
_RECEIVED = frozenset(
    {Metric.VM_RECEIVED_BYTES, Metric.VM_RECEIVED_PACKETS, Metric.VM_NAT_RECEIVED_BYTES}
)


def factor_of(change: WhatifChange) -> Decimal:
    """Return the factor of a growth.

    Raises:
        NetplanError: If it is no number from 0.001 to 1000.
    """
    try:
        factor = Decimal(change.to)
    except InvalidOperation:
        factor = Decimal(0)
    if not factor.is_finite() or not _LEAST <= factor <= _MOST:
        raise change.refused(
            f"{change.to!r} is no factor of growth: a number such as 1.5, from {_LEAST} to {_MOST}"
        )
    return factor


def grow(draft: Draft, aim: Aimed) -> None:
    """Let traffic grow: all that machines send, and what senders that are not own send to them.

    Every minute grows alike. What others receive by it grows by the bytes; the course of all that
    they receive stays. Packets that are dropped and records of flow logs do not grow here.
    """
    factor = factor_of(aim.change)
    if factor == 1:
        return
    owners = draft.owner_numbers(aim.machines)
    if not owners:
        draft.note(f"No traffic of {aim.change.vms} was seen, so nothing of it grows.")
    before, after = _into(draft), _Received()

    def grown(edge: Edge) -> Edge:
        is_grown = edge.src in owners or (
            edge.dst in owners and draft.owners[edge.src].kind is not OwnerKind.VM
        )
        made = _edge(edge, factor) if is_grown else edge
        after.bytes[edge.dst] += made.wire_bytes
        return made

    draft.replace_edges(grown)
    for number, vm in draft.vms.items():
        share = after.bytes[number] / before.bytes[number] if before.bytes[number] else 1.0
        is_whole = all_of(draft, number, owners)
        ratio = float(factor) if is_whole else share
        ingress = scaled_series(vm.ingress, ratio)
        if number in owners:
            draft.vms[number] = replace(
                vm,
                egress=scaled_series(vm.egress, float(factor)),
                egress_outside_vpc=scaled_series(vm.egress_outside_vpc, float(factor)),
                ingress=ingress,
                sent_to_internet_bytes=_times(vm.sent_to_internet_bytes, factor),
                received_from_internet_bytes=_times(vm.received_from_internet_bytes, factor),
            )
        elif ratio != 1:
            draft.vms[number] = replace(vm, ingress=ingress)
    _grow_counters(draft, aim, factor)
    _grow_pods(draft, aim, factor)


class _Received:
    """Bytes by receiver."""

    def __init__(self) -> None:
        self.bytes: dict[int, int] = defaultdict(int)


def _into(draft: Draft) -> _Received:
    found = _Received()
    for edge in draft.edges:
        found.bytes[edge.dst] += edge.wire_bytes
    return found


def all_of(draft: Draft, number: int, owners: set[int]) -> bool:
    """Return whether all machines of the traffic grow, so that whatever one receives does."""
    return number in owners and len(owners) == len(draft.vms)


def _edge(edge: Edge, factor: Decimal) -> Edge:
    top = edge.top_flow
    other = edge.other_side_bytes
    return replace(
        edge,
        payload_bytes=_times(edge.payload_bytes, factor),
        header_bytes=_times(edge.header_bytes, factor),
        packet_count=_times(edge.packet_count, factor),
        coarse_bytes=_times(edge.coarse_bytes, factor),
        by_destination_bytes=_times(edge.by_destination_bytes, factor),
        other_side_bytes=None if other is None else _times(other, factor),
        series=scaled_series(edge.series, float(factor)),
        top_flow=None if top is None else replace(top, p95_gbps=top.p95_gbps * float(factor)),
    )


def _times(count: int, factor: Decimal) -> int:
    return round(count * factor)


def _grow_counters(draft: Draft, aim: Aimed, factor: Decimal) -> None:
    """Let the counters of the machines' own interfaces grow, which go before flow logs."""
    if draft.metrics is None:
        return
    links = {one.ref.self_link for one in aim.machines}
    is_all = len(links) == len(draft.instances)

    def made(series: MetricSeries) -> MetricSeries:
        if series.resource.kind is not MeasuredKind.MACHINE or series.resource.link not in links:
            return series
        grows = series.metric in _SENT or (series.metric in _RECEIVED and is_all)
        return _counter(series, float(factor)) if grows else series

    draft.metrics = Metrics(
        series=tuple(made(one) for one in draft.metrics.series), coverage=draft.metrics.coverage
    )
    draft.note(
        "Of Cloud Monitoring the counters of machines grow with the traffic; those of gateways,"
        " tunnels, load balancers and quotas stay as they were."
    )


def _counter(series: MetricSeries, factor: float) -> MetricSeries:
    rates = ("p50", "p95", "p99", "max", "min", "mean")
    grown = {name: getattr(series, name) * factor for name in rates if hasattr(series, name)}
    total = None if series.total is None else series.total * factor
    return replace(series, **grown, total=total, top=tuple(one * factor for one in series.top))


def _grow_pods(draft: Draft, aim: Aimed, factor: Decimal) -> None:
    if draft.pod_traffic is None:
        return
    if len(aim.machines) < len(draft.instances):
        draft.note("Traffic by workload stays as it is: its records do not name the machines.")
        return
    flows = tuple(
        replace(
            flow,
            payload_bytes=None
            if flow.payload_bytes is None
            else _times(flow.payload_bytes, factor),
            header_bytes=_times(flow.header_bytes, factor),
        )
        for flow in draft.pod_traffic.flows
    )
    draft.pod_traffic = replace(draft.pod_traffic, flows=flows)
