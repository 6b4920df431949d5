"""Compute resources as JSON: tables over one field; single facts are in `data/inventories`."""

import pytest

from netplan_planner.machines import ties_of
from netplan_planner.model import MachineShape
from support.listed import listed
from support.projects.compute_json import REGION, ROOT, ZONE, Reader, Resource, nic, only, vm

NETWORK = f"{ROOT}/global/networks/n"


@listed(
    ("fields", "enabled"),
    [
        ({}, None),
        ({"enableFlowLogs": True}, True),
        ({"enableFlowLogs": False}, False),
        ({"logConfig": {"enable": True}}, True),
        ({"logConfig": {"enable": False}, "enableFlowLogs": True}, False),
        ({"logConfig": {"aggregationInterval": "INTERVAL_5_SEC"}, "enableFlowLogs": True}, True),
        ({"logConfig": {}}, None),
    ],
)
def test_flow_logs_are_on_off_or_not_stated(
    read: Reader, fields: Resource, enabled: bool | None
) -> None:
    subnetwork = {"kind": "compute#subnetwork", "selfLink": f"{REGION}/subnetworks/s"}
    own = {"network": NETWORK, "region": REGION, "ipCidrRange": "10.0.0.0/20", **fields}
    logs = read(subnetwork | own).subnetworks[0].flow_logs
    assert (None if logs is None else logs.enabled) is enabled


@listed(
    ("field", "value", "hop", "target"),
    [
        ("nextHopGateway", f"{ROOT}/global/gateways/g", "gateway", "projects/p/global/gateways/g"),
        ("nextHopInstance", f"{ZONE}/instances/a", "instance", None),
        ("nextHopIp", "10.0.0.7", "ip", "10.0.0.7"),
        ("nextHopVpnTunnel", f"{REGION}/vpnTunnels/t", "vpn", None),
        ("nextHopIlb", f"{REGION}/forwardingRules/f", "ilb", None),
        ("nextHopIlb", "10.0.0.8", "ilb", "10.0.0.8"),
        ("nextHopPeering", "to-partner", "peering", "to-partner"),
        ("nextHopNetwork", NETWORK, "network", "projects/p/global/networks/n"),
        ("nextHopHub", f"{ROOT}/global/hubs/h", "hub", "projects/p/global/hubs/h"),
    ],
)
def test_next_hops(read: Reader, field: str, value: str, hop: str, target: str | None) -> None:
    route = {"kind": "compute#route", "selfLink": f"{ROOT}/global/routes/r", "network": NETWORK}
    (found,) = read(route | {"destRange": "10.0.0.0/8", "priority": 0, field: value}).routes
    assert (found.next_hop, found.priority) == (hop, 0)
    assert found.next_hop_target == (target or value.removeprefix(ROOT.removesuffix("projects/p")))


@listed(
    ("field", "value", "expected"),
    [
        ("id", {"not": "an id"}, "id"),
        ("status", 7, "status"),
        ("labels", {"a": 1}, "labels"),
        ("tags", {"items": [1]}, "tags"),
        ("disks", [{"guestOsFeatures": "GVNIC"}], "disks"),
        ("disks", "none", "disks"),
        ("creationTimestamp", "yesterday", "creationTimestamp"),
        ("networkInterfaces", [nic(queueCount="four")], "networkInterfaces[0].queueCount"),
        ("networkInterfaces", [nic(queueCount=-1)], "networkInterfaces[0].queueCount"),
        ("networkInterfaces", [nic(queueCount=10**30)], "networkInterfaces[0].queueCount"),
        ("canIpForward", "perhaps", "canIpForward"),
        ("scheduling", [], "scheduling"),
    ],
)
def test_a_field_of_a_wrong_type_is_left_out_and_named(
    read: Reader, field: str, value: object, expected: str
) -> None:
    inventory = read(vm(**{field: value}))
    assert only(inventory).machine_type == "n2-standard-8"
    assert expected in {unread.field for unread in inventory.unread}
    assert {unread.resource for unread in inventory.unread} == {only(inventory).ref.self_link}


@pytest.mark.parametrize("is_read", [True, False])
def test_disks_and_placement_policies_tie_their_machines(read: Reader, is_read: bool) -> None:
    """Ties that were not read are unknown."""
    policy = f"{REGION}/resourcePolicies/close"
    machine = vm(resourcePolicies=[policy])
    disk: Resource = {"kind": "compute#disk", "name": "d", "selfLink": f"{ZONE}/disks/d"}
    disk |= {"type": f"{ZONE}/diskTypes/pd-ssd", "users": [machine["selfLink"]]}
    close: Resource = {"kind": "compute#resourcePolicy", "name": "close", "selfLink": policy}
    close["groupPlacementPolicy"] = {"collocation": "COLLOCATED"}
    inventory = read(machine, *([disk, close] if is_read else []))
    shape = MachineShape(machine_type="n2-standard-4", vcpus=4, memory_gib=16)
    tied = ties_of(inventory, only(inventory), shape)
    expected = (("pd-ssd",), True) if is_read else (None, None)
    assert (tied.disk_types, tied.is_compact) == expected
