"""What each Service's traffic between zones costs, and what near endpoints would save of it."""

from decimal import Decimal
from typing import NamedTuple

from netplan_planner.clusters.services import ServiceTraffic, endpoint_counts, service_traffic
from netplan_planner.ledger import ledger_of
from netplan_planner.model import Change, ChangeKind, Facts, PathClass, Saving, bill
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
    change: Change | None
    """None where its traffic is on no edge of machines that were read."""
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
        link = one.service.ref.self_link
        is_on_edges = link in ledger_of(facts).state.shares.by_service
        change = Change(kind=ChangeKind.NEAR_ENDPOINTS, target=link) if is_on_edges else None
        if change is None:
            saving = _saving(facts, one, saved)
        else:
            saving = ledger_of(facts).value(change).saving
        found.append(NearService(one, crossing, saved, saving, change, lone))
    return tuple(found)


def _saving(facts: Facts, one: ServiceTraffic, saved_gib: Decimal) -> Saving:
    if one.near is None:
        return Saving(unknown=one.why_not)
    if one.region is None:
        return Saving(unknown="its clients and endpoints are in several regions")
    if saved_gib <= 0:
        return Saving()
    if facts.traffic is not None and any(edge.path_class.is_pod for edge in facts.traffic.edges):
        return Saving(unknown="its inter-zone flows are not part of the traffic between known VMs")
    path = PricedPath(PathClass.INTER_ZONE_INTERNAL_POD, one.region, one.region, "")
    (price,) = path_prices_of(facts.prices, path)
    if not price.tiers:
        return Saving(unknown=price.reason)
    return Saving(items=tuple(bill("pod traffic between zones", saved_gib, price.tiers)))
