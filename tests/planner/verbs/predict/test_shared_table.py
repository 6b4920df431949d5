"""Flows of a table that run at once: what they share of a lesser receiver."""

from pathlib import Path

import pytest

from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.verbs.predict.table_file import predict_table, share_table
from support.paths.queries import DAY
from support.paths.tables import written

ROW = {
    "src": "big",
    "dst": "small",
    "machine_type": "n2-standard-32",
    "dst_machine_type": "e2-micro",
    "path_class": "same-zone-internal",
    "streams": "8",
}


def shared(folder: Path, *rows: dict[str, str]) -> tuple[list[float], list[str]]:
    """Return the rate of each row while all run, and the limit that it meets."""
    with PathTable(written(folder / "t.csv", *rows)) as table:
        found = share_table(table, predict_table(table, as_of=DAY, level=0.9))
    return found.gbps.tolist(), [found.limit.texts[code] for code in found.limit.code]


def test_all_that_arrives_at_a_machine_on_shared_cores_shares_them(tmp_path: Path) -> None:
    # The third sends so little that its own path never meets the receiver's limit.
    senders = [ROW, ROW | {"src": "other"}, ROW | {"src": "tiny", "machine_type": "e2-micro"}]
    alone, _ = shared(tmp_path, ROW)
    rates, limits = shared(tmp_path, *senders)
    assert sum(rates) == pytest.approx(alone[0], rel=1e-3)
    assert rates[2] == pytest.approx(1.0, rel=0.02)
    assert limits == ["receiver-cores", "receiver-cores", "own-path"]


def test_other_receivers_are_not_touched(tmp_path: Path) -> None:
    rates, _ = shared(tmp_path, ROW, ROW | {"src": "x", "dst": "y", "dst_machine_type": ""})
    assert rates[1] > 7 * rates[0]
