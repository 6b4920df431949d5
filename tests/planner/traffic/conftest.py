"""What tests of several flow-log engines share."""

from collections.abc import Iterator

import pytest

from netplan_planner.traffic import TrafficOptions
from netplan_planner.traffic.files.embedded import EmbeddedEngine, open_engine
from support.flows.tables import fill


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    """Open DuckDB with rows in every table of the statements."""
    folder = tmp_path_factory.mktemp("duckdb")
    with open_engine(TrafficOptions(temp_directory=folder, threads=1)) as opened:
        fill(opened)
        yield opened
