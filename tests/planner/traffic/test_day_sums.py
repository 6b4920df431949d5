"""Sums that are kept by day of log give the matrix that the records give, around midnights too."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import Inventory, Reporter, TrafficMatrix
from netplan_planner.traffic import HeaderBytes, TrafficOptions, day_sums
from netplan_planner.traffic.files.entries import ENTRY, Fields
from netplan_planner.traffic.files.records import flow_record
from netplan_planner.traffic.spelling import BIGQUERY
from support.examples import examples
from support.flows.kinds import BAD, DB, KNOWN, of_all_kinds
from support.flows.looks import read_by_days, read_by_looks
from support.flows.project import host, inventory, subnet
from support.flows.records import START, Json, entry

MIDNIGHT = datetime(2026, 3, 3, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TODAY = (MIDNIGHT - EPOCH).days
DAYS = range(TODAY - 30, TODAY + 30)
FILES = count(1)
AT_MIDNIGHT = (MIDNIGHT - START).total_seconds()

HANDED_ON = inventory(
    host("new", "10.0.1.9", subnetwork="front", created=MIDNIGHT + timedelta(minutes=3)),
    host("web", "10.0.1.1", external="34.1.1.1", subnetwork="front"),
    DB,
    subnet("front", logs=True),
    subnet("back", logs=None),
)
"""An address is the new machine's from three minutes after midnight on; whose before is unknown."""


def both(
    folder: Path,
    entries: Sequence[Json],
    known: Inventory,
    options: TrafficOptions,
    *,
    is_backwards: bool = False,
    tables: Sequence[int] = (),
) -> tuple[TrafficMatrix | str, TrafficMatrix | str]:
    """Return the matrix of records that a window looks at, and of the sums of their days."""

    def written(rows: Sequence[Json]) -> Path:
        file = folder / f"{next(FILES)}.json"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return file

    days = sorted({day_of(row) for row in entries}, reverse=is_backwards)
    looked_at = [row for row in entries if is_looked_at(row, options, tables)]
    if not looked_at:
        return "nothing", "nothing"
    by_records: TrafficMatrix | str
    by_days: TrafficMatrix | str
    try:
        by_records = read_by_looks([written(looked_at)], known, options)
    except InputError as exc:
        by_records = str(exc)
    try:
        by_days = read_by_days(written(entries), known, options, days=days, tables=tables)
    except InputError as exc:
        by_days = str(exc)
    return by_records, by_days


def day_of(row: Json) -> int:
    return (datetime.fromisoformat(row["timestamp"]) - EPOCH).days


def is_looked_at(row: Json, options: TrafficOptions, tables: Sequence[int]) -> bool:
    """Return whether a query over records would read an entry."""
    time = datetime.fromisoformat(row["timestamp"])
    day = day_of(row)
    delay = timedelta(minutes=20)
    since = options.since or datetime(2000, 1, 1, tzinfo=UTC)
    until = options.until or datetime(2099, 1, 1, tzinfo=UTC)
    if day in tables:
        midnight = EPOCH + timedelta(days=day)
        return since <= midnight <= until
    return since - delay <= time < until + delay


ADDRESSES = (
    *("10.0.1.1", "10.0.1.9", "10.0.2.1", "34.1.1.1", "198.51.100.7", "fd00::1", "10.99.0.1"),
    *("10.0.2.999", "nowhere", "::ffff:10.0.2.1"),
)
NEAR = (
    st.integers(-3_000_000, 3_000_000)
    | st.integers(-100_000_000, 100_000_000)
    | st.sampled_from([-60_000, -1, 0, 1, 59_999, 60_000, -1_200_000, 1_200_000])
)
"""Milliseconds from a midnight: some minutes, some hours, and the edges."""


