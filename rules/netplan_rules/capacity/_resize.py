"""What the capacity rules share: finding the machine that would do, and saying how to get it."""

from collections import Counter
from decimal import Decimal
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.machines import ties_of, why_new_machine
from netplan_planner.machines.groups import is_managed
from netplan_planner.model.project.gke import NodePool
from netplan_planner.throughput import (
    deciding_platform,
    instance_end,
    outside_gbps,
    predict,
    sending_query,
    type_end,
)
from netplan_rules.money import bill_usd, by_bill, change_of, machine_saving, take
from netplan_rules.shared.managed import replacement
from netplan_rules.shared.seen_needs import seen_need, size_of
from netplan_rules.shared.trust import WHOLE_DAY_MINUTES, Doubts, minutes_per_day
from netplan_rules.wording import (
    back_to_type,
    gbps,
    has_type,
    keep_the_old,
    machines,
    money,
    resize_commands,
)

OF_A_GROUP = (
    "A managed instance group or GKE created it: change the template or the node pool, or the"
    " group reverts the change."
)
_DOCUMENTS = (
    "https://cloud.google.com/compute/docs/instances/changing-machine-type-of-stopped-instance",
    "https://cloud.google.com/compute/docs/network-bandwidth",
)
_CHECK_FIRST = "check first that the zone offers the type and the image has its drivers."
TARGET_RULE = "egress-cap-undersized-for-target"
"""Its threshold says how much of a cap a declared target leaves free, for every rule."""
_SURE = "high"
"""As the table of caps says it of a source."""


def unknown_cap(facts: model.Facts, instance: model.Instance) -> model.Gap:
    """Return the gap of a machine whose cap the table does not know."""
    reason = facts.caps.unknown_reason(
        instance.machine_type,
        tier1=instance.bandwidth_tier is model.BandwidthTier.TIER_1,
        cpu_platform=deciding_platform(instance),
    )
    return model.Gap(resource=instance.ref, reason=reason)


def need_of(
    facts: model.Facts, instance: model.Instance, wanted_gbps: float, destination: model.Destination
) -> model.MachineNeed | None:
    """Return the need of one machine, None where its shape is not known.

    It keeps its vCPUs and memory, or what of them metrics show that it needs.

    A bandwidth that its owner declared leaves as much of the cap free as the rule for targets says.
    """
    shape = facts.shape(instance.machine_type)
    if shape is None:
        return None
    outside = 0.0 if destination is model.Destination.EXTERNAL else outside_gbps(facts, instance)
    # Caps for it are whole numbers, so the next one up asks for the same types; and machines alike
    # ask the same.
    outside = float(ceil(outside))
    size = size_of(facts, instance, shape)
    need = model.need_for_vm(
        instance,
        wanted_gbps,
        shape,
        destination=destination,
        outside_gbps=outside,
        vcpus=size.vcpus,
        memory_gib=size.memory_gib,
        ties=ties_of(facts.inventory, instance, shape),
    )
    target = facts.target(instance) if destination is model.Destination.INTERNAL else None
    if target is not None and wanted_gbps <= target.gbps:
        need = replace(need, headroom_ratio=facts.threshold(TARGET_RULE, "headroom_ratio"))
    # A machine that is proposed for its bandwidth has whole cores.
    return replace(need, allow_shared_core=False)


def resize_need(
    facts: model.Facts, instance: model.Instance, cap: model.EgressCap
) -> model.MachineNeed | None:
    """Return the need of a machine that is to cost less, None where its shape is not known.

    It is that of `seen_need`, as `fleet` and `recommend --vm` have it. Where nothing tells what the
    machine sends, it keeps the bandwidth that it has.
    """
    shape = facts.shape(instance.machine_type)
    seen = seen_need(facts, instance, shape) if shape is not None else ""
    if isinstance(seen, str):
        need = need_of(facts, instance, cap.egress_gbps, model.Destination.INTERNAL)
        return None if need is None else replace(need, headroom_ratio=0.0)
    need = need_of(facts, instance, seen.gbps, model.Destination.INTERNAL)
    if need is None:
        return None
    return replace(need, outside_gbps=max(need.outside_gbps, seen.outside_gbps))


def cheapest(
    facts: model.Facts,
    need: model.MachineNeed | None,
    instance: model.Instance,
    ledger: model.CoverLedger,
) -> tuple[model.Candidate | None, str]:
    """Return what a machine is to become to meet a need at the least bill, or None and why not.

    Commitments count: a machine that they serve can be cheaper than its price.
    """
    if need is None:
        return None, "the size of its machine type is unknown"
    match facts.machines.choose_from(instance, need):
        case model.Infeasible(binding=binding, shortfall=shortfall):
            return None, f"no type in {need.region} carries it: {binding}, {shortfall}"
        case model.MachinePlan(ranked=ranked):
            return by_bill(ledger, instance, ranked)[0], ""


NO_MACHINE = "no machine type carries it"
"""The cause of hits for which nothing can be proposed."""


