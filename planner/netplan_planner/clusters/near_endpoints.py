"""What a Service's clients would meet if it preferred endpoints in their own zone.

With `trafficDistribution: PreferClose` (`PreferSameZone` since Kubernetes 1.34) a client in a zone
that has a ready endpoint uses the endpoints there, each as often as the others; a client in a zone
without one uses all endpoints, as today. So bytes stop crossing zones, and endpoints in zones with
many clients and few endpoints get more than their share.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from netplan_planner.model import Value, Zone
from netplan_planner.model.project.kubernetes import Endpoint

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
