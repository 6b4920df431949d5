"""Clusters whose packets pass a process in user space."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import rule_of
from netplan_rules.kubernetes._cluster import cluster_networks, object_of
from netplan_rules.kubernetes._interfaces import USER_SPACE, overlay_hit
from netplan_rules.work import NETWORK_PLUGIN

RULE = rule_of(
    __name__, severity=Severity.HIGH, needs=frozenset({Need.CLUSTER_NETWORKS}), work=NETWORK_PLUGIN
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
                text="Set Backend.Type in net-conf.json of the config map kube-flannel-cfg: host-gw"
                " if all nodes share a subnet, otherwise vxlan. Then restart the DaemonSet.",
            )
