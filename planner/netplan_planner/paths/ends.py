"""The ends of a flow: what a record says of each, who it is, and the path class that they make."""

from datetime import datetime
from enum import StrEnum

from netplan_planner import model
from netplan_planner.model import OwnerKind, PathClass, Value


class RecordedEnd(model.Value, frozen=True, kw_only=True):
    """What a flow record says of one end; None where it says nothing."""

    address: str
    project: str | None = None
    zone: str | None = None
    vm: str | None = None
    network: model.SelfLink | None = None
    subnetwork: model.SelfLink | None = None
    area: str | None = None
    """Continent and country of a peer outside Google Cloud, as in `America/usa`."""
    service: str | None = None
    """The Google service that the record names."""
    gateway: str | None = None
    """The VPN tunnel or VLAN attachment that the record names, as `project/location/name`."""
    has_pod: bool = False
    context: model.SelfLink | None = None
    """The network in which the record was made: internal addresses mean something only there."""


class AddressKind(StrEnum):
    """By which of an owner's addresses a flow meets it."""

    INTERNAL = "internal"
    EXTERNAL = "external"
    VIRTUAL = "virtual"
    """The address of a load balancer."""


class FlowEnd(model.Value, frozen=True, kw_only=True):
    """One end of a flow after the look-up: the owner, and the address facts that decide a path."""

    owner: model.Owner
    address_kind: AddressKind = AddressKind.INTERNAL
    address: str | None = None
    """The literal where it matters: an external address of a machine, a load balancer's."""
    is_ipv6: bool = False
    is_pod: bool = False
    certainty: model.Certainty = model.Certainty.HELD
    external_address: str | None = None
    """The external address that is translated to this internal one, of the same IP version."""
    is_behind_nat: bool = False
    """A machine that reaches the internet through Cloud NAT only."""
    is_passthrough: bool = False
    """Met at the address of an external passthrough load balancer: its back ends answer from that
    address, and straight to the client (docs.cloud.google.com/load-balancing/docs/network)."""
    reported_by: tuple[model.SelfLink, ...] = ()
    """The subnetworks that log what this end sends: its own, or those behind a NAT address."""


class Ownership(model.Value, frozen=True, kw_only=True):
    """Who an address is from a time on; None means since before any record."""

    end: FlowEnd
    since: datetime | None = None


def unknown_end(address: str, *, is_ipv6: bool, link: model.SelfLink | None = None) -> FlowEnd:
    """Return the end that nobody owns: shown by its address, never priced."""
    owner = model.Owner(
        kind=model.OwnerKind.UNKNOWN, key=f"unknown:{address}", name=address, link=link
    )
    return FlowEnd(owner=owner, address=address, is_ipv6=is_ipv6)


def internet_end(area: str | None, *, is_ipv6: bool) -> FlowEnd:
    """Return the end that stands for all internet peers of an area."""
    owner = model.Owner(
        kind=model.OwnerKind.INTERNET,
        key=f"internet:{area or 'unknown'}",
        name=f"internet ({area})" if area else "internet",
        area=area,
    )
    return FlowEnd(owner=owner, address_kind=AddressKind.EXTERNAL, is_ipv6=is_ipv6)


def service_end(service: str, *, is_ipv6: bool, link: model.SelfLink | None = None) -> FlowEnd:
    """Return the end that stands for a Google service; an empty name means which one is unknown."""
    name = service or "Google APIs"
    owner = model.Owner(
        kind=model.OwnerKind.GOOGLE_API,
        key=f"google-api:{service or 'unknown'}",
        name=name,
        link=link,
    )
    return FlowEnd(owner=owner, is_ipv6=is_ipv6)


def gateway_end(gateway: str, *, is_ipv6: bool) -> FlowEnd:
    """Return the end that stands for the other side of a VPN tunnel or an interconnect."""
    owner = model.Owner(
        kind=model.OwnerKind.HYBRID,
        key=f"hybrid:{gateway}",
        name=gateway.rpartition("/")[2] or gateway,
    )
    return FlowEnd(owner=owner, is_ipv6=is_ipv6)


def foreign_owner(said: RecordedEnd) -> model.Owner:
    """Return the owner that stands for another project's machines in one network and zone."""
    network = said.network.rpartition("/")[2] if said.network else ""
    zone = model.Zone(said.zone) if said.zone else None
    key = f"project:{said.project}/{network}"
    return model.Owner(
        kind=model.OwnerKind.OTHER_PROJECT,
        key=f"{key}/{zone}" if zone else key,
        name=f"project {said.project}",
        project=model.ProjectId(said.project or ""),
        zone=zone,
        region=None if zone is None else model.region_of(zone),
        network=said.network,
    )


