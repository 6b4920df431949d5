"""The store: nothing is lost, nothing is half, and no run counts twice."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.measuring.store import SCHEMA, Store, append, content_hash, read_store
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement, PathClass
from support.probes.measurements import measured, measurements

FIRST = measured(run_id="first")
SECOND = measured(run_id="second", gbps=2.5, note='"quoted"\n\x1b[31m\u202e\u2028 ü 😀\x7f')
THIRD = measured(run_id="third", gbps=3.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "probes.jsonl"


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_what_was_stored_is_read_again_in_its_order(path: Path) -> None:
    assert append(path, [FIRST, SECOND]) == 2
    assert append(path, [THIRD]) == 1
    assert read_store(path) == Store(measurements=(FIRST, SECOND, THIRD))


def test_a_store_that_is_not_there_is_empty_and_can_be_made(path: Path) -> None:
    assert read_store(path) == Store(measurements=())
    assert append(path, []) == 0
    assert path.read_bytes() == b""


@given(found=st.lists(measurements, max_size=5))
def test_everything_that_can_be_measured_comes_back(
    found: list[Measurement], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store") / "probes.jsonl"
    alone = [replace(one, run_id=f"run-{index}") for index, one in enumerate(found)]
    assert append(path, alone) == len(alone)
    assert read_store(path) == Store(measurements=tuple(alone))
    assert append(path, alone) == 0


def test_every_field_of_a_measurement_comes_back(path: Path) -> None:
    end = MeasuredEnd(name="vm", is_tier1=False, vcpus=0, cpu_ratio=0.0, congestion_control="bbr")
    ways = {"is_reverse": True, "path_class": PathClass.SAME_ZONE_INTERNAL, "protocol": "udp"}
    counts = {"retransmit_count": 0, "counted_by": CountedBy.SENDER, "started_at": "", "source": ""}
    one = replace(FIRST, src=end, **ways, **counts)
    append(path, [one])
    assert read_store(path).measurements == (one,)


def test_a_line_is_text_that_does_nothing(path: Path) -> None:
    append(path, [SECOND])
    (line,) = lines_of(path)
    assert json.loads(line)["schema"] == SCHEMA
    assert json.loads(line)["note"] == SECOND.note
    assert all(0x20 <= byte < 0x7F for byte in line.rstrip(b"\n"))
    # Half a character is replaced.
    append(path, [measured(note="a\ud800b")])
    assert read_store(path).measurements[1].note == "a\ufffdb"


@pytest.mark.parametrize("gbps", [float("nan"), float("inf")])
def test_a_figure_that_is_none_is_not_stored(path: Path, gbps: float) -> None:
    with pytest.raises(InputError, match="a value of the measurement is not a finite number"):
        append(path, [FIRST, replace(SECOND, gbps=gbps)])
    assert not path.exists()


def test_the_same_run_is_added_once(path: Path) -> None:
    moved = replace(FIRST, source="another/file.json", place="7")
    assert append(path, [FIRST, FIRST]) == 1
    assert append(path, [FIRST, moved]) == 0
    assert len(lines_of(path)) == 1
    # Without an id the content tells runs apart.
    one, other = measured(run_id=""), measured(run_id="", gbps=9.0)
    assert append(path, [one, other, one]) == 2
    assert read_store(path).measurements == (FIRST, one, other)


def test_stores_that_were_joined_count_a_run_once(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    append(path, [FIRST, SECOND])
    append(other, [SECOND, THIRD])
    path.write_bytes(path.read_bytes() + other.read_bytes())
    assert read_store(path) == Store(measurements=(FIRST, SECOND, THIRD), repeated_count=1)


def test_the_fullest_record_of_a_run_stands(path: Path) -> None:
    fuller = replace(FIRST, rtt_ms=1.0, path_class=PathClass.NAT)
    corrected = replace(fuller, rtt_ms=2.0)
    append(path, [FIRST, SECOND])
    assert append(path, [fuller]) == 1
    assert append(path, [FIRST]) == 0
    assert read_store(path) == Store(measurements=(fuller, SECOND), repeated_count=1)
    assert append(path, [corrected]) == 1
    assert read_store(path) == Store(measurements=(corrected, SECOND), repeated_count=2)


def test_a_crash_at_any_byte_of_the_last_record_costs_that_record_only(path: Path) -> None:
    append(path, [FIRST, SECOND])
    whole = path.read_bytes()
    start = len(lines_of(path)[0])
    for length in range(start, len(whole) + 1):
        path.write_bytes(whole[:length])
        is_whole = length >= len(whole) - 1  # the line break may be missing
        store = read_store(path)
        assert store.measurements == ((FIRST, SECOND) if is_whole else (FIRST,))
        assert len(store.faults) == (not is_whole and length > start)

        assert append(path, [THIRD]) == 1
        store = read_store(path)
        assert store.measurements[-1] == THIRD
        assert len(store.measurements) == 2 + is_whole
        assert path.read_bytes().startswith(whole[:length])


def test_a_cut_line_is_named_by_its_number_and_can_be_stored_again(path: Path) -> None:
    append(path, [FIRST, SECOND])
    path.write_bytes(path.read_bytes()[:-20])
    (fault,) = read_store(path).faults
    assert fault.startswith(f"{path}:2: incomplete line, as after a crash; the line is ignored")
    assert append(path, [FIRST, SECOND]) == 1
    store = read_store(path)
    assert store.measurements == (FIRST, SECOND)
    assert [fault.partition(": ")[0] for fault in store.faults] == [f"{path}:2"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            SCHEMA,
            "netplan.measurement/2",
            "netplan.measurement/2 is not supported (this netplan reads netplan.measurement/1)",
        ),
        (SCHEMA, "netplan.report/1", "not a record of a measurement"),
        ('"schema":', '"other":', "not a record of a measurement"),
        ('"gbps":2.5', '"gbps":9.5', "its hash does not match"),
        ('"gbps":2.5', '"gbps":', "not a complete record"),
    ],
)
def test_a_line_that_is_not_as_it_was_is_left_out(
    path: Path, old: str, new: str, told: str
) -> None:
    append(path, [FIRST, SECOND, THIRD])
    text = path.read_text()
    before, line, after = text.splitlines(keepends=True)
    assert old in line
    path.write_text(before + line.replace(old, new) + after)
    store = read_store(path)
    assert store.measurements == (FIRST, THIRD)
    assert len(store.faults) == 1
    assert store.faults[0].startswith(f"{path}:2: ")
    assert told in store.faults[0]


@pytest.mark.parametrize("junk", [b"[1]\n", b"\xff\xfe\n", b"null\n", b"[" * 5000 + b"\n"])
def test_lines_of_something_else_are_named(path: Path, junk: bytes) -> None:
    append(path, [FIRST])
    path.write_bytes(junk + b"\n" + path.read_bytes())
    store = read_store(path)
    assert (store.measurements, len(store.faults)) == ((FIRST,), 1)


def stored_line(path: Path, one: Measurement, **fields: object) -> bytes:
    """Return a record with other fields and the hash that fits them, as a later version might."""
    append(path, [one])
    record = json.loads(path.read_bytes())
    path.unlink()
    changed = {**record, **fields}
    content = {name: value for name, value in changed.items() if name not in ("schema", "hash")}
    return json.dumps({**changed, "hash": content_hash(content)}).encode() + b"\n"


def test_a_field_that_a_later_version_added_does_not_matter(path: Path) -> None:
    path.write_bytes(stored_line(path, FIRST, queue_ms=3.0))
    assert read_store(path) == Store(measurements=(FIRST,))
    assert append(path, [SECOND]) == 1


def test_a_field_of_a_wrong_type_is_named(path: Path) -> None:
    path.write_bytes(stored_line(path, FIRST, gbps="fast"))
    assert "not a measurement: Expected `float`, got `str`" in read_store(path).faults[0]


WRITER = """
import sys
from pathlib import Path
from netplan_planner.measuring.store import append
from support.probes.measurements import measured
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for index in range(count):
    runs = (f"{name}-{index}", f"shared-{index}")
    append(path, [measured(run_id=run, note="n" * 5000) for run in runs])
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def test_processes_that_write_at_once_lose_nothing(
    path: Path, started: list[subprocess.Popen[str]]
) -> None:
    count = 20
    started += [writer(path, name, count) for name in "abc"]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0]
    store = read_store(path)
    names = ("a", "b", "c", "shared")
    assert {one.run_id for one in store.measurements} == {
        f"{name}-{index}" for name in names for index in range(count)
    }
    # Each saw what the others had written: the runs of all of them are there once.
    assert (store.faults, store.repeated_count) == ((), 0)


