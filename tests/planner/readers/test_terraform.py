"""Terraform plans and states: what is there after apply, and what is known of it."""

import codecs
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Instance, Inventory, Unread
from netplan_planner.readers import read_inventory
from support.listed import listed
from support.projects import one_project, terraform
from support.projects.plans import change, configured, machine, plan, refers

NETWORK, SUBNETWORK = "google_compute_network", "google_compute_subnetwork"
INSTANCE = "google_compute_instance"


def read(folder: Path, value: object, name: str = "plan.json") -> Inventory:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_inventory([path])


def lost(inventory: Inventory) -> list[tuple[str | None, str]]:
    return [(one.field, one.reason) for one in inventory.unread if not one.is_needless]


def reasons(inventory: Inventory) -> str:
    return "\n".join(one.reason for one in inventory.unread)


def by_name(inventory: Inventory) -> dict[str, Instance]:
    return {one.name: one for one in inventory.instances}


def net(name: str = "n", **fields: Any) -> dict[str, Any]:
    return change(f"{NETWORK}.{name}", {"name": name, "project": "p", **fields}, {"mtu": True})


def sub(address: str, name: str) -> dict[str, Any]:
    values = {"name": name, "project": "p", "region": "us-central1", "ip_cidr_range": "10.0.0.0/24"}
    return change(address, values | {"log_config": []}, {"network": True, "self_link": True})


WIRED = {
    "network_interface": [
        {"subnetwork": refers(f"{SUBNETWORK}.s.id", f"{SUBNETWORK}.s"), "access_config": [{}]}
    ]
}
UNWIRED = {
    "network_interface": [
        {
            "subnetwork": True,
            "network": True,
            "network_ip": True,
            "access_config": [{"nat_ip": True}],
        }
    ],
    "cpu_platform": True,
    "current_status": True,
    "scheduling": True,
}


def test_what_is_known_after_apply_is_unknown_and_noted(tmp_path: Path) -> None:
    planned = machine("vm", network_interface=[{"access_config": [{}]}])
    inventory = read(
        tmp_path,
        plan(
            net(),
            sub(f"{SUBNETWORK}.s", "s"),
            change(f"{INSTANCE}.vm", planned, UNWIRED),
            resources=(
                configured(SUBNETWORK, "s", network=refers(f"{NETWORK}.n.id", f"{NETWORK}.n")),
                configured(INSTANCE, "vm", **WIRED),
            ),
        ),
    )
    (vm,) = inventory.instances
    (nic,) = vm.interfaces
    assert vm.ref.source == f"{tmp_path}/plan.json: {INSTANCE}.vm"
    assert vm.ref.self_link == "projects/p/zones/us-central1-a/instances/vm"
    assert (vm.status, vm.cpu_platform, vm.is_spot) == ("UNKNOWN", None, False)
    assert nic.network == "projects/p/global/networks/n"
    assert nic.subnetwork == "projects/p/regions/us-central1/subnetworks/s"
    assert (nic.internal_ipv4, nic.external_ipv4) == (None, None)
    assert nic.access_config_name == "External NAT"
    assert [network.mtu_bytes for network in inventory.networks] == [None]
    assert [subnet.flow_logs.enabled for subnet in inventory.subnetworks if subnet.flow_logs] == [
        False
    ]
    assert lost(inventory) == []
    assert f"{NETWORK}: known after apply: mtu" in reasons(inventory)
    (chosen,) = (line for line in reasons(inventory).splitlines() if line.startswith(INSTANCE))
    assert chosen == (
        f"{INSTANCE}: known after apply: cpu_platform, current_status,"
        " network_interface.access_config.nat_ip, network_interface.network,"
        " network_interface.network_ip, scheduling"
    )


