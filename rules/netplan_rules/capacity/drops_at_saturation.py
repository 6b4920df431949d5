"""Machines whose packets are dropped because a queue or a table of theirs is full."""

from collections import Counter
from collections.abc import Iterable, Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_planner.units import counted
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity._resize import type_evidence
from netplan_rules.shared.flows import OVERFLOW, is_full
from netplan_rules.shared.trust import doubts_of_vm
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import APPLICATION

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS}),
    work=APPLICATION,
    thresholds=(
        Threshold(
            name="min_packets",
            default=100.0,
            unit="packets",
            about="minimum dropped packets per VM and cause",
        ),
        ratio_limit(
            "min_drop_ratio",
            0.0001,
            "minimum share of the packets of that direction that are dropped",
        ),
    ),
    summed=("dropped",),
)


class _Kind(model.Value, frozen=True, kw_only=True):
    """Why a machine's packets are dropped, and what to do about it."""

    cause: str
    at_receiver: bool
    reasons: frozenset[str]
    """As flow records spell them (`drop_reason`)."""
    said: str
    advice: str


_KINDS = (
    _Kind(
        cause="sends bursts",
        at_receiver=False,
        reasons=frozenset({OVERFLOW}),
        said="before leaving: it sent bursts above its limit",
        advice="Pace its traffic (tc qdisc fq, or a rate limit in the application), or use a"
        " machine type with a larger cap.",
    ),
    _Kind(
        cause="receives bursts",
        at_receiver=True,
        reasons=frozenset({OVERFLOW, "EARLY_DROPS_FULL_FAIR_QUEUE"}),
        said="on arrival: more arrived at once than it can receive",
        advice="Let fewer senders burst at once, spread the load over more receivers, or use a"
        " machine type with more vCPUs and queues.",
    ),
    _Kind(
        cause="connections",
        at_receiver=True,
        reasons=frozenset({"TOO_MANY_CONNECTIONS"}),
        said="on arrival: its connection table was full",
        advice="Reuse open connections, or spread them over more VMs.",
    ),
    _Kind(
        cause="connections",
        at_receiver=False,
        reasons=frozenset({"TOO_MANY_CONNECTIONS"}),
        said="before leaving: its connection table was full",
        advice="Reuse open connections, or spread them over more VMs.",
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each machine and cause with enough drops."""
    if facts.traffic is None:
        return
    for traffic in facts.traffic.vms:
        instance = facts.instance(facts.traffic.owners[traffic.owner])
        if instance is None:
            continue
        for kind in _KINDS:
            by_owner = (
                facts.traffic.edges_by_dst if kind.at_receiver else facts.traffic.edges_by_src
            )
            edges = by_owner.get(traffic.owner, ())
            dropped = _dropped(edges, kind)
            if _is_enough(facts, dropped.total(), edges) and not _is_at_cap(facts, instance, kind):
                yield _hit(facts, instance, traffic, kind, dropped)


def _dropped(edges: Iterable[model.Edge], kind: _Kind) -> Counter[str]:
    """Return the packets of a machine that were dropped for a cause, by reason."""
    found: Counter[str] = Counter()
    for edge in edges:
        for drops in edge.drops:
            if drops.at_receiver is kind.at_receiver and drops.reason in kind.reasons:
                found[drops.reason] += drops.packet_count
    return found


def _is_enough(facts: model.Facts, dropped: int, edges: Iterable[model.Edge]) -> bool:
    if dropped < max(facts.threshold(RULE.id, "min_packets"), 1):
        return False
    kept = sum(edge.packet_count for edge in edges)
    return dropped >= facts.threshold(RULE.id, "min_drop_ratio") * (kept + dropped)


def _is_at_cap(facts: model.Facts, instance: model.Instance, kind: _Kind) -> bool:
    """Return whether another rule tells of a sender's full queue."""
    if kind.at_receiver or OVERFLOW not in kind.reasons:
        return False
    cap, rates = instance_cap(instance, facts.caps), facts.rates_of(instance)
    return cap is not None and rates is not None and is_full(facts, rates, cap)


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    traffic: model.VmTraffic,
    kind: _Kind,
    dropped: Counter[str],
) -> model.Hit:
    doubts = doubts_of_vm(facts, instance, traffic)
    rates = traffic.ingress if kind.at_receiver else traffic.egress
    cap = None if kind.at_receiver else instance_cap(instance, facts.caps)
    names = ", ".join(sorted(dropped))
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{counted(dropped.total(), 'packet')} of {instance.name} were dropped {kind.said}"
        f" ({names}); the 95th percentile of its rate is {gbps(rates.p95_gbps)}"
        + (f" of {gbps(cap.egress_gbps)}" if cap is not None else ""),
        cause=kind.cause,
        evidence=(
            model.Evidence(
                name="dropped",
                value=dropped.total(),
                unit="packets",
                source="flow logs (drop_reason)",
            ),
            rate_evidence("p95", rates.p95_gbps),
            rate_evidence("max", rates.max_gbps),
            *((rate_evidence("cap", cap.egress_gbps, cap.source),) if cap is not None else ()),
            type_evidence(instance),
        ),
        lost="packets dropped at a full queue"
        if "bursts" in kind.cause
        else "packets dropped at a full connection table",
        fix=RULE.fix(
            label="fewer bursts" if "bursts" in kind.cause else "fewer connections",
            text=kind.advice,
            verify=f"The next flow logs show no dropped packets of it ({names}).",
            undo="Remove the pacing, or change back to the old type.",
        ),
        doubts=doubts.reasons,
    )
