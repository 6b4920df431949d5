"""What is read of a file is bounded, whatever the file is: each verb says so in a line and ends.

Parameters that take a path are found from the command itself. Memory is bounded from outside: a
reader without a bound ends with "not enough memory", which no test here takes for an answer.
"""

import gzip
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import zstandard

from netplan_planner.input_files import DEVICE_BYTES, WHOLE_BYTES
from support.commands.in_process import Done, netplan
from support.commands.lines import VERBS, success
from support.commands.paths import LEAVES, options_of, with_file
from support.nightly import crossed, every

ENDLESS = Path("/dev/zero")
MEMORY_BYTES = 3 * 2**30
"""Of addresses, beside what this process has; a bomb asks for much more."""
MIB = 2**20
WHOLE = {
    "audit --demo gecko --calibration FILE": 64,
    "audit --demo gecko --ignore-file FILE": 16,
    "--config FILE caps n2-standard-4": 16,
    "prices verify --prices FILE": WHOLE_BYTES // MIB,
}
"""Command lines that read a file whole, and its bound in MiB."""
NOT_FORESEEN = ("unexpected error", "not enough memory", "Traceback")


@pytest.fixture(autouse=True)
def bounded_memory() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def ended(done: Done) -> Done:
    assert done.status in {0, 1, 2, 3, 4}, done.err
    assert not [word for word in NOT_FORESEEN if word in done.err], done.err
    return done


def shared_once() -> list[Any]:
    """Return each parameter with one verb that has it: what verbs share has one reader."""
    found = {
        (option, repr(parameter.help)): (verb, option)
        for verb in VERBS
        for parameter in LEAVES[verb].params
        for option in parameter.opts[:1]
        if option in options_of(verb)
    }
    return [pytest.param(*one, id=" ".join(one)) for one in found.values()]


@pytest.mark.skipif(not ENDLESS.exists(), reason="this system has no /dev/zero")
@pytest.mark.parametrize(("verb", "option"), every(3, shared_once()))
def test_no_option_reads_an_endless_device(verb: str, option: str, tmp_path: Path) -> None:
    """Behind a link, once for each parameter; `make fuzz` tries the commands of `kinds.py`."""
    link = tmp_path / "link.json"
    link.symlink_to(ENDLESS)
    with ExitStack() as stack:
        work = tmp_path / "work"
        work.mkdir()
        words = success(verb, work, stack)
        ended(netplan(*with_file(verb, words, option, link)))


