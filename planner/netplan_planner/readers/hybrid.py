"""Attachments of Cloud Interconnect in the API's words."""

from netplan_planner.model import Region, ResourceRef, VlanAttachment
from netplan_planner.readers.links import (
    Problems,
    bare_name,
    place_of,
    region_at,
    resolve_optional,
)
from netplan_planner.readers.wire import WireAttachment


def attachment(wire: WireAttachment, ref: ResourceRef, problems: Problems) -> VlanAttachment:
    """Return one VLAN attachment; its network is that of its router."""
    project, _, _, name = place_of(ref.self_link)
    region = region_at(ref.self_link, wire.region)
    return VlanAttachment(
        ref=ref,
        project=project,
        name=wire.name or name,
        region=Region(bare_name(region)) if region else None,
        kind=wire.type,
        bandwidth=wire.bandwidth,
        router=resolve_optional(wire.router, project),
        is_enabled=wire.admin_enabled,
        mtu_bytes=wire.mtu,
    )
