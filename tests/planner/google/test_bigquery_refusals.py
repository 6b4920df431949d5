"""What BigQuery refuses is told by name, and a service that is gone."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import netplan_planner
from netplan_planner.cli.app import progress
from netplan_planner.cli.state import state
from netplan_planner.errors import AccessError, InputError, NetplanError, UsageError
from netplan_planner.google.bigquery.place import Place, is_place, parse_place
from netplan_planner.google.bigquery.queries import Jobs
from netplan_planner.google.bigquery.read import bytes_for, read_bigquery
from netplan_planner.google.logs.options import LogOptions
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.transport import Transport
from netplan_planner.meter import Notice
from netplan_planner.traffic import TrafficOptions
from netplan_planner.world.remote_traffic import (
    BIGQUERY_VARIABLE,
    endpoint_of,
    read_traffic_in_bigquery,
)
from support.commands.run import run_verbs
from support.flows.kinds import KNOWN
from support.listed import listed
from support.servers.bigquery import PROJECT, service_at
from support.servers.hostile import Asked, HostileServer, json_answer

INVENTORY = Path(netplan_planner.__file__).parent / "demos" / "dobermanifesto" / "inventory"
PLACE = Place(project=PROJECT, dataset="logs")
HASTE = {"backoff_initial_s": 0.01, "backoff_max_s": 0.05, "max_attempts": 2, "timeout_s": 2.0}
SINCE = TrafficOptions(since=datetime(2026, 11, 1, tzinfo=UTC))
TIB = 1 << 40
LOGS = {"projectId": PROJECT, "datasetId": "logs"}
DATASET = {"datasetReference": LOGS, "location": "EU"}
TIMESTAMP = {"name": "timestamp", "type": "TIMESTAMP"}
TABLE = {
    "tableReference": {**LOGS, "tableId": "compute_googleapis_com_vpc_flows"},
    "schema": {"fields": [TIMESTAMP, {"name": "jsonPayload", "type": "RECORD", "fields": []}]},
}
Reply = tuple[int, dict[str, Any]]


def refusal(status: int, reason: str, message: str) -> tuple[int, dict[str, Any]]:
    error = {"code": status, "message": message, "errors": [{"reason": reason}]}
    return status, {"error": error}


@contextmanager
def service(
    job: Reply | Callable[[Any], Reply], asked: list[Any], paths: list[str] | None = None
) -> Iterator[str]:
    """Yield the address of a service that has one table, and answers every job so."""

    def made(request: Asked) -> bytes:
        if paths is not None:
            paths.append(request.path)
        if request.body:
            asked.append(json.loads(request.body))
            status, body = job(asked[-1]) if callable(job) else job
            return json_answer(body, status=status)
        held = {
            "/queries/": {"jobComplete": False},
            "/tables/": TABLE,
            "/tables": {"tables": [TABLE]},
        }
        return json_answer(next((held[part] for part in held if part in request.path), DATASET))

    with HostileServer(made) as server:
        yield server.url


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (refusal(403, "accessDenied", "no jobs.create"), AccessError, "roles/bigquery.jobUser"),
        (refusal(403, "quotaExceeded", "query usage per day"), NetplanError, "a quota of BigQuery"),
        (refusal(404, "notFound", "not found in location US"), InputError, "another location"),
        (refusal(400, "bytesBilledLimitExceeded", "limit"), UsageError, "--max-cost allows.*use"),
        (
            refusal(400, "invalidQuery", "Unrecognized name"),
            NetplanError,
            "BigQuery refused a request",
        ),
    ],
    ids=["permission", "quota", "location", "cost", "statement"],
)
def test_a_refusal_says_what_to_do(
    answer: tuple[int, dict[str, Any]], kind: type[Exception], said: str
) -> None:
    with service(answer, []) as address, pytest.raises(kind, match=said) as raised:
        read_bigquery(service_at(address, **HASTE), PLACE, KNOWN, SINCE)
    assert str(PLACE) in str(raised.value)


@pytest.fixture
def far_from_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the machine elsewhere: a time without a zone is UTC all the same."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize("zone", [UTC, None], ids=["in UTC", "without a zone"])
def test_what_reading_costs_is_said_first_and_held_against_the_bound(
    zone: timezone | None, far_from_utc: None
) -> None:
    since = replace(SINCE, since=datetime(2026, 11, 1, tzinfo=zone))
    asked: list[Any] = []
    said: list[str] = []
    with service(answered(2 * TIB), asked) as address, pytest.raises(UsageError) as raised:
        read_bigquery(
            service_at(address, **HASTE),
            PLACE,
            KNOWN,
            since,
            max_cost_usd=Decimal("48.74"),
            say=said.append,
        )
    # A bound that the sums would meet on the way is held before anything is paid for.
    assert "about $48.75 ($12.50 to read" in str(raised.value)
    assert "--max-cost 48.74" in str(raised.value)
    assert said[0].startswith(f"{PLACE}: {2 * TIB:,} bytes to read: $12.50 at $6.25 per TiB")
    assert "With the aggregation about $48.75" in said[0]
    (only,) = asked
    assert only["configuration"]["dryRun"] is True
    assert only["configuration"]["labels"] == {"tool": "netplan"}
    query = only["configuration"]["query"]["query"]
    assert "2026-10-31 23:40:00" in query, "wider than the window, as logs come late"


@pytest.mark.parametrize(
    ("words", "variable", "configured", "most"),
    [
        ((), None, None, "5 (the default)"),
        (("--max-cost", "6"), None, None, "6"),
        ((), "7", None, "7"),
        ((), None, "8", "8"),
        ((), None, '"9.5"', "9.5"),
        (("--max-cost", "NONE"), None, None, None),
        ((), "none", None, None),
        ((), None, '"none"', None),
    ],
)
def test_a_run_costs_five_dollars_at_most_unless_it_may_cost_more(
    words: tuple[str, ...],
    variable: str | None,
    configured: str | None,
    most: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a user says it; the cost is told to who wants to read nothing else, too."""
    monkeypatch.chdir(tmp_path)
    if variable is not None:
        monkeypatch.setenv("NETPLAN_AUDIT_MAX_COST", variable)
    if configured is not None:
        Path("netplan.toml").write_text(f"[audit]\nmax-cost = {configured}\n", encoding="utf-8")
    asked: list[Any] = []

    def jobs(body: Any) -> tuple[int, dict[str, Any]]:
        if body["configuration"].get("dryRun"):
            return answered(2 * TIB)
        return refusal(400, "invalidQuery", "made by the test")

    with service(jobs, asked) as address:
        monkeypatch.setenv(BIGQUERY_VARIABLE, address)
        done = run_verbs(
            arguments=[
                *("--quiet", "audit", "--anonymous", "--inventory", str(INVENTORY)),
                *("--traffic", str(PLACE), "--since", "2026-11-01", *words),
            ]
        )
    told, *_, error = done.stderr.splitlines()
    assert f"{2 * TIB:,} bytes to read: $12.50" in told
    if most is None:
        assert "made by the test" in error
        begun = asked[-1]["configuration"]["query"]
        assert "maximumBytesBilled" not in begun
        return
    assert f"about $48.75 ($12.50 to read {2 * TIB:,} bytes" in error
    assert f"exceeds --max-cost {most}: use a shorter window" in error
    assert "--max-cost USD, or --max-cost none" in error
    assert done.returncode == 2
    assert len(asked) == 1, "nothing but the dry run"


