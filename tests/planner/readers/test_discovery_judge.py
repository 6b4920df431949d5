"""The judge itself: it finds what a body must not have, and nothing in one that is right."""

from typing import Any

from support.listed import listed
from support.servers.discovery import discovery

GOOD: dict[str, Any] = {
    "kind": "compute#instance",
    "id": "123",
    "name": "a",
    "status": "RUNNING",
    "labels": {"any": "thing"},
    "networkInterfaces": [{"name": "nic0", "queueCount": 4}],
    "scheduling": {"preemptible": False},
}


def test_a_right_body_has_no_findings() -> None:
    assert discovery().check_body("Instance", GOOD) == []


@listed(
    ("change", "finding"),
    [
        ({"colour": "red"}, "/colour: unknown field"),
        ({"name": 5}, "/name: int where string is described"),
        ({"id": 123}, "/id: int where string is described"),
        ({"id": "12a"}, "/id: '12a' is not a uint64"),
        ({"status": "LEVITATING"}, "/status: 'LEVITATING' is not in the enum"),
        ({"labels": {"a": 1}}, "/labels/a: int where string is described"),
        ({"networkInterfaces": {}}, "/networkInterfaces: dict where array is described"),
        (
            {"networkInterfaces": [{"queueCount": True}]},
            "/networkInterfaces/0/queueCount: bool where integer is described",
        ),
        ({"labels": None}, "/labels: NoneType where object is described"),
    ],
)
def test_what_a_body_must_not_have(change: dict[str, Any], finding: str) -> None:
    assert discovery().check_body("Instance", GOOD | change) == [finding]


def test_paths_lead_to_methods() -> None:
    found = discovery().find("GET", "/compute/v1/projects/p/zones/z/machineTypes/t")
    assert found is not None
    method, names = found
    assert method.id == "compute.machineTypes.get"
    assert names == {"project": "p", "zone": "z", "machineType": "t"}
    assert discovery().find("GET", "/compute/v1/projects/p/zones/z/machineTypes/t/u") is None
    assert discovery().find("GET", "/compute/v9/projects/p/zones") is None


def test_parameters_are_known_or_not() -> None:
    method = discovery().methods["compute.instances.aggregatedList"]
    assert discovery().check_query(method, {"maxResults", "pageToken", "prettyPrint"}) == []
    assert discovery().check_query(method, {"returnPartialSuccess"}) == [
        "compute.instances.aggregatedList: unknown parameter returnPartialSuccess"
    ]
