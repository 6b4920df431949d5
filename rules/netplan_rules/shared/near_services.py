"""What each Service's traffic between zones costs, and what near endpoints would save of it."""

from decimal import Decimal
from typing import NamedTuple

from netplan_planner.clusters.services import ServiceTraffic, endpoint_counts, service_traffic
from netplan_planner.model import Facts, PathClass, Saving, bill
from netplan_planner.paths.priced_paths import PricedPath, path_prices_of
from netplan_planner.units import gib_per_month


class NearService(NamedTuple):
    """A Service that has traffic, in a month."""

    traffic: ServiceTraffic
    crossing_gib: Decimal
    """Between zones, in both directions; 0 where `traffic.near` is None."""
    saved_gib: Decimal
    """Of it, what near endpoints would keep inside zones; below 0 where it would be more."""
    saving: Saving
    """Not beside the bill of the edges: these are the same bytes."""
    lone_zones: tuple[str, ...]
    """Zones with one endpoint, which all clients there would use."""


def near_services(facts: Facts) -> tuple[NearService, ...]:
    """Return the Services of the traffic of pods, by name."""
    traffic, kubernetes = facts.pod_traffic, facts.inventory.kubernetes
    seconds = traffic.month_seconds if traffic is not None else None
    if kubernetes is None or traffic is None or seconds is None:
        return ()
    found = []
    for one in service_traffic(kubernetes, traffic):
        near = one.near
        crossing = gib_per_month(near.cross_zone_bytes_now if near else 0, seconds)
        saved = gib_per_month(round(near.saved_bytes) if near else 0, seconds)
        ends = kubernetes.endpoints_by_service.get(one.service.full_name, ())
        lone = tuple(zone for zone, count in endpoint_counts(ends) or () if count == 1)
        found.append(NearService(one, crossing, saved, _saving(facts, one, saved), lone))
    return tuple(found)


def _saving(facts: Facts, one: ServiceTraffic, saved_gib: Decimal) -> Saving:
    if one.near is None:
        return Saving(unknown=one.why_not)
    if one.region is None:
        return Saving(unknown="its clients and endpoints are in several regions")
    if saved_gib <= 0:
        return Saving()
    path = PricedPath(PathClass.INTER_ZONE_INTERNAL_POD, one.region, one.region, "")
    (price,) = path_prices_of(facts.prices, path)
    if not price.tiers:
        return Saving(unknown=price.reason)
    return Saving(items=tuple(bill("traffic of pods between zones", saved_gib, price.tiers)))
