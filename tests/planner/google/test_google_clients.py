"""`--api-client google`: what Google's clients read is what netplan's own requests read."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from inspect import getmembers, isclass, signature
from typing import Any, get_args

import msgspec
import pytest

from netplan_planner.errors import AccessError, UsageError
from netplan_planner.google import assets, monitoring, other_apis, paging
from netplan_planner.google.compute import read_projects
from netplan_planner.google.compute_methods import (
    CATALOG_ID,
    CONFIGURATIONS_ID,
    ENTRIES_ID,
    LISTS,
    MACHINE_TYPE_ID,
    MEMBERS_ID,
    TYPES_ID,
)
from netplan_planner.google.logs import read as read_logs
from netplan_planner.google.options import INSTALL, REST_ALONE, ApiClient, ApiOptions, ClientApi
from netplan_planner.model import Inventory
from netplan_planner.readers.compute.kinds import BY_COLLECTION
from support.commands.run import ROOTS
from support.listed import listed
from support.projects import one_project
from support.projects.recorded import add_recorded_project
from support.projects.shared_data import needs_shared
from support.servers.compute import ComputeServer, Fault

MODULES = (assets, other_apis, monitoring, monitoring, read_logs, paging)
METHOD_ID = re.compile(r"[a-z]+(\.[a-zA-Z]+)+\.(list|get|aggregatedList)")
OF_THE_OTHER = {
    "instances.guestAccelerators.guestAcceleratorCount",
    "machineTypes.accelerators.acceleratorCount",
    "machineTypes.accelerators.acceleratorType",
}
"""Accelerators of instances and of machine types are read by one type, with the names of both."""
PROJECT = one_project.PROJECT
INSTANCES = "compute.instances.aggregatedList"
ADDRESSES = "compute.addresses.aggregatedList"


def options(server: ComputeServer, client: ApiClient, **more: Any) -> ApiOptions:
    return ApiOptions(
        **{
            "endpoint": server.url,
            "is_anonymous": True,
            "client": client,
            "max_attempts": 2,
            "backoff_initial_s": 0.001,
            "concurrency": 3,
            **more,
        }
    )


def read(
    client: ApiClient, prepared: Callable[[ComputeServer], None]
) -> tuple[Inventory, set[str]]:
    """What a fresh server's project reads to, and which methods were asked for."""
    with ComputeServer(page_limit=2) as server:
        server.add_project(PROJECT, one_project.resources())
        prepared(server)
        found = read_projects([PROJECT, "empty"], options(server, client))
        named = {call.header("x-goog-api-client") is not None for call in server.calls}
    assert named == {client is ApiClient.GOOGLE}
    return found, server.read_methods()


def members(server: ComputeServer) -> None:
    server.add_project("empty")
    (group,) = [one for one in one_project.resources()["instanceGroups"] if _is_unmanaged(one)][:1]
    links = [one["selfLink"] for one in one_project.resources()["instances"]]
    path = group["selfLink"].partition("/v1/")[2]
    server.add_members(path, links[:5])


def _is_unmanaged(group: dict[str, Any]) -> bool:
    managers = one_project.resources()["instanceGroupManagers"]
    return all(one.get("instanceGroup") != group["selfLink"] for one in managers)


def faults(*made: Fault) -> Callable[[ComputeServer], None]:
    def prepared(server: ComputeServer) -> None:
        server.add_project("empty")
        for one in made:
            # Each counts its calls.
            server.add_fault(replace(one))

    return prepared


def page(**more: Any) -> bytes:
    """A page of addresses, one of them whole."""
    link = "https://www.googleapis.com/compute/v1/projects/p/regions/r/addresses/a"
    whole = {"name": "a", "address": "10.0.0.9", "selfLink": link, "status": "RESERVED"}
    scopes = {"regions/r": {"addresses": [whole, *more.pop("items", [])]}, **more.pop("scopes", {})}
    return json.dumps({"items": scopes, **more}).encode()


