"""Which network a cluster has: plugin, dataplane, encapsulation, encryption, MTU, interface.

Each is a `Setting` with its place; what nothing states is None. A default counts only where the
thing was read that would state something else.
"""

from collections.abc import Callable

from netplan_planner.clusters.plugins import PLUGINS, kube_proxy
from netplan_planner.clusters.settings import Objects, PluginSettings, Setting, named
from netplan_planner.model import SelfLink, taken
from netplan_planner.model.project.gke import Cluster
from netplan_planner.model.project.kubernetes import Kubernetes, Node

ADVANCED, LEGACY = "ADVANCED_DATAPATH", "LEGACY_DATAPATH"
DATAPLANE_V2, DATAPLANE_V1 = "GKE Dataplane V2", "kube-proxy"
INHERITED = "MTU of the node's interface"
_TRANSPARENT = "IN_TRANSIT_ENCRYPTION_INTER_NODE_TRANSPARENT"

_OVERLAY_ADDRESSES = (
    "flannel.alpha.coreos.com/public-ip-overwrite",
    "flannel.alpha.coreos.com/public-ip",
    "projectcalico.org/IPv4Address",
    "node.antrea.io/transport-addresses",
)
"""Annotations of nodes with the address by which other nodes reach their pods: flannel's
Documentation/kubernetes.md, docs.tigera.io reference/resources/node, antrea.io
docs/design/architecture; read 2026-11-23."""


class ClusterNetwork(PluginSettings, frozen=True, kw_only=True):
    """The network of one cluster."""

    name: str
    """Of the GKE cluster; `cluster` for objects whose cluster has no name."""
    link: SelfLink | None = None
    """The GKE cluster."""
    plugin: Setting | None = None
    """By its name in `netplan predict --plugin`: `calico`, `cilium`, `flannel`, `gke`, …"""
    inherits_mtu: Setting | None = None
    """What says that pods have the MTU of their node's interface, less encryption's headers."""
    secondary: tuple[Setting, ...] = ()
    """Multus and SR-IOV: what gives pods further interfaces."""
    others: tuple[Setting, ...] = ()
    """Further network plugins that were found: one of them may be left over."""

    @property
    def mtu_bytes(self) -> int | None:
        """MTU of pods in bytes, None where it is not stated."""
        return int(self.mtu.value) if self.mtu is not None else None

    @property
    def has_overlay(self) -> bool | None:
        """Whether packets between nodes of a subnet are encapsulated, None where not known."""
        if self.encapsulation is None:
            return None
        return self.encapsulation.value != "none" and not self.is_cross_subnet_only


def networks_of(kubernetes: Kubernetes) -> tuple[ClusterNetwork, ...]:
    """Return the network of each GKE cluster, and of the cluster whose objects were read.

    The two are one where the objects are of the only GKE cluster that can be theirs.
    """
    own = _of_objects(kubernetes)
    cluster = cluster_of(kubernetes)
    stated = [_of_cluster(one) for one in kubernetes.clusters or () if one is not cluster]
    if cluster is None:
        return (*([own] if own is not None else []), *stated)
    return (_joined(own, _of_cluster(cluster)), *stated)


def cluster_of(kubernetes: Kubernetes) -> Cluster | None:
    """Return the GKE cluster whose nodes were read: the only one with their project and pools."""
    pooled = [node for node in kubernetes.nodes or () if node.node_pool is not None]
    projects = {node.instance.split("/")[1] for node in pooled if node.instance is not None}
    wanted = {node.node_pool for node in pooled}
    found = []
    for cluster in kubernetes.clusters or ():
        pools = {
            pool.name
            for pool in kubernetes.node_pools or ()
            if pool.cluster == cluster.ref.self_link
        }
        if cluster.project in projects and wanted <= pools:
            found.append(cluster)
    named_so = [
        cluster
        for cluster in found
        if all(node.name.startswith(f"gke-{cluster.name[:10]}") for node in pooled)
    ]
    if len(found) != 1:
        found = named_so
    return found[0] if len(found) == 1 else None


