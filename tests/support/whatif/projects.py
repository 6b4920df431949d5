"""Requests of the embedded samples and changes, for tests of `netplan whatif`."""

import gzip
import json
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

from netplan_planner.machines.known import Known
from netplan_planner.model import Facts
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.apply import apply
from netplan_planner.verbs.whatif.scenario import Scenario
from netplan_planner.world.demos import load_demo
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest

TODAY = date(2026, 11, 23)


@cache
def facts_of(demo: str) -> Facts:
    """Return the facts of a sample, read once."""
    return read_facts(InputRequest(today=TODAY, demo=demo), load_demo(demo), lambda _: None)


def change(vms: str, field: WhatifField | str, to: str, by: date | None = None) -> WhatifChange:
    """Return a change as an option says it."""
    field = WhatifField(field)
    return WhatifChange(vms=vms, field=field, to=to, by=by, source=f"--{field.value}")


def after(facts: Facts, *changes: WhatifChange) -> Scenario:
    """Return facts after changes."""
    return apply(facts, changes, Known(facts.prices, facts.caps))


Edit = Callable[[dict[str, Any]], None]


def edited(
    demo: str, folder: Path, names: Sequence[str], edit: Edit, traffic: tuple[Path, ...] = ()
) -> InputRequest:
    """Return the request of a sample's files in which machines were edited by hand."""
    sample = load_demo(demo)
    copy = folder / "inventory"
    copytree(sample.inventory[0].parent, copy)
    path = copy / "instances.json"
    document = json.loads(path.read_text("utf-8"))
    found = [one for one in _machines(document) if one["name"] in names]
    assert len(found) == len(names)
    for one in found:
        edit(one)
    path.write_text(json.dumps(document), "utf-8")
    return plain(demo, copy, traffic)


def plain(demo: str, inventory: Path | None = None, traffic: tuple[Path, ...] = ()) -> InputRequest:
    """Return the request of a sample's files, read as anybody's."""
    sample = load_demo(demo)
    return InputRequest(
        today=TODAY,
        as_of=sample.limits_as_of,
        inventory=(inventory or sample.inventory[0].parent,),
        traffic=traffic or sample.traffic,
    )


def moved_in_logs(demo: str, folder: Path, name: str, before: str, after: str) -> tuple[Path, ...]:
    """Return a sample's flow logs in which a machine is recorded in another zone."""
    found = []
    for path in load_demo(demo).traffic:
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
        old = f'"vm_name":"{name}","zone":"{before}"'
        assert old in text
        copy = folder / path.name
        copy.write_bytes(
            gzip.compress(text.replace(old, f'"vm_name":"{name}","zone":"{after}"').encode())
        )
        found.append(copy)
    return tuple(found)


def _machines(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, list):
        return document
    items = document["items"]
    if isinstance(items, list):
        return items
    return [one for scoped in items.values() for one in scoped.get("instances", ())]
