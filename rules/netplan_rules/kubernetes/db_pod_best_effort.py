"""Database pods whose processors are not their own."""

from collections.abc import Iterator, Sequence

from netplan_planner.clusters.databases import DatabaseSign, database_of
from netplan_planner.model import Evidence, Facts, Hit, Instruction, Need, Severity
from netplan_planner.model.project.kubernetes import Pod, QosClass
from netplan_planner.units import counted
from netplan_rules.base import rule_of
from netplan_rules.kubernetes._cluster import kubectl
from netplan_rules.shared.trust import Doubts
from netplan_rules.work import POD_TEMPLATE

RULE = rule_of(__name__, severity=Severity.MEDIUM, needs=frozenset({Need.PODS}), work=POD_TEMPLATE)


@RULE
def check(facts: Facts) -> Iterator[Hit]:
    """Yield each workload that runs a database in pods that are not Guaranteed."""
    kubernetes = facts.inventory.kubernetes
    if kubernetes is None:
        return
    for _, pods in sorted(kubernetes.pods_by_workload.items()):
        found = [(pod, sign) for pod in pods if (sign := database_of(pod)) is not None]
        weak = [(pod, sign) for pod, sign in found if pod.qos_class is not QosClass.GUARANTEED]
        if weak:
            yield _hit([pod for pod, _ in weak], weak[0][1])


def _hit(pods: Sequence[Pod], sign: DatabaseSign) -> Hit:
    first = pods[0]
    classes = sorted({pod.qos_class for pod in pods}, key=list(QosClass).index)
    is_best_effort = QosClass.BEST_EFFORT in classes
    doubts = Doubts()
    if not sign.is_by_image:
        doubts.add(f"it is identified as a database by {sign.reason}")
    named = f"{counted(len(pods), 'pod')} of {first.full_workload}"
    return Hit(
        resources=tuple(pod.ref for pod in pods),
        subject=f"{first.full_workload} ({sign.database})",
        message=f"{named} run {sign.database} as {' and '.join(classes)}, not"
        f" {QosClass.GUARANTEED}",
        cause="" if is_best_effort else "burstable",
        evidence=(
            Evidence(name="pods", value=len(pods), unit="pods", source=first.ref.source or ""),
            Evidence(name="database", value=sign.database, source=sign.reason),
            Evidence(name="quality", value=", ".join(classes), source="status.qosClass"),
        ),
        fix=RULE.fix(
            label="equal requests and limits",
            text=f"Give every container of {first.full_workload} CPU and memory requests equal to"
            " its limits, at its peak use. The kubelet's static CPU policy can then pin whole"
            " CPUs.",
            verify=Instruction(
                text="Its pods show the QoS class Guaranteed.",
                commands=(
                    kubectl(
                        first.namespace,
                        "get",
                        "pod",
                        first.name,
                        "--output=jsonpath={.status.qosClass}",
                    ),
                ),
            ),
            undo="Remove the requests and limits. The pods restart.",
            caution="The pods restart, one after another in a StatefulSet. Each node needs that"
            " much free allocatable capacity. If an operator manages the workload, set"
            " them in its resource.",
        ),
        doubts=doubts.reasons,
        severity=None if is_best_effort else Severity.LOW,
    )
