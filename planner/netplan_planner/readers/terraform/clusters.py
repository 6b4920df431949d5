"""GKE clusters of Terraform's files, and their node pools: resources of their own, or blocks.

A cluster's `node_pool` also lists, in states and in plans for what is there already, the pools
that have resources of their own, and those that a plan destroys: what the resources say counts.
Where no pool is stated GKE makes one of the cluster's own settings, whose name it chooses.
"""

from collections.abc import Callable

from msgspec.structs import replace

from netplan_planner.model import UNKNOWN_PROJECT, SelfLink, last_part
from netplan_planner.model.project.gke import NodePool
from netplan_planner.readers.kubernetes.gke import CLUSTERS, KINDS, POOLS, cluster_link
from netplan_planner.readers.links import Unusable
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns
from netplan_planner.readers.terraform.context import Context, where_of
from netplan_planner.readers.terraform.layout import Entry
from netplan_planner.readers.terraform.machines import JsonObject, stated
from netplan_planner.readers.terraform.types import NODE_POOL, TYPES, Type

_VPC_NATIVE = "VPC_NATIVE"


_CLUSTER = TYPES["google_container_cluster"]


_POOL = Type(POOLS, _CLUSTER.scope, KINDS[POOLS])


DEFAULT_POOL = "(default pool)"
"""Stands for the name that GKE chooses; no pool's name has parentheses."""


class Clusters:
    """The clusters of a document; its node pools are to be taken before them."""

    def __init__(self, context: Context, destroyed: tuple[Entry, ...]) -> None:
        self._context = context
        self._apart: set[SelfLink] = set()
        for entry in destroyed:
            if entry.type == NODE_POOL:
                held = context.attributes(entry, Unknowns())
                try:
                    self._apart.add(self._link_of_pool(entry, held))
                except Unusable:
                    continue

    def take_pool(self, entry: Entry) -> None:
        """Take a node pool that is a resource of its own."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        try:
            link = self._link_of_pool(entry, held)
        except Unusable as exc:
            self._context.note(entry, str(exc))
            return
        self._apart.add(link)
        self._add(entry, link, held, node_pool(held))
        self._context.note_unknown(entry, link, notes)

    def _link_of_pool(self, entry: Entry, held: Attributes) -> SelfLink:
        made = held.text("id")
        if made is not None and f"/{POOLS}/" in made:
            return cluster_link(made)
        name = held.text("name") or f"({entry.address.replace('/', '%2F')})"
        return SelfLink(f"{self._cluster_of(entry, held)}/{POOLS}/{name}")

    def _cluster_of(self, entry: Entry, held: Attributes) -> SelfLink:
        """Return the cluster of a pool, which states its name or its link.

        What the configuration refers to comes first: a name alone lacks the project.
        """
        stated = held.link("cluster")
        if not stated:
            raise Unusable("its cluster is unknown")
        for link in held.referred("cluster"):
            if last_part(link) == last_part(stated):
                return SelfLink(link)
        if "/" in stated:
            return cluster_link(stated)
        configuration = self._context.configuration
        project = held.text("project") or configuration.provider_default(entry, "project")
        where = last_part(where_of(entry, _CLUSTER, configuration))
        return SelfLink(
            f"projects/{project or UNKNOWN_PROJECT}/locations/{where}/{CLUSTERS}/{stated}"
        )

    def take(self, entry: Entry, link: SelfLink) -> None:
        """Take a cluster, and the node pools that it states itself."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        raw = cluster(held, link.split("/")[3])
        self._context.add(entry, _CLUSTER, link, raw)
        for number, block in enumerate(held.blocks("node_pool"), 1):
            pool = SelfLink(f"{link}/{POOLS}/{block.text('name') or f'(node pool {number})'}")
            if pool not in self._apart:
                self._add(entry, pool, block, node_pool(block))
        default = default_pool(held)
        if default is not None:
            self._add(entry, SelfLink(f"{link}/{POOLS}/{DEFAULT_POOL}"), held, default)
        self._context.note_unknown(entry, link, notes)

    def _add(self, entry: Entry, link: SelfLink, held: Attributes, raw: JsonObject) -> None:
        self._context.add(entry, _POOL, link, raw, _with_unknowns(held))


def _with_unknowns(held: Attributes) -> Callable[[NodePool], NodePool] | None:
    """Return what takes from a pool what is not known: the API leaves out what is off."""
    is_spot_known, is_tier_known = not is_spot_unknown(held), not is_tier_unknown(held)
    if is_spot_known and is_tier_known:
        return None
    return lambda pool: replace(
        pool,
        is_spot=pool.is_spot if is_spot_known else None,
        bandwidth_tier=pool.bandwidth_tier if is_tier_known else None,
    )


def cluster(a: Attributes, location: str) -> JsonObject:
    """Return a cluster, less its node pools.

    `min_master_version` is what was asked at least, so the version is that of the state alone.
    """
    addons, policy = a.block("addons_config"), a.block("network_policy")
    channel = a.block("release_channel")
    return stated(
        {
            "locations": _zones(a, location),
            "currentMasterVersion": a.get("master_version"),
            "autopilot": _switched(a.get("enable_autopilot")),
            "clusterIpv4Cidr": _range(a.get("cluster_ipv4_cidr")),
            "servicesIpv4Cidr": _range(a.get("services_ipv4_cidr")),
            "networkConfig": stated(
                {
                    **a.linked("network", "subnetwork"),
                    "datapathProvider": a.get("datapath_provider"),
                    "enableIntraNodeVisibility": a.get("enable_intranode_visibility"),
                    **a.named("enable_multi_networking", "in_transit_encryption_config"),
                }
            ),
            "ipAllocationPolicy": _addresses(a),
            "addonsConfig": None
            if addons is None
            else stated({"dnsCacheConfig": _switch(addons, "dns_cache_config")}),
            "networkPolicy": None if policy is None else stated({"enabled": policy.get("enabled")}),
            "releaseChannel": None
            if channel is None
            else stated({"channel": channel.get("channel")}),
        }
    )