def resize_cause(candidate: model.Candidate | None) -> str:
    """Return the cause of a hit: whether there is a machine type to take."""
    return "" if candidate is not None else NO_MACHINE


def resize_fix(
    facts: model.Facts, instance: model.Instance, candidate: model.Candidate | None, why_not: str
) -> model.Fix:
    """Return the advice to take another machine type, with the commands where they suffice."""
    if candidate is None:
        return model.Fix(
            text=f"No single VM fits: {why_not}. Spread the load over more VMs.",
            label="more VMs",
        )
    text = f"Use {machines(candidate)}: cap {gbps(candidate.cap_gbps)}."
    if is_managed(facts, instance):
        by_maker = replacement(instance, candidate.machine_type)
        return model.Fix(
            text=f"{text} {by_maker.text}",
            label=machines(candidate),
            verify=by_maker.verify,
            undo=by_maker.undo,
            documents=_DOCUMENTS,
            caution="; ".join(told for told in (candidate.note, by_maker.caution) if told),
        )
    why_new = why_new_machine(instance, facts.shape(instance.machine_type), candidate)
    return model.Fix(
        text=text,
        label=machines(candidate),
        verify=has_type(instance, candidate.machine_type),
        undo=keep_the_old("the old VM")
        if why_new or candidate.count > 1
        else back_to_type(instance, candidate),
        commands=() if why_new else resize_commands(instance, candidate),
        documents=_DOCUMENTS,
        caution="; ".join(told for told in (candidate.note, why_new or _stops(instance)) if told),
    )


def _stops(instance: model.Instance) -> str:
    if instance.is_stopped:
        return f"It is stopped, so the type changes at once; {_CHECK_FIRST}"
    if instance.is_suspended:
        return f"It is suspended. The change resumes and stops it; {_CHECK_FIRST}"
    if instance.status == model.UNKNOWN_STATUS:
        return (
            "A planned VM needs no command: write the type into its configuration. A running VM"
            f" is stopped for the change; {_CHECK_FIRST}"
        )
    kept = " An external address that is not reserved changes."
    has_own = any(nic.external_ipv4 for nic in instance.interfaces)
    return f"Stops the VM for the change; {_CHECK_FIRST}{kept if has_own else ''}"


def doubts_of_caps(
    facts: model.Facts,
    doubts: Doubts,
    cap: model.EgressCap | None,
    candidate: model.Candidate | None,
) -> Doubts:
    """Add what speaks against the caps of a machine and of what is proposed for it."""
    new = None
    if candidate is not None:
        fitting = (
            variant
            for variant in facts.caps.variants(candidate.machine_type)
            if variant.is_tier1 == candidate.is_tier1
            and variant.min_cpu_platform == candidate.cpu_platform
        )
        new = next(fitting, None)
        if candidate.to_check:
            doubts.add(f"check the change to {candidate.machine_type}: {candidate.to_check}")
    for one in (cap, new):
        if one is None:
            continue
        if one.is_peak or one.egress_high_gbps is not None:
            doubts.add(f"the cap of {one.machine_type}: {one.caution}")
        if one.confidence != _SURE:
            doubts.add(f"confidence in the cap of {one.machine_type}: {one.confidence}")
    return doubts


def resize_saving(
    facts: model.Facts,
    instance: model.Instance,
    candidate: model.Candidate | None,
    ledger: model.CoverLedger,
) -> model.Saving:
    """Return what the bill falls by, and count the change; no lines when there is no candidate."""
    if candidate is None:
        return model.Saving()
    saving = machine_saving(facts, instance, candidate, ledger)
    take(ledger, instance, candidate)
    return saving


def resize_change(
    instance: model.Instance, candidate: model.Candidate | None
) -> model.Change | None:
    """Return the change in the form that joint fixes are computed from."""
    return None if candidate is None else change_of(instance, candidate)


def egress_estimate(
    facts: model.Facts,
    instance: model.Instance,
    candidate: model.Candidate | None,
    path_class: model.PathClass | None = None,
) -> model.Estimate:
    """Return what the machine, or its replacement, may send by a path.

    Where no path is named, it is that of most of what the machine sends: a greater machine brings
    nothing while its traffic is bound by the addresses that it uses.
    """
    end = (
        instance_end(instance)
        if candidate is None
        else type_end(
            candidate.machine_type,
            is_tier1=candidate.is_tier1,
            cpu_platform=candidate.cpu_platform,
            beside=instance,
        )
    )
    path_class = path_class or main_path(facts, instance)
    return predict(sending_query(path_class, end), facts.caps)


def main_path(facts: model.Facts, instance: model.Instance) -> model.PathClass:
    """Return the external class by which a machine sends most of what it sends, else the internal.

    Only of traffic to own machines: what goes to the internet has no other path.
    """
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    if seen is None or facts.traffic is None:
        return model.PathClass.SAME_ZONE_INTERNAL
    volumes: Counter[model.PathClass] = Counter()
    for edge in facts.traffic.edges_by_src.get(seen.owner, ()):
        volumes[edge.path_class] += edge.wire_bytes
    if not volumes:
        return model.PathClass.SAME_ZONE_INTERNAL
    greatest, byte_count = volumes.most_common(1)[0]
    is_most = 2 * byte_count > volumes.total()
    return (
        greatest if is_most and greatest.is_external_address else model.PathClass.SAME_ZONE_INTERNAL
    )


