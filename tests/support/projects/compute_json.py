"""Compute resources as JSON, by hand: a machine and its interface with what a test says of them."""

from collections.abc import Callable
from typing import Any

from netplan_planner.model import Instance, Inventory

Resource = dict[str, Any]
Reader = Callable[..., Inventory]
ROOT = "https://www.googleapis.com/compute/v1/projects/p"
ZONE = f"{ROOT}/zones/us-east1-b"
REGION = f"{ROOT}/regions/us-east1"


def vm(**fields: object) -> Resource:
    """Return a machine."""
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
    """Return an interface."""
    return {
        "name": "nic0",
        "network": f"{ROOT}/global/networks/default",
        "subnetwork": f"{REGION}/subnetworks/default",
        "networkIP": "10.0.0.2",
        **fields,
    }


def machine(
    name: str = "a",
    machine_type: str = "n2-standard-8",
    zone: str = "us-central1-a",
    *,
    project: str = "p",
    address: str = "10.0.0.2",
    network: str | None = None,
    subnetwork: str | None = None,
    **fields: object,
) -> Resource:
    """Return a machine that runs, with one interface, named by where it is."""
    root = f"https://www.googleapis.com/compute/v1/projects/{project}"
    place = f"{root}/zones/{zone}"
    own = {"name": "nic0", "network": network or f"{root}/global/networks/default"}
    if subnetwork is not None:
        own["subnetwork"] = subnetwork
    return {
        "kind": "compute#instance",
        "name": name,
        "zone": place,
        "machineType": f"{place}/machineTypes/{machine_type}",
        "status": "RUNNING",
        "networkInterfaces": [{**own, "networkIP": address}],
        "selfLink": f"{place}/instances/{name}",
        **fields,
    }


def only(inventory: Inventory) -> Instance:
    """Return the one machine of an inventory."""
    (instance,) = inventory.instances
    return instance
