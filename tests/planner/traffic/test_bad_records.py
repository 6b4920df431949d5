"""Records that are left out: each is counted under its reason and shown with file and line."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import BadRecord, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.traffic.files import faults
from support.flows.project import host, inventory
from support.flows.records import Json, edge_between, entry, lines, only_edge, read, stamp
from support.listed import listed
from support.nightly import every

A, B = "10.0.0.1", "10.0.0.2"
GOOD = entry(A, B, 100, packets=1)
KNOWN = inventory(host("web", A), host("db", B))


def payload(**changes: Any) -> Json:
    """Return the good entry with fields of the payload changed."""
    changed = copy.deepcopy(GOOD)
    changed["jsonPayload"].update(changes)
    return changed


def connection(**changes: Any) -> Json:
    """Return the good entry with fields of the connection changed."""
    changed = copy.deepcopy(GOOD)
    changed["jsonPayload"]["connection"].update(changes)
    return changed


def times(start: str, end: str) -> Json:
    """Return the good entry at another time."""
    return payload(start_time=start, end_time=end)


MALFORMED, NO_COUNT = "malformed", "the byte count is not a number"
NO_TIME, NO_ADDRESS = "no readable start or end time", "no source or destination address"
NO_REPORTER = "no known reporter or address kind"
NO_IP, NOT_JSON = "an address that is not an IP address", "not a log entry in JSON"
NEGATIVE = ("with a negative count", "a negative byte or packet count")
ABSURD = ("with an implausible count", "more bytes than any VM can send")
CLOCK = ("with a wrong clock", "its time is before 2000 or after 2100")
MOST = 2**63 - 1

RECORDS: dict[str, tuple[Json | str, tuple[str, str]]] = {
    "no JSON": ("{oops", (MALFORMED, NOT_JSON)),
    "a cut line": (json.dumps(GOOD)[:200], (MALFORMED, NOT_JSON)),
    "a number": ("17", (MALFORMED, NOT_JSON)),
    "another object": ('{"a": 1}', (MALFORMED, NOT_JSON)),
    "two objects": ('{"a": 1} {"b": 2}', (MALFORMED, NOT_JSON)),
    "binary": ("\x01\x02\x03", (MALFORMED, NOT_JSON)),
    "no payload": ({"logName": GOOD["logName"]}, (MALFORMED, NO_ADDRESS)),
    "a text for the payload": ({**GOOD, "jsonPayload": "x"}, (MALFORMED, NO_ADDRESS)),
    "no connection": (payload(connection=None), (MALFORMED, NO_ADDRESS)),
    "a list for the connection": (payload(connection=[1]), (MALFORMED, NO_ADDRESS)),
    "no destination": (connection(dest_ip=None), (MALFORMED, NO_ADDRESS)),
    "a host name": (connection(dest_ip="db"), (MALFORMED, NO_IP)),
    "an octet too great": (connection(dest_ip="10.0.0.256"), (MALFORMED, NO_IP)),
    "colons": (connection(src_ip=":::1"), (MALFORMED, NO_IP)),
    "a scope": (connection(src_ip="fe80::1%eth0"), (MALFORMED, NO_IP)),
    "an empty address": (connection(src_ip=""), (MALFORMED, NO_IP)),
    "SQL for an address": (connection(src_ip="'; DROP TABLE staged; --"), (MALFORMED, NO_IP)),
    "no start": (payload(start_time=None), (MALFORMED, NO_TIME)),
    "no end": (payload(end_time="soon"), (MALFORMED, NO_TIME)),
    "a number for a time": (payload(start_time=1_700_000_000), (MALFORMED, NO_TIME)),
    "the end of time": (payload(end_time="infinity"), (MALFORMED, NO_TIME)),
    "no reporter": (payload(reporter=None), (MALFORMED, NO_REPORTER)),
    "another reporter": (payload(reporter="MIDDLE"), (MALFORMED, NO_REPORTER)),
    "no bytes": (payload(bytes_sent=None), (MALFORMED, NO_COUNT)),
    "a word for bytes": (payload(bytes_sent="many"), (MALFORMED, NO_COUNT)),
    "a truth for bytes": (payload(bytes_sent=True), (MALFORMED, NO_COUNT)),
    "an object for bytes": (payload(bytes_sent={"a": 1}), (MALFORMED, NO_COUNT)),
    "not a number": (payload(bytes_sent="NaN"), (MALFORMED, NO_COUNT)),
    "beyond 64 bits": (payload(bytes_sent="9" * 40), (MALFORMED, NO_COUNT)),
    "1e30 as a number": (payload(bytes_sent=1e30), (MALFORMED, NO_COUNT)),
    "negative bytes": (payload(bytes_sent="-1"), NEGATIVE),
    "negative packets": (payload(packets_sent="-1"), NEGATIVE),
    "the least number": (payload(bytes_sent=str(-MOST - 1), packets_sent=str(-MOST - 1)), NEGATIVE),
    "the greatest number": (payload(bytes_sent=str(MOST), packets_sent=str(MOST)), ABSURD),
    "the most packets": (payload(packets_sent=str(MOST)), ABSURD),
    # 10,000 Gbit/s are 75 * 10^12 bytes in the one minute that the record counts for at least.
    "just absurd": (payload(bytes_sent=str(75 * 10**12)), ABSURD),
    "negative duration": (
        payload(start_time=stamp(59.000001)),
        ("ending before the start", "it ends before it starts"),
    ),
    "over an hour": (
        payload(end_time=stamp(3600.000001)),
        ("with an implausible duration", "its duration is implausibly long"),
    ),
    "1999": (times("1999-12-31T23:59:59Z", "2000-01-01T00:00:05Z"), CLOCK),
    "1970": (times("1970-01-01T00:00:00Z", "1970-01-01T00:00:05Z"), CLOCK),
    "2100": (times("2099-12-31T23:59:59Z", "2100-01-01T00:00:00Z"), CLOCK),
    "the first year": (times("0001-01-01T00:00:00Z", "0001-01-01T00:00:05Z"), CLOCK),
    "before Christ": (
        times("290000-01-01 (BC) 00:00:00", "290000-01-01T00:00:00Z"),
        (MALFORMED, NO_TIME),
    ),
    "the 24th hour": (payload(end_time="2026-03-02T24:00:00Z"), (MALFORMED, NO_TIME)),
    "a power": (payload(bytes_sent="1e3"), (MALFORMED, NO_COUNT)),
    "hexadecimal": (payload(bytes_sent="0x1A"), (MALFORMED, NO_COUNT)),
    "digits apart": (payload(bytes_sent="1_000"), (MALFORMED, NO_COUNT)),
}


def text_of(record: Json | str) -> str:
    return record if isinstance(record, str) else json.dumps(record)


def test_every_fault_is_counted_under_its_reason_and_shown_in_order(tmp_path: Path) -> None:
    path = tmp_path / "flows.json"
    # A good line before every bad one: the bad ones stand at lines 2, 4, 6, ...
    path.write_text(
        "".join(f"{json.dumps(GOOD)}\n{text_of(record)}\n" for record, _ in RECORDS.values())
    )
    matrix = read_traffic([path], KNOWN, TrafficOptions(example_count=1000))
    assert matrix.coverage.examples == tuple(
        BadRecord(source=f"{path}:{2 * number + 2}", reason=reason)
        for number, (_, (_, reason)) in enumerate(RECORDS.values())
    )
    names = [name for _, (name, _) in RECORDS.values()]
    assert matrix.coverage.excluded == tuple((n, names.count(n)) for n in sorted(set(names)))
    assert matrix.coverage.record_count == 2 * len(RECORDS)
    assert matrix.coverage.used_count == len(RECORDS)
    assert only_edge(matrix).payload_bytes == 100 * len(RECORDS)


ALONE = {reason: text_of(record) for record, (_, reason) in reversed(RECORDS.values())}


@pytest.mark.parametrize("reason", every(3, ALONE))
def test_bad_records_alone_are_an_error_that_names_the_file(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "flows.json"
    path.write_text(ALONE[reason] + "\n")
    with pytest.raises(InputError) as caught:
        read_traffic([path], KNOWN)
    assert f"{path}: the file has no readable flow record ({path}:1: {reason}" in str(caught.value)


ODD_BUT_GOOD: dict[str, tuple[Json, int]] = {
    "a number for bytes": (payload(bytes_sent=600), 600),
    "a whole float": (payload(bytes_sent=600.0), 600),
    "no bytes at all": (payload(bytes_sent="0"), 0),
    "the most that is believed": (payload(bytes_sent=str(75 * 10**12 - 1)), 75 * 10**12 - 1),
    "an hour": (payload(end_time=stamp(3600)), 100),
    "packets that are no number": (payload(packets_sent="many"), 100),
    "ports that cannot be": (connection(src_port=70_000, dest_port=-1), 100),
    "a protocol that cannot be": (connection(protocol=2**40), 100),
    "a fast one with such a protocol": (
        {
            **connection(protocol=2**40),
            "jsonPayload": {
                **payload(bytes_sent=str(10**12))["jsonPayload"],
                "connection": {"src_ip": A, "dest_ip": B, "protocol": 2**40},
            },
        },
        10**12,
    ),
    "a negative round trip": (payload(rtt_msec="-1"), 100),
    "an endless round trip": (payload(rtt_msec="1e300"), 100),
    "an IPv4 address as IPv6": (connection(src_ip="::ffff:10.0.0.1"), 100),
    "fields of tomorrow": (payload(new_field={"a": [1, {"b": None}]}), 100),
    "no log name": ({"jsonPayload": GOOD["jsonPayload"]}, 100),
}


@pytest.mark.parametrize("name", every(3, ODD_BUT_GOOD))
def test_what_is_odd_but_can_be_read_is_read(tmp_path: Path, name: str) -> None:
    record, byte_count = ODD_BUT_GOOD[name]
    matrix = read(tmp_path, [record], KNOWN)
    edge = edge_between(matrix, "web", "db")
    assert edge.payload_bytes == byte_count
    assert matrix.coverage.excluded == ()
    assert edge.rtt_ms is None


def test_bytes_that_are_no_utf8_spoil_one_line(tmp_path: Path) -> None:
    path = tmp_path / "flows.json"
    good = json.dumps(GOOD).encode()
    bad = good.replace(b'"SRC"', b'"S\xff\xfeRC"')
    path.write_bytes(b"\n".join([good, bad, good, b"\xff\xfe\xfd", b"\x00\x00", good, b""]))
    matrix = read_traffic([path], KNOWN)
    assert matrix.coverage.excluded == (("malformed", 3),)
    assert [bad.source for bad in matrix.coverage.examples] == [f"{path}:{n}" for n in (2, 4, 5)]
    assert only_edge(matrix).payload_bytes == 300


def test_an_example_far_into_a_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "flows.json"
    path.write_text(lines([GOOD]) * 9_000 + "{oops\n" + lines([GOOD]) * 10)
    coverage = read_traffic([path], KNOWN).coverage
    assert coverage.examples == (BadRecord(source=f"{path}:9001", reason=NOT_JSON),)
    assert coverage.used_count == 9_010


def test_looking_for_lines_ends_where_all_faults_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "flows.json"
    path.write_text("{oops\n" + lines([GOOD]) * 5_000)
    looked_at: list[int] = []
    rows = faults.numbered_lines

    def counting(*args: Any) -> Any:
        for row in rows(*args):
            looked_at.append(row[0])
            yield row

    monkeypatch.setattr(faults, "numbered_lines", counting)
    assert read_traffic([path], KNOWN).coverage.examples[0].source == f"{path}:1"
    assert len(looked_at) < 5_000


@pytest.fixture
def few_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only the first 20 records of a file be looked at again."""
    monkeypatch.setattr(faults, "_MOST_LOOKED_AT", 20)
    monkeypatch.setattr(faults, "_FIRST_LINES", 10)
    monkeypatch.setattr(faults, "_MOST_LINES", 10)


