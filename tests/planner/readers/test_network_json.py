"""Networks and what stands beside machines, as JSON: each fact becomes its value of the model."""

import pytest

from netplan_planner.model import InstanceGroup
from support.projects.compute_json import REGION, ROOT, ZONE, Reader, Resource


def test_a_network_without_mtu_has_1460(read: Reader) -> None:
    network = {"kind": "compute#network", "selfLink": f"{ROOT}/global/networks/n"}
    assert read(network).networks[0].mtu_bytes == 1460


def test_a_network_with_peerings(read: Reader) -> None:
    network = {
        "kind": "compute#network",
        "selfLink": f"{ROOT}/global/networks/n",
        "mtu": 8896,
        "routingConfig": {"routingMode": "GLOBAL"},
        "peerings": [
            {"name": "b", "network": "projects/q/global/networks/m", "state": "INACTIVE"},
            {"name": "a", "network": "projects/o/global/networks/m", "state": "ACTIVE"},
            {"name": "broken"},
        ],
    }
    inventory = read(network)
    (found,) = inventory.networks
    assert (found.mtu_bytes, found.routing_mode) == (8896, "GLOBAL")
    assert [(p.name, p.is_active) for p in found.peerings] == [("a", True), ("b", False)]
    assert [unread.field for unread in inventory.unread] == ["peerings[2]"]


def subnetwork(**fields: object) -> Resource:
    return {
        "kind": "compute#subnetwork",
        "selfLink": f"{REGION}/subnetworks/s",
        "network": f"{ROOT}/global/networks/n",
        "region": REGION,
        "ipCidrRange": "10.0.0.0/20",
        **fields,
    }


