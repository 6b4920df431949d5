"""Files that are empty, cut, broken, of another kind, or oddly named."""

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.flows.project import host, inventory
from support.flows.records import Json, entry, lines, only_edge
from support.listed import listed
from support.nightly import crossed

A, B = "10.0.0.1", "10.0.0.2"
GOOD = entry(A, B, 100, packets=1)
COUNT = 5000
TEXT = lines(
    entry(A, B, 100, packets=1, start=i % 60, end=i % 60, ports=(i, 80)) for i in range(COUNT)
)
GZIP = gzip.compress(TEXT.encode(), mtime=0)
ZSTD: bytes = pa.compress(TEXT.encode(), codec="zstd", asbytes=True)
ARRAY = json.dumps([GOOD, GOOD, GOOD], indent=2)
CUT = "flows ends early: only the text before the cut was read"


def read_bytes(folder: Path, content: bytes) -> TrafficMatrix:
    path = folder / "flows"
    path.write_bytes(content)
    return read_traffic([path], Inventory())


def is_cut(matrix: TrafficMatrix) -> bool:
    return any(note.endswith(CUT) for note in matrix.coverage.notes)


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\r\n\t", "the file is empty"),
    "empty gzip": (gzip.compress(b""), "the file is empty"),
    "ten bytes of gzip": (GZIP[:10], "the file is empty"),
    "no gzip but its mark": (b"\x1f\x8b" + b"\xff" * 100, "not a readable gzip file"),
    "six bytes of zstd": (ZSTD[:6], "the file is empty"),
    "gzip in gzip": (gzip.compress(GZIP), "Give flow-log entries"),
    "noise": (bytes(range(1, 256)) * 20, "Give flow-log entries"),
    "words": (b"hello\nworld\n", "Give flow-log entries"),
    "a number": (b"17\n", "Give flow-log entries"),
    "markup": (b"<html><body>403</body></html>", "Give flow-log entries"),
    "a table of other columns": (b"source,target,bytes\na,b,1\n", "the columns src and dst"),
    "a page of the API": (b'{"kind": "compute#instanceList", "items": []}', "no readable flow"),
    "a cut line": (TEXT.encode()[:200], "no readable flow record"),
    "an empty array": (b"[]", "the file holds no log entries"),
    "an array of numbers": (b"[1, 2]", "the file holds no log entries"),
    "an array cut in its first entry": (ARRAY.encode()[:60], "no readable flow record"),
    "no Parquet but its mark": (b"PAR1 and so on", "cannot be read"),
}


@listed("name", UNREADABLE)
def test_a_file_with_nothing_to_read_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    content, text = UNREADABLE[name]
    with pytest.raises(InputError) as caught:
        read_bytes(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'flows'}: ")
    assert text in str(caught.value)
    # The engine's own names for the file are nobody's business.
    assert "netplan-" not in str(caught.value)


def test_one_unreadable_file_among_good_ones_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(lines([GOOD]))
    (tmp_path / "b.json").write_text(lines([{**GOOD, "jsonPayload": {}}]))
    with pytest.raises(InputError, match=r"b\.json: the file has no readable flow record"):
        read_traffic([tmp_path], Inventory())


def test_folders_and_paths_that_hold_nothing(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / ".hidden").write_text(lines([GOOD]))
    with pytest.raises(InputError, match="the folder has no flow-log files"):
        read_traffic([tmp_path], Inventory())
    with pytest.raises(InputError, match=r"nowhere\.json: cannot be read: No such file"):
        read_traffic([tmp_path / "nowhere.json"], Inventory())
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: not a file or folder"):
        read_traffic([tmp_path / "pipe"], Inventory())
    # A hidden file that is named is read.
    assert only_edge(read_traffic([tmp_path / ".hidden"], Inventory())).payload_bytes == 100


