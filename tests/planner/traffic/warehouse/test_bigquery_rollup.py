"""Sums of days in a dataset of BigQuery, on the emulator: the matrix is that of the logs."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

import netplan_planner
from netplan_planner.errors import UsageError
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.queries import Jobs
from netplan_planner.google.bigquery.read import read_bigquery
from netplan_planner.google.bigquery.rollup import Rollup
from netplan_planner.google.bigquery.tables import ALL_LOGS, find_tables
from netplan_planner.google.bigquery.wire import Column
from netplan_planner.model import Reporter, TrafficMatrix
from netplan_planner.traffic import HeaderBytes, TrafficOptions
from netplan_planner.traffic.day_sums import DaySums
from netplan_planner.world.remote_traffic import BIGQUERY_VARIABLE
from support.commands.run import run_verbs
from support.flows.kinds import BAD, KNOWN
from support.flows.records import START, Json, entry
from support.servers.bigquery import ABSENT, PROJECT, Emulated, emulator

pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
DEMO = Path(netplan_planner.__file__).parent / "demos" / "dobermanifesto"
SINK = "compute_googleapis_com_vpc_flows"
DATASETS = count(1)
MIDNIGHT = datetime(2026, 3, 3, tzinfo=UTC)
AT_MIDNIGHT = (MIDNIGHT - START).total_seconds()
LATER = MIDNIGHT + timedelta(days=9)
WINDOW = TrafficOptions(
    since=MIDNIGHT - timedelta(days=1), until=MIDNIGHT + timedelta(days=1), by_hour=True
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    with emulator(tmp_path_factory.mktemp("bigquery")) as made:
        yield made


def flows() -> list[Json]:
    """Return flows around three midnights, late entries, and repeated and faulty ones."""
    made = []
    for day in (-1, 0, 1):
        for number, at in enumerate(
            (-4000, -1201, -1199, -70, -30, -1, 0, 1, 59, 1199, 1201, 9999)
        ):
            start = AT_MIDNIGHT + day * 86_400 + at
            made.append(
                entry(
                    ("10.0.1.1", "198.51.100.7", "10.0.7.7")[number % 3],
                    "10.0.2.1",
                    10_000 + number,
                    start=start,
                    end=start + 25 * (number % 5),
                    packets=number,
                    by=("SRC", "DEST")[number % 2],
                    rtt_ms=1 + number,
                    insert_id=f"{day} {number}",
                    is_dropped=number == 4,
                    configuration="mine" if number == 7 else None,
                )
            )
    late = {**made[3], "insertId": "late", "timestamp": stamp(MIDNIGHT + timedelta(hours=7))}
    return [*made, *made[2:9], late, *BAD.values()]


def stamp(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def sink(client: Emulated, tables: Mapping[str, Sequence[Json]]) -> Place:
    place = client.create(Place(project=PROJECT, dataset=f"logs{next(DATASETS)}"))
    for name, rows in tables.items():
        client.load(place, name, rows, by_day=name == SINK)
    return place


def keeper(client: Emulated) -> Place:
    return client.create(Place(project=PROJECT, dataset=f"kept{next(DATASETS)}"))


def kept_days(client: Emulated, rollup: Place) -> list[str]:
    return sorted(name.rpartition("_")[2] for name in client.tables(rollup))


def read(
    client: Emulated,
    place: Place,
    options: TrafficOptions,
    rollup: Place | None = None,
    now: datetime = LATER,
) -> tuple[TrafficMatrix, str]:
    """Return a matrix without the notes of its reading, and what they say of days."""
    found = read_bigquery(client, place, KNOWN, options, rollup=rollup, now=lambda: now)
    held = found.coverage
    told = next((note for note in held.notes if note.startswith("--rollup")), "")
    own = tuple(n for n in held.notes if not n.startswith(("--rollup", "BigQuery billed")))
    return replace(found, coverage=replace(held, notes=own)), told.partition(": ")[2]


def few() -> list[Json]:
    """Return some entries of the days around one midnight."""
    return [
        entry(
            "10.0.1.1",
            "10.0.2.1",
            1000 + at,
            start=AT_MIDNIGHT + at,
            end=AT_MIDNIGHT + at + 50,
            insert_id=f"at {at}",
        )
        for at in (-7000, -70, -30, -1, 0, 40, 86_390, 86_401)
    ]


def test_a_rollup_gives_what_the_logs_give_and_reads_each_day_once(
    client: Emulated,
) -> None:
    place, rollup = sink(client, {SINK: flows()}), keeper(client)
    options = replace(WINDOW, reporter=Reporter.AVERAGE)
    expected, nothing = read(client, place, options)
    assert nothing == ""
    assert dict(expected.coverage.excluded)["equal to a counted record"] > 0
    assert expected.coverage.examples
    first, told = read(client, place, options, rollup)
    assert told == "0 days in store before, 4 days now"
    assert first == expected
    assert kept_days(client, rollup) == ["20260301", "20260302", "20260303", "20260304"]
    again, told = read(client, place, options, rollup)
    assert told == "4 days in store before, 0 days now"
    assert again == expected


def test_the_next_window_finds_whole_days_where_the_one_before_it_ended(
    client: Emulated,
) -> None:
    place, rollup = sink(client, {SINK: flows()}), keeper(client)
    day = timedelta(days=1)
    before = replace(WINDOW, until=MIDNIGHT)
    assert gather(client, place, rollup, before, LATER) == {"kept": 0, "made": 3, "open": 0}
    after = replace(WINDOW, since=MIDNIGHT, until=MIDNIGHT + day)
    found, told = read(client, place, after, rollup)
    assert told == "2 days in store before, 1 day now"
    assert found == read(client, place, after)[0]


def gather(
    client: Emulated, place: Place, rollup: Place, options: TrafficOptions, now: datetime
) -> dict[str, int]:
    """Bring a window's days together; return how many were kept before, are now, and are open."""
    assert options.since is not None
    until = options.until or now
    found = find_tables(client, place, options.since, until)
    jobs = Jobs(client, found.location, str(place))
    try:
        days = Rollup(
            client, jobs, place, rollup, found, options, until=until, now=now, allow=lambda _: None
        )
        days.gather()
    finally:
        jobs.close()
    return {name: len(of_it) for name, of_it in days.told().items()}


