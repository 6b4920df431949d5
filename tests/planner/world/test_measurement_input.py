"""Stores of measurements as an input of an audit: several of them, repeats, faults, no store."""

from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.measuring.store import append
from netplan_planner.world.reading import read_measurements
from support.probes.measurements import measured


def store(path: Path, *numbers: int) -> Path:
    """Write a store with a run of each number."""
    append(path, [measured(run_id=f"run-{n}", gbps=float(n)) for n in numbers])
    return path


def test_the_runs_of_several_stores_count_once_each(tmp_path: Path) -> None:
    paths = [store(tmp_path / "one", 1, 2), store(tmp_path / "two", 2, 3)]
    found, coverage = read_measurements(paths)
    assert [one.gbps for one in found] == [1.0, 2.0, 3.0]
    assert (coverage.files, coverage.measurement_count, coverage.repeated_count) == (2, 3, 1)
    assert coverage.faults == ()


def test_runs_without_an_id_are_told_apart_by_what_they_say(tmp_path: Path) -> None:
    nameless = [measured(run_id="", gbps=gbps, source="one") for gbps in (1.0, 2.0)]
    append(tmp_path / "one", nameless)
    append(tmp_path / "two", [measured(run_id="", gbps=2.0, source="two", place="7")])
    found, coverage = read_measurements([tmp_path / "one", tmp_path / "two"])
    assert [(one.gbps, one.source) for one in found] == [(1.0, "one"), (2.0, "one")]
    assert coverage.repeated_count == 1


def test_a_line_that_cannot_be_used_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = store(tmp_path / "s.jsonl", 1)
    with path.open("a") as file:
        file.write('{"half": ')
    found, coverage = read_measurements([path])
    assert len(found) == coverage.measurement_count == 1
    (fault,) = coverage.faults
    assert fault.startswith(f"{path}:2: ")


def test_an_empty_store_is_one_without_measurements(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    found, coverage = read_measurements([path])
    assert found == ()
    assert (coverage.files, coverage.measurement_count) == (1, 0)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """To the prober a missing store is a new one; to an audit it is a slip of the pen."""
    with pytest.raises(InputError, match=r"nowhere: cannot be read: .*; --measurements"):
        read_measurements([tmp_path / "nowhere"])


@pytest.mark.parametrize("text", ['{"start": {}, "end": {}}\n', "gbps\n1.0\n", "\x00\xff"])
def test_a_file_that_is_no_store_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "iperf3.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=r"iperf3\.json:1: .*Create a store from tool output"):
        read_measurements([path])


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_measurements([tmp_path])