def test_what_the_configuration_gives_and_nothing_resolves_is_lost(tmp_path: Path) -> None:
    planned = machine("vm", network_interface=[{}])
    blocks = [{"subnetwork": refers("local.subnetwork"), "network": refers("var.network")}]
    inventory = read(
        tmp_path,
        plan(
            change(f"{INSTANCE}.vm", planned, UNWIRED),
            resources=(configured(INSTANCE, "vm", network_interface=blocks),),
        ),
    )
    assert inventory.instances[0].interfaces == ()
    assert lost(inventory) == [
        ("networkInterfaces[0]", "no network"),
        ("network_interface[0].network", "known after apply (var.network)"),
        ("network_interface[0].subnetwork", "known after apply (local.subnetwork)"),
    ]


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("machine_type", "its machine type is known after apply (var.size)"),
        ("zone", "its zone is known after apply"),
    ],
)
def test_a_machine_of_unknown_type_or_zone_is_not_made_up(
    tmp_path: Path, field: str, reason: str
) -> None:
    planned = {name: value for name, value in machine("vm").items() if name != field}
    inventory = read(
        tmp_path,
        plan(
            change(f"{INSTANCE}.vm", planned, {field: True}),
            resources=(configured(INSTANCE, "vm", **{field: refers("var.size")}),),
        ),
    )
    assert inventory.instances == ()
    assert lost(inventory) == [(None, reason)]


def test_a_provider_gives_project_and_zone_where_they_are_constant(tmp_path: Path) -> None:
    planned = machine("vm")
    del planned["project"], planned["zone"]
    provider = {
        "google": {
            "expressions": {
                "project": {"references": ["var.project"]},
                "zone": {"constant_value": "us-east1-b"},
            }
        }
    }
    given = plan(
        change(f"{INSTANCE}.vm", planned, {"project": True, "zone": True}),
        provider=provider,
        variables={"project": {"value": "given"}},
    )
    link = read(tmp_path, given).instances[0].ref.self_link
    assert link == "projects/given/zones/us-east1-b/instances/vm"
    del given["variables"]
    link = read(tmp_path, given).instances[0].ref.self_link
    assert link == "projects/(unknown)/zones/us-east1-b/instances/vm"


def modules() -> dict[str, Any]:
    """Two cells of a module, whose machines take a subnetwork through a variable and an output."""
    inner = f"module.cell[{{}}].{INSTANCE}.vm[{{}}]"
    wired = {"network_interface": [{"subnetwork": refers("var.subnetwork")}]}
    cell = {
        "for_each_expression": {},
        "expressions": {"subnetwork": refers("module.net.subnetwork", "module.net")},
        "module": {"resources": [configured(INSTANCE, "vm", **wired)]},
    }
    network = {
        "module": {
            "resources": [configured(SUBNETWORK, "s", network={"constant_value": "n"})],
            "outputs": {
                "subnetwork": {"expression": refers(f"{SUBNETWORK}.s.self_link", f"{SUBNETWORK}.s")}
            },
        }
    }
    unknown = {"network_interface": [{"subnetwork": True, "network": True}]}
    return plan(
        sub(f"module.net.{SUBNETWORK}.s", "s"),
        *(
            change(
                inner.format(json.dumps(key), number),
                machine(f"{key[0]}-{number}", network_interface=[{}]),
                unknown,
            )
            for key in ("a.b", 'q/"')
            for number in range(2)
        ),
        calls={"cell": cell, "net": network},
    )


def test_references_lead_through_modules(tmp_path: Path) -> None:
    given = modules()
    given["resource_changes"][0]["change"]["after"]["network"] = "shared"
    inventory = read(tmp_path, given)
    assert sorted(by_name(inventory)) == ["a-0", "a-1", "q-0", "q-1"]
    for one in inventory.instances:
        assert one.interfaces[0].subnetwork == "projects/p/regions/us-central1/subnetworks/s"
        assert one.interfaces[0].network == "projects/p/global/networks/shared"
    source = by_name(inventory)["a-1"].ref.source
    assert source.endswith(f'plan.json: module.cell["a.b"].{INSTANCE}.vm[1]')


def counted(reference: tuple[str, ...], machines: int) -> dict[str, Any]:
    blocks = [{"subnetwork": refers(*reference)}]
    unknown = {"network_interface": [{"subnetwork": True, "network": True}]}
    return plan(
        *(sub(f"{SUBNETWORK}.s[{number}]", f"s{number}") for number in range(2)),
        *(
            change(
                f"{INSTANCE}.vm[{number}]", machine(f"vm{number}", network_interface=[{}]), unknown
            )
            for number in range(machines)
        ),
        resources=(
            configured(SUBNETWORK, "s", network={"constant_value": "n"}),
            configured(INSTANCE, "vm", network_interface=blocks),
        ),
    )


def wired(inventory: Inventory) -> list[str | None]:
    return [
        (one.interfaces[0].subnetwork or "").rpartition("/")[2] if one.interfaces else None
        for one in inventory.instances
    ]


