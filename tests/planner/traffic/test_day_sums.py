"""Sums that are kept by day of log give the matrix that the records give, around midnights too."""

import json
import os
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
    host("old", "10.0.1.9", subnetwork="front", created=MIDNIGHT - timedelta(days=9)),
    host("new", "10.0.1.9", subnetwork="front", created=MIDNIGHT + timedelta(minutes=3)),
    host("web", "10.0.1.1", external="34.1.1.1", subnetwork="front"),
    DB,
    subnet("front", logs=True),
    subnet("back", logs=None),
)
"""Two machines of one address: it is the new one's from three minutes after midnight on."""


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


EXAMPLES = int(os.environ.get("NETPLAN_TEST_EXAMPLES", "12"))
WINDOWS = ((None, None), (0, None), (None, 0), (0, 1), (-1, 1), (0, 0), (-1, 2))


@settings(
    max_examples=EXAMPLES,
    deadline=None,
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
