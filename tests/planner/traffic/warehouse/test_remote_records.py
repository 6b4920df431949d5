"""Two looks at records that lie in an engine give what the files give, in all that is counted."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.model import BadRecord, Reporter, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.flows.kinds import BAD, KNOWN, WHY, of_all_kinds
from support.flows.looks import read_by_looks
from support.flows.records import START, Json, entry, lines


def without_examples(matrix: TrafficMatrix) -> TrafficMatrix:
    return replace(matrix, coverage=replace(matrix.coverage, examples=()))


def both(
    folder: Path, entries: list[Json | str], **options: Any
) -> tuple[TrafficMatrix, TrafficMatrix]:
    file = folder / "flows.json"
    texts = [one if isinstance(one, str) else json.dumps(one) for one in entries]
    file.write_text("\n".join(texts) + "\n")
    chosen = TrafficOptions(**options)
    return read_traffic([file], KNOWN, chosen), read_by_looks([file], KNOWN, chosen)


@pytest.mark.parametrize("reporter", list(Reporter))
def test_all_kinds_of_ends(tmp_path: Path, reporter: Reporter) -> None:
    by_file, by_looks = both(tmp_path, list(of_all_kinds()), reporter=reporter)
    assert by_looks == by_file
    assert by_file.coverage.logged
    assert by_file.coverage.overlaps
    assert dict(by_file.coverage.excluded)["equal to a counted record"] == 7


def test_hours_and_the_volume_of_logs(tmp_path: Path) -> None:
    by_file, by_looks = both(tmp_path, list(of_all_kinds()), by_hour=True, log_volume_from_gbps=0.0)
    assert by_looks == by_file
    assert by_file.hours is not None
    assert by_file.log_volume is not None


def test_a_window(tmp_path: Path) -> None:
    options = {"since": START + timedelta(seconds=40), "until": START + timedelta(minutes=3)}
    by_file, by_looks = both(tmp_path, list(of_all_kinds()), **options)
    assert by_looks == by_file
    assert by_file.coverage.used_count < by_file.coverage.record_count


def test_records_that_are_left_out_are_shown_by_their_ids(tmp_path: Path) -> None:
    good = entry("10.0.1.1", "10.0.2.1", 5, insert_id="d")
    by_file, by_looks = both(tmp_path, [*BAD.values(), good], example_count=3)
    assert without_examples(by_looks) == without_examples(by_file)
    assert by_looks.coverage.examples == tuple(
        BadRecord(source=f"insertId {name}", reason=WHY[name]) for name in ("a", "b", "c")
    )
    shown = {one.source.rpartition(":")[2]: one.reason for one in by_file.coverage.examples}
    assert shown == {"1": WHY["b"], "2": WHY["c"], "3": WHY["a"]}


def test_lines_that_are_no_entries_have_no_id(tmp_path: Path) -> None:
    good = entry("10.0.1.1", "10.0.2.1", 5, insert_id="d")
    by_file, by_looks = both(tmp_path, ["{oops", good, BAD["a"]])
    assert without_examples(by_looks) == without_examples(by_file)
    first, second = by_looks.coverage.examples
    assert first == BadRecord(source="an entry without insertId", reason="not a log entry in JSON")
    assert second == BadRecord(source="insertId a", reason=WHY["a"])


def test_names_that_hold_separators(tmp_path: Path) -> None:
    forged = entry(
        "10.0.9.9",
        "10.0.2.1",
        5,
        src_instance={"project_id": "p\x1fq", "vm_name": "a\x1db", "zone": "\x1f\x1f"},
    )
    by_file, by_looks = both(tmp_path, [forged, entry("10.0.1.1", "10.0.2.1", 5)])
    assert by_looks == by_file
    assert any("�" in owner.name for owner in by_file.owners)


def test_names_that_hold_separators_are_met_again(tmp_path: Path) -> None:
    """Headers of IPv6 are counted in every batch."""
    made = entry("fd00::9", "10.0.2.1", 5, packets=1, src_instance={"vm_name": "a\x1db"})
    files = [tmp_path / name for name in ("a.json", "b.json")]
    for file in files:
        file.write_text(lines([made] * 4))
    options = TrafficOptions(batch_records=1)
    by_file = read_traffic(files, KNOWN, options)
    assert by_file == read_by_looks(files, KNOWN, options)
    assert by_file.coverage.header_bytes == 8 * 72


def test_no_record_to_use(tmp_path: Path) -> None:
    file = tmp_path / "flows.json"
    file.write_text(lines(BAD.values()))
    with pytest.raises(InputError, match=r"records: no usable flow record \(1 ending before"):
        read_by_looks([file], KNOWN, TrafficOptions())
