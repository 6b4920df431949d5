"""The arithmetic of docs/background/scale.md, from the product's statements and from prices."""

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest

from netplan_planner.google.bigquery import queries
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from netplan_planner.units import BYTES_PER_TIB
from netplan_pricing import open_prices
from support.flows import billing
from support.flows.records import Json

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/background/scale.md"
SAMPLE = 5_000
DENSE = 40_000
VMS, PAIRS = 10_000, 200_000
A_DAY = 100_000_000_000
BILLION = 1_000_000_000
DAYS = 30
MINUTES = 1_440

GROUPS: Mapping[str, str] = {
    "addresses, ports, protocol": r"jsonPayload\.connection\.",
    "VMs": r"jsonPayload\.(src|dest)_instance\.",
    "networks and subnetworks": r"jsonPayload\.(src|dest)_vpc\.",
    "start and end": r"jsonPayload\.(start|end)_time",
    "bytes, packets, round trip": r"jsonPayload\.(bytes_sent|packets_sent|round_trip_time\.)",
    "reporter, places, Google services": r"jsonPayload\.(reporter|\w+_(location|google_service)\.)",
    "`insertId`, `timestamp`": r"insertId|timestamp",
    "labels of the resource": r"resource\.labels\.",
}
MINUTE_ROWS: Mapping[str, int] = {
    "pair_minute": 2 * PAIRS * MINUTES,
    "edge_minute": PAIRS * MINUTES,
    "sent_minute": VMS * MINUTES,
    "received_minute": VMS * MINUTES,
}
"""At most, of a day."""


class Billed(NamedTuple):
    """Bytes that are billed: of a record by what reads it, and of a day's sums by minute."""

    raw: Mapping[str, float]
    payload: float
    looks: Sequence[float]
    sums: float
    statements: int
    minutes: int

    @property
    def record(self) -> float:
        return sum(self.raw.values()) + sum(self.looks) + self.sums


def generated(folder: Path, *words: object) -> tuple[list[Path], list[Json], Inventory]:
    """Return files of JSON lines, their rows, and their project."""
    command = [sys.executable, str(ROOT / "benchmarks/generate.py"), *map(str, words)]
    done = [*command, "--format", "json", "--out", str(folder)]
    subprocess.run(done, check=True, capture_output=True)
    files = sorted((folder / "flows").iterdir())
    rows = [row for file in files for row in _rows(file)]
    return files, rows, read_inventory([folder / "inventory"])


@pytest.fixture(scope="module")
def billed(tmp_path_factory: pytest.TempPathFactory) -> Billed:
    folder = tmp_path_factory.mktemp("scale")
    words = ("--records", SAMPLE, "--vms", VMS, "--edges", PAIRS)
    files, rows, known = generated(folder, *words)
    with billing.read_in_two_looks(files, known, folder) as (engine, engine_billed):
        named = engine_billed.named
        sizes = {table: billing.column_bytes(engine, table) for table in billing.RECORD_TABLES}

    def of(table: str) -> list[float]:
        return [sum(sizes[table][c] for c in one[table]) for one in named if table in one]

    return Billed(
        raw=billing.raw_bytes(rows),
        payload=billing.payload_bytes(rows),
        looks=of("flow_record"),
        sums=sum(of("staged")),
        statements=len(of("staged")),
        minutes=sum(
            billing.NUMBER_BYTES * len(columns) * MINUTE_ROWS.get(table, 0)
            for one in named
            for table, columns in one.items()
        ),
    )


def _rows(file: Path) -> list[Json]:
    rows = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
    assert len(rows) > 0.99 * SAMPLE
    return rows


def usd(byte_count: float) -> Decimal:
    return Decimal(byte_count) * queries.USD_PER_TIB / BYTES_PER_TIB


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def check(request: pytest.FixtureRequest, name: str, text: str) -> None:
    page = PAGE.read_text("utf-8")
    block = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", re.DOTALL)
    assert block.search(page)
    if request.config.getoption("--update-golden"):
        page = block.sub(lambda _: text, page, count=1)
        PAGE.write_text(page, "utf-8")
    found = block.search(page)
    assert found is not None
    assert found.group() == text, "see pytest --update-golden"


def test_bytes_of_a_record_by_column(billed: Billed, request: pytest.FixtureRequest) -> None:
    left = dict(billed.raw)
    rows = []
    for name, pattern in GROUPS.items():
        own = [path for path in left if re.match(pattern, path)]
        rows.append((name, f"{sum(left.pop(path) for path in own):.0f}"))
    assert left == {}, "columns that are read and in no group"
    rows.append(("**all columns that are read**", f"**{sum(billed.raw.values()):.0f}**"))
    rows.append(
        ("`json_payload` of Log Analytics, replaces `jsonPayload.…`", f"{billed.payload:.0f}")
    )
    check(request, "raw", table(("what", "bytes a record"), rows))


