"""Nodes, Services, their endpoints and namespaces as values of the model."""

from functools import lru_cache

from netplan_planner.model import Region, ResourceRef, SelfLink, Zone, instance_link, region_of
from netplan_planner.model.project import kubernetes
from netplan_planner.readers.kubernetes.metadata import chosen, metadata_of, namespace_of, texts
from netplan_planner.readers.kubernetes.pods import cpu_count
from netplan_planner.readers.kubernetes.wire import (
    WireEndpoint,
    WireEndpointSlice,
    WireNode,
    WireNodeInfo,
    WireNodeSpec,
    WireNodeStatus,
    WireObject,
    WireService,
    WireServicePort,
    WireServiceSpec,
)
from netplan_planner.readers.links import CACHED_LINKS, Problems

_ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
_REGIONS = ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")
_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_POOL = "cloud.google.com/gke-nodepool"
"""kubernetes.io/docs/reference/labels-annotations-taints, read 2026-11-23; the names of before
Kubernetes 1.17 second."""

_AMBIENT = ("networking.gke.io/dataplane-mode", "ambient")
"""docs.cloud.google.com/kubernetes-engine/docs/how-to/prepare-ambient-networking, as told in
2026-10; Istio's own label is `istio.io/dataplane-mode`."""

_NODE_ANNOTATIONS = (
    "flannel.alpha.coreos.com/",
    "io.cilium.",
    "network.cilium.io/",
    "projectcalico.org/",
    "kube-router.io/",
    "node.antrea.io/",
    "k8s.ovn.org/",
    "ovn.kubernetes.io/",
    "networking.gke.io/",
)
_SERVICE_ANNOTATIONS = (
    "service.kubernetes.io/",
    "networking.gke.io/",
    "cloud.google.com/",
    "service.cilium.io/",
    "io.cilium/",
)
_MODES = ("service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints")
_HEADLESS = "None"
_SERVICE_LABEL = "kubernetes.io/service-name"
_BETA_ZONE = "topology.kubernetes.io/zone"

_NO_SPEC, _NO_STATUS, _NO_INFO = WireNodeSpec(), WireNodeStatus(), WireNodeInfo()


def node(wire: WireNode, ref: ResourceRef, problems: Problems) -> kubernetes.Node:
    """Return one node.

    Raises:
        Unusable: If it has no name.
    """
    metadata = metadata_of(wire)
    spec, status = wire.spec or _NO_SPEC, wire.status or _NO_STATUS
    info = status.node_info or _NO_INFO
    labels = dict(texts(metadata.labels, "metadata.labels", problems))
    cloud, instance = _machine(spec.provider_id or "")
    zone = _first(labels, _ZONES) or (instance.split("/")[3] if instance else None)
    region = _first(labels, _REGIONS) or (region_of(zone) if zone and instance else None)
    of_kind: dict[str | None, list[str]] = {}
    for address in status.addresses or ():
        if address.address:
            of_kind.setdefault(address.type, []).append(address.address)
    ready = [c.status for c in status.conditions or () if c.type == "Ready" and c.status]
    return kubernetes.Node(
        ref=ref,
        name=metadata.name or "",
        provider_id=spec.provider_id or None,
        cloud=cloud,
        instance=instance,
        zone=Zone(zone) if zone else None,
        region=Region(region) if region else None,
        machine_type=_first(labels, _TYPES),
        node_pool=labels.get(_POOL),
        internal_ips=tuple(of_kind.get("InternalIP", ())),
        external_ips=tuple(of_kind.get("ExternalIP", ())),
        hostname=next(iter(of_kind.get("Hostname", ())), None),
        pod_ranges=tuple(spec.pod_ranges or ([spec.pod_range] if spec.pod_range else [])),
        cpu_count=cpu_count(status.capacity.cpu) if status.capacity else None,
        kernel_version=info.kernel_version,
        os_image=info.os_image,
        kubelet_version=info.kubelet_version,
        is_ready=ready[0] == "True" if ready else None,
        is_schedulable=not spec.unschedulable,
        annotations=chosen(metadata.annotations, _NODE_ANNOTATIONS, problems),
    )


def _machine(provider_id: str) -> tuple[str | None, SelfLink | None]:
    """Return the cloud of a provider ID, and the link of a VM on Compute Engine.

    >>> _machine("gce://shop/us-central1-a/gke-shop-pool-1")
    ('gce', 'projects/shop/zones/us-central1-a/instances/gke-shop-pool-1')
    >>> _machine("aws:///us-east-1a/i-0abc")
    ('aws', None)
    """
    cloud, found, rest = provider_id.partition("://")
    parts = rest.split("/")
    if not found or not cloud:
        return None, None
    if cloud != kubernetes.COMPUTE_ENGINE or len(parts) != 3 or not all(parts):
        return cloud, None
    return cloud, instance_link(*parts)