def test_one_of_several_is_meant_by_its_key(tmp_path: Path) -> None:
    whole = f"{SUBNETWORK}.s"
    assert wired(read(tmp_path, counted((f"{whole}[1].id", f"{whole}[1]", whole), 2))) == ["s1"] * 2
    assert wired(read(tmp_path, counted((whole, "count.index"), 2))) == ["s0", "s1"]


@pytest.mark.parametrize(
    ("references", "machines"), [((f"{SUBNETWORK}.s",), 2), ((f"{SUBNETWORK}.s", "count.index"), 3)]
)
def test_which_of_several_is_not_guessed(
    tmp_path: Path, references: tuple[str, ...], machines: int
) -> None:
    inventory = read(tmp_path, counted(references, machines))
    assert wired(inventory) == [None] * machines
    assert any(field == "network_interface[0].subnetwork" for field, _ in lost(inventory))


def test_a_subnetwork_elsewhere_has_a_network_that_is_not_known(tmp_path: Path) -> None:
    nics = [{"subnetwork": "s", "subnetwork_project": "host"}, {"subnetwork": "t"}]
    inventory = read(
        tmp_path, plan(change(f"{INSTANCE}.vm", machine("vm", network_interface=nics)))
    )
    first, second = inventory.instances[0].interfaces
    assert first.subnetwork == "projects/host/regions/us-central1/subnetworks/s"
    assert first.network == "projects/host/global/networks/(network of s)"
    assert second.network != first.network
    assert len(lost(inventory)) == 2


def test_what_the_plan_destroys_is_gone_and_what_it_forgets_stays(tmp_path: Path) -> None:
    inventory = read(
        tmp_path,
        plan(
            change(f"{INSTANCE}.gone", None, actions=("delete",), before=machine("gone")),
            change(f"{INSTANCE}.kept", machine("kept"), actions=("no-op",)),
            change(f"{INSTANCE}.new", machine("new"), actions=("delete", "create")),
            change(f"{INSTANCE}.left", None, actions=("forget",), before=machine("left")),
        ),
    )
    assert sorted(by_name(inventory)) == ["kept", "left", "new"]
    assert "resources that the plan destroys: 1 not needed" in reasons(inventory)


def test_a_plan_without_anything_of_use_is_an_empty_inventory(tmp_path: Path) -> None:
    inventory = read(tmp_path, plan(change("google_compute_firewall.f", {"name": "f"})))
    assert inventory.instances == ()
    assert lost(inventory) == []
    assert read(tmp_path, {"format_version": "1.0"}).unread == ()


TEMPLATE = {
    "name": "t",
    "project": "p",
    "machine_type": "c3-standard-8",
    "labels": {"team": "web"},
    "disk": [{"type": "PERSISTENT"}, {"type": "SCRATCH"}],
    "network_interface": [{"network": "default", "nic_type": "GVNIC", "access_config": []}],
    "scheduling": [{"preemptible": True, "provisioning_model": "SPOT"}],
}
MIG = "google_compute_instance_group_manager"


def group(kind: str = MIG, **fields: Any) -> dict[str, Any]:
    values = {"name": "web", "base_instance_name": "web", "project": "p", "version": [{}]} | fields
    return change(f"{kind}.web", values, {"version": [{"instance_template": True}]})


def grouped(*changes: dict[str, Any], kind: str = MIG) -> dict[str, Any]:
    template = "google_compute_instance_template"
    reference = refers(f"{template}.t.self_link_unique", f"{template}.t")
    return plan(
        change(f"{template}.t", TEMPLATE, {"self_link": True}),
        *changes,
        resources=(configured(kind, "web", version=[{"instance_template": reference}]),),
    )


def test_a_group_has_as_many_machines_as_it_shall_have(tmp_path: Path) -> None:
    inventory = read(tmp_path, grouped(group(zone="us-east1-b", target_size=3)))
    assert sorted(by_name(inventory)) == ["web-(1 of 3)", "web-(2 of 3)", "web-(3 of 3)"]
    one = inventory.instances[0]
    assert (one.machine_type, one.is_spot, one.local_ssd_count) == ("c3-standard-8", True, 1)
    assert one.zone == "us-east1-b"
    assert one.label("team") == "web"
    assert one.status == "UNKNOWN"
    assert one.ref.source.endswith(f": {MIG}.web")
    (owner,) = inventory.instance_groups
    assert owner.size == 3
    assert owner.template == "projects/p/global/instanceTemplates/t"
    assert inventory.group_by_member[one.ref.self_link] == owner


