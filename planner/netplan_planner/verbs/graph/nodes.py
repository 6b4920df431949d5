"""Which node of the traffic graph an end of the traffic belongs to, by level."""

from collections.abc import Callable
from typing import NamedTuple

from netplan_planner.model import SERVICE_LABELS, Facts, Instance, Owner, OwnerKind
from netplan_planner.verbs.graph.answer import GraphLevel

_BY_PLACE = {
    OwnerKind.LOAD_BALANCER: "load balancers",
    OwnerKind.NAT: "Cloud NAT",
    OwnerKind.HYBRID: "hybrid links",
    OwnerKind.GOOGLE_API: "Google APIs",
}
"""Ends that zones and regions take together by their place."""
_UNKNOWN_PLACE = "place not known"


class End(NamedTuple):
    """A node before anything is counted."""

    key: str
    name: str
    kind: str
    place: str


NodeOf = Callable[[Owner], End]


def nodes_at(facts: Facts, level: GraphLevel) -> NodeOf:
    """Return a function from an end of the traffic to its node."""
    match level:
        case GraphLevel.VM:
            return _itself
        case GraphLevel.ZONE | GraphLevel.REGION:
            return lambda owner: _placed(owner, level)
        case GraphLevel.GROUP | GraphLevel.SERVICE:
            return lambda owner: _grouped(facts, owner, level)


def _itself(owner: Owner) -> End:
    return End(owner.key, owner.name, owner.kind.value, owner.zone or owner.region or "")


def _outside(owner: Owner) -> End:
    """Return the node of an end that no level but machines' tells apart from its like."""
    if owner.kind is OwnerKind.UNKNOWN:
        return End("unknown", "addresses without a known owner", owner.kind.value, "")
    return _itself(owner)


def _placed(owner: Owner, level: GraphLevel) -> End:
    place = (owner.zone if level is GraphLevel.ZONE else owner.region) or ""
    if owner.kind is OwnerKind.VM:
        above = (owner.region or "") if level is GraphLevel.ZONE else ""
        return End(f"{level}:{place}", place or _UNKNOWN_PLACE, level.value, above)
    words = _BY_PLACE.get(owner.kind)
    if words is None:
        return _outside(owner)
    region = owner.region or ""
    return End(f"{owner.kind}:{region}", words, owner.kind.value, region)


def _grouped(facts: Facts, owner: Owner, level: GraphLevel) -> End:
    instance = facts.instance(owner)
    if instance is None:
        return _outside(owner)
    service = _service(instance) if level is GraphLevel.SERVICE else None
    if service is not None:
        return End(f"service:{instance.project}/{service}", service, level.value, "")
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    if group is None:
        return _itself(owner)
    # A regional group has machines in several zones.
    place = group.location
    return End(f"group:{group.ref.self_link}", group.name, GraphLevel.GROUP.value, place)


def _service(instance: Instance) -> str | None:
    named = (instance.label(label) for label in SERVICE_LABELS)
    return next((value for value in named if value), None)
