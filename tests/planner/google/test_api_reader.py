"""The live API reader against a server that Google's own document judges."""

import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from netplan_planner.errors import AccessError, UsageError
from netplan_planner.google.compute import read_projects
from netplan_planner.google.compute_methods import (
    LISTS,
    MACHINE_TYPE_ID,
    MEMBERS_ID,
    MEMBERS_PERMISSION,
)
from netplan_planner.google.options import ApiOptions
from netplan_planner.model import Inventory, ProjectCoverage
from support.listed import listed
from support.projects import one_project
from support.projects.recorded import add_recorded_project
from support.projects.shared_data import needs_shared, shared
from support.servers.compute import ComputeServer, Fault
from support.servers.discovery import discovery

INSTANCES = "compute.instances.aggregatedList"
ROUTES = "compute.routes.list"
PROJECT = one_project.PROJECT


def options(server: ComputeServer, **changes: Any) -> ApiOptions:
    """Quick retries, so that tests are."""
    return ApiOptions(
        **{
            "endpoint": server.url,
            "is_anonymous": True,
            "max_attempts": 3,
            "backoff_initial_s": 0.001,
            "backoff_max_s": 0.01,
            **changes,
        }
    )


def read(server: ComputeServer, *projects: str, **changes: Any) -> Inventory:
    return read_projects(projects or [PROJECT], options(server, **changes))


def coverage(inventory: Inventory, project: str = PROJECT) -> ProjectCoverage:
    return next(found for found in inventory.projects if found.project == project)


def with_project(server: ComputeServer) -> ComputeServer:
    server.add_project(PROJECT, one_project.resources())
    return server


def test_every_list_is_asked_once_and_every_type_in_use() -> None:
    with with_project(ComputeServer()) as server:
        inventory = read(server)
    asked_for = {MACHINE_TYPE_ID, MEMBERS_ID}
    assert server.read_methods() == {method.id for method in LISTS} | asked_for
    assert all(len(server.calls_of(method.id)) == 1 for method in LISTS)
    asked = {call.path.rpartition("/")[2] for call in server.calls_of(MACHINE_TYPE_ID)}
    in_use = {i.machine_type for i in inventory.instances}
    assert asked == in_use - {"n2-custom-8-16384", "custom-4-8192"}
    assert coverage(inventory).errors == ()


def test_pages_are_500_and_compact() -> None:
    with with_project(ComputeServer()) as server:
        read(server)
    for call in server.calls_of(INSTANCES):
        assert call.parameter("maxResults") == "500"
        assert call.parameter("prettyPrint") == "false"
        assert call.header("Accept-Encoding") == "gzip"


