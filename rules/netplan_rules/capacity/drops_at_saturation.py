"""Machines whose packets are dropped because a queue or a table of theirs is full."""

from collections import Counter
from collections.abc import Iterable, Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_planner.units import counted
from netplan_rules.base import Rule, Threshold, ratio_limit
from netplan_rules.capacity._resize import type_evidence
from netplan_rules.shared.flows import OVERFLOW, is_full
from netplan_rules.shared.trust import doubts_of_vm
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import APPLICATION

RULE = Rule(
    id="drops-at-saturation",
    title="Packets are dropped because a machine's queue is full",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS}),
    rationale="A queue that runs over shows a limit that one-minute means hide: bursts of some"
    " milliseconds stand at it. TCP halves its rate at each loss, UDP loses the data.",
    remediation="Smooth the bursts of the sender (pacing, several connections instead of one"
    " burst), spread the load, or take a machine type with more room.",
    guards="Silent below both floors, for drops that firewalls and routes decide, and for senders"
    " at their cap: egress-cap-saturated names those with their drops. Records without a drop do"
    " not show that none was dropped: logs sample packets.",
    references=(
        "https://docs.cloud.google.com/vpc/docs/about-flow-logs-records",
        "https://cloud.google.com/compute/docs/network-bandwidth",
    ),
    work=APPLICATION,
    thresholds=(
        Threshold(
            name="min_packets",
            default=100.0,
            unit="packets",
            about="dropped packets of a machine and a cause from which the rule fires",
        ),
        ratio_limit(
            "min_drop_ratio",
            0.0001,
            "share of the packets of that direction that are dropped, which it needs as well",
        ),
    ),
    group_message="packets of {count} machines are dropped because a queue or table is full:"
    " {dropped:,.0f} in the window",
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
        said="before leaving: it gave more at once than it may send",
        advice="Pace what it sends (tc qdisc fq, a rate limit of the application), or take a type"
        " with a greater cap.",
    ),
    _Kind(
        cause="receives bursts",
        at_receiver=True,
        reasons=frozenset({OVERFLOW, "EARLY_DROPS_FULL_FAIR_QUEUE"}),
        said="on arrival: more came at once than it takes in",
        advice="Let fewer senders burst at once, spread the receiving over more machines, or take a"
        " type with more vCPUs and queues.",
    ),
    _Kind(
        cause="connections",
        at_receiver=True,
        reasons=frozenset({"TOO_MANY_CONNECTIONS"}),
        said="on arrival: the table of its connections was full",
        advice="Keep connections open and use them again, or spread them over more machines.",
    ),
    _Kind(
        cause="connections",
        at_receiver=False,
        reasons=frozenset({"TOO_MANY_CONNECTIONS"}),
        said="before leaving: the table of its connections was full",
        advice="Keep connections open and use them again, or spread them over more machines.",
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
        f" ({names}); the 95th percentile of its minutes is {gbps(rates.p95_gbps)}"
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
        else "packets dropped at a full table of connections",
        fix=RULE.fix(
            label="fewer bursts" if "bursts" in kind.cause else "fewer connections",
            text=kind.advice,
            verify=f"The next flow logs have no dropped packets of it ({names}).",
            undo="Take the pacing off again, or give the old type back.",
        ),
        doubts=doubts.reasons,
    )
