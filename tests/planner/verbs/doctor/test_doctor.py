"""What doctor says of projects: each thing well, ill or not to be known; the role is enough."""

import re
from collections.abc import Iterator
from datetime import date
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest

from netplan_planner.google.assets import ASSETS_VARIABLE
from netplan_planner.google.compute_methods import (
    CONFIGURATIONS_PERMISSION,
    PERMISSIONS,
    TYPES_PERMISSION,
)
from netplan_planner.google.logs.options import LOGGING_VARIABLE
from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.other_apis import NETWORK_MANAGEMENT
from netplan_planner.renderers.figures import shown
from netplan_planner.verbs.doctor.answer import CheckStatus, Diagnosis, DoctorCheck
from netplan_planner.verbs.doctor.ask import DoctorAsk
from netplan_planner.verbs.doctor.run import examine, role_yaml
from support.commands.in_process import netplan
from support.projects import one_project
from support.servers.compute import ComputeServer, Fault
from support.servers.hostile import Asked, HostileServer, answer, json_answer

TODAY = date(2026, 5, 10)
"""Ten days after the embedded snapshot."""
OK, PROBLEM, UNKNOWN = CheckStatus


@pytest.fixture
def server() -> Iterator[ComputeServer]:
    with ComputeServer() as made:
        made.add_project(one_project.PROJECT, one_project.resources())
        yield made


def asked(url: str, *projects: str, today: date = TODAY) -> Diagnosis:
    api = ApiOptions(endpoint=url, is_anonymous=True, max_attempts=1)
    wanted = projects or (one_project.PROJECT,)
    return examine(DoctorAsk(projects=wanted, api=api), today)


def check(found: Diagnosis, name: str) -> DoctorCheck:
    (one,) = (one for one in found.checks if one.name == name)
    return one


def test_a_project_that_can_be_read_has_no_problem(server: ComputeServer) -> None:
    found = asked(server.url)
    assert found.count(PROBLEM) == 0, found.checks
    names = [one.name for one in found.checks if one.status is OK]
    assert names == [
        *("credentials", "compute-api", "permissions", "flow-logs", "clock", "prices", "caps")
    ]
    logs = shown(check(found, "flow-logs").told)
    assert re.search(r"\d of \d+ subnetworks log flows.*\(1\.32 GiB\) cost \$0\.\d\d", logs)
    # The Network Management API is asked where it has an endpoint.
    assert check(found, "flow-log-configurations").status is UNKNOWN


def test_every_refusal_names_a_permission_of_the_role(server: ComputeServer) -> None:
    server.add_fault(Fault(status=403, reason="forbidden", method="compute.*.*ist"))
    found = asked(server.url)
    refused = [one for one in found.checks if one.name == "permission"]
    assert {one.status for one in refused} == {PROBLEM}
    assert {str(one.told).partition(":")[0] for one in refused} == {
        one
        for one in {*PERMISSIONS} - {TYPES_PERMISSION}
        if one.startswith("compute.") and one.endswith(".list")
    }
    for one in refused:
        permission, _, refusal = str(one.told).partition(": ")
        assert f"it needs the permission {permission}," in refusal
        assert "--role" in one.remedy
    assert check(found, "flow-logs").status is UNKNOWN


def test_a_refused_method_is_a_problem_and_a_failed_one_unknown(server: ComputeServer) -> None:
    server.add_fault(Fault(status=500, method="compute.routes.list"))
    found = asked(server.url)
    assert found.count(PROBLEM) == 0
    (one,) = (one for one in found.checks if one.name == "permission")
    assert one.status is UNKNOWN
    assert "HTTP 500" in str(one.told)
    # One that is refused beside it is one problem.
    server.add_fault(Fault(status=403, reason="forbidden", method="compute.machineTypes.get"))
    (one,) = (one for one in asked(server.url).checks if one.status is PROBLEM)
    assert str(one.told).startswith("compute.machineTypes.get: ")


def test_an_api_that_is_off_and_a_project_that_is_none(server: ComputeServer) -> None:
    off = Fault(status=403, reason="SERVICE_DISABLED", project="off")
    server.add_project("off")
    server.add_fault(off)
    found = asked(server.url, "off", "none", one_project.PROJECT)
    apis = {one.project: one for one in found.checks if one.name == "compute-api"}
    assert [one.status for one in apis.values()] == [PROBLEM, PROBLEM, OK]
    enable = "gcloud services enable compute.googleapis.com --project=off"
    assert apis["off"].remedy == enable
    assert "(404)" in str(apis["none"].told)
    assert {one.status for one in found.checks if one.name == "permissions"} == {OK, UNKNOWN}


def test_credentials_that_are_refused(server: ComputeServer) -> None:
    server.add_fault(Fault(status=401))
    one = check(asked(server.url), "credentials")
    assert one.status is PROBLEM
    assert one.remedy == "run `gcloud auth application-default login`"


def test_without_credentials_all_is_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    api = ApiOptions(endpoint="http://127.0.0.1:9")
    found = examine(DoctorAsk(projects=("p",), api=api), TODAY)
    assert check(found, "credentials").status is PROBLEM
    missing = f"credentials in {tmp_path / 'none.json'} cannot be read: the file does not exist"
    assert missing in str(check(found, "credentials").told)
    assert "GOOGLE_APPLICATION_CREDENTIALS" in str(check(found, "credentials").remedy)
    without_project = DoctorAsk(api=api)
    assert missing in str(check(examine(without_project, TODAY), "credentials").told)
    unknown = {one.name for one in found.checks if one.status is UNKNOWN}
    assert unknown == {"compute-api", "permissions", "flow-logs", "clock"}
    assert check(found, "prices").status is OK