@pytest.mark.parametrize("limit", [1, 2, 4, 500])
def test_paging_makes_no_difference(limit: int) -> None:
    with with_project(ComputeServer(page_limit=limit)) as server:
        inventory = read(server)
    with with_project(ComputeServer()) as whole:
        assert inventory == read(whole)
    assert len(server.calls_of(INSTANCES)) == -(-9 // limit)


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_threads_make_no_difference(concurrency: int) -> None:
    with with_project(ComputeServer(page_limit=2)) as server:
        server.add_project("empty-project")
        inventory = read(server, PROJECT, "empty-project", concurrency=concurrency)
        assert inventory == read(server, "empty-project", PROJECT)
    assert coverage(inventory, "empty-project").counts == ()


def test_progress_is_told_one_line_at_a_time() -> None:
    lines: list[str] = []
    with with_project(ComputeServer(page_limit=4)) as server:
        read_projects([PROJECT], options(server), lines.append)
    assert f"{PROJECT}: 9 instances" in lines


def test_the_methods_are_what_the_document_says() -> None:
    judge = discovery()
    for method in LISTS:
        described = judge.methods[method.id]
        assert described.path == f"projects/{{project}}/{method.path}"
        assert described.is_read
        knows = "returnPartialSuccess" in described.parameters
        assert method.knows_partial_success == knows, method.id
        assert {"maxResults", "pageToken"} <= described.parameters
    assert judge.methods[MACHINE_TYPE_ID].is_read
    assert "prettyPrint" in judge.common_parameters


@needs_shared
@pytest.mark.parametrize("name", ["gce1", "gke1", "nat1", "lb2", "vpc2", "dataproc1"])
def test_recorded_projects(name: str) -> None:
    with ComputeServer(page_limit=2) as server:
        projects = add_recorded_project(server, name)
        inventory = read(server, *projects)
    assert inventory.instances
    assert inventory.unread == ()
    assert all(not project.errors for project in inventory.projects)


@needs_shared
def test_recorded_pages_are_served_as_they_are() -> None:
    folder = shared("data/recorded/compute_api")
    body = json.loads((folder / "gcpdiag__gce1__compute-instances-aggregated.json").read_bytes())
    with ComputeServer() as server:
        server.add_pages(INSTANCES, "gcpdiag-gce1-aaaa", [body])
        inventory = read(server, "gcpdiag-gce1-aaaa", max_machine_types=0)
    held = [i for scope in body["items"].values() for i in scope.get("instances", [])]
    assert len(inventory.instances) == len(held)


PASSING = {
    **{str(status): Fault(status=status, times=2) for status in (429, 500, 502, 503, 504)},
    "a rate limit that says 403": Fault(status=403, reason="rateLimitExceeded", times=2),
    "truncated": Fault(truncate=True, times=2),
    "disconnected": Fault(disconnect=True, times=2),
    "damaged gzip": Fault(corrupt=True, times=2),
    "empty": Fault(body=b"", times=2),
    "proxy page": Fault(body=b"<html>proxy</html>", times=2),
    "nested": Fault(body=b"[" * 100_000, times=2),
    # What it asks to wait is kept within the bound.
    **{
        f"Retry-After: {asked}": Fault(status=429, retry_after=asked, times=2)
        for asked in ("0.2", "1", "Fri, 31 Dec 1999 23:59:59 GMT", "9" * 30)
    },
}


@listed("name", PASSING)
def test_what_passes_is_asked_again(name: str) -> None:
    with with_project(ComputeServer()) as server:
        server.add_fault(replace(PASSING[name], method=INSTANCES))
        inventory = read(server)
    assert len(inventory.instances) == 9
    assert len(server.calls_of(INSTANCES)) == 3
    assert coverage(inventory).errors == ()


def test_a_slow_answer_within_the_time_is_read() -> None:
    with with_project(ComputeServer()) as server:
        server.add_fault(Fault(method=ROUTES, delay_s=0.1))
        assert coverage(read(server)).errors == ()


IN_PART: dict[str, tuple[Fault | None, dict[str, Any], dict[str, int], tuple[str, ...]]] = {
    "a page that fails for good leaves the others": (
        Fault(method=INSTANCES, status=503, skip=1),
        {"page_limit": 4},
        {"instances": 4},
        (
            f"page 2: {INSTANCES}: HTTP 503 made by the test",
            "the list is incomplete (4 instances read before)",
        ),
    ),
    "pages are bounded": (
        None,
        {"page_limit": 1, "max_pages": 3},
        {"instances": 3},
        (f"{INSTANCES}: more than 3 pages; the list is incomplete",),
    ),
    "a missing permission is named and the rest goes on": (
        Fault(method=INSTANCES, status=403, reason="forbidden"),
        {},
        {"instances": 0, "subnetworks": 3},
        ("compute.instances.list", "roles/compute.viewer"),
    ),
    "refused machine types are reported once": (
        Fault(method=MACHINE_TYPE_ID, status=403, reason="forbidden"),
        {},
        {"instances": 9, "machine_shapes": 0},
        ("compute.machineTypes.get",),
    ),
    "machine types are bounded and the bound is reported": (
        None,
        {"max_machine_types": 2},
        {"machine_shapes": 2},
        ("6 machine types",),
    ),
}


@listed("name", IN_PART)
def test_what_cannot_be_read_is_one_error_and_the_rest_is_there(name: str) -> None:
    fault, bounds, counts, said = IN_PART[name]
    limits = {"page_limit": bounds["page_limit"]} if "page_limit" in bounds else {}
    with with_project(ComputeServer(**limits)) as server:
        if fault is not None:
            server.add_fault(fault)
        more = {bound: value for bound, value in bounds.items() if bound not in limits}
        inventory = read(server, **more)
    errors = coverage(inventory).errors
    (error,) = [one for one in errors if all(text in one for text in said)]
    # A bound on pages is one of every list.
    assert errors == (error,) or "max_pages" in bounds
    assert {field: len(getattr(inventory, field)) for field in counts} == counts
    # What is not permitted is not asked again.
    if fault is not None and (fault.method, fault.status) == (INSTANCES, 403):
        assert len(server.calls_of(INSTANCES)) == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            Fault(project="other", status=403, reason="SERVICE_DISABLED"),
            "gcloud services enable compute.googleapis.com --project=other",
        ),
        (None, "the project does not exist, or this account cannot see it (404)"),
    ],
    ids=["disabled", "missing"],
)
def test_a_project_that_cannot_be_read_is_said_once(fault: Fault | None, said: str) -> None:
    with with_project(ComputeServer()) as server:
        if fault is not None:
            server.add_project("other")
            server.add_fault(fault)
        inventory = read(server, PROJECT, "other")
    (error,) = coverage(inventory, "other").errors
    assert said in error
    assert coverage(inventory).errors == ()
    assert len(inventory.instances) == 9


