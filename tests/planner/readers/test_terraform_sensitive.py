"""What Terraform marks as sensitive is in nothing that is kept or shown of a plan or state."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.bundle_file import INVENTORY, part_of
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.commands.in_process import netplan
from support.projects.plans import change, configured, machine, plan, refers

INSTANCE, NETWORK = "google_compute_instance", "google_compute_network"
HIDDEN = "hunter2-hidden"
Json = dict[str, Any]


def read(folder: Path, value: object, name: str = "plan.json") -> Inventory:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_inventory([path])


def marked(after: Json, marks: Json, unknown: Json | None = None) -> Json:
    found = change(f"{INSTANCE}.vm", after, unknown)
    found["change"]["after_sensitive"] = marks
    return found


LABELLED = machine(
    "vm",
    labels={"team": "web", "customer": HIDDEN},
    # Google's provider copies labels without the mark.
    effective_labels={"team": "web", "customer": HIDDEN, "goog-terraform-provisioned": "true"},
    terraform_labels={"customer": HIDDEN},
)


def forms() -> dict[str, Json]:
    about = {"mode": "managed", "type": INSTANCE, "name": "vm"}
    marks: Json = {"labels": {"customer": True}}
    shown = {**about, "address": f"{INSTANCE}.vm", "values": LABELLED, "sensitive_values": marks}
    path = [
        {"type": "get_attr", "value": "labels"},
        {"type": "index", "value": {"value": "customer", "type": "string"}},
    ]
    stored = [{"attributes": LABELLED, "sensitive_attributes": [path]}]
    left = change(f"{INSTANCE}.vm", None, actions=("forget",), before=LABELLED)
    left["change"]["before_sensitive"] = marks
    module = {"root_module": {"resources": [shown]}}
    return {
        "plan": plan(marked(LABELLED, marks)),
        "forgotten": plan(left),
        "state": {"format_version": "1.0", "values": module},
        "planned values": {"format_version": "1.0", "planned_values": module},
        "state file": {
            "version": 4,
            "terraform_version": "1.9.0",
            "serial": 1,
            "resources": [{**about, "instances": stored}],
        },
    }


@pytest.mark.parametrize("form", forms())
def test_a_label_is_left_out_with_its_copies(tmp_path: Path, form: str) -> None:
    inventory = read(tmp_path, forms()[form])
    (vm,) = inventory.instances
    assert dict(vm.labels) == {"team": "web", "goog-terraform-provisioned": "true"}
    assert HIDDEN not in repr(inventory)
    assert "3 values not read: Terraform marks them as sensitive" in [
        one.reason for one in inventory.unread if one.is_needless
    ]


SECRET: dict[str, tuple[Json, Json]] = {
    "name": ({"name": HIDDEN, "id": f"projects/p/zones/z/instances/{HIDDEN}"}, {"name": True}),
    "project": ({"project": HIDDEN}, {"project": True}),
    "all labels": ({"labels": {"a": HIDDEN}, "effective_labels": {"a": HIDDEN}}, {"labels": True}),
    "a tag": ({"tags": ["web", HIDDEN]}, {"tags": [False, True]}),
    "all tags": ({"tags": ["web", HIDDEN]}, {"tags": True}),
    "metadata": ({"metadata": {"created-by": HIDDEN}}, {"metadata": {"created-by": True}}),
    "all metadata": ({"metadata": {"created-by": HIDDEN}}, {"metadata": True}),
    "address": (
        {"network_interface": [{"network": "default", "network_ip": HIDDEN}]},
        {"network_interface": [{"network_ip": True}]},
    ),
    "network": (
        {"network_interface": [{"network": HIDDEN, "access_config": [{}]}]},
        {"network_interface": [{"network": True}]},
    ),
    "policies": ({"resource_policies": [f"projects/p/x/{HIDDEN}"]}, {"resource_policies": True}),
    "image": (
        {"boot_disk": [{"initialize_params": [{"image": f"{HIDDEN}/x"}]}]},
        {"boot_disk": [{"initialize_params": True}]},
    ),
    "status": ({"desired_status": HIDDEN}, {"desired_status": True}),
}


@pytest.mark.parametrize("case", SECRET)
def test_whatever_is_marked_is_in_no_bundle_and_no_output(tmp_path: Path, case: str) -> None:
    values, marks = SECRET[case]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan(marked(machine("vm") | values, marks))))
    inventory = read_inventory([path])
    assert len(inventory.instances) == 1
    assert HIDDEN not in repr(inventory)
    bundle = tmp_path / "b.tar.zst"
    made = netplan("collect", "--inventory", str(path), "--out", str(bundle))
    assert made.status == 0, made.err
    held = part_of(bundle, INVENTORY)
    assert held is not None
    assert HIDDEN.encode() not in held
    audited = netplan("--debug", "audit", "--inventory", str(path), "--output", "json")
    assert audited.status == 0
    assert HIDDEN not in audited.out + audited.err + made.out + made.err


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("zone", "its zone is not read: Terraform marks it as sensitive"),
        ("machine_type", "its machine type is not read: Terraform marks it as sensitive"),
    ],
)
def test_a_machine_without_what_it_takes_is_named(tmp_path: Path, field: str, reason: str) -> None:
    """The provider's zone is not meant where the machine states one."""
    provider = {"google": {"name": "google", "expressions": {"zone": {"constant_value": "z-a"}}}}
    inventory = read(tmp_path, plan(marked(machine("vm"), {field: True}), provider=provider))
    assert inventory.instances == ()
    assert [one.reason for one in inventory.unread if not one.is_needless] == [reason]


