"""Hubs and spokes of the live Network Connectivity API, beside Compute's."""

from collections.abc import Callable

import pytest

from netplan_planner.google.compute import read_projects
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.other_apis import NETWORK_CONNECTIVITY
from netplan_planner.model import Inventory
from support.projects.hubs import hub, vpc_spoke, vpn_spoke
from support.servers.compute import ComputeServer
from support.servers.hostile import Answer, Asked, HostileServer, json_answer

SPOKES = [vpc_spoke("a"), vpc_spoke("b"), vpn_spoke("site")]


def good(asked: Asked) -> Answer:
    """Answer with one hub, and with spokes of all locations on two pages."""
    if asked.path == "/v1/projects/p/locations/global/hubs":
        return json_answer({"hubs": [hub()]})
    assert asked.path == "/v1/projects/p/locations/-/spokes"
    if "pageToken" in asked.query:
        return json_answer({"spokes": SPOKES[2:], "unreachable": ["projects/p/locations/asia-x1"]})
    return json_answer({"spokes": SPOKES[:2], "nextPageToken": "more"})


def refused(reason: str) -> Callable[[Asked], Answer]:
    error = {"error": {"code": 403, "message": "no", "details": [{"reason": reason}]}}
    return lambda _: json_answer(error, status=403)


def live(monkeypatch: pytest.MonkeyPatch, answer: Callable[[Asked], Answer]) -> Inventory:
    with ComputeServer() as compute, HostileServer(answer) as other:
        compute.add_project("p")
        monkeypatch.setenv(NETWORK_CONNECTIVITY.variable, f"{other.url}/")
        options = ApiOptions(endpoint=compute.url, is_anonymous=True, max_attempts=1)
        return read_projects(["p"], options)


def test_both_lists_are_read_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    inventory = live(monkeypatch, good)
    assert [one.name for one in inventory.hubs] == ["main"]
    assert [one.name for one in inventory.spokes] == ["a", "b", "site"]
    (unread,) = inventory.unread
    assert unread.reason == "incomplete: projects/p/locations/asia-x1 unreachable"


@pytest.mark.parametrize(
    ("reason", "said", "is_needless"),
    [
        ("SERVICE_DISABLED", "the Network Connectivity API is disabled (403)", True),
        ("IAM_PERMISSION_DENIED", "it needs the permission networkconnectivity.", False),
    ],
)
def test_what_is_refused_is_noted_and_no_error(
    monkeypatch: pytest.MonkeyPatch, reason: str, said: str, is_needless: bool
) -> None:
    inventory = live(monkeypatch, refused(reason))
    assert (inventory.hubs, inventory.spokes) == ((), ())
    assert len(inventory.unread) == 2
    for unread in inventory.unread:
        assert said in unread.reason
        assert unread.is_needless == is_needless
    assert not any(project.errors for project in inventory.projects)
