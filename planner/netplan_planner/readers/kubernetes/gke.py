"""GKE clusters and node pools, of the Kubernetes Engine API and of `gcloud container … list`.

The API prints `{"clusters": […]}` and `{"nodePools": […]}`, `gcloud` bare lists, both also single
ones; a cluster holds its node pools. Links name a zone, a region or a location: here always a
location. Names of networks are bare beside the `networkConfig` that has their links.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from netplan_planner import model
from netplan_planner.model.project.gke import Cluster, NodePool
from netplan_planner.readers import links
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import Kind
from netplan_planner.readers.compute.wire import LARGEST_COUNT, Count, Wire, WirePerformance


class WireSwitch(Wire):
    """Any message whose `enabled` alone is read."""

    enabled: bool | None = None


class WireClusterNetwork(Wire):
    """`NetworkConfig` of a cluster."""

    network: str | None = None
    subnetwork: str | None = None
    datapath_provider: str | None = None
    enable_intra_node_visibility: bool | None = None
    enable_multi_networking: bool | None = None
    in_transit_encryption_config: str | None = None


class WireIpAllocation(Wire):
    """`IPAllocationPolicy`."""

    use_ip_aliases: bool | None = None
    cluster_ipv4_cidr_block: str | None = None
    services_ipv4_cidr_block: str | None = None
    stack_type: str | None = None


class WireAddons(Wire):
    """`AddonsConfig`."""

    dns_cache_config: WireSwitch | None = None


class WireReleaseChannel(Wire):
    """`ReleaseChannel`."""

    channel: str | None = None


class WireCluster(Wire):
    """`Cluster`."""

    name: str | None = None
    self_link: str | None = None
    locations: list[str] | None = None
    network: str | None = None
    subnetwork: str | None = None
    status: str | None = None
    current_master_version: str | None = None
    current_node_count: Count | None = None
    autopilot: WireSwitch | None = None
    cluster_ipv4_cidr: str | None = None
    services_ipv4_cidr: str | None = None
    network_config: WireClusterNetwork | None = None
    ip_allocation_policy: WireIpAllocation | None = None
    addons_config: WireAddons | None = None
    network_policy: WireSwitch | None = None
    release_channel: WireReleaseChannel | None = None


class WireNodeConfig(Wire):
    """`NodeConfig`; its metadata is not read."""

    machine_type: str | None = None
    image_type: str | None = None
    spot: bool | None = None
    preemptible: bool | None = None
    gvnic: WireSwitch | None = None
    fast_socket: WireSwitch | None = None
    labels: dict[str, str] | None = None


class WireAutoscaling(Wire):
    """`NodePoolAutoscaling`."""

    enabled: bool | None = None
    min_node_count: Count | None = None
    max_node_count: Count | None = None
    total_min_node_count: Count | None = None
    total_max_node_count: Count | None = None


class WireConstraint(Wire):
    """`MaxPodsConstraint`."""

    max_pods_text: str | int | None = msgspec.field(name="maxPodsPerNode", default=None)

    @property
    def max_pods_per_node(self) -> int | None:
        """The number, None where it is none."""
        text = str(self.max_pods_text)
        number = int(text) if text.isdecimal() and len(text) < 16 else None
        return number if number is not None and number <= LARGEST_COUNT else None


class WirePlacement(Wire):
    """`PlacementPolicy`."""

    type: str | None = None


class WireAdditionalNetwork(Wire):
    """`AdditionalNodeNetworkConfig`."""

    network: str | None = None


class WirePoolNetwork(Wire):
    """`NodeNetworkConfig`."""

    pod_ipv4_cidr_block: str | None = None
    network_performance_config: WirePerformance | None = None
    additional_node_network_configs: list[WireAdditionalNetwork] | None = None


class WireNodePool(Wire):
    """`NodePool`."""

    name: str | None = None
    self_link: str | None = None
    config: WireNodeConfig | None = None
    locations: list[str] | None = None
    status: str | None = None
    version: str | None = None
    instance_group_urls: list[str] | None = None
    initial_node_count: Count | None = None
    autoscaling: WireAutoscaling | None = None
    max_pods_constraint: WireConstraint | None = None
    placement_policy: WirePlacement | None = None
    network_config: WirePoolNetwork | None = None


name = "gke"

CLUSTERS, POOLS = "clusters", "nodePools"

ASSET_TYPES = {
    "container.googleapis.com/Cluster": CLUSTERS,
    "container.googleapis.com/NodePool": POOLS,
}

_ANSWER_KEYS = frozenset({CLUSTERS, POOLS, "missingZones", "nextPageToken"})

_CLUSTER_KEYS = frozenset({"currentMasterVersion", "location", "name"})

_HOSTS = ("container.googleapis.com", "container/")


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take the clusters and node pools of a JSON document; return whether it has or lists any."""
    if isinstance(value, dict) and value.keys() <= _ANSWER_KEYS and _lists(value):
        for listed in _lists(value):
            into.listed.add(KINDS[listed].field)
            for index, item in enumerate(value[listed]):
                _take(item, listed, origin, f"/{listed}/{index}", into)
        into.page(origin.prefix, origin.file, is_last=not value.get("nextPageToken"))
        for zone in _texts(value.get("missingZones")):
            into.note(origin.file, f"incomplete: clusters of {zone} are missing")
        return True
    if isinstance(value, list):
        found = [_collection_of(item) for item in value]
        if not any(found):
            return False
        for index, (item, collection) in enumerate(zip(value, found, strict=True)):
            if collection is None:
                into.note(origin.at(f"/{index}"), "not a GKE cluster or node pool")
            else:
                _take(item, collection, origin, f"/{index}", into)
        return True
    single = _collection_of(value)
    if single is not None:
        _take(value, single, origin, "", into)
    return single is not None


