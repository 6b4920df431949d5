"""Statements and whole matrices on a Spark Connect server, Sail, against DuckDB over files."""

import gzip
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from support.examples import examples

ABSENT = "Sail and Spark's client are not installed here; .ci/sail.sh makes an environment of them"
pytest.importorskip("pysail", reason=ABSENT)
pytest.importorskip("pyspark.sql.connect", reason=ABSENT)

from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql.connect.session import SparkSession  # noqa: E402

import netplan_planner  # noqa: E402
from netplan_planner.errors import InputError, NetplanError, UsageError  # noqa: E402
from netplan_planner.model import Inventory, Reporter, TrafficMatrix  # noqa: E402
from netplan_planner.traffic import TrafficOptions, read_traffic  # noqa: E402
from netplan_planner.traffic.files.embedded import EmbeddedEngine  # noqa: E402
from netplan_planner.traffic.spark import read as spark  # noqa: E402
from netplan_planner.traffic.spark.calls import WorkFolder  # noqa: E402
from netplan_planner.traffic.spark.place import SparkPlace  # noqa: E402
from support.flows import aggregated, exports  # noqa: E402
from support.flows.cases import LOGGING, as_entry, project, records  # noqa: E402
from support.flows.kinds import BAD, KNOWN, WHY, of_all_kinds  # noqa: E402
from support.flows.on_spark import flags, write_lines  # noqa: E402
from support.flows.oracle import Record  # noqa: E402
from support.flows.records import Json, entry  # noqa: E402
from support.flows.reports import reports_of  # noqa: E402
from support.flows.tables import all_statements, fill  # noqa: E402
from support.servers.sail import sail_server  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

STATEMENTS = all_statements()
DEMO = Path(netplan_planner.__file__).parent / "demos" / "dobermanifesto"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of Sail, or of the server on this machine that the surroundings name."""
    named = os.environ.get("NETPLAN_TEST_SPARK")
    if named:
        yield named
        return
    with sail_server(tmp_path_factory.mktemp("sail") / "log") as address:
        yield address


@pytest.fixture(scope="module")
def on_spark(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[spark.SparkEngine]:
    work = tmp_path_factory.mktemp("work").as_uri()
    with spark.connected(SparkPlace(remote=server, work=work)) as session:
        engine = spark.SparkEngine(session, work, server)
        fill(engine)
        yield engine


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_gives_the_same(
    name: str, embedded: EmbeddedEngine, on_spark: spark.SparkEngine
) -> None:
    expected = sorted(embedded.rows(STATEMENTS[name]), key=repr)
    assert expected
    assert sorted(on_spark.rows(STATEMENTS[name]), key=repr) == expected


def both(
    server: str, parts: Sequence[list[Json]], known: Inventory, options: TrafficOptions
) -> tuple[TrafficMatrix, TrafficMatrix]:
    """Return the matrix of Parquet files by DuckDB, and by Spark with files counted alike."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "flows"
        folder.mkdir()
        # One schema for all, whichever fields a part has.
        table = pa.Table.from_pylist([one for part in parts for one in part])
        first = 0
        for number, part in enumerate(parts):
            pq.write_table(table.slice(first, len(part)), folder / f"{number}.parquet")
            first += len(part)
        by_file = read_traffic([folder], known, options)
        by_spark = spark.read_logs(
            [folder.as_uri()],
            known,
            options,
            place=SparkPlace(remote=server, work=Path(name).as_uri()),
        )
        assert [one.name for one in Path(name).iterdir()] == ["flows"]
        return by_file, by_spark


@settings(
    max_examples=examples(0.8),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    parts=st.lists(st.lists(records(), min_size=1, max_size=12), min_size=1, max_size=3),
    logging=st.sampled_from(sorted(LOGGING)),
    reporter=st.sampled_from(list(Reporter)),
)
def test_random_records(
    server: str, parts: list[list[Record]], logging: str, reporter: Reporter
) -> None:
    front, back = LOGGING[logging]
    entries = [[as_entry(record) for record in part] for part in parts]
    options = TrafficOptions(reporter=reporter)
    by_file, by_spark = both(server, entries, project(front, back), options)
    assert by_spark == by_file


@pytest.mark.parametrize("reporter", list(Reporter))
def test_all_kinds_of_ends(server: str, reporter: Reporter) -> None:
    options = TrafficOptions(reporter=reporter, by_hour=True, log_volume_from_gbps=0.0)
    by_file, by_spark = both(server, [of_all_kinds()], KNOWN, options)
    assert by_spark == by_file
    assert by_file.coverage.overlaps
    assert by_file.log_volume is not None


@pytest.mark.parametrize("name", exports.CHANGES)
def test_columns_of_other_types(server: str, name: str) -> None:
    rows = exports.rows(exports.CHANGES[name])
    by_file, by_spark = both(server, [rows], exports.KNOWN, TrafficOptions())
    assert by_spark == by_file
    assert by_file.coverage.used_count == len(rows)