def test_a_bound_that_is_neither_a_sum_nor_none_is_refused() -> None:
    done = run_verbs(
        arguments=[
            *("audit", "--anonymous", "--inventory", str(INVENTORY), "--traffic", str(PLACE)),
            *("--since", "2026-11-01", "--max-cost", "no"),
        ]
    )
    assert done.returncode == 2
    assert "--max-cost: 'no' is not a number from 0 to 1e+15; or give none" in done.stderr


def test_a_reading_that_ends_without_an_answer_says_what_was_billed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken_off(self: Jobs, query: str) -> None:
        self.bytes_billed = TIB
        raise KeyboardInterrupt

    monkeypatch.setattr(Jobs, "dry_run_bytes", lambda self, query: TIB)
    monkeypatch.setattr(Jobs, "run", broken_off)
    said: list[str] = []
    with service((200, {}), []) as address, pytest.raises(KeyboardInterrupt):
        read_bigquery(service_at(address, **HASTE), PLACE, KNOWN, SINCE, say=said.append)
    assert said[1] == (
        f"{PLACE}: BigQuery billed {TIB:,} bytes ($6.25 at list price); no answer arrived"
    )
    assert all(isinstance(line, Notice) for line in said), "in the log of a run nobody watches"


def test_a_query_that_is_cancelled_may_be_billed_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(self: Transport, wait_s: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Jobs, "dry_run_bytes", lambda self, query: TIB)
    monkeypatch.setattr(Transport, "pause", interrupted)
    said: list[str] = []
    paths: list[str] = []
    running = {"status": {"state": "RUNNING"}}
    with service((200, running), [], paths) as address, pytest.raises(KeyboardInterrupt):
        read_bigquery(service_at(address, **HASTE), PLACE, KNOWN, SINCE, say=said.append)
    begun, waited, cancelled = paths[-3:]
    assert begun == f"/bigquery/v2/projects/{PROJECT}/jobs"
    name = waited.removeprefix(f"/bigquery/v2/projects/{PROJECT}/queries/")
    assert name.startswith("netplan_")
    assert cancelled == f"{begun}/{name}/cancel"
    assert said[1].endswith("; BigQuery may bill the cancelled query, too")


