"""Numbers and times of log entries: one pattern each, whatever casts would take."""

import json
import random
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from netplan_planner.traffic import TrafficOptions, spelling
from netplan_planner.traffic.entry_fields import Fields
from netplan_planner.traffic.spelling import DUCKDB, DuckDbSpelling, Spelling
from support.flows.looks import read_by_looks
from support.flows.project import host, inventory
from support.flows.records import entry, only_edge, read

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


WHOLE: dict[str | None, int | None] = {
    "0": 0,
    "-3": -3,
    "443": 443,
    "443.0": 443,
    "443.000": 443,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    **dict.fromkeys(
        ["9223372036854775808", "12.5", "1e3", "0x1A", "1_000", " 12", "12 ", "12\n", "+5", "007"]
    ),
    **dict.fromkeys(["-0", "", "-", ".0", "5.", "٣", "one", "true", "1,000", None]),
}
DECIMALS: dict[str | None, float | None] = {
    "0.5": 0.5,
    "-12": -12.0,
    "1e3": 1000.0,
    "1.25E-2": 0.0125,
    **dict.fromkeys(
        ["1.", ".5", "01.5", "1_0", " 1", "1\n", "nan", "inf", "0x1", "1.5d", "", None]
    ),
}


def us(text: str) -> int:
    return (
        datetime.fromisoformat(text) - datetime.fromisoformat("1970-01-01T00:00Z")
    ) // timedelta(microseconds=1)


TIMES: dict[str | None, int | None] = {
    "2026-03-01T10:00:00Z": us("2026-03-01T10:00:00Z"),
    "2026-03-01T10:00:00.5Z": us("2026-03-01T10:00:00.500000Z"),
    "2026-03-01T10:00:00.123456Z": us("2026-03-01T10:00:00.123456Z"),
    "2026-03-01T10:00:00.123456789Z": us("2026-03-01T10:00:00.123456Z"),
    "2026-03-01T10:00:00.999999999Z": us("2026-03-01T10:00:00.999999Z"),
    "2026-03-01T10:00:00.999999999+01:30": us("2026-03-01T10:00:00.999999+01:30"),
    "2026-03-01T10:00:00-08:00": us("2026-03-01T10:00:00-08:00"),
    "2026-03-01T10:00:00.25+14:00": us("2026-03-01T10:00:00.250000+14:00"),
    "2026-03-01T10:00:00": us("2026-03-01T10:00:00Z"),
    "2026-03-01T10:00:00.123456": us("2026-03-01T10:00:00.123456Z"),
    "2026-03-01 10:00:00.5 UTC": us("2026-03-01T10:00:00.500000Z"),
    "2024-02-29T23:59:59.9Z": us("2024-02-29T23:59:59.900000Z"),
    "0001-01-01T00:00:00Z": us("0001-01-01T00:00:00Z"),
    "3026-03-01T10:00:00.5Z": us("3026-03-01T10:00:00.500000Z"),
    **dict.fromkeys(["2026-03-01T24:00:00Z", "2026-03-01T24:00:00.0Z", "2026-03-01T10:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:60Z", "2026-03-01T10:60:00.5Z", "2026-3-1T10:00:00Z"]),
    **dict.fromkeys(["2026/03/01T10:00:00.5Z", "2026-02-29T10:00:00.5Z", "2026-02-30T10:00:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:00.Z", "2026-03-01T10:00:00.1234567891Z", "2026-03-01"]),
    **dict.fromkeys([" 2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.5Z ", "infinity", "soon"]),
    **dict.fromkeys(["2026-03-01T10:00:00.5Z\n", "2026-03-01T 9:00:00.5Z", "2026-03-01T+9:00:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:00+01", "2026-03-01T10:00:00+0100", "0000-03-01T10:00:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:00 Europe/Berlin", "2026-03-01T10:00:00+25:00", "", None]),
    **dict.fromkeys(["1772359200", "12026-03-01T10:00:00Z", "2026-03-01t10:00:00z"]),
}


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


ALPHABET = "0123456789:-T.Z /+ UC\te"
SEEDS = [text for text in TIMES if text]


def damaged(chance: random.Random) -> str:
    """Return a time with a few characters changed, added, or taken away."""
    text = list(chance.choice(SEEDS))
    for _ in range(chance.randint(0, 3)):
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            text.insert(at, chance.choice(ALPHABET))
        elif at < len(text):
            text[at : at + 1] = [chance.choice(ALPHABET)] if kind < 3 else []
    return "".join(text)


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
