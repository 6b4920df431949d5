"""Busy machines of the first generation, or held on an old CPU platform."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.machines.groups import is_managed
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Threshold, rule_of
from netplan_rules.capacity._resize import OF_A_GROUP, doubts_of_caps, type_evidence
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import gbps, gcloud_instance, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

_LEGACY = "n1"

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    work=MACHINE_TYPE,
    thresholds=(
        Threshold(
            name="min_gbps",
            default=2.0,
            unit="Gbit/s",
            about="minimum egress or ingress at the 95th percentile",
        ),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each busy machine of the series."""
    floor = facts.threshold(RULE.id, "min_gbps")
    for rates in facts.machine_rates:
        instance = facts.inventory.instance_by_link[rates.link]
        busiest = max(rates.egress.p95_gbps, rates.ingress.p95_gbps)
        is_free = instance.gpu_count == 0 and instance.label(model.PIN_LABEL) is None
        is_free = is_free and not instance.unknown_parts
        # f1-micro and g1-small count as the series, and have a rule of their own.
        if (
            busiest >= floor
            and is_free
            and instance.series == _LEGACY
            and not _is_shared(facts, instance)
        ):
            yield _hit(facts, instance, rates, busiest)


def _is_shared(facts: model.Facts, instance: model.Instance) -> bool:
    shape = facts.shape(instance.machine_type)
    return shape is not None and shape.is_shared_core


def _later(
    facts: model.Facts, instance: model.Instance, cap: model.EgressCap | None
) -> model.EgressCap | None:
    """Return the variant of the same type on a later platform that may send more, if there is."""
    if cap is None:
        return None
    variants = facts.caps.variants(instance.machine_type)
    better = [
        one
        for one in variants
        if one.min_cpu_platform
        and one.is_tier1 == cap.is_tier1
        and one.egress_gbps > cap.egress_gbps
    ]
    return max(better, key=lambda one: one.egress_gbps, default=None)


def _hit(
    facts: model.Facts, instance: model.Instance, rates: model.MachineRates, busiest: float
) -> model.Hit:
    cap = instance_cap(instance, facts.caps)
    later = _later(facts, instance, cap)
    doubts = doubts_of_caps(facts, doubts_of_rates(facts, instance, rates), cap, None)
    platform = instance.cpu_platform or instance.min_cpu_platform or "an unknown platform"
    said = f" of {gbps(cap.egress_gbps)}" if cap is not None else ""
    raised = (
        f"; on {later.min_cpu_platform} the same type can send {gbps(later.egress_gbps)}"
        if later is not None
        else ""
    )
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{instance.name} carries {gbps(busiest)}{said} at the 95th percentile on"
        f" {instance.machine_type} ({platform}), a first-generation type{raised}",
        cause="platform" if later is not None else "",
        evidence=(
            rate_evidence("p95", busiest, rates.source),
            *((rate_evidence("cap", cap.egress_gbps, cap.source),) if cap is not None else ()),
            model.Evidence(name="cpu_platform", value=platform, source="inventory"),
            type_evidence(instance),
        ),
        fix=_fix(facts, instance, later),
        doubts=doubts.reasons,
    )


def _fix(facts: model.Facts, instance: model.Instance, later: model.EgressCap | None) -> model.Fix:
    text = (
        f"Move to a later series at the next change. `netplan recommend --vm {instance.name}`"
        " compares types by bandwidth and price."
    )
    verify = model.Instruction(
        text="It runs on its new platform and passes its health check under load.",
        commands=(gcloud_instance("describe", instance, "--format=value(cpuPlatform,status)"),),
    )
    if later is None:
        return RULE.fix(
            label="a later series",
            text=text,
            verify=verify,
            undo="Change the VM back to its old type, with one more stop.",
            caution=OF_A_GROUP if is_managed(facts, instance) else "",
        )
    raise_it = f"--min-cpu-platform={later.min_cpu_platform}"
    lower_it = f"--min-cpu-platform={instance.min_cpu_platform or ''}"
    stop, start = gcloud_instance("stop", instance), gcloud_instance("start", instance)
    is_own = not is_managed(facts, instance)
    return RULE.fix(
        label=later.min_cpu_platform,
        text=f"Set the minimum CPU platform to {later.min_cpu_platform}. Alternatively:"
        f" {text[0].lower()}{text[1:]}",
        commands=(stop, gcloud_instance("update", instance, raise_it), start) if is_own else (),
        verify=verify,
        undo=model.Instruction(
            text="Set the old CPU platform again, with one more stop.",
            commands=(stop, gcloud_instance("update", instance, lower_it), start) if is_own else (),
        ),
        caution="Stops the VM for the change. Check first that the zone has the platform."
        if is_own
        else OF_A_GROUP,
    )
