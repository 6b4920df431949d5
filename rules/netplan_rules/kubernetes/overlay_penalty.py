"""Clusters that encapsulate packets between nodes where the network could route them."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import Rule
from netplan_rules.kubernetes._cluster import cluster_networks, object_of
from netplan_rules.kubernetes._interfaces import CIPHERS, USER_SPACE, overlay_hit
from netplan_rules.work import NETWORK_PLUGIN

RULE = Rule(
    id="overlay-penalty",
    title="Pods' packets are encapsulated between nodes",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.CLUSTER_NETWORKS}),
    rationale="Each packet carries a second header and passes the network stack twice: the headers"
    " take 1 to 4 % of the link at an MTU of 1460, and small packets and single connections lose"
    " more on one core. A VPC routes addresses of pods itself, with alias IP ranges; elsewhere a"
    " switch or routes in one subnet do.",
    remediation="Use a VPC-native cluster, or the plugin's routing without encapsulation.",
    guards="Silent where packets inside a subnet go as they are, where the tunnel is there to"
    " encrypt, and for the UDP backend of flannel, which is flannel-udp. A cluster whose plugin is"
    " known and whose encapsulation is not is listed as not judged.",
    references=(
        "https://docs.cloud.google.com/kubernetes-engine/docs/concepts/alias-ips",
        "https://kubernetes.io/docs/concepts/cluster-administration/networking/",
    ),
    work=NETWORK_PLUGIN,
    group_message="{count} clusters put pods' packets into others",
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
                yield Gap(resource=ref, reason="whether its plugin encapsulates is not stated")
        elif network.has_overlay and not {kind.value, cipher} & {*CIPHERS, USER_SPACE}:
            yield overlay_hit(
                facts,
                RULE,
                cluster,
                label="routing without encapsulation",
                becomes="none",
                text="Let the network route addresses of pods: on GKE a VPC-native cluster,"
                " with another plugin its routing mode without encapsulation (host-gw, native,"
                " none) where the nodes share a subnet or the VPC has routes to their ranges of"
                " pods.",
            )
