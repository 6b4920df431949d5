"""What each SKU is: on made-up descriptions here, on the labelled sample beside the checkout."""

import csv
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from netplan_pricing.catalogue.dumps import read_dump
from netplan_pricing.catalogue.mapping import Scope, map_sku
from netplan_pricing.catalogue.sku import Sku, rate_of
from support.listed import listed
from support.prices.skus import COMPUTE, NETWORKING, sku
from support.projects.shared_data import needs_shared, shared
from support.servers.catalog import CatalogServer

VM = "vm_component"


def mapped(description: str, group: str, **more: object) -> tuple[str, str, str, str]:
    """Return kind, series, component and usage."""
    one = map_sku(msgspec.convert(sku(description, group, **more), Sku))  # type: ignore[arg-type]
    return one.kind, one.series, one.component, one.usage


@listed(
    ("description", "group", "usage", "expected"),
    [
        # The wordings of 2017, 2019, 2022 and 2026, and places that no list holds.
        ("Standard Intel N1 4 VCPU running in Americas", "N1Standard", "OnDemand",
         ("vm_whole", "n1-standard-4", "vm", "ondemand")),
        ("Preemptible Highmem Intel N1 2 VCPU running in Atlantis", "N1Highmem", "Preemptible",
         ("vm_whole", "n1-highmem-2", "vm", "spot")),
        ("Preemptible N1 Predefined Instance Ram running in EMEA", "N1Standard", "Preemptible",
         (VM, "n1", "ram", "spot")),
        ("Spot N9 Instance Core running in Port-au-Prince", "CPU", "Preemptible",
         (VM, "n9", "core", "spot")),
        ("C2D AMD Custom Instance Core running in APAC", "CPU", "OnDemand",
         (VM, "c2d", "custom_core", "ondemand")),
        ("C4N Instance Ram running in Newcastle upon Tyne", "RAM", "OnDemand",
         (VM, "c4n", "ram", "ondemand")),
        ("M4N Instance Memory in Rio", "RAM", "OnDemand", (VM, "m4n", "ram", "ondemand")),
        ("VM state: suspended RAM in Hong Kong", "VmState", "OnDemand",
         ("vm_state", "", "suspended_ram", "ondemand")),
        ("VM state: preserved local SSD in Bangkok", "VmState", "OnDemand",
         ("", "", "", "ondemand")),
        ("X4Megamem960 Instance Core running in Iowa", "CPU", "OnDemand",
         (VM, "x4-megamem-960", "core", "ondemand")),
        ("A4X Instance Core running in Iowa", "CPU", "OnDemand", (VM, "a4x", "core", "ondemand")),
        ("Sole Tenancy Instance RAM running in Zurich", "RAM", "OnDemand",
         ("sole_tenancy", "n1", "ram", "ondemand")),
        ("Commitment v2: C5D Cpu in Oslo for 3 Years", "CPU", "Commit3Yr",
         ("commitment", "c5d", "core", "commit_3y")),
        ("Commitment: Compute optimized Ram running in Japan for 1 Year", "RAM", "Commit1Yr",
         ("commitment", "c2", "ram", "commit_1y")),
        ("Commitment v1: N4A Core in Iowa for 5 Years", "CPU", "Commit",
         ("commitment", "n4a", "core", "commit_other")),
        ("Reserved N2 Custom Extended Ram in Iowa", "RAM", "OnDemand",
         ("reserved_capacity", "n2", "custom_extended_ram", "ondemand")),
        ("DWS Queued Start H5D Standard Core running in Iowa", "CPU", "OnDemand",
         ("dws", "h5d", "core", "ondemand")),
        ("Memory Optimized Upgrade Premium for Memory-optimized Instance Ram running in Lima",
         "RAM", "OnDemand", ("m2_upgrade_premium", "m2", "ram", "ondemand")),
        ("Committed Use Discount Premium for N4D Custom Instance Core running in Iowa", "CPU",
         "OnDemand", ("cud_premium", "n4d", "custom_core", "ondemand")),
        ("Sole Tenancy Overcommit Premium for M3 Memory-optimized Sole Tenancy Instance Core"
         " running in Iowa", "CPU", "OnDemand",
         ("sole_tenancy_overcommit", "m3", "core", "ondemand")),
        ("Micro Instance with burstable CPU running in EMEA", "F1Micro", "OnDemand",
         ("vm_whole", "f1-micro", "vm", "ondemand")),
        ("Nvidia Tesla K80 GPU attached to preemptible VMs running in Iowa", "GPU", "Preemptible",
         ("gpu", "", "Nvidia Tesla K80", "spot")),
        ("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Iowa", "GPU", "OnDemand",
         ("gpu", "", "A4 Nvidia B200 (1 gpu slice)", "spot")),
        ("SSD backed Local Storage attached to Preemptible VMs in Sydney", "LocalSSD",
         "Preemptible", ("local_ssd", "", "local_ssd", "spot")),
        ("Reserved C4A Standard Local SSD in Iowa", "LocalSSD", "OnDemand",
         ("reserved_capacity", "c4a", "local_ssd", "ondemand")),
    ],
)  # fmt: skip
def test_wordings_of_many_years(
    description: str, group: str, usage: str, expected: tuple[str, ...]
) -> None:
    assert mapped(description, group, usage=usage) == expected


