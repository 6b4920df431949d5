"""Recorded projects as content for the server: real resources, by project and collection."""

import csv
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from support.projects.shared_data import shared
from support.servers.compute import ComputeServer

Resource = dict[str, Any]

COLLECTIONS = frozenset(
    {
        "instances",
        "networks",
        "subnetworks",
        "addresses",
        "forwardingRules",
        "routers",
        "routes",
        "vpnTunnels",
        "instanceGroups",
        "instanceGroupManagers",
        "commitments",
    }
)


def recorded_resources(name: str) -> dict[str, dict[str, list[Resource]]]:
    """The resources of a recording (`gce1`, `gke1`, …), by project and collection.

    A resource that stands in several files is taken from the first one by file name.
    """
    found: dict[str, dict[str, dict[str, Resource]]] = {}
    files = sorted(shared("data/recorded/compute_api").glob(f"gcpdiag__{name}__*.json"))
    assert files, f"nothing is recorded under the name {name}"
    for file in files:
        for resource in _resources(json.loads(file.read_bytes())):
            parts = resource["selfLink"].partition("projects/")[2].split("/")
            held = found.setdefault(parts[0], {}).setdefault(parts[-2], {})
            held.setdefault(resource["selfLink"], resource)
    return {
        project: {collection: list(items.values()) for collection, items in held.items()}
        for project, held in found.items()
    }


def add_recorded_project(server: ComputeServer, name: str) -> list[str]:
    """Add a recording to a server and return its projects, the one with most machines first.

    The machine types in use, which no recording holds, are made from the catalogue's table.
    """
    recorded = recorded_resources(name)
    for project, resources in recorded.items():
        types = machine_types(project, resources.get("instances", []))
        server.add_project(project, {**resources, "machineTypes": types})
    return sorted(recorded, key=lambda p: (-len(recorded[p].get("instances", [])), p))


def machine_types(project: str, instances: list[Resource]) -> list[Resource]:
    """The predefined machine types of some instances, as the API answers for them."""
    made: dict[str, Resource] = {}
    for instance in instances:
        zone, _, name = instance["machineType"].rpartition("/machineTypes/")
        row = _catalogue().get(name)
        if row is not None:
            made[instance["machineType"]] = {
                "kind": "compute#machineType",
                "name": name,
                "guestCpus": int(row["guest_vcpus"]),
                "memoryMb": round(float(row["memory_gib"]) * 1024),
                "isSharedCpu": row["is_shared_core"] == "1",
                "architecture": row["architecture"],
                "zone": zone.rpartition("/")[2],
                "selfLink": instance["machineType"],
            }
    return list(made.values())


@cache
def _catalogue() -> dict[str, dict[str, str]]:
    with shared("data/catalog/machine_types.csv").open(newline="") as file:
        return {row["machine_type"]: row for row in csv.DictReader(file)}


def _resources(value: object) -> Iterator[Resource]:
    """Every resource of a collection that is served, however it is wrapped."""
    if isinstance(value, list):
        for item in value:
            yield from _resources(item)
    elif isinstance(value, dict):
        link = value.get("selfLink")
        is_list = "items" in value
        if isinstance(link, str) and not is_list and link.split("/")[-2] in COLLECTIONS:
            yield value
        elif is_list:
            content = value["items"]
            for part in content.values() if isinstance(content, dict) else [content]:
                lists = part.values() if isinstance(part, dict) else [part]
                for items in lists:
                    yield from _resources(items if isinstance(items, list) else [])
