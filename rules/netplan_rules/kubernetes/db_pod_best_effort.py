"""Database pods whose processors are not their own."""

from collections.abc import Iterator, Sequence

from netplan_planner.clusters.databases import DatabaseSign, database_of
from netplan_planner.model import Evidence, Facts, Hit, Instruction, Need, Severity
from netplan_planner.model.project.kubernetes import Pod, QosClass
from netplan_planner.units import counted
from netplan_rules.base import Rule
from netplan_rules.kubernetes._cluster import kubectl
from netplan_rules.shared.trust import Doubts
from netplan_rules.work import POD_TEMPLATE

RULE = Rule(
    id="db-pod-best-effort",
    title="A database's pods have no processors of their own",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.PODS}),
    rationale="A pod whose containers do not all request what their limits are is not Guaranteed:"
    " it gets the processor time that others leave, its latency varies, and it is evicted before"
    " pods that are. A database whose members commit together is as slow as the slowest of them.",
    remediation="Give every container of the pods equal requests and limits of processor and"
    " memory.",
    guards="Silent for pods that are Guaranteed, that have ended, and that do not look like a"
    " database by the image of a container or, in a StatefulSet, by its port. A port is a hint"
    " only: the confidence is lower. Pods that request something are less at risk, and low.",
    references=(
        "https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/",
        "https://kubernetes.io/docs/tasks/configure-pod-container/quality-service-pod/",
    ),
    work=POD_TEMPLATE,
    group_message="pods of {count} databases are not Guaranteed: their processor time is what"
    " others leave",
)


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
        doubts.add(f"that it is a database follows from {sign.reason}")
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
            text=f"Give every container of {first.full_workload} requests of processor and memory"
            " that equal its limits, at what it uses at its peak; whole processors can then be"
            " pinned by the kubelet's static CPU policy.",
            verify=Instruction(
                text="Its pods state the class Guaranteed.",
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
            undo="Take the requests and limits out again; the pods restart.",
            caution="The pods restart, one after another in a StatefulSet; each node needs that"
            " much free, and less of it than it has can be requested. Where an operator makes the"
            " workload, set them in its own resource.",
        ),
        doubts=doubts.reasons,
        severity=None if is_best_effort else Severity.LOW,
    )
