"""Numbers and times of log entries: one pattern each, whatever casts would take."""

import json
import random
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from netplan_planner.traffic import TrafficOptions, spelling
from netplan_planner.traffic.files.entries import Fields
from netplan_planner.traffic.spelling import DUCKDB, DuckDbSpelling, Spelling
from support.flows.looks import read_by_looks
from support.flows.project import host, inventory
from support.flows.records import entry, only_edge, read
from support.flows.written import DECIMALS, TIMES, WHOLE, damaged

KNOWN = inventory(host("web", "10.0.0.1"), host("db", "10.0.0.2"))


class Portable(Spelling):
    """What other engines get, with DuckDB's own word for microseconds."""

    microseconds = DuckDbSpelling.microseconds


SPELLINGS = {"DuckDB's": DUCKDB, "portable": Portable()}


def values(expression: str, texts: Sequence[str | None], *, zone: str = "UTC") -> list[Any]:
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{zone}'")
        connection.execute("CREATE TABLE t AS SELECT unnest(?::VARCHAR[]) AS x", [list(texts)])
        return [row[0] for row in connection.execute(f"SELECT {expression} FROM t").fetchall()]


@pytest.mark.parametrize("name", SPELLINGS)
def test_whole_numbers(name: str) -> None:
    assert values(SPELLINGS[name].whole_number("x"), list(WHOLE)) == list(WHOLE.values())


@pytest.mark.parametrize("name", SPELLINGS)
def test_whole_numbers_within_bounds(name: str) -> None:
    texts = ["-1", "0", "65535", "65535.0", "65536", "65536.0"]
    found = values(SPELLINGS[name].whole_number("x", (0, 65535)), texts)
    assert found == [None, 0, 65535, 65535, None, None]


@pytest.mark.parametrize("name", SPELLINGS)
def test_decimals(name: str) -> None:
    assert values(SPELLINGS[name].decimal("x"), list(DECIMALS)) == list(DECIMALS.values())


@pytest.mark.parametrize("name", SPELLINGS)
def test_times(name: str) -> None:
    assert values(SPELLINGS[name].time_us("x"), list(TIMES)) == list(TIMES.values())


def test_the_zone_of_a_session_means_nothing_to_other_engines() -> None:
    found = values(Portable().time_us("x"), list(TIMES), zone="Asia/Tokyo")
    assert found == list(TIMES.values())


def test_damaged_times_are_what_the_pattern_says_on_all_engines() -> None:
    chance = random.Random(7)
    texts = sorted({damaged(chance) for _ in range(20_000)})
    by_duckdb, portable = (values(one.time_us("x"), texts) for one in SPELLINGS.values())
    assert by_duckdb == portable
    pattern = re.compile(spelling.TIME, re.ASCII)
    taken = 0
    for text, found in zip(texts, by_duckdb, strict=True):
        is_time = pattern.fullmatch(text) is not None and _has_day(text)
        assert (found is not None) == is_time, text
        taken += is_time
    assert 300 < taken < len(texts) - 300


def _has_day(text: str) -> bool:
    try:
        datetime.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def test_numbers_with_a_type_are_whole_or_none() -> None:
    fields = Fields({"port": ("x", "double")})
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT {fields.port('port')}, {fields.integer('port')}"
            " FROM (SELECT unnest([443.0, 443.5, 70000.0, 'nan'::DOUBLE, NULL]) AS x)"
        ).fetchall()
    assert found == [(443, 443), (None, None), (None, 70000), (None, None), (None, None)]


def test_a_record_with_nine_digits_and_a_zone(tmp_path: Path) -> None:
    """From 11:00:30.000000999 to 11:01:30, one hour east of Greenwich."""
    made = entry("10.0.0.1", "10.0.0.2", 6_000, packets=0)
    made["jsonPayload"]["start_time"] = "2026-03-02T11:00:30.000000999+01:00"
    made["jsonPayload"]["end_time"] = "2026-03-02T11:01:30.000000999+01:00"
    matrix = read(tmp_path, [made], KNOWN)
    assert matrix.start == datetime.fromisoformat("2026-03-02T10:00:00Z")
    assert only_edge(matrix).series.top_gbps == (4e-7, 4e-7)
    file = tmp_path / "again.json"
    file.write_text(json.dumps(made) + "\n")
    assert only_edge(read_by_looks([file], KNOWN, TrafficOptions())) == only_edge(matrix)


@pytest.mark.parametrize("count", ["1e3", "0x1A", "1_000", "12.5", " 12"])
def test_a_count_that_only_casts_take_is_malformed(tmp_path: Path, count: str) -> None:
    bad = entry("10.0.0.1", "10.0.0.2", 1)
    bad["jsonPayload"]["bytes_sent"] = count
    matrix = read(tmp_path, [bad, entry("10.0.0.1", "10.0.0.2", 5)], KNOWN)
    assert matrix.coverage.excluded == (("malformed", 1),)