@st.composite
def logs(draw: st.DrawFn) -> Json:
    """An entry whose flow begins near a midnight, logged at once, late, or too early."""
    day = draw(st.integers(-1, 1)) * 86_400
    start = AT_MIDNIGHT + day + draw(NEAR) / 1000
    duration = draw(
        st.integers(-1, 70_000) | st.integers(0, 900_000) | st.sampled_from([0, 60_000, 4_000_000])
    )
    lag_s = draw(
        st.integers(0, 30_000) | st.integers(0, 1_300_000) | st.integers(-2_000_000, 90_000_000)
    )
    vm = draw(st.sampled_from([None, None, host("gone", "10.0.7.7", subnetwork="front")]))
    made = entry(
        draw(st.sampled_from(ADDRESSES)),
        draw(st.sampled_from(ADDRESSES)),
        draw(st.integers(0, 10**6) | st.integers(0, 10**11) | st.just(-1)),
        start=start,
        end=start + duration / 1000,
        packets=draw(st.integers(0, 10**6)),
        by=draw(st.sampled_from(["SRC", "DEST", "SRC_GATEWAY", "else"])),
        protocol=draw(st.sampled_from([1, 6, 17, 47])),
        ports=(1, draw(st.integers(1, 3))),
        rtt_ms=draw(st.sampled_from([None, 0.4, 12.5, 13.1])),
        insert_id=draw(st.sampled_from([None, "a", "b", "c", "d", "e"])),
        configuration=draw(st.sampled_from([None, None, "mine", "yours"])),
        is_dropped=draw(st.integers(0, 7)) == 0,
        src_vm=vm,
    )
    time = START + timedelta(milliseconds=round(start * 1000) + max(duration, 0) + lag_s)
    return {**made, "timestamp": time.isoformat()}


@st.composite
def streams(draw: st.DrawFn) -> list[Json]:
    """Entries, some of them delivered twice, as Cloud Logging may."""
    made = draw(st.lists(logs(), min_size=1, max_size=25))
    # Of equal ids, log, time and count all else is equal: else they are no entries of one log.
    once = {json.dumps([row.get("insertId"), row["timestamp"]]): row for row in made}
    rows = list(once.values())
    again = draw(st.lists(st.sampled_from(rows), max_size=8))
    return draw(st.permutations([*rows, *again]))


WINDOWS = ((None, None), (0, None), (None, 0), (0, 1), (-1, 1), (0, 0), (-1, 2))


@settings(
    max_examples=examples(0.3),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    rows=streams(),
    window=st.sampled_from(WINDOWS),
    reporter=st.sampled_from(list(Reporter)),
    known=st.sampled_from([KNOWN, HANDED_ON, Inventory()]),
    tables=st.booleans(),
    is_backwards=st.booleans(),
)
def test_random_records_around_midnight(
    tmp_path: Path,
    rows: list[Json],
    window: tuple[int | None, int | None],
    reporter: Reporter,
    known: Inventory,
    tables: bool,
    is_backwards: bool,
) -> None:
    since, until = (MIDNIGHT + timedelta(days=d) if d is not None else None for d in window)
    options = TrafficOptions(
        reporter=reporter, since=since, until=until, by_hour=True, example_count=3
    )
    by_records, by_days = both(
        tmp_path, rows, known, options, is_backwards=is_backwards, tables=DAYS if tables else ()
    )
    assert by_days == by_records


def test_the_version_is_that_of_the_statements() -> None:
    """Days that were kept by other statements are not of this version: raise it with them.

    Where a text has changed and the rows have not, the number here is all that changes.
    """
    fields = Fields.of_text(ENTRY, BIGQUERY)
    record = flow_record(
        fields, "t", source_name="s", is_entry="true", with_details=True, day_part="0"
    )
    text = repr((record, *day_sums.statements_of(TrafficOptions())))
    assert day_sums.VERSION == 2
    assert sha256(text.encode()).hexdigest()[:16] == "54abb3981518f912"


CHOICES = {
    "header_bytes": HeaderBytes(tcp=40),
    "max_record_minutes": 30,
    "max_record_gbps": 3.0,
    "flow_min_gbps": 1.0,
    "example_count": 2,
}
"""Of which rows depend."""
OTHERS = {
    "reporter": Reporter.AVERAGE,
    "since": MIDNIGHT,
    "until": MIDNIGHT,
    "gap_minutes": 3,
    "max_skew_days": 5,
    "skew_ratio": 0.5,
    "flow_ratio": 0.5,
    "by_hour": True,
    "memory_limit": "3GB",
    "threads": 1,
    "batch_records": 7,
}


def test_days_are_kept_by_the_choices_that_shape_them() -> None:
    usual = TrafficOptions()

    def made(name: str, value: Any) -> tuple[str, tuple[str, ...]]:
        options = replace(usual, **{name: value})
        return day_sums.key_of(options), day_sums.statements_of(options)

    key, statements = day_sums.key_of(usual), day_sums.statements_of(usual)
    others = [made(name, value) for name, value in CHOICES.items()]
    assert len({key, *(other for other, _ in others)}) == len(CHOICES) + 1
    assert all(changed != statements for _, changed in others)
    assert {made(name, value) for name, value in OTHERS.items()} == {(key, statements)}
    # Every other choice bounds the engine, is of tables that are no logs, or is refused.
    aside = {"temp_directory", "max_table_minutes", "log_volume_from_gbps"}
    aside |= {"engine", "spark_remote", "spark_work"}
    assert {*CHOICES, *OTHERS, *aside} == set(TrafficOptions.__struct_fields__)


