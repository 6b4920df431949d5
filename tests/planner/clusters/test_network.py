"""Which network a cluster has, by what its plugin leaves in it."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.clusters.network import (
    ClusterNetwork,
    cluster_of,
    networks_of,
    overlay_address,
)
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.readers import read_inventory
from support.projects import one_cluster
from support.projects.shared_data import needs_shared, shared

Object = dict[str, Any]


def daemon_set(name: str, *args: str, **env: str) -> Object:
    container = {
        "name": name,
        "args": list(args),
        "env": [{"name": key, "value": value} for key, value in env.items()],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def config_map(name: str, **data: str) -> Object:
    data = {key.replace("_DOT_", ".").replace("__", "-"): value for key, value in data.items()}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "kube-system"},
        "data": data,
    }


def kubernetes(tmp_path: Path, *items: Object) -> Kubernetes:
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    found = read_inventory([path]).kubernetes
    assert found is not None
    return found


def network(tmp_path: Path, *items: Object) -> ClusterNetwork:
    (found,) = networks_of(kubernetes(tmp_path, *items))
    return found


def said(found: ClusterNetwork) -> dict[str, str | None]:
    fields = ("plugin", "encapsulation", "encryption", "mtu", "interface", "kube_proxy_mode")
    settings = {field: getattr(found, field) for field in fields}
    return {field: one.value if one is not None else None for field, one in settings.items()}


def flannel(kind: str) -> Object:
    return config_map("kube-flannel-cfg", net__conf_DOT_json=f'{{"Backend": {{"Type": "{kind}"}}}}')


IPIP = daemon_set(
    "calico-node",
    CALICO_IPV4POOL_IPIP="Always",
    CALICO_IPV4POOL_VXLAN="Never",
    IP_AUTODETECTION_METHOD="interface=eth0",
)
ACROSS_SUBNETS = {"CALICO_IPV4POOL_VXLAN": "CrossSubnet", "FELIX_WIREGUARDENABLED": "true"}
NATIVE = {"routing__mode": "native", "tunnel__protocol": "vxlan", "enable__wireguard": "true"}
NATIVE |= {"devices": "eth1", "kube__proxy__replacement": "true"}
ANTREA = "#tunnelType: vxlan\ntransportInterface: eth1\n"
IPVS = 'kind: KubeProxyConfiguration\nmode: "ipvs"\n'

CASES: dict[str, tuple[list[Object], str]] = {
    "flannel-vxlan": (
        [daemon_set("kube-flannel-ds", "--iface=eth1"), flannel("vxlan")],
        "plugin:flannel encapsulation:vxlan encryption:none mtu:- interface:eth1",
    ),
    "flannel-udp": (
        [daemon_set("kube-flannel-ds"), flannel("udp")],
        "encapsulation:udp interface:-",
    ),
    "flannel-host-gw": ([flannel("host-gw")], "plugin:flannel encapsulation:none"),
    "flannel-wireguard": ([flannel("wireguard")], "encapsulation:wireguard encryption:wireguard"),
    "flannel-unread": (
        [daemon_set("kube-flannel-ds")],
        "plugin:flannel encapsulation:- encryption:-",
    ),
    "calico-ipip": (
        [IPIP, config_map("calico-config", calico_backend="bird", veth_mtu="1440")],
        "plugin:calico encapsulation:ipip mtu:1440 interface:interface=eth0 encryption:-",
    ),
    "calico-vxlan": (
        [daemon_set("calico-node", **ACROSS_SUBNETS), config_map("calico-config", veth_mtu="0")],
        "encapsulation:vxlan encryption:wireguard mtu:-",
    ),
    "calico-bare": (
        [daemon_set("calico-node", CALICO_IPV4POOL_IPIP="Never")],
        "encapsulation:none",
    ),
    "calico-unknown": ([daemon_set("calico-node")], "encapsulation:-"),
    "cilium-default": (
        [daemon_set("cilium"), config_map("cilium-config", mtu="0")],
        "plugin:cilium encapsulation:vxlan encryption:none mtu:-",
    ),
    "cilium-native": (
        [daemon_set("cilium"), config_map("cilium-config", **NATIVE)],
        "encapsulation:none encryption:wireguard interface:eth1 kube_proxy_mode:none",
    ),
    "cilium-old": (
        [config_map("cilium-config", tunnel="disabled")],
        "plugin:cilium encapsulation:none",
    ),
    "cilium-alone": ([daemon_set("cilium")], "encapsulation:- encryption:-"),
    "weave": (
        [daemon_set("weave-net", WEAVE_MTU="1376", WEAVE_PASSWORD="never shown")],
        "plugin:weave encapsulation:vxlan encryption:ipsec mtu:1376",
    ),
    "kube-router": (
        [daemon_set("kube-router", "--run-router=true")],
        "plugin:kube-router encapsulation:ipip",
    ),
    "kube-router-bare": (
        [daemon_set("kube-router", "--enable-overlay=false")],
        "encapsulation:none",
    ),
    "antrea": (
        [
            daemon_set("antrea-agent"),
            config_map("antrea-config-6g7h", antrea__agent_DOT_conf=ANTREA),
        ],
        "plugin:antrea encapsulation:geneve interface:eth1",
    ),
    "dataplane-v2": (
        [daemon_set("anetd"), config_map("cilium-config", tunnel="disabled"), one_cluster.node(0)],
        "plugin:gke encapsulation:none kube_proxy_mode:none",
    ),
    "gke-with-calico-policies": (
        [one_cluster.node(0), daemon_set("calico-node", CALICO_NETWORKING_BACKEND="none")],
        "plugin:gke encapsulation:none",
    ),
    "kindnet": (
        [
            *(daemon_set(name) for name in ("kindnet", "kube-proxy")),
            config_map("kube-proxy", config_DOT_conf=IPVS),
        ],
        "plugin:kindnet encapsulation:none kube_proxy_mode:ipvs",
    ),
    "nothing": ([daemon_set("fluentd")], "plugin:- encapsulation:-"),
}
"""What a plugin leaves in a cluster, and what is said of it: `-` is unknown."""


@pytest.mark.parametrize("name", CASES)
def test_a_plugin_is_told_by_what_it_leaves(name: str, tmp_path: Path) -> None:
    items, expected = CASES[name]
    found = said(network(tmp_path, *items))
    for stated in expected.split():
        field, _, value = stated.partition(":")
        assert found[field] == (None if value == "-" else value), field


def test_where_each_thing_was_read(tmp_path: Path) -> None:
    found = network(tmp_path, *CASES["flannel-vxlan"][0])
    place = str(tmp_path / "all.json")
    assert found.encapsulation is not None
    assert found.encapsulation.source == (
        f"{place}:/items/1: kube-flannel-cfg net-conf.json Backend.Type"
    )
    assert found.interface is not None
    assert found.interface.source == f"{place}:/items/0: argument --iface"
    assert not found.encapsulation.is_default
    # A default says that it is one.
    default = network(tmp_path, *CASES["cilium-default"][0]).encapsulation
    assert default is not None
    assert default.is_default
    assert "docs.cilium.io" in default.source


def test_an_overlay_across_subnets_only_is_none_inside_one(tmp_path: Path) -> None:
    assert network(tmp_path, *CASES["calico-vxlan"][0]).has_overlay is False
    assert network(tmp_path, *CASES["calico-ipip"][0]).has_overlay is True
    assert network(tmp_path, *CASES["calico-unknown"][0]).has_overlay is None


def test_two_plugins_and_a_second_network_are_all_named(tmp_path: Path) -> None:
    found = network(
        tmp_path,
        daemon_set("kube-flannel-ds"),
        daemon_set("calico-node", CALICO_IPV4POOL_IPIP="Always"),
        daemon_set("kube-multus-ds"),
        daemon_set("sriov-device-plugin"),
    )
    assert found.plugin is not None
    assert found.plugin.value == "flannel"
    assert [other.value for other in found.others] == ["calico"]
    assert [one.value for one in found.secondary] == ["multus", "sr-iov"]


def test_objects_and_api_of_one_gke_cluster_are_one(tmp_path: Path) -> None:
    folder = one_cluster.write_kubernetes("list", tmp_path)
    (folder / "gke.json").write_text(json.dumps(one_cluster.gke_files()["api"]))
    found = read_inventory([folder]).kubernetes
    assert found is not None
    cluster = cluster_of(found)
    assert cluster is not None
    (only,) = networks_of(found)
    # Its flannel is no plugin of GKE's: what pods use is what was installed.
    assert (only.name, said(only)["plugin"]) == ("shop", "flannel")


def test_a_gke_cluster_by_the_api_alone(tmp_path: Path) -> None:
    (tmp_path / "gke.json").write_text(json.dumps(one_cluster.gke_files()["api"]))
    found = read_inventory([tmp_path]).kubernetes
    assert found is not None
    (only,) = networks_of(found)
    assert said(only)["plugin"] == "gke"
    assert only.dataplane is not None
    assert only.dataplane.value == "GKE Dataplane V2"
    assert only.has_overlay is False
    assert said(only)["encryption"] is None


def test_nothing_read_has_no_network() -> None:
    assert networks_of(Kubernetes()) == ()


@needs_shared
def test_recorded_nodes_say_their_backend_and_address() -> None:
    found = read_inventory([shared("data/recorded/kubernetes")]).kubernetes
    assert found is not None
    assert found.nodes is not None
    flannels = [node for node in found.nodes if overlay_address(node) is not None]
    assert [node.internal_ips for node in flannels] == [("172.31.21.92",)]
    address = overlay_address(flannels[0])
    assert address is not None
    assert address.value == "172.31.21.92"
    (only,) = networks_of(found)
    assert said(only)["encapsulation"] == "vxlan"


@needs_shared
def test_recorded_gke_clusters_all_have_a_network() -> None:
    found = read_inventory([shared("data/recorded/gke_api")]).kubernetes
    assert found is not None
    networks = networks_of(found)
    assert len(networks) == 18
    assert {said(one)["plugin"] for one in networks} == {"gke"}
    assert {one.dataplane.value if one.dataplane else None for one in networks} == {
        "GKE Dataplane V2",
        "kube-proxy",
        None,
    }