def _first(labels: dict[str, str], keys: tuple[str, ...]) -> str | None:
    return next((labels[key] for key in keys if labels.get(key)), None)


def service(wire: WireService, ref: ResourceRef, problems: Problems) -> kubernetes.Service:
    """Return one Service.

    Raises:
        Unusable: If it has no name.
    """
    metadata, spec = metadata_of(wire), wire.spec or WireServiceSpec()
    annotations = chosen(metadata.annotations, _SERVICE_ANNOTATIONS, problems)
    addresses = spec.cluster_ips or ([spec.cluster_ip] if spec.cluster_ip else [])
    balancer = wire.status.load_balancer if wire.status else None
    return kubernetes.Service(
        ref=ref,
        namespace=namespace_of(metadata.namespace),
        name=metadata.name or "",
        type=spec.type or "ClusterIP",
        cluster_ips=tuple(address for address in addresses if address != _HEADLESS),
        is_headless=_HEADLESS in addresses,
        external_ips=tuple(spec.external_ips or ()),
        load_balancer_ips=tuple(i.ip for i in (balancer.ingress or () if balancer else ()) if i.ip),
        ports=tuple(_port(port, port.port) for port in spec.ports or () if port.port),
        selector=texts(spec.selector, "spec.selector", problems),
        traffic_distribution=spec.traffic_distribution or None,
        topology_mode=_mode(annotations),
        internal_traffic_policy=spec.internal_traffic_policy or None,
        external_traffic_policy=spec.external_traffic_policy or None,
        session_affinity=spec.session_affinity or None,
        annotations=annotations,
    )


def _port(wire: WireServicePort, port: int) -> kubernetes.ServicePort:
    return kubernetes.ServicePort(
        port=port,
        protocol=wire.protocol or "TCP",
        name=wire.name or None,
        target_port=None if wire.target_port is None else str(wire.target_port),
        node_port=wire.node_port or None,
    )


def _mode(annotations: kubernetes.Labels) -> str | None:
    found = dict(annotations)
    return next((found[key] for key in _MODES if found.get(key)), None)


def endpoint_slice(
    wire: WireEndpointSlice, ref: ResourceRef, problems: Problems
) -> kubernetes.EndpointSlice:
    """Return one slice of a Service's endpoints.

    Raises:
        Unusable: If it has no name.
    """
    metadata = metadata_of(wire)
    namespace = namespace_of(metadata.namespace)
    labels = dict(texts(metadata.labels, "metadata.labels", problems))
    return kubernetes.EndpointSlice(
        ref=ref,
        namespace=namespace,
        name=metadata.name or "",
        service=labels.get(_SERVICE_LABEL),
        address_type=wire.address_type or "IPv4",
        endpoints=tuple([_endpoint(one, namespace) for one in wire.endpoints or ()]),
        ports=tuple(port.port for port in wire.ports or () if port.port),
    )


def _endpoint(wire: WireEndpoint, namespace: str) -> kubernetes.Endpoint:
    target, topology = wire.target_ref, wire.topology or {}
    zone = wire.zone or topology.get(_BETA_ZONE)
    is_pod = target is not None and target.kind == "Pod" and target.name
    return kubernetes.Endpoint(
        addresses=tuple(wire.addresses or ()),
        node=wire.node_name or topology.get("kubernetes.io/hostname"),
        zone=_zone(zone) if zone else None,
        pod=f"{target.namespace or namespace}/{target.name}" if target and is_pod else None,
        is_ready=wire.conditions is None or wire.conditions.ready is not False,
        hint_zones=tuple(
            Zone(hint.name)
            for hint in (wire.hints.for_zones or () if wire.hints else ())
            if hint.name
        ),
    )


@lru_cache(CACHED_LINKS)
def _zone(name: str) -> Zone:
    return Zone(name)


def namespace(wire: WireObject, ref: ResourceRef, problems: Problems) -> kubernetes.Namespace:
    """Return one namespace.

    Raises:
        Unusable: If it has no name.
    """
    metadata = metadata_of(wire)
    return kubernetes.Namespace(
        ref=ref,
        name=metadata.name or "",
        is_ambient=_AMBIENT in texts(metadata.labels, "metadata.labels", problems),
    )
