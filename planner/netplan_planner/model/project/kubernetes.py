"""Kubernetes objects, as `kubectl get … --output=json` shows them: what concerns networking.

Names are Kubernetes' own. Labels, annotations and variables are kept where they say something of
the network; values of environment variables of other pods, and data of other config maps, are never
kept. `ResourceRef.self_link` is the path in the Kubernetes API without its leading slash:
`api/v1/namespaces/default/pods/web-0`.

The objects of one cluster make one `Kubernetes`: nothing in an object names its cluster.
"""

from enum import StrEnum
from functools import cached_property

from netplan_planner.model.base import Region, ResourceRef, SelfLink, Value, Zone
from netplan_planner.model.project.gke import Cluster, NodePool

COMPUTE_ENGINE = "gce"
"""What the provider ID of a node on Compute Engine begins with."""

Labels = tuple[tuple[str, str], ...]
"""Sorted by key."""


class QosClass(StrEnum):
    """Quality of service class of a pod, in the order in which nodes evict last to first."""

    GUARANTEED = "Guaranteed"
    BURSTABLE = "Burstable"
    BEST_EFFORT = "BestEffort"


class Node(Value, frozen=True, kw_only=True, gc=False):
    """A node. Which VM it is: `Inventory.instance_by_node`."""

    ref: ResourceRef
    name: str
    provider_id: str | None = None
    cloud: str | None = None
    """The scheme of the provider ID: `gce`, `aws`, …; None where no ID is stated."""
    instance: SelfLink | None = None
    """The VM that the provider ID names (`gce://project/zone/name`), read or not."""
    zone: Zone | None = None
    region: Region | None = None
    machine_type: str | None = None
    node_pool: str | None = None
    """Of GKE, by the label `cloud.google.com/gke-nodepool`."""
    internal_ips: tuple[str, ...] = ()
    external_ips: tuple[str, ...] = ()
    hostname: str | None = None
    pod_ranges: tuple[str, ...] = ()
    """`spec.podCIDRs`; plugins with address pools of their own do not use them."""
    cpu_count: float | None = None
    kernel_version: str | None = None
    os_image: str | None = None
    kubelet_version: str | None = None
    is_ready: bool | None = None
    is_schedulable: bool = True
    annotations: Labels = ()
    """Those of network plugins."""


class Pod(Value, frozen=True, kw_only=True, gc=False):
    """A pod."""

    ref: ResourceRef
    namespace: str
    name: str
    node: str | None = None
    """Name of its node; None until it is scheduled."""
    phase: str | None = None
    """`Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`."""
    pod_ips: tuple[str, ...] = ()
    is_host_network: bool = False
    """It has its node's addresses: no plugin and no overlay is on its path."""
    qos_class: QosClass = QosClass.BEST_EFFORT
    """As stated, else as Kubernetes computes it of requests and limits."""
    requested_cpu_count: float | None = None
    """Of all containers; None where none requests any."""
    cpu_limit_count: float | None = None
    """Of all containers; None where one has no limit."""
    workload_kind: str | None = None
    """`Deployment`, `StatefulSet`, `DaemonSet`, `Job`, …; None for a pod that nothing owns."""
    workload: str | None = None
    """Its name; of a ReplicaSet the Deployment behind it, by the hash at the end of its name."""
    images: tuple[str, ...] = ()
    """Of its containers, in their order; init containers are left out."""
    ports: tuple[int, ...] = ()
    """`containerPort` of its containers, in their order."""
    labels: Labels = ()
    networks: str | None = None
    """Further networks (annotation `k8s.v1.cni.cncf.io/networks` of Multus), as written."""
    bandwidth: Labels = ()
    """Annotations `kubernetes.io/ingress-bandwidth` and `…/egress-bandwidth`."""

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"

    @property
    def full_workload(self) -> str:
        """`namespace/name` of the workload, of the pod itself where nothing owns it."""
        return f"{self.namespace}/{self.workload or self.name}"

    @property
    def is_running(self) -> bool:
        """Whether it can send: neither finished nor without a node; an unstated phase counts."""
        return self.node is not None and self.phase in {None, "Running", "Unknown", "Pending"}


