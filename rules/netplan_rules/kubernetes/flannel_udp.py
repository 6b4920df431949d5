"""Clusters whose packets pass a process in user space."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import Rule
from netplan_rules.kubernetes._cluster import cluster_networks, object_of
from netplan_rules.kubernetes._interfaces import USER_SPACE, overlay_hit
from netplan_rules.work import NETWORK_PLUGIN

RULE = Rule(
    id="flannel-udp",
    title="Pods' packets pass a process: flannel's UDP backend",
    severity=Severity.HIGH,
    needs=frozenset({Need.CLUSTER_NETWORKS}),
    rationale="With the UDP backend every packet is read by one process and sent again as a"
    " datagram, two system calls each: one core bounds all pods of a node together. It is there for"
    " debugging, and for kernels without VXLAN.",
    remediation="Use VXLAN, or host-gw where the nodes share a subnet.",
    guards="Silent for every backend that the kernel does. Where flannel is found and its backend"
    " is not stated, the cluster is listed as not judged.",
    references=("https://kubernetes.io/docs/concepts/cluster-administration/networking/",),
    work=NETWORK_PLUGIN,
    group_message="{count} clusters send pods' packets through a process",
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each cluster whose encapsulation is done by a process."""
    for cluster in cluster_networks(facts):
        kind = cluster.network.encapsulation
        is_flannel = cluster.plugin in {"flannel", "canal"}
        if kind is None and is_flannel:
            for ref in object_of(cluster):
                yield Gap(resource=ref, reason="its backend is not stated")
        elif kind is not None and kind.value == USER_SPACE:
            yield overlay_hit(
                facts,
                RULE,
                cluster,
                label="VXLAN or host-gw",
                becomes="vxlan",
                text="Set Backend.Type in net-conf.json of the config map kube-flannel-cfg to"
                " host-gw where all nodes share a subnet, else to vxlan, and restart the"
                " DaemonSet.",
            )