@pytest.mark.skipif(not ENDLESS.exists(), reason="this system has no /dev/zero")
@pytest.mark.parametrize("line", [line for line in WHOLE if "--prices" not in line])
def test_of_a_device_a_little_is_read(line: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(ENDLESS)
    done = ended(netplan(*line.replace("FILE", str(link)).split()))
    assert done.status in {2, 3}
    assert f"{link}: cannot be read: more than {DEVICE_BYTES // MIB} MiB" in done.err


def gzipped(path: Path, head: bytes, unit: bytes, count: int) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(count):
            file.write(unit)
    return path


def zstd(path: Path, head: bytes, unit: bytes, count: int) -> Path:
    with path.open("wb") as file, zstandard.ZstdCompressor(level=1).stream_writer(file) as plain:
        plain.write(head)
        for _ in range(count):
            plain.write(unit)
    return path


def plain(path: Path, head: bytes, unit: bytes, count: int) -> Path:
    path.write_bytes(head + unit * count)
    return path


DOCUMENTS = [
    "audit --inventory FILE",
    "audit --demo gecko --metrics FILE",
    "prices map FILE",
    "prices build --skus FILE --machine-types FILE --out OUT",
    "probe import FILE --store OUT",
]


@pytest.mark.parametrize("line", DOCUMENTS)
@pytest.mark.parametrize(("head", "unit"), [(b"[", b" " * MIB), (b"[", b"[]," * (MIB // 3))])
def test_a_small_file_does_not_become_a_large_one(
    line: str, head: bytes, unit: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand times its size; here to 40 MiB of which 4 are read."""
    monkeypatch.setattr("netplan_planner.input_files.ANY_BYTES", 4 * MIB)
    monkeypatch.setattr("netplan_planner.input_files.MOST_RATIO", 20)
    file = gzipped(tmp_path / "bomb.json.gz", head, unit, 40)
    words = line.replace("FILE", str(file)).replace("OUT", str(tmp_path / "out")).split()
    done = ended(netplan(*words))
    told = done.err + done.out
    assert "unpacks to more than 4 MiB" in " ".join(told.split())
    assert "unpack it first" in " ".join(told.split())


def test_a_bomb_of_the_true_bounds_takes_no_memory(tmp_path: Path) -> None:
    """0.8 MB that unpack to 800 MB, with the bounds that users have."""
    file = tmp_path / "bomb.json.gz"
    file.write_bytes(gzip.compress(b"[") + gzip.compress(b" " * MIB) * 800)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = ended(netplan("audit", "--inventory", str(file)))
    assert done.status == 3
    assert "unpacks to more than" in done.err
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 800 * 1024


TABLES = [
    "fleet --needs FILE",
    "predict --batch FILE",
    "price machine --batch FILE",
    "model evaluate FILE",
    "model atlas --measurements FILE",
    "calibrate FILE --out OUT",
    "forecast --series FILE",
    "place --vms FILE --edges FILE --zones FILE",
    "audit --demo gecko --billing-export FILE",
    "audit --demo gecko --traffic FILE",
]
HEADER = b"src,dst,gbps,name,region,machine_type,value\n"
LINES = [
    pytest.param(plain, "t.csv", HEADER[:-1], b",x" * (MIB // 2), id="header"),
    pytest.param(plain, "t.csv", HEADER, b"x" * MIB, id="last line"),
    pytest.param(plain, "t.csv", HEADER + b"1,2\n", b"x," * (MIB // 2), id="cells"),
    pytest.param(gzipped, "t.csv.gz", HEADER, b"x" * MIB, id="gzip"),
    pytest.param(zstd, "t.csv.zst", HEADER, b"x" * MIB, id="zstd"),
    pytest.param(zstd, "t.csv.zst", HEADER[:-1], b",x" * (MIB // 2), id="zstd header"),
]


@pytest.mark.parametrize(("line", "write", "name", "head", "unit"), crossed(TABLES, LINES))
def test_a_line_of_a_table_is_not_of_any_length(
    line: str,
    write: Callable[[Path, bytes, bytes, int], Path],
    name: str,
    head: bytes,
    unit: bytes,
    tmp_path: Path,
) -> None:
    file = write(tmp_path / name, head, unit, 24)
    words = line.replace("FILE", str(file)).replace("OUT", str(tmp_path / "out")).split()
    done = ended(netplan(*words))
    assert done.status == 3
    told = " ".join(done.err.split())
    assert "the row is longer than 2 MB" in told or "Give flow-log entries" in told, done.err
    assert str(file) in told
    assert "empty" not in told


def test_a_row_over_many_lines_is_not_either(tmp_path: Path) -> None:
    header = b"name,zone,count,gbps,vcpus,memory_gib\n"
    file = plain(tmp_path / "t.csv", header, b'"\n",' * (MIB // 4), 24)
    done = ended(netplan("fleet", "--needs", str(file)))
    assert done.status == 3
    assert f"{file}:2: the row is longer than 2 MB" in done.err


def test_a_header_has_no_more_columns_than_any_table(tmp_path: Path) -> None:
    file = plain(tmp_path / "t.csv", b"name", b",x", 20_000)
    done = ended(netplan("fleet", "--needs", str(file)))
    assert done.status == 3
    assert "20,001 columns; at most 10,000 are supported" in done.err


RECORDS = [
    pytest.param(plain, "f.jsonl", b'{"jsonPayload":"', id="plain"),
    pytest.param(gzipped, "f.jsonl.gz", b'{"jsonPayload":"', id="gzip"),
    pytest.param(zstd, "f.jsonl.zst", b'{"jsonPayload":"', id="zstd"),
    pytest.param(plain, "f.json", b'[{"jsonPayload":"', id="array"),
    pytest.param(gzipped, "f.json.gz", b'[{"jsonPayload":"', id="gzip array"),
    pytest.param(zstd, "f.json.zst", b'[{"jsonPayload":"', id="zstd array"),
]


@pytest.mark.parametrize(("write", "name", "head"), RECORDS)
def test_a_flow_record_is_not_of_any_length(
    write: Callable[[Path, bytes, bytes, int], Path], name: str, head: bytes, tmp_path: Path
) -> None:
    file = write(tmp_path / name, head, b"x" * MIB, 64)
    done = ended(netplan("audit", "--demo", "gecko", "--traffic", str(file)))
    assert done.status == 3
    assert "of more than 16 MiB" in done.err
    assert str(file) in done.err
    assert "empty" not in done.err


def test_what_hubble_prints_is_read_beside_a_line_without_end(tmp_path: Path) -> None:
    """The line is no flow, and is counted as one that is not readable."""
    flow = b'{"flow":{"verdict":"FORWARDED","source":{"pod_name":"a"},"destination":{}}}\n'
    file = zstd(tmp_path / "hubble.jsonl.zst", flow * 3 + b'{"flow":"', b"x" * MIB, 64)
    ended(netplan("audit", "--demo", "gecko", "--traffic", str(file)))


@pytest.mark.parametrize(("line", "most"), WHOLE.items())
def test_what_is_read_whole_has_a_bound_that_is_told(line: str, most: int, tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as out:
        # No block of it is on the disk.
        out.truncate(2**33)
    done = ended(netplan(*line.replace("FILE", str(file)).split()))
    assert done.status in {2, 3}
    assert f"{file}: cannot be read: more than {most:,} MiB" in done.err


def test_a_store_has_one_too(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as out:
        out.truncate(2**33)
    done = ended(netplan("audit", "--demo", "gecko", "--measurements", str(file)))
    assert done.status == 3
    assert f"{file}: cannot be read: more than 1,024 MiB" in done.err
