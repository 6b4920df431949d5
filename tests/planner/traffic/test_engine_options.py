"""Options of the engine, its private folder, and that the result depends on neither."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.flows.project import host, inventory, subnet
from support.flows.records import Json, entry, lines
from support.listed import listed
from support.nightly import NIGHTLY

KNOWN = inventory(
    *(host(f"vm-{i}", f"10.0.0.{i}", external=f"34.1.1.{i}", subnetwork="a") for i in range(1, 9)),
    subnet("a", logs=None),
)
GOOD = entry("10.0.0.1", "10.0.0.2", 100, packets=1)


@pytest.fixture
def flows(tmp_path: Path) -> Path:
    path = tmp_path / "a"
    path.write_text(lines([GOOD]))
    return path


TOO_SMALL = "the flow logs exceed the memory limit"
NO_SIZES = ("nonsense", "", "2", "-1GB", "none", "50%", "2 giga", "2GB'; --", "1e3GB", "²GB")


@listed(
    ("option", "said"),
    [
        *(
            ({"memory_limit": one}, (f"memory limit {one!r} is not a size", "2GB"))
            for one in NO_SIZES
        ),
        *(({"memory_limit": one}, (TOO_SMALL,)) for one in ("1KB", "5MB")),
        *(({"threads": one}, (f"threads is 1 to 1024, not {one}",)) for one in (0, -1, 100_000)),
    ],
)
def test_an_option_that_cannot_be_says_how_to_write_it(
    flows: Path, option: dict[str, Any], said: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as caught:
        read_traffic([flows], KNOWN, TrafficOptions(**option))
    assert all(text in str(caught.value) for text in said)


@listed("limit", ["1GB", "300mb", "0.5 GiB", " 2gb "])
def test_a_memory_limit_is_a_number_and_a_unit(flows: Path, limit: str) -> None:
    assert read_traffic([flows], KNOWN, TrafficOptions(memory_limit=limit)).edges


def test_a_temporary_folder_that_cannot_be_is_refused(flows: Path, tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", flows):
        with pytest.raises(UsageError) as caught:
            read_traffic([flows], KNOWN, TrafficOptions(temp_directory=folder))
        assert str(caught.value).startswith(f"{folder}: no temporary folder can be created")


def tree(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns for p in sorted(folder.rglob("*"))}


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for temporary files; home and working folder are watched."""
    for name in ("scratch", "home", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")
    yield tmp_path / "scratch"
    assert tree(tmp_path / "home") == {}
    assert tree(tmp_path / "work") == {}


def test_the_private_folder_is_gone_afterwards_and_nothing_else_is_written(
    tmp_path: Path, scratch: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.json").write_text(lines([GOOD]) + "{oops\n")
    (tmp_path / "in/b.json").write_text("[\n" + lines([GOOD]) + "]")
    (tmp_path / "in/c.csv").write_text("src,dst,bytes,start,end\na,b,1,2026-03-02,2026-03-02\n")
    before = tree(tmp_path / "in")
    options = TrafficOptions(temp_directory=scratch, since=None)
    read_traffic([tmp_path / "in"], KNOWN, options)
    assert tree(scratch) == {}
    assert tree(tmp_path / "in") == before
    (tmp_path / "in/d.json").write_text("{oops\n")
    with pytest.raises(InputError):
        read_traffic([tmp_path / "in"], KNOWN, options)
    assert tree(scratch) == {}


def test_the_private_folder_is_gone_after_a_wrong_option(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "a").write_text(lines([GOOD]))
    for options in (
        TrafficOptions(temp_directory=scratch, memory_limit="much"),
        TrafficOptions(temp_directory=scratch, memory_limit="1KB"),
    ):
        with pytest.raises(UsageError):
            read_traffic([tmp_path / "a"], KNOWN, options)
        assert tree(scratch) == {}


READ = """
    import signal
    import sys
    from pathlib import Path
    from netplan_planner.model import Inventory
    from netplan_planner.traffic import TrafficOptions, read_traffic

    # A job in the background of a shell script starts with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    source, scratch = Path(sys.argv[1]), Path(sys.argv[2])
    while True:
        read_traffic([source], Inventory(), TrafficOptions(temp_directory=scratch))
"""


@pytest.mark.parametrize("delay_s", [0.0, 0.03, 0.2])
def test_the_private_folder_is_gone_after_an_interrupt(
    tmp_path: Path, scratch: Path, delay_s: float
) -> None:
    make_parquet(tmp_path / "big.parquet", 200_000)
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(READ), str(tmp_path / "big.parquet"), str(scratch)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    deadline = time.monotonic() + 30
    # The engine is open once it has made its first file or folder.
    while not any(scratch.glob("*/*")) and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0
    assert tree(scratch) == {}


def make_parquet(path: Path, count: int) -> None:
    """Write an export of many flows between the machines, to and from the internet."""
    duckdb.connect().execute(
        f"""
        COPY (
          SELECT 'projects/p/logs/compute.googleapis.com%2Fvpc_flows' AS "logName",
            {{'connection': {{'src_ip': '10.0.0.' || (1 + i % 8),
                'dest_ip': CASE WHEN i % 5 = 0 THEN '198.51.' || (i // 250 % 99) || '.' || (i % 250)
                  ELSE '34.1.1.' || (1 + i // 8 % 8) END,
                'protocol': 6, 'src_port': 1000 + i % 60000, 'dest_port': 443}},
              'reporter': CASE WHEN i % 3 = 0 THEN 'DEST' ELSE 'SRC' END,
              'bytes_sent': CAST(1 + i * 7919 % 1000003 * 1000 AS VARCHAR),
              'packets_sent': CAST(i % 977 AS VARCHAR),
              'rtt_msec': CAST(1 + i % 37 AS VARCHAR),
              'start_time': CAST(TIMESTAMP '2026-03-02 10:00:00'
                + to_seconds(i * 31 % 7200) AS VARCHAR) || 'Z',
              'end_time': CAST(TIMESTAMP '2026-03-02 10:00:00'
                + to_seconds(i * 31 % 7200 + i % 300) AS VARCHAR) || 'Z'}} AS "jsonPayload"
          FROM range({count}) AS t(i)
        ) TO '{path}' (FORMAT PARQUET, ROW_GROUP_SIZE 20000)
        """
    )


def encoded(matrix: TrafficMatrix) -> bytes:
    return msgspec.json.encode(matrix)


@NIGHTLY
def test_memory_threads_and_batches_do_not_change_the_result(tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "big.parquet"
    make_parquet(path, 300_000)
    expected = read_traffic([path], KNOWN, TrafficOptions(threads=2))
    assert expected.coverage.used_count == 300_000
    assert len(expected.edges) > 60
    for options in (
        TrafficOptions(threads=1),
        TrafficOptions(threads=2, batch_records=37_000),
    ):
        assert encoded(read_traffic([path], KNOWN, options)) == encoded(expected), options
    with spilled_files(scratch) as seen:
        options = TrafficOptions(threads=2, memory_limit="80MB", temp_directory=scratch)
        assert encoded(read_traffic([path], KNOWN, options)) == encoded(expected)
    assert seen, "nothing was spilled: more records would be needed"


@contextmanager
def spilled_files(folder: Path) -> Iterator[set[str]]:
    """Collect the names of files that the engine writes when its memory is full."""
    seen: set[str] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            with suppress(OSError):
                seen.update(path.name for path in folder.rglob("spill/*storage*"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


def varied(seed: int) -> list[Json]:
    """Return records of all kinds, some of them bad."""
    chance = random.Random(seed)
    records = []
    for _ in range(60):
        src, dst = (
            chance.choice([f"10.0.0.{n}", f"34.1.1.{n}", f"198.51.100.{n}", f"fd00::{n}"])
            for n in (chance.randrange(1, 10), chance.randrange(1, 10))
        )
        start = chance.randrange(0, 1000)
        records.append(
            entry(
                src,
                dst,
                chance.randrange(-1, 10**10),
                start=start,
                end=start + chance.randrange(0, 200),
                packets=chance.randrange(0, 1000),
                by=chance.choice(["SRC", "DEST", "DEST_GATEWAY"]),
                protocol=chance.choice([6, 17, 1]),
                ports=(chance.randrange(1, 4), 443),
                rtt_ms=chance.choice([None, 0.4, 1.0, 12.5]),
                src_vm=KNOWN.instances[0] if src == "10.0.0.1" else None,
                is_dropped=chance.random() < 0.1,
            )
        )
    return records


def test_the_order_of_files_and_records_does_not_change_the_result(tmp_path: Path) -> None:
    everything = [item for seed in range(4) for item in varied(seed)]
    (tmp_path / "one.json").write_text(lines(everything))
    whole = read_traffic([tmp_path / "one.json"], KNOWN)
    for seed in range(2):
        chance = random.Random(seed)
        mixed = everything.copy()
        chance.shuffle(mixed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        for number in range(5):
            (folder / f"{number}.json").write_text(lines(mixed[number::5]))
        paths = sorted(folder.iterdir())
        ways = [paths[::-1], [*paths, folder]]
        options = [TrafficOptions(batch_records=1), TrafficOptions(threads=1)]
        found = [
            read_traffic(way, KNOWN, option) for way, option in zip(ways, options, strict=True)
        ]
        assert len({encoded(matrix) for matrix in found}) == 1
        # Where the bad records stand is all that differs from the one file.
        assert (found[0].owners, found[0].edges, found[0].vms) == (
            whole.owners,
            whole.edges,
            whole.vms,
        )
        assert found[0].coverage.excluded == whole.coverage.excluded


def test_an_inventory_of_nothing_still_reads(flows: Path) -> None:
    matrix = read_traffic([flows], Inventory())
    assert matrix.vms == ()
    assert matrix.coverage.unowned_bytes == 100
