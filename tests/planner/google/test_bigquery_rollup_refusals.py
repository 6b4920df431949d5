"""What a rollup in BigQuery is refused for, and what it says before anything is paid for."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.errors import AccessError, InputError, NetplanError, UsageError
from netplan_planner.google.bigquery.place import Place, parse_rollup
from netplan_planner.google.bigquery.read import read_bigquery
from netplan_planner.google.logs.options import LogOptions
from netplan_planner.traffic import TrafficOptions
from netplan_planner.world.remote_traffic import place_in_bigquery
from netplan_planner.world.request import InputRequest
from support.flows.kinds import KNOWN
from support.servers.bigquery import PROJECT, service_at
from support.servers.hostile import Asked, HostileServer, json_answer

SINK = "compute_googleapis_com_vpc_flows"
PLACE = Place(project=PROJECT, dataset="logs")
KEPT = Place(project=PROJECT, dataset="kept")
OPTIONS = TrafficOptions(
    since=datetime(2026, 11, 1, tzinfo=UTC), until=datetime(2026, 11, 4, tzinfo=UTC)
)
NOW = datetime(2026, 11, 20, tzinfo=UTC)
TIB = 1 << 40
COLUMNS = [
    {"name": "timestamp", "type": "TIMESTAMP"},
    {"name": "jsonPayload", "type": "RECORD", "fields": []},
]
JOB = {"jobReference": {"projectId": PROJECT, "jobId": "j", "location": "EU"}}
BY_DAY = {"type": "DAY", "field": "timestamp"}


class Service:
    """Datasets `logs` and `kept`, whose tables and answers a test chooses."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Any]] = {SINK: {"timePartitioning": BY_DAY}}
        self.kept: dict[str, str] = {}
        self.location = "EU"
        self.may_write = True
        self.rows = {"20261031": 5, "20261101": 7, "20261102": 9, "20261103": 4, "20261104": 1}
        self.asked: list[str] = []
        self.written: list[str] = []

    def answer(self, asked: Asked) -> bytes:
        """Answer a request."""
        found = self.post(json.loads(asked.body)) if asked.body else self.get(asked.path)
        return json_answer(found[1], status=found[0])

    def get(self, path: str) -> tuple[int, Any]:
        """Answer with metadata, or with the partitions."""
        if "/queries/" in path:
            return 200, self._partitions()
        dataset, _, table = path.partition("/datasets/")[2].partition("/tables")
        if not table and "/tables" not in path:
            location = "EU" if dataset == "logs" else self.location
            return 200, {"datasetReference": _of(dataset), "location": location}
        held: Mapping[str, Any] = self.tables if dataset == "logs" else self.kept
        if not table.strip("/"):
            return 200, {"tables": [{"tableReference": _of(dataset, name)} for name in held]}
        name = table.strip("/")
        if dataset == "kept":
            return 200, {"tableReference": _of(dataset, name), "description": self.kept[name]}
        more = {"schema": {"fields": COLUMNS}, **self.tables[name]}
        return 200, {"tableReference": _of(dataset, name), **more}

    def post(self, body: Any) -> tuple[int, Any]:
        """Answer a query: only dry runs, and what tells the state of days."""
        query = body["configuration"]["query"]["query"]
        is_dry = body["configuration"].get("dryRun", False)
        if query.startswith("CREATE OR REPLACE TABLE"):
            assert is_dry
            self.written.append(query)
            if not self.may_write:
                message = "Permission bigquery.tables.create denied on dataset kept"
                error = {"code": 403, "message": message, "errors": [{"reason": "accessDenied"}]}
                return 403, {"error": error}
        elif not is_dry and "PARTITIONS" not in query and "ABORT_SESSION" not in query:
            raise AssertionError(query)
        elif is_dry:
            self.asked.append(query)
        size = query.count("`kept`") * TIB + (SINK in query) * 8 * TIB
        return 200, {
            **JOB,
            "status": {"state": "DONE"},
            "statistics": {"query": {"totalBytesProcessed": str(size)}},
            "configuration": {"query": {}, "dryRun": is_dry},
        }

    def _partitions(self) -> Any:
        fields = [("table_name", "STRING"), ("day", "STRING")]
        fields += [("entries", "INTEGER"), ("modified", "INTEGER")]
        return {
            **JOB,
            "jobComplete": True,
            "totalRows": str(len(self.rows)),
            "schema": {"fields": [{"name": name, "type": kind} for name, kind in fields]},
            "rows": [
                {"f": [{"v": SINK}, {"v": day}, {"v": str(count)}, {"v": "1"}]}
                for day, count in self.rows.items()
            ],
        }


def _of(dataset: str, table: str | None = None) -> dict[str, str]:
    found = {"projectId": PROJECT, "datasetId": dataset}
    return {**found, "tableId": table} if table else found


def refused(
    service: Service,
    kind: type[NetplanError],
    *,
    options: TrafficOptions = OPTIONS,
    kept: Place = KEPT,
    max_cost: str = "1",
) -> tuple[str, list[str]]:
    """Return the error of a reading, and what was said before it."""
    said: list[str] = []
    with HostileServer(service.answer) as server, pytest.raises(kind) as raised:
        read_bigquery(
            service_at(server.url),
            PLACE,
            KNOWN,
            options,
            rollup=kept,
            max_cost_usd=Decimal(max_cost),
            say=said.append,
            now=lambda: NOW,
        )
    return str(raised.value), said


def test_who_may_not_write_is_told_the_role_before_anything_is_read() -> None:
    service = Service()
    service.may_write = False
    error, _ = refused(service, AccessError)
    assert f"--rollup {PROJECT}.kept: not permitted" in error
    assert "roles/bigquery.dataEditor on that dataset" in error
    assert "dataViewer" not in error


