"""GKE clusters and their node pools, as the Kubernetes Engine API states them.

A field that the input did not state is None: the API leaves out what is off or at its default, and
which default that is changes with the version, so that it is not filled in here.
"""

from netplan_planner.model.base import ProjectId, ResourceRef, SelfLink, Value, Zone
from netplan_planner.model.project.resources import BandwidthTier


class GkeResource(Value, frozen=True, kw_only=True):
    """What a cluster of GKE and its node pools have in common."""

    ref: ResourceRef
    project: ProjectId
    name: str
    zones: tuple[Zone, ...] = ()
    """Where its nodes are."""
    status: str | None = None
    version: str | None = None
    """Of the control plane."""
    pod_range: str | None = None


class Cluster(GkeResource, frozen=True, kw_only=True):
    """A GKE cluster. Its link names the location: `projects/p/locations/l/clusters/c`."""

    location: str
    """A zone or a region."""
    network: SelfLink | None = None
    subnetwork: SelfLink | None = None
    release_channel: str | None = None
    """`RAPID`, `REGULAR`, `STABLE` or `EXTENDED`."""
    node_count: int | None = None
    is_autopilot: bool | None = None
    service_range: str | None = None
    is_vpc_native: bool | None = None
    """Pods have alias IP addresses (`useIpAliases`); False: the cluster has routes instead."""
    stack_type: str | None = None
    datapath_provider: str | None = None
    """`ADVANCED_DATAPATH` is GKE Dataplane V2, `LEGACY_DATAPATH` is kube-proxy."""
    has_network_policy: bool | None = None
    """Calico enforces network policies beside kube-proxy."""
    has_intra_node_visibility: bool | None = None
    """Traffic of pods on one node shows in flow logs."""
    has_multi_networking: bool | None = None
    has_node_local_dns: bool | None = None
    in_transit_encryption: str | None = None
    """`IN_TRANSIT_ENCRYPTION_INTER_NODE_TRANSPARENT` is WireGuard between nodes."""


class NodePool(GkeResource, frozen=True, kw_only=True):
    """A node pool of a GKE cluster; each node is a VM of one of its managed instance groups."""

    cluster: SelfLink
    machine_type: str | None = None
    image_type: str | None = None
    is_spot: bool | None = False
    """Spot or preemptible; None: known after a plan is applied."""
    bandwidth_tier: BandwidthTier | None = BandwidthTier.DEFAULT
    """None: known after a plan is applied."""
    has_gvnic: bool | None = None
    has_fast_socket: bool | None = None
    is_compact: bool | None = None
    """Its nodes have a compact placement."""
    instance_groups: tuple[SelfLink, ...] = ()
    """The managers of its nodes."""
    initial_node_count: int | None = None
    """In each zone, when the pool was made."""
    min_node_count: int | None = None
    """In each zone, as its autoscaler keeps it."""
    max_node_count: int | None = None
    total_min_node_count: int | None = None
    """In all zones together, where its autoscaler is told so."""
    total_max_node_count: int | None = None
    max_pods_per_node: int | None = None
    additional_networks: tuple[SelfLink, ...] = ()
    """Networks of further interfaces of its nodes (multi-networking)."""
    labels: tuple[tuple[str, str], ...] = ()
    """Kubernetes labels of its nodes, sorted by key."""
