"""What tests of readers share."""

import json
from pathlib import Path

import pytest

from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.projects.compute_json import Reader


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """Read documents as if each were a file of one folder."""

    def reader(*documents: object) -> Inventory:
        for number, document in enumerate(documents):
            path = tmp_path / f"{number:03d}.json"
            path.write_text(json.dumps(document), encoding="utf-8")
        return read_inventory([tmp_path])

    return reader