def take_asset(
    data: Mapping[str, Any], asset_type: str, origin: Origin, pointer: str, into: Collector
) -> None:
    """Take the resource data of an asset of one of `ASSET_TYPES`."""
    _take(data, ASSET_TYPES[asset_type], origin, pointer, into)


def _lists(value: Mapping[str, Any]) -> list[str]:
    return [c for c in (CLUSTERS, POOLS) if isinstance(value.get(c), list)]


def _texts(value: object) -> Iterable[str]:
    return (str(item)[:100] for item in value) if isinstance(value, list) else ()


def _collection_of(item: object) -> str | None:
    """Return which of the two an object is, by its link, else by its fields."""
    if not isinstance(item, dict):
        return None
    link = item.get("selfLink")
    if isinstance(link, str) and any(host in link for host in _HOSTS):
        place = _place(model.canonical_link(link))
        return (POOLS if POOLS in place else CLUSTERS) if CLUSTERS in place else None
    if item.keys() >= _CLUSTER_KEYS:
        return CLUSTERS
    return None


def _place(link: str) -> dict[str, str]:
    """Return the parts of a link by their collections.

    >>> _place("projects/p/locations/l/clusters/c")
    {'projects': 'p', 'locations': 'l', 'clusters': 'c'}
    """
    parts = link.split("/")
    return dict(zip(parts[::2], parts[1::2], strict=False))


def cluster_link(stated: str) -> model.SelfLink:
    """Return the one spelling of a link of a cluster or node pool.

    Raises:
        Unusable: If it names no project, location and cluster.
    """
    place = _place(model.canonical_link(stated))
    location = place.get("locations") or place.get("zones") or place.get("regions")
    project, cluster = place.get("projects"), place.get(CLUSTERS)
    if not (project and location and cluster):
        raise links.Unusable("its self link has no project, location and cluster")
    pool = f"/{POOLS}/{place[POOLS]}" if place.get(POOLS) else ""
    return model.SelfLink(f"projects/{project}/locations/{location}/{CLUSTERS}/{cluster}{pool}")


def _take(item: object, collection: str, origin: Origin, pointer: str, into: Collector) -> None:
    kind = KINDS[collection]
    into.listed.add(kind.field)
    try:
        if not isinstance(item, dict):
            raise links.Unusable("not an object")
        stated = item.get("selfLink")
        link = cluster_link(stated if isinstance(stated, str) else "")
    except links.Unusable as exc:
        into.note(origin.at(pointer), f"GKE {collection}: {exc}")
        return
    into.add_raw(kind, item, link, origin.at(pointer))
    pools = item.get(POOLS) if collection == CLUSTERS else None
    if isinstance(pools, list):
        into.listed.add(KINDS[POOLS].field)
        for index, pool in enumerate(pools):
            if isinstance(pool, dict) and not pool.get("selfLink"):
                # What an export of a cluster leaves out of its own node pools.
                pool = pool | {"selfLink": f"{link}/{POOLS}/{pool.get('name')}"}
            _take(pool, POOLS, origin, f"{pointer}/{POOLS}/{index}", into)


