"""Interfaces with fewer queues than they would have by default."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import gbps, gcloud_instance, rate_evidence, vm_subject
from netplan_rules.work import MACHINE_TYPE

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
            about="minimum egress or ingress of the VM at the 95th percentile",
        ),
        ratio_limit(
            "flow_ratio",
            0.7,
            "share of the largest pair in one flow, from which queues do not matter",
        ),
    ),
)


class _Queues(model.Value, frozen=True, kw_only=True):
    """How many queues an interface has, and how many it would have."""

    nic: model.NetworkInterface
    count: int
    default: int


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each busy machine one of whose interfaces has fewer queues than the default."""
    floor = facts.threshold(RULE.id, "min_gbps")
    for rates in facts.machine_rates:
        instance = facts.inventory.instance_by_link[rates.link]
        busiest = max(rates.egress.p95_gbps, rates.ingress.p95_gbps)
        limited = [nic for nic in instance.interfaces if nic.queue_count]
        if busiest < floor or not limited or _is_one_flow(facts, rates):
            continue
        shape = facts.shape(instance.machine_type)
        if shape is None:
            yield model.Gap(resource=instance.ref, reason="the size of its machine type is unknown")
            continue
        judged = [_queues(nic, shape.vcpus, len(instance.interfaces)) for nic in limited]
        low = [one for one in judged if one is not None and one.count < one.default]
        if low:
            yield _hit(facts, instance, rates, busiest, low[0])
        elif None in judged:
            reason = "the input does not state its interface type, on which the default depends"
            yield model.Gap(resource=instance.ref, reason=reason)


def _queues(nic: model.NetworkInterface, vcpus: int, nic_count: int) -> _Queues | None:
    """Return the queues of an interface; None where its type is not stated.

    Source: cloud.google.com/compute/docs/network-bandwidth#rx-tx and the text of --queue-count in
    Google Cloud SDK 528.0.0: VirtIO shares the vCPUs among the interfaces, up to 32 queues each;
    gVNIC half of them, up to 16.
    """
    share = vcpus // nic_count
    match nic.nic_type:
        case "VIRTIO_NET":
            default = min(share, 32)
        case "GVNIC":
            default = min(share // 2, 16)
        case _:
            return None
    return _Queues(nic=nic, count=nic.queue_count or 0, default=max(default, 1))


def _is_one_flow(facts: model.Facts, rates: model.MachineRates) -> bool:
    """Return whether one flow carries most of the greatest pair of a machine."""
    if facts.traffic is None or rates.traffic is None:
        return False
    owner = rates.traffic.owner
    edges = (
        *facts.traffic.edges_by_src.get(owner, ()),
        *facts.traffic.edges_by_dst.get(owner, ()),
    )
    greatest = max(edges, key=lambda edge: edge.wire_bytes, default=None)
    if greatest is None or greatest.top_flow is None:
        return False
    return greatest.top_flow.byte_ratio > facts.threshold(RULE.id, "flow_ratio")


def _hit(
    facts: model.Facts,
    instance: model.Instance,
    rates: model.MachineRates,
    busiest: float,
    queues: _Queues,
) -> model.Hit:
    doubts = doubts_of_rates(facts, instance, rates)
    if rates.traffic is None:
        doubts.add("without flow logs, the number of flows that share the queues is unknown")
    return model.Hit(
        resources=(instance.ref,),
        subject=vm_subject(instance),
        message=f"{queues.nic.name} of {instance.name} has {queues.count} queues (default:"
        f" {queues.default}), and the VM carries {gbps(busiest)} at the 95th percentile",
        evidence=(
            rate_evidence("p95", busiest, rates.source),
            model.Evidence(name="queues", value=queues.count, source="inventory"),
            model.Evidence(
                name="default_queues",
                value=queues.default,
                source="cloud.google.com/compute/docs/network-bandwidth#rx-tx",
            ),
        ),
        fix=RULE.fix(
            label=f"{queues.default} queues",
            text="Stop the VM and export its configuration (gcloud compute instances export)."
            f" Remove queueCount of {queues.nic.name} or set it to {queues.default}. Import"
            " the file (gcloud compute instances update-from-file) and start the VM.",
            verify=model.Instruction(
                text="The interface has its queues, and `ethtool -l` on the VM shows them.",
                commands=(
                    gcloud_instance(
                        "describe", instance, "--format=value(networkInterfaces[].queueCount)"
                    ),
                ),
            ),
            undo=f"Set queueCount to {queues.count} again in the same way.",
            caution="Stops the VM for the change. A driver or script on the VM may set its own"
            " queue count.",
        ),
        doubts=doubts.reasons,
    )
