"""Flow logs from Cloud Logging: whole, in part, broken off and gone on with, and refused."""

import gzip
import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from netplan_planner import writing
from netplan_planner.errors import AccessError, EmptyError, InputError, UsageError
from netplan_planner.google.compute_methods import (
    ENTRIES_ID,
    ENTRIES_PERMISSION,
    MEMBERS_ID,
    PRIVATE_ENTRIES_PERMISSION,
)
from netplan_planner.google.logs import pages
from netplan_planner.google.logs.options import LOGGING_VARIABLE, SCOPE, LogOptions
from netplan_planner.google.logs.pages import Pace, entries_request, read_page
from netplan_planner.google.logs.read import LogsRead, read_flow_logs
from netplan_planner.google.options import ApiOptions, resolve_endpoint
from netplan_planner.google.refusals import POSTED, READS_BY_POST, Request
from netplan_planner.google.transport import NotWhole, Transport
from netplan_planner.model import ProjectId
from netplan_planner.writing import sole_user
from support.flows.records import START, entry
from support.servers.discovery import discovery
from support.servers.documented import Fault
from support.servers.logging import LoggingServer

HASTE = ApiOptions(is_anonymous=True, max_attempts=3, backoff_initial_s=0.0, timeout_s=5)
UNTIL = START + timedelta(hours=2)
OTHER_LOG = "projects/p/logs/cloudaudit.googleapis.com%2Factivity"
Json = dict[str, Any]


def flows(count: int, project: str = "p", *, every_s: float = 60) -> list[Json]:
    """Return entries a minute apart, each with an id of its own."""
    log = f"projects/{project}/logs/compute.googleapis.com%2Fvpc_flows"
    return [
        entry(
            *("10.0.0.1", "10.0.0.2", 1000),
            start=number * every_s,
            end=number * every_s + 30,
            insert_id=f"{project}{number}",
            log=log,
        )
        for number in range(count)
    ]


def read(
    server: LoggingServer,
    *projects: str,
    api: ApiOptions = HASTE,
    since: datetime | None = START,
    until: datetime | None = UNTIL,
    say: list[str] | None = None,
    now: datetime = UNTIL + timedelta(days=1),
    **options: Any,
) -> LogsRead:
    """Return what was read; its files are those of a folder that stays, or gone."""
    asked = LogOptions(endpoint=server.url, requests_per_minute=6000, **options)
    with read_flow_logs(
        projects or ["p"],
        api,
        asked,
        since=since,
        until=until,
        say=(say if say is not None else []).append,
        now=lambda: now,
    ) as logs:
        assert all(path.is_file() for path in logs.files)
        return logs


def ids(folder: Path) -> list[str]:
    """Return the ids of all entries in a folder, in the order of its pages."""
    found: list[str] = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        found += [json.loads(line)["insertId"] for line in lines]
    return found


def test_both_logs_are_read_in_the_window_and_page_by_page(tmp_path: Path) -> None:
    network = entry("10.0.0.1", "10.0.0.2", 5, start=90, configuration="c", insert_id="n")
    early = entry("10.0.0.1", "10.0.0.2", 5, start=-3600, end=-3500, insert_id="early")
    other = entry("10.0.0.1", "10.0.0.2", 5, insert_id="audit", log=OTHER_LOG)
    with LoggingServer({"p": [*flows(7), network, early, other]}, page_limit=3) as server:
        logs = read(server, folder=tmp_path / "pages")
    assert sorted(ids(tmp_path / "pages")) == ["n", *(f"p{n}" for n in range(7))]
    assert len(logs.files) == 3
    assert server.asked_tokens() == ["", "3", "6"]
    assert (logs.since, logs.until, logs.incomplete) == (START, UNTIL, ())
    (asked, *_) = server.calls
    assert asked.http_method == "POST"
    assert asked.asked["pageSize"] == 1000
    # An entry is written when what it tells of is over, and a while later.
    assert 'timestamp<"2026-03-02T12:20:00Z"' in asked.asked["filter"]


def test_the_pages_are_of_their_owner_alone_and_gone_without_a_folder(tmp_path: Path) -> None:
    with LoggingServer({"p": flows(2)}) as server:
        read(server, folder=tmp_path / "pages")
        logs = read(server)
    assert stat.S_IMODE((tmp_path / "pages").stat().st_mode) == 0o700
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "pages").iterdir()}
    assert modes == {0o600}
    assert not logs.folder.exists()


def test_an_answer_without_entries_is_not_the_end(tmp_path: Path) -> None:
    with LoggingServer({"p": flows(6)}, page_limit=3, empty_pages=(0, 3)) as server:
        logs = read(server, folder=tmp_path / "pages")
    assert len(ids(tmp_path / "pages")) == 6
    assert len(logs.files) == 2
    assert server.asked_tokens() == ["", "0-later", "3", "3-later"]


