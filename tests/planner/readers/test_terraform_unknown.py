"""What a plan leaves open until it is applied is never read as 0, none or the usual."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Instance, Inventory, Part
from netplan_planner.readers import read_inventory
from support.projects.plans import change, configured, machine, plan, refers

INSTANCE, TEMPLATE = "google_compute_instance", "google_compute_instance_template"
Json = dict[str, Any]
LATER = refers("random_integer.r.result", "random_integer.r")


def read(folder: Path, value: object) -> Inventory:
    path = folder / "plan.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_inventory([path])


def lost(inventory: Inventory) -> dict[str, str]:
    return {
        one.field or one.resource or "": one.reason
        for one in inventory.unread
        if not one.is_needless
    }


def of_one(folder: Path, unknown: Json, after: Json, **expressions: Any) -> tuple[Instance, Json]:
    planned = machine("vm") | after
    inventory = read(
        folder,
        plan(
            change(f"{INSTANCE}.vm", planned, unknown),
            resources=(configured(INSTANCE, "vm", **expressions),),
        ),
    )
    (found,) = inventory.instances
    return found, lost(inventory)


NIC: Json = {"network": "default"}


def test_external_addresses_of_a_dynamic_block_are_not_none(tmp_path: Path) -> None:
    """The configuration in a plan leaves `dynamic` blocks out."""
    vm, said = of_one(
        tmp_path,
        {"network_interface": [{"access_config": True}, {}]},
        {"network_interface": [NIC, NIC | {"access_config": []}]},
        network_interface=[{"network": {"constant_value": "default"}}] * 2,
    )
    assert said == {"network_interface[0].access_config": "known after apply"}
    assert [nic.is_access_unknown for nic in vm.interfaces] == [True, False]
    assert [nic.may_be_external for nic in vm.interfaces] == [True, False]
    assert vm.has_unknown_access


@pytest.mark.parametrize(
    ("access", "unknown", "has_any"),
    [([{}], [{"nat_ip": True}], True), (None, True, True), ([], [], False)],
)
def test_addresses_of_an_interface_in_an_unknown_network_are_not_lost(
    tmp_path: Path, access: object, unknown: object, *, has_any: bool
) -> None:
    nic: Json = {} if access is None else {"access_config": access}
    vm, said = of_one(
        tmp_path,
        {"network_interface": [{"network": True, "subnetwork": True, "access_config": unknown}]},
        {"network_interface": [nic]},
        network_interface=[{"network": refers("local.network")}],
    )
    assert vm.interfaces == ()
    assert "network_interface[0].network" in said
    assert vm.has_unknown_access is has_any


def test_interfaces_that_are_known_after_apply_are_not_none(tmp_path: Path) -> None:
    vm, said = of_one(tmp_path, {"network_interface": True}, {"network_interface": None})
    assert vm.has_unknown_access
    assert said == {"network_interface": "known after apply"}


@pytest.mark.parametrize(
    ("block", "unknown", "after", "part"),
    [
        ("scratch_disk", True, None, Part.LOCAL_SSDS),
        ("advanced_machine_features", True, None, Part.CPU_FEATURES),
        ("network_performance_config", True, None, Part.TIER),
        (
            "network_performance_config",
            [{"total_egress_bandwidth_tier": True}],
            [{}],
            Part.TIER,
        ),
        ("guest_accelerator", [{"count": True}], [{"type": "nvidia-l4"}], Part.GPUS),
        ("guest_accelerator", True, None, Part.GPUS),
        ("scheduling", [{"provisioning_model": True}], [{}], Part.SCHEDULING),
        ("scheduling", [{"node_affinities": True}], [{}], Part.SCHEDULING),
        ("reservation_affinity", [{"type": True}], [{}], Part.RESERVATION),
    ],
)
def test_a_part_that_is_asked_for_and_not_known(
    tmp_path: Path, block: str, unknown: Any, after: Any, part: Part
) -> None:
    asked: object = LATER
    if isinstance(unknown, list):
        asked = [dict.fromkeys(unknown[0], LATER)]
    elif block != "guest_accelerator":
        # A dynamic block, of which the configuration says nothing.
        asked = None
    given = {} if asked is None else {block: asked}
    vm, said = of_one(tmp_path, {block: unknown}, {block: after}, **given)
    assert vm.unknown_parts == (part,)
    assert vm.why_unknown == f"known after apply: {part}"
    assert [field.partition("[")[0] for field in said] == [block]


@pytest.mark.parametrize("block", ["guest_accelerator", "scheduling", "reservation_affinity"])
def test_what_nobody_asked_for_is_not_there(tmp_path: Path, block: str) -> None:
    """Terraform says of these that they are known after apply wherever nobody asks for them."""
    vm, said = of_one(tmp_path, {block: True}, {block: None})
    assert (vm.unknown_parts, said) == ((), {})


def test_of_disks_in_unknown_number_the_others_do_not_pass_for_all(tmp_path: Path) -> None:
    boot = {"boot_disk": [{"initialize_params": [{"type": "pd-ssd"}]}]}
    for unknown, types in ({}, ["pd-ssd"]), ({"attached_disk": True}, None):
        inventory = read(tmp_path, plan(change(f"{INSTANCE}.vm", machine("vm") | boot, unknown)))
        link = inventory.instances[0].ref.self_link
        found = inventory.disk_types_by_user.get(link)
        assert (None if found is None else sorted(found)) == types


def test_the_machines_of_a_group_know_as_little_as_their_template(tmp_path: Path) -> None:
    group = "google_compute_instance_group_manager"
    template = {
        "name": "t",
        "project": "p",
        "machine_type": "n2-standard-8",
        "disk": [{"source_image": "debian"}],
        "network_interface": [{"network": "default"}],
    }
    unknown = {"network_interface": [{"access_config": True}], "disk": [{"type": True}]}
    values = {"name": "web", "project": "p", "zone": "us-east1-b", "target_size": 2}
    inventory = read(
        tmp_path,
        plan(
            change(f"{TEMPLATE}.t", template, unknown),
            change(f"{group}.web", values | {"version": [{}]}, {"version": [{}]}),
            resources=(
                configured(TEMPLATE, "t", disk=[{"type": LATER}]),
                configured(
                    group,
                    "web",
                    version=[{"instance_template": refers(f"{TEMPLATE}.t.id", f"{TEMPLATE}.t")}],
                ),
            ),
        ),
    )
    assert [one.has_unknown_access for one in inventory.instances] == [True, True]
    assert [one.unknown_parts for one in inventory.instances] == [(Part.LOCAL_SSDS,)] * 2


def test_a_count_that_is_not_known_is_put_off_by_the_plan_and_said(tmp_path: Path) -> None:
    deferred = change(f"{INSTANCE}.vm[*]".replace("[*]", ""), machine("vm"))
    made = plan() | {
        "complete": False,
        "deferred_changes": [{"reason": "instance_count_unknown", "resource_change": deferred}],
    }
    assert lost(read(tmp_path, made))[f"{INSTANCE}.vm"] == (
        "not read: the plan defers it (instance_count_unknown)"
    )
