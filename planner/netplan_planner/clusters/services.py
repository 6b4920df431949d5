"""What each Service's traffic crosses, and what preferring near endpoints would change for it."""

from collections import defaultdict

from netplan_planner.clusters.near_endpoints import (
    NearEndpoints,
    ZoneFlow,
    endpoint_counts,
    near_endpoints,
)
from netplan_planner.clusters.network import cluster_of
from netplan_planner.model import Region, Value, region_of
from netplan_planner.model.evidence.pod_traffic import PodEnd, PodFlow, PodTraffic
from netplan_planner.model.project.kubernetes import Kubernetes, Service

_NO_SLICES = "no endpoint slices were read"
_NO_ZONE = "the zone of an endpoint is not known"
_NO_ZONES = "the zones of its traffic are not known"
_CLUSTERS = "its traffic is of several clusters, and which of them its objects are of is not known"
_UNKNOWN = frozenset({_NO_SLICES, _NO_ZONE, _NO_ZONES, _CLUSTERS})


class ServiceTraffic(Value, frozen=True, kw_only=True):
    """The traffic of a Service between zones, and what near endpoints would make of it."""

    service: Service
    clients: tuple[str, ...]
    """Workloads that use it, sorted."""
    region: Region | None
    """Of all clients and endpoints; None where they are in several."""
    flows: tuple[PodFlow, ...]
    """To its endpoints and back, those whose zones are known."""
    near: NearEndpoints | None = None
    """None where it cannot be told: `why_not` says why."""
    why_not: str = ""
    unplaced_bytes: int = 0
    """Of flows of which a zone is not known."""

    @property
    def is_unknown(self) -> bool:
        """Whether `near` lacks evidence; else near endpoints are nothing for such a Service."""
        return self.why_not in _UNKNOWN


def service_traffic(kubernetes: Kubernetes, traffic: PodTraffic) -> tuple[ServiceTraffic, ...]:
    """Return each Service that was read and has traffic with bytes, sorted by name.

    Flow logs of a project tell of all its clusters, whose Services can have the same names: those
    of another cluster than the one whose objects were read are left out.
    """
    own = cluster_of(kubernetes)
    by_service: defaultdict[str, list[PodFlow]] = defaultdict(list)
    for flow in traffic.flows:
        if flow.service is None or flow.wire_bytes is None:
            continue
        if own is None or _endpoint(flow).cluster in {None, own.name}:
            by_service[flow.service].append(flow)
    return tuple(
        _of_service(kubernetes, service, by_service[name])
        for name, service in sorted(kubernetes.service_by_name.items())
        if name in by_service
    )


def _of_service(kubernetes: Kubernetes, service: Service, flows: list[PodFlow]) -> ServiceTraffic:
    placed = tuple(flow for flow in flows if flow.regions is not None)
    clusters = {_endpoint(flow).cluster for flow in flows} - {None}
    regions = {
        region_of(end.zone)
        for flow in placed
        for end in (flow.src, flow.dst)
        if end.zone is not None
    }
    near, why_not = None, _CLUSTERS
    if len(clusters) < 2:
        near, why_not = _near(kubernetes, service, placed)
    return ServiceTraffic(
        service=service,
        clients=tuple(sorted({(f.dst if f.is_reply else f.src).workload for f in flows})),
        region=regions.pop() if len(regions) == 1 else None,
        flows=placed,
        near=near,
        why_not=why_not,
        unplaced_bytes=sum(f.wire_bytes or 0 for f in flows if f.regions is None),
    )


def _near(
    kubernetes: Kubernetes, service: Service, flows: tuple[PodFlow, ...]
) -> tuple[NearEndpoints | None, str]:
    if service.is_headless:
        return None, "its clients choose the pod themselves: it is headless"
    if service.namespace in kubernetes.ambient_namespaces:
        return None, "GKE's ambient networking, which its namespace is in, has no near endpoints"
    if service.internal_traffic_policy == "Local":
        return None, "internalTrafficPolicy: Local keeps its traffic on the node"
    if kubernetes.endpoint_slices is None:
        return None, _NO_SLICES
    counts = endpoint_counts(kubernetes.endpoints_by_service.get(service.full_name, ()))
    if counts is None:
        return None, _NO_ZONE
    if not counts:
        return None, "it has no ready endpoint"
    made = near_endpoints([zone_flow(flow) for flow in flows], counts)
    return made, "" if made is not None else _NO_ZONES


def _endpoint(flow: PodFlow) -> PodEnd:
    """Return the end that answers for the Service."""
    return flow.src if flow.is_reply else flow.dst


def zone_flow(flow: PodFlow) -> ZoneFlow:
    """Return a flow of a Service by the zones of client and endpoint, whichever way it goes.

    Raises:
        ValueError: If a zone is not known.
    """
    client, endpoint = (flow.dst, flow.src) if flow.is_reply else (flow.src, flow.dst)
    if client.zone is None or endpoint.zone is None:
        raise ValueError("a flow between zones needs both of them")
    return ZoneFlow(
        client_zone=client.zone, endpoint_zone=endpoint.zone, byte_count=flow.wire_bytes or 0
    )
