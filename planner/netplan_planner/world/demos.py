"""The embedded samples: small projects that replay published stories, with their flow logs."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from netplan_planner.config import declared_links, declared_targets, load_table, rule_thresholds
from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model import Inventory, JobNeed, MachineNeed, ProjectId, TrafficMatrix, Value
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.world.request import InputRequest

DEMO_FOLDER = Path(__file__).resolve().parent.parent / "demos"


DEMO_PREFIX = "demo:"
"""Stands for the folder in the sources of what a demo holds."""


class DemoNeed(Value, frozen=True, kw_only=True):
    """A recommendation that the story asks for, and the machine that it would replace."""

    need: MachineNeed
    replaces: str


class DemoPlugin(Value, frozen=True, kw_only=True):
    """A network plugin of the story, as it was set up."""

    name: str
    encapsulation: str
    mtu_bytes: int | None = None
    """Of pods, where the plugin's default is not the node's less the headers."""
    told: str = ""
    source: str = ""
    """Of the encapsulation, where it is not the plugin's default."""


class DemoPlugins(Value, frozen=True, kw_only=True):
    """A service on hosts with two links, and the plugins with which it was tried."""

    service: str
    slow_gbps: float
    fast_gbps: float
    limits: str
    hosts_told: str
    plugins: tuple[DemoPlugin, ...]


class Demo(Value, frozen=True, kw_only=True):
    """One sample: where its files lie, and what its story leaves to assumptions."""

    name: str
    title: str
    limits_as_of: date
    inventory: tuple[Path, ...]
    traffic: tuple[Path, ...]
    assumptions: tuple[str, ...] = ()
    needs: tuple[DemoNeed, ...] = ()
    jobs: tuple[JobNeed, ...] = ()
    thresholds: tuple[tuple[str, str, float], ...] = ()
    """(rule, name, value) that the story asks for; those of the request go before them."""
    targets: tuple[tuple[str, float, str], ...] = ()
    """(glob over the end of a self link, wanted Gbit/s, source)."""
    links: tuple[tuple[str, float, str], ...] = ()
    """(range of addresses, Gbit/s of the hosts' link, source)."""
    plugins: DemoPlugins | None = None


def demo_names() -> tuple[str, ...]:
    """Return the names of all samples, sorted."""
    return tuple(sorted(path.parent.name for path in DEMO_FOLDER.glob("*/demo.toml")))


def load_demo(name: str) -> Demo:
    """Return a sample.

    Raises:
        UsageError: If there is none of that name.
    """
    if name not in demo_names():
        known = demo_names()
        hint = did_you_mean(name, known)
        raise UsageError(f"there is no demo {name!r}; there are: {', '.join(known)}{hint}")
    folder = DEMO_FOLDER / name
    told = folder / "demo.toml"
    table = load_table(told)
    return Demo(
        name=name,
        title=table["title"],
        limits_as_of=table["limits_as_of"],
        inventory=tuple(sorted((folder / "inventory").glob("*.json"))),
        traffic=tuple(sorted(folder.glob("flows*"))),
        assumptions=tuple(table.get("assumptions", ())),
        needs=tuple(_need(entry) for entry in table.get("need", ())),
        jobs=tuple(_job(entry) for entry in table.get("job", ())),
        thresholds=rule_thresholds(told),
        targets=tuple(
            (pattern, gbps, f"assumed for the story, {_label(f'{folder}/')}{source}")
            for pattern, gbps, source in declared_targets(told)
        ),
        links=tuple(
            (addresses, gbps, f"the story's, {_label(f'{folder}/')}{source}")
            for addresses, gbps, source in declared_links(told)
        ),
        plugins=msgspec.convert(table["plugins"], DemoPlugins) if "plugins" in table else None,
    )


def _need(entry: dict[str, object]) -> DemoNeed:
    wanted = {key: value for key, value in entry.items() if key != "replaces"}
    return DemoNeed(need=msgspec.convert(wanted, MachineNeed), replaces=str(entry["replaces"]))


def _job(entry: dict[str, object]) -> JobNeed:
    # It names its machines itself.
    return msgspec.convert({"architecture": None, **entry}, JobNeed)


def relabelled_inventory(inventory: Inventory) -> Inventory:
    """Return a demo's inventory with its sources as `demo:gecko/…`, wherever it is installed."""
    return replace(
        inventory,
        **{
            name: tuple(_relabelled(value) for value in getattr(inventory, name))
            for name in inventory.__struct_fields__
            if name not in {"projects", "machine_shapes", "kubernetes"}
        },
        kubernetes=_relabelled_objects(inventory.kubernetes),
    )


def _relabelled_objects(kubernetes: Kubernetes | None) -> Kubernetes | None:
    if kubernetes is None:
        return None
    lists = {name: getattr(kubernetes, name) for name in kubernetes.__struct_fields__}
    return Kubernetes(
        **{
            name: tuple(_relabelled(value) for value in values)
            for name, values in lists.items()
            if values is not None
        }
    )


def _relabelled(value: Any) -> Any:
    if hasattr(value, "ref"):
        return replace(value, ref=replace(value.ref, source=_label(value.ref.source)))
    return replace(value, source=_label(value.source))


def relabelled_traffic(traffic: TrafficMatrix) -> TrafficMatrix:
    """Return a demo's traffic with the places of its left-out records as `demo:gecko/…`.

    Its story is of a whole window, as if that had been asked for.
    """
    examples = tuple(replace(e, source=_label(e.source)) for e in traffic.coverage.examples)
    coverage = replace(traffic.coverage, examples=examples)
    return replace(traffic, coverage=coverage, is_asked=True)


def _label(source: str) -> str:
    return source.replace(f"{DEMO_FOLDER}/", DEMO_PREFIX)


_NAMED_PROJECTS = 3
"""How many projects a title names; a report lists all of them."""


def projects_of(request: InputRequest, inventory: Inventory) -> tuple[str, ...]:
    """Return the projects that were asked for or read, by name."""
    read: set[ProjectId] = {i.project for i in inventory.instances}
    read |= {p.project for p in inventory.projects}
    return tuple(sorted(read | set(request.projects)))


def title_of(demo: Demo | None, projects: Sequence[str]) -> str:
    """Return what an answer is about: a demo's story, or the first projects."""
    if demo is not None:
        return demo.title
    if not projects:
        return "no project"
    rest = len(projects) - _NAMED_PROJECTS
    named = ", ".join(projects[:_NAMED_PROJECTS])
    return f"{named} and {rest} more" if rest > 0 else named