@listed(
    "group, kind",
    [
        ("InterregionEgress", "interregion_out"),
        ("VPNInternetIngress", "vpn_internet_in"),
        ("L7InternalLoadBalancing", "load_balancing"),
        ("IpAddress", "external_ip"),
        ("CDNCacheEgress", "network_other:CDNCacheEgress"),
        ("SomethingNew", "network_other:SomethingNew"),
    ],
)
def test_the_network_goes_by_its_group_whatever_the_description_says(group: str, kind: str) -> None:
    for words in ("Network Egress from A to B", "Network Data Transfer Out from A to B", ""):
        assert mapped(words, group, family="Network")[0] == kind
        assert mapped(words, group, family="Network", service=NETWORKING)[0] == kind


@pytest.mark.parametrize(
    ("description", "group", "scope"),
    [
        ("Network Inter Zone Egress", "InterZoneEgress", Scope.UNRECOGNISED),
        ("Static Ip Charge in Iowa", "StaticIp", Scope.UNRECOGNISED),
        ("Cloud NAT Gateway Uptime", "CloudNAT", Scope.UNRECOGNISED),
        ("VPN Tunnel in Iowa", "Tunnels", Scope.UNRECOGNISED),
        ("CDN Cache Data Transfer Out", "CDNNew", Scope.OTHER),
        ("Network Data Transfer Out to Anywhere", "DataTransfer", Scope.OTHER),
        ("Packets looked at", "SomethingNew", Scope.OTHER),
    ],
)
def test_a_new_group_that_sounds_like_a_price_of_ours_is_counted(
    description: str, group: str, scope: Scope
) -> None:
    one = map_sku(msgspec.convert(sku(description, group, family="Network"), Sku))
    assert (one.kind, one.scope) == (f"network_other:{group}", scope)
    assert one.reason