def test_a_day_that_has_changed_is_summed_anew_and_one_that_is_not_over_is_not_kept(
    client: Emulated,
) -> None:
    place, rollup = sink(client, {SINK: few()}), keeper(client)
    options = TrafficOptions(since=MIDNIGHT)
    soon = MIDNIGHT + timedelta(hours=25, minutes=59)
    first = gather(client, place, rollup, options, soon)
    assert first == {"kept": 0, "made": 1, "open": 2}
    assert kept_days(client, rollup) == ["20260302"]
    over = soon + timedelta(minutes=1)
    assert gather(client, place, rollup, options, over) == {"kept": 1, "made": 1, "open": 1}
    late = entry("10.0.1.1", "10.0.2.1", 777, start=AT_MIDNIGHT + 9, end=AT_MIDNIGHT + 10)
    late |= {"insertId": "late", "timestamp": stamp(MIDNIGHT + timedelta(hours=20))}
    client.load(place, SINK, [late], is_there=True)
    found, told = read(client, place, options, rollup, now=over)
    assert told == "1 day in store before, 1 day now; 1 day not over yet, read but not stored"
    assert found == read(client, place, options, now=over)[0]
    assert found.coverage.used_count == 5
    # Other choices have days of their own; whose report counts is none of them.
    other = replace(options, header_bytes=HeaderBytes(tcp=40), reporter=Reporter.DESTINATION)
    assert gather(client, place, rollup, other, over) == {"kept": 0, "made": 2, "open": 1}
    assert kept_days(client, rollup) == ["20260302"] * 2 + ["20260303"] * 2


