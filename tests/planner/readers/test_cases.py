"""Each inventory of `tests/data/inventories` reads to what stands beside it.

A case has:

- `read`: documents, each a file of its own; a text is written as it stands;
- `file`: the same by name; what is read is the folder, or the files that `paths` names.

Of a document `{ machine }` is a machine of the Compute API with what is unusual of it, `{ nics }`
one with these interfaces, `{ plan }` a Terraform plan with the resources of its configuration;
`{ node }` is a node of the shared cluster by its number, with the id of another `provider` or
without one, `{ instance }` a VM of its project, `{ cluster }` its objects ("list") or what GKE's
API says of it. `ways` are tables of other members, each of which gives the same.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Inventory, SelfLink
from netplan_planner.readers import read_inventory
from netplan_planner.world.not_read import all_unread, autoscaled
from support import model_cases
from support.projects import compute_json, one_cluster, plans
from support.projects.plans import Json

MEMBERS = {"read", "file", "paths", "ways"}


class Seen:
    """An inventory, with what of it was not read in short, and its clusters and node pools."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        told = [(one.field, one.reason, one.is_needless) for one in inventory.unread]
        self.lost = [f"{field}: {why}" if field else why for field, why, no in told if not no]
        self.needless = [why for _, why, no in told if no]
        objects = inventory.kubernetes
        self.clusters = list((objects and objects.clusters) or ())
        nodes = (objects and objects.nodes) or ()
        pools = {one.name: objects and objects.pool_of(one) for one in nodes}
        self.node_pools = {name: pool and pool.name for name, pool in pools.items()}
        self.pools = sorted((objects and objects.node_pools) or (), key=lambda pool: pool.name)

    @property
    def not_read(self) -> list[str]:
        """What is told of and in no input: why, by its name."""
        missing = [one for one in all_unread(self.inventory) if not one.is_needless]
        return [f"{(one.resource or '').rpartition('/')[2]}: {one.reason}" for one in missing]

    @property
    def autoscaled(self) -> tuple[str, ...]:
        return autoscaled(self.inventory)

    @property
    def joined(self) -> dict[str, str]:
        """The hubs between two networks of the project `p`, by their names."""
        links = {name: SelfLink(f"projects/p/global/networks/{name}") for name in "abc"}
        pairs = {f"{one} {other}": (links[one], links[other]) for one in links for other in links}
        return {names: self.inventory.hub_between(*pair) for names, pair in pairs.items()}

    def __repr__(self) -> str:
        return repr(self.inventory)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inventory, name)


def document(value: Any) -> Any:
    """Return a document with its machines and plans in full."""
    if isinstance(value, list):
        return [document(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"machine"}:
        return compute_json.vm(**value["machine"])
    if "nics" in value:
        nics = [compute_json.nic(**nic) for nic in value["nics"]]
        return compute_json.vm(networkInterfaces=nics)
    if "node" in value:
        return node(**value)
    if "instance" in value:
        about = {"zone": one_cluster.ZONES[0], "project": one_cluster.PROJECT, **value}
        return compute_json.machine(about.pop("instance"), **about)
    if "cluster" in value:
        is_list = value["cluster"] == "list"
        return one_cluster.as_list() if is_list else one_cluster.gke_files()["api"]
    if isinstance(value.get("plan"), list):
        return plan(**value)
    return {name: document(held) for name, held in value.items()}


def node(node: int, provider: str | None = None) -> Json:
    """Return a node of the shared cluster, of another provider or without one."""
    made = one_cluster.node(node)
    if provider is not None:
        made["spec"]["providerID"] = provider
    if not provider and provider is not None:
        del made["spec"]["providerID"]
    return made


def plan(
    plan: list[Json], configured: Json | None = None, declared: Json | None = None, **more: Any
) -> Json:
    """Return a Terraform plan: changes and expressions by address, and variables by name."""
    resources = []
    for address, expressions in (configured or {}).items():
        kind, _, name = address.partition(".")
        resources.append(plans.configured(kind, name, **expressions))
    made = plans.plan(*(change(**one) for one in plan), resources=tuple(resources), **more)
    made["configuration"]["root_module"]["variables"] = declared or {}
    return made


def change(
    address: str,
    after: Json | None = None,
    machine: Json | None = None,
    unknown: Json | None = None,
    actions: tuple[str, ...] = ("create",),
    before: Json | None = None,
    sensitive: Any = None,
    without: tuple[str, ...] = (),
) -> Json:
    """Return a change; `machine` is what a machine has beside what all have."""
    if machine is not None:
        after = plans.machine(**{"name": address.rpartition(".")[2], **machine})
        after = {name: value for name, value in after.items() if name not in without}
    made = plans.change(address, after, unknown, tuple(actions), before)
    if sensitive is not None:
        made["change"]["after_sensitive"] = sensitive
    return made


@pytest.mark.parametrize("case", model_cases.cases("inventories", MEMBERS))
def test_each_reads_to_what_stands_beside_it(case: model_cases.Case, tmp_path: Path) -> None:
    for number, way in enumerate(case.get("ways", [{}])):
        folder = tmp_path / str(number)
        folder.mkdir()
        write(case | way, folder)
        paths = [folder / name for name in case.get("paths", [""])]
        model_cases.check(case, partial(seen_in, paths))


def seen_in(paths: list[Path]) -> Seen:
    return Seen(read_inventory(paths))


def write(case: model_cases.Case, folder: Path) -> None:
    """Write the files of a case."""
    files = {f"{number:03d}.json": held for number, held in enumerate(case.get("read", ()))}
    for name, held in (files | case.get("file", {})).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = held if isinstance(held, str) else json.dumps(document(held))
        path.write_text(text, encoding="utf-8")