def test_a_regional_group_spreads_over_its_zones(tmp_path: Path) -> None:
    kind = "google_compute_region_instance_group_manager"
    told = group(
        kind,
        region="us-east1",
        target_size=3,
        distribution_policy_zones=["us-east1-b", "us-east1-c"],
    )
    zones = [one.zone for one in read(tmp_path, grouped(told, kind=kind)).instances]
    assert zones == ["us-east1-b", "us-east1-b", "us-east1-c"]
    untold = read(tmp_path, grouped(group(kind, region="us-east1", target_size=2), kind=kind))
    assert {one.region for one in untold.instances} == {"us-east1"}
    assert len({one.zone for one in untold.instances}) == 2


def test_machines_that_were_read_take_the_place_of_those_that_stand_for_them(
    tmp_path: Path,
) -> None:
    given = grouped(group(zone="us-east1-b", target_size=2))
    made_by = {"created-by": "projects/12/zones/us-east1-b/instanceGroupManagers/web"}
    own = machine("web-x1", zone="us-east1-b", metadata=made_by)
    (tmp_path / "plan.json").write_text(json.dumps(given))
    (tmp_path / "live.json").write_text(json.dumps(plan(change(f"{INSTANCE}.live", own))))
    assert list(by_name(read_inventory([tmp_path]))) == ["web-x1"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"target_size": None}, "how many machines it has is not stated"),
        ({"target_size": 10**9}, "no group is so large"),
        (
            {"target_size": 2, "version": [{"instance_template": "projects/p/global/x/other"}]},
            "its 2 machines are not read: their template is not in the file",
        ),
    ],
)
def test_a_group_whose_machines_are_not_known(
    tmp_path: Path, fields: dict[str, Any], reason: str
) -> None:
    inventory = read(tmp_path, grouped(group(zone="us-east1-b", **fields)))
    assert inventory.instances == ()
    assert any(reason in text for _, text in lost(inventory))


def test_a_machine_from_a_template_has_what_it_does_not_say_itself(tmp_path: Path) -> None:
    kind, template = "google_compute_instance_from_template", "google_compute_instance_template"
    values = {"name": "vm", "project": "p", "zone": "us-east1-b", "labels": {"team": "own"}}
    unknown = dict.fromkeys(("machine_type", "network_interface", "scheduling"), True)
    source = refers(f"{template}.t.id", f"{template}.t")
    inventory = read(
        tmp_path,
        plan(
            change(f"{template}.t", TEMPLATE),
            change(f"{kind}.vm", values, unknown),
            resources=(configured(kind, "vm", source_instance_template=source, labels={}),),
        ),
    )
    (vm,) = inventory.instances
    assert (vm.machine_type, vm.is_spot, vm.label("team")) == ("c3-standard-8", True, "own")
    assert vm.interfaces[0].nic_type == "GVNIC"


def test_an_unmanaged_group_has_the_machines_that_it_refers_to(tmp_path: Path) -> None:
    own = {"name": "g", "project": "p", "zone": "us-central1-a"}
    inventory = read(
        tmp_path,
        plan(
            change(f"{INSTANCE}.vm", machine("vm")),
            change("google_compute_instance_group.g", own, {"instances": True, "size": True}),
            resources=(
                configured(
                    "google_compute_instance_group",
                    "g",
                    instances=refers(f"{INSTANCE}.vm.id", f"{INSTANCE}.vm"),
                ),
            ),
        ),
    )
    (found,) = inventory.instance_groups
    assert found.members == (inventory.instances[0].ref.self_link,)


def peering(name: str, one: str, other: str) -> tuple[dict[str, Any], dict[str, Any]]:
    kind = "google_compute_network_peering"
    unknown = {"network": True, "peer_network": True, "state": True}
    return change(f"{kind}.{name}", {"name": name}, unknown), configured(
        kind,
        name,
        network=refers(f"{NETWORK}.{one}.id", f"{NETWORK}.{one}"),
        peer_network=refers(f"{NETWORK}.{other}.id", f"{NETWORK}.{other}"),
    )


