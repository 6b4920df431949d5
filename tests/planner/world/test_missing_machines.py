"""Machines that are told of and in no input: by name and number, whatever the format."""

from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.model import (
    Instance,
    InstanceGroup,
    Inventory,
    ResourceRef,
    SelfLink,
)
from netplan_planner.model.project.gke import Cluster, NodePool
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.world.not_read import all_unread, autoscaled
from support.rules.facts import machine as vm

Json = dict[str, Any]
COUNTED = "Autoscaled groups are counted with the VMs that were read, for a full month"
ZONE = "projects/p/zones/us-central1-a"
MANAGER = f"{ZONE}/instanceGroupManagers/web"
CLUSTER = "projects/p/locations/us-central1/clusters/c"


def group(size: int | None, **more: Any) -> InstanceGroup:
    return InstanceGroup(
        ref=ResourceRef(self_link=SelfLink(MANAGER), source="migs.json"),
        project="p",  # type: ignore[arg-type]
        name="web",
        is_managed=True,
        is_regional=False,
        location="us-central1-a",
        size=size,
        **more,
    )


def said(*machines: Instance, groups: Any = (), clusters: Any = None, pools: Any = None) -> Json:
    kubernetes = Kubernetes(clusters=clusters, node_pools=pools)
    found = all_unread(Inventory(instances=machines, instance_groups=groups, kubernetes=kubernetes))
    assert not any(one.is_needless for one in found)
    return {(one.resource or "").rpartition("/")[2]: one.reason for one in found}


def made_by(link: str, **labels: str) -> Instance:
    pairs = tuple(sorted((name.replace("_", "-"), value) for name, value in labels.items()))
    return replace(vm("x-1"), created_by=SelfLink(link), labels=pairs)


def test_a_group_without_any_of_its_machines() -> None:
    assert said(groups=(group(5),)) == {"web": "the input has none of its VMs: 5"}
    assert said(groups=(group(0), group(None))) == {}


@pytest.mark.parametrize(
    "known",
    [
        (made_by(MANAGER), group(5)),
        (vm("web-x1y2"), group(5, base_instance_name="web")),
        (vm("other"), group(5, members=(vm("other").ref.self_link,))),
    ],
)
def test_one_machine_of_a_group_is_enough(known: tuple[Instance, InstanceGroup]) -> None:
    """Its size and its machines may be of two times."""
    one, owner = known
    assert said(one, groups=(owner,)) == {}
    assert said(groups=(owner,)) == {"web": "the input has none of its VMs: 5"}


def pool(**more: Any) -> NodePool:
    link = SelfLink(f"{CLUSTER}/nodePools/np")
    ref = ResourceRef(self_link=link, source="clusters.json")
    return NodePool(ref=ref, project="p", name="np", cluster=SelfLink(CLUSTER), **more)  # type: ignore[arg-type]


def cluster(**more: Any) -> Cluster:
    ref = ResourceRef(self_link=SelfLink(CLUSTER), source="clusters.json")
    return Cluster(ref=ref, project="p", name="c", location="us-central1", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ({"initial_node_count": 3}, "initially 3 per zone"),
        (
            {"initial_node_count": 3, "min_node_count": 1, "max_node_count": 1000},
            "1 to 1,000 per zone",
        ),
        (
            {"initial_node_count": 2, "total_min_node_count": 3, "total_max_node_count": 9},
            "3 to 9 in all",
        ),
        ({}, "their number is unknown"),
        ({"initial_node_count": 0}, ""),
    ],
)
def test_a_pool_without_any_of_its_nodes(more: Json, count: str) -> None:
    expected = {"np": f"the input has none of its nodes: {count}"} if count else {}
    assert said(pools=(pool(**more),)) == expected


@pytest.mark.parametrize(("size", "count"), [(7, "7"), (0, "")])
def test_the_groups_of_a_pool_say_how_many_nodes_it_has(size: int, count: str) -> None:
    one = pool(initial_node_count=3, instance_groups=(SelfLink(MANAGER),))
    expected = {"np": f"the input has none of its nodes: {count}"} if count else {}
    assert said(groups=(group(size),), pools=(one,)) == expected


def test_one_node_of_a_pool_is_enough() -> None:
    node = made_by(MANAGER, goog_k8s_cluster_name="c", goog_k8s_node_pool_name="np")
    assert said(node, pools=(pool(initial_node_count=3),)) == {}
    bare = made_by(MANAGER)
    assert said(bare, pools=(pool(instance_groups=(SelfLink(MANAGER),)),)) == {}
    other = made_by(MANAGER, goog_k8s_cluster_name="c", goog_k8s_node_pool_name="other")
    assert set(said(other, pools=(pool(initial_node_count=3),))) == {"np"}


def test_a_cluster_without_any_of_its_nodes() -> None:
    auto = cluster(is_autopilot=True, node_count=4)
    by_whom = "the input has none of its nodes: 4 (GKE Autopilot)"
    assert said(clusters=(auto,), pools=(pool(initial_node_count=1),)) == {"c": by_whom}
    assert said(clusters=(cluster(node_count=4),)) == {"c": "the input has none of its nodes: 4"}
    assert said(clusters=(cluster(),)) == {}
    node = made_by(MANAGER, goog_k8s_cluster_name="c")
    assert said(node, clusters=(auto,)) == {}


def test_autoscaled_groups_and_pools_are_named_with_their_machines() -> None:
    """In each format: a manager's status tells of an autoscaler, a pool of its limits."""
    scaled = group(5, is_autoscaled=True, instance_group=SelfLink(f"{ZONE}/instanceGroups/web"))
    listed = replace(
        group(5, members=(vm("x-1").ref.self_link,)),
        ref=ResourceRef(self_link=SelfLink(f"{ZONE}/instanceGroups/web"), source="groups.json"),
    )
    nodes = pool(total_max_node_count=9, instance_groups=(SelfLink(f"{ZONE}/x"),))
    node = replace(vm("n-1"), created_by=SelfLink(f"{ZONE}/x"))
    inventory = Inventory(
        instances=(made_by(MANAGER), node),
        instance_groups=(scaled, replace(group(5), name="not-scaled")),
        kubernetes=Kubernetes(node_pools=(nodes, pool(instance_groups=nodes.instance_groups))),
    )
    web = "web has 1 VM (its limits were not read)"
    assert autoscaled(inventory) == (f"{COUNTED}: {web}; np has 1 node (0 to 9 in all).",)
    # Where no metadata names the maker, the members of its group do.
    members = Inventory(instances=(vm("x-1"),), instance_groups=(scaled, listed))
    assert autoscaled(members) == (f"{COUNTED}: {web}.",)
    assert autoscaled(Inventory(instance_groups=(scaled,))) == ()
