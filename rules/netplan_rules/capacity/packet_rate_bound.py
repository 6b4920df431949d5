"""Machines with many small packets, which bind before bytes do."""

from collections.abc import Iterable, Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_planner.units import SECONDS_PER_MINUTE
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity._resize import type_evidence
from netplan_rules.shared.trust import a_day, doubts_of_rates
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import APPLICATION

_PACKETS_PER_UNIT = 1000

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    work=APPLICATION,
    thresholds=(
        Threshold(
            name="min_kpps",
            default=500.0,
            unit="1000 packets/s",
            about="minimum packet rate of one direction",
        ),
        Threshold(
            name="max_packet_bytes",
            default=400.0,
            unit="bytes",
            about="maximum mean packet size, headers included, that counts as small",
        ),
        ratio_limit(
            "max_cap_ratio",
            0.5,
            "share of the cap at the 95th percentile from which bytes are the limit",
        ),
        ratio_limit(
            "outside_ratio",
            0.8,
            "share of the documented packet rate from outside the VPC from which packets are the"
            " limit",
        ),
    ),
)


class _Packets(model.Value, frozen=True, kw_only=True):
    """Packets of one direction of a machine."""

    direction: str
    per_s: float
    mean_bytes: float
    source: str
    is_counted: bool
    """By Cloud Monitoring; else the mean of the minutes in use."""
    active_minutes: int = 0
    """Those minutes."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each machine that many packets bind, the documented limit first."""
    for rates in facts.machine_rates:
        instance = facts.inventory.instance_by_link[rates.link]
        cap = instance_cap(instance, facts.caps)
        outside = _from_outside(facts, rates)
        if cap is not None and outside is not None and _is_at_limit(facts, outside, cap):
            yield _hit(facts, instance, rates, outside, cap.external_ingress_pps)
            continue
        is_far = cap is not None and rates.egress.p95_gbps < (
            facts.threshold(RULE.id, "max_cap_ratio") * cap.egress_gbps
        )
        found = [one for one in _both_ways(facts, rates) if _is_many_and_small(facts, one)]
        if is_far and found:
            yield _hit(facts, instance, rates, max(found, key=lambda one: one.per_s), None)


def _is_at_limit(facts: model.Facts, packets: _Packets, cap: model.EgressCap) -> bool:
    share = facts.threshold(RULE.id, "outside_ratio")
    return cap.external_ingress_pps is not None and packets.per_s >= (
        share * cap.external_ingress_pps
    )


def _is_many_and_small(facts: model.Facts, packets: _Packets) -> bool:
    floor = facts.threshold(RULE.id, "min_kpps") * _PACKETS_PER_UNIT
    return packets.per_s >= floor and packets.mean_bytes <= facts.threshold(
        RULE.id, "max_packet_bytes"
    )


def _both_ways(facts: model.Facts, rates: model.MachineRates) -> Iterator[_Packets]:
    """Yield what a machine sends and what it receives, as far as it is known."""
    owner = rates.traffic.owner if rates.traffic is not None else None
    traffic = facts.traffic
    for direction, packets, count, series, by_owner in (
        (
            "sends",
            model.Metric.VM_SENT_PACKETS,
            model.Metric.VM_SENT_BYTES,
            rates.egress,
            traffic.edges_by_src if traffic else {},
        ),
        (
            "receives",
            model.Metric.VM_RECEIVED_PACKETS,
            model.Metric.VM_RECEIVED_BYTES,
            rates.ingress,
            traffic.edges_by_dst if traffic else {},
        ),
    ):
        counted = facts.metrics.of(rates.link, packets) if facts.metrics else None
        volume = facts.metrics.of(rates.link, count) if facts.metrics else None
        if counted is not None and volume is not None and counted.total:
            yield _Packets(
                direction=direction,
                per_s=counted.p95,
                mean_bytes=(volume.total or 0.0) / counted.total,
                source=counted.metric.value,
                is_counted=True,
            )
        elif owner is not None:
            found = _mean(direction, by_owner.get(owner, ()), series.active_minutes)
            if found is not None:
                yield found


def _from_outside(facts: model.Facts, rates: model.MachineRates) -> _Packets | None:
    """Return what a machine receives from outside the VPC; None where flow records do not tell."""
    if facts.traffic is None or rates.traffic is None:
        return None
    edges = facts.traffic.edges_by_dst.get(rates.traffic.owner, ())
    outside = [edge for edge in edges if edge.path_class.leaves_vpc]
    minutes = rates.traffic.ingress.active_minutes
    return _mean("receives from outside the VPC", outside, minutes)


def _mean(direction: str, edges: Iterable[model.Edge], active_minutes: int) -> _Packets | None:
    """Return the mean rate of packets over the minutes in which the machine had any."""
    found = tuple(edges)
    packets = sum(edge.packet_count for edge in found)
    if not packets or not active_minutes:
        return None
    return _Packets(
        direction=direction,
        per_s=packets / (active_minutes * SECONDS_PER_MINUTE),
        mean_bytes=sum(edge.wire_bytes for edge in found) / packets,
        source="flow logs",
        is_counted=False,
        active_minutes=active_minutes,
    )


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    packets: _Packets,
    limit_pps: float | None,
) -> model.Hit:
    doubts = doubts_of_rates(facts, instance, rates)
    if not packets.is_counted:
        doubts.add("an average over the active minutes hides bursts")
    if limit_pps is None:
        doubts.add("no document states the packet rate of a type")
    said = f"; a VM receives at most {limit_pps:,.0f} from there" if limit_pps is not None else ""
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} {packets.direction} {packets.per_s:,.0f} packets per second of"
        f" {packets.mean_bytes:.0f} B on average{said}; its bytes"
        f" ({gbps(max(rates.egress.p95_gbps, rates.ingress.p95_gbps))}) are not the limit",
        cause="outside" if limit_pps is not None else "",
        evidence=(
            model.Evidence(
                name="packets_per_s",
                value=packets.per_s,
                unit="packets/s",
                source=packets.source,
            ),
            model.Evidence(
                name="mean_packet", value=packets.mean_bytes, unit="bytes", source=packets.source
            ),
            rate_evidence("egress_p95", rates.egress.p95_gbps, rates.source),
            type_evidence(instance),
        ),
        used_ratio=packets.per_s / limit_pps if limit_pps is not None else None,
        limit_minutes_per_day=None
        if packets.is_counted
        else a_day(packets.active_minutes * SECONDS_PER_MINUTE, facts.seen_traffic.month_seconds),
        # Without a limit it is a hint: many packets may be what the machine is made for.
        severity=None if limit_pps is not None else model.Severity.LOW,
        fix=RULE.fix(
            label="fewer, larger packets",
            text="Send larger packets: batches, fewer flushes, segmentation offload. Or spread the"
            " load over more VMs, each with its own packet budget.",
            verify="In the next audit, the packet rate falls and the bytes do not.",
            undo="Restore the old batch settings. Nothing else changed.",
        ),
        doubts=doubts.reasons,
    )