@listed(
    "description, group, usage",
    [
        # What is not wholly understood is no price.
        *(
            (f"{words} running in Iowa", "CPU", "OnDemand")
            for words in (
                *("Confidential premium for N2D AMD Instance Core", "N2 Instance Nested Core"),
                *("N2 Instance Ram", "Instance Core", "Graphics-optimized Instance Core"),
            )
        ),
        ("Confidential Premium for Nvidia L4 GPU running in Iowa", "GPU", "OnDemand"),
        ("N2 Instance Core running in Iowa", "FPGA", "OnDemand"),
        ("N2 Instance Core running in Iowa in Calendar Mode", "CPU", "OnDemand"),
        ("N2 Instance Core running in Iowa (Flex Start)", "CPU", "OnDemand"),
        ("N2 Instance Core running in Iowa for Future Reservations", "CPU", "OnDemand"),
        ("N2 Instance Core running in Iowa for 1 Year", "CPU", "OnDemand"),
        ("Nvidia H100 80GB GPU in Sydney in Calendar Mode", "GPU", "OnDemand"),
        ("Nvidia H100 80GB GPU attached to Flex Start VMs running in Oslo", "GPU", "OnDemand"),
        ("Nvidia Tesla T4 Virtual Workstation GPU running in Oslo", "GPU", "OnDemand"),
        ("Micro Instance with burstable CPU running in Iowa for 1 Year", "F1Micro", "OnDemand"),
        ("N2 Instance Core running in Iowa", "CPU", ""),
        ("N2 Instance Core running in Iowa", "CPU", "Spot"),
        ("Spot Preemptible N2 Instance Core running in Iowa", "CPU", "Commit1Yr"),
        ("Commitment v1: N2 Cpu in Iowa for 3 Years", "CPU", "Commit1Yr"),
        ("Commitment v1: N2 Cpu in Iowa for 1 Year", "CPU", "OnDemand"),
    ],
)
def test_a_contradiction_or_a_new_way_to_sell_is_no_plain_price(
    description: str, group: str, usage: str
) -> None:
    one = map_sku(msgspec.convert(sku(description, group, usage=usage), Sku))
    assert (one.kind, one.scope) == ("", Scope.UNRECOGNISED)
    assert one.reason
    assert not one.counts_in_plain_vm_price


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("NVIDIA TESLA T4 GPU running in Iowa", "Nvidia Tesla T4"),
        ("nvidia h100 80gb gpu running in iowa", "Nvidia H100 80GB"),
        ("Nvidia B300 288GB Ultra GPU running in Iowa", "Nvidia B300 288GB Ultra"),
    ],
)
def test_a_gpu_is_named_in_its_usual_letters(description: str, name: str) -> None:
    assert mapped(description, "GPU")[:3] == ("gpu", "", name)


def test_tier1_fees_are_told_apart() -> None:
    total = "On-demand fee for total VM network bandwidth up to 200 Gbps in Iowa"
    found = mapped(total, "AdvancedNetworking", family="Network")
    assert found[2] == "total_bandwidth_up_to_200_gbps"
    per_vm = "Spot preemptible fee for VM Tier_1 networking performance in Iowa"
    found = mapped(per_vm, "AdvancedNetworking", family="Network", usage="Preemptible")
    assert found[2:] == ("tier1_performance", "spot")
    lunch = sku("A fee for lunch", "AdvancedNetworking", family="Network")
    assert map_sku(msgspec.convert(lunch, Sku)).scope is Scope.UNRECOGNISED


def test_licences_disks_and_other_services_are_out_of_scope_with_a_reason() -> None:
    for family, group, kind in (
        ("License", "Google", "license"),
        ("Storage", "SSD", "storage_other"),
        ("Compute", "TPU", "tpu"),
        ("Compute", "VmState", ""),
    ):
        one = map_sku(msgspec.convert(sku("Some words", group, family=family), Sku))
        assert (one.kind, one.scope) == (kind, Scope.OTHER)
        assert one.reason
    foreign = sku("N2 Instance Core running in Iowa", "CPU", service="1111-2222-3333")
    one = map_sku(msgspec.convert(foreign, Sku))
    assert (one.kind, one.scope) == ("", Scope.OTHER)
    assert "Other" in one.reason


@needs_shared
def test_every_labelled_sku_maps_to_its_label() -> None:
    folder = shared("data/catalog")
    by_file = {
        name: {one.sku_id: one for one in read_dump([folder / name]).skus}
        for name in ("skus_sample.json", "skus_sample_historical.json")
    }
    with (folder / "skus_sample_labels.csv").open(newline="") as stream:
        labels = list(csv.DictReader(stream))
    wrong = []
    for row in labels:
        one = by_file[row["file"]][row["sku_id"]]
        found = map_sku(one)
        said = (found.kind, found.series, found.component, found.usage)
        label = (row["kind"], row["series"], row["component"], row["usage"])
        counts = str(int(found.counts_in_plain_vm_price)) == row["counts_in_plain_vm_price"]
        if said != label or not counts:
            wrong.append((one.description, said, label))
    assert len(labels) == 1735
    assert wrong == []