def test_a_machine_type_is_looked_up_in_another_project_that_allows_it() -> None:
    other = json.loads(json.dumps(one_project.resources()).replace(PROJECT, "a-project"))
    with with_project(ComputeServer()) as server:
        server.add_project("a-project", other)
        server.add_fault(Fault(method=MACHINE_TYPE_ID, project="a-project", status=403))
        inventory = read(server, PROJECT, "a-project")
    assert len(inventory.machine_shapes) == 6
    assert len(coverage(inventory, "a-project").errors) == 1


def test_nothing_read_at_all_is_an_access_error() -> None:
    with ComputeServer() as server, pytest.raises(AccessError) as caught:
        read(server, "gone", "lost")
    assert "gone: the project does not exist" in str(caught.value)
    assert "lost: the project does not exist" in str(caught.value)


def test_refused_credentials_are_an_access_error_with_the_remedy() -> None:
    with with_project(ComputeServer()) as server:
        server.add_fault(Fault(status=401, reason="authError"))
        with pytest.raises(AccessError, match="gcloud auth application-default login"):
            read(server)


def test_nobody_at_the_endpoint_is_an_access_error_soon() -> None:
    with ComputeServer() as server:
        url = server.url
    with pytest.raises(AccessError, match="is unreachable"):
        read_projects(
            [PROJECT],
            ApiOptions(endpoint=url, is_anonymous=True, max_attempts=2, backoff_initial_s=0.01),
        )


def test_unreachable_scopes_are_incomplete_coverage() -> None:
    page = {
        "kind": "compute#instanceAggregatedList",
        "items": {
            "zones/us-east1-b": {
                "warning": {"code": "UNREACHABLE", "message": "zone us-east1-b is down"}
            }
        },
        "unreachables": ["projects/p/zones/us-east1-c"],
    }
    with with_project(ComputeServer()) as server:
        server.add_pages(INSTANCES, PROJECT, [page])
        inventory = read(server)
    assert coverage(inventory).errors == (
        f"{INSTANCES}: incomplete: UNREACHABLE: zone us-east1-b is down",
        f"{INSTANCES}: incomplete: projects/p/zones/us-east1-c unreachable",
    )


def test_a_field_of_a_wrong_type_costs_that_field_only() -> None:
    held = one_project.resources()
    body = {
        "items": {
            "zones/us-central1-a": {
                "instances": [held["instances"][0] | {"status": 5}, held["instances"][1]]
            },
            "zones/us-central1-b": {"warning": {"code": "UNREACHABLE", "message": "down"}},
        }
    }
    with with_project(ComputeServer()) as server:
        server.add_fault(Fault(method=INSTANCES, body=json.dumps(body).encode()))
        inventory = read(server)
    assert [instance.status for instance in inventory.instances] == ["UNKNOWN", "RUNNING"]
    assert {unread.field for unread in inventory.unread} == {"status"}
    (error,) = coverage(inventory).errors
    assert "UNREACHABLE: down" in error


def test_a_project_named_twice_is_read_once_and_none_is_wrong_usage() -> None:
    with with_project(ComputeServer()) as server:
        read(server, PROJECT, PROJECT)
        assert len(server.calls_of(INSTANCES)) == 1
        for projects in ([], [""]):
            with pytest.raises(UsageError, match="--project"):
                read_projects(projects, options(server))


