"""`--traffic cloud-logging`: the same answer as of the same records in a file, and what lacks."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.readers import read_inventory
from support.commands.run import run_verbs
from support.flows.entries import entries
from support.projects.compute_json import machine
from support.projects.one_project import FOLDER, PROJECT, resources
from support.servers.compute import ComputeServer
from support.servers.documented import Fault
from support.servers.logging import LoggingServer

FILES = FOLDER / "gcloud"
LOGS = f"projects/{PROJECT}/logs/compute.googleapis.com%2Fvpc_flows"
WINDOW = ("--since", "2026-11-02T08:00:00", "--until", "2026-11-02T09:00:00")
ASKED = ("--anonymous", "--max-attempts", "1", "--log-requests-per-minute", "6000")
Json = dict[str, Any]


@pytest.fixture(scope="module")
def held() -> list[Json]:
    """Entries of an hour between two machines of the project, as its log holds them."""
    flow = {"src": "plain-1", "dst": "dual-1", "gbps": 2.0, "record_seconds": 60}
    made = entries(read_inventory([FILES]), {"minutes": 60, "flows": [flow]})
    return [
        {**one, "logName": LOGS, "insertId": f"i{number}", "timestamp": _ended(one)}
        for number, one in enumerate(made)
    ]


def _ended(one: Json) -> str:
    end: str = one["jsonPayload"]["end_time"]
    return end


def audit(*arguments: object, **environment: str) -> tuple[int, Json, str]:
    words = ["audit", "--today", "2026-11-20", "--fail-on", "never", "-o", "json"]
    done = run_verbs(arguments=[*words, *map(str, arguments)], **environment)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def live(server: LoggingServer, *arguments: object, window: tuple[str, ...] = WINDOW) -> Any:
    logs = ("--traffic", "cloud-logging", "--logging-endpoint", server.url)
    return audit("--inventory", FILES, *logs, *window, *ASKED, *arguments)


def test_live_logs_are_audited_as_files_are(held: list[Json], tmp_path: Path) -> None:
    path = tmp_path / "flows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in held), "utf-8")
    _, of_file, _ = audit("--inventory", FILES, "--traffic", path, *WINDOW)
    assert of_file["zone_pairs"]
    # Some entries come twice: what the API does where it delivered them twice.
    with LoggingServer({PROJECT: [*held, *held[:5]]}, page_limit=20) as server:
        status, found, told = live(server, "--resume", tmp_path / "pages")
        assert (status, len(server.calls)) == (0, 4), told
    for field in ("findings", "zone_pairs", "traffic_by_class", "window", "machines"):
        assert found[field] == of_file[field], field
    coverage = found["coverage"]["traffic"]
    assert coverage["payload_bytes"] == of_file["coverage"]["traffic"]["payload_bytes"]
    assert any("read from Cloud Logging, 2026-11-02 08:00" in note for note in coverage["notes"])
    # The folder of a finished run is an input like any other.
    _, again, _ = audit("--inventory", FILES, "--traffic", tmp_path / "pages", *WINDOW)
    assert again["zone_pairs"] == found["zone_pairs"]


def test_what_is_missing_is_told_and_fails_a_strict_run(held: list[Json]) -> None:
    odd = {**held[3], "insertId": "odd"}
    odd["jsonPayload"] = {**odd["jsonPayload"], "bytes_sent": "-5"}
    with LoggingServer({PROJECT: [*held, odd]}, page_limit=20) as server:
        status, found, told = live(server, "--max-log-records", 40, "--strict")
        assert status == 4
        assert "stopped after 40 records (--max-log-records)" in told
        # The window ends a quarter of an hour before the last entry.
        assert found["window"]["end"].startswith("2026-11-02T08:22")
        (example,) = found["coverage"]["traffic"]["examples"]
        assert example["source"] == f"cloud-logging:{PROJECT}-000001.jsonl.gz:6"


@pytest.mark.parametrize(("fault", "said"), [
    (Fault(status=403), "logging.logEntries.list"),
    (Fault(status=503), "HTTP 503"),
])  # fmt: skip
def test_refused_logs_are_no_idle_network(held: list[Json], fault: Fault, said: str) -> None:
    with LoggingServer({PROJECT: held}) as server:
        server.add_fault(fault)
        status, found, told = live(server)
    assert (status, found) == (3, {})
    assert said in told


def test_the_project_of_the_live_inventory_is_that_of_the_logs(held: list[Json]) -> None:
    with ComputeServer() as compute, LoggingServer({PROJECT: held}) as server:
        compute.add_project(PROJECT, resources())
        variable = {"CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING": server.url}
        words = ("--project", PROJECT, "--api-endpoint", compute.url, *ASKED)
        status, found, told = audit(*words, "--traffic", "cloud-logging", *WINDOW, **variable)
        assert status == 0, told
        assert {call.project for call in server.calls} == {PROJECT}
    assert found["zone_pairs"]
    assert not [path for path in Path.cwd().iterdir() if path.name == "cloud-logging"]


def test_logs_of_a_host_project_are_asked_for(tmp_path: Path) -> None:
    network = "projects/host/global/networks/n"
    subnetwork = "projects/host/regions/us-central1/subnetworks/s"
    vm = machine(project="service", network=network, subnetwork=subnetwork)
    (tmp_path / "vms.json").write_text(json.dumps([vm]))
    inventory = read_inventory([tmp_path])
    flow = {"src": "a", "dst": "10.9.9.9", "gbps": 1.0}
    made = list(entries(inventory, {"minutes": 30, "flows": [flow]}))
    log = "projects/service/logs/compute.googleapis.com%2Fvpc_flows"
    held = [{**one, "logName": log, "timestamp": _ended(one)} for one in made]
    with LoggingServer({"service": held}) as server:
        words = ("--inventory", tmp_path, "--traffic", "cloud-logging", "--logging-endpoint")
        _, found, told = audit(*words, server.url, *WINDOW, *ASKED)
    notes = found["coverage"]["traffic"]["notes"]
    assert any("shared networks of host" in note for note in notes), told


def test_a_sample_has_no_live_logs_and_a_run_needs_a_project() -> None:
    status, _, told = audit("--demo", "gecko", "--traffic", "cloud-logging")
    assert (status, "--demo" in told) == (2, True)


VIEW = "organizations/5/locations/global/buckets/all-flows/views/_AllLogs"


def test_logs_of_a_bucket_are_read_by_their_view(held: list[Json], tmp_path: Path) -> None:
    """A sink gathers the logs of several projects, whose names they keep."""
    with LoggingServer({PROJECT: held}) as server:
        _, of_project, _ = live(server)
    pages = tmp_path / "pages"
    with LoggingServer({VIEW: held}, page_limit=20) as server:
        name = VIEW.removesuffix("/views/_AllLogs")
        status, found, told = live(server, "--log-view", name, "--resume", pages)
        assert status == 0, told
        assert {tuple(call.asked["resourceNames"]) for call in server.calls} == {(VIEW,)}
        assert server.problems == []
        asked = len(server.calls)
        status, again, _ = live(server, "--log-view", VIEW, "--resume", pages)
        assert (status, len(server.calls)) == (0, asked)
    for answer in (found, again):
        assert answer["zone_pairs"] == of_project["zone_pairs"]
        assert answer["findings"] == of_project["findings"]


def test_a_view_that_is_none_or_not_asked_for_is_refused(held: list[Json]) -> None:
    with LoggingServer({VIEW: held}) as server:
        status, _, told = live(server, "--log-view", "projects/p/buckets/b")
        assert status == 2
        assert "projects/P/locations/L/buckets/B/views/V" in told
        other = VIEW.replace("all-flows", "others")
        status, _, told = live(server, "--log-view", other)
        assert status != 0
        assert "view does not exist" in told
    status, _, told = audit("--inventory", FILES, "--log-view", VIEW)
    assert status == 2
    assert "--traffic cloud-logging" in told


def test_an_empty_log_beside_files_is_a_warning(held: list[Json], tmp_path: Path) -> None:
    path = tmp_path / "flows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in held), "utf-8")
    with LoggingServer({PROJECT: []}) as server:
        status, found, told = live(server, "--traffic", path)
        assert status == 0, told
        assert found["zone_pairs"]
        assert "Check that flow logs are on and that no sink excludes them" in json.dumps(
            found["coverage"]
        )
        status, _, told = live(server)
        assert status == 3
        assert "Check that flow logs are on and that no sink excludes them" in told