def test_what_the_sums_of_days_cost_is_said_and_bounded_too() -> None:
    service = Service()
    error, said = refused(service, UsageError)
    # Three days, and those before and after, whose entries may be of flows of the window.
    assert error.startswith(f"{PLACE}: about $875.00 ($250.00 to read {40 * TIB:,} bytes")
    assert said[0].startswith(
        f"{PLACE}: {40 * TIB:,} bytes to read: $250.00 at $6.25 per TiB. With the aggregation about"
    )
    assert "no dry run states: reads the logs of 5 days" in said[0]
    assert said[0].endswith("the sums of 5 days, and nothing elsewhere")
    (probe,) = service.written
    assert "2026-10-31" in probe
    # A table with the description that it is made with is a day that is kept; one that says another
    # day, or another state of the logs, is none.
    made = re.search(r"`kept`\.`(\w+)_20261031`.*description = \"([^\"]+)\"", probe)
    assert made is not None
    name, description = made.groups()
    service.kept = {
        f"{name}_20261031": description,
        f"{name}_20261101": description,
        "others": "netplan: sums",
    }
    error, said = refused(service, UsageError)
    assert "the logs of 4 days and the sums of 1 day" in said[0]
    assert f"{33 * TIB:,} bytes" in said[0]
    assert "the sums of 4 days, and nothing elsewhere" in said[0]
    # One more entry in that day's partition, and it is read anew.
    service.rows["20261031"] += 1
    _, said = refused(service, UsageError)
    assert "the logs of 5 days and the sums of 0 days" in said[0]


def test_a_day_that_is_kept_is_read_whole_wherever_the_window_ends() -> None:
    service = Service()
    refused(service, UsageError)
    first, last = service.asked[0], service.asked[4]
    assert "2026-10-31 00:00:00" in first
    assert "2026-11-01 00:00:00" in first
    assert "2026-11-04 00:00:00" in last
    assert "2026-11-05 00:00:00" in last, "a window of that day reads what is kept here"


def test_other_choices_have_other_tables_and_the_reporter_is_none_of_them() -> None:
    def name(options: TrafficOptions, place_of: str = SINK) -> str:
        service = Service()
        refused(service, UsageError, options=options)
        found = re.search(r"`kept`\.`(\w+)`", service.written[0])
        assert found is not None
        return found[1]

    usual = name(OPTIONS)
    assert usual == name(replace(OPTIONS, gap_minutes=3, by_hour=True))
    assert usual != name(replace(OPTIONS, max_record_minutes=30))
    assert usual != name(replace(OPTIONS, example_count=2))


def test_a_midnight_of_utc_is_one_in_every_zone() -> None:
    service = Service()
    east = timezone(timedelta(hours=5))
    since = OPTIONS.since
    assert since is not None
    _, said = refused(service, UsageError, options=replace(OPTIONS, since=since.astimezone(east)))
    assert "the logs of 5 days" in said[0]
    assert "2026-10-31" in service.written[0]


def test_a_dataset_elsewhere_or_of_the_logs_is_refused() -> None:
    service = Service()
    service.location = "US"
    assert "is in US, but the logs are in EU" in refused(service, UsageError)[0]
    assert "name another dataset" in refused(Service(), UsageError, kept=PLACE)[0]


def test_tables_whose_days_cannot_be_told_are_refused() -> None:
    service = Service()
    service.tables = {SINK: {}}
    assert (
        "is not partitioned by day of timestamp and has no receiveTimestamp"
        in refused(service, UsageError)[0]
    )
    service.tables = {SINK: {"timePartitioning": BY_DAY}, f"{SINK}_20261102": {}}
    assert (
        "has both daily tables and a partitioned table, so a day" in refused(service, UsageError)[0]
    )
    service.tables = {SINK: {"schema": {"fields": COLUMNS[1:]}}}
    assert "no column timestamp" in refused(service, UsageError)[0]


def test_windows_and_verbs_that_days_cannot_answer_are_refused_before_anything_is_asked() -> None:
    for change in (
        {"since": datetime(2026, 11, 1, 10, tzinfo=UTC)},
        {"until": datetime(2026, 11, 3, 0, 0, 1, tzinfo=UTC)},
    ):
        options = replace(OPTIONS, **change)
        service = Service()
        error, _ = refused(service, UsageError, options=options)
        assert "--rollup stores whole days" in error
        assert not service.asked
    counted = replace(OPTIONS, log_volume_from_gbps=0.0)
    assert "five-tuple" in refused(Service(), UsageError, options=counted)[0]


@pytest.mark.parametrize("text", ["a-b", "P.logs", "a.b.c", "bigquery://my-project.logs", ""])
def test_a_name_of_no_dataset_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"DATASET or DATASET"):
        parse_rollup(text, PROJECT)


def test_without_traffic_in_bigquery_there_is_nothing_to_keep() -> None:
    with pytest.raises(UsageError, match="--rollup stores sums of --traffic bigquery"):
        place_in_bigquery(InputRequest(today=NOW.date(), log_options=LogOptions(rollup="kept")))


def test_a_dataset_that_is_not_there_is_told() -> None:
    service = Service()
    answer = {"error": {"code": 404, "message": "Not found: Dataset kept", "errors": []}}
    get = service.get

    def without_kept(path: str) -> tuple[int, Any]:
        return (404, answer) if "/datasets/kept" in path else get(path)

    service.get = without_kept  # type: ignore[method-assign]
    assert f"--rollup {PROJECT}.kept: not found" in refused(service, InputError)[0]
