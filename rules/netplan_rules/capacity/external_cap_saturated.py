"""Machines whose traffic to outside addresses stands at its own, lower cap."""

from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Threshold, rule_of
from netplan_rules.capacity import _resize as resize
from netplan_rules.shared.flows import overflow_evidence, overflow_text, sent_drops
from netplan_rules.shared.trust import doubts_of_vm, minutes_per_day
from netplan_rules.wording import gbps, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY, model.Need.WINDOW}),
    work=MACHINE_TYPE,
    thresholds=(
        Threshold(
            name="p95_ratio",
            default=0.9,
            unit="ratio",
            about="minimum share of the external cap at the 95th percentile of the external"
            " traffic",
        ),
        Threshold(
            name="own_pairs_ratio",
            default=0.5,
            unit="ratio",
            about="share of the external traffic that goes to your VMs, from which internal"
            " addresses are the first advice",
        ),
    ),
)


OWN_PAIRS = "most of it goes to your VMs"
"""The cause of hits that internal addresses mend."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine whose outside part is near its limit while the whole is not."""
    if facts.traffic is None:
        return
    share = facts.threshold(RULE.id, "p95_ratio")
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for traffic in facts.traffic.vms:
        instance = facts.instance(facts.traffic.owners[traffic.owner])
        if instance is None or traffic.egress_outside_vpc.byte_count == 0:
            continue
        cap = instance_cap(instance, facts.caps)
        limit = _limit(facts, cap)
        if cap is None or limit is None:
            yield resize.unknown_cap(facts, instance)
        elif (
            limit.gbps < cap.egress_gbps
            and traffic.egress.p95_gbps < share * cap.egress_gbps
            and traffic.egress_outside_vpc.p95_gbps >= share * limit.gbps
        ):
            yield _hit(facts, instance, traffic, cap, limit, ledger)


def _limit(facts: model.Facts, cap: model.EgressCap | None) -> model.Limit | None:
    """Return the documented external cap, else what was measured inside a zone at that date."""
    if cap is not None and cap.external_gbps is not None:
        return model.Limit(
            name="external-egress",
            gbps=cap.external_gbps,
            kind=cap.kind,
            source=cap.source,
            as_of=cap.as_of,
            detail=cap.machine_type,
        )
    measured = facts.caps.measured(model.PathClass.SAME_ZONE_EXTERNAL)
    if not measured:
        return None
    return model.taken(model.Limit, measured[0], kind=model.LimitKind.MEASURED)


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    traffic: model.VmTraffic,
    cap: model.EgressCap,
    limit: model.Limit,
    ledger: model.CoverLedger,
) -> model.Hit:
    doubts = doubts_of_vm(facts, instance, traffic)
    dropped = sent_drops(facts, traffic.owner)
    if limit.kind is model.LimitKind.MEASURED:
        doubts.add("the limit was measured, not documented")
    source = facts.seen_traffic.source.value
    own_ratio = _own_ratio(facts, traffic)
    change = _change(facts, instance, traffic, own_ratio, ledger)
    resize.doubts_of_caps(facts, doubts, cap, change.candidate)
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} sends {gbps(traffic.egress_outside_vpc.p95_gbps)} to external"
        f" addresses at the 95th percentile; its external cap is {gbps(limit.gbps)}, its total cap"
        f" {gbps(cap.egress_gbps)}{overflow_text(dropped).replace(' Its', '. Its', 1)}",
        cause=OWN_PAIRS if change.is_own_pairs else resize.resize_cause(change.candidate),
        evidence=(
            rate_evidence("outside_p95", traffic.egress_outside_vpc.p95_gbps, source),
            rate_evidence("outside_max", traffic.egress_outside_vpc.max_gbps, source),
            rate_evidence("all_p95", traffic.egress.p95_gbps, source),
            rate_evidence("cap", limit.gbps, limit.source),
            *overflow_evidence(dropped),
            *_own_evidence(facts, own_ratio),
            resize.type_evidence(instance),
        ),
        limit=limit,
        throughput_now=change.now,
        throughput_fixed=change.fixed,
        saving=change.saving,
        # What internal addresses mend is judged by the findings that advise them.
        used_ratio=None
        if change.is_own_pairs
        else traffic.egress_outside_vpc.p95_gbps / limit.gbps,
        limit_minutes_per_day=minutes_per_day(facts, traffic.egress_outside_vpc, limit.gbps),
        severity=model.Severity.INFO if change.is_own_pairs else None,
        fix=change.fix,
        doubts=doubts.reasons,
        change=resize.resize_change(instance, change.candidate),
    )


def _own_evidence(facts: model.Facts, own_ratio: float) -> tuple[model.Evidence, ...]:
    """Return which share goes to own machines; metrics name no peer, so they tell of none."""
    if facts.traffic is None or facts.traffic.is_of_metrics:
        return ()
    source = facts.traffic.source.value
    return (model.Evidence(name="to_own_machines", value=own_ratio, unit="ratio", source=source),)


def _own_ratio(facts: model.Facts, traffic: model.VmTraffic) -> float:
    outside = [
        e for e in facts.seen_traffic.edges_by_src.get(traffic.owner, ()) if e.path_class.leaves_vpc
    ]
    whole = sum(edge.wire_bytes for edge in outside)
    own = sum(edge.wire_bytes for edge in outside if edge.path_class.is_external_address)
    return round(own / whole, 4) if whole else 0.0


class _Change(NamedTuple):
    """What is advised, and what it brings."""

    fix: model.Fix
    saving: model.Saving = model.Saving()
    now: model.Estimate | None = None
    fixed: model.Estimate | None = None
    candidate: model.Candidate | None = None
    is_own_pairs: bool = False


def _change(
    facts: model.Facts,
    instance: model.Instance,
    traffic: model.VmTraffic,
    own_ratio: float,
    ledger: model.CoverLedger,
) -> _Change:
    if own_ratio >= facts.threshold(RULE.id, "own_pairs_ratio"):
        return _Change(
            RULE.fix(
                label="internal addresses first",
                text=f"{own_ratio:.0%} of it goes to your VMs: use their internal addresses first"
                " (see the external-ip findings). A larger VM of the same series does not"
                " raise this limit.",
                documents=("https://cloud.google.com/compute/docs/internal-dns",),
            ),
            is_own_pairs=True,
        )
    need = resize.need_of(
        facts, instance, traffic.egress_outside_vpc.max_gbps, model.Destination.EXTERNAL
    )
    candidate, why_not = resize.cheapest(facts, need, instance, ledger)
    now = resize.egress_estimate(facts, instance, None, model.PathClass.INTERNET)
    fixed = (
        resize.egress_estimate(facts, instance, candidate, model.PathClass.INTERNET)
        if candidate
        else None
    )
    return _Change(
        fix=resize.resize_fix(facts, instance, candidate, why_not),
        saving=resize.resize_saving(facts, instance, candidate, ledger),
        now=now if now.gbps is not None else None,
        fixed=fixed if now.gbps is not None else None,
        candidate=candidate,
    )
