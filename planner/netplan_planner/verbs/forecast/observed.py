"""Series of an inventory's machines and paths, from the hours of its traffic and metrics."""

from collections.abc import Iterator

import numpy as np

from netplan_planner.engine.summary import direction_of
from netplan_planner.errors import InputError
from netplan_planner.model import (
    Direction,
    Edge,
    Facts,
    Instance,
    Metric,
    OwnerKind,
    PathClass,
    Series,
)
from netplan_planner.model.rate_bins import MachineHours, RateBins
from netplan_planner.paths.priced_paths import PathPrice, nat_part, path_prices_of, priced_path_of
from netplan_planner.throughput import instance_cap
from netplan_planner.units import counted
from netplan_planner.verbs.forecast.answer import Scope
from netplan_planner.verbs.forecast.days import busy_rate
from netplan_planner.verbs.forecast.subjects import PathSeries, Sender, Subjects
from netplan_planner.world.not_read import stopped_machines

_NO_HOURS = (
    "nothing tells of the traffic by hour: give flow logs or time series of Cloud Monitoring"
    " (--traffic, --metrics), or a table of series (--series FILE); steady rates have no time,"
    " and older bundles no hours (collect anew)"
)


def observed(facts: Facts) -> Subjects:
    """Return what is known of machines and paths by hour.

    Raises:
        InputError: If nothing is.
    """
    senders = tuple(_senders(facts))
    paths = tuple(_paths(facts))
    if not senders and not paths:
        raise InputError(_NO_HOURS)
    seen = {one.instance.ref.self_link for one in senders if one.instance is not None}
    unseen = [
        one
        for one in facts.inventory.instances
        if not one.is_stopped and one.ref.self_link not in seen
    ]
    left_out = (f"{counted(len(unseen), 'machine')} of which nothing tells what was sent",)
    stopped = stopped_machines(facts.inventory)
    return Subjects(senders, paths, (*(left_out if unseen else ()), *stopped))


def _senders(facts: Facts) -> Iterator[Sender]:
    by_owner = _hours_by_owner(facts)
    for instance in sorted(facts.inventory.instances, key=lambda one: one.ref.self_link):
        if instance.is_stopped:
            continue
        rates = facts.rates_of(instance)
        if rates is None:
            continue
        traffic, hours = facts.traffic, by_owner.get(instance.ref.self_link)
        counter = facts.metrics.of(rates.link, Metric.VM_SENT_BYTES) if facts.metrics else None
        whole = counter.hours if counter is not None and rates.is_counted else None
        if whole is None and hours is not None and traffic is not None and traffic.hours:
            whole = traffic.hours.bins(hours.gbps)
        if whole is None or not whole.known_s:
            continue
        cap = instance_cap(instance, facts.caps)
        total = cap.egress_gbps if cap is not None else None
        yield _sender(instance, Scope.ALL, whole, rates.egress, rates.source)._replace(
            cap_gbps=total
        )
        outside = cap.external_gbps if cap is not None else None
        seen = rates.traffic
        if (
            outside is None
            or hours is None
            or seen is None
            or traffic is None
            or traffic.hours is None
        ):
            continue
        bins = traffic.hours.bins(hours.outside_gbps)
        if seen.egress_outside_vpc.byte_count and (total is None or outside < total):
            source = traffic.source.value
            one = _sender(instance, Scope.OUTSIDE, bins, seen.egress_outside_vpc, source)
            yield one._replace(cap_gbps=outside)


def _hours_by_owner(facts: Facts) -> dict[str, MachineHours]:
    traffic = facts.traffic
    if traffic is None or traffic.hours is None:
        return {}
    links = ((traffic.owners[one.owner].link, one) for one in traffic.hours.machines)
    return {link: one for link, one in links if link is not None}


def _sender(
    instance: Instance, scope: Scope, bins: RateBins, series: Series, source: str
) -> Sender:
    rates = np.array([np.nan if rate is None else rate for rate in bins.gbps], dtype=float)
    busy = busy_rate(rates) or 0.0
    peak = float(np.nanmax(rates))
    return Sender(
        name=instance.name,
        scope=scope,
        bins=bins,
        source=source,
        machine_type=instance.machine_type,
        is_tier1=instance.bandwidth_tier.value == "TIER_1",
        zone=instance.zone,
        instance=instance,
        busy_factor=series.p95_gbps / busy if busy > 0 else 1.0,
        peak_factor=series.max_gbps / peak if peak > 0 else 1.0,
    )


def _paths(facts: Facts) -> Iterator[PathSeries]:
    traffic = facts.traffic
    if traffic is None or traffic.hours is None:
        return
    for one in traffic.hours.paths:
        edge = traffic.edges[one.edge]
        parts = _prices(facts, edge)
        if parts is None:
            continue
        reason = next((part.reason for part in parts if not part.tiers), "")
        src, dst = _place(facts, edge, is_src=True), _place(facts, edge, is_src=False)
        yield PathSeries(
            name=f"{src} → {dst}, {edge.path_class.value}",
            path_class=edge.path_class.value,
            src=src,
            dst=dst,
            bins=traffic.hours.bins(one.gbps),
            source=traffic.source.value,
            prices=() if reason else tuple(part.tiers for part in parts),
            unpriced=reason,
        )


def _prices(facts: Facts, edge: Edge) -> tuple[PathPrice, ...] | None:
    """Return the prices of an edge's path; None where nobody of ours is charged for its bytes."""
    direction = direction_of(facts, edge)
    if direction is Direction.SENT:
        return path_prices_of(facts, priced_path_of(facts, edge))
    if direction is Direction.RECEIVED and edge.path_class is PathClass.NAT:
        return (nat_part(facts, facts.dst(edge).region or ""),)
    return None


def _place(facts: Facts, edge: Edge, *, is_src: bool) -> str:
    owner = facts.src(edge) if is_src else facts.dst(edge)
    if owner.kind is OwnerKind.INTERNET:
        return f"internet {owner.area}" if owner.area else "internet"
    return owner.zone or owner.region or owner.name