@pytest.mark.usefixtures("few_looked_at")
def test_a_fault_deep_in_a_large_file_is_shown_without_its_line(tmp_path: Path) -> None:
    path = tmp_path / "flows.json"
    path.write_text(lines([GOOD]) * 90 + "{oops\n{oops\n" + lines([payload(bytes_sent="-1")]))
    coverage = read_traffic([path], KNOWN).coverage
    assert coverage.examples == (
        BadRecord(source=f"{path}: after the first 20 records", reason=NOT_JSON),
    )
    assert coverage.used_count == 90


@pytest.mark.usefixtures("few_looked_at")
def test_a_large_file_with_its_good_records_at_the_end_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "flows.json"
    path.write_text("{oops\n" * 50 + lines([GOOD]))
    coverage = read_traffic([path], KNOWN).coverage
    assert coverage.used_count == 1
    assert [bad.source for bad in coverage.examples] == [f"{path}:{n}" for n in range(1, 6)]


@pytest.mark.usefixtures("few_looked_at")
def test_a_large_file_without_a_good_record_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(lines([GOOD]))
    (tmp_path / "bad.json").write_text("{oops\n" * 50)
    with pytest.raises(InputError, match=r"bad\.json: the file has no readable flow record"):
        read_traffic([tmp_path], KNOWN)


