"""The inventory does not depend on the order of files, pages or items."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Inventory
from netplan_planner.readers import merge_inventories, read_inventory
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute_json import read
from support.projects import one_project

Resource = dict[str, Any]
ITEMS: list[Resource] = [item for items in one_project.resources().values() for item in items]


def variants(item: Resource) -> list[Resource]:
    """A resource, and the same one as a poorer and a different reading."""
    poorer = {key: value for key, value in item.items() if key not in {"labels", "tags", "disks"}}
    return [item, poorer, item | {"status": "CHANGED", "description": "other"}]


readings = st.lists(
    st.sampled_from([reading for item in ITEMS for reading in variants(item)]),
    min_size=1,
    max_size=40,
)


def inventory_of(files: dict[str, list[Resource]]) -> Inventory:
    collector = Collector()
    for name, items in files.items():
        assert read(items, Origin(name, f"{name}:"), collector)
    return collector.inventory()


@given(readings, st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(items: list[Resource], random: Any) -> None:
    files = {f"{number}.json": [item] for number, item in enumerate(items)}
    names = list(files)
    random.shuffle(names)
    assert inventory_of(files) == inventory_of({name: files[name] for name in names})


@given(readings, st.randoms(use_true_random=False))
def test_parts_merge_in_any_order(items: list[Resource], random: Any) -> None:
    parts = [inventory_of({f"{n}.json": [item]}) for n, item in enumerate(items)]
    shuffled = list(parts)
    random.shuffle(shuffled)
    assert merge_inventories(parts) == merge_inventories(shuffled)


@given(st.permutations(ITEMS), st.integers(1, 7))
def test_shuffled_items_and_pages_hold_the_same_resources(
    items: list[Resource], page_size: int
) -> None:
    pages = [list(items[i : i + page_size]) for i in range(0, len(items), page_size)]
    shuffled = inventory_of({f"{n}.json": page for n, page in enumerate(pages)})
    expected = inventory_of({"all.json": ITEMS})
    assert without_sources(shuffled) == without_sources(expected)


def without_sources(inventory: Inventory) -> list[object]:
    found: list[object] = [inventory.machine_shapes, inventory.projects]
    for field in inventory.__struct_fields__:
        if field not in {"unread", "projects", "machine_shapes", "kubernetes"}:
            for value in getattr(inventory, field):
                text = str(value)
                found.append(text.replace(value.ref.source, ""))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_file_names_decide_nothing_but_the_source(seed: int) -> None:
    """The same files under other names, so in another order of walking."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        for number, item in enumerate(ITEMS):
            (Path(one) / f"{number:03d}.json").write_text(json.dumps([item]))
            name = f"{(number * 37 + seed * 11) % 101:03d}-{number}.json"
            (Path(other) / name).write_text(json.dumps([item]))
        first, second = read_inventory([Path(one)]), read_inventory([Path(other)])
    assert without_sources(first) == without_sources(second)
    assert len(first.instances) == len(one_project.resources()["instances"])