def test_the_default_window_is_the_last_day_and_said(tmp_path: Path) -> None:
    now = START + timedelta(hours=3, seconds=17)
    with LoggingServer({"p": flows(3)}) as server:
        logs = read(server, since=None, until=None, now=now)
        assert (logs.since, logs.until) == (START - timedelta(hours=21), START + timedelta(hours=3))
        (note,) = logs.notes
        assert "2026-03-01 13:00 to 2026-03-02 13:00 UTC" in note
        assert "the last 24 hours" in note
        only_until = read(server, since=None)
        assert only_until.since == UNTIL - timedelta(hours=24)


def test_a_window_that_ends_now_may_lack_its_last_minutes() -> None:
    moment = datetime.now(UTC)
    ended = (moment - timedelta(minutes=50)).isoformat()
    held = [{**flows(1)[0], "timestamp": ended}]
    with LoggingServer({"p": held}) as server:
        now = read(server, since=None, until=None, now=moment)
        before = read(server, since=None, until=moment - timedelta(minutes=20), now=moment)
    assert any("records of the last 15 minutes may be missing" in note for note in now.notes)
    assert not any("written" in note for note in before.notes)


def test_a_bound_ends_the_window_where_reading_ended() -> None:
    said: list[str] = []
    with LoggingServer({"p": flows(100)}, page_limit=10) as server:
        logs = read(server, most_records=50, say=said)
    # The last entry is of 10:49:35; a flow that began 15 minutes before may be in a later one.
    assert logs.until == START + timedelta(minutes=34)
    (line,) = logs.incomplete
    assert "stopped after 50 records (--max-log-records)" in line
    assert "the window read is 2026-03-02 10:00 to 2026-03-02 10:34 UTC" in line
    assert "2026-03-02 12:00 was requested" in line
    assert "Cloud Storage or BigQuery" in line
    assert len(server.calls) == 5
    announced, estimated = said
    assert "at most 50 records" in announced
    # Ten records in nine and a half minutes of two hours.
    assert "125 records" in estimated
    assert "of which 50 are read" in estimated


def test_projects_are_read_side_by_side_in_time(tmp_path: Path) -> None:
    held = {"p": flows(60), "q": flows(60, "q")}
    with LoggingServer(held, page_limit=10) as server:
        logs = read(server, "p", "q", most_records=60, folder=tmp_path / "pages")
    found = ids(tmp_path / "pages")
    assert (sum(i[0] == "p" for i in found), sum(i[0] == "q" for i in found)) == (30, 30)
    assert logs.until == START + timedelta(minutes=29)
    assert logs.projects == ("p", "q")


def test_what_breaks_off_leaves_the_part_that_was_read(tmp_path: Path) -> None:
    with LoggingServer({"p": flows(60)}, page_limit=20) as server:
        fault = server.add_fault(Fault(status=503, skip=2))
        logs = read(server, folder=tmp_path / "pages")
        (line,) = logs.incomplete
        assert "HTTP 503" in line
        assert "2026-03-02 10:00 to 2026-03-02 10:24 UTC" in line
        assert "continues there" in line
        asked = len(server.calls)
        fault.times = 0
        whole = read(server, folder=tmp_path / "pages")
        assert server.asked_tokens()[asked:] == ["40"]
    assert ids(tmp_path / "pages") == [f"p{n}" for n in range(60)]
    assert (whole.until, whole.incomplete) == (UNTIL, ())


class Killed(BaseException):
    """A process that ends at once."""


@pytest.mark.parametrize("file", ["p-000002.jsonl.gz", pages.STATE])
def test_a_run_that_is_killed_between_pages_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    """Killed before the second page is in its place, or before the record of it is."""
    folder = tmp_path / "pages"
    real, seen = writing.written_whole, []

    @contextmanager
    def dying(path: Path, **more: bool) -> Iterator[Path]:
        seen.append(path.name)
        # The record is written once at the beginning and once after the first page.
        if path.name == file and seen.count(file) == (3 if file == pages.STATE else 1):
            raise Killed
        with real(path, **more) as beside:
            yield beside

    with LoggingServer({"p": flows(9)}, page_limit=3) as server:
        monkeypatch.setattr(writing, "written_whole", dying)
        with pytest.raises(Killed):
            read(server, folder=folder)
        monkeypatch.setattr(writing, "written_whole", real)
        # What a kill in the middle of a write leaves.
        (folder / ".p-000002.jsonl.gz.00000000-1.new").write_bytes(b"half")
        logs = read(server, folder=folder)
        assert server.asked_tokens() == ["", "3", "3", "6"]
        # What is there in full is not asked for again.
        again = read(server, folder=folder)
        assert len(server.calls) == 4
    assert ids(folder) == [f"p{n}" for n in range(9)]
    assert logs.files == again.files
    assert (logs.incomplete, again.incomplete) == ((), ())