def test_a_planned_peering_is_active_when_both_sides_are_there(tmp_path: Path) -> None:
    there, back = peering("ab", "a", "b"), peering("ba", "b", "a")
    both = plan(net("a"), net("b"), there[0], back[0], resources=(there[1], back[1]))
    assert len(list(read(tmp_path, both).peered_networks())) == 1
    alone = read(tmp_path, plan(net("a"), net("b"), there[0], resources=(there[1],)))
    assert list(alone.peered_networks()) == []
    assert "whether the peering is active is known after apply" in lost(alone)[0][1]


def test_an_idle_address_that_the_plan_uses_is_not_idle(tmp_path: Path) -> None:
    own = {"name": "a", "project": "p", "region": "us-central1", "users": [], "address": "1.2.3.4"}
    address = change("google_compute_address.a", own, actions=("no-op",))
    nics = [{"network": "default", "access_config": [{"nat_ip": "1.2.3.4"}]}]
    user = change(f"{INSTANCE}.vm", machine("vm", network_interface=nics))
    assert [one.status for one in read(tmp_path, plan(address)).addresses] == ["RESERVED"]
    assert [one.status for one in read(tmp_path, plan(address, user)).addresses] == [None]
    new = change("google_compute_address.a", own | {"users": None}, {"users": True})
    assert [one.status for one in read(tmp_path, plan(new)).addresses] == [None]


def test_the_ports_of_a_gateway(tmp_path: Path) -> None:
    home = {"project": "p", "region": "us-east1"}
    link = "projects/p/regions/us-east1/routers/r"
    router = {**home, "name": "r", "network": "n", "self_link": link}
    ports = {"min_ports_per_vm": 64, "enable_dynamic_port_allocation": False}
    nat = {**home, "name": "nat", "router": "r", **ports}
    found = read(
        tmp_path,
        plan(
            change("google_compute_router.r", router),
            change("google_compute_router_nat.nat", nat, {"max_ports_per_vm": True}),
        ),
    )
    ((gateway,),) = [one.nats for one in found.routers]
    assert (gateway.min_ports_per_vm, gateway.is_dynamic) == (64, False)
    assert gateway.max_ports_per_vm is None
    assert "known after apply: max_ports_per_vm" in reasons(found)


def test_a_planned_gateway_has_the_addresses_of_its_rules_too(tmp_path: Path) -> None:
    home = {"project": "p", "region": "us-east1"}
    link = "projects/p/regions/us-east1/routers/r"
    router = {**home, "name": "r", "network": "n", "self_link": link}
    action: dict[str, Any] = {"source_nat_drain_ips": []}
    nat = {
        **home,
        "name": "nat",
        "router": "r",
        "nat_ips": ["projects/p/regions/us-east1/addresses/n"],
        "rules": [{"rule_number": 1, "action": [action]}],
    }
    unknown = {
        "drain_nat_ips": True,
        "rules": [{"action": [{"source_nat_active_ips": True, "source_nat_drain_ips": []}]}],
    }
    active = refers("google_compute_address.a.self_link", "google_compute_address.a")
    found = read(
        tmp_path,
        plan(
            change("google_compute_router.r", router),
            change("google_compute_address.a", {**home, "name": "a"}),
            change("google_compute_router_nat.nat", nat, unknown),
            resources=(
                configured("google_compute_address", "a"),
                configured(
                    "google_compute_router_nat",
                    "nat",
                    rules=[{"action": [{"source_nat_active_ips": active}]}],
                ),
            ),
        ),
    )
    ((gateway,),) = [one.nats for one in found.routers]
    held = tuple(f"projects/p/regions/us-east1/addresses/{name}" for name in "na")
    assert (gateway.addresses, gateway.outside_pool) == (held, held[1:])
    # A new gateway drains nothing, so that this is not missing.
    assert "drain_nat_ips" not in reasons(found)


def test_gateways_and_peerings_of_others_are_lost_not_made_up(tmp_path: Path) -> None:
    nat = {"name": "nat", "project": "p", "region": "us-east1", "router": "elsewhere"}
    inventory = read(tmp_path, plan(change("google_compute_router_nat.nat", nat)))
    assert inventory.routers == ()
    assert lost(inventory) == [(None, "not read: its network or router is not in the file")]


def state() -> dict[str, Any]:
    return terraform.state(terraform.held(one_project.resources()))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8-sig", "utf-8"])
