"""Disks of the machines in Terraform's plans and states."""

import json
from pathlib import Path
from typing import Any

from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.projects.plans import change, configured, machine, plan, refers

INSTANCE, DISK = "google_compute_instance", "google_compute_disk"
HOME = "projects/p/zones/us-central1-a"
NOT_YET = {"boot_disk": [{"source": True, "initialize_params": [{"type": True}]}]}


def read(folder: Path, value: object) -> Inventory:
    path = folder / "plan.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_inventory([path])


def disk(name: str, **fields: Any) -> dict[str, Any]:
    values = {"name": name, "project": "p", "zone": "us-central1-a", **fields}
    return change(f"{DISK}.{name}", values, {"users": True, "self_link": True})


def types(inventory: Inventory) -> dict[str, tuple[str | None, list[str]]]:
    return {
        one.ref.self_link.removeprefix(f"{HOME}/disks/"): (
            one.disk_type,
            [user.rpartition("/")[2] for user in one.users],
        )
        for one in inventory.disks
    }


def test_a_boot_disk_has_the_name_of_its_machine(tmp_path: Path) -> None:
    stated = {"boot_disk": [{"initialize_params": [{"type": "pd-ssd", "size": 20}]}]}
    open_type: dict[str, Any] = {"boot_disk": [{"initialize_params": [{}]}]}
    made = read(
        tmp_path,
        plan(
            change(f"{INSTANCE}.a", machine("a", **stated, scratch_disk=[{}]), NOT_YET),
            change(f"{INSTANCE}.b", machine("b", **open_type), NOT_YET),
        ),
    )
    assert types(made) == {"a": ("pd-ssd", ["a"]), "b": (None, ["b"])}
    assert made.disk_types_by_user == {f"{HOME}/instances/a": frozenset({"pd-ssd"})}
    assert [one.local_ssd_count for one in made.instances] == [1, 0]
    assert made.disks[0].ref.source == f"{tmp_path}/plan.json: {INSTANCE}.a"


def test_disks_that_are_resources_of_their_own(tmp_path: Path) -> None:
    boot = {"source": refers(f"{DISK}.start.self_link", f"{DISK}.start")}
    data = {"source": refers(f"{DISK}.data.id", f"{DISK}.data")}
    unknown = {"boot_disk": [{"source": True}], "attached_disk": [{"source": True}]}
    vm = machine("vm", boot_disk=[{}], attached_disk=[{}])
    more = {"disk": "more", "instance": "vm", "project": "p", "zone": "us-central1-a"}
    made = read(
        tmp_path,
        plan(
            change("google_compute_attached_disk.m", more),
            change(f"{INSTANCE}.vm", vm, unknown),
            disk("start", type="pd-balanced"),
            disk("data", type="hyperdisk-balanced"),
            disk("more", type="pd-ssd"),
            disk("idle", type="pd-standard"),
            resources=(configured(INSTANCE, "vm", boot_disk=[boot], attached_disk=[data]),),
        ),
    )
    assert types(made) == {
        "start": ("pd-balanced", ["vm"]),
        "data": ("hyperdisk-balanced", ["vm"]),
        "more": ("pd-ssd", ["vm"]),
        "idle": ("pd-standard", []),
    }
    assert made.disk_types_by_user[made.instances[0].ref.self_link] == {
        "pd-balanced",
        "hyperdisk-balanced",
        "pd-ssd",
    }


def test_a_machine_with_a_disk_that_is_not_known_has_unknown_types(tmp_path: Path) -> None:
    boot = {"initialize_params": [{"type": "pd-ssd"}]}
    vm = machine("vm", boot_disk=[boot], attached_disk=[{"source": "elsewhere"}, {}])
    unknown = {"boot_disk": [{"source": True}], "attached_disk": [{}, {"source": True}]}
    asked = configured(INSTANCE, "vm", attached_disk=[{}, {"source": refers("local.disk")}])
    made = read(tmp_path, plan(change(f"{INSTANCE}.vm", vm, unknown), resources=(asked,)))
    assert types(made) == {
        "vm": ("pd-ssd", ["vm"]),
        "elsewhere": (None, ["vm"]),
        "vm-(disk 3)": (None, ["vm"]),
    }
    assert made.disk_types_by_user == {}


