"""GKE clusters and node pools of Terraform's plans and states."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import BandwidthTier, Inventory
from netplan_planner.model.project.gke import Cluster, NodePool
from netplan_planner.readers import read_inventory
from support.listed import listed
from support.projects.plans import change, configured, plan, refers

CLUSTER, POOL = "google_container_cluster", "google_container_node_pool"
PLACED = {"name": "shop", "project": "p", "location": "us-central1-a"}
LINK = "projects/p/locations/us-central1-a/clusters/shop"
NOT_YET = {"node_pool": True, "self_link": True, "master_version": True, "datapath_provider": True}


def read(folder: Path, value: object) -> Inventory:
    path = folder / "plan.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_inventory([path])


def lost(inventory: Inventory) -> list[tuple[str | None, str]]:
    return [(one.field, one.reason) for one in inventory.unread if not one.is_needless]


def clusters(inventory: Inventory) -> list[Cluster]:
    assert inventory.kubernetes is not None
    return list(inventory.kubernetes.clusters or ())


def pools(inventory: Inventory) -> dict[str, NodePool]:
    assert inventory.kubernetes is not None
    return {pool.name: pool for pool in inventory.kubernetes.node_pools or ()}


def cluster(unknown: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return change(f"{CLUSTER}.shop", PLACED | fields, NOT_YET if unknown is None else unknown)


def pool(name: str, unknown: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    values = {"name": name, "cluster": "shop", "project": "p", "location": "us-central1-a"}
    return change(f"{POOL}.{name}", values | fields, unknown)


def test_what_is_known_after_apply_is_no_default(tmp_path: Path) -> None:
    unknown = {
        "network_config": True,
        "node_config": [{"image_type": True}],
        "version": True,
        "initial_node_count": True,
    }
    config = {"machine_type": "n2-standard-8", "spot": False, "gvnic": []}
    made = read(tmp_path, plan(cluster(), pool("web", unknown, node_config=[config], node_count=3)))
    (shop,) = clusters(made)
    assert (shop.version, shop.datapath_provider, shop.is_vpc_native) == (None, None, None)
    assert (shop.ref.self_link, shop.zones) == (LINK, ())
    assert shop.ref.source == f"{tmp_path}/plan.json: {CLUSTER}.shop"
    web = pools(made)["web"]
    assert (web.version, web.image_type, web.has_gvnic) == (None, None, None)
    assert (web.machine_type, web.initial_node_count, web.is_spot) == ("n2-standard-8", 3, False)
    assert web.bandwidth_tier is BandwidthTier.DEFAULT
    assert web.cluster == LINK
    assert lost(made) == []


def test_what_the_configuration_asks_and_is_not_known_is_lost(tmp_path: Path) -> None:
    performance = [{"total_egress_bandwidth_tier": refers("local.tier")}]
    asked = {
        "node_config": [{"machine_type": refers("local.type"), "spot": refers("local.spot")}],
        "network_config": [{"network_performance_config": performance}],
    }
    unknown = {
        "node_config": [{"machine_type": True, "spot": True}],
        "network_config": [{"network_performance_config": [{"total_egress_bandwidth_tier": True}]}],
    }
    blocks = {
        "node_config": [{}],
        "network_config": [{"network_performance_config": [{}]}],
    }
    made = read(
        tmp_path,
        plan(
            cluster(remove_default_node_pool=True, initial_node_count=1),
            pool("web", unknown, **blocks),
            resources=(configured(POOL, "web", **asked),),
        ),
    )
    web = pools(made)["web"]
    assert (web.machine_type, web.is_spot, web.bandwidth_tier) == (None, None, None)
    tier = "network_config[0].network_performance_config[0].total_egress_bandwidth_tier"
    assert lost(made) == [
        (tier, "known after apply (local.tier)"),
        ("node_config[0].machine_type", "known after apply (local.type)"),
        ("node_config[0].spot", "known after apply (local.spot)"),
    ]


@pytest.mark.parametrize("blocks", ["node_config", "network_config"])
def test_a_whole_block_that_is_asked_and_not_known(tmp_path: Path, blocks: str) -> None:
    asked = configured(POOL, "web", **{blocks: [{}]})
    made = read(tmp_path, plan(pool("web", {blocks: True}), resources=(asked,)))
    web = pools(made)["web"]
    assert (web.is_spot is None) == (blocks == "node_config")
    assert (web.bandwidth_tier is None) == (blocks == "network_config")


def test_a_pool_is_of_the_cluster_that_the_configuration_refers_to(tmp_path: Path) -> None:
    values = {"name": "shop", "location": "us-central1-a"}
    by_name = refers(f"{CLUSTER}.shop.name", f"{CLUSTER}.shop")
    by_id = refers(f"{CLUSTER}.shop.id", f"{CLUSTER}.shop")
    made = read(
        tmp_path,
        plan(
            change(f"{CLUSTER}.shop", values, NOT_YET | {"project": True}),
            pool("web", project="other"),
            pool("db", {"cluster": True}, cluster=None),
            pool("lost", {"cluster": True}, cluster=None),
            resources=(
                configured(POOL, "web", cluster=by_name),
                configured(POOL, "db", cluster=by_id),
                configured(POOL, "lost", cluster=refers("local.cluster")),
            ),
        ),
    )
    link = "projects/(unknown)/locations/us-central1-a/clusters/shop"
    assert {name: one.cluster for name, one in pools(made).items()} == {"web": link, "db": link}
    assert lost(made) == [(None, "the cluster that it belongs to is not known")]


def test_blocks_of_a_cluster_and_networks(tmp_path: Path) -> None:
    block = {"name": "web", "node_count": 2, "node_config": [{"machine_type": "e2-medium"}]}
    unknown = NOT_YET | {"node_pool": [{"node_config": [{}]}, {"name": True}], "network": True}
    network = configured(
        CLUSTER,
        "shop",
        node_pool=[{}, {}],
        network=refers("google_compute_network.n.name", "google_compute_network.n"),
    )
    own = change("google_compute_network.n", {"name": "n", "project": "p"}, {"mtu": True})
    ranges = [{"cluster_ipv4_cidr_block": "/14", "services_ipv4_cidr_block": "10.9.0.0/20"}]
    made = read(
        tmp_path,
        plan(
            own,
            cluster(
                unknown,
                node_pool=[block, {"node_count": 1}],
                node_locations=["us-central1-c"],
                ip_allocation_policy=ranges,
            ),
            resources=(network,),
        ),
    )
    (shop,) = clusters(made)
    assert shop.zones == ("us-central1-a", "us-central1-c")
    assert shop.network == "projects/p/global/networks/n"
    assert (shop.is_vpc_native, shop.pod_range, shop.service_range) == (True, None, "10.9.0.0/20")
    assert {name: one.initial_node_count for name, one in pools(made).items()} == {
        "web": 2,
        "(node pool 2)": 1,
    }
    assert pools(made)["web"].ref.source.endswith(f"{CLUSTER}.shop")


@pytest.mark.parametrize(
    ("fields", "is_made"),
    [
        ({"initial_node_count": 1, "node_config": [{"machine_type": "e2-medium"}]}, True),
        ({"initial_node_count": 1, "remove_default_node_pool": True}, False),
        ({"initial_node_count": 1, "enable_autopilot": True}, False),
        ({}, False),
    ],
)
def test_the_pool_that_gke_makes_itself(
    tmp_path: Path, fields: dict[str, Any], is_made: bool
) -> None:
    found = pools(read(tmp_path, plan(cluster(**fields))))
    assert list(found) == (["(default pool)"] if is_made else [])
    for one in found.values():
        assert (one.machine_type, one.initial_node_count) == ("e2-medium", 1)


def test_pools_of_before_give_way_to_what_the_plan_says(tmp_path: Path) -> None:
    link = f"{LINK}/nodePools"
    listed = [{"name": name, "node_config": [{"machine_type": "e2-medium"}]} for name in "abc"]
    gone = change(f"{POOL}.b", None, actions=("delete",), before={"id": f"{link}/b", "name": "b"})
    now = pool("a", id=f"{link}/a", node_config=[{"machine_type": "n2-standard-8"}])
    made = read(tmp_path, plan(cluster({}, node_pool=listed), now, gone))
    found = {name: one.machine_type for name, one in pools(made).items()}
    assert found == {"a": "n2-standard-8", "c": "e2-medium"}
    assert lost(made) == []


def test_old_providers_and_places(tmp_path: Path) -> None:
    values = {"name": "shop", "project": "p", "region": "us-central1", "zone": None}
    made = read(tmp_path, plan(change(f"{CLUSTER}.shop", values, NOT_YET)))
    assert clusters(made)[0].location == "us-central1"
    nowhere = read(tmp_path, plan(change(f"{CLUSTER}.shop", {"name": "shop"}, NOT_YET)))
    assert lost(nowhere) == [(None, "its location is not known")]
    zone = {"google": {"name": "google", "expressions": {"zone": {"constant_value": "z-a"}}}}
    given = read(
        tmp_path, plan(change(f"{CLUSTER}.shop", {"name": "shop"}, NOT_YET), provider=zone)
    )
    assert clusters(given)[0].location == "z-a"


FIELDS = ("node_config", "node_pool", "autoscaling", "network_config", "node_locations", "labels")


@listed("field", [*FIELDS, "cluster", "max_pods_per_node", "initial_node_count"])
@listed("value", [7, "text", [1], [None], {"a": []}, [{"a": 1}], True, -1.5])
def test_a_field_of_a_wrong_type(tmp_path: Path, field: str, value: object) -> None:
    wrong: dict[str, Any] = {field: value}
    made = read(tmp_path, plan(cluster(**wrong), pool("web", **wrong)))
    assert clusters(made)
