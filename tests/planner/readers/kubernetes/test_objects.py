"""Kubernetes objects as values: QoS class, workload, node's VM, topology of Services."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import BandwidthTier, Inventory
from netplan_planner.model.project.kubernetes import Kubernetes, Pod
from netplan_planner.readers import read_inventory
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.kubernetes import lists
from support.projects import one_cluster
from support.projects.compute_json import machine

Object = dict[str, Any]
LIMITS = {"cpu": "1", "memory": "1Gi"}


def inventory_of(tmp_path: Path, *items: Object) -> Inventory:
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return read_inventory([tmp_path])


def pod_of(tmp_path: Path, *containers: Object, **more: Any) -> Pod:
    made = one_cluster.pod("a", 0, None, containers[0], **more)
    made["spec"]["containers"] = list(containers)
    found = inventory_of(tmp_path, made).kubernetes
    assert found is not None
    assert found.pods is not None
    return found.pods[0]


def container(requests: Object | None = None, limits: Object | None = None) -> Object:
    resources = {"requests": requests, "limits": limits}
    return {"image": "x", "resources": {k: v for k, v in resources.items() if v is not None}}


@pytest.mark.parametrize(
    ("containers", "expected"),
    [
        ([container()], "BestEffort"),
        ([container({"ephemeral-storage": "1Gi"})], "BestEffort"),
        ([container({"cpu": "0"})], "BestEffort"),
        ([container(LIMITS, LIMITS)], "Guaranteed"),
        ([container(None, LIMITS)], "Guaranteed"),
        ([container({"cpu": "1000m", "memory": "1024Mi"}, LIMITS)], "Guaranteed"),
        ([container({"cpu": "500m", "memory": "1Gi"}, LIMITS)], "Burstable"),
        ([container({"cpu": "0"}, LIMITS)], "Burstable"),
        ([container({"cpu": "1"})], "Burstable"),
        ([container({"cpu": "1"}, {"cpu": "1"})], "Burstable"),
        ([container(LIMITS, LIMITS), container()], "Burstable"),
        ([container(LIMITS, LIMITS), container(LIMITS, LIMITS)], "Guaranteed"),
    ],
)
def test_qos_class_as_kubernetes_computes_it(
    tmp_path: Path, containers: list[Object], expected: str
) -> None:
    assert pod_of(tmp_path, *containers).qos_class == expected


def test_an_init_container_counts_for_the_class(tmp_path: Path) -> None:
    whole = container(LIMITS, LIMITS)
    assert pod_of(tmp_path, whole, initContainers=[container()]).qos_class == "Burstable"
    assert pod_of(tmp_path, container(), initContainers=[whole]).qos_class == "Burstable"


def test_resources_of_the_pod_as_a_whole_come_first(tmp_path: Path) -> None:
    whole = {"requests": LIMITS, "limits": LIMITS}
    assert pod_of(tmp_path, container(), resources=whole).qos_class == "Guaranteed"


def test_a_stated_class_is_taken(tmp_path: Path) -> None:
    made = one_cluster.pod("a", 0, None, container(LIMITS, LIMITS))
    made["status"]["qosClass"] = "Burstable"
    found = inventory_of(tmp_path, made).kubernetes
    assert found is not None
    assert found.pods is not None
    assert found.pods[0].qos_class == "Burstable"


def test_requests_and_limits_are_summed_where_all_state_them(tmp_path: Path) -> None:
    two = pod_of(tmp_path, container({"cpu": "1500m"}, {"cpu": 2}), container({"cpu": 0.5}))
    assert two.requested_cpu_count == 2
    assert two.cpu_limit_count is None
    assert pod_of(tmp_path, container()).requested_cpu_count is None


@pytest.fixture
def cluster(tmp_path: Path) -> Kubernetes:
    found = read_inventory([one_cluster.write_kubernetes("list", tmp_path)]).kubernetes
    assert found is not None
    return found


def test_pods_have_their_workloads(cluster: Kubernetes) -> None:
    pods = cluster.pod_by_name
    web, database, agent = (
        pods[f"shop/{name}"] for name in ("web-75b66db9b9-aaaaa", "db-0", "agent-x")
    )
    assert (web.workload_kind, web.full_workload) == ("Deployment", "shop/web")
    assert (database.workload_kind, database.full_workload) == ("StatefulSet", "shop/db")
    assert (agent.workload_kind, agent.full_workload) == (None, "shop/agent-x")
    assert agent.is_host_network
    assert database.qos_class == "Guaranteed"
    assert database.ports == (3306,)
    # An address of the node is not the agent's own.
    assert cluster.pod_by_ip["10.8.1.7"] is database
    assert [pod.name for pod in cluster.pods_by_workload["shop/db"]] == ["db-0"]


def test_a_service_with_its_topology_and_endpoints(cluster: Kubernetes) -> None:
    service = cluster.service_by_name["shop/db"]
    assert service.traffic_distribution == "PreferClose"
    assert service.topology_mode == "Auto"
    assert service.prefers_near
    assert service.internal_traffic_policy == "Cluster"
    assert service.external_traffic_policy is None
    (endpoint,) = cluster.endpoints_by_service["shop/db"]
    assert (endpoint.pod, endpoint.zone) == ("shop/db-0", "us-central1-b")
    assert endpoint.hint_zones == ("us-central1-b",)


def test_a_namespace_is_in_ambient_networking_by_the_label_of_gke(tmp_path: Path) -> None:
    found = inventory_of(
        tmp_path,
        one_cluster.namespace("on", **{"networking.gke.io/dataplane-mode": "ambient"}),
        one_cluster.namespace("none", **{"networking.gke.io/dataplane-mode": "none"}),
        one_cluster.namespace("istio", **{"istio.io/dataplane-mode": "ambient"}),
        one_cluster.namespace("plain"),
    ).kubernetes
    assert found is not None
    assert found.namespaces is not None
    assert [one.name for one in found.namespaces] == ["istio", "none", "on", "plain"]
    assert found.namespaces[0].ref.self_link == "api/v1/namespaces/istio"
    assert found.ambient_namespaces == {"on"}


def test_namespaces_that_were_not_read_are_none(tmp_path: Path) -> None:
    found = inventory_of(tmp_path, one_cluster.node(0)).kubernetes
    assert found is not None
    assert found.namespaces is None
    assert found.ambient_namespaces == frozenset()


def test_endpoints_of_the_beta_api_and_not_ready_ones(tmp_path: Path) -> None:
    made = {
        "apiVersion": "discovery.k8s.io/v1beta1",
        "kind": "EndpointSlice",
        "metadata": {"name": "s", "labels": {"kubernetes.io/service-name": "db"}},
        "endpoints": [
            {"addresses": ["10.0.0.1"], "topology": {"topology.kubernetes.io/zone": "z"}},
            {"addresses": ["10.0.0.2"], "conditions": {"ready": False}},
        ],
    }
    found = inventory_of(tmp_path, made).kubernetes
    assert found is not None
    (endpoint,) = found.endpoints_by_service["default/db"]
    assert endpoint.zone == "z"


def vm(name: str, zone: str, address: str) -> Object:
    return machine(name, zone=zone, project=one_cluster.PROJECT, address=address)


def with_vms(tmp_path: Path, vms: list[Object], *nodes: Object) -> Inventory:
    (tmp_path / "vms.json").write_text(json.dumps(vms))
    return inventory_of(tmp_path, *nodes)


def test_a_node_is_the_vm_of_its_provider_id(tmp_path: Path) -> None:
    zone = one_cluster.ZONES[0]
    vms = [vm("gke-shop-pool-0", zone, "10.0.0.9"), vm("other", zone, "10.0.0.0")]
    inventory = with_vms(tmp_path, vms, one_cluster.node(0), one_cluster.node(1))
    found = {name: vm.name for name, vm in inventory.instance_by_node.items()}
    # The address of another machine is no reason, and a VM that was not read is not guessed.
    assert found == {"gke-shop-pool-0": "gke-shop-pool-0"}
    (link,) = inventory.node_by_instance
    assert link.endswith("/gke-shop-pool-0")


def test_a_node_without_provider_id_is_the_vm_of_its_address(tmp_path: Path) -> None:
    node = one_cluster.node(0)
    del node["spec"]["providerID"]
    zone = one_cluster.ZONES[0]
    alone = with_vms(tmp_path, [vm("any", zone, "10.0.0.0")], node)
    assert [vm.name for vm in alone.instance_by_node.values()] == ["any"]
    several = [vm("gke-shop-pool-0", zone, "10.0.0.0"), vm("twin", zone, "10.0.0.0")]
    named = with_vms(tmp_path, several, node)
    assert [vm.name for vm in named.instance_by_node.values()] == ["gke-shop-pool-0"]
    unsure = with_vms(tmp_path, [vm("one", zone, "10.0.0.0"), vm("two", zone, "10.0.0.0")], node)
    assert unsure.instance_by_node == {}


def test_a_node_of_another_cloud_is_noted(tmp_path: Path) -> None:
    node = one_cluster.node(0)
    node["spec"]["providerID"] = "aws:///us-east-1a/i-0abc"
    inventory = with_vms(tmp_path, [vm("any", one_cluster.ZONES[0], "10.0.0.0")], node)
    assert inventory.instance_by_node == {}
    assert [unread.reason for unread in inventory.unread] == [
        "nodes of aws, not on Compute Engine: 1 not needed by the audit"
    ]


def test_a_node_has_its_pool(tmp_path: Path) -> None:
    (tmp_path / "gke.json").write_text(json.dumps(one_cluster.gke_files()["api"]))
    found = inventory_of(tmp_path, one_cluster.node(0)).kubernetes
    assert found is not None
    assert found.nodes is not None
    pool = found.pool_of(found.nodes[0])
    assert pool is not None
    assert pool.bandwidth_tier is BandwidthTier.TIER_1
    assert pool.has_gvnic
    assert pool.max_pods_per_node == 110
    assert pool.cluster in found.cluster_by_link


@pytest.mark.parametrize("size_bytes", [1, 100, 1_000, 5_000])
@pytest.mark.parametrize("indent", [1, 4])
def test_a_list_in_pieces_reads_as_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int, indent: int
) -> None:
    path = tmp_path / "all.json"
    kinds = one_cluster.as_lists_of_kinds()
    for document in (one_cluster.as_list(), *kinds.values()):
        path.write_text(json.dumps(document, indent=indent))
        at_once = read_inventory([path])
        with monkeypatch.context() as patch:
            patch.setattr(lists, "LARGE_BYTES", 1)
            patch.setattr(lists, "PIECE_BYTES", size_bytes)
            assert lists.read_large(path, Origin("", ":"), Collector())
            assert read_inventory([path]) == at_once


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"items": [\n', '"items": [ \n'),
        lambda text: text.replace("\n        },", "\n         },", 1),
        lambda text: text[:-400],
        lambda text: text.replace('"kind": "Pod"', '"kind": 5'),
    ],
)
def test_what_cannot_be_cut_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[str], str]
) -> None:
    path = tmp_path / "all.json"
    path.write_text(change(json.dumps(one_cluster.as_list(), indent=4)))

    def outcome() -> object:
        try:
            return read_inventory([path])
        except InputError as exc:
            return str(exc)

    at_once = outcome()
    monkeypatch.setattr(lists, "LARGE_BYTES", 1)
    monkeypatch.setattr(lists, "PIECE_BYTES", 500)
    assert outcome() == at_once