def test_every_encoding_reads_alike(tmp_path: Path, encoding: str) -> None:
    marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    path = tmp_path / "state.json"
    path.write_bytes(marks.get(encoding, b"") + json.dumps(state(), indent=1).encode(encoding))
    found = read_inventory([path])
    assert len(found.instances) == len(one_project.resources()["instances"])
    assert found.unread == ()


@pytest.mark.parametrize("version", ["0.1", "0.2", "1.0", "1.1", "1.2"])
def test_known_versions(tmp_path: Path, version: str) -> None:
    inventory = read(tmp_path, state() | {"format_version": version})
    assert inventory.instances
    assert inventory.unread == ()


def test_a_newer_minor_version_and_none_are_noted(tmp_path: Path) -> None:
    assert "format 1.9 is newer than 1.2" in reasons(
        read(tmp_path, state() | {"format_version": "1.9"})
    )
    unversioned = state()
    del unversioned["format_version"]
    inventory = read(tmp_path, unversioned)
    assert inventory.instances
    assert "states no format_version" in reasons(inventory)


@pytest.mark.parametrize("version", ["2.0", "10.1", "x", 7, None, [], {"a": 1}])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_newer_major_version_is_refused(
    tmp_path: Path, version: object, indent: int | None
) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state() | {"format_version": version}, indent=indent))
    if version is None:
        assert "states no format_version" in reasons(read_inventory([path]))
        return
    with pytest.raises(InputError, match=r"state\.json: Terraform's (JSON format|format_version)"):
        read_inventory([path])


def test_a_state_file_of_before_2019_is_refused(tmp_path: Path) -> None:
    old = {"version": 3, "terraform_version": "0.11.14", "serial": 1, "modules": []}
    with pytest.raises(InputError, match=r"version 3, but version 4 is read; run `terraform show"):
        read(tmp_path, old, "terraform.tfstate")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_is_cut_off_says_where(tmp_path: Path, share: float) -> None:
    text = json.dumps(modules(), indent=1)
    path = tmp_path / "plan.json"
    path.write_text(text[: int(len(text) * share)])
    with pytest.raises(InputError, match=r"plan\.json: line \d+, column \d+: damaged JSON"):
        read_inventory([path])


