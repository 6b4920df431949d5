"""The kinds of Compute resources: which ones netplan reads, and how each is recognised.

A resource says what it is by `kind` (`compute#instance`), else by the collection in its self link
(`…/instances/name`), else by fields that only this kind has.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from netplan_planner.model import (
    Disk,
    ProjectId,
    Region,
    ResourcePolicy,
    ResourceRef,
    TypeRecommendation,
    Value,
    VlanAttachment,
    canonical_link,
)
from netplan_planner.readers.compute import groups, hubs, instances, networks, nodes, wire
from netplan_planner.readers.compute.wire import (
    WireAttachment,
    WireRecommendation,
    WireResourcePolicy,
    WireVolume,
)
from netplan_planner.readers.links import (
    Problems,
    bare_name,
    needed,
    place_of,
    region_at,
    resolve,
    resolve_optional,
)


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


_COMPACT = "COLLOCATED"
"""`collocation` of a compact placement policy; a spread policy states a number of domains."""


def disk(wire: WireVolume, ref: ResourceRef, problems: Problems) -> Disk:
    """Return one disk; a planned one need not state its type."""
    project, _, _, name = place_of(ref.self_link)
    return Disk(
        ref=ref,
        project=project,
        name=wire.name or name,
        disk_type=bare_name(wire.type) if wire.type else None,
        users=tuple(sorted(resolve(user, project) for user in wire.users)),
    )


def resource_policy(
    wire: WireResourcePolicy, ref: ResourceRef, problems: Problems
) -> ResourcePolicy:
    """Return one resource policy; schedules of snapshots and of machines are none of placement."""
    project, _, _, name = place_of(ref.self_link)
    placement = wire.group_placement_policy
    return ResourcePolicy(
        ref=ref,
        project=project,
        name=wire.name or name,
        is_placement=placement is not None,
        is_compact=placement is not None and placement.collocation == _COMPACT,
    )


def recommendation(
    wire: WireRecommendation, ref: ResourceRef, problems: Problems
) -> TypeRecommendation:
    """Return one recommendation of another type for a machine."""
    project = ProjectId(ref.self_link.split("/")[1])
    return TypeRecommendation(
        ref=ref,
        project=project,
        instance=resolve(needed(wire.instance, "instance"), project),
        machine_type=needed(wire.machine_type, "machine type"),
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
    convert: Callable[[Any, ResourceRef, Problems], Value] | None
    signature: frozenset[str]
    """Fields that together tell this kind from all others."""


def _kind(
    collection: str,
    singular: str,
    field: str,
    wire_type: type[wire.Wire],
    convert: Callable[[Any, ResourceRef, Problems], Value] | None,
    signature: str,
) -> Kind:
    return Kind(collection, singular, field, wire_type, convert, frozenset(signature.split()))


KINDS = (
    _kind(
        "instances",
        "instance",
        "instances",
        wire.WireInstance,
        instances.instance,
        "machineType networkInterfaces",
    ),
    _kind(
        "machineTypes",
        "machineType",
        "machine_shapes",
        wire.WireMachineType,
        None,
        "guestCpus memoryMb",
    ),
    _kind(
        "subnetworks",
        "subnetwork",
        "subnetworks",
        wire.WireSubnetwork,
        networks.subnetwork,
        "ipCidrRange network region",
    ),
    _kind(
        "routers",
        "router",
        "routers",
        wire.WireRouter,
        networks.router,
        "nats network region",
    ),
    _kind("routes", "route", "routes", wire.WireRoute, networks.route, "destRange network"),
    _kind(
        "forwardingRules",
        "forwardingRule",
        "forwarding_rules",
        wire.WireForwardingRule,
        networks.forwarding_rule,
        "IPAddress IPProtocol",
    ),
    _kind(
        "addresses",
        "address",
        "addresses",
        wire.WireAddress,
        networks.address,
        "address addressType",
    ),
    _kind(
        "vpnTunnels",
        "vpnTunnel",
        "vpn_tunnels",
        wire.WireVpnTunnel,
        networks.vpn_tunnel,
        "peerIp ikeVersion",
    ),
    _kind(
        "interconnectAttachments",
        "interconnectAttachment",
        "vlan_attachments",
        wire.WireAttachment,
        attachment,
        "vlanTag8021q edgeAvailabilityDomain",
    ),
    _kind(
        "instanceGroupManagers",
        "instanceGroupManager",
        "instance_groups",
        wire.WireManager,
        groups.group_manager,
        "baseInstanceName targetSize",
    ),
    _kind(
        "instanceGroups",
        "instanceGroup",
        "instance_groups",
        wire.WireInstanceGroup,
        groups.instance_group,
        "size namedPorts",
    ),
    _kind(
        "commitments",
        "commitment",
        "commitments",
        wire.WireCommitment,
        groups.commitment,
        "plan resources endTimestamp",
    ),
    _kind(
        "disks",
        "disk",
        "disks",
        wire.WireVolume,
        disk,
        "sizeGb users physicalBlockSizeBytes",
    ),
    _kind(
        "resourcePolicies",
        "resourcePolicy",
        "resource_policies",
        wire.WireResourcePolicy,
        resource_policy,
        "groupPlacementPolicy region",
    ),
    _kind(
        "nodeGroups",
        "nodeGroup",
        "node_groups",
        nodes.WireNodeGroup,
        nodes.node_group,
        "nodeTemplate size",
    ),
    _kind(
        "nodeTemplates",
        "nodeTemplate",
        "node_templates",
        nodes.WireNodeTemplate,
        nodes.node_template,
        "nodeType region status",
    ),
    _kind(
        "networks",
        "network",
        "networks",
        wire.WireNetwork,
        networks.network,
        "autoCreateSubnetworks routingConfig",
    ),
)
"""In the order in which shapes are tried: the more telling signatures first."""


FLOW_LOGS_CONFIGURATION = _kind(
    "vpcFlowLogsConfigs",
    "vpcFlowLogsConfig",
    "flow_log_configurations",
    wire.WireFlowLogsConfiguration,
    networks.flow_logs_configuration,
    "",
)
"""Of the Network Management API, and so none of `KINDS`; see `located`."""


HUB = _kind("hubs", "hub", "hubs", hubs.WireHub, hubs.hub, "")
SPOKE = _kind("spokes", "spoke", "spokes", hubs.WireSpoke, hubs.spoke, "")
"""Of the Network Connectivity API; see `located`."""


RECOMMENDATION = _kind(
    "recommendations",
    "recommendation",
    "type_recommendations",
    wire.WireRecommendation,
    recommendation,
    "",
)
"""Of the Recommender API, and so none of `KINDS` either; see `recommender`."""


BY_COLLECTION = {kind.collection: kind for kind in KINDS}


BY_SINGULAR = {kind.singular: kind for kind in KINDS}


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
    parts = canonical_link(link).split("/")
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
    for kind in KINDS:
        if item.keys() >= kind.signature:
            return Recognised(kind, kind.collection)
    return None