LINK = "https://www.googleapis.com/compute/v1/projects/p/regions/r/addresses/b"
UNREACHABLE = {"warning": {"code": "UNREACHABLE", "message": "no answer from the region"}}
CASES: dict[str, Callable[[ComputeServer], None]] = {
    "whole": faults(),
    "members of groups": members,
    "does not exist": lambda server: None,
    "a permission is missing": faults(Fault(method=ADDRESSES, status=403, reason="forbidden")),
    "the API is off": faults(Fault(project=PROJECT, status=403, reason="SERVICE_DISABLED")),
    "the credentials are refused": faults(Fault(project="empty", status=401)),
    "a type is not offered": faults(Fault(method=MACHINE_TYPE_ID, status=404, reason="notFound")),
    "a later page is missing": faults(Fault(method=INSTANCES, project=PROJECT, skip=1, status=404)),
    "a later page fails for good": faults(
        Fault(method=INSTANCES, project=PROJECT, skip=2, status=503)
    ),
    "a page fails once": faults(Fault(method=INSTANCES, status=429, times=1, retry_after="0")),
    "a redirect": faults(Fault(method=ADDRESSES, status=302)),
    "a bad request": faults(Fault(method=ADDRESSES, status=400, message="made by the test")),
    "an error, status 200": faults(Fault(method=ADDRESSES, body=b'{"error": {"code": 403}}')),
    "a list that is none": faults(Fault(method=ADDRESSES, body=b'{"items": 5}')),
    "cut off": faults(Fault(method=ADDRESSES, truncate=True)),
    "damaged": faults(Fault(method=ADDRESSES, corrupt=True)),
    "broken off": faults(Fault(method=ADDRESSES, disconnect=True)),
    "points back to an earlier": faults(Fault(method=INSTANCES, repeat_token=True)),
    "the same page": faults(Fault(method=INSTANCES, project=PROJECT, same_page=True)),
    "a web page": faults(Fault(method=ADDRESSES, body=b"<html>sign in</html>")),
    "partial success": faults(
        Fault(
            method=ADDRESSES,
            body=page(scopes={"regions/s": UNREACHABLE}, unreachables=["regions/t"]),
        )
    ),
    "a field of another type": faults(
        Fault(
            method=ADDRESSES,
            body=page(items=[{"name": "b", "selfLink": LINK, "address": {"not": "a text"}}]),
        )
    ),
    "values that nobody knows": faults(
        Fault(
            method=ADDRESSES,
            body=page(
                items=[{"name": "b", "selfLink": LINK, "address": "10.0.0.8", "status": "NEWER"}],
                newer={"field": 1},
            ),
        )
    ),
}


@listed("case", CASES)
def test_one_project_reads_both_ways_to_equal_values(case: str) -> None:
    ours, asked = read(ApiClient.REST, CASES[case])
    theirs, asked_by_client = read(ApiClient.GOOGLE, CASES[case])
    assert theirs == ours
    assert asked_by_client == asked
    assert ours.projects
    if case == "members of groups":
        assert MEMBERS_ID in asked


def test_a_refusal_names_the_permission() -> None:
    # Two readings without an error would be equal, too.
    found, _ = read(ApiClient.GOOGLE, CASES["a permission is missing"])
    errors = {text for one in found.projects if one.project == PROJECT for text in one.errors}
    assert any("it needs the permission compute.addresses.list" in text for text in errors)
    found, _ = read(ApiClient.GOOGLE, CASES["partial success"])
    errors = {text for one in found.projects for text in one.errors}
    assert any("regions/t unreachable" in text for text in errors)


@needs_shared
@pytest.mark.parametrize("name", ["gce1", "gke1", "nat1", "lb2", "vpc2", "dataproc1"])
def test_recorded_projects_read_both_ways_to_equal_values(name: str) -> None:
    with ComputeServer(page_limit=2) as server:
        projects = add_recorded_project(server, name)
        ours, theirs = (read_projects(projects, options(server, one)) for one in ApiClient)
    assert ours.instances
    assert theirs == ours