def test_hostile_project_names_stay_in_their_place_in_the_path() -> None:
    with ComputeServer() as server, pytest.raises(AccessError):
        read(server, "../../x?y=1#z")
    assert {call.project for call in server.calls} == {"../../x?y=1#z"}


def test_no_write_method_exists_for_the_reader() -> None:
    with with_project(ComputeServer()) as server:
        read(server)
    posted = {call.method for call in server.calls if call.http_method != "GET"}
    assert posted == {MEMBERS_ID}


def test_the_server_itself_objects_to_writes_and_unknown_parameters() -> None:
    import requests

    def misuse(server: ComputeServer) -> None:
        with server, requests.Session() as session:
            session.trust_env = False
            path = f"{server.url}/compute/v1/projects/p/zones/z/instances/i"
            session.delete(path, timeout=5).close()
            session.get(f"{path}?colour=red", timeout=5).close()
            session.get(f"{server.url}/compute/v1/projects/p/nonsense", timeout=5).close()

    server = ComputeServer()
    with pytest.raises(AssertionError, match="is no read"):
        misuse(server)
    assert [problem.partition(":")[0] for problem in server.problems] == [
        "compute.instances.delete is no read",
        "compute.instances.get",
        "no such method",
    ]


def test_the_server_objects_to_a_body_that_the_document_refuses() -> None:
    server = ComputeServer()
    server.add_project(
        PROJECT, {"networks": [{"selfLink": "projects/p/global/networks/n", "x": 1}]}
    )
    with pytest.raises(AssertionError, match="/items/0/x: unknown field"), server:
        read(server)


def test_threads_end_with_the_reading() -> None:
    with with_project(ComputeServer()) as server:
        read(server)
        pool = [t.name for t in threading.enumerate() if t.name.startswith("ThreadPoolExecutor")]
    assert pool == []


def with_groups(server: ComputeServer) -> ComputeServer:
    """Two unmanaged groups with members, one that is empty, and one of a manager."""
    zone = "projects/p/zones/us-central1-a"
    root = f"{server.url}/compute/v1"

    def group(name: str, size: int) -> dict[str, Any]:
        link = f"{root}/{zone}/instanceGroups/{name}"
        return {"name": name, "size": size, "zone": f"{root}/{zone}", "selfLink": link}

    manager = {
        "name": "m",
        "targetSize": 2,
        "zone": f"{root}/{zone}",
        "instanceGroup": f"{root}/{zone}/instanceGroups/managed",
        "selfLink": f"{root}/{zone}/instanceGroupManagers/m",
    }
    groups = [group("a", 3), group("b", 1), group("empty", 0), group("managed", 2)]
    server.add_project("p", {"instanceGroups": groups, "instanceGroupManagers": [manager]})
    for name, members in {"a": ("x", "y", "z"), "b": ("x",)}.items():
        server.add_members(
            f"projects/p/zones/us-central1-a/instanceGroups/{name}",
            [f"{root}/{zone}/instances/{member}" for member in members],
        )
    return server


def test_members_of_unmanaged_groups_are_listed_page_by_page() -> None:
    with ComputeServer(page_limit=2) as server:
        inventory = read(with_groups(server), "p")
    members = {g.name: [m.rpartition("/")[2] for m in g.members] for g in inventory.instance_groups}
    assert members == {
        "a": ["x", "y", "z"], "b": ["x"], "empty": [], "managed": [], "m": []
    }  # fmt: skip
    assert len(server.calls_of(MEMBERS_ID)) == 3
    assert coverage(inventory, "p").errors == ()


def test_members_that_are_refused_are_an_error_of_the_project() -> None:
    with ComputeServer() as server:
        server.add_fault(Fault(method=MEMBERS_ID, status=403, reason="forbidden"))
        inventory = read(with_groups(server), "p")
    assert all(g.members == () for g in inventory.instance_groups)
    (error,) = coverage(inventory, "p").errors
    assert MEMBERS_PERMISSION in error
    described = discovery().methods[MEMBERS_ID]
    assert (described.http_method, described.is_read) == ("POST", False)