def vanished_owner(said: RecordedEnd) -> model.Owner:
    """Return the machine that a record names and the inventory no longer has."""
    zone = model.Zone(said.zone) if said.zone else None
    link = model.SelfLink(f"projects/{said.project}/zones/{zone or '-'}/instances/{said.vm}")
    return model.Owner(
        kind=model.OwnerKind.VM,
        key=link,
        name=said.vm or "",
        project=model.ProjectId(said.project or ""),
        zone=zone,
        region=None if zone is None else model.region_of(zone),
        network=said.network,
        subnetwork=said.subnetwork,
        link=link,
    )


# The one path class of a flow, from who its ends are and by which addresses they meet


_MACHINES = frozenset({OwnerKind.VM, OwnerKind.OTHER_PROJECT, OwnerKind.PLACE})

_CLASSES = {
    (distance, way): PathClass(f"{distance}-{way}")
    for distance in ("same-zone", "inter-zone", "inter-region")
    for way in ("internal", "external", "internal-pod")
}


class Path(Value, frozen=True, kw_only=True):
    """The class of a flow, and the literal it was addressed to where that matters."""

    path_class: PathClass
    dst_address: str | None = None


def classify(src: FlowEnd, dst: FlowEnd) -> Path:
    """Return the path of a flow.

    The first that applies, of either end: a tunnel, interconnect or appliance (`hybrid`), a load
    balancer (but what the back ends of an external passthrough one answer to the internet goes
    there directly, and is `internet`, addressed by the load balancer's own address), a
    NAT address, nobody (`unknown`), a Google API, the internet (`nat` when the machine can reach it
    through Cloud NAT only); else both are machines, and zones, addresses and pods decide.

    A report by the receiver names the sender's external address and its own internal one: the
    packet was addressed to the receiver's external address, so it gets the same path as the
    sender's report of it.
    """
    kinds = (src.owner.kind, dst.owner.kind)
    is_virtual = AddressKind.VIRTUAL in (src.address_kind, dst.address_kind)
    if not is_virtual and kinds[0] in _MACHINES and kinds[1] in _MACHINES:
        return _between_machines(src, dst)
    if OwnerKind.HYBRID in kinds:
        return Path(path_class=PathClass.HYBRID)
    if src.is_passthrough and dst.owner.kind is OwnerKind.INTERNET:
        return Path(path_class=PathClass.INTERNET, dst_address=_front(src, dst))
    if OwnerKind.LOAD_BALANCER in kinds or is_virtual:
        return Path(path_class=PathClass.LOAD_BALANCER, dst_address=_front(src, dst))
    if OwnerKind.NAT in kinds:
        return Path(path_class=PathClass.NAT, dst_address=_reached(dst))
    if OwnerKind.UNKNOWN in kinds:
        return Path(path_class=PathClass.UNKNOWN)
    if OwnerKind.GOOGLE_API in kinds:
        return Path(path_class=PathClass.GOOGLE_APIS)
    through_nat = src.is_behind_nat or dst.is_behind_nat
    return Path(path_class=PathClass.NAT if through_nat else PathClass.INTERNET)


def _front(src: FlowEnd, dst: FlowEnd) -> str | None:
    """Return the load balancer's address, whichever end it is."""
    if dst.address_kind is AddressKind.VIRTUAL:
        return dst.address
    return src.address if src.address_kind is AddressKind.VIRTUAL else None


def _reached(dst: FlowEnd) -> str | None:
    """Return the external address by which a receiver was reached, None when it is not known."""
    if dst.owner.kind not in _MACHINES:
        return None
    return dst.address if dst.address_kind is AddressKind.EXTERNAL else dst.external_address


def _between_machines(src: FlowEnd, dst: FlowEnd) -> Path:
    distance = _distance(src, dst)
    if distance is None:
        return Path(path_class=PathClass.UNKNOWN)
    if AddressKind.EXTERNAL in (src.address_kind, dst.address_kind):
        return Path(path_class=_CLASSES[distance, "external"], dst_address=_reached(dst))
    if src.is_pod or dst.is_pod:
        # All machines of another project in a zone are one owner: not one node for that.
        if src.owner.key == dst.owner.key and src.owner.kind is dst.owner.kind is OwnerKind.VM:
            return Path(path_class=PathClass.SAME_NODE_POD)
        return Path(path_class=_CLASSES[distance, "internal-pod"])
    return Path(path_class=_CLASSES[distance, "internal"])


def _distance(src: FlowEnd, dst: FlowEnd) -> str | None:
    """Return how far two machines stand apart, or None when a place is not known."""
    if src.owner.zone is None or dst.owner.zone is None:
        apart = src.owner.region != dst.owner.region
        known = src.owner.region is not None and dst.owner.region is not None
        return "inter-region" if apart and known else None
    if src.owner.zone == dst.owner.zone:
        return "same-zone"
    return "inter-zone" if src.owner.region == dst.owner.region else "inter-region"