def test_bytes_of_a_record_by_statement(billed: Billed, request: pytest.FixtureRequest) -> None:
    first, second = billed.looks
    parts = {
        "the log's columns, into typed records": sum(billed.raw.values()),
        "first look: typed records for their ends": first,
        "second look: typed records, judged": second,
        f"{billed.statements} statements over judged records": billed.sums,
        "**all**": billed.record,
    }
    rows = [(name, f"{size:.0f}", f"{usd(size * BILLION):.2f}") for name, size in parts.items()]
    check(request, "statements", table(("what is read", "bytes a record", "$ a billion"), rows))


def test_what_is_said_before_the_first_scan_counts_the_sums(billed: Billed) -> None:
    records = sum(billed.raw.values())
    assert round(billed.record / records, 1) == float(queries.RAW_RATIO)
    besides = billed.record - records
    # The same typed records, and labels, times and ids beside the one value.
    beside_payload = sum(
        size for path, size in billed.raw.items() if not path.startswith("jsonPayload.")
    )
    linked = billed.payload + beside_payload
    assert round((linked + besides) / linked, 1) == float(queries.LINKED_RATIO)


def test_a_day_and_thirty(billed: Billed, request: pytest.FixtureRequest) -> None:
    day = A_DAY * billed.record
    rows = [
        (name, f"{days * day / BYTES_PER_TIB:,.0f}", *_day(days, billed))
        for name, days in (("a day of 100 billion records", 1), (f"{DAYS} days of them", DAYS))
    ]
    head = ("raw", "TiB of records", "$ for records", "$ for sums by minute, at most", "$")
    check(request, "days", table(head, rows))


def _day(days: int, billed: Billed) -> tuple[str, str, str]:
    records, minutes = usd(days * A_DAY * billed.record), usd(days * billed.minutes)
    return f"{records:,.0f}", f"{minutes:,.2f}", f"**{records + minutes:,.0f}**"


@pytest.mark.nightly
def test_a_pass_over_kept_sums(
    billed: Billed, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    words = ("--records", DENSE, "--vms", 20, "--edges", 200, "--minutes", 2)
    (file,), rows, known = generated(tmp_path, *words)
    plain = tmp_path / "flows.json"
    plain.write_bytes(gzip.decompress(file.read_bytes()))
    first = datetime.fromisoformat(rows[0]["timestamp"]).astimezone(UTC)
    day = billing.kept_by_day(
        plain, known, tmp_path, (first - datetime(1970, 1, 1, tzinfo=UTC)).days
    )
    minutes = MINUTE_ROWS["pair_minute"]
    keeping = usd(A_DAY * (sum(billed.raw.values()) + day.record_bytes))
    reading = usd(DAYS * (minutes * day.read_bytes + billed.minutes))
    raw = sum(billed.raw.values())
    assert round((raw + day.record_bytes) / raw, 1) == float(queries.DAY_RATIO)
    kept = minutes * day.kept_bytes
    assert round((minutes * day.read_bytes + billed.minutes) / kept, 1) == float(queries.KEPT_RATIO)
    found = [
        ("keep a day of 100 billion records, once: $", f"{keeping:,.0f}"),
        (
            "what is kept of a day with every pair in every minute: GB",
            f"{minutes * day.kept_bytes / 1e9:,.0f}",
        ),
        (f"read {DAYS} such kept days: $", f"**{reading:,.0f}**"),
    ]
    check(request, "rollup", table(("with `--rollup`", ""), found))


CPU_US: Mapping[str, float] = {
    "Spark, between 5 and 20 million records, in a trial": 15.8,
    "Spark, between 5 and 50 million": 24.75,
    "Sail, between 5 and 50 million": 7.28,
    "DuckDB, between 5 and 50 million": 1.94,
}
"""A record's own, of Parquet: benchmarks/README.md, "Flow logs by engine"."""
MACHINE, CORES, REGION = "n4-standard-16", 16, "us-central1"


def test_core_hours(request: pytest.FixtureRequest) -> None:
    price = open_prices().machine(REGION, MACHINE)
    assert price.unit == "hour"
    core_hour = price.usd / CORES
    rows = []
    figures = (ROOT / "benchmarks/README.md").read_text("utf-8")
    for engine, each in CPU_US.items():
        assert f"| {each} |" in figures, "the page and the benchmark's figures differ"
        hours = Decimal(each) * BILLION / 1_000_000 / 3_600
        day = hours * A_DAY / BILLION
        usd_a_day = day * core_hour
        costs = (f"{usd_a_day:,.0f}", f"{usd_a_day * DAYS:,.0f}")
        rows.append((engine, str(each), f"{hours:.1f}", f"{day:,.0f}", *costs))
    of = f"{MACHINE}, {REGION}, {price.as_of:%Y-%m-%d}"
    head = (
        *("", "CPU µs a record", "core-hours a billion", "core-hours a day of 100 billion"),
        *(f"$ a day ({of})", f"$ for {DAYS} days"),
    )
    check(request, "spark", table(head, rows))


def test_the_page_names_the_price() -> None:
    assert f"${queries.USD_PER_TIB} per TiB" in PAGE.read_text("utf-8")
