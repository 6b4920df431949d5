"""`--api-client google`: what Google's clients read is what netplan's own requests read."""

import json
import subprocess
import sys
from collections.abc import Callable
from inspect import getmembers, isclass, signature
from typing import Any, get_args

import msgspec
import pytest

from netplan_planner.errors import AccessError, UsageError
from netplan_planner.google import ApiOptions, read_projects
from netplan_planner.google.api_clients import INSTALL, REST_ALONE, ApiClient, ClientApi
from netplan_planner.google.compute_methods import CONFIGURATIONS_ID, LISTS, MACHINE_TYPE_ID
from netplan_planner.google.refusals import LIST_ENTRIES, LIST_MEMBERS
from netplan_planner.google.saved_pages import CATALOG_METHOD, TYPES_METHOD
from netplan_planner.model import Inventory
from netplan_planner.readers.kinds import BY_COLLECTION
from support.commands.run import ROOTS
from support.projects import one_project
from support.projects.recorded import add_recorded_project
from support.projects.shared_data import needs_shared
from support.servers.compute import ComputeServer, Fault

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
            server.add_fault(one)

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
    "no such project": lambda server: None,
    "a permission is missing": faults(Fault(method=ADDRESSES, status=403, reason="forbidden")),
    "the API is off": faults(Fault(project=PROJECT, status=403, reason="SERVICE_DISABLED")),
    "the credentials are refused": faults(Fault(project="empty", status=401)),
    "a type is not offered": faults(Fault(method=MACHINE_TYPE_ID, status=404, reason="notFound")),
    "a later page is missing": faults(Fault(method=INSTANCES, skip=1, status=404)),
    "a later page fails for good": faults(Fault(method=INSTANCES, skip=2, status=503)),
    "a page fails once": faults(Fault(method=INSTANCES, status=429, times=1, retry_after="0")),
    "a redirect": faults(Fault(method=ADDRESSES, status=302)),
    "a bad request": faults(Fault(method=ADDRESSES, status=400, message="made by the test")),
    "cut off": faults(Fault(method=ADDRESSES, truncate=True)),
    "damaged": faults(Fault(method=ADDRESSES, corrupt=True)),
    "broken off": faults(Fault(method=ADDRESSES, disconnect=True)),
    "leads back": faults(Fault(method=INSTANCES, repeat_token=True)),
    "the same page": faults(Fault(method=INSTANCES, same_page=True)),
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


@pytest.mark.parametrize("case", CASES)
def test_one_project_reads_both_ways_to_equal_values(case: str) -> None:
    ours, asked = read(ApiClient.REST, CASES[case])
    theirs, asked_by_client = read(ApiClient.GOOGLE, CASES[case])
    assert theirs == ours
    assert asked_by_client == asked
    assert ours.projects
    if case == "members of groups":
        assert LIST_MEMBERS in asked


def test_some_cases_are_errors_of_the_project() -> None:
    # Two readings without an error would be equal, too.
    found, _ = read(ApiClient.GOOGLE, CASES["a permission is missing"])
    errors = {text for one in found.projects if one.project == PROJECT for text in one.errors}
    assert any(
        "compute.addresses.list, which the role roles/compute.viewer holds" in text
        for text in errors
    )
    found, _ = read(ApiClient.GOOGLE, CASES["partial success"])
    assert any(
        "regions/t could not be reached" in text for one in found.projects for text in one.errors
    )