def test_a_folder_whose_files_have_other_columns(server: str, tmp_path: Path) -> None:
    flows = tmp_path / "flows"
    flows.mkdir()
    rows = exports.rows()
    pq.write_table(pa.Table.from_pylist(rows[:1]), flows / "a.parquet")
    pq.write_table(pa.Table.from_pylist(rows[1:]), flows / "b.parquet")
    options = TrafficOptions()
    by_file = read_traffic([flows], exports.KNOWN, options)
    by_spark = spark.read_logs(
        [flows.as_uri()],
        exports.KNOWN,
        options,
        place=SparkPlace(remote=server, work=tmp_path.as_uri()),
    )
    assert by_spark == by_file


def test_examples_are_the_same_records(server: str) -> None:
    good = entry("10.0.1.1", "10.0.2.1", 5, insert_id="d")
    written = [*BAD.values(), good]
    by_file, by_spark = both(server, [written], KNOWN, TrafficOptions(example_count=10))
    ids = {f"row {row}": one["insertId"] for row, one in enumerate(written, start=1)}
    expected = sorted(
        (ids[one.source.rpartition(": ")[2]], one.reason) for one in by_file.coverage.examples
    )
    found = [
        (one.source.removeprefix("insertId "), one.reason) for one in by_spark.coverage.examples
    ]
    assert found == expected == sorted(WHY.items())
    coverage = replace(by_spark.coverage, examples=by_file.coverage.examples)
    assert replace(by_spark, coverage=coverage) == by_file


def test_no_record_to_use(server: str, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(list(BAD.values())), tmp_path / "bad.parquet")
    with pytest.raises(InputError, match=r"no usable flow record \(1 ending before"):
        spark.read_logs(
            [tmp_path.as_uri()],
            KNOWN,
            TrafficOptions(),
            place=SparkPlace(remote=server, work=(tmp_path / "work").as_uri()),
        )


def test_a_file_that_is_no_parquet(server: str, tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "a.parquet").write_text("no Parquet")
    with pytest.raises(NetplanError, match="the Spark server failed: "):
        spark.read_logs(
            [(tmp_path / "flows").as_uri()],
            KNOWN,
            TrafficOptions(),
            place=SparkPlace(remote=server, work=tmp_path.as_uri()),
        )
    assert [one.name for one in tmp_path.iterdir()] == ["flows"]


def test_an_audit_gives_the_same_report(server: str, tmp_path: Path) -> None:
    flows = tmp_path / "flows" / "a.parquet"
    flows.parent.mkdir()
    with gzip.open(DEMO / "flows.json.gz", "rt") as lines:
        pq.write_table(pa.Table.from_pylist([json.loads(line) for line in lines]), flows)
    inventory = ["--inventory", str(DEMO / "inventory")]
    by_file = reports_of(tmp_path / "file", [*inventory, "--traffic", str(flows.parent)])
    asked = ["--traffic", flows.parent.as_uri(), *flags(server, tmp_path)]
    assert reports_of(tmp_path / "spark", [*inventory, *asked]) == by_file
    assert all(len(text.splitlines()) > 30 for text in by_file.values())


def test_what_cannot_be_read_is_named(server: str, tmp_path: Path) -> None:
    def told(path: Path) -> str:
        with pytest.raises((InputError, UsageError)) as raised:
            spark.read_logs(
                [path.as_uri()],
                KNOWN,
                TrafficOptions(),
                place=SparkPlace(remote=server, work=tmp_path.as_uri()),
            )
        return str(raised.value)

    assert "the server finds no" in told(tmp_path / "nowhere")
    write_lines(tmp_path / "other" / "a.csv", ["src,dst"])
    assert "a.csv: with --engine spark, file names tell the format" in told(tmp_path / "other")
    write_lines(tmp_path / "lines" / "a.json", of_all_kinds())
    if "NETPLAN_TEST_SPARK" not in os.environ:
        assert "of another product than Spark" in told(tmp_path / "lines")


def test_a_large_file_is_counted_once(server: str, tmp_path: Path) -> None:
    rows = exports.rows()
    rows[0]["padding"] = os.urandom(12 << 20).hex()
    (tmp_path / "flows").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "flows" / "a.parquet")
    by_spark = spark.read_logs(
        [(tmp_path / "flows").as_uri()],
        exports.KNOWN,
        TrafficOptions(),
        place=SparkPlace(remote=server, work=tmp_path.as_uri()),
    )
    assert by_spark == read_traffic([tmp_path / "flows"], exports.KNOWN, TrafficOptions())


def test_a_server_that_is_too_old(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkSession, "version", "3.5.6")
    place = SparkPlace(remote=f"{server}/;user_id=hidden", work=tmp_path.as_uri())
    with pytest.raises(UsageError, match=r"Spark 3\.5\.6 loses .* Spark 4 or newer") as raised:
        spark.read_logs([tmp_path.as_uri()], KNOWN, TrafficOptions(), place=place)
    assert "hidden" not in str(raised.value)