def test_what_is_about_to_be_paid_is_told_where_nobody_watches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(state, "quiet", False)
    progress("querying BigQuery for")
    progress(Notice("$12.50"))
    assert capsys.readouterr().err == "$12.50\n"
    monkeypatch.setattr(state, "quiet", True)
    progress("querying BigQuery for")
    progress(Notice("$12.50"))
    assert capsys.readouterr().err == "$12.50\n", "money is told to who wants no other line too"


def answered(byte_count: int) -> tuple[int, dict[str, Any]]:
    return 200, {
        "jobReference": {"projectId": PROJECT, "jobId": "j", "location": "EU"},
        "status": {"state": "DONE"},
        "statistics": {"query": {"totalBytesProcessed": str(byte_count)}},
        "configuration": {"query": {}, "dryRun": True},
    }


def test_a_bound_is_a_number_that_the_service_takes() -> None:
    asked: list[Any] = []
    with service(refusal(400, "invalidQuery", "no"), asked) as address:
        jobs = Jobs(service_at(address, **HASTE), None, str(PLACE), bytes_for(Decimal("1e15")))
        with pytest.raises(NetplanError, match="BigQuery refused a request"):
            jobs.run("SELECT 1")
    (only,) = asked
    assert int(only["configuration"]["query"]["maximumBytesBilled"]) == (1 << 63) - 1


@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        (datetime(2026, 11, 3), datetime(2026, 11, 2, tzinfo=UTC), "--until 2026-11-02"),
        (datetime(2026, 11, 2), datetime(2026, 11, 2), "--until 2026-11-02"),
        (datetime(2026, 11, 3), None, "now"),
    ],
)
def test_a_window_that_holds_nothing_asks_for_nothing(
    since: datetime, until: datetime | None, said: str
) -> None:
    asked: list[Any] = []
    window = TrafficOptions(since=since, until=until)
    now = datetime(2026, 11, 2, 12, tzinfo=UTC)
    with (
        service(answered(TIB), asked) as address,
        pytest.raises(UsageError, match=f"is not before {said}"),
    ):
        read_bigquery(service_at(address, **HASTE), PLACE, KNOWN, window, now=lambda: now)
    assert asked == []


def test_a_service_that_is_gone_is_told_in_time() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(NetplanError, match="no usable answer"):
        Jobs(service_at(address, **HASTE), None, str(PLACE)).run("SELECT 1")


def test_nothing_is_asked_without_a_beginning() -> None:
    with pytest.raises(UsageError, match="--since"):
        read_traffic_in_bigquery(
            PLACE, KNOWN, TrafficOptions(), LogOptions(), ApiOptions(), lambda _: None
        )


def test_credentials_go_where_they_are_meant_to() -> None:
    assert endpoint_of(ApiOptions(), {}).base_url == "https://bigquery.googleapis.com/bigquery/v2/"
    with pytest.raises(UsageError, match=BIGQUERY_VARIABLE):
        endpoint_of(ApiOptions(endpoint="http://127.0.0.1:1"), {})
    with pytest.raises(
        UsageError, match="is neither encrypted nor local, so credentials are not sent to it"
    ):
        endpoint_of(ApiOptions(), {BIGQUERY_VARIABLE: "http://example.com"})


@listed("text", ["logs", "P.logs", "my-project.a-b", "my-project.a.b.c"])
def test_an_address_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"bigquery://PROJECT\.DATASET"):
        parse_place(f"bigquery://{text}")


def test_a_sum_that_is_none_is_no_bound() -> None:
    with pytest.raises(UsageError, match="--max-cost"):
        LogOptions(max_cost_usd=Decimal(0))


def test_paths_of_files_are_no_places() -> None:
    assert is_place(Path("bigquery://my-project.logs"))
    assert not is_place(Path("logs/bigquery"))