def test_a_run_that_breaks_off_leaves_whole_days_alone(
    client: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, rollup = sink(client, {SINK: few()}), keeper(client)
    options = TrafficOptions(since=MIDNIGHT, until=MIDNIGHT + timedelta(days=1))
    fill = DaySums.fill
    filled: list[str] = []

    def broken_off(self: DaySums, state: str) -> None:
        fill(self, state)
        filled.append(state)
        if len(filled) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(DaySums, "fill", broken_off)
        with pytest.raises(KeyboardInterrupt):
            gather(client, place, rollup, options, LATER)
    assert kept_days(client, rollup) == ["20260302"]
    again = gather(client, place, rollup, options, LATER)
    assert again == {"kept": 1, "made": 2, "open": 0}
    assert kept_days(client, rollup) == ["20260302", "20260303", "20260304"]


def test_days_of_daily_tables(client: Emulated) -> None:
    rows = few()
    days = {row["timestamp"][:10].replace("-", "") for row in rows}
    tables = {
        f"{SINK}_{day}": [r for r in rows if r["timestamp"][:10].replace("-", "") == day]
        for day in days
    }
    place, rollup = sink(client, tables), keeper(client)
    options = TrafficOptions(since=MIDNIGHT, until=MIDNIGHT + timedelta(days=1))
    made = gather(client, place, rollup, options, LATER)
    assert made == {"kept": 0, "made": 2, "open": 0}
    found, told = read(client, place, options, rollup)
    assert told == "2 days in store before, 0 days now"
    assert found == read(client, place, options)[0]
    stray = {**rows[0], "timestamp": stamp(MIDNIGHT + timedelta(days=5)), "insertId": "stray"}
    client.load(place, f"{SINK}_20260303", [stray], is_there=True)
    with pytest.raises(UsageError, match="holds entries of other days than 2026-03-03"):
        gather(client, place, rollup, options, LATER)


def test_days_of_a_dataset_of_log_analytics_are_counted(client: Emulated) -> None:
    """They have no partitions to be asked for: a day's entries and the last one's coming are."""
    field = Column
    schema = [
        *(field(name, "STRING") for name in ("log_name", "insert_id")),
        *(field(name, "TIMESTAMP") for name in ("timestamp", "receive_timestamp")),
        field("resource", "RECORD", fields=(field("type", "STRING"), field("labels", "JSON"))),
        field("json_payload", "JSON"),
    ]

    def linked(rows: Sequence[Json]) -> list[Json]:
        return [
            {
                "log_name": one["logName"],
                "insert_id": one["insertId"],
                "timestamp": one["timestamp"],
                "receive_timestamp": one["timestamp"],
                "resource": {"type": "gce_subnetwork", "labels": one["resource"]["labels"]},
                "json_payload": one["jsonPayload"],
            }
            for one in rows
        ]

    rows = few()
    place, rollup = sink(client, {}), keeper(client)
    client.load(place, ALL_LOGS, linked(rows[1:]), schema)
    options = TrafficOptions(since=MIDNIGHT, until=MIDNIGHT + timedelta(days=1))
    made = gather(client, place, rollup, options, LATER)
    assert made == {"kept": 0, "made": 3, "open": 0}
    client.load(place, ALL_LOGS, linked(rows[:1]), is_there=True)
    said: list[str] = []
    found = read_bigquery(
        client, place, KNOWN, options, rollup=rollup, say=said.append, now=lambda: LATER
    )
    assert "to find days that changed" in said[0]
    assert "the logs of 1 day and the sums of 2 days" in said[1]
    assert found.edges == read(client, place, options)[0].edges


def test_collect_and_audit_as_a_user_runs_them(
    client: Emulated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, rollup = sink(client, {SINK: few()}), keeper(client)
    monkeypatch.setenv(BIGQUERY_VARIABLE, client.address)
    common = ["--anonymous", "--inventory", str(DEMO / "inventory"), "--traffic", str(place)]
    window = ["--since", "2026-03-03", "--until", "2026-03-04"]
    audit = ["audit", "--full", *common, *window, "--fail-on", "never"]
    done = run_verbs(arguments=[*audit, "--rollup", rollup.dataset])
    assert done.returncode == 0, done.stderr
    assert f"--rollup {PROJECT}.{rollup.dataset}: 0 days in store before, 3 days now" in done.stdout
    plain = run_verbs(arguments=audit)
    assert "in 1 table" in " ".join(plain.stdout.split())

    def told(text: str) -> list[str]:
        lines = " ".join(text.split()).split(". ")
        return [line for line in lines if "rollup" not in line and "billed" not in line]

    assert told(done.stdout) == told(plain.stdout)
    refused = run_verbs(
        arguments=["audit", *common, "--since", "2026-03-03T10:00:00Z", "--rollup", rollup.dataset]
    )
    assert refused.returncode == 2
    assert "--rollup stores whole days" in refused.stderr
    bundle = ["collect", *common, *window, "--out", str(tmp_path / "a.tar.zst")]
    refused = run_verbs(arguments=[*bundle, "--rollup", rollup.dataset])
    assert refused.returncode == 2
    assert "five-tuple" in refused.stderr