def size_evidence(facts: model.Facts, instance: model.Instance) -> tuple[model.Evidence, ...]:
    """Return the CPU and memory in use where they decided what is proposed; else nothing."""
    shape = facts.shape(instance.machine_type)
    if shape is None:
        return ()
    size = size_of(facts, instance, shape)
    found = (("cpu_p95", size.cpu_ratio), ("memory_max", size.memory_ratio))
    return tuple(
        model.Evidence(name=name, value=round(ratio, 4), unit="ratio", source="Cloud Monitoring")
        for name, ratio in found
        if ratio is not None
    )


def type_evidence(instance: model.Instance) -> model.Evidence:
    """Return the machine type as evidence, for the sentence of a group."""
    return model.Evidence(name="machine_type", value=instance.machine_type, source="inventory")


# Whether Tier_1 is the cheapest way to what a machine needs: alone, or as a node of a pool


class Tier1Choice(NamedTuple):
    """The machine's own type with Tier_1, and what others cost against it."""

    own: model.Candidate
    compared: model.Text


class _Cost(NamedTuple):
    """A candidate and what it would add to the bill, commitments counted."""

    usd: Decimal
    candidate: model.Candidate


def wanted_gbps(
    facts: model.Facts, instance: model.Instance, default: model.EgressCap, p95_ratio: float
) -> float | None:
    """Return the bandwidth that is needed above the default cap, or None.

    Args:
        facts: Targets and rates.
        instance: The machine.
        default: Its cap without Tier_1.
        p95_ratio: The share of the cap at which rates count as held back.
    """
    target = facts.target(instance)
    if target is not None and target.gbps > default.egress_gbps:
        return target.gbps
    rates = facts.rates_of(instance)
    if rates is None:
        return None
    near = p95_ratio * default.egress_gbps
    return (
        max(rates.egress.max_gbps, default.egress_gbps) if (rates.egress.p95_gbps >= near) else None
    )


def wanted_minutes(facts: model.Facts, instance: model.Instance, default: model.EgressCap) -> float:
    """Return for how much of a day `wanted_gbps` is wanted: all of it where that is declared."""
    target, rates = facts.target(instance), facts.rates_of(instance)
    if rates is None or (target is not None and target.gbps > default.egress_gbps):
        return WHOLE_DAY_MINUTES
    return minutes_per_day(facts, rates.egress, default.egress_gbps, rates)


def pool_of(facts: model.Facts, instance: model.Instance) -> NodePool | None:
    """Return the node pool of a machine, where both the node and the pool were read."""
    node = facts.inventory.node_by_instance.get(instance.ref.self_link)
    kubernetes = facts.inventory.kubernetes
    return kubernetes.pool_of(node) if node is not None and kubernetes is not None else None


def tier1_choice(
    facts: model.Facts, instance: model.Instance, wanted: float, ledger: model.CoverLedger
) -> Tier1Choice | model.Gap | None:
    """Return the type with Tier_1 if it is cheaper than a type without, a gap without its fee."""
    need = need_of(facts, instance, wanted, model.Destination.INTERNAL)
    if need is None:
        return None
    plan = facts.machines.choose_from(instance, need)
    if isinstance(plan, model.Infeasible):
        return None
    own = [c for c in plan.ranked if c.is_tier1 and c.machine_type == instance.machine_type]
    known = [c for c in plan.ranked if c.usd_per_month is not None]
    if not own:
        return None
    if own[0].usd_per_month is None:
        reason = f"the Tier_1 fee is unknown: {own[0].note}"
        return model.Gap(resource=instance.ref, reason=reason)
    # A machine that stays in its series keeps what commitments cover of it.
    costs = sorted(
        (_Cost(bill_usd(ledger, instance, c), c) for c in known), key=lambda cost: cost.usd
    )
    here = _Cost(bill_usd(ledger, instance, own[0]), own[0])
    other = [cost for cost in costs if not cost.candidate.is_tier1][:1]
    if other and here.usd >= other[0].usd:
        return None
    rivals = (*other, *(cost for cost in costs[:1] if cost.usd < here.usd))
    compared = model.worded(*(model.worded("; ", _compared(rival, here)) for rival in rivals))
    return Tier1Choice(own[0], compared)


def _compared(rival: _Cost, own: _Cost) -> model.Text:
    """Return what another machine costs against Tier_1 on this one."""
    more = rival.usd - own.usd
    if more < 0:
        return model.worded(f"{machines(rival.candidate)} would cost ", money(-more), "/month less")
    return model.worded(
        f"{machines(rival.candidate)} without it costs ", money(more), "/month more"
    )
