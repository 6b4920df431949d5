"""Aggregates that are damaged, of another time, or asked for what they are not, are refused."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import Inventory, Reporter
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.traffic.aggregates import MANIFEST
from netplan_planner.traffic.options import HeaderBytes
from support.flows import aggregated
from support.flows.aggregated import Json, change_manifest, change_rows, reseal
from support.flows.cases import HOSTS, project
from support.flows.project import host, inventory, subnet
from support.listed import listed
from support.nightly import every


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    return aggregated.written(folder, aggregated.matrix_of(folder))


@pytest.fixture
def sums(whole: Path, tmp_path: Path) -> Path:
    """Return aggregates of the test's own."""
    return Path(shutil.copytree(whole, tmp_path / "sums"))


Damage = Callable[[Path], Any]


def read(sums: Path, options: TrafficOptions = aggregated.OPTIONS) -> None:
    read_traffic([sums], aggregated.known(), options)


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@listed(
    ("given", "named"),
    [
        (TrafficOptions(reporter=Reporter.DESTINATION), "--reporter destination"),
        (
            TrafficOptions(since=NOON),
            r"--since 2026-03-02T12:00:00\+00:00: .* without --since; leave it out, or",
        ),
        (TrafficOptions(until=NOON), "--until"),
        (TrafficOptions(header_bytes=HeaderBytes(tcp=40)), "header_bytes"),
        (TrafficOptions(gap_minutes=5), "gap_minutes 5: .* gap_minutes 60"),
        (TrafficOptions(max_record_gbps=1.0), "max_record_gbps"),
        (TrafficOptions(example_count=0), "example_count"),
    ],
)
def test_options_that_contradict(whole: Path, given: TrafficOptions, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        read(whole, given)


def test_a_window_that_is_not_named_again_is_the_stored_one(tmp_path: Path) -> None:
    since = datetime(2026, 3, 2, 10, tzinfo=UTC)
    options = replace(aggregated.OPTIONS, since=since)
    matrix = aggregated.matrix_of(tmp_path, options)
    found = aggregated.written(tmp_path, matrix, options=options)
    assert read_traffic([found], aggregated.known(), options) == matrix
    assert read_traffic([found], aggregated.known(), aggregated.OPTIONS) == matrix


def test_bounds_of_the_engine_do_not_matter(whole: Path) -> None:
    options = replace(
        aggregated.OPTIONS, memory_limit="1GB", threads=2, temp_directory=None, batch_records=9
    )
    read(whole, options)


def test_machines_below_those_that_were_looked_at(tmp_path: Path) -> None:
    options = replace(aggregated.OPTIONS, log_volume_from_gbps=0.1)
    found = aggregated.written(tmp_path, aggregated.matrix_of(tmp_path, options), options=options)
    with pytest.raises(UsageError, match=r"--p95-from 0\.05"):
        read(found, replace(options, log_volume_from_gbps=0.05))


def test_another_inventory_is_said(whole: Path) -> None:
    more = inventory(
        *HOSTS, host("new", "10.0.1.9"), subnet("front", logs=True), subnet("back", logs=True)
    )
    found = read_traffic([whole], more, aggregated.OPTIONS)
    (line,) = set(found.coverage.incomplete) - set(
        read_traffic([whole], aggregated.known(), aggregated.OPTIONS).coverage.incomplete
    )
    assert "an inventory whose machines differ from this one" in line
    assert str(whole) in line


def test_machines_that_are_gone_are_counted(whole: Path) -> None:
    fewer = inventory(*HOSTS[1:], subnet("front", logs=True), subnet("back", logs=True))
    found = read_traffic([whole], fewer, aggregated.OPTIONS)
    gone = next(line for line in found.coverage.incomplete if "differ" in line)
    assert "this one lacks" in gone


def test_where_an_inventory_was_read_does_not_matter(whole: Path) -> None:
    known = aggregated.known()
    elsewhere = replace(
        known,
        instances=tuple(
            replace(one, ref=replace(one.ref, source="other.json:9"), labels=(("a", "b"),))
            for one in known.instances
        ),
        subnetworks=tuple(
            replace(one, ref=replace(one.ref, source="other.json:3")) for one in known.subnetworks
        ),
    )
    assert read_traffic([whole], elsewhere, aggregated.OPTIONS) == read_traffic(
        [whole], known, aggregated.OPTIONS
    )


@pytest.mark.parametrize("other", [inventory(host("stranger", "10.9.9.9")), Inventory()])
def test_an_inventory_of_other_machines(whole: Path, other: Inventory) -> None:
    with pytest.raises(InputError, match=r"aggregates of another inventory: .* none of their"):
        read_traffic([whole], other, aggregated.OPTIONS)


def test_what_logs_decides_whose_reports_count(whole: Path) -> None:
    found = read_traffic([whole], project(True, False), aggregated.OPTIONS)
    assert any("subnetworks differ" in line for line in found.coverage.incomplete)


def test_other_traffic_beside_them(whole: Path, tmp_path: Path) -> None:
    flows = tmp_path / "flows.jsonl"
    flows.write_text("{}\n")
    for paths in ([whole, flows], [flows, whole], [whole, whole]):
        with pytest.raises(InputError, match="aggregates cannot be combined with other traffic"):
            read_traffic(paths, aggregated.known())


def test_a_folder_of_aggregates_inside_a_folder(whole: Path) -> None:
    for path in (whole.parent, whole / MANIFEST):
        with pytest.raises(InputError, match="a folder of aggregates"):
            read_traffic([path], aggregated.known())


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("netplan.aggregates/2", "made by a newer netplan; this one reads netplan.aggregates/1"),
        ("netplan.aggregates/0", "made by an older netplan"),
        ("netplan.aggregates/999999999", "newer"),
        ("netplan.aggregates/1e3", "damaged"),
        ("netplan.report/1", "damaged"),
        ("\x1b[31m", r"damaged: .*\\x1b"),
    ],
)
def test_another_version(sums: Path, told: str, why: str) -> None:
    change_manifest(sums, lambda held: held.update(format=told, added_later=1))
    with pytest.raises(InputError, match=why) as error:
        read(sums)
    assert "\x1b" not in str(error.value)