def test_a_plan_that_terraform_saved_says_what_to_run(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tfplan", b"\x08\x03" * 100)
        archive.writestr("tfstate", b"{}")
    path = tmp_path / "tfplan"
    path.write_bytes(packed.getvalue())
    with pytest.raises(InputError, match=r"run `terraform show -json PLANFILE > plan\.json`"):
        read_inventory([path])


@pytest.mark.parametrize(
    "text",
    [
        'resource "google_compute_instance" "vm" {\n}\n',
        "# network\nterraform {\n}\n",
        "Terraform used the selected providers\n\nTerraform will perform the following actions:\n",
    ],
)
def test_terraforms_text_says_what_to_run(tmp_path: Path, text: str) -> None:
    path = tmp_path / "main.tf"
    path.write_text(text)
    with pytest.raises(InputError, match="terraform show -json"):
        read_inventory([path])


WRONG = [
    {"resource_changes": {}},
    {"resource_changes": [5, None, {"address": 1}, {"address": "a", "type": "b", "name": "c"}]},
    {"resource_changes": [change(f"{INSTANCE}.vm", machine("vm")) | {"index": [1]}]},
    {"resource_changes": None, "planned_values": [1]},
    {"resource_changes": None, "planned_values": {"root_module": {"resources": [7]}}},
    {"configuration": [], "variables": 3},
    {"configuration": {"root_module": {"resources": [1], "module_calls": {"a": 2}}}},
    {"configuration": {"provider_config": {"google": {"expressions": 1}}, "root_module": 4}},
]


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_wrong_types_are_noted_not_fatal(tmp_path: Path, wrong: dict[str, Any]) -> None:
    inventory = read(tmp_path, plan(change(f"{INSTANCE}.vm", machine("vm"))) | wrong)
    assert inventory.instances or lost(inventory)


FIELDS = [*machine("vm"), "labels", "tags", "scheduling", "boot_disk", "metadata", "self_link"]


@listed("field", FIELDS)
@listed("value", [7, "text", [1], [None], {"a": []}, [{"a": 1}], True, -1.5])
def test_a_field_of_a_wrong_type_is_that_fields_loss(
    tmp_path: Path, field: str, value: object
) -> None:
    inventory = read(tmp_path, plan(change(f"{INSTANCE}.vm", machine("vm") | {field: value})))
    assert len(inventory.instances) <= 1
    assert inventory.instances or lost(inventory)


HOSTILE = [
    "../../etc/passwd",
    "\x1b[31mred",
    "a\nb",
    "'; DROP",
    "ü" * 300,
    "a/b",
    "(1 of 1)",
    "<b>",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_read_or_refused_one_by_one(tmp_path: Path, name: str) -> None:
    address = f"{INSTANCE}.vm[{json.dumps(name)}]"
    inventory = read(
        tmp_path,
        plan(
            change(address, machine(name)),
            change(f"{INSTANCE}.good", machine("good")),
        ),
    )
    assert "good" in by_name(inventory)
    assert len(inventory.instances) + len(lost(inventory)) == 2


def test_a_name_that_is_not_known_yet_is_the_address(tmp_path: Path) -> None:
    planned = machine("x")
    del planned["name"]
    inventory = read(tmp_path, plan(change(f'{INSTANCE}.vm["a/b"]', planned, {"name": True})))
    assert inventory.instances[0].name == f'({INSTANCE}.vm["a%2Fb"])'


def test_what_a_failed_plan_says_of_itself(tmp_path: Path) -> None:
    noted: list[Unread] = []
    for said in ({"errored": True}, {"complete": False}):
        noted += read(tmp_path, plan(change(f"{INSTANCE}.vm", machine("vm"))) | said).unread
    texts = [one.reason for one in noted if not one.is_needless]
    assert len(texts) == 2
    assert "ended with an error" in texts[0]


def test_planned_values_alone_leave_out_what_is_not_known(tmp_path: Path) -> None:
    values: dict[str, Any] = {"name": "n", "project": "p"}
    resource = {"address": f"{NETWORK}.n", "type": NETWORK, "name": "n", "values": values}
    alone = {
        "format_version": "1.2",
        "planned_values": {"root_module": {"resources": [resource]}},
    }
    assert read(tmp_path, alone).networks[0].mtu_bytes is None
    values["mtu"] = 8896
    assert read(tmp_path, alone).networks[0].mtu_bytes == 8896


def test_nothing_secret_of_a_plan_is_kept(tmp_path: Path) -> None:
    hidden = "hunter2-very-secret"
    planned = machine(
        "vm",
        metadata={"password": hidden, "ssh-keys": hidden},
        metadata_startup_script=hidden,
        boot_disk=[{"disk_encryption_key_raw": hidden}],
    )
    disk = {"name": "d", "project": "p", "zone": "us-east1-b", "type": "pd-ssd"}
    secret = disk | {"disk_encryption_key": [{"raw_key": hidden}]}
    inventory = read(
        tmp_path,
        plan(change(f"{INSTANCE}.vm", planned), change("google_compute_disk.d", secret)),
    )
    assert (len(inventory.instances), len(inventory.disks)) == (1, 2)
    assert hidden not in repr(inventory)


@pytest.mark.parametrize("form", ["state", "state-file", "plan"])
def test_what_terraform_is_still_to_destroy_does_not_take_the_place_of_what_replaced_it(
    tmp_path: Path, form: str
) -> None:
    """A deposed object has the address of what stands there now."""
    about = {"mode": "managed", "type": "google_compute_network", "name": "n"}
    link = "https://www.googleapis.com/compute/v1/projects/p/global/networks/"
    old, new = ({"name": name, "self_link": link + name} for name in ("old", "new"))
    found: dict[str, Any]
    if form == "state":
        address = {**about, "address": "google_compute_network.n"}
        listed = [{**address, "values": old, "deposed_key": "a1"}, {**address, "values": new}]
        found = {"format_version": "1.0", "values": {"root_module": {"resources": listed}}}
    elif form == "state-file":
        instances = [{"deposed": "a1", "attributes": old}, {"attributes": new}]
        held = [{**about, "instances": instances}]
        found = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "resources": held}
    else:
        address = {**about, "address": "google_compute_network.n"}
        listed = [
            {**address, "deposed": "a1", "change": {"actions": ["delete"], "before": old}},
            {**address, "change": {"actions": ["no-op"], "before": new, "after": new}},
        ]
        found = {"format_version": "1.0", "resource_changes": listed}
    inventory = read(tmp_path, found)
    assert [network.name for network in inventory.networks] == ["new"]
    assert "deposed objects" in reasons(inventory)