def _cluster(wire: WireCluster, ref: model.ResourceRef, problems: links.Problems) -> Cluster:
    place = _place(ref.self_link)
    project, location = model.ProjectId(place["projects"]), place["locations"]
    own, addresses, addons = wire.network_config, wire.ip_allocation_policy, wire.addons_config
    own = own or WireClusterNetwork()
    network, subnetwork = own.network or wire.network, own.subnetwork or wire.subnetwork
    return Cluster(
        ref=ref,
        project=project,
        name=wire.name or place[CLUSTERS],
        location=location,
        zones=tuple(sorted(model.Zone(links.bare_name(zone)) for zone in wire.locations or ())),
        network=links.network_link(network, project) if network else None,
        subnetwork=(
            links.subnetwork_link(subnetwork, project, _region(location)) if subnetwork else None
        ),
        status=wire.status,
        version=wire.current_master_version,
        release_channel=wire.release_channel.channel if wire.release_channel else None,
        node_count=wire.current_node_count,
        is_autopilot=_enabled(wire.autopilot),
        pod_range=wire.cluster_ipv4_cidr
        or (addresses.cluster_ipv4_cidr_block if addresses else None),
        service_range=wire.services_ipv4_cidr
        or (addresses.services_ipv4_cidr_block if addresses else None),
        is_vpc_native=addresses.use_ip_aliases if addresses else None,
        stack_type=addresses.stack_type if addresses else None,
        datapath_provider=own.datapath_provider,
        has_network_policy=_enabled(wire.network_policy),
        has_intra_node_visibility=own.enable_intra_node_visibility,
        has_multi_networking=own.enable_multi_networking,
        has_node_local_dns=_enabled(addons.dns_cache_config) if addons else None,
        in_transit_encryption=own.in_transit_encryption_config,
    )


def _region(location: str) -> model.Region:
    """Return the region of a location: the region itself, or that of a zone.

    >>> _region("europe-west4"), _region("europe-west4-a")
    ('europe-west4', 'europe-west4')
    """
    last = location.rpartition("-")[2]
    return (
        model.region_of(location) if len(last) == 1 and last.isalpha() else model.Region(location)
    )


def _enabled(switch: WireSwitch | None) -> bool | None:
    """Return a switch; one that stands there without a value is off, as the API leaves it out."""
    return None if switch is None else switch.enabled is True


def _node_pool(wire: WireNodePool, ref: model.ResourceRef, problems: links.Problems) -> NodePool:
    place = _place(ref.self_link)
    project = model.ProjectId(place["projects"])
    config, own = wire.config or WireNodeConfig(), wire.network_config or WirePoolNetwork()
    stated = wire.autoscaling
    scaling = stated if stated is not None and stated.enabled is True else WireAutoscaling()
    constraint = wire.max_pods_constraint
    return NodePool(
        ref=ref,
        project=project,
        name=wire.name or place.get(POOLS, ""),
        cluster=model.SelfLink(ref.self_link.partition(f"/{POOLS}/")[0]),
        machine_type=links.bare_name(config.machine_type) if config.machine_type else None,
        zones=tuple(sorted(model.Zone(links.bare_name(zone)) for zone in wire.locations or ())),
        status=wire.status,
        version=wire.version,
        image_type=config.image_type,
        is_spot=config.spot is True or config.preemptible is True,
        bandwidth_tier=_tier(own, problems),
        has_gvnic=_enabled(config.gvnic),
        has_fast_socket=_enabled(config.fast_socket),
        is_compact=None
        if wire.placement_policy is None
        else wire.placement_policy.type == "COMPACT",
        instance_groups=tuple(
            sorted(links.resolve(link, project) for link in wire.instance_group_urls or ())
        ),
        initial_node_count=wire.initial_node_count,
        min_node_count=scaling.min_node_count,
        max_node_count=scaling.max_node_count,
        total_min_node_count=scaling.total_min_node_count,
        total_max_node_count=scaling.total_max_node_count,
        max_pods_per_node=constraint.max_pods_per_node if constraint else None,
        pod_range=own.pod_ipv4_cidr_block,
        additional_networks=tuple(
            links.network_link(one.network, project)
            for one in own.additional_node_network_configs or ()
            if one.network
        ),
        labels=tuple(sorted((config.labels or {}).items())),
    )


def _tier(own: WirePoolNetwork, problems: links.Problems) -> model.BandwidthTier:
    stated = own.network_performance_config
    tier = stated.total_egress_bandwidth_tier if stated else None
    if tier in {None, "DEFAULT", "TIER_UNSPECIFIED"}:
        return model.BandwidthTier.DEFAULT
    if tier != "TIER_1":
        field = "networkConfig.networkPerformanceConfig.totalEgressBandwidthTier"
        problems.append((field, f"unknown value {str(tier)[:40]!r}, read as DEFAULT"))
        return model.BandwidthTier.DEFAULT
    return model.BandwidthTier.TIER_1


KINDS = {
    CLUSTERS: Kind(CLUSTERS, "cluster", "clusters", WireCluster, _cluster, frozenset()),
    POOLS: Kind(POOLS, "nodePool", "node_pools", WireNodePool, _node_pool, frozenset()),
}