def test_machines_have_the_disks_of_their_template(tmp_path: Path) -> None:
    template = {
        "name": "t",
        "project": "p",
        "self_link": "projects/p/global/instanceTemplates/t",
        "machine_type": "n2-standard-8",
        "disk": [
            {"boot": True, "disk_type": "pd-balanced", "type": "PERSISTENT"},
            {"type": "SCRATCH", "disk_type": "local-ssd"},
            {"disk_type": "pd-ssd", "type": "PERSISTENT"},
        ],
        "network_interface": [{"network": "default"}],
    }
    group = {
        "name": "web",
        "base_instance_name": "web",
        "project": "p",
        "zone": "us-central1-a",
        "target_size": 1,
        "version": [{"instance_template": template["self_link"]}],
    }
    single = {
        "name": "one",
        "project": "p",
        "zone": "us-central1-a",
        "source_instance_template": template["self_link"],
        "boot_disk": [{"initialize_params": [{"type": "hyperdisk-balanced"}]}],
    }
    made = read(
        tmp_path,
        plan(
            change("google_compute_instance_template.t", template),
            change("google_compute_instance_group_manager.web", group),
            change("google_compute_instance_from_template.one", single),
            resources=(
                configured(
                    "google_compute_instance_from_template",
                    "one",
                    source_instance_template={},
                    boot_disk=[{}],
                ),
            ),
        ),
    )
    assert types(made) == {
        "one": ("hyperdisk-balanced", ["one"]),
        "one-(disk 3)": ("pd-ssd", ["one"]),
        "web-(1 of 1)": ("pd-balanced", ["web-(1 of 1)"]),
        "web-(1 of 1)-(disk 3)": ("pd-ssd", ["web-(1 of 1)"]),
    }
    assert [one.local_ssd_count for one in made.instances] == [1, 1]


def test_a_membership_puts_a_machine_into_its_group(tmp_path: Path) -> None:
    group = {"name": "g", "project": "p", "zone": "us-central1-a", "size": 0}
    joins = configured(
        "google_compute_instance_group_membership",
        "m",
        instance=refers(f"{INSTANCE}.vm.self_link", f"{INSTANCE}.vm"),
        instance_group=refers(
            "google_compute_instance_group.g.id", "google_compute_instance_group.g"
        ),
    )
    unknown = {"instance": True, "instance_group": True}
    made = read(
        tmp_path,
        plan(
            change("google_compute_instance_group_membership.m", {"project": "p"}, unknown),
            change("google_compute_instance_group.g", group),
            change(f"{INSTANCE}.vm", machine("vm")),
            resources=(joins,),
        ),
    )
    assert [one.members for one in made.instance_groups] == [(f"{HOME}/instances/vm",)]


IMAGE = "https://www.googleapis.com/compute/v1/projects/windows-cloud/global/images/windows-2022"


def test_an_image_stands_for_its_licences(tmp_path: Path) -> None:
    """Rules ask whose image it is: Windows is billed by core, whatever a plan leaves open."""
    found = {
        image: machine("vm", boot_disk=[{"initialize_params": [{"image": image}]}])
        for image in (IMAGE, "rhel-cloud/rhel-9", "global/images/family/own", "debian-12", None)
    }
    licenses = {
        image: read(tmp_path, plan(change(f"{INSTANCE}.vm", values))).instances[0].licenses
        for image, values in found.items()
    }
    assert licenses == {
        IMAGE: ("projects/windows-cloud/global/licenses/(of windows-2022)",),
        "rhel-cloud/rhel-9": ("projects/rhel-cloud/global/licenses/(of rhel-9)",),
        "global/images/family/own": ("projects/(unknown)/global/licenses/(of own)",),
        "debian-12": ("projects/(unknown)/global/licenses/(of debian-12)",),
        None: (),
    }
