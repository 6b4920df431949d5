"""The fields of Kubernetes objects that netplan reads, as they stand in their JSON.

Unknown fields are skipped. Labels are raw: most pods of a workload have the same, and each text is
decoded once. Field names are Kubernetes'; only the modules of this package know them.
"""

from typing import Annotated, TypeAlias

import msgspec

from netplan_planner.readers.compute.wire import Count, Wire

NOTHING = msgspec.Raw(b"null")
Port: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=65535)]
Quantity: TypeAlias = str | int | float
"""A Kubernetes quantity: `500m`, `1`, `128Mi`; YAML written by hand has numbers."""


class WireOwner(Wire):
    """`OwnerReference`."""

    kind: str | None = None
    name: str | None = None
    controller: bool | None = None


class WireMetadata(Wire):
    """`ObjectMeta`."""

    name: str | None = None
    namespace: str | None = None
    labels: msgspec.Raw = NOTHING
    annotations: msgspec.Raw = NOTHING
    owner_references: list[WireOwner] | None = None


class WireObject(Wire):
    """What every object has."""

    metadata: WireMetadata | None = None


class WireAddress(Wire):
    """`NodeAddress`."""

    type: str | None = None
    address: str | None = None


class WireCondition(Wire):
    """`NodeCondition`."""

    type: str | None = None
    status: str | None = None


class WireNodeSpec(Wire):
    """`NodeSpec`."""

    provider_id: str | None = msgspec.field(name="providerID", default=None)
    pod_range: str | None = msgspec.field(name="podCIDR", default=None)
    pod_ranges: list[str] | None = msgspec.field(name="podCIDRs", default=None)
    unschedulable: bool | None = None


class WireNodeInfo(Wire):
    """`NodeSystemInfo`."""

    kernel_version: str | None = None
    os_image: str | None = None
    kubelet_version: str | None = None


class WireCapacity(Wire):
    """The part of a `ResourceList` that is read."""

    cpu: Quantity | None = None
    memory: Quantity | None = None


class WireNodeStatus(Wire):
    """`NodeStatus`."""

    addresses: list[WireAddress] | None = None
    conditions: list[WireCondition] | None = None
    capacity: WireCapacity | None = None
    node_info: WireNodeInfo | None = None


class WireNode(WireObject):
    """`Node`."""

    spec: WireNodeSpec | None = None
    status: WireNodeStatus | None = None


class WireResources(Wire):
    """`ResourceRequirements`."""

    requests: WireCapacity | None = None
    limits: WireCapacity | None = None


class WireContainerPort(Wire):
    """`ContainerPort`."""

    container_port: Port | None = None


class WireContainer(Wire):
    """`Container` of a pod; its environment is not read."""

    image: str | None = None
    ports: list[WireContainerPort] | None = None
    resources: WireResources | None = None


class WirePodSpec(Wire):
    """`PodSpec`."""

    node_name: str | None = None
    host_network: bool | None = None
    containers: list[WireContainer] | None = None
    init_containers: list[WireContainer] | None = None
    resources: WireResources | None = None
    """Of the pod as a whole (Kubernetes 1.32 and later)."""


class WirePodIp(Wire):
    """`PodIP`."""

    ip: str | None = None


class WirePodStatus(Wire):
    """`PodStatus`."""

    phase: str | None = None
    pod_ip: str | None = msgspec.field(name="podIP", default=None)
    pod_ips: list[WirePodIp] | None = msgspec.field(name="podIPs", default=None)
    qos_class: str | None = None


class WirePod(WireObject):
    """`Pod`."""

    spec: WirePodSpec | None = None
    status: WirePodStatus | None = None


class WireServicePort(Wire):
    """`ServicePort`."""

    port: Port | None = None
    protocol: str | None = None
    name: str | None = None
    target_port: str | int | None = None
    node_port: Port | None = None


class WireServiceSpec(Wire):
    """`ServiceSpec`."""

    type: str | None = None
    cluster_ip: str | None = msgspec.field(name="clusterIP", default=None)
    cluster_ips: list[str] | None = msgspec.field(name="clusterIPs", default=None)
    external_ips: list[str] | None = msgspec.field(name="externalIPs", default=None)
    ports: list[WireServicePort] | None = None
    selector: msgspec.Raw = NOTHING
    traffic_distribution: str | None = None
    internal_traffic_policy: str | None = None
    external_traffic_policy: str | None = None
    session_affinity: str | None = None


class WireIngress(Wire):
    """`LoadBalancerIngress`."""

    ip: str | None = None


class WireLoadBalancer(Wire):
    """`LoadBalancerStatus`."""

    ingress: list[WireIngress] | None = None


class WireServiceStatus(Wire):
    """`ServiceStatus`."""

    load_balancer: WireLoadBalancer | None = None


class WireService(WireObject):
    """`Service`."""

    spec: WireServiceSpec | None = None
    status: WireServiceStatus | None = None


class WireConditions(Wire):
    """`EndpointConditions`."""

    ready: bool | None = None


class WireTarget(Wire):
    """`ObjectReference` of an endpoint."""

    kind: str | None = None
    name: str | None = None
    namespace: str | None = None


class WireZoneHint(Wire):
    """`ForZone`."""

    name: str | None = None


class WireHints(Wire):
    """`EndpointHints`."""

    for_zones: list[WireZoneHint] | None = None


class WireEndpoint(Wire):
    """`Endpoint`; `topology` is that of the beta API."""

    addresses: list[str] | None = None
    conditions: WireConditions | None = None
    node_name: str | None = None
    zone: str | None = None
    target_ref: WireTarget | None = None
    hints: WireHints | None = None
    topology: dict[str, str] | None = None


class WireEndpointPort(Wire):
    """`EndpointPort`."""

    port: Port | None = None


class WireEndpointSlice(WireObject):
    """`EndpointSlice`."""

    address_type: str | None = None
    endpoints: list[WireEndpoint] | None = None
    ports: list[WireEndpointPort] | None = None


class WireVariable(Wire):
    """`EnvVar`, less where an indirect value comes from."""

    name: str | None = None
    value: str | None = None


class WirePluginContainer(Wire):
    """`Container` of a workload, with what sets it up."""

    image: str | None = None
    command: list[str] | None = None
    args: list[str] | None = None
    env: list[WireVariable] | None = None


class WireTemplateSpec(Wire):
    """`PodSpec` of a workload's template."""

    host_network: bool | None = None
    containers: list[WirePluginContainer] | None = None
    init_containers: list[WirePluginContainer] | None = None


class WireTemplate(Wire):
    """`PodTemplateSpec`."""

    spec: WireTemplateSpec | None = None


class WireWorkloadSpec(Wire):
    """`DaemonSetSpec`, `DeploymentSpec` or `StatefulSetSpec`."""

    replicas: Count | None = None
    template: WireTemplate | None = None


class WireWorkloadStatus(Wire):
    """Counts of a workload, under the names of each kind."""

    ready_replicas: Count | None = None
    desired_number_scheduled: Count | None = None
    number_ready: Count | None = None


class WireWorkload(WireObject):
    """`DaemonSet`, `Deployment` or `StatefulSet`."""

    kind: str | None = None
    spec: WireWorkloadSpec | None = None
    status: WireWorkloadStatus | None = None


class WireConfigMap(WireObject):
    """`ConfigMap`."""

    data: dict[str, str] | None = None