class Refusing:
    """A session of a server that removes nothing, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def sql(self, statement: str) -> Any:
        self.asked.append(statement)
        raise PySparkException("no right to make a database")

    @property
    def read(self) -> Any:
        raise PySparkException("no answer")


@pytest.mark.parametrize(
    ("parent", "command"),
    [
        ("gs://bucket/tmp", "gcloud storage rm --recursive gs://bucket/tmp/{}"),
        ("s3a://bucket/a b", "hadoop fs -rm -r 's3a://bucket/a b/{}'"),
        ("file:///nowhere/it's", "rm -r '/nowhere/it'\"'\"'s/{}'"),
    ],
)
def test_what_cannot_be_removed_is_named_with_its_command(parent: str, command: str) -> None:
    folder, session = WorkFolder(parent), Refusing()
    told = folder.remove(session, is_settled=True)
    name = folder.path.rpartition("/")[2]
    assert told is not None
    assert f"work files may remain in {folder.path}" in told
    assert f"({command.format(name)})" in told
    location = folder.path.replace("'", "\\'")
    assert session.asked == [
        f"CREATE DATABASE spark_catalog.`{name.replace('-', '_')}` LOCATION '{location}'"
    ], "what was not made is not dropped"


class DroppingLater(Refusing):
    """A session of a server that drops a database when it is asked again."""

    def __init__(self) -> None:
        super().__init__()
        self.databases: set[str] = set()

    def sql(self, statement: str) -> Any:
        self.asked.append(statement)
        verb, *words = statement.split()
        name = next(word for word in words if word.startswith("spark_catalog."))
        if verb == "CREATE" and name in self.databases:
            raise PySparkException("[SCHEMA_ALREADY_EXISTS]")
        if verb == "CREATE":
            self.databases.add(name)
        elif sum(one.startswith("DROP") for one in self.asked) > 1:
            self.databases.discard(name)
        else:
            raise PySparkException("busy")
        return SimpleNamespace(collect=list)

    @property
    def read(self) -> Any:
        def load(path: str) -> Any:
            if not self.databases:
                raise PySparkException("[PATH_NOT_FOUND]")
            return SimpleNamespace(inputFiles=lambda: [path])

        return SimpleNamespace(format=lambda _: SimpleNamespace(load=load))


def test_a_database_that_was_not_dropped_is_dropped_by_the_next_try() -> None:
    session = DroppingLater()
    assert WorkFolder("gs://bucket/tmp").remove(session, is_settled=True) is None
    assert session.databases == set()


@pytest.mark.parametrize("ending", ["#1", "?x=1", "#", "/%2e%2e#", "/sub/../#"])
def test_nothing_of_the_users_is_removed(tmp_path: Path, ending: str) -> None:
    mine = tmp_path / "data" / "flows.parquet"
    (mine.parent / "sub").mkdir(parents=True)
    mine.write_bytes(b"mine")
    folder = WorkFolder(f"file://{mine.parent}{ending}")
    assert folder.remove(Refusing(), is_settled=True) is not None
    assert mine.read_bytes() == b"mine"


def test_a_server_that_is_gone(tmp_path: Path) -> None:
    with sail_server(tmp_path / "log") as address:
        pass
    with pytest.raises(UsageError, match="no Spark Connect server answers"):
        spark.read_logs(
            [tmp_path.as_uri()],
            KNOWN,
            TrafficOptions(),
            place=SparkPlace(remote=address, work=tmp_path.as_uri()),
        )


def test_a_server_that_is_killed(tmp_path: Path) -> None:
    with ExitStack() as stack:
        address = stack.enter_context(sail_server(tmp_path / "log"))
        work = tmp_path.as_uri()
        with spark.connected(SparkPlace(remote=address, work=work)) as session:
            engine = spark.SparkEngine(session, work, address)
            engine.create("edge")
            stack.close()
            with pytest.raises(NetplanError, match="the Spark server no longer answers"):
                engine.create("edge")


@settings(
    max_examples=examples(0.4),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    rows=st.lists(records(), min_size=1, max_size=20),
    reporter=st.sampled_from(list(Reporter)),
)
def test_aggregates_of_random_records(server: str, rows: list[Record], reporter: Reporter) -> None:
    """What a server summed is the same when it is read from aggregates, and DuckDB's."""
    known = project(True, True)
    options = replace(aggregated.OPTIONS, reporter=reporter)
    by_file, by_spark = both(server, [[as_entry(one) for one in rows]], known, options)
    with tempfile.TemporaryDirectory() as name:
        sums = aggregated.written(Path(name), by_spark, inventory=known, options=options)
        assert read_traffic([sums], known, options) == by_spark == by_file
