"""Machines as JSON: each documented fact becomes the right value of the model."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from netplan_planner.machines import ties_of
from netplan_planner.model import BandwidthTier, MachineShape
from netplan_planner.readers import read_inventory
from support.projects.compute_json import REGION, ROOT, ZONE, Reader, Resource, nic, only, vm


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


def test_a_local_ssd_of_which_the_data_is_kept_says_so(read: Reader) -> None:
    lost, kept = {"type": "SCRATCH"}, {"type": "SCRATCH", "savedState": "PRESERVED"}
    assert not only(read(vm(disks=[lost]))).has_preserved_ssd
    found = only(read(vm(disks=[lost, kept], status="SUSPENDED")))
    assert (found.has_preserved_ssd, found.local_ssd_count) == (True, 2)


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


def test_a_specific_reservation_is_read_and_any_other_is_not(read: Reader) -> None:
    bound = {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "values": ["projects/p/reservations/r"],
    }
    free = {"consumeReservationType": "ANY_RESERVATION"}
    assert only(read(vm(reservationAffinity=bound))).reservation == "r"
    assert only(read(vm(reservationAffinity=free))).reservation is None
    assert only(read(vm())).reservation is None


def test_attached_gpus_have_a_type_and_a_number(read: Reader) -> None:
    link = f"{ZONE}/acceleratorTypes/nvidia-tesla-t4"
    found = only(read(vm(guestAccelerators=[{"acceleratorType": link, "acceleratorCount": 2}])))
    assert (found.gpu_type, found.gpu_count) == ("nvidia-tesla-t4", 2)


def test_disks_and_placement_policies_tie_their_machines(read: Reader) -> None:
    machine = vm(resourcePolicies=[f"{REGION}/resourcePolicies/close"])
    disk = {
        "kind": "compute#disk",
        "name": "d",
        "selfLink": f"{ZONE}/disks/d",
        "type": f"{ZONE}/diskTypes/pd-ssd",
        "users": [machine["selfLink"]],
    }
    policy = {
        "kind": "compute#resourcePolicy",
        "name": "close",
        "selfLink": f"{REGION}/resourcePolicies/close",
        "groupPlacementPolicy": {"collocation": "COLLOCATED"},
    }
    shape = MachineShape(machine_type="n2-standard-4", vcpus=4, memory_gib=16)
    inventory = read(machine, disk, policy)
    tied = ties_of(inventory, only(inventory), shape)
    assert (tied.disk_types, tied.is_compact) == (("pd-ssd",), True)


def test_ties_that_were_not_read_are_unknown(read: Reader) -> None:
    shape = MachineShape(machine_type="n2-standard-4", vcpus=4, memory_gib=16)
    inventory = read(vm(resourcePolicies=[f"{REGION}/resourcePolicies/close"]))
    tied = ties_of(inventory, only(inventory), shape)
    assert (tied.disk_types, tied.is_compact) == (None, None)
