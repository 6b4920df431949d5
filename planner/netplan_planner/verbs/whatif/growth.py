"""Traffic that grows by a factor: of machines, with what others outside send to them.

Traffic that grows: which machine meets its limit when, and which price steps are reached.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.model import (
    Edge,
    Facts,
    MeasuredKind,
    Metric,
    Metrics,
    MetricSeries,
    OwnerKind,
    SelfLink,
    price_key,
)
from netplan_planner.paths.priced_paths import billed_volumes, path_prices_of
from netplan_planner.planning.traffic_bill import Tiers
from netplan_planner.verbs.whatif.answer import (
    WhatifChange,
    WhatifField,
    WhatifFull,
    WhatifPair,
    WhatifPriceStep,
)
from netplan_planner.verbs.whatif.scenario import Aimed, Draft, scaled_series

_LEAST, _MOST = Decimal("0.001"), Decimal(1000)
_SENT = frozenset({Metric.VM_SENT_BYTES, Metric.VM_SENT_PACKETS, Metric.VM_NAT_SENT_BYTES})
_RECEIVED = frozenset(
    {Metric.VM_RECEIVED_BYTES, Metric.VM_RECEIVED_PACKETS, Metric.VM_NAT_RECEIVED_BYTES}
)
_ZERO = Decimal(0)


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
            f"{change.to!r} is not a growth factor: use a number such as 1.5, from {_LEAST} to "
            f"{_MOST}"
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
        draft.note(f"No traffic of {aim.change.vms} was seen, so nothing grows.")
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
        "Cloud Monitoring counters of VMs grow with the traffic. Those of gateways, tunnels, "
        "load balancers and quotas do not change."
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
        draft.note("Traffic by workload does not change, because its records do not name the VMs.")
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


class _Growth(NamedTuple):
    factor: float
    by: date | None


def filled(
    machines: Sequence[WhatifPair], aims: Sequence[Aimed], today: date
) -> tuple[WhatifFull, ...]:
    """Return the limits that growing machines meet, the first first.

    Growth is taken as a straight line from today. Limits are those after all changes.
    """
    growths: dict[SelfLink, _Growth] = {}
    for change, instances, _ in aims:
        if change.field is WhatifField.GROWTH:
            growth = _Growth(float(factor_of(change)), change.by)
            growths |= {one.ref.self_link: growth for one in instances}
    found = [
        full
        for pair in machines
        if pair.link in growths and growths[pair.link].factor > 1
        for full in _of(pair, growths[pair.link], today)
    ]
    return tuple(sorted(found, key=lambda one: (one.at_factor, one.machine, one.limit)))


def _of(pair: WhatifPair, growth: _Growth, today: date) -> Iterator[WhatifFull]:
    after = pair.after
    for limit, p95, cap in (
        ("vm-egress", after.p95_gbps, after.egress_gbps),
        ("external-egress", after.external_p95_gbps, after.external_gbps),
    ):
        if not p95 or not cap or p95 < cap:
            continue
        today_gbps = p95 / growth.factor
        at = max(1.0, cap / today_gbps)
        on = None
        if growth.by is not None:
            days = (growth.by - today).days * (at - 1) / (growth.factor - 1)
            on = today + timedelta(days=int(days))
        yield WhatifFull(
            machine=pair.name, limit=limit, gbps=today_gbps, cap_gbps=cap, at_factor=at, on=on
        )


class _Use(NamedTuple):
    tiers: Tiers
    gib: Decimal


def price_steps(before: Facts, after: Facts) -> tuple[WhatifPriceStep, ...]:
    """Return the prices whose last GiB of a month is on another step than before."""
    old, new = _uses(before), _uses(after)
    found = []
    for key in sorted({*old, *new}):
        tiers = (new.get(key) or old[key]).tiers
        gib_before = old[key].gib if key in old else _ZERO
        gib_after = new[key].gib if key in new else _ZERO
        step, then = _step(tiers, gib_before), _step(tiers, gib_after)
        if step != then:
            found.append(
                WhatifPriceStep(
                    name=tiers[0].price.description,
                    sku_id=tiers[0].price.sku_id or "",
                    gib_before=gib_before,
                    gib_after=gib_after,
                    usd_per_gib_before=tiers[step].price.usd,
                    usd_per_gib_after=tiers[then].price.usd,
                )
            )
    return tuple(found)


def _step(tiers: Tiers, gib: Decimal) -> int:
    reached = [number for number, tier in enumerate(tiers) if tier.start < gib]
    return max(reached, default=0)


def _uses(facts: Facts) -> dict[str, _Use]:
    """Return what is used of each price with steps."""
    found: dict[str, _Use] = {}
    for path, byte_count in billed_volumes(facts).items():
        for part in path_prices_of(facts.prices, path):
            if len(part.tiers) > 1:
                key = price_key(part.tiers)
                was = found.get(key)
                gib = facts.gib_per_month(byte_count)
                found[key] = _Use(part.tiers, gib if was is None else was.gib + gib)
    return found