@pytest.mark.parametrize(
    "change",
    [
        {"since": MIDNIGHT + timedelta(hours=3)},
        {"until": MIDNIGHT + timedelta(microseconds=1)},
        {"log_volume_from_gbps": 0.0},
    ],
    ids=str,
)
def test_what_days_cannot_answer_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="--rollup stores"):
        day_sums.days_of(TrafficOptions(**change))


@pytest.mark.parametrize("reporter", list(Reporter))
def test_all_kinds_of_ends(tmp_path: Path, reporter: Reporter) -> None:
    rows = [row for row in (*of_all_kinds(), *BAD.values()) if "timestamp" in row]
    by_records, by_days = both(tmp_path, rows, KNOWN, TrafficOptions(reporter=reporter))
    assert isinstance(by_records, TrafficMatrix)
    assert by_days == by_records
    assert by_records.coverage.overlaps
    assert by_records.coverage.examples
    assert dict(by_records.coverage.excluded)["equal to a counted record"] == 7


def test_an_end_is_told_by_what_the_window_says_of_it(tmp_path: Path) -> None:
    """A machine whose network only an entry outside of the window names is another one's then."""
    gone = host("gone", "10.0.7.7", subnetwork="front")

    def at(seconds: float, insert_id: str, machine: bool) -> Json:
        start = AT_MIDNIGHT + seconds
        made = entry("10.0.7.7", "10.0.2.1", 9, start=start, end=start + 5, insert_id=insert_id)
        named = {"src_instance": {"project_id": "p", "vm_name": "gone"}}
        more = entry("10.0.7.7", "10.0.2.1", 9, src_vm=gone)["jsonPayload"] if machine else named
        own = {name: more[name] for name in more if name.startswith("src_")}
        return {**made, "jsonPayload": {**made["jsonPayload"], **own}}

    rows = [at(-7, "before", machine=True), at(30, "within", machine=False)]
    rows[0]["timestamp"] = (MIDNIGHT + timedelta(seconds=2)).isoformat()
    options = TrafficOptions(since=MIDNIGHT)
    by_records, by_days = both(tmp_path, rows, KNOWN, options)
    assert isinstance(by_records, TrafficMatrix)
    assert by_days == by_records
    assert dict(by_records.coverage.excluded) == {"outside the requested window": 1}


def test_an_address_is_its_holders_by_the_minute_in_which_a_flow_began(tmp_path: Path) -> None:
    rows = [
        entry(
            "10.0.1.9",
            "10.0.2.1",
            10**number,
            start=AT_MIDNIGHT + at,
            end=AT_MIDNIGHT + at + 200,
            src_vm=None,
            insert_id=str(at),
        )
        for number, at in enumerate((-86_000, -90, 60, 179, 180, 400))
    ]
    by_records, by_days = both(tmp_path, rows, HANDED_ON, TrafficOptions())
    assert isinstance(by_records, TrafficMatrix)
    assert by_days == by_records
    held = {by_records.owners[edge.src].name: edge.payload_bytes for edge in by_records.edges}
    assert held == {"10.0.1.9": 1111, "new": 110_000}


def test_which_configuration_counts_is_told_by_all_entries_repeated_ones_too(
    tmp_path: Path,
) -> None:
    rows = [
        entry(
            "10.0.1.1",
            "10.0.2.1",
            1000 + number,
            start=AT_MIDNIGHT + at,
            end=AT_MIDNIGHT + at + 5,
            insert_id=f"{name} {number}",
            configuration=name,
        )
        for name in ("mine", "yours")
        for number, at in enumerate((-30, 30))
    ]
    options = TrafficOptions()
    plain, by_days = both(tmp_path, rows, KNOWN, options)
    assert by_days == plain
    # Of as many hours and records the first by name counts; two more of the other, and it does.
    repeated, by_days = both(tmp_path, [*rows, *rows[2:]], KNOWN, options)
    assert by_days == repeated
    assert isinstance(plain, TrafficMatrix)
    assert isinstance(repeated, TrafficMatrix)
    counted = [found.coverage.overlaps[0].counted.rpartition("/")[2] for found in (plain, repeated)]
    assert counted == ["mine", "yours"]