def test_a_folder_keeps_its_default_window(tmp_path: Path) -> None:
    with LoggingServer({"p": flows(9)}, page_limit=3) as server:
        first = read(server, folder=tmp_path, since=None, until=None, now=UNTIL, most_records=3)
        later = UNTIL + timedelta(hours=1)
        second = read(server, folder=tmp_path, since=None, until=None, now=later)
        assert first.since == second.since == UNTIL - timedelta(hours=24)
        assert second.until == UNTIL
        # The same pages, as far as a greater bound lets them go.
        assert server.asked_tokens() == ["", "3", "6"]


@pytest.mark.parametrize(("changes", "said"), [
    ({"projects": ("q",)}, "of p, but q is requested"),
    ({"since": START + timedelta(minutes=1)}, "--since was 2026-03-02T10:00:00Z"),
    ({"until": UNTIL + timedelta(minutes=1)}, "--until was 2026-03-02T12:00:00Z"),
])  # fmt: skip
def test_pages_of_another_question_are_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with LoggingServer({"p": flows(3), "q": flows(3, "q")}) as server:
        read(server, folder=tmp_path)
        before = sorted(tmp_path.iterdir())
        projects = changes.pop("projects", ("p",))
        with pytest.raises(UsageError, match=said):
            read(server, *projects, folder=tmp_path, **changes)
    assert sorted(tmp_path.iterdir()) == before
    with (
        LoggingServer({"p": flows(3)}) as other,
        pytest.raises(UsageError, match=r"it is from http://127\.0\.0\.1"),
    ):
        read(other, folder=tmp_path)


def _with_state(folder: Path, **changes: Any) -> None:
    state = json.loads((folder / pages.STATE).read_bytes())
    state["projects"]["p"] |= changes
    (folder / pages.STATE).write_text(json.dumps(state))


def test_a_folder_that_does_not_fit_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with LoggingServer({"p": flows(9)}, page_limit=3) as server:
        with pytest.raises(UsageError, match=r"holds other files \(mine.txt\)"):
            read(server, folder=tmp_path)
        folder = tmp_path / "pages"
        read(server, folder=folder, most_records=6)
        _with_state(folder, asked_s=1e9)
        with pytest.raises(UsageError, match="keeps a position for 24 h"):
            read(server, folder=folder)
        _with_state(folder, asked_s=1e12)
        with pytest.raises(UsageError, match="keeps a position"):
            read(server, folder=folder)
        # An answer that is whole does not age.
        _with_state(folder, token="", is_done=True, asked_s=1e9)
        assert read(server, folder=folder).incomplete == ()
        (folder / "p-000001.jsonl.gz").unlink()
        with pytest.raises(UsageError, match=r"p-000001.jsonl.gz is missing"):
            read(server, folder=folder)
        _with_state(folder, pages=10**15)
        with pytest.raises(UsageError, match=r"pages are missing \(1 found\)"):
            read(server, folder=folder)
        _with_state(folder, pages=-1)
        with pytest.raises(UsageError, match="its index cannot be read"):
            read(server, folder=folder)
        (folder / pages.STATE).write_text("{")
        with pytest.raises(UsageError, match="its index cannot be read"):
            read(server, folder=folder)
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="cannot be made"):
            read(server, folder=tmp_path / "file")
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_two_runs_do_not_read_into_one_folder(tmp_path: Path) -> None:
    with LoggingServer({"p": flows(3)}) as server, sole_user(tmp_path) as is_alone:
        assert is_alone
        with pytest.raises(UsageError, match="another run writes to it"):
            read(server, folder=tmp_path)
        assert server.calls == []


@pytest.mark.parametrize(("fault", "said"), [
    (
        Fault(status=403, reason="forbidden"),
        (ENTRIES_PERMISSION, PRIVATE_ENTRIES_PERMISSION, "logging.viewer"),
    ),
    (Fault(status=403, reason="SERVICE_DISABLED"), ("gcloud services enable logging",)),
    (Fault(status=404), ("does not exist",)),
    (Fault(status=401), ("refused (401)",)),
    (Fault(status=400, message="bad filter"), ("HTTP 400 bad filter",)),
    (Fault(status=503), ("HTTP 503", "after 3 attempts")),
], ids=["forbidden", "disabled", "missing", "credentials", "bad", "silent"])  # fmt: skip
def test_refusals_say_what_to_do(fault: Fault, said: tuple[str, ...]) -> None:
    with LoggingServer({"p": flows(3), "q": flows(3, "q")}) as server:
        server.add_fault(fault)
        with pytest.raises(AccessError) as caught:
            read(server)
        assert all(text in str(caught.value) for text in said)
        # Of several projects the others are read.
        fault.project = "q"
        logs = read(server, "p", "q")
    (line,) = logs.incomplete
    assert line.startswith("Cloud Logging, project q: ")
    assert all(text in line for text in said)
    assert (logs.projects, logs.until) == (("p",), UNTIL)


