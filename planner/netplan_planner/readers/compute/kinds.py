"""The kinds of Compute resources: which ones netplan reads, and how each is recognised.

A resource says what it is by `kind` (`compute#instance`), else by the collection in its self link
(`…/instances/name`), else by fields that only this kind has.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_type_hints

from netplan_planner import model
from netplan_planner.readers import links
from netplan_planner.readers.compute import groups, hubs, instances, networks, wire
from netplan_planner.readers.compute.network_wire import WireAttachment
from netplan_planner.readers.compute.wire import WireRecommendation, WireResourcePolicy, WireVolume


def attachment(
    wire: WireAttachment, ref: model.ResourceRef, problems: links.Problems
) -> model.VlanAttachment:
    """Return one VLAN attachment; its network is that of its router."""
    project, _, _, name = links.place_of(ref.self_link)
    region = links.region_at(ref.self_link, wire.region)
    return model.VlanAttachment(
        ref=ref,
        project=project,
        name=wire.name or name,
        region=model.Region(links.bare_name(region)) if region else None,
        kind=wire.type,
        bandwidth=wire.bandwidth,
        router=links.resolve_optional(wire.router, project),
        is_enabled=wire.admin_enabled,
        mtu_bytes=wire.mtu,
        state=wire.state,
    )


_COMPACT = "COLLOCATED"
"""`collocation` of a compact placement policy; a spread policy states a number of domains."""


def disk(wire: WireVolume, ref: model.ResourceRef, problems: links.Problems) -> model.Disk:
    """Return one disk; a planned one need not state its type."""
    project, _, _, name = links.place_of(ref.self_link)
    return model.Disk(
        ref=ref,
        project=project,
        name=wire.name or name,
        disk_type=links.bare_name(wire.type) if wire.type else None,
        users=tuple(sorted(links.resolve(user, project) for user in wire.users)),
        source_image=links.resolve_optional(wire.source_image, project),
    )


def resource_policy(
    wire: WireResourcePolicy, ref: model.ResourceRef, problems: links.Problems
) -> model.ResourcePolicy:
    """Return one resource policy; schedules of snapshots and of machines are none of placement."""
    project, _, _, name = links.place_of(ref.self_link)
    placement = wire.group_placement_policy
    return model.ResourcePolicy(
        ref=ref,
        project=project,
        name=wire.name or name,
        is_placement=placement is not None,
        is_compact=placement is not None and placement.collocation == _COMPACT,
    )


def recommendation(
    wire: WireRecommendation, ref: model.ResourceRef, problems: links.Problems
) -> model.TypeRecommendation:
    """Return one recommendation of another type for a machine."""
    project = model.ProjectId(ref.self_link.split("/")[1])
    return model.TypeRecommendation(
        ref=ref,
        project=project,
        instance=links.resolve(links.needed(wire.instance, "instance"), project),
        machine_type=links.needed(wire.machine_type, "machine type"),
        etag=wire.etag,
        state=wire.state_info.state if wire.state_info is not None else None,
    )


class Kind(NamedTuple):
    """A kind of resource that becomes part of the inventory.

    `convert` takes the wire value, the reference and a list for fields that could not be read.
    Machine types have no reference in the model and are converted apart.
    """

    collection: str
    """As links spell it."""
    singular: str
    """As `kind` spells it after `compute#`."""
    field: str
    """The field of `Inventory` that holds it."""
    wire: type[wire.Wire]
    convert: Callable[[Any, model.ResourceRef, links.Problems], model.Value] | None
    signature: frozenset[str]
    """Fields that together tell this kind from all others."""


def kind(
    collection: str,
    convert: Callable[[Any, model.ResourceRef, links.Problems], model.Value],
    signature: str = "",
    *,
    field: str = "",
    singular: str = "",
) -> Kind:
    """Return a kind; its wire value is what `convert` takes.

    Args:
        collection: As links spell it.
        convert: Makes the value of the model.
        signature: Names of the fields that tell it from all others.
        field: Of the inventory, where it is not spelt as the collection.
        singular: Where it is not the collection without its last letter.
    """
    return Kind(
        collection,
        singular or collection.removesuffix("s"),
        field or re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", collection),
        get_type_hints(convert)["wire"],
        convert,
        frozenset(signature.split()),
    )


KINDS = (
    kind("instances", instances.instance, "machineType networkInterfaces"),
    Kind(
        *("machineTypes", "machineType", "machine_shapes", wire.WireMachineType, None),
        frozenset({"guestCpus", "memoryMb"}),
    ),
    kind("subnetworks", networks.subnetwork, "ipCidrRange network region"),
    kind("routers", networks.router, "nats network region"),
    kind("routes", networks.route, "destRange network"),
    kind("forwardingRules", networks.forwarding_rule, "IPAddress IPProtocol"),
    kind("addresses", networks.address, "address addressType", singular="address"),
    kind("vpnTunnels", networks.vpn_tunnel, "peerIp ikeVersion"),
    kind(
        "interconnectAttachments",
        attachment,
        "vlanTag8021q edgeAvailabilityDomain",
        field="vlan_attachments",
    ),
    kind(
        "instanceGroupManagers",
        groups.group_manager,
        "baseInstanceName targetSize",
        field="instance_groups",
    ),
    kind("instanceGroups", groups.instance_group, "size namedPorts"),
    kind("commitments", groups.commitment, "plan resources endTimestamp"),
    kind("disks", disk, "sizeGb users physicalBlockSizeBytes"),
    kind(
        "resourcePolicies",
        resource_policy,
        "groupPlacementPolicy region",
        singular="resourcePolicy",
    ),
    kind("nodeGroups", groups.node_group, "nodeTemplate size"),
    kind("nodeTemplates", groups.node_template, "nodeType region status"),
    kind("networks", networks.network, "autoCreateSubnetworks routingConfig"),
    kind("projects", networks.project_settings, "defaultNetworkTier", field="project_settings"),
)
"""In the order in which shapes are tried: the more telling signatures first."""


FLOW_LOGS_CONFIGURATION = kind(
    "vpcFlowLogsConfigs", networks.flow_logs_configuration, field="flow_log_configurations"
)
"""Of the Network Management API, and so none of `KINDS`; see `located`."""


HUB, SPOKE = kind("hubs", hubs.hub), kind("spokes", hubs.spoke)
"""Of the Network Connectivity API; see `located`."""


RECOMMENDATION = kind("recommendations", recommendation, field="type_recommendations")
"""Of the Recommender API, and so none of `KINDS` either; see `recommender`."""


BY_COLLECTION = {one.collection: one for one in KINDS}


BY_SINGULAR = {one.singular: one for one in KINDS}


KIND_PREFIX = "compute#"


def compute_collection(link: str) -> str | None:
    """Return the collection of a link into the Compute API, None for any other link.

    >>> compute_collection("https://www.googleapis.com/compute/v1/projects/p/zones/z/disks/d")
    'disks'
    >>> compute_collection("https://container.googleapis.com/v1/projects/p/zones/z/clusters/c")
    """
    host, found, _ = link.partition("projects/")
    if not found or (host and "compute" not in host):
        return None
    parts = model.canonical_link(link).split("/")
    is_place = (len(parts) == 6 and parts[2] in {"zones", "regions"}) or (
        len(parts) == 5 and parts[2] == "global"
    )
    return parts[-2] if is_place else None


class Recognised(NamedTuple):
    """What a JSON object is: a kind that is read (`kind`), or the name of one that is not."""

    kind: Kind | None
    label: str


def recognise(item: Mapping[str, Any]) -> Recognised | None:
    """Return what Compute resource an object is, None when it is none."""
    stated = item.get("kind")
    if isinstance(stated, str) and stated.startswith(KIND_PREFIX):
        singular = stated.removeprefix(KIND_PREFIX)
        return Recognised(BY_SINGULAR.get(singular), stated[:100])
    link = item.get("selfLink")
    if isinstance(link, str):
        collection = compute_collection(link)
        if collection is not None:
            return Recognised(BY_COLLECTION.get(collection), f"{KIND_PREFIX}{collection}"[:100])
        if link:
            return None
    for one in KINDS:
        if item.keys() >= one.signature:
            return Recognised(one, one.collection)
    return None
