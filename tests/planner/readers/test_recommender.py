"""Recommendations of machine types: what gcloud and the API print, and what is not kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.rules.fixtures import advice

LINK = (
    "projects/p/locations/us-east1-b/recommenders/google.compute.instance.MachineTypeRecommender"
    "/recommendations/1"
)


def listed(**more: str) -> list[dict[str, Any]]:
    row = {"name": "vm", "zone": "us-east1-b", "type": "custom-2-5120"}
    return advice({"advice": [{**row, **more}]})


def read(folder: Path, value: object) -> Inventory:
    path = folder / "advice.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_inventory([path])


@pytest.mark.parametrize("is_answer", [False, True])
def test_a_recommendation_names_machine_type_and_state(tmp_path: Path, is_answer: bool) -> None:
    found = listed(state="CLAIMED")
    inventory = read(tmp_path, {"recommendations": found} if is_answer else found)
    (one,) = inventory.type_recommendations
    # Its own name has the number of the project, which no other input knows.
    assert one.ref.self_link == LINK
    assert one.instance == "projects/p/zones/us-east1-b/instances/vm"
    assert (one.machine_type, one.state) == ("custom-2-5120", "CLAIMED")
    assert inventory.unread == ()


def test_recommendations_of_other_kinds_are_told_and_left(tmp_path: Path) -> None:
    inventory = read(tmp_path, [*listed(), *listed(subtype="STOP_VM")])
    assert len(inventory.type_recommendations) == 1
    assert [one.reason for one in inventory.unread] == [
        "recommendation STOP_VM: 1 not needed by the audit"
    ]


@pytest.mark.parametrize(
    "content",
    [
        None,
        {},
        {"operationGroups": 3},
        {"operationGroups": [{"operations": [7, {"action": "test"}]}]},
    ],
)
def test_one_that_changes_no_type_is_told(tmp_path: Path, content: object) -> None:
    good, bad = listed()[0], listed()[0] | {"content": content}
    inventory = read(tmp_path, [good, bad])
    assert len(inventory.type_recommendations) == 1
    assert [one.reason for one in inventory.unread] == ["it names no machine or no machine type"]


def test_a_list_without_any_is_no_inventory(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read(tmp_path, [{"name": "projects/1/locations/x/recommenders/y"}])
