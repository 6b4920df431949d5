"""Clusters that encapsulate packets between nodes where the network could route them."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import rule_of
from netplan_rules.kubernetes._cluster import cluster_networks, object_of
from netplan_rules.kubernetes._interfaces import CIPHERS, USER_SPACE, overlay_hit
from netplan_rules.work import NETWORK_PLUGIN

RULE = rule_of(
    __name__,
    severity=Severity.MEDIUM,
    needs=frozenset({Need.CLUSTER_NETWORKS}),
    work=NETWORK_PLUGIN,
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each cluster with an overlay that is not there to encrypt."""
    for cluster in cluster_networks(facts):
        network = cluster.network
        kind = network.encapsulation
        cipher = network.encryption.value if network.encryption is not None else ""
        if kind is None:
            for ref in object_of(cluster):
                yield Gap(resource=ref, reason="its encapsulation is not stated")
        elif network.has_overlay and not {kind.value, cipher} & {*CIPHERS, USER_SPACE}:
            yield overlay_hit(
                facts,
                RULE,
                cluster,
                label="routing without encapsulation",
                becomes="none",
                text="Let the network route pod addresses. On GKE, use a VPC-native cluster. With"
                " another plugin, use its routing mode without encapsulation (host-gw, native,"
                " none), if the nodes share a subnet or the VPC has routes to their pod ranges.",
            )
