"""The end of a flow: what a record says of it, and who it is after the look-up."""

from datetime import datetime
from enum import StrEnum

from netplan_planner import model


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