@pytest.mark.parametrize(
    ("ahead_s", "status", "said"),
    [(0, OK, "0 s"), (45, OK, "behind"), (600, PROBLEM, "600 s behind"), (-600, PROBLEM, "ahead")],
)
def test_the_clock_is_held_to_answers(ahead_s: int, status: CheckStatus, said: str) -> None:
    def answers(_: Asked) -> bytes:
        return answer(b"{}", headers={"Date": formatdate(time() + ahead_s + 0.5, usegmt=True)})

    with HostileServer(answers) as hostile:
        one = check(asked(hostile.url), "clock")
    assert one.status is status
    assert said in str(one.told).replace("599", "600").replace("601", "600").replace("1 s", "0 s")


@pytest.mark.parametrize("date_text", [None, "yesterday", "Mon, 99 Nov 2026 25:00:00 GMT"])
def test_a_clock_that_nobody_tells_is_not_known(date_text: str | None) -> None:
    headers = {} if date_text is None else {"Date": date_text}
    with HostileServer(lambda _: answer(b"{}", headers=headers)) as hostile:
        assert check(asked(hostile.url), "clock").status is UNKNOWN


@pytest.mark.parametrize(
    ("reason", "status"), [("SERVICE_DISABLED", OK), ("IAM_PERMISSION_DENIED", PROBLEM)]
)
def test_configurations_of_flow_logs_have_an_api_of_their_own(
    reason: str, status: CheckStatus, server: ComputeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = {"error": {"code": 403, "message": "no", "details": [{"reason": reason}]}}
    with HostileServer(lambda _: json_answer(error, status=403)) as other:
        monkeypatch.setenv(NETWORK_MANAGEMENT.variable, f"{other.url}/v1/")
        one = check(asked(server.url), "flow-log-configurations")
    assert one.status is status
    assert str(one.told).startswith(CONFIGURATIONS_PERMISSION) == (status is PROBLEM)


@pytest.mark.parametrize(
    ("reason", "statuses"),
    [
        ("SERVICE_DISABLED", [PROBLEM, PROBLEM, OK]),
        ("IAM_PERMISSION_DENIED", [PROBLEM, PROBLEM, PROBLEM]),
        ("", [OK, OK, OK]),
        ("status 200", [PROBLEM, PROBLEM, PROBLEM]),
        ("web page", [UNKNOWN, UNKNOWN, UNKNOWN]),
        ("wrong token", [UNKNOWN, UNKNOWN, UNKNOWN]),
    ],
)
def test_apis_beside_computes_are_tried(
    reason: str, statuses: list[CheckStatus], server: ComputeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("monitoring-api", "logging-api", "asset-api")
    assert {check(asked(server.url), name).status for name in names} == {UNKNOWN}
    error = {"error": {"code": 403, "message": "no", "details": [{"reason": reason}]}}
    body = {
        "": json_answer({}),
        "status 200": json_answer(error),
        "web page": answer(b"<html>Sign in</html>"),
        "wrong token": json_answer({"nextPageToken": 5}),
    }.get(reason, json_answer(error, status=403))
    with HostileServer(lambda _: body) as other:
        for variable in (MONITORING_VARIABLE, LOGGING_VARIABLE, ASSETS_VARIABLE):
            monkeypatch.setenv(variable, f"{other.url}/")
        found = [check(asked(server.url), name) for name in names]
    assert [one.status for one in found] == statuses
    if reason == "SERVICE_DISABLED":
        assert found[1].remedy.startswith("gcloud services enable logging.googleapis.com")
    if reason == "IAM_PERMISSION_DENIED":
        assert all(str(one.told).partition(":")[0] in PERMISSIONS for one in found)


def test_subnetworks_that_log_nothing_are_a_problem(server: ComputeServer) -> None:
    subnet = {**one_project.resources()["subnetworks"][0], "logConfig": {"enable": False}}
    subnet["enableFlowLogs"] = False
    server.add_project("silent", {"subnetworks": [_of(subnet, "silent")]})
    one = check(asked(server.url, "silent"), "flow-logs")
    assert one.status is PROBLEM
    assert "none of 1 subnetwork logs flows" in shown(one.told)
    assert "--enable-flow-logs" in one.remedy


def _of(resource: dict[str, object], project: str) -> dict[str, object]:
    def moved(value: object) -> object:
        was, now = f"projects/{one_project.PROJECT}/", f"projects/{project}/"
        return value.replace(was, now) if isinstance(value, str) else value

    return {key: moved(value) for key, value in resource.items()}


def test_ages_are_judged_as_the_rule_does(server: ComputeServer) -> None:
    old = asked(server.url, today=date(2027, 6, 1))
    for name in ("prices", "caps"):
        assert check(old, name).status is PROBLEM
        assert check(old, name).remedy


def test_the_role_is_what_gcloud_takes() -> None:
    head, _, listed = role_yaml().partition("includedPermissions:\n")
    assert {line.partition(": ")[0] for line in head.splitlines()} == {
        *("title", "description", "stage")
    }
    assert [line.removeprefix("- ") for line in listed.splitlines()] == list(PERMISSIONS)
    assert all(one.endswith((".list", ".get", ".listResource")) for one in PERMISSIONS)
    assert netplan("doctor", "--role").out == role_yaml()


def test_statuses(server: ComputeServer) -> None:
    words = [
        *("doctor", "--project", one_project.PROJECT, "--api-endpoint", server.url),
        *("--anonymous", "--today", TODAY.isoformat()),
    ]
    well = netplan(*words)
    assert (well.status, well.err) == (0, "")
    assert "0 problems in 13 checks" in well.out
    assert netplan(*words, "--strict").status == 4
    server.add_fault(Fault(status=403, reason="forbidden", method="compute.routes.list"))
    ill = netplan(*words)
    assert ill.status == 1
    assert "compute.routes.list" in ill.out
