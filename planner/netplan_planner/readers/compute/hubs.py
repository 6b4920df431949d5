"""Hubs and spokes of the Network Connectivity API (v1) as model values."""

import re
from ipaddress import ip_network

import msgspec

from netplan_planner.model import Hub, ResourceRef, SelfLink, Spoke, SpokeKind, last_part
from netplan_planner.model.project.hubs import ALL_PRIVATE, MESH, WORDS
from netplan_planner.readers.compute.wire import Wire
from netplan_planner.readers.links import (
    Problems,
    Unusable,
    needed,
    network_link,
    place_of,
    resolve,
)


class WireHub(Wire):
    """`Hub`, whose name is its whole path."""

    self_link: str | None = None
    name: str | None = None
    preset_topology: str | None = None


class WireLinkedNetwork(Wire):
    """`LinkedVpcNetwork` and `LinkedProducerVpcNetwork`."""

    uri: str | None = None
    include_export_ranges: list[str] = msgspec.field(default_factory=list)
    exclude_export_ranges: list[str] = msgspec.field(default_factory=list)


class WireAppliance(Wire):
    """`RouterApplianceInstance`."""

    virtual_machine: str | None = None
    ip_address: str | None = None


class WireLinked(Wire):
    """`LinkedVpnTunnels`, `LinkedInterconnectAttachments`, `LinkedRouterApplianceInstances`."""

    uris: list[str] = msgspec.field(default_factory=list)
    instances: list[WireAppliance] = msgspec.field(default_factory=list)


class WireSpoke(Wire):
    """`Spoke`, whose name is its whole path."""

    self_link: str | None = None
    name: str | None = None
    hub: str | None = None
    group: str | None = None
    state: str | None = None
    linked_vpc_network: WireLinkedNetwork | None = None
    linked_producer_vpc_network: WireLinkedNetwork | None = None
    linked_vpn_tunnels: WireLinked | None = None
    linked_interconnect_attachments: WireLinked | None = None
    linked_router_appliance_instances: WireLinked | None = None


_NUMBER = re.compile(r"projects/\d+/global/networks/")
_KINDS = {
    "linked_vpc_network": SpokeKind.VPC,
    "linked_producer_vpc_network": SpokeKind.PRODUCER,
    "linked_vpn_tunnels": SpokeKind.VPN,
    "linked_interconnect_attachments": SpokeKind.INTERCONNECT,
    "linked_router_appliance_instances": SpokeKind.APPLIANCE,
}
"""By what a spoke links: `spokeType` is not in every answer."""


def hub(wire: WireHub, ref: ResourceRef, problems: Problems) -> Hub:
    """Return one hub; one that states no topology is a mesh, as documented."""
    project, _, _, name = place_of(ref.self_link)
    return Hub(ref=ref, project=project, name=name, topology=wire.preset_topology or MESH)


def spoke(wire: WireSpoke, ref: ResourceRef, problems: Problems) -> Spoke:
    """Return one spoke.

    Raises:
        Unusable: If it names no hub, or is one of a VPC network that it does not name.
    """
    project, _, _, name = place_of(ref.self_link)
    kinds = (kind for name, kind in _KINDS.items() if getattr(wire, name) is not None)
    kind = next(kinds, SpokeKind.OTHER)
    linked = wire.linked_vpc_network or wire.linked_producer_vpc_network or WireLinkedNetwork()
    uri = needed(linked.uri, "linkedVpcNetwork.uri") if kind is SpokeKind.VPC else None
    if uri and not project.isdigit():
        # A spoke is of its network's project, whose number may stand for its id.
        uri = _NUMBER.sub(f"projects/{project}/global/networks/", uri)
    return Spoke(
        ref=ref,
        project=project,
        name=name,
        hub=resolve(needed(wire.hub, "hub"), project),
        kind=kind,
        network=network_link(uri, project) if uri else None,
        linked=_linked(wire, project),
        group=last_part(wire.group) if wire.group else None,
        state=wire.state,
        exported=tuple(sorted(map(_range, linked.include_export_ranges))) or (ALL_PRIVATE,),
        not_exported=tuple(sorted(map(_range, linked.exclude_export_ranges))),
    )


def _linked(wire: WireSpoke, project: str) -> tuple[SelfLink, ...]:
    """Return what a hybrid spoke links: routes lead to it by its link or its address."""
    blocks = (
        wire.linked_vpn_tunnels,
        wire.linked_interconnect_attachments,
        wire.linked_router_appliance_instances,
    )
    held = [block for block in blocks if block is not None]
    machines = [one for block in held for one in block.instances]
    links = {resolve(uri, project) for block in held for uri in block.uris}
    links |= {resolve(one.virtual_machine, project) for one in machines if one.virtual_machine}
    return tuple(sorted(links | {SelfLink(one.ip_address) for one in machines if one.ip_address}))


def _range(text: str) -> str:
    """Return a range as it is.

    Raises:
        Unusable: If it is neither a range nor a word for several: the rest would be too much.
    """
    try:
        return text if text in WORDS else str(ip_network(text, strict=False))
    except ValueError as exc:
        raise Unusable(f"not a range of addresses: {text[:50]}") from exc