def _bytes(change: Callable[[bytearray], Any]) -> Damage:
    def damage(sums: Path) -> None:
        data = bytearray((sums / EDGES).read_bytes())
        change(data)
        (sums / EDGES).write_bytes(bytes(data))

    return damage


def _flip(data: bytearray) -> None:
    data[len(data) // 2] ^= 1


def _link(name: str) -> Damage:
    def damage(sums: Path) -> None:
        (sums / name).rename(sums.parent / "elsewhere")
        (sums / name).symlink_to(sums.parent / "elsewhere")

    return damage


def _folder(sums: Path) -> None:
    (sums / EDGES).unlink()
    (sums / EDGES).mkdir()


def _no_parquet(sums: Path) -> None:
    (sums / EDGES).write_text("src,dst\n1,2\n")
    reseal(sums, "edges")


def _manifest(text: str) -> Damage:
    return lambda sums: (sums / MANIFEST).write_text(text)


def _rows(table: str, selected: str, source: str = "t") -> Damage:
    return lambda sums: change_rows(sums, table, selected, source)


def _replaced(table: str, expression: str) -> Damage:
    return _rows(table, f"* REPLACE ({expression})")


def _told(row_count: int) -> Damage:
    return lambda sums: reseal(sums, "edges", row_count=row_count)


def _set(place: str, value: object) -> Damage:
    """Set a member of the manifest, named by its path."""

    def change(held: Json) -> None:
        at: Any = held
        *path, last = place.split(".")
        for name in path:
            at = at[int(name) if isinstance(at, list) else name]
        at[last] = value

    return lambda sums: change_manifest(sums, change)


EDGES = "edges.parquet"
UNKNOWN_TABLES, NO_WINDOW = (
    "names tables that do not exist",
    "the window is empty or shorter than the observed time",
)
OTHER_FILE, BELOW_0 = f"{EDGES} is not one of its files", "parquet has numbers that are negative"
ENDLESS = "struct_update(egress, p95_gbps := 'inf'::DOUBLE) AS egress"
AS_TEXT = "CAST(record_count AS VARCHAR) AS record_count"
DAMAGE: dict[str, tuple[Damage, str]] = {
    "a file is cut": (_bytes(lambda data: data.__delitem__(slice(-9, None))), f"{EDGES} is not"),
    "a bit is flipped": (_bytes(_flip), f"{EDGES} is not what"),
    "a file is gone": (
        lambda sums: (sums / "owners.parquet").unlink(),
        "owners.parquet is missing",
    ),
    "a file is a link": (_link(EDGES), OTHER_FILE),
    "a file is a folder": (_folder, OTHER_FILE),
    "a file too many": (
        lambda sums: (sums / "more\x1b[31m.parquet").write_text("x"),
        r"more\\x1b\[31m.parquet is not one of its files",
    ),
    "no Parquet": (_no_parquet, f"{EDGES}: "),
    "the manifest is a link": (_link(MANIFEST), "is not a regular file"),
    "the manifest is empty": (_manifest(""), "truncated"),
    "the manifest is no object": (_manifest("[1]"), "Expected `object`"),
    "the manifest is deep": (_manifest('{"x":' + "[" * 100_000), "nested too deeply"),
    "rows that are not there": (_told(10**30), "has [0-9]+ rows, not 1,0"),
    "fewer rows": (_told(1), f"{EDGES} has [0-9]+ rows, not 1"),
    "negative rows": (_told(-1), f"{EDGES} has [0-9]+ rows, not -1"),
    "a table twice": (
        lambda sums: change_manifest(sums, lambda held: held["tables"].append(held["tables"][0])),
        UNKNOWN_TABLES,
    ),
    "a table of another name": (_set("tables.0.name", "../../etc/passwd"), UNKNOWN_TABLES),
    "a text for a time": (_set("matrix.start", "yesterday"), "RFC3339"),
    "a text for a number": (_set("matrix.coverage.files", "many"), "Expected `int`"),
    "an unknown reporter": (_set("options.reporter", "x"), "enum"),
    "a column of another type": (
        _replaced("edges", AS_TEXT),
        "unexpected type of column record_count",
    ),
    "a column too many": (
        _rows("edges", '*, 1 AS "later\x1b"'),
        r"the column later\\x1b is not as",
    ),
    "a column too few": (_rows("edges", "* EXCLUDE (src)"), "unexpected type of column src"),
    "a field too few": (
        _replaced("machines", "{'p50_gbps': 1.0::DOUBLE} AS egress"),
        "unexpected type of column egress",
    ),
    "rows without end": (
        _rows("owners", "t.*", "t, range(1000000)"),
        "owners.parquet unpacks to more than a file of its size holds",
    ),
    "an empty cell": (_replaced("edges", "NULL::BIGINT AS packet_count"), "Expected `int`"),
    "no number": (_replaced("machines", "'nan'::DOUBLE AS coarse_ratio"), f"machines.{BELOW_0}"),
    "an infinite rate": (_replaced("machines", ENDLESS), f"machines.{BELOW_0} or infinite"),
    "a rate below 0 in a list": (
        _replaced("machine-hours", "[NULL, -1.0::DOUBLE] AS gbps"),
        f"machine-hours.{BELOW_0}",
    ),
    "bytes below 0": (
        _replaced("edges", "-payload_bytes - 1 AS payload_bytes"),
        f"edges.{BELOW_0}",
    ),
    "an edge twice": (_rows("edges", "t.*", "t, range(2)"), "edges has two rows with the same key"),
    "a machine twice": (_rows("machines", "t.*", "t, range(2)"), "machines has two rows with the"),
    "an owner twice": (_replaced("owners", "'x' AS key"), "owners has two rows"),
    "no observed minute": (_set("matrix.observed_minutes", 0), NO_WINDOW),
    "no minute from the first to the last": (_set("matrix.span_minutes", 0), NO_WINDOW),
    "more minutes than the window has": (_set("matrix.observed_minutes", 10**15), NO_WINDOW),
    "an end before the start": (_set("matrix.end", "2001-01-01T00:00:00Z"), NO_WINDOW),
    "a time without a zone": (_set("matrix.start", "2026-03-02T12:00:00"), "a time without a zone"),
    "hours without length": (_set("matrix.hours.bin_s", 0), "hours without length"),
    "an unknown path class": (_replaced("edges", "'x' AS path_class"), "Invalid enum value"),
    "an owner beyond": (_replaced("edges", "999::BIGINT AS dst"), "edges names row 999 of"),
    "an owner before": (_replaced("machines", "-1::BIGINT AS owner"), f"machines.{BELOW_0}"),
    "an edge beyond": (_replaced("path-hours", "10**12::BIGINT AS edge"), "path-hours"),
    "an interval beyond": (
        _replaced("log-edges", "6000::BIGINT AS interval"),
        "log-edges names row 6,000",
    ),
    "a place beyond": (_replaced("log-intervals", "77::BIGINT AS source"), "log-intervals names"),
}


@pytest.mark.parametrize("kind", every(3, DAMAGE))
def test_damage(sums: Path, kind: str) -> None:
    damage, why = DAMAGE[kind]
    damage(sums)
    with pytest.raises(InputError, match=why) as error:
        read(sums)
    assert str(sums) in str(error.value)
    assert "create them again with `netplan flows aggregate`" in str(error.value)


def test_a_manifest_that_is_gone_makes_a_folder_of_other_files(sums: Path) -> None:
    (sums / MANIFEST).unlink()
    with pytest.raises(InputError):
        read(sums)


def test_files_that_others_leave_are_skipped(sums: Path) -> None:
    for name in (".edges.parquet.crc", "_SUCCESS", ".DS_Store"):
        (sums / name).write_text("x")
    read(sums)


def test_the_manifest_names_what_shaped_the_sums(whole: Path) -> None:
    held = json.loads((whole / MANIFEST).read_text("utf-8"))
    assert held["format"] == "netplan.aggregates/1"
    assert held["tool"] == "netplan 1.0"
    assert held["options"]["reporter"] == "source"
    assert held["matrix"]["edges"] == []
    assert {"machines", "subnetworks", "routes"} <= held["inventory"].keys()
