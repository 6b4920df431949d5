"""Whole matrices and reports on a server of Spark 4 itself, against DuckDB over the same files.

JSON lines, which Sail does not read, with ANSI mode on and off and in other time zones.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.servers.spark import spark_home, spark_server

ABSENT = "Spark 4 is not installed here; .ci/spark4.sh makes an environment of it"
if spark_home() is None:
    pytest.skip(ABSENT, allow_module_level=True)

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import netplan_planner  # noqa: E402
from netplan_planner.model import Inventory  # noqa: E402
from netplan_planner.traffic import TrafficOptions  # noqa: E402
from support.flows import exports  # noqa: E402
from support.flows.cases import LOGGING, as_entry, project, records  # noqa: E402
from support.flows.kinds import BAD, KNOWN, of_all_kinds  # noqa: E402
from support.flows.on_spark import both, flags, without_examples, write_lines  # noqa: E402
from support.flows.oracle import Record  # noqa: E402
from support.flows.records import NETWORK_LOG, entry  # noqa: E402
from support.flows.reports import reports_of  # noqa: E402
from support.projects.shared_data import needs_shared, shared  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
SERVERS = {
    "as it comes": {},
    "other modes and zones": {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.session.timeZone": "Asia/Kolkata",
        "spark.driver.extraJavaOptions": "-Duser.timezone=America/St_Johns",
        "spark.sql.files.ignoreCorruptFiles": "true",
    },
}
DEMO = Path(netplan_planner.__file__).parent / "demos" / "dobermanifesto"


@pytest.fixture(scope="module", params=SERVERS)
def any_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Yield the address of a server, one after the other."""
    with spark_server(tmp_path_factory.mktemp("spark"), SERVERS[request.param]) as (address, _):
        yield address


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with spark_server(tmp_path_factory.mktemp("spark")) as (address, _):
        yield address


def test_lines_of_all_kinds(any_server: str, tmp_path: Path) -> None:
    """Both log names, in folders as a sink to Cloud Storage makes them, some of them packed."""
    rows = of_all_kinds()
    third = len(rows) // 3
    flows = tmp_path / "flows"
    write_lines(flows / "compute.googleapis.com" / "vpc_flows" / "a.json", rows[:third])
    write_lines(flows / "networkmanagement" / "2026" / "b.json.gz", rows[third : 2 * third])
    write_lines(flows / "c.jsonl", [*rows[2 * third :], *BAD.values()])
    options = TrafficOptions(by_hour=True, log_volume_from_gbps=0.0)
    by_file, by_spark = both(any_server, flows, KNOWN, options)
    assert without_examples(by_spark) == without_examples(by_file)
    assert by_file.coverage.files == 3
    assert by_file.log_volume is not None
    told = {one.source: one.reason for one in by_spark.coverage.examples}
    assert told["insertId b"] == "a negative byte or packet count"


GOOD = entry("10.0.1.1", "10.0.2.1", 5, insert_id="good")
BODY = GOOD["jsonPayload"]
TEXT = json.dumps(GOOD)
OTHER = json.dumps({**GOOD, "logName": "projects/p/logs/other"})
BROKEN: Sequence[str | bytes] = (
    "{oops",
    TEXT[:-1],
    TEXT[:-2] + "\r",
    TEXT[:90],
    TEXT + TEXT,
    TEXT + ",",
    TEXT + "]",
    TEXT + " trailing",
    TEXT + " // comment",
    OTHER + OTHER,
    OTHER[:-1],
    f"[{TEXT}]",
    f"[{TEXT}, {TEXT}]",
    "[]",
    "{}",
    "5",
    '"text"',
    "null",
    "true",
    TEXT.replace('"', "'"),
    TEXT.replace('"bytes_sent": "5"', '"bytes_sent": 05'),
    TEXT.replace('"bytes_sent": "5"', '"bytes_sent": +5'),
    TEXT.replace('"bytes_sent": "5"', '"bytes_sent": NaN'),
    TEXT.replace('"bytes_sent": "5"', '"bytes_sent": "\\x"'),
    OTHER.replace('"bytes_sent": "5"', '"bytes_sent": 05'),
    TEXT.encode().replace(b"good", b"\xff\xfe"),
    b"\xff\xfe",
    b"\x00\x00",
)
"""Lines that are no entry, some of them with one in it."""
READABLE: Sequence[str] = (
    "",
    "   ",
    "\t\r",
    TEXT + "\r",
    "  " + TEXT + " \t",
    OTHER,
    json.dumps({**GOOD, "resource": "text", "insertId": "r"}),
    json.dumps(
        {**GOOD, "jsonPayload": {**GOOD["jsonPayload"], "src_vpc": "text"}, "insertId": "v"}
    ),
    json.dumps(
        {**GOOD, "jsonPayload": {**GOOD["jsonPayload"], "new": [{"a": 1}]}, "insertId": "n"}
    ),
    json.dumps({**GOOD, "logName": "projects/p/logs/x", "jsonPayload": {"connection": "keep"}}),
    json.dumps({**GOOD, "logName": "projects/p/logs/x", "jsonPayload": "text"}),
    json.dumps({**GOOD, "logName": NETWORK_LOG, "insertId": "w"}),
    *(
        TEXT.replace('"bytes_sent": "5"', f'"bytes_sent": {count}').replace("good", f"c{number}")
        for number, count in enumerate(("443.0", "1e3", "0.5", "-0", "7", "null", "[1, 2]", "true"))
    ),
)
"""Blank lines, and entries whose fields are more, fewer or other than they should be."""