def around(seconds: float, count: int) -> list[Json]:
    return [entry(A, B, 100, start=seconds, end=seconds + 1, ports=(i, 80)) for i in range(count)]


DAY = 86_400


def skewed(tmp_path: Path, far: float, *, bulk: int = 100, **options: Any) -> TrafficMatrix:
    return read(tmp_path, [*around(0, bulk), *around(far, 1)], KNOWN, **options)


@listed("days", [-400, -3, 3, 400])
def test_a_few_records_days_away_have_a_wrong_clock(tmp_path: Path, days: int) -> None:
    matrix = skewed(tmp_path, days * DAY)
    assert matrix.coverage.excluded == (("with a wrong clock", 1),)
    assert matrix.coverage.used_count == 100
    assert matrix.observed_minutes == 1
    assert only_edge(matrix).record_count == 100
    assert only_edge(matrix).series.byte_count == only_edge(matrix).payload_bytes == 10_000


def test_a_stray_record_that_reaches_into_the_next_day_leaves_nothing_there(tmp_path: Path) -> None:
    # It starts a second before midnight of 10:00 + 14 h + 9 days.
    matrix = read(
        tmp_path,
        [*around(0, 100), entry(A, B, 600, start=14 * 3600 + 9 * DAY - 1, end=9 * DAY + 50_460)],
        KNOWN,
    )
    assert matrix.observed_minutes == 1
    assert only_edge(matrix).series.byte_count == 10_000


def test_many_records_or_near_ones_are_no_skew(tmp_path: Path) -> None:
    # One of 50 is more than one in a hundred; two days are a weekend.
    assert skewed(tmp_path, 3 * DAY, bulk=50).coverage.excluded == ()
    assert skewed(tmp_path, 2 * DAY).coverage.excluded == ()
    assert skewed(tmp_path, 3 * DAY, max_skew_days=3).coverage.excluded == ()
    assert skewed(tmp_path, 3 * DAY, bulk=50, skew_ratio=0.02).coverage.used_count == 50
