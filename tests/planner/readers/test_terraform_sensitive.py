"""What Terraform marks as sensitive is in nothing that is kept or shown of a plan or state."""

from pathlib import Path

import pytest

from netplan_planner.bundle_file import INVENTORY, part_of
from support.commands.in_process import netplan
from support.listed import listed
from support.projects.plans import Json, change, machine, plan, read_plan

INSTANCE = "google_compute_instance"
HIDDEN = "hunter2-hidden"


def marked(after: Json, marks: object) -> Json:
    found = change(f"{INSTANCE}.vm", after)
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
    key = {"value": "customer", "type": "string"}
    path = [{"type": "get_attr", "value": "labels"}, {"type": "index", "value": key}]
    stored = [{"attributes": LABELLED, "sensitive_attributes": [path]}]
    left = change(f"{INSTANCE}.vm", None, actions=("forget",), before=LABELLED)
    left["change"]["before_sensitive"] = marks
    module = {"root_module": {"resources": [shown]}}
    held = [{**about, "instances": stored}]
    return {
        "plan": plan(marked(LABELLED, marks)),
        "forgotten": plan(left),
        "state": {"format_version": "1.0", "values": module},
        "planned values": {"format_version": "1.0", "planned_values": module},
        "state file": {"version": 4, "terraform_version": "1.9", "serial": 1, "resources": held},
    }


@listed("form", forms())
def test_a_label_is_left_out_with_its_copies(tmp_path: Path, form: str) -> None:
    inventory = read_plan(tmp_path, forms()[form])
    (vm,) = inventory.instances
    assert dict(vm.labels) == {"team": "web", "goog-terraform-provisioned": "true"}
    assert HIDDEN not in repr(inventory)
    needless = [one.reason for one in inventory.unread if one.is_needless]
    assert "3 values not read: Terraform marks them as sensitive" in needless


NAMED = {"name": HIDDEN, "id": f"projects/p/zones/z/instances/{HIDDEN}"}
IMAGE = {"boot_disk": [{"initialize_params": [{"image": f"{HIDDEN}/x"}]}]}
ADDRESS = {"network_interface": [{"network": "default", "network_ip": HIDDEN}]}
NETWORK = {"network_interface": [{"network": HIDDEN, "access_config": [{}]}]}
LABELS = {"labels": {"a": HIDDEN}, "effective_labels": {"a": HIDDEN}}
SECRET: dict[str, tuple[Json, Json]] = {
    "name": (NAMED, {"name": True}),
    "project": ({"project": HIDDEN}, {"project": True}),
    "all labels": (LABELS, {"labels": True}),
    "a tag": ({"tags": ["web", HIDDEN]}, {"tags": [False, True]}),
    "all tags": ({"tags": ["web", HIDDEN]}, {"tags": True}),
    "metadata": ({"metadata": {"created-by": HIDDEN}}, {"metadata": {"created-by": True}}),
    "all metadata": ({"metadata": {"created-by": HIDDEN}}, {"metadata": True}),
    "address": (ADDRESS, {"network_interface": [{"network_ip": True}]}),
    "network": (NETWORK, {"network_interface": [{"network": True}]}),
    "policies": ({"resource_policies": [f"projects/p/x/{HIDDEN}"]}, {"resource_policies": True}),
    "image": (IMAGE, {"boot_disk": [{"initialize_params": True}]}),
    "status": ({"desired_status": HIDDEN}, {"desired_status": True}),
}


@pytest.mark.parametrize("case", SECRET)
def test_whatever_is_marked_is_in_no_bundle_and_no_output(tmp_path: Path, case: str) -> None:
    values, marks = SECRET[case]
    inventory = read_plan(tmp_path, plan(marked(machine("vm") | values, marks)))
    assert len(inventory.instances) == 1
    assert HIDDEN not in repr(inventory)
    path, bundle = tmp_path / "plan.json", tmp_path / "b.tar.zst"
    made = netplan("collect", "--inventory", str(path), "--out", str(bundle))
    assert made.status == 0, made.err
    held = part_of(bundle, INVENTORY)
    assert held is not None
    assert HIDDEN.encode() not in held
    audited = netplan("--debug", "audit", "--inventory", str(path), "--output", "json")
    assert audited.status == 0
    assert HIDDEN not in audited.out + audited.err + made.out + made.err


@listed(
    "marks",
    [True, [], "true", {"labels": [True]}, {"labels": "true"}, {"network_interface": {"0": True}}],
)
def test_marks_of_another_shape_are_not_fatal(tmp_path: Path, marks: object) -> None:
    good = change(f"{INSTANCE}.good", machine("good"))
    inventory = read_plan(tmp_path, plan(marked(LABELLED, marks), good))
    assert "good" in [one.name for one in inventory.instances]


@listed(
    "paths",
    [7, [5], [[]], [[{"type": "index", "value": {"value": 10**9}}]], [[{}], [{"value": []}]]],
)
def test_paths_of_another_shape_are_not_fatal(tmp_path: Path, paths: object) -> None:
    made = forms()["state file"]
    made["resources"][0]["instances"][0]["sensitive_attributes"] = paths
    assert len(read_plan(tmp_path, made, "terraform.tfstate").instances) == 1