def test_broken_lines_are_counted_alike(any_server: str, tmp_path: Path) -> None:
    assert len(set(BROKEN)) == len(BROKEN)
    write_lines(tmp_path / "flows" / "a.json", [GOOD, *BROKEN])
    write_lines(tmp_path / "flows" / "b.json.gz", [*READABLE, GOOD])
    by_file, by_spark = both(any_server, tmp_path / "flows", KNOWN)
    assert without_examples(by_spark) == without_examples(by_file)
    assert dict(by_file.coverage.excluded)["malformed"] >= len(BROKEN)


@settings(
    max_examples=examples(0.15),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    rows=st.lists(records(), min_size=1, max_size=20),
    logging=st.sampled_from(sorted(LOGGING)),
)
def test_random_records(
    server: str, tmp_path_factory: pytest.TempPathFactory, rows: list[Record], logging: str
) -> None:
    flows = tmp_path_factory.mktemp("random") / "flows"
    write_lines(flows / "a.json.gz", [as_entry(record) for record in rows])
    by_file, by_spark = both(server, flows, project(*LOGGING[logging]))
    assert by_spark == by_file


def test_parquet_and_lines_together(server: str, tmp_path: Path) -> None:
    rows = exports.rows()
    flows = tmp_path / "flows"
    write_lines(flows / "day=1" / "a.json", rows[:2])
    pq.write_table(pa.Table.from_pylist(rows[2:4]), flows / "b.parquet")
    pq.write_table(pa.Table.from_pylist(rows[4:]), flows / "day=1" / "c.parquet")
    by_file, by_spark = both(server, flows, exports.KNOWN)
    assert by_spark == by_file
    assert by_file.coverage.files == 3


@pytest.mark.parametrize("kind", ["json.gz", "parquet"])
def test_an_audit_gives_the_same_report(server: str, tmp_path: Path, kind: str) -> None:
    flows = tmp_path / f"flows.{kind}"
    if kind == "parquet":
        with gzip.open(DEMO / "flows.json.gz", "rt") as lines:
            pq.write_table(pa.Table.from_pylist([json.loads(line) for line in lines]), flows)
    else:
        flows.write_bytes((DEMO / "flows.json.gz").read_bytes())
    inventory = ["--inventory", str(DEMO / "inventory")]
    by_file = reports_of(tmp_path / "file", [*inventory, "--traffic", str(flows)])
    by_spark = reports_of(
        tmp_path / "spark", [*inventory, "--traffic", flows.as_uri(), *flags(server, tmp_path)]
    )
    assert by_spark == by_file
    assert all(len(text.splitlines()) > 30 for text in by_file.values())


@needs_shared
def test_recorded_logs(server: str, tmp_path: Path) -> None:
    flows = tmp_path / "flows"
    recorded = sorted(shared("data/recorded/vpc_flow_logs").glob("*.json"))
    for number, file in enumerate(recorded):
        write_lines(flows / f"{number}.json", [json.loads(file.read_text())])
    by_file, by_spark = both(server, flows, Inventory())
    assert by_spark == by_file
    assert by_file.coverage.used_count == len(recorded) > 5