def test_nothing_there_is_no_traffic_and_no_zero() -> None:
    with LoggingServer({"p": [], "q": flows(2, "q")}) as server:
        with pytest.raises(EmptyError, match=r"no flow logs of p, 2026-03-02 10:00 to"):
            read(server)
        assert "no flow logs of p in that time" in read(server, "p", "q").notes


@pytest.mark.parametrize(("since", "until"), [
    (UNTIL, START), (START, START), (UNTIL + timedelta(days=2), None),
    (UNTIL + timedelta(days=2), UNTIL + timedelta(days=3)),
])  # fmt: skip
def test_a_window_that_is_none_is_refused(since: datetime, until: datetime | None) -> None:
    with LoggingServer({}) as server, pytest.raises(UsageError, match="--since"):
        read(server, since=since, until=until)


def test_no_project_is_refused() -> None:
    with (
        pytest.raises(UsageError, match="--project"),
        read_flow_logs([], HASTE, LogOptions(), since=None, until=None),
    ):
        pass


def test_times_without_a_zone_are_of_utc() -> None:
    with LoggingServer({"p": flows(1)}) as server:
        logs = read(server, since=START.replace(tzinfo=None), until=UNTIL.replace(tzinfo=None))
    assert (logs.since, logs.until) == (START, UNTIL)


def test_a_stand_in_for_compute_says_nothing_of_the_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    api = ApiOptions(endpoint="http://127.0.0.1:1", is_anonymous=True, max_attempts=1)
    with (
        pytest.raises(UsageError, match="--logging-endpoint"),
        read_flow_logs(["p"], api, LogOptions(), since=START, until=UNTIL),
    ):
        pass
    with LoggingServer({"p": flows(1)}) as server:
        monkeypatch.setenv(LOGGING_VARIABLE, f"{server.url}/v2/")
        with read_flow_logs(["p"], api, LogOptions(), since=START, until=UNTIL) as logs:
            assert logs.incomplete == ()


def test_the_quota_is_kept_over_any_minute() -> None:
    clock = [0.0]
    began: list[float] = []

    def wait(seconds: float) -> None:
        clock[0] += seconds

    pace = Pace(3, wait, lambda: clock[0])
    for _ in range(8):
        pace.begin()
        began.append(clock[0])
        clock[0] += 1
    assert began == [0, 1, 2, 60, 61, 62, 120, 121]
    slow = Pace(0.5, wait, lambda: clock[0])
    begin = clock[0]
    slow.begin()
    slow.begin()
    assert clock[0] - begin == 120


def test_an_entry_over_several_lines_becomes_one() -> None:
    text = json.dumps({"entries": flows(1), "nextPageToken": "t"}, indent=2)
    page = read_page(text.encode())
    assert page.lines.count(b"\n") == 1
    assert json.loads(page.lines) == flows(1)[0]
    assert (page.record_count, page.token) == (1, "t")
    assert page.latest == START + timedelta(seconds=35)
    odd = read_page(b'{"entries": [{"timestamp": 5}, {"timestamp": "soon"}, {}]}')
    assert (odd.record_count, odd.latest) == (3, None)
    with pytest.raises(NotWhole):
        read_page(b'{"entries": [')


def test_the_method_is_the_documents() -> None:
    judge = discovery("logging", "v2")
    method = judge.methods[ENTRIES_ID]
    request = entries_request(ProjectId("p"), START, UNTIL, "token")
    assert (method.http_method, method.path) == ("POST", f"v2/{request.path}")
    assert request.body is not None
    assert judge.check_body("ListLogEntriesRequest", json.loads(request.body)) == []
    (resource,) = (r for r in [judge.document["resources"]["entries"]["methods"]["list"]])
    assert SCOPE in resource["scopes"]


def test_nothing_but_reading_is_posted() -> None:
    assert frozenset({ENTRIES_ID, MEMBERS_ID}) == READS_BY_POST
    jobs = {"bigquery.jobs.insert", "bigquery.jobs.cancel"}
    assert jobs == POSTED - READS_BY_POST, "queries, which write where --rollup says and nowhere"
    endpoint = resolve_endpoint(ApiOptions(endpoint="http://127.0.0.1:1", is_anonymous=True), {})
    request = Request("compute.instances.insert", "x", {}, "", "", "", body=b"{}")
    transport = Transport(endpoint, HASTE)
    with pytest.raises(ValueError, match="does not support POST"):
        transport.get(request, bytes)
    transport.close()


@pytest.mark.parametrize("options", [{"most_records": 0}, {"requests_per_minute": 0}])
def test_bounds_that_are_none_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        LogOptions(**options)
