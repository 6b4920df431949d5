"""Hubs and spokes of the Network Connectivity API (v1) as model values."""

import re
from ipaddress import ip_network
from typing import Any

import msgspec

from netplan_planner.model import Hub, ResourceRef, Spoke, SpokeKind, last_part
from netplan_planner.model.project.hubs import ALL_PRIVATE, MESH, WORDS
from netplan_planner.readers import links
from netplan_planner.readers.compute.wire import Wire


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


class WireSpoke(Wire):
    """`Spoke`, whose name is its whole path."""

    self_link: str | None = None
    name: str | None = None
    hub: str | None = None
    group: str | None = None
    state: str | None = None
    linked_vpc_network: WireLinkedNetwork | None = None
    linked_producer_vpc_network: WireLinkedNetwork | None = None
    # Of what else a spoke links only that it is there counts.
    linked_vpn_tunnels: Any = None
    linked_interconnect_attachments: Any = None
    linked_router_appliance_instances: Any = None


_NUMBER = re.compile(r"projects/\d+/global/networks/")
_KINDS = {
    "linked_vpc_network": SpokeKind.VPC,
    "linked_producer_vpc_network": SpokeKind.PRODUCER,
    "linked_vpn_tunnels": SpokeKind.VPN,
    "linked_interconnect_attachments": SpokeKind.INTERCONNECT,
    "linked_router_appliance_instances": SpokeKind.APPLIANCE,
}
"""By what a spoke links: `spokeType` is not in every answer."""


def hub(wire: WireHub, ref: ResourceRef, problems: links.Problems) -> Hub:
    """Return one hub; one that states no topology is a mesh, as documented."""
    project, _, _, name = links.place_of(ref.self_link)
    return Hub(ref=ref, project=project, name=name, topology=wire.preset_topology or MESH)


def spoke(wire: WireSpoke, ref: ResourceRef, problems: links.Problems) -> Spoke:
    """Return one spoke.

    Raises:
        Unusable: If it names no hub, or is one of a VPC network that it does not name.
    """
    project, _, _, name = links.place_of(ref.self_link)
    kinds = (kind for name, kind in _KINDS.items() if getattr(wire, name) is not None)
    kind = next(kinds, SpokeKind.OTHER)
    linked = wire.linked_vpc_network or wire.linked_producer_vpc_network or WireLinkedNetwork()
    uri = links.needed(linked.uri, "linkedVpcNetwork.uri") if kind is SpokeKind.VPC else None
    if uri and not project.isdigit():
        # A spoke is of its network's project, whose number may stand for its id.
        uri = _NUMBER.sub(f"projects/{project}/global/networks/", uri)
    return Spoke(
        ref=ref,
        project=project,
        name=name,
        hub=links.resolve(links.needed(wire.hub, "hub"), project),
        kind=kind,
        network=links.network_link(uri, project) if uri else None,
        group=last_part(wire.group) if wire.group else None,
        state=wire.state,
        exported=tuple(sorted(map(_range, linked.include_export_ranges))) or (ALL_PRIVATE,),
        not_exported=tuple(sorted(map(_range, linked.exclude_export_ranges))),
    )


def _range(text: str) -> str:
    """Return a range as it is.

    Raises:
        Unusable: If it is neither a range nor a word for several: the rest would be too much.
    """
    try:
        return text if text in WORDS else str(ip_network(text, strict=False))
    except ValueError as exc:
        raise links.Unusable(f"no range of addresses: {text[:50]}") from exc