@needs_shared
def test_no_sku_of_the_whole_catalogue_is_left_without_a_kind_in_silence() -> None:
    dump = read_dump([shared("data/catalog/skus_2026-04-30.json.gz")])
    found = [map_sku(one) for one in dump.skus]
    count = Counter(one.scope for one in found)
    assert count[Scope.UNRECOGNISED] == 0
    assert all(one.reason for one in found if not one.kind)
    # The numbers that a count by beginnings of descriptions gives (sku_mapping.md, section 4).
    kinds = Counter(one.kind for one in found)
    assert (kinds["sole_tenancy"], kinds["sole_tenancy_premium"]) == (1364, 1370)
    assert (kinds["sole_tenancy_overcommit"], kinds["cud_premium"]) == (324, 582)
    assert (kinds["reserved_capacity"], kinds["dws"]) == (944, 749)


@needs_shared
def test_descriptions_of_2022_map_as_those_of_today_do() -> None:
    folder: Path = shared("data")
    with gzip.open(folder / "catalog/skus_2026-04-30.json.gz") as stream:
        raw = msgspec.json.decode(stream.read())
    today = {one["skuId"]: one for one in raw["skus"]}
    with (folder / "network/network_sku_ids.csv").open(newline="") as stream:
        former = [row for row in csv.DictReader(stream) if row["sku_id"] in today]
    assert len(former) > 2000
    for row in former:
        new = today[row["sku_id"]]
        old = {**new, "description": row["description_in_2022"]}
        assert map_sku(msgspec.convert(old, Sku)) == map_sku(msgspec.convert(new, Sku))


def _sku_of_message(message: Any) -> Sku:
    """Return the SKU that a message of the client library holds, through its own JSON form."""
    text = type(message).to_json(message, use_integers_for_enums=False)
    return msgspec.json.decode(text, type=Sku)


def test_a_message_of_the_client_library_is_the_same_sku_as_the_rest_answer() -> None:
    from google.cloud import billing_v1

    for made in (
        sku("N2D AMD Custom Extended Ram running in Paris", "RAM", unit="GBy.h",
            usd=((0, "2.000031611"),)),
        sku("Network Inter Zone Data Transfer Out", "InterzoneEgress", family="Network",
            unit="GiBy", usd=((0, "0"), (1, "0.01"))),
        sku("Nothing priced", "CPU", usd=()),
    ):  # fmt: skip
        message = billing_v1.Sku.from_json(json.dumps(made))
        of_message, of_json = _sku_of_message(message), msgspec.convert(made, Sku)
        assert map_sku(of_message) == map_sku(of_json)
        assert rate_of(of_message) == rate_of(of_json)
        assert (of_message.sku_id, of_message.geo_taxonomy.type) == (of_json.sku_id, "REGIONAL")


@needs_shared
def test_messages_of_real_skus_are_the_same_skus() -> None:
    """As `--api-client google` turns them back into JSON."""
    asking = pytest.importorskip("netplan_planner.google.clients.asking")
    from google.cloud import billing_v1

    real = json.loads(shared("data/catalog/skus_sample.json").read_bytes())["skus"]
    messages = [billing_v1.Sku.from_json(json.dumps(one)) for one in real]
    bodies = [asking.json_of(one, prints_defaults=True) for one in messages]
    assert [msgspec.json.decode(one, type=Sku) for one in bodies] == msgspec.convert(
        real, list[Sku]
    )
    assert len(real) > 1000


def test_the_client_library_reads_what_the_local_server_sends() -> None:
    """The server that the refresh is tested with answers as Google's own client expects."""
    from google.api_core.client_options import ClientOptions
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import billing_v1

    made = [sku(f"N{n} Instance Core running in Iowa", "CPU", sku_id=f"S-{n}") for n in range(9)]
    with CatalogServer({COMPUTE: made}, page_size=4) as server:
        client = billing_v1.CloudCatalogClient(
            credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
            client_options=ClientOptions(api_endpoint=server.url),
            transport="rest",
        )
        request = {"parent": f"services/{COMPUTE}", "currency_code": "USD", "page_size": 5000}
        found = [_sku_of_message(one) for one in client.list_skus(request=request)]
    assert [one.sku_id for one in found] == [f"S-{n}" for n in range(9)]
    assert all(map_sku(one).kind == VM for one in found)