def test_the_name_of_one_resource_is_in_no_link_of_another(tmp_path: Path) -> None:
    """The provider puts it into `id`, and others refer to that."""
    link = f"projects/p/global/networks/{HIDDEN}"
    network = change(f"{NETWORK}.n", {"name": HIDDEN, "project": "p", "id": link})
    network["change"]["after_sensitive"] = {"name": True}
    vm = machine("vm", network_interface=[{"network": link, "access_config": []}])
    inventory = read(tmp_path, plan(network, change(f"{INSTANCE}.vm", vm)))
    assert [one.name for one in inventory.networks] == [f"({NETWORK}.n)"]
    assert HIDDEN not in repr(inventory)


def test_a_sensitive_variable_is_no_default_of_a_provider(tmp_path: Path) -> None:
    bare = {k: v for k, v in machine("vm").items() if k not in {"project"}}
    # Labels that a provider block gives all resources have no mark.
    bare["effective_labels"] = {"customer": HIDDEN}
    provider = {
        "google": {
            "name": "google",
            "expressions": {
                "project": refers("var.project"),
                "default_labels": refers("var.project"),
            },
        }
    }
    made = plan(
        change(f"{INSTANCE}.vm", bare, {"project": True}),
        resources=(configured(INSTANCE, "vm"),),
        provider=provider,
        variables={"project": {"value": HIDDEN}},
    )
    root = made["configuration"]["root_module"]
    root["variables"] = {"project": {"sensitive": True, "default": "other-hidden"}}
    inventory = read(tmp_path, made)
    assert [one.project for one in inventory.instances] == ["(unknown)"]
    assert HIDDEN not in repr(inventory)
    del root["variables"]["project"]["sensitive"]
    assert [one.project for one in read(tmp_path, made).instances] == [HIDDEN]


def test_a_zone_that_is_marked_somewhere_is_no_secret_of_others(tmp_path: Path) -> None:
    """No machine vanishes because a secret of something else names its zone or type."""
    secret = change("google_secret_manager_secret_version.s", {"secret_data": "us-central1-a"})
    secret["change"]["after_sensitive"] = {"secret_data": True}
    other = change(f"{INSTANCE}.other", machine("n2-standard-8"))
    other["change"]["after_sensitive"] = {"name": True}
    inventory = read(tmp_path, plan(secret, other, change(f"{INSTANCE}.vm", machine("vm"))))
    assert [one.name for one in inventory.instances] == [f"({INSTANCE}.other)", "vm"]


@pytest.mark.parametrize("in_module", [True, False])
def test_a_sensitive_variable_is_no_zone_of_a_provider(tmp_path: Path, *, in_module: bool) -> None:
    bare = {k: v for k, v in machine("vm").items() if k != "zone"}
    declared = {"variables": {"zone": {"sensitive": True}}}
    block = {"name": "google", "expressions": {"zone": refers("var.zone")}}
    own = configured(INSTANCE, "vm")
    if in_module:
        key = "module.m:google"
        module = {"resources": [own | {"provider_config_key": key}], **declared}
        call = {"module": module, "expressions": {"zone": {"constant_value": "us-east1-b"}}}
        provider = {key: block | {"module_address": "module.m"}}
        made = plan(change(f"module.m.{INSTANCE}.vm", bare), calls={"m": call}, provider=provider)
    else:
        given = {"zone": {"value": "us-east1-b"}}
        made = plan(
            change(f"{INSTANCE}.vm", bare),
            resources=(own,),
            provider={"google": block},
            variables=given,
        )
        made["configuration"]["root_module"] |= declared
    inventory = read(tmp_path, made)
    assert inventory.instances == ()
    assert "us-east1-b" not in repr(inventory)


@pytest.mark.parametrize(
    "marks",
    [True, [], "true", {"labels": [True]}, {"labels": "true"}, {"network_interface": {"0": True}}],
)
def test_marks_of_another_shape_are_not_fatal(tmp_path: Path, marks: object) -> None:
    made = change(f"{INSTANCE}.vm", LABELLED)
    made["change"]["after_sensitive"] = marks
    inventory = read(tmp_path, plan(made, change(f"{INSTANCE}.good", machine("good"))))
    assert "good" in [one.name for one in inventory.instances]


@pytest.mark.parametrize(
    "paths",
    [7, [5], [[]], [[{"type": "index", "value": {"value": 10**9}}]], [[{}], [{"value": []}]]],
)
def test_paths_of_another_shape_are_not_fatal(tmp_path: Path, paths: object) -> None:
    made = forms()["state file"]
    made["resources"][0]["instances"][0]["sensitive_attributes"] = paths
    assert len(read(tmp_path, made, "terraform.tfstate").instances) == 1
