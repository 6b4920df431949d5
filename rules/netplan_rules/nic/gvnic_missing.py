"""Machines with a VirtIO interface where gVNIC would carry the load better."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Threshold, rule_of
from netplan_rules.shared.trust import doubts_of_rates, minutes_per_day
from netplan_rules.wording import gbps, gcloud_instance, keep_the_old, vm_subject
from netplan_rules.work import NEW_MACHINE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES}),
    work=NEW_MACHINE,
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
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each busy machine whose interface is VirtIO although it could be gVNIC."""
    floor = facts.threshold(RULE.id, "min_gbps")
    for rates in facts.machine_rates:
        busiest = max(rates.egress.p95_gbps, rates.ingress.p95_gbps)
        if busiest < floor:
            continue
        instance = facts.inventory.instance_by_link[rates.link]
        cap = instance_cap(instance, facts.caps, tier1=False)
        if cap is None or not cap.may_use("GVNIC"):
            continue
        yield from _judge(facts, instance, rates, cap, busiest)


def _judge(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    cap: model.EgressCap,
    busiest: float,
) -> Iterator[model.Hit | model.Gap]:
    kinds = {nic.nic_type for nic in instance.interfaces}
    if "VIRTIO_NET" in kinds and "GVNIC" in instance.guest_os_features:
        doubts = doubts_of_rates(facts, instance, rates)
        yield model.Hit(
            resources=(instance.ref,),
            subject=vm_subject(instance),
            message=f"{instance.name} carries {gbps(busiest)} at the 95th percentile over VirtIO;"
            " its image has the gVNIC driver",
            evidence=(
                model.Evidence(name="p95", value=busiest, unit="Gbit/s", source=rates.source),
                model.Evidence(
                    name="machine_type", value=instance.machine_type, source="inventory"
                ),
                model.Evidence(name="nic_type", value="VIRTIO_NET", source="inventory"),
            ),
            used_ratio=rates.egress.p95_gbps / cap.egress_gbps,
            limit_minutes_per_day=minutes_per_day(facts, rates.egress, cap.egress_gbps, rates),
            fix=RULE.fix(
                label="gVNIC",
                verify=model.Instruction(
                    text="The interface is GVNIC.",
                    commands=(
                        gcloud_instance(
                            "describe", instance, "--format=value(networkInterfaces[].nicType)"
                        ),
                    ),
                ),
                undo=keep_the_old("the VM with VirtIO"),
                text="Recreate the VM with a gVNIC interface (nic-type=GVNIC).",
                caution="The interface type is set when a VM is created.",
            ),
            doubts=doubts.reasons,
        )
    elif None in kinds and cap.may_use("VIRTIO_NET"):
        yield model.Gap(
            resource=instance.ref,
            reason="the input does not state its interface type, and the series allows both",
        )