def _zones(a: Attributes, location: str) -> list[str] | None:
    """Return all zones; the provider leaves out the one that a zonal cluster stands in."""
    others = a.texts("node_locations")
    is_zonal = location.count("-") > 1
    return None if others is None else [*others, *([location] if is_zonal else [])]


def _addresses(a: Attributes) -> JsonObject | None:
    """Return `ipAllocationPolicy`.

    A cluster with this block and no `networking_mode` is VPC-native
    (registry.terraform.io/providers/hashicorp/google, container_cluster, read 2026-11-23).
    """
    block, mode = a.block("ip_allocation_policy"), a.get("networking_mode")
    if block is None:
        return None if mode is None else {"useIpAliases": mode == _VPC_NATIVE}
    return stated(
        {
            "useIpAliases": None
            if mode is None and a.is_asked("networking_mode")
            else mode in {None, _VPC_NATIVE},
            "clusterIpv4CidrBlock": _range(block.get("cluster_ipv4_cidr_block")),
            "servicesIpv4CidrBlock": _range(block.get("services_ipv4_cidr_block")),
            "stackType": block.get("stack_type"),
        }
    )


def node_pool(a: Attributes) -> JsonObject:
    """Return a node pool: a resource of its own, or a block of its cluster."""
    scaling, placement = a.block("autoscaling"), a.block("placement_policy")
    config, network = a.block("node_config"), a.block("network_config")
    most = a.get("max_pods_per_node")
    return stated(
        {
            "config": None if config is None else _node(config),
            "locations": a.texts("node_locations"),
            "version": a.get("version"),
            "instanceGroupUrls": _managers(a),
            # The provider makes a pool with the number of nodes that it shall have.
            "initialNodeCount": a.get("initial_node_count") or a.get("node_count"),
            "autoscaling": None if scaling is None else _scaling(scaling),
            "maxPodsConstraint": {"maxPodsPerNode": str(most)} if most else None,
            "placementPolicy": None
            if placement is None
            else stated({"type": placement.get("type")}),
            "networkConfig": None if network is None else _pool_network(network),
        }
    )


def default_pool(a: Attributes) -> JsonObject | None:
    """Return the node pool that GKE makes of a cluster's own settings, None where it makes none.

    It does so for a cluster whose node pools are not stated, unless it is an Autopilot cluster or
    the pool is removed at once.
    """
    is_left = a.get("remove_default_node_pool") is True or a.get("enable_autopilot") is True
    count = a.get("initial_node_count")
    if is_left or a.is_asked("node_pool") or not a.is_unknown("node_pool") or not count:
        return None
    config = a.block("node_config")
    return stated({"config": None if config is None else _node(config), "initialNodeCount": count})


def is_spot_unknown(a: Attributes) -> bool:
    """Return whether a pool's nodes may be Spot, which is known after apply only."""
    config = a.block("node_config")
    if config is None:
        return a.is_asked("node_config")
    flags = ("spot", "preemptible")
    is_spot = any(config.get(flag) is True for flag in flags)
    return not is_spot and any(config.is_unknown(flag) for flag in flags)


def is_tier_unknown(a: Attributes) -> bool:
    """Return whether the configuration gives a pool a bandwidth tier that is not known yet."""
    network = a.block("network_config")
    if network is None:
        return a.is_asked("network_config")
    performance = network.block("network_performance_config")
    if performance is None:
        return network.is_unknown("network_performance_config")
    return performance.is_unknown("total_egress_bandwidth_tier")


def _node(block: Attributes) -> JsonObject:
    return stated(
        {
            **block.named("machine_type", "image_type", "spot", "preemptible"),
            "gvnic": _switch(block, "gvnic"),
            "fastSocket": _switch(block, "fast_socket"),
            "labels": block.get("labels"),
        }
    )


def _scaling(block: Attributes) -> JsonObject:
    """Return `autoscaling`; limits of the whole pool leave those of a zone at 0, or they it."""
    return {
        "enabled": True,
        "minNodeCount": block.get("min_node_count") or None,
        "maxNodeCount": block.get("max_node_count") or None,
        "totalMinNodeCount": block.get("total_min_node_count") or None,
        "totalMaxNodeCount": block.get("total_max_node_count") or None,
    }


def _pool_network(block: Attributes) -> JsonObject:
    performance = block.block("network_performance_config")
    return stated(
        {
            "podIpv4CidrBlock": _range(block.get("pod_ipv4_cidr_block")),
            "networkPerformanceConfig": None
            if performance is None
            else stated(
                {"totalEgressBandwidthTier": performance.get("total_egress_bandwidth_tier")}
            ),
            "additionalNodeNetworkConfigs": [
                stated({"network": one.link("network")})
                for one in block.blocks("additional_node_network_configs")
            ],
        }
    )


def _managers(a: Attributes) -> list[str]:
    """Return the links of managers; `managed_instance_group_urls` has those of their groups."""
    found = a.texts("instance_group_urls") or []
    return [link for link in found if isinstance(link, str) and "/instanceGroupManagers/" in link]


def _switch(a: Attributes, name: str) -> JsonObject | None:
    block = a.block(name)
    return None if block is None else stated({"enabled": block.get("enabled")})


def _switched(value: object) -> JsonObject | None:
    return None if value is None else {"enabled": value}


def _range(value: object) -> object:
    """Return a range; `/14` asks for one of that size, and Google says which when it makes it."""
    return None if isinstance(value, str) and value.startswith("/") else value