class ServicePort(Value, frozen=True, kw_only=True, gc=False):
    """A port of a Service."""

    port: int
    protocol: str = "TCP"
    name: str | None = None
    target_port: str | None = None
    """A number or the name of a container's port."""
    node_port: int | None = None


class Service(Value, frozen=True, kw_only=True):
    """A Service; fields about topology are None where they are not stated."""

    ref: ResourceRef
    namespace: str
    name: str
    type: str = "ClusterIP"
    cluster_ips: tuple[str, ...] = ()
    """Empty for a headless Service: clients choose the pod themselves."""
    is_headless: bool = False
    external_ips: tuple[str, ...] = ()
    load_balancer_ips: tuple[str, ...] = ()
    ports: tuple[ServicePort, ...] = ()
    selector: Labels = ()
    traffic_distribution: str | None = None
    """`PreferClose`, `PreferSameZone` or `PreferSameNode`."""
    topology_mode: str | None = None
    """Annotation `service.kubernetes.io/topology-mode`, or `…/topology-aware-hints` of before."""
    internal_traffic_policy: str | None = None
    external_traffic_policy: str | None = None
    session_affinity: str | None = None
    annotations: Labels = ()
    """Those of load balancers and of plugins."""

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"

    @property
    def prefers_near(self) -> bool:
        """Whether it asks for near endpoints, by its field or its annotation.

        >>> from netplan_planner.model.base import SelfLink
        >>> ref = ResourceRef(self_link=SelfLink("api/v1/namespaces/d/services/s"))
        >>> Service(ref=ref, namespace="d", name="s", topology_mode="Auto").prefers_near
        True
        """
        by_annotation = (self.topology_mode or "").casefold() == "auto"
        return self.traffic_distribution is not None or by_annotation


class Endpoint(Value, frozen=True, kw_only=True, gc=False):
    """One endpoint of an EndpointSlice."""

    addresses: tuple[str, ...]
    node: str | None = None
    zone: Zone | None = None
    pod: str | None = None
    """`namespace/name` of the pod behind it."""
    is_ready: bool = True
    """An unstated condition counts as ready, as Kubernetes has it."""
    hint_zones: tuple[Zone, ...] = ()
    """Zones whose clients should use it; empty where the controller gives no hint."""


class EndpointSlice(Value, frozen=True, kw_only=True):
    """Endpoints of a Service; a Service can have several slices."""

    ref: ResourceRef
    namespace: str
    name: str
    service: str | None
    """Name of the Service in the same namespace (label `kubernetes.io/service-name`)."""
    address_type: str = "IPv4"
    endpoints: tuple[Endpoint, ...] = ()
    ports: tuple[int, ...] = ()


class Workload(Value, frozen=True, kw_only=True):
    """A DaemonSet, Deployment or StatefulSet: what it runs, and the settings of plugins."""

    ref: ResourceRef
    kind: str
    namespace: str
    name: str
    replicas: int | None = None
    """Wanted; of a DaemonSet the nodes that should run it."""
    ready_replicas: int | None = None
    images: tuple[str, ...] = ()
    is_host_network: bool = False
    variables: Labels = ()
    """Environment variables that set up a network plugin; all others are left out."""
    arguments: tuple[str, ...] = ()
    """Command and arguments of the containers of network plugins and kube-proxy, no others'."""


class ConfigMap(Value, frozen=True, kw_only=True):
    """A config map of a network plugin or of kube-proxy; others are not kept."""

    ref: ResourceRef
    namespace: str
    name: str
    data: Labels = ()


class PluginObject(Value, frozen=True, kw_only=True):
    """Settings that a network plugin keeps as an object of its own, such as Calico's `IPPool`."""

    ref: ResourceRef
    kind: str
    name: str
    data: Labels = ()
    """What it states of how packets travel, by field; addresses are not kept."""


