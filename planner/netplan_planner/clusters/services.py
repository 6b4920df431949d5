"""What each Service's traffic crosses, and what preferring near endpoints would change for it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from netplan_planner.clusters.network import cluster_of
from netplan_planner.model import Region, Value, Zone, region_of
from netplan_planner.model.evidence.pod_traffic import PodEnd, PodFlow, PodTraffic
from netplan_planner.model.project.kubernetes import Endpoint, Kubernetes, Service

# What a Service's clients would meet if it preferred endpoints in their own zone
#
# With `trafficDistribution: PreferClose` (`PreferSameZone` since Kubernetes 1.34) a client in a
# zone that has a ready endpoint uses the endpoints there, each as often as the others; a client in
# a zone without one uses all endpoints, as today. So bytes stop crossing zones, and endpoints in
# zones with many clients and few endpoints get more than their share.


SOURCE = "kubernetes.io/docs/reference/networking/virtual-ips#traffic-distribution, read 2026-11-23"


class ZoneFlow(Value, frozen=True, kw_only=True):
    """Traffic between the clients in one zone and the endpoints in another, or the same."""

    client_zone: Zone
    endpoint_zone: Zone
    byte_count: int
    """Requests and answers together: what crosses zones is billed in both directions."""


class NearEndpoints(Value, frozen=True, kw_only=True):
    """A Service before and after it prefers near endpoints, over the window of its traffic."""

    total_bytes: int
    cross_zone_bytes_now: int
    cross_zone_bytes_then: float
    """Expected: of clients in zones without an endpoint, which use all endpoints alike."""
    fullest_now_bytes: float
    """Of the endpoint that carries most today, if those of a zone share alike."""
    fullest_then_bytes: float
    fullest_zone_then: Zone
    mean_bytes: float
    """Of an endpoint, before and after."""
    zones_without_endpoint: tuple[Zone, ...] = ()
    """Zones with clients and no endpoint: nothing is saved for them."""
    unplaced_bytes: int = 0
    """To zones in which no endpoint is ready now; counted in neither load."""

    @property
    def saved_bytes(self) -> float:
        """Bytes that stop crossing zones; below 0 where clients spread further than today."""
        return self.cross_zone_bytes_now - self.cross_zone_bytes_then

    @property
    def overload_ratio(self) -> float:
        """What the fullest endpoint would carry, over what the fullest one carries today."""
        return self.fullest_then_bytes / self.fullest_now_bytes if self.fullest_now_bytes else 1.0


def endpoint_counts(endpoints: Iterable[Endpoint]) -> tuple[tuple[Zone, int], ...] | None:
    """Return how many ready endpoints each zone has, None where the zone of one is not known.

    Kubernetes gives no hints for a Service of which one endpoint has no zone, so that nothing would
    change.
    """
    zones = [endpoint.zone for endpoint in endpoints if endpoint.is_ready]
    known = [zone for zone in zones if zone is not None]
    return tuple(sorted(Counter(known).items())) if len(known) == len(zones) else None


def near_endpoints(
    flows: Sequence[ZoneFlow], endpoints: Sequence[tuple[Zone, int]]
) -> NearEndpoints | None:
    """Return what preferring near endpoints would change, None without traffic or endpoints.

    Args:
        flows: What was seen between zones; of a pair of zones given twice the sum counts.
        endpoints: Zones and how many ready endpoints each has, above 0.

    >>> a, b = Zone("a"), Zone("b")
    >>> half = [ZoneFlow(client_zone=a, endpoint_zone=z, byte_count=60) for z in (a, b)]
    >>> made = near_endpoints(half, [(a, 1), (b, 1)])
    >>> made.saved_bytes, made.fullest_now_bytes, made.fullest_then_bytes
    (60.0, 60.0, 120.0)
    """
    count = dict(endpoints)
    total_count = sum(count.values())
    by_client: Counter[Zone] = Counter()
    by_endpoint: Counter[Zone] = Counter()
    crossing = 0
    for flow in flows:
        by_client[flow.client_zone] += flow.byte_count
        by_endpoint[flow.endpoint_zone] += flow.byte_count
        crossing += flow.byte_count if flow.client_zone != flow.endpoint_zone else 0
    total = by_client.total()
    if not total or not total_count:
        return None
    far = sorted(zone for zone in by_client if not count.get(zone))
    everywhere = sum(by_client[zone] for zone in far) / total_count
    then = {zone: by_client[zone] / number + everywhere for zone, number in count.items()}
    # Ties go to the first zone by name, so that the answer does not depend on an order.
    fullest = min(then, key=lambda zone: (-then[zone], zone))
    return NearEndpoints(
        total_bytes=total,
        cross_zone_bytes_now=crossing,
        cross_zone_bytes_then=float(sum(by_client[zone] for zone in far)),
        fullest_now_bytes=max(by_endpoint[zone] / number for zone, number in count.items()),
        fullest_then_bytes=then[fullest],
        fullest_zone_then=fullest,
        mean_bytes=total / total_count,
        zones_without_endpoint=tuple(far),
        unplaced_bytes=sum(size for zone, size in by_endpoint.items() if not count.get(zone)),
    )


# What each Service's traffic crosses, and what preferring near endpoints would change for it


_NO_SLICES = "EndpointSlices were not read"
_NO_ZONE = "the zone of an endpoint is unknown"
_NO_ZONES = "the zones of its traffic are unknown"
_CLUSTERS = "its traffic covers several clusters, and the cluster of its objects is unknown"
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
        return None, "it is headless: its clients choose the Pod themselves"
    if service.namespace in kubernetes.ambient_namespaces:
        return None, "its namespace uses GKE's ambient networking, which has no near endpoints"
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
        raise ValueError("a flow between zones needs two zones")
    return ZoneFlow(
        client_zone=client.zone, endpoint_zone=endpoint.zone, byte_count=flow.wire_bytes or 0
    )
