"""Which bytes of an edge stay inside a zone once Services prefer near endpoints.

Flows of pods name zones, edges name machines: a Service has its share of each edge between two
zones, as large as its part of what goes between them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.clusters.services import ServiceTraffic, service_traffic

End = tuple[model.SelfLink | None, model.Zone | None]
"""The machine of an endpoint, where it was read, and its zone."""
_ZonePair = tuple[model.Zone | None, model.Zone | None]


class Crossing(NamedTuple):
    """What a Service has of an edge between two zones."""

    edge: model.Edge
    service: model.SelfLink
    client: int
    """The owner on which its clients are."""
    byte_count: int
    """Of the window: what near endpoints keep inside where the client's zone has one."""


class NearShares:
    """The edges of each Service between zones."""

    def __init__(self, facts: model.Facts) -> None:
        self._facts = facts

    @cached_property
    def by_service(self) -> dict[model.SelfLink, tuple[Crossing, ...]]:
        """Crossings by the Service's link; a Service without edges of machines is not there."""
        kubernetes, pods = self._facts.inventory.kubernetes, self._facts.pod_traffic
        if kubernetes is None or pods is None or self._facts.traffic is None:
            return {}
        between = self._edges
        found = {
            one.service.ref.self_link: tuple(_crossings(one, between))
            for one in service_traffic(kubernetes, pods)
            if one.region is not None
        }
        return {link: crossings for link, crossings in found.items() if crossings}

    @cached_property
    def by_edge(self) -> dict[int, tuple[Crossing, ...]]:
        """Crossings by the edge's identity."""
        found: defaultdict[int, list[Crossing]] = defaultdict(list)
        for crossings in self.by_service.values():
            for one in crossings:
                found[id(one.edge)].append(one)
        return {key: tuple(crossings) for key, crossings in found.items()}

    @cached_property
    def ends(self) -> dict[model.SelfLink, frozenset[End]]:
        """Where the ready endpoints of each Service with edges are."""
        kubernetes = self._facts.inventory.kubernetes
        nodes = self._facts.inventory.instance_by_node
        found = {}
        for service in (kubernetes.services if kubernetes is not None else None) or ():
            if service.ref.self_link in self.by_service:
                assert kubernetes is not None
                found[service.ref.self_link] = frozenset(
                    (node.ref.self_link if (node := nodes.get(end.node or "")) else None, end.zone)
                    for end in kubernetes.endpoints_by_service.get(service.full_name, ())
                )
        return found

    @property
    def _edges(self) -> dict[_ZonePair, list[model.Edge]]:
        """Edges of pods between zones, by the zones of sender and receiver."""
        found: defaultdict[_ZonePair, list[model.Edge]] = defaultdict(list)
        owners = self._facts.seen_traffic.owners
        for edge in self._facts.seen_traffic.edges:
            if edge.path_class is model.PathClass.INTER_ZONE_INTERNAL_POD:
                found[owners[edge.src].zone, owners[edge.dst].zone].append(edge)
        return found


def _crossings(
    one: ServiceTraffic, between: dict[_ZonePair, list[model.Edge]]
) -> Iterator[Crossing]:
    if one.near is None or one.near.saved_bytes <= 0:
        return
    crossing: Counter[tuple[_ZonePair, bool]] = Counter()
    for flow in one.flows:
        client = flow.dst if flow.is_reply else flow.src
        if flow.src.zone != flow.dst.zone and client.zone not in one.near.zones_without_endpoint:
            crossing[(flow.src.zone, flow.dst.zone), flow.is_reply] += flow.wire_bytes or 0
    # Clients without an endpoint near may spread further than today: that much less is kept.
    ratio = min(1.0, one.near.saved_bytes / max(1, crossing.total()))
    for (zones, is_reply), byte_count in crossing.items():
        edges = between.get(zones, ())
        total = sum(edge.wire_bytes for edge in edges)
        share = min(1.0, byte_count / total) * ratio if total else 0.0
        for edge in edges:
            client_end = edge.dst if is_reply else edge.src
            kept = round(edge.wire_bytes * share)
            if kept:
                yield Crossing(edge, one.service.ref.self_link, client_end, kept)
