"""Compute resources as JSON: each documented fact becomes the right value of the model."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import BandwidthTier, Instance, InstanceGroup, Inventory, Unread
from netplan_planner.readers import read_inventory

Resource = dict[str, Any]
ROOT = "https://www.googleapis.com/compute/v1/projects/p"
ZONE = f"{ROOT}/zones/us-east1-b"
REGION = f"{ROOT}/regions/us-east1"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Inventory]:
    """Read documents as if each were a file of one folder."""

    def reader(*documents: object) -> Inventory:
        for number, document in enumerate(documents):
            path = tmp_path / f"{number:03d}.json"
            path.write_text(json.dumps(document), encoding="utf-8")
        return read_inventory([tmp_path])

    return reader


def vm(**fields: object) -> Resource:
    return {
        "kind": "compute#instance",
        "id": "7276406499315716343",
        "name": "a",
        "zone": ZONE,
        "machineType": f"{ZONE}/machineTypes/n2-standard-8",
        "status": "RUNNING",
        "networkInterfaces": [nic()],
        "selfLink": f"{ZONE}/instances/a",
        **fields,
    }


def nic(**fields: object) -> Resource:
    return {
        "name": "nic0",
        "network": f"{ROOT}/global/networks/default",
        "subnetwork": f"{REGION}/subnetworks/default",
        "networkIP": "10.0.0.2",
        **fields,
    }


def only(inventory: Inventory) -> Instance:
    (instance,) = inventory.instances
    return instance


Reader = Callable[..., Inventory]


def test_a_plain_machine(read: Reader) -> None:
    instance = only(read(vm(creationTimestamp="2025-02-05T01:23:36.842-08:00")))
    assert instance.ref.self_link == "projects/p/zones/us-east1-b/instances/a"
    assert (instance.project, instance.zone, instance.name) == ("p", "us-east1-b", "a")
    assert instance.region == "us-east1"
    assert instance.machine_type == "n2-standard-8"
    assert instance.instance_id == "7276406499315716343"
    assert instance.created == datetime(2025, 2, 5, 9, 23, 36, 842000, UTC)
    (interface,) = instance.interfaces
    assert interface.network == "projects/p/global/networks/default"
    assert interface.subnetwork == "projects/p/regions/us-east1/subnetworks/default"
    assert interface.internal_ipv4 == "10.0.0.2"


def test_what_is_not_stated_is_unknown_or_the_documented_default(read: Reader) -> None:
    instance = only(read(vm()))
    assert instance.cpu_platform is None
    assert instance.bandwidth_tier is BandwidthTier.DEFAULT
    assert instance.is_spot is False
    assert instance.created is None
    assert instance.interfaces[0].nic_type is None
    assert instance.interfaces[0].external_ipv4 is None
    assert instance.interfaces[0].access_config_name is None
    assert instance.created_by is None
    assert instance.local_ssd_count == 0


def test_the_cpu_platform_of_a_stopped_machine_is_unknown(read: Reader) -> None:
    assert only(read(vm(cpuPlatform="Unknown CPU Platform"))).cpu_platform is None


def test_tiers(read: Reader) -> None:
    tier_1 = {"totalEgressBandwidthTier": "TIER_1"}
    assert only(read(vm(networkPerformanceConfig=tier_1))).bandwidth_tier is BandwidthTier.TIER_1


def test_a_tier_that_is_not_known_yet_is_named_not_guessed(read: Reader) -> None:
    inventory = read(vm(networkPerformanceConfig={"totalEgressBandwidthTier": "TIER_9"}))
    assert only(inventory).bandwidth_tier is BandwidthTier.DEFAULT
    (unread,) = inventory.unread
    assert unread.field == "networkPerformanceConfig.totalEgressBandwidthTier"
    assert "TIER_9" in unread.reason


@pytest.mark.parametrize(
    ("scheduling", "is_spot"),
    [
        ({"preemptible": True}, True),
        ({"provisioningModel": "SPOT"}, True),
        ({"provisioningModel": "STANDARD", "preemptible": False}, False),
        ({"provisioningModel": "FLEX_START"}, False),
    ],
)
def test_spot(read: Reader, scheduling: Resource, is_spot: bool) -> None:
    assert only(read(vm(scheduling=scheduling))).is_spot is is_spot


def test_the_manager_in_metadata_gets_the_project_id_for_its_number(read: Reader) -> None:
    items = [
        {"key": "startup-script", "value": '"key":"created-by","value":"projects/x/evil"'},
        {
            "key": "created-by",
            "value": "projects/123456/zones/us-east1-b/instanceGroupManagers/pool",
        },
    ]
    instance = only(read(vm(metadata={"items": items})))
    assert instance.created_by == "projects/p/zones/us-east1-b/instanceGroupManagers/pool"


def test_the_manager_is_found_however_the_entry_is_spelled(tmp_path: Path) -> None:
    value = "projects/9/zones/us-east1-b/instanceGroupManagers/pool"
    entry = '{ "value" : "' + value.replace("/", "\\/") + '", "key" : "created-by" }'
    text = json.dumps(vm(metadata="ENTRY")).replace('"ENTRY"', '{"items": [' + entry + "]}")
    path = tmp_path / "vm.json"
    path.write_text(text, encoding="utf-8")
    instance = only(read_inventory([path]))
    assert instance.created_by == "projects/p/zones/us-east1-b/instanceGroupManagers/pool"


def test_metadata_of_another_creator_names_no_manager(read: Reader) -> None:
    items = [{"key": "created-by", "value": "somebody"}, {"key": "empty"}]
    assert only(read(vm(metadata={"items": items}))).created_by is None


def test_disks_bring_features_licences_and_local_ssds(read: Reader) -> None:
    disks = [
        {
            "type": "PERSISTENT",
            "licenses": [f"{ROOT}/global/licenses/one", f"{ROOT}/global/licenses/two"],
            "guestOsFeatures": [{"type": "GVNIC"}, {"type": "WINDOWS"}, {}],
        },
        {"type": "SCRATCH"},
        {
            "type": "PERSISTENT",
            "licenses": [f"{ROOT}/global/licenses/one"],
            "guestOsFeatures": [{"type": "UEFI_COMPATIBLE"}],
        },
        {"type": "SCRATCH", "interface": "NVME"},
    ]
    instance = only(read(vm(disks=disks)))
    assert instance.guest_os_features == {"GVNIC", "WINDOWS", "UEFI_COMPATIBLE"}
    assert instance.licenses == (
        "projects/p/global/licenses/one",
        "projects/p/global/licenses/two",
    )
    assert instance.local_ssd_count == 2


def test_accelerators_are_summed(read: Reader) -> None:
    cards = [{"acceleratorCount": 2}, {"acceleratorCount": 4}, {}]
    assert only(read(vm(guestAccelerators=cards))).gpu_count == 6


def test_several_interfaces_keep_their_order_and_addresses(read: Reader) -> None:
    interfaces = [
        nic(
            nicType="GVNIC",
            queueCount=4,
            stackType="IPV4_IPV6",
            ipv6Address="fd20::1",
            accessConfigs=[{"name": "ext", "natIP": "203.0.113.4", "networkTier": "STANDARD"}],
            ipv6AccessConfigs=[{"externalIpv6": "2001:db8::", "externalIpv6PrefixLength": 96}],
            aliasIpRanges=[{"ipCidrRange": "10.4.0.0/24"}, {}],
        ),
        nic(name="nic1", network=f"{ROOT}/global/networks/other", networkIP="10.9.0.2"),
    ]
    first, second = only(read(vm(networkInterfaces=interfaces))).interfaces
    assert (first.nic_type, first.queue_count, first.stack_type) == ("GVNIC", 4, "IPV4_IPV6")
    assert (first.external_ipv4, first.access_config_name) == ("203.0.113.4", "ext")
    assert first.network_tier == "STANDARD"
    assert first.alias_ranges == ("10.4.0.0/24",)
    assert first.internal_ipv6 == "fd20::1"
    assert (first.external_ipv6, first.external_ipv6_prefix_length) == ("2001:db8::", 96)
    assert (second.name, second.internal_ipv4) == ("nic1", "10.9.0.2")
    assert second.network == "projects/p/global/networks/other"


def test_an_access_config_without_an_address_is_kept(read: Reader) -> None:
    interfaces = [nic(accessConfigs=[{"name": "External NAT", "networkTier": "PREMIUM"}])]
    (interface,) = only(read(vm(networkInterfaces=interfaces))).interfaces
    assert interface.external_ipv4 is None
    assert interface.access_config_name == "External NAT"


def test_a_machine_without_interfaces_is_a_machine(read: Reader) -> None:
    assert only(read(vm(networkInterfaces=[]))).interfaces == ()


def test_unknown_enum_values_are_kept(read: Reader) -> None:
    instance = only(read(vm(status="LEVITATING", networkInterfaces=[nic(nicType="QUANTUM")])))
    assert instance.status == "LEVITATING"
    assert instance.interfaces[0].nic_type == "QUANTUM"


def test_custom_and_old_machine_types_keep_their_bare_names(read: Reader) -> None:
    link = f"{ZONE}/machineTypes/custom-4-8192"
    assert only(read(vm(machineType=link))).machine_type == "custom-4-8192"


@pytest.mark.parametrize(
    "host",
    [
        "https://compute.googleapis.com/compute/v1/",
        "https://www.googleapis.com/compute/beta/",
        "https://compute.googleapis.com/compute/alpha/",
        "//compute.googleapis.com/",
        "",
    ],
)
def test_links_are_spelled_alike_whatever_host_and_version(read: Reader, host: str) -> None:
    path = "projects/p/zones/us-east1-b"
    resource = vm(
        selfLink=f"{host}{path}/instances/a",
        zone=f"{host}{path}",
        machineType=f"{host}{path}/machineTypes/e2-small",
        networkInterfaces=[nic(network=f"{host}projects/p/global/networks/default")],
    )
    instance = only(read(resource))
    assert instance.ref.self_link == "projects/p/zones/us-east1-b/instances/a"
    assert instance.interfaces[0].network == "projects/p/global/networks/default"
    assert instance.machine_type == "e2-small"


def test_relative_and_bare_links_belong_to_the_own_project(read: Reader) -> None:
    interfaces = [
        nic(network="global/networks/default", subnetwork="regions/us-east1/subnetworks/s"),
        nic(network="default", subnetwork="s"),
    ]
    for interface in only(read(vm(networkInterfaces=interfaces))).interfaces:
        assert interface.network == "projects/p/global/networks/default"
        assert interface.subnetwork == "projects/p/regions/us-east1/subnetworks/s"


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
    assert (unnamed.name, unnamed.is_auto_allocated) == ("nat2", None)


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


def test_an_envelope_of_scopes_and_its_empty_ones(read: Reader) -> None:
    empty = {"code": "NO_RESULTS_ON_PAGE", "message": "none"}
    page = {
        "kind": "compute#instanceAggregatedList",
        "items": {
            "zones/us-east1-b": {"instances": [vm()]},
            "zones/us-east1-c": {"warning": empty},
        },
    }
    inventory = read(page)
    assert only(inventory).ref.source.endswith("000.json:/items/zones~1us-east1-b/instances/0")
    assert inventory.unread == ()


def test_scopes_and_lists_are_known_without_kind(read: Reader) -> None:
    bare = {key: value for key, value in vm().items() if key != "kind"}
    other = bare | {"selfLink": f"{ZONE}/instances/b", "name": "b"}
    third = bare | {"selfLink": f"{ZONE}/instances/c", "name": "c"}
    inventory = read({"items": {"zones/us-east1-b": {"instances": [bare]}}}, [other], third)
    assert [instance.name for instance in inventory.instances] == ["a", "b", "c"]


def test_a_resource_is_known_by_its_shape(read: Reader) -> None:
    bare = {key: value for key, value in vm().items() if key not in {"kind", "selfLink"}}
    assert only(read([bare])).ref.self_link == "projects/p/zones/us-east1-b/instances/a"


def test_an_unreachable_scope_is_incomplete(read: Reader) -> None:
    page = {
        "kind": "compute#instanceAggregatedList",
        "items": {"zones/x": {"warning": {"code": "UNREACHABLE", "message": "zone x is down"}}},
        "unreachables": [f"{ROOT}/zones/y"],
    }
    reasons = sorted(unread.reason for unread in read(page).unread)
    assert reasons == [
        "incomplete: UNREACHABLE: zone x is down",
        f"incomplete: {ROOT}/zones/y could not be reached",
    ]


def page(name: str, token: str | None) -> Resource:
    found: Resource = {
        "kind": "compute#instanceList",
        "selfLink": f"{ZONE}/instances",
        "items": [vm(name=name, selfLink=f"{ZONE}/instances/{name}")],
    }
    return found | ({"nextPageToken": token} if token else {})


def test_a_list_whose_last_page_is_missing_is_noted(read: Reader) -> None:
    inventory = read(page("a", "more"))
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert "nextPageToken" in unread.reason


def test_a_list_with_its_last_page_is_whole(read: Reader) -> None:
    inventory = read(page("a", "more"), page("b", None))
    assert len(inventory.instances) == 2
    assert inventory.unread == ()


def test_kinds_that_are_not_needed_are_counted(read: Reader) -> None:
    disks = [{"kind": "compute#disk", "selfLink": f"{ZONE}/disks/d{n}"} for n in range(3)]
    gateway = {"selfLink": f"{REGION}/targetVpnGateways/g"}
    inventory = read(vm(), {"kind": "compute#diskList", "items": disks}, gateway)
    assert sorted(unread.reason for unread in inventory.unread) == [
        "compute#disk: 3 not needed by the audit",
        "compute#targetVpnGateways: 1 not needed by the audit",
    ]


def test_the_same_name_in_two_projects_is_two_machines(read: Reader) -> None:
    other = json.loads(json.dumps(vm()).replace("projects/p/", "projects/q/"))
    inventory = read([vm(), other])
    assert [instance.project for instance in inventory.instances] == ["p", "q"]
    assert inventory.unread == ()


def test_a_repeated_resource_is_one(read: Reader) -> None:
    inventory = read(vm(), vm())
    assert len(inventory.instances) == 1
    assert inventory.instances[0].ref.source.endswith("000.json")
    assert inventory.unread == ()


def test_of_two_readings_that_differ_the_fuller_counts(read: Reader) -> None:
    inventory = read(vm(), vm(labels={"a": "b"}))
    assert only(inventory).labels == (("a", "b"),)
    (unread,) = inventory.unread
    assert unread.source.endswith("000.json")
    assert "differs" in unread.reason


@pytest.mark.parametrize(
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


def test_a_null_is_not_stated(read: Reader) -> None:
    inventory = read(vm(labels=None, disks=None, cpuPlatform=None, metadata=None, tags=None))
    assert only(inventory).labels == ()
    assert inventory.unread == ()


@pytest.mark.parametrize("missing", ["machineType", "selfLink"])
def test_a_machine_without_what_it_needs_is_unread(read: Reader, missing: str) -> None:
    resource = vm(zone=None)
    del resource[missing]
    inventory = read([vm(selfLink=f"{ZONE}/instances/good"), resource])
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert missing in unread.reason


def test_a_machine_without_a_zone_anywhere_is_unread(read: Reader) -> None:
    inventory = read([vm(), vm(zone=None, selfLink="projects/p/instances/b")])
    assert len(inventory.instances) == 1
    assert isinstance(inventory.unread[0], Unread)


def test_an_item_that_is_no_object_is_unread(read: Reader) -> None:
    listed = {"kind": "compute#instanceList", "items": [vm(), "text", 5, None, []]}
    inventory = read(listed)
    assert len(inventory.instances) == 1
    assert [unread.source.rpartition("/")[2] for unread in inventory.unread] == list("1234")
