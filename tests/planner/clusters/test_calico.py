"""Calico by its own objects: pools, settings of Felix, and what the operator installs."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.clusters.network import ClusterNetwork, networks_of
from netplan_planner.readers import read_inventory
from netplan_planner.verbs.collect.pseudonyms.names import Names
from netplan_planner.verbs.collect.pseudonyms.values import pseudonymised_inventory

Object = dict[str, Any]
CRD, API = "crd.projectcalico.org/v1", "projectcalico.org/v3"


def agent(**env: str) -> Object:
    container = {
        "name": "calico-node",
        "env": [{"name": key, "value": value} for key, value in env.items()],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "calico-node", "namespace": "calico-system"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def own(kind: str, version: str, name: str, spec: Object) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def pool(name: str, cidr: str = "10.4.0.0/14", version: str = CRD, **spec: Any) -> Object:
    return own("IPPool", version, name, {"cidr": cidr, "natOutgoing": True, **spec})


def felix(**spec: Any) -> Object:
    return own("FelixConfiguration", CRD, "default", spec)


def installation(**network: Any) -> Object:
    spec = {"cni": {"type": "Calico"}, "calicoNetwork": network}
    return own("Installation", "operator.tigera.io/v1", "default", spec)


def network(folder: Path, *items: Object) -> ClusterNetwork:
    path = folder / "all.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    kubernetes = read_inventory([path]).kubernetes
    assert kubernetes is not None
    (found,) = networks_of(kubernetes)
    return found


V6 = pool("v6", "fd00:10::/64", vxlanMode="Always")
ALWAYS, CROSS = {"ipipMode": "Always"}, {"vxlanMode": "CrossSubnet", "ipipMode": "Never"}


def installed(*encapsulations: str | None) -> Object:
    pools = [
        {"cidr": f"10.{4 * number}.0.0/14"} | ({"encapsulation": one} if one else {})
        for number, one in enumerate(encapsulations, start=1)
    ]
    return installation(ipPools=pools)


@pytest.mark.parametrize(
    ("items", "encapsulation", "is_cross_subnet_only"),
    [
        ([agent(), pool("a", **ALWAYS)], "ipip", False),
        ([agent(), pool("a", version=API, **CROSS)], "vxlan", True),
        ([agent(), pool("a", ipipMode="Never", vxlanMode="Never")], "none", None),
        ([agent(), pool("a")], "none", None),
        # The variable makes the first pool; what is there now counts.
        ([agent(CALICO_IPV4POOL_IPIP="Always"), pool("a", **CROSS)], "vxlan", True),
        ([agent(), pool("a", **ALWAYS), V6], "ipip", False),
        ([agent(), pool("a", **ALWAYS), pool("b", disabled=True, **CROSS)], "ipip", False),
        ([agent(), pool("a", **ALWAYS), pool("b", allowedUses=["Tunnel"])], "ipip", False),
        # A pod can have an address of either.
        ([agent(), pool("a", **ALWAYS), pool("b", **CROSS)], None, None),
        ([agent(), pool("a", ipipMode="Sometimes")], None, None),
        ([agent(), V6], None, None),
        ([installed(None)], "ipip", False),
        ([installed("VXLANCrossSubnet")], "vxlan", True),
        ([installed("None")], "none", None),
        ([installed("IPIP", "VXLAN")], None, None),
    ],
)
def test_encapsulation_is_that_of_the_pools(
    tmp_path: Path,
    items: list[Object],
    encapsulation: str | None,
    is_cross_subnet_only: bool | None,
) -> None:
    found = network(tmp_path, *items)
    assert found.plugin is not None
    assert found.plugin.value == "calico"
    stated = found.encapsulation
    assert (stated.value if stated is not None else None) == encapsulation
    assert found.is_cross_subnet_only is is_cross_subnet_only


def test_felix_says_what_is_encrypted_and_which_dataplane(tmp_path: Path) -> None:
    found = network(tmp_path, agent(), felix(wireguardEnabled=True, bpfEnabled=True))
    assert found.encryption is not None
    assert found.encryption.value == "wireguard"
    assert found.encryption.source.endswith("default wireguardEnabled")
    assert found.dataplane is not None
    assert found.dataplane.value == "eBPF"
    # A variable goes before the object.
    items = agent(FELIX_WIREGUARDENABLED="false"), felix(wireguardEnabled=True)
    encryption = network(tmp_path, *items).encryption
    assert encryption is not None
    assert encryption.value == "none"


def test_encryption_is_unknown_without_felix_and_off_by_default_with_it(tmp_path: Path) -> None:
    assert network(tmp_path, agent(), pool("a")).encryption is None
    stated = network(tmp_path, agent(), felix()).encryption
    assert stated is not None
    assert (stated.value, stated.is_default) == ("none", True)
    # Settings of one node are not those of all.
    one = own("FelixConfiguration", CRD, "node.web-1", {"wireguardEnabled": True})
    assert network(tmp_path, agent(), one).encryption is None


def test_an_installation_counts_as_the_operator_filled_it_in(tmp_path: Path) -> None:
    asked = own("Installation", "operator.tigera.io/v1", "default", {})
    computed = {
        "cni": {"type": "Calico"},
        "calicoNetwork": {
            "linuxDataplane": "BPF",
            "nodeAddressAutodetectionV4": {"interface": "ens5"},
            "ipPools": [{"cidr": "10.4.0.0/14", "encapsulation": "IPIPCrossSubnet"}],
        },
    }
    found = network(tmp_path, {**asked, "status": {"mtu": 1440, "computed": computed}})
    assert found.mtu_bytes == 1440
    assert found.interface is not None
    assert found.interface.value == "interface=ens5"
    assert found.dataplane is not None
    assert found.has_overlay is False


def test_calico_that_enforces_policies_beside_another_plugin_is_none(tmp_path: Path) -> None:
    spec = {"cni": {"type": "GKE"}}
    beside = own("Installation", "operator.tigera.io/v1", "default", spec)
    assert network(tmp_path, agent(), beside).plugin is None


def test_under_other_names_the_network_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    network_of = {"nodeAddressAutodetectionV4": {"interface": "eth1"}, "linuxDataplane": "BPF"}
    items = [pool("our-pods", **CROSS), felix(wireguardEnabled=True), installation(**network_of)]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    inventory = read_inventory([path])
    made = pseudonymised_inventory(inventory, Names(b"a key of the test"))
    assert "our-pods" not in repr(made)
    assert inventory.kubernetes is not None
    assert made.kubernetes is not None
    (before,) = networks_of(inventory.kubernetes)
    (after,) = networks_of(made.kubernetes)
    for name in ("plugin", "dataplane", "encapsulation", "encryption", "interface"):
        one, other = getattr(before, name), getattr(after, name)
        assert (one.value, one.is_default) == (other.value, other.is_default), name


def test_no_address_of_a_pool_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "pool.json"
    path.write_text(json.dumps(pool("a", "10.44.0.0/16", **ALWAYS)))
    kubernetes = read_inventory([path]).kubernetes
    assert kubernetes is not None
    (kept,) = kubernetes.plugin_objects or ()
    assert kept.data == (("family", "IPv4"), ("ipipMode", "Always"))
