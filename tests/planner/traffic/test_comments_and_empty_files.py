"""Files that hold nothing among others, and comments before the first entry."""

import gzip
import json
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.flows.records import entry, lines, only_edge

ENTRIES = [entry("10.0.1.1", "10.0.2.1", 1000, start=i, end=i + 1) for i in range(3)]
TEXT = lines(ENTRIES)


def read(folder: Path, **files: bytes | str) -> TrafficMatrix:
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    return read_traffic([folder], Inventory(), TrafficOptions())


@pytest.mark.parametrize("nothing", [b"[]", b"[ ]\n", b"", b"\n\n", b"# only a comment\n"])
def test_a_file_that_holds_nothing_is_a_note_among_others(tmp_path: Path, nothing: bytes) -> None:
    matrix = read(tmp_path, a=TEXT, b=nothing)
    assert only_edge(matrix).payload_bytes == 3000
    (note,) = matrix.coverage.notes[-1:]
    assert str(tmp_path / "b") in note
    assert matrix.coverage.incomplete == ()


def test_nothing_but_empty_files_is_an_error_that_names_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a: .*; .*b: "):
        read(tmp_path, a="[]", b="")


COMMENT = '# gcloud logging read "resource.type={x}"\n\n// of a week\n'
COMMENTED = {
    "lines": (COMMENT + TEXT).encode(),
    "packed": gzip.compress((COMMENT + TEXT).encode()),
    "array": (COMMENT + json.dumps(ENTRIES, indent=1)).encode(),
}


@pytest.mark.parametrize("content", COMMENTED.values(), ids=COMMENTED)
def test_leading_comments_are_skipped_and_counted(tmp_path: Path, content: bytes) -> None:
    matrix = read(tmp_path, flows=content)
    coverage = matrix.coverage
    assert only_edge(matrix).payload_bytes == 3000
    assert (coverage.record_count, coverage.used_count) == (3, 3)
    assert (coverage.excluded, coverage.examples) == ((), ())
    assert "2 leading comment lines of 1 file skipped" in coverage.notes


def test_other_lines_that_are_no_entries_are_still_faults_at_their_line(tmp_path: Path) -> None:
    matrix = read(tmp_path, flows=COMMENT + TEXT + "# not at the beginning\n")
    coverage = matrix.coverage
    assert coverage.excluded == (("malformed", 1),)
    assert [e.source.rpartition(":")[2] for e in coverage.examples] == ["7"]
    assert (coverage.record_count, coverage.used_count) == (4, 3)