@listed("method", [*(one.id for one in LISTS), MACHINE_TYPE_ID, TYPES_ID])
def test_the_messages_have_every_field_that_is_read(method: str) -> None:
    """What a message has no field for would be lost without a word."""
    compute = pytest.importorskip("netplan_planner.google.clients.compute")
    client, call = compute.names_of(method)
    made = getattr(getattr(compute.compute_v1, client), call)
    page = signature(made).return_annotation
    collection = "machineTypes" if method == MACHINE_TYPE_ID else None
    kind = next((one.kind for one in LISTS if one.id == method), BY_COLLECTION["machineTypes"])
    message = page if collection else _item(compute.compute_v1, page, kind.collection)
    assert set(_lost(kind.wire, message.pb().DESCRIPTOR, kind.collection)) <= OF_THE_OTHER


def _item(compute_v1: Any, pager: Any, collection: str) -> Any:
    """The message of what a list holds, from the page that a pager turns."""
    (page,) = get_args(signature(pager.pages.fget).return_annotation)
    items = page.pb().DESCRIPTOR.fields_by_name["items"].message_type
    if items.GetOptions().map_entry:
        scope = items.fields_by_name["value"].message_type
        items = next(one for one in scope.fields if one.json_name == collection).message_type
    return getattr(compute_v1, items.name)


def _lost(wire: Any, described: Any, path: str) -> list[str]:
    """The fields of a wire type, below it too, that a message has not."""
    known = {one.json_name: one for one in described.fields}
    lost = []
    for field in msgspec.structs.fields(wire):
        if field.encode_name not in known:
            lost.append(f"{path}.{field.encode_name}")
            continue
        below = known[field.encode_name].message_type
        for inner in _structs(field.type):
            value = below.fields_by_name["value"] if below.GetOptions().map_entry else None
            held = value.message_type if value is not None else below
            lost += _lost(inner, held, f"{path}.{field.encode_name}")
    return lost


def _structs(kind: Any) -> list[Any]:
    if isclass(kind) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [found for part in get_args(kind) for found in _structs(part)]


def test_each_method_is_asked_by_a_client_or_has_a_reason_why_not() -> None:
    ids = {value for module in MODULES for _, value in getmembers(module) if _is_id(value)}
    ids |= {CATALOG_ID, TYPES_ID, MACHINE_TYPE_ID, CONFIGURATIONS_ID, ENTRIES_ID}
    ids |= {MEMBERS_ID, *(one.id for one in LISTS)}
    apis = {one.partition(".")[0] for one in ids}
    assert apis == {*ClientApi, *REST_ALONE}
    assert all(REST_ALONE.values())


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and bool(METHOD_ID.fullmatch(value))


def test_other_paths_than_googles_are_refused() -> None:
    elsewhere = ApiOptions(
        endpoint="http://127.0.0.1:9/proxy/compute/v1/", is_anonymous=True, client=ApiClient.GOOGLE
    )
    with pytest.raises(
        UsageError, match=r"supports only paths below http://127.0.0.1:9/compute/v1/,"
    ):
        read_projects([PROJECT], elsewhere)


def test_a_project_that_is_no_name_is_not_asked_for() -> None:
    with ComputeServer() as server, pytest.raises(AccessError, match="does not exist"):
        read_projects(["a/b?c"], options(server, ApiClient.GOOGLE))
    assert server.calls == []


def test_without_the_extra_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['google.cloud.compute_v1'] = None\n"
        "from netplan_planner.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "audit", "--project", "p", "--anonymous",
         "--api-endpoint", "http://127.0.0.1:9", "--api-client", "google"],
        env={"PYTHONPATH": ":".join(map(str, ROOTS)), "PATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert INSTALL in " ".join(done.stderr.split())


def test_the_libraries_are_not_imported_for_rest() -> None:
    code = (
        "import sys\n"
        "from netplan_planner.google.compute import read_projects\n"
        "from netplan_planner.google.options import ApiOptions\n"
        "try: read_projects(['p'], ApiOptions(endpoint=sys.argv[1], is_anonymous=True))\n"
        "except Exception: pass\n"
        "print([one for one in sys.modules if one.startswith(('google.cloud', 'grpc', 'proto'))])"
    )
    with ComputeServer() as server:
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", code, server.url],
            env={"PYTHONPATH": ":".join(map(str, ROOTS)), "PATH": ""},
            capture_output=True, text=True,
        )  # fmt: skip
    # A crash in compiled code, once seen, tells where it was.
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
    assert server.calls