def test_a_writer_that_is_killed_leaves_whole_records(
    path: Path, started: list[subprocess.Popen[str]]
) -> None:
    started.append(writer(path, "a", 10_000))
    process = started[0]
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    while len(read_store(path).measurements) < 10:
        assert process.poll() is None
    process.kill()
    process.wait()
    kept = read_store(path)
    assert [one.run_id for one in kept.measurements] == [
        f"{name}-{index // 2}"
        for index in range(len(kept.measurements))
        for name in (("a", "shared")[index % 2],)
    ]
    assert append(path, [FIRST]) == 1
    assert read_store(path).measurements == (*kept.measurements, FIRST)


def test_no_room_leaves_the_store_as_it_was(path: Path) -> None:
    append(path, [FIRST])
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot be written: File too large; nothing was"):
            append(path, [SECOND])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert append(path, [SECOND]) == 1
    assert read_store(path).measurements == (FIRST, SECOND)


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        path = disk / "probes.jsonl"
        append(path, [FIRST])
        before = path.read_bytes()
        large = [measured(run_id=str(index), note="n" * 900) for index in range(40)]
        with pytest.raises(InputError, match="No space left on device; nothing was added"):
            append(path, large)
        assert path.read_bytes() == before
        assert append(path, large[:5]) == 5
        assert len(read_store(path).measurements) == 6
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_what_cannot_be_a_store_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("", "pipe"):
        with pytest.raises(InputError, match="cannot be"):
            append(tmp_path / name, [FIRST])
        with pytest.raises(InputError, match="cannot be read"):
            read_store(tmp_path / name)
    with pytest.raises(InputError, match="No such file"):
        append(tmp_path / "nowhere" / "probes.jsonl", [FIRST])