class Namespace(Value, frozen=True, kw_only=True):
    """A namespace."""

    ref: ResourceRef
    name: str
    is_ambient: bool = False
    """Enrolled in GKE's ambient networking, by GKE's own label. Istio's, which costs nothing and
    knows `trafficDistribution`, has another."""


class Kubernetes(Value, frozen=True, kw_only=True, dict=True):
    """What was read of clusters; each list sorted by link, None where its kind was not read.

    An empty tuple says that a list was read and had nothing in it.
    """

    clusters: tuple[Cluster, ...] | None = None
    node_pools: tuple[NodePool, ...] | None = None
    nodes: tuple[Node, ...] | None = None
    pods: tuple[Pod, ...] | None = None
    services: tuple[Service, ...] | None = None
    endpoint_slices: tuple[EndpointSlice, ...] | None = None
    workloads: tuple[Workload, ...] | None = None
    config_maps: tuple[ConfigMap, ...] | None = None
    plugin_objects: tuple[PluginObject, ...] | None = None
    namespaces: tuple[Namespace, ...] | None = None

    @cached_property
    def ambient_namespaces(self) -> frozenset[str]:
        """The names of the namespaces that are enrolled in GKE's ambient networking."""
        return frozenset(one.name for one in self.namespaces or () if one.is_ambient)

    @cached_property
    def cluster_by_link(self) -> dict[SelfLink, Cluster]:
        """Every GKE cluster by its link."""
        return {cluster.ref.self_link: cluster for cluster in self.clusters or ()}

    @cached_property
    def node_by_name(self) -> dict[str, Node]:
        """Every node by its name."""
        return {node.name: node for node in self.nodes or ()}

    @cached_property
    def pod_by_name(self) -> dict[str, Pod]:
        """Every pod by `namespace/name`."""
        return {pod.full_name: pod for pod in self.pods or ()}

    @cached_property
    def pods_by_workload(self) -> dict[str, tuple[Pod, ...]]:
        """The running pods of each workload, by its `namespace/name`."""
        found: dict[str, list[Pod]] = {}
        for pod in self.pods or ():
            if pod.is_running:
                found.setdefault(pod.full_workload, []).append(pod)
        return {name: tuple(pods) for name, pods in found.items()}

    @cached_property
    def pod_by_ip(self) -> dict[str, Pod]:
        """Every running pod by each address of its own; pods on the host network have none."""
        return {
            address: pod
            for pod in reversed(self.pods or ())
            if pod.is_running and not pod.is_host_network
            for address in pod.pod_ips
        }

    @cached_property
    def service_by_name(self) -> dict[str, Service]:
        """Every Service by `namespace/name`."""
        return {service.full_name: service for service in self.services or ()}

    @cached_property
    def endpoints_by_service(self) -> dict[str, tuple[Endpoint, ...]]:
        """The ready endpoints of each Service of which slices were read, by `namespace/name`.

        An address that stands in several slices counts once.
        """
        found: dict[str, dict[tuple[str, ...], Endpoint]] = {}
        for endpoint_slice in self.endpoint_slices or ():
            if endpoint_slice.service:
                name = f"{endpoint_slice.namespace}/{endpoint_slice.service}"
                own = found.setdefault(name, {})
                for endpoint in endpoint_slice.endpoints:
                    if endpoint.is_ready:
                        own.setdefault(endpoint.addresses, endpoint)
        return {name: tuple(own.values()) for name, own in found.items()}

    def zone_of(self, pod: Pod) -> Zone | None:
        """Return the zone of a pod's node, None where either is not known."""
        node = self.node_by_name.get(pod.node) if pod.node else None
        return node.zone if node is not None else None

    def pool_of(self, node: Node) -> NodePool | None:
        """Return the node pool of a GKE node, None where no pool, or several, have its name."""
        pools = [pool for pool in self.node_pools or () if pool.name == node.node_pool]
        if node.instance is not None:
            project = node.instance.split("/")[1]
            pools = [pool for pool in pools if pool.project == project]
        return pools[0] if len(pools) == 1 else None
