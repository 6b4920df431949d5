"""Which machine takes on what others send elsewhere: appliances by routes, and who uses them."""

from collections import defaultdict
from collections.abc import Iterator

from netplan_planner import model

_EVERYWHERE = "0.0.0.0/0"
_DEFAULT_PRIORITY = 1000
"""Of a route that states none (cloud.google.com/vpc/docs/routes)."""
_OUTSIDE = frozenset({model.PathClass.INTERNET, model.PathClass.NAT})


class Use(model.Value, frozen=True, kw_only=True):
    """What one machine sends through an appliance."""

    client: model.Instance
    edge: model.Edge


class Hops:
    """The appliances of an inventory, and by which route machines are sent to them."""

    def __init__(self, facts: model.Facts) -> None:
        self._facts = facts
        self._by_address = {
            (nic.network, nic.internal_ipv4): instance
            for instance in facts.inventory.instances
            for nic in instance.interfaces
            if nic.internal_ipv4
        }
        self._defaults: dict[model.SelfLink, list[model.Route]] = defaultdict(list)
        self._narrow: dict[tuple[model.SelfLink, str], set[model.SelfLink]] = defaultdict(set)
        for route in facts.inventory.routes:
            appliance = self._appliance(route)
            if route.dest_range == _EVERYWHERE:
                self._defaults[route.network].append(route)
            elif appliance is not None and route.next_hop_target is not None:
                name = route.next_hop_target.rpartition("/")[2]
                self._narrow[route.network, f"hybrid:{name}"].add(appliance.ref.self_link)

    def _appliance(self, route: model.Route) -> model.Instance | None:
        """Return the one machine that is a route's next hop; a load balancer's address is none."""
        if route.next_hop == "instance":
            target = model.SelfLink(route.next_hop_target or "")
            return self._facts.inventory.instance_by_link.get(target)
        if route.next_hop == "ip":
            return self._by_address.get((route.network, route.next_hop_target or ""))
        return None

    def default(self, instance: model.Instance) -> model.Instance | None:
        """Return the appliance that takes what a machine sends to the internet.

        None where it leaves by itself, where several routes of one priority share it, or where the
        next hop is no machine of the inventory.
        """
        network = instance.primary_network
        routes = self._defaults.get(network, ()) if network is not None else ()
        apply = [r for r in routes if not r.tags or set(r.tags) & set(instance.tags)]
        if not apply:
            return None
        least = min(_priority(route) for route in apply)
        best = [route for route in apply if _priority(route) == least]
        found = self._appliance(best[0]) if len(best) == 1 else None
        return None if found is None or found == instance else found

    def of_edge(self, edge: model.Edge, client: model.Instance) -> model.Instance | None:
        """Return the appliance that an edge goes through, or None."""
        dst = self._facts.dst(edge)
        if edge.path_class in _OUTSIDE and dst.kind is model.OwnerKind.INTERNET:
            return self.default(client)
        if edge.path_class is not model.PathClass.HYBRID or client.primary_network is None:
            return None
        named = self._narrow.get((client.primary_network, dst.key), set())
        return self._facts.inventory.instance_by_link[min(named)] if len(named) == 1 else None


def uses(facts: model.Facts) -> Iterator[tuple[model.Instance, Use]]:
    """Yield every appliance with what a machine sends through it, in the order of the edges."""
    hops = Hops(facts)
    for edge in facts.seen_traffic.edges:
        client = facts.instance(facts.src(edge))
        appliance = hops.of_edge(edge, client) if client is not None else None
        if client is not None and appliance is not None and appliance != client:
            yield appliance, Use(client=client, edge=edge)


def way_lines(
    facts: model.Facts,
    name: str,
    byte_count: int,
    client: model.Instance,
    appliance: model.Instance,
) -> tuple[model.LineItem, ...]:
    """Return what the way from a machine to its appliance costs a month; none inside a zone.

    Raises:
        MissingDatum: If the way has no price.
    """
    path_class = model.PathClass.SAME_ZONE_INTERNAL.between(client.zone, appliance.zone)
    if path_class is model.PathClass.SAME_ZONE_INTERNAL:
        return ()
    return facts.prices.traffic_line_items(
        name,
        path_class,
        facts.gib_per_month(byte_count),
        src_region=client.region,
        dst_region=appliance.region,
    )


def _priority(route: model.Route) -> int:
    return _DEFAULT_PRIORITY if route.priority is None else route.priority