HALF = ZSTD[: len(ZSTD) // 2]
CUTS = {
    "gzip, early": (GZIP[: int(len(GZIP) * 0.3)], 0.1, 0.9),
    "gzip, late": (GZIP[: int(len(GZIP) * 0.7)], 0.1, 0.9),
    "zstd": (HALF, 0.0, 0.9),
    "zstd after a whole frame": (ZSTD + HALF, 1.0, 1.9),
}


@listed("name", CUTS)
def test_a_cut_packed_file_is_read_to_the_cut(tmp_path: Path, name: str) -> None:
    content, low, high = CUTS[name]
    matrix = read_bytes(tmp_path, content)
    coverage = matrix.coverage
    assert is_cut(matrix)
    assert low * COUNT < coverage.used_count < high * COUNT
    # The line in which the cut falls is the one bad record, and the last.
    assert coverage.excluded == (("malformed", 1),)
    assert coverage.examples[0].source == f"{tmp_path / 'flows'}:{coverage.record_count}"
    assert only_edge(matrix).payload_bytes == 100 * coverage.used_count


SKIPPABLE = b"\x50\x2a\x4d\x18" + (7).to_bytes(4, "little") + b"comment"
NOTHING = gzip.compress(b"", mtime=0)
WHOLE = {
    "gzip members one after the other": (GZIP + NOTHING + GZIP, 2, False),
    "an empty gzip member first": (NOTHING + GZIP, 1, False),
    # All records are there, and its last bytes are not.
    "gzip without its last bytes": (GZIP[:-4], 1, True),
    "comments before packed lines": (gzip.compress(b"# a\n\n// b\n" + TEXT.encode()), 1, False),
    "zstd": (ZSTD, 1, False),
    "zstd frames one after the other": (ZSTD + ZSTD, 2, False),
    "a comment after zstd": (ZSTD + SKIPPABLE, 1, False),
}


@listed("name", WHOLE)
def test_packed_files_with_all_their_records(tmp_path: Path, name: str) -> None:
    content, times, says_cut = WHOLE[name]
    matrix = read_bytes(tmp_path, content)
    assert is_cut(matrix) == says_cut
    assert matrix.coverage.used_count == times * COUNT


def test_what_follows_a_gzip_stream_does_not_hide_it_or_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(GZIP)
    (tmp_path / "b.gz").write_bytes(GZIP + b"\x00" * 100)
    (tmp_path / "c.gz").write_bytes(GZIP)
    matrix = read_traffic([tmp_path], Inventory())
    assert matrix.coverage.used_count == 3 * COUNT
    assert [note for note in matrix.coverage.notes if "ends early" in note] == [
        f"{tmp_path / 'b.gz'} ends early: only the text before the cut was read"
    ]


def test_a_gzip_file_that_is_broken_inside_is_counted_line_by_line(tmp_path: Path) -> None:
    broken = bytearray(GZIP)
    broken[2000:2200] = bytes(200)
    coverage = read_bytes(tmp_path, bytes(broken)).coverage
    assert 0 < coverage.used_count < COUNT
    assert coverage.used_count + sum(n for _, n in coverage.excluded) == coverage.record_count
    assert len(coverage.examples) == 5
    assert all(bad.source.startswith(f"{tmp_path / 'flows'}:") for bad in coverage.examples)


def test_an_array_that_is_cut_is_read_to_the_cut(tmp_path: Path) -> None:
    inside = read_bytes(tmp_path, ARRAY[:-100].encode())
    assert is_cut(inside)
    assert inside.coverage.excluded == (("malformed", 1),)
    # Three entries of 28 lines after the bracket: the last one starts at line 2 + 2 * 28.
    size = json.dumps(GOOD, indent=2).count("\n") + 1
    assert inside.coverage.examples[0].source == f"{tmp_path / 'flows'}:{2 + 2 * size}"
    between = read_bytes(tmp_path, ARRAY.encode()[:-2])
    assert is_cut(between)
    assert between.coverage.excluded == ()
    assert not is_cut(read_bytes(tmp_path, ARRAY.encode()))
    assert is_cut(read_bytes(tmp_path, gzip.compress(ARRAY.encode())[:-20]))


HOSTILE_NAMES = [
    "it's; DROP TABLE staged; --.json",
    'two"quotes".json',
    "star*?.json",
    "[set].json",
    "{a,b}.json",
    "line\nend.json",
    "back\\slash.json",
    "%41.json",
    "\x1b[31mred.json",
    "year=2026/month=13/f.json",
    "filename=x/f.json",
    "flows.csv",
    "flows.parquet",
    "flows.json.gz",
    "-rf",
    "ü\N{COLLISION SYMBOL}.json",
    "x" * 250,
]


def test_names_of_files_are_only_names(tmp_path: Path) -> None:
    for number, name in enumerate(HOSTILE_NAMES):
        path = tmp_path / f"{number:02d}" / name
        path.parent.mkdir(parents=True)
        path.write_text(lines([GOOD]) + "{oops\n")
    (tmp_path / "star_X.json").write_text(lines([{**GOOD, "jsonPayload": GOOD["jsonPayload"]}]))
    matrix = read_traffic([tmp_path], Inventory(), TrafficOptions(example_count=100))
    coverage = matrix.coverage
    assert coverage.files == len(HOSTILE_NAMES) + 1
    assert coverage.used_count == len(HOSTILE_NAMES) + 1
    assert {bad.source for bad in coverage.examples} == {
        f"{tmp_path / f'{number:02d}' / name}:2" for number, name in enumerate(HOSTILE_NAMES)
    }


def test_names_of_parquet_files_and_tables_are_only_names(tmp_path: Path) -> None:
    for number, name in enumerate(HOSTILE_NAMES[:11]):
        path = tmp_path / f"{number:02d}" / name
        path.parent.mkdir(parents=True)
        columns = {"src": [A], "dst": [B], "gbps": [1.0]}
        if number % 2:
            path.write_text("src,dst,gbps\n10.0.0.1,10.0.0.2,1.0\n")
        else:
            pq.write_table(pa.table(columns), path)
    matrix = read_traffic([tmp_path], Inventory())
    assert only_edge(matrix).record_count == 11


def test_a_link_and_its_target_are_two_names_of_two_files(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(lines([GOOD]))
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    assert read_traffic([tmp_path], Inventory()).coverage.files == 2
    once = read_traffic([tmp_path / "a.json", tmp_path / "a.json"], Inventory())
    assert once.coverage.files == 1


HOSTILE_MACHINES = [
    "it's",
    'quo"te',
    "'; DROP TABLE staged; --",
    "\x1b[31mred\x1b[0m",
    "line\nend",
    "part\x1fpart",
    "\x1f" * 7,
    "end\x1dend",
    "\x1d",
    "tag\x1etag",
    "\x1e" * 12,
    "nul\x00nul",
    "=cmd()|calc",
    "\N{COLLISION SYMBOL}",
    "x" * 10_000,
]
SHOWN = {
    "part\x1fpart": "part\ufffdpart",
    "\x1f" * 7: "\ufffd" * 7,
    "end\x1dend": "end\ufffdend",
    "\x1d": "\ufffd",
    # The separator of tags ends a name; what is nothing but separators is none.
    "tag\x1etag": "tag",
    "\x1e" * 12: "10.1.0.10",
}
"""How a name is kept where it holds what separates the parts of a record's ends."""


@pytest.mark.parametrize(("side", "batch_records"), crossed(["src", "dest"], [1, 1000]))
def test_names_of_machines_are_only_names(tmp_path: Path, side: str, batch_records: int) -> None:
    for number, name in enumerate(HOSTILE_MACHINES):
        said: Json = {
            f"{side}_instance": {"vm_name": name, "project_id": "p", "zone": "us-central1-a"},
            f"{side}_vpc": {"vpc_name": "default", "project_id": "p", "subnetwork_name": name},
        }
        ends = (f"10.1.0.{number}", "10.2.0.1")
        src, dst = ends if side == "src" else ends[::-1]
        (tmp_path / f"{number:02d}").write_text(lines([entry(src, dst, 10 + number, **said)]))
    options = TrafficOptions(batch_records=batch_records)
    matrix = read_traffic([tmp_path], inventory(host("peer", "10.2.0.1")), options)
    assert matrix.coverage.used_count == len(HOSTILE_MACHINES)
    assert matrix.coverage.excluded == ()
    found = {
        matrix.owners[edge.src if side == "src" else edge.dst].name: edge.payload_bytes
        for edge in matrix.edges
    }
    assert found == {
        SHOWN.get(name, name): 10 + number for number, name in enumerate(HOSTILE_MACHINES)
    }
