"""Made Terraform plans of VMs and the state before them, as `terraform show -json` writes."""

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Vms = dict[str, tuple[str, str]]
"""Machine type and zone by name."""
NAME = "plan.json"
GOOGLE = "https://www.googleapis.com/compute/v1"
PRIOR: Vms = {
    "db-1": ("n2-highmem-8", "us-central1-a"),
    "web-0": ("n2-standard-4", "us-central1-b"),
}
PLANNED: Vms = {
    **PRIOR,
    "db-1": ("n2-highmem-16", "us-central1-a"),
    "cache-1": ("n2-highmem-4", "us-central1-a"),
    "cache-2": ("n2-highmem-4", "us-central1-b"),
}
"""One update of a machine type, two VMs more."""


def write_plan(
    path: Path,
    before: Vms | None = None,
    after: Vms | None = None,
    *,
    project: str = "shop-prod",
    has_state: bool = True,
) -> Path:
    """Write a plan; without a state it is a first apply."""
    old, new = PRIOR if before is None else before, PLANNED if after is None else after
    found: Json = {
        "format_version": "1.2",
        "terraform_version": "1.9.5",
        "planned_values": _values(project, new, old),
        "resource_changes": [
            _change(project, name, old.get(name) if has_state else None, new.get(name))
            for name in sorted({*old, *new} if has_state else new)
        ],
        "configuration": {},
    }
    if has_state:
        state = {"format_version": "1.0", "terraform_version": "1.9.5"}
        found["prior_state"] = state | {"values": _values(project, old, old)}
    path.write_text(json.dumps(found), "utf-8")
    return path


def _values(project: str, vms: Vms, made: Vms) -> Json:
    resources = [
        {**_address(name), "values": _vm(project, name, *of, is_made=made.get(name) == of)}
        for name, of in vms.items()
    ]
    return {"root_module": {"resources": resources}}


def _address(name: str) -> Json:
    address = f'google_compute_instance.vm["{name}"]'
    kind = "google_compute_instance"
    return {"address": address, "mode": "managed", "type": kind, "name": "vm", "index": name}


def _change(
    project: str, name: str, old: tuple[str, str] | None, new: tuple[str, str] | None
) -> Json:
    is_moved = old is not None and new is not None and old[1] != new[1]
    actions = ["create"] if old is None else ["delete"] if new is None else ["update"]
    actions = ["delete", "create"] if is_moved else ["no-op"] if old == new else actions
    sides = {
        "before": _vm(project, name, *old, is_made=True) if old else None,
        "after": _vm(project, name, *new, is_made=old is not None and not is_moved)
        if new
        else None,
    }
    return {**_address(name), "change": {"actions": actions, "after_unknown": {}, **sides}}


def _vm(project: str, name: str, machine_type: str, zone: str, *, is_made: bool) -> Json:
    region = zone.rpartition("-")[0]
    nic = {
        "network": f"{GOOGLE}/projects/{project}/global/networks/default",
        "subnetwork": f"{GOOGLE}/projects/{project}/regions/{region}/subnetworks/default",
        "access_config": [],
    }
    link = f"{GOOGLE}/projects/{project}/zones/{zone}/instances/{name}"
    return {
        "name": name,
        "machine_type": machine_type,
        "zone": zone,
        "project": project,
        "labels": {},
        "network_interface": [nic],
        "scheduling": [{"preemptible": False, "provisioning_model": "STANDARD"}],
        **({"self_link": link} if is_made else {}),
    }
