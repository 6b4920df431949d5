"""The kinds of Compute resources: which ones netplan reads, and how each is recognised.

A resource says what it is by `kind` (`compute#instance`), else by the collection in its self link
(`…/instances/name`), else by fields that only this kind has.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from netplan_planner.model import ResourceRef, Value, canonical_link
from netplan_planner.readers import advice, disks, groups, hybrid, instances, networks, wire
from netplan_planner.readers.links import Problems


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
    _kind("routers", "router", "routers", wire.WireRouter, networks.router, "nats network region"),
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
        hybrid.attachment,
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
        disks.disk,
        "sizeGb users physicalBlockSizeBytes",
    ),
    _kind(
        "resourcePolicies",
        "resourcePolicy",
        "resource_policies",
        wire.WireResourcePolicy,
        disks.resource_policy,
        "groupPlacementPolicy region",
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
"""Of the Network Management API, and so none of `KINDS`; see `network_management`."""

RECOMMENDATION = _kind(
    "recommendations",
    "recommendation",
    "type_recommendations",
    wire.WireRecommendation,
    advice.recommendation,
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