def overlay_address(node: Node) -> Setting | None:
    """Return the address by which a node's overlay is reached, as its plugin noted it.

    Without a prefix length. The interface of the VM that has it is the one that pods' packets take.
    """
    stated = dict(node.annotations)
    for key in _OVERLAY_ADDRESSES:
        address = stated.get(key, "").partition(",")[0].partition("/")[0].strip()
        if address:
            return Setting(value=address, source=f"{node.ref.source}: annotation {key}")
    return None


def _of_objects(kubernetes: Kubernetes) -> ClusterNetwork | None:
    """Return what the objects of a cluster say, None where none that could were read."""
    plugins_of = (kubernetes.workloads, kubernetes.config_maps, kubernetes.plugin_objects)
    if all(read is None for read in plugins_of) and not kubernetes.nodes:
        return None
    objects, nodes = Objects(kubernetes), kubernetes.nodes or ()
    found = [made for plugin in PLUGINS if (made := plugin(objects, nodes)) is not None]
    main = found[0] if found else None
    secondary = tuple(
        named(workload, name)
        for prefix, name in (("kube-multus", "multus"), ("multus", "multus"), ("sriov", "sr-iov"))
        if (workload := objects.workload(prefix)) is not None
    )
    proxy = kube_proxy(objects)
    if main is None:
        return ClusterNetwork(name="cluster", kube_proxy_mode=proxy, secondary=secondary)
    return taken(
        ClusterNetwork,
        main,
        name="cluster",
        inherits_mtu=Setting(value=INHERITED, source=main.dataplane.source)
        if main.dataplane is not None and main.dataplane.value == DATAPLANE_V2
        else None,
        kube_proxy_mode=main.kube_proxy_mode or proxy,
        secondary=secondary,
        others=tuple(one.plugin for one in found[1:]),
    )


def _of_cluster(cluster: Cluster) -> ClusterNetwork:
    """Return what the Kubernetes Engine API says: pods have addresses of the VPC, or routes."""
    place = cluster.ref.source

    def said(value: str, field: str) -> Setting:
        return Setting(value=value, source=f"{place}: {field}")

    provider, encryption = cluster.datapath_provider, cluster.in_transit_encryption
    is_v2 = provider == ADVANCED
    field = "networkConfig.datapathProvider"
    dataplane = {ADVANCED: DATAPLANE_V2, LEGACY: DATAPLANE_V1}.get(provider or "")
    return ClusterNetwork(
        name=cluster.name,
        link=cluster.ref.self_link,
        plugin=said("gke", "a GKE cluster"),
        dataplane=said(dataplane, field) if dataplane else None,
        encapsulation=said("none", "a GKE cluster: Pod addresses are routed in the VPC"),
        encryption=(
            said("wireguard" if encryption == _TRANSPARENT else "none", "networkConfig")
            if encryption
            else None
        ),
        inherits_mtu=_inherited(cluster, said),
        kube_proxy_mode=said("none", field) if is_v2 else None,
    )


def _inherited(cluster: Cluster, said: Callable[[str, str], Setting]) -> Setting | None:
    """Return what of a GKE cluster says that pods take the MTU of their node's interface.

    netd writes the MTU of the node's default interface, or of its WireGuard interface, into the
    settings of pods (github.com/GoogleCloudPlatform/netd, scripts/install-cni.sh). Dataplane V2 is
    set up by it, and intranode visibility deploys it (docs.cloud.google.com/kubernetes-engine/docs/
    how-to/intranode-visibility); both read 2026-11-23. Of other clusters no setting says who does.
    """
    if cluster.datapath_provider == ADVANCED:
        return said(INHERITED, "networkConfig.datapathProvider")
    if cluster.has_intra_node_visibility:
        return said(INHERITED, "networkConfig.enableIntraNodeVisibility")
    return None


def _joined(own: ClusterNetwork | None, stated: ClusterNetwork) -> ClusterNetwork:
    """Return what objects and API say of one cluster; the objects come first."""
    if own is None:
        return stated
    if own.plugin is not None and own.plugin.value != "gke":
        # Another plugin was installed on GKE: what the API says is not what pods use.
        return ClusterNetwork(
            **{field: getattr(own, field) for field in own.__struct_fields__}
            | {"name": stated.name, "link": stated.link}
        )
    fields = {
        field: getattr(own, field) if getattr(own, field) else getattr(stated, field)
        for field in own.__struct_fields__
    }
    return ClusterNetwork(**fields | {"name": stated.name, "link": stated.link})