@pytest.mark.parametrize(
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
    logs = read(subnetwork(**fields)).subnetworks[0].flow_logs
    assert (None if logs is None else logs.enabled) is enabled


def test_the_log_configuration_is_read(read: Reader) -> None:
    config = {
        "enable": True,
        "flowSampling": 0.25,
        "aggregationInterval": "INTERVAL_10_MIN",
        "metadata": "EXCLUDE_ALL_METADATA",
        "filterExpr": "inIpRange(connection.src_ip, '10.0.0.0/8')",
    }
    logs = read(subnetwork(logConfig=config)).subnetworks[0].flow_logs
    assert logs is not None
    assert (logs.sampling_ratio, logs.aggregation_interval) == (0.25, "INTERVAL_10_MIN")
    assert logs.metadata == "EXCLUDE_ALL_METADATA"
    assert logs.filter_expr is not None


def test_a_subnetwork_and_its_ranges(read: Reader) -> None:
    (found,) = read(
        subnetwork(
            secondaryIpRanges=[{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}],
            externalIpv6Prefix="2001:db8::/64",
            privateIpGoogleAccess=True,
            purpose="PRIVATE",
            stackType="IPV4_IPV6",
        )
    ).subnetworks
    assert (found.region, found.ipv4_range) == ("us-east1", "10.0.0.0/20")
    assert found.secondary_ranges == ("10.4.0.0/14",)
    assert found.ipv6_range == "2001:db8::/64"
    assert found.private_google_access is True


def test_addresses_regional_and_global(read: Reader) -> None:
    regional = {
        "kind": "compute#address",
        "selfLink": f"{REGION}/addresses/a",
        "region": REGION,
        "address": "203.0.113.9",
        "status": "IN_USE",
        "users": [f"{ZONE}/instances/a"],
        "networkTier": "PREMIUM",
    }
    whole = {
        "kind": "compute#address",
        "selfLink": f"{ROOT}/global/addresses/b",
        "address": "10.64.0.0",
        "addressType": "INTERNAL",
        "purpose": "VPC_PEERING",
        "prefixLength": 16,
    }
    range_, address = read(regional, whole).addresses
    assert (address.region, address.is_external) == ("us-east1", True)
    assert address.users == ("projects/p/zones/us-east1-b/instances/a",)
    assert (range_.region, range_.is_external, range_.prefix_length) == (None, False, 16)


def test_an_address_in_the_making_has_no_literal_yet(read: Reader) -> None:
    inventory = read({"kind": "compute#address", "selfLink": f"{REGION}/addresses/a"})
    assert inventory.addresses[0].address == ""
    assert inventory.address_by_ip == {}


def rule(name: str, **fields: object) -> Resource:
    link = f"{REGION}/forwardingRules/{name}"
    return {"kind": "compute#forwardingRule", "selfLink": link, "IPAddress": "10.0.0.9", **fields}


def test_forwarding_rules(read: Reader) -> None:
    a, b, c = read(
        rule("a", loadBalancingScheme="EXTERNAL", portRange="80-90", target=f"{REGION}/x/t"),
        rule("b", loadBalancingScheme="INTERNAL", ports=["80", "443"], subnetwork="s"),
        rule("c", allPorts=True),
    ).forwarding_rules
    assert (a.is_external, a.port_range) == (True, "80-90")
    assert a.target == "projects/p/regions/us-east1/x/t"
    assert (b.is_external, b.port_range) == (False, "80,443")
    assert b.subnetwork == "projects/p/regions/us-east1/subnetworks/s"
    assert (c.scheme, c.port_range) == (None, "all")


def test_a_router_with_gateways(read: Reader) -> None:
    router = {
        "kind": "compute#router",
        "selfLink": f"{REGION}/routers/r",
        "region": REGION,
        "network": f"{ROOT}/global/networks/n",
        "nats": [
            {"name": "auto", "natIpAllocateOption": "AUTO_ONLY"},
            {
                "name": "own",
                "natIpAllocateOption": "MANUAL_ONLY",
                "natIps": [f"{REGION}/addresses/n"],
                "sourceSubnetworkIpRangesToNat": "LIST_OF_SUBNETWORKS",
                "subnetworks": [{"name": f"{REGION}/subnetworks/s"}, {}],
                "minPortsPerVm": 32,
                "maxPortsPerVm": 1024,
                "enableDynamicPortAllocation": True,
                "enableEndpointIndependentMapping": False,
                "type": "PRIVATE",
            },
            {},
        ],
    }
    (found,) = read(router).routers
    auto, own, unnamed = found.nats
    assert auto.is_auto_allocated is True
    assert own.is_auto_allocated is False
    assert own.addresses == ("projects/p/regions/us-east1/addresses/n",)
    assert own.subnetworks == ("projects/p/regions/us-east1/subnetworks/s",)
    assert (own.router, own.network) == (found.ref.self_link, "projects/p/global/networks/n")
    assert (own.min_ports_per_vm, own.max_ports_per_vm) == (32, 1024)
    assert (own.is_dynamic, own.is_endpoint_independent, own.is_private) == (True, False, True)
    assert (unnamed.name, unnamed.is_auto_allocated) == ("nat2", None)
    assert (unnamed.min_ports_per_vm, unnamed.is_dynamic) == (None, None)


def test_a_gateway_holds_the_addresses_of_its_rules_and_those_that_it_drains(
    read: Reader,
) -> None:
    action = {
        "sourceNatActiveIps": [f"{REGION}/addresses/a", f"{REGION}/addresses/n"],
        "sourceNatDrainIps": [f"{REGION}/addresses/b"],
    }
    nat = {
        "name": "own",
        "natIps": [f"{REGION}/addresses/n"],
        "drainNatIps": [f"{REGION}/addresses/d"],
        "rules": [{"ruleNumber": 1, "action": action}, {"action": action}, {"ruleNumber": 2}],
    }
    router = {
        "kind": "compute#router",
        "selfLink": f"{REGION}/routers/r",
        "network": f"{ROOT}/global/networks/n",
        "nats": [nat],
    }
    ((gateway,),) = [one.nats for one in read(router).routers]
    held = tuple(f"projects/p/regions/us-east1/addresses/{name}" for name in "ndab")
    assert gateway.addresses == held
    assert gateway.outside_pool == held[1:]


@pytest.mark.parametrize(
    ("field", "value", "hop", "target"),
    [
        ("nextHopGateway", f"{ROOT}/global/gateways/g", "gateway", "projects/p/global/gateways/g"),
        ("nextHopInstance", f"{ZONE}/instances/a", "instance", None),
        ("nextHopIp", "10.0.0.7", "ip", "10.0.0.7"),
        ("nextHopVpnTunnel", f"{REGION}/vpnTunnels/t", "vpn", None),
        ("nextHopIlb", f"{REGION}/forwardingRules/f", "ilb", None),
        ("nextHopIlb", "10.0.0.8", "ilb", "10.0.0.8"),
        ("nextHopPeering", "to-partner", "peering", "to-partner"),
        ("nextHopNetwork", f"{ROOT}/global/networks/n", "network", "projects/p/global/networks/n"),
        ("nextHopHub", f"{ROOT}/global/hubs/h", "hub", "projects/p/global/hubs/h"),
    ],
)
def test_next_hops(read: Reader, field: str, value: str, hop: str, target: str | None) -> None:
    route = {
        "kind": "compute#route",
        "selfLink": f"{ROOT}/global/routes/r",
        "network": f"{ROOT}/global/networks/n",
        "destRange": "10.0.0.0/8",
        "priority": 0,
        field: value,
    }
    (found,) = read(route).routes
    assert (found.next_hop, found.priority) == (hop, 0)
    assert found.next_hop_target == (target or value.removeprefix(ROOT.removesuffix("projects/p")))


def test_a_next_hop_of_an_unknown_kind_is_noted(read: Reader) -> None:
    route = {
        "kind": "compute#route",
        "selfLink": f"{ROOT}/global/routes/r",
        "network": f"{ROOT}/global/networks/n",
        "destRange": "10.0.0.0/8",
        "nextHopOrbit": "low",
    }
    inventory = read(route)
    assert inventory.routes[0].next_hop == "unknown"
    assert [unread.field for unread in inventory.unread] == ["nextHop"]


def test_groups_and_managers(read: Reader) -> None:
    group = {"kind": "compute#instanceGroup", "selfLink": f"{ZONE}/instanceGroups/g", "size": 3}
    other = {"kind": "compute#instanceGroup", "selfLink": f"{ZONE}/instanceGroups/other"}
    manager = {
        "kind": "compute#instanceGroupManager",
        "selfLink": f"{REGION}/instanceGroupManagers/g",
        "targetSize": 3,
        "versions": [{"instanceTemplate": f"{ROOT}/global/instanceTemplates/t"}],
        "instanceGroup": f"{ZONE}/instanceGroups/g",
        "baseInstanceName": "g",
    }
    groups = read(group, other, manager).instance_groups
    found: dict[str, InstanceGroup] = {g.ref.self_link: g for g in groups}
    managed = found["projects/p/zones/us-east1-b/instanceGroups/g"]
    assert (managed.is_managed, managed.is_regional, managed.size) == (True, False, 3)
    assert not found["projects/p/zones/us-east1-b/instanceGroups/other"].is_managed
    regional = found["projects/p/regions/us-east1/instanceGroupManagers/g"]
    assert (regional.is_regional, regional.location) == (True, "us-east1")
    assert regional.template == "projects/p/global/instanceTemplates/t"


def test_commitments(read: Reader) -> None:
    commitment = {
        "kind": "compute#commitment",
        "selfLink": f"{REGION}/commitments/c",
        "plan": "TWELVE_MONTH",
        "type": "GENERAL_PURPOSE_N2",
        "status": "ACTIVE",
        "endTimestamp": "2027-01-01T00:00:00.000-08:00",
        "resources": [
            {"type": "VCPU", "amount": "16"},
            {"type": "VCPU", "amount": 16},
            {"type": "MEMORY", "amount": "131072"},
            {"type": "LOCAL_SSD", "amount": "many"},
        ],
    }
    inventory = read(commitment)
    (found,) = inventory.commitments
    assert (found.vcpu_count, found.memory_mib) == (32, 131072)
    assert (found.region, found.plan) == ("us-east1", "TWELVE_MONTH")
    assert [unread.field for unread in inventory.unread] == ["resources[3]"]


def machine_type(zone: str, **fields: object) -> Resource:
    link = f"{ROOT}/zones/{zone}/machineTypes/c3-standard-8-lssd"
    return {
        "kind": "compute#machineType",
        "selfLink": link,
        "guestCpus": 8,
        "memoryMb": 32768,
        **fields,
    }


def test_machine_types_once_whatever_the_zone(read: Reader) -> None:
    (shape,) = read(
        machine_type("a", deprecated={"state": "DEPRECATED"}, architecture="X86_64"),
        machine_type("b", bundledLocalSsds={"partitionCount": 2}, architecture="X86_64"),
    ).machine_shapes
    assert (shape.machine_type, shape.vcpus, shape.memory_gib) == ("c3-standard-8-lssd", 8, 32.0)
    assert shape.deprecation is None
    assert shape.bundled_local_ssd_gib == 750
