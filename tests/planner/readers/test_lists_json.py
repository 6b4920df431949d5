"""Lists, pages and repeats of resources as JSON, and what in them is not as documented."""

import json

import pytest

from support.projects.compute_json import REGION, ROOT, ZONE, Reader, Resource, nic, only, vm


def test_an_envelope_of_scopes_and_its_empty_ones(read: Reader) -> None:
    empty = {"code": "NO_RESULTS_ON_PAGE", "message": "none"}
    page = {
        "kind": "compute#instanceAggregatedList",
        "items": {
            "zones/us-east1-b": {"instances": [vm()]},
            "zones/us-east1-c": {"warning": empty},
        },
    }
    inventory = read(page)
    assert only(inventory).ref.source.endswith("000.json:/items/zones~1us-east1-b/instances/0")
    assert inventory.unread == ()


def test_scopes_and_lists_are_known_without_kind(read: Reader) -> None:
    bare = {key: value for key, value in vm().items() if key != "kind"}
    other = bare | {"selfLink": f"{ZONE}/instances/b", "name": "b"}
    third = bare | {"selfLink": f"{ZONE}/instances/c", "name": "c"}
    inventory = read({"items": {"zones/us-east1-b": {"instances": [bare]}}}, [other], third)
    assert [instance.name for instance in inventory.instances] == ["a", "b", "c"]


def test_a_resource_is_known_by_its_shape(read: Reader) -> None:
    bare = {key: value for key, value in vm().items() if key not in {"kind", "selfLink"}}
    assert only(read([bare])).ref.self_link == "projects/p/zones/us-east1-b/instances/a"


def test_an_unreachable_scope_is_incomplete(read: Reader) -> None:
    page = {
        "kind": "compute#instanceAggregatedList",
        "items": {"zones/x": {"warning": {"code": "UNREACHABLE", "message": "zone x is down"}}},
        "unreachables": [f"{ROOT}/zones/y"],
    }
    reasons = sorted(unread.reason for unread in read(page).unread)
    assert reasons == [
        "incomplete: UNREACHABLE: zone x is down",
        f"incomplete: {ROOT}/zones/y could not be reached",
    ]


def page(name: str, token: str | None) -> Resource:
    found: Resource = {
        "kind": "compute#instanceList",
        "selfLink": f"{ZONE}/instances",
        "items": [vm(name=name, selfLink=f"{ZONE}/instances/{name}")],
    }
    return found | ({"nextPageToken": token} if token else {})


def test_a_list_whose_last_page_is_missing_is_noted(read: Reader) -> None:
    inventory = read(page("a", "more"))
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert "nextPageToken" in unread.reason


def test_a_list_with_its_last_page_is_whole(read: Reader) -> None:
    inventory = read(page("a", "more"), page("b", None))
    assert len(inventory.instances) == 2
    assert inventory.unread == ()


def test_kinds_that_are_not_needed_are_counted(read: Reader) -> None:
    images = [{"kind": "compute#image", "selfLink": f"{ROOT}/global/images/i{n}"} for n in range(3)]
    gateway = {"selfLink": f"{REGION}/targetVpnGateways/g"}
    inventory = read(vm(), {"kind": "compute#imageList", "items": images}, gateway)
    assert sorted(unread.reason for unread in inventory.unread) == [
        "compute#image: 3 not needed by the audit",
        "compute#targetVpnGateways: 1 not needed by the audit",
    ]


def test_the_same_name_in_two_projects_is_two_machines(read: Reader) -> None:
    other = json.loads(json.dumps(vm()).replace("projects/p/", "projects/q/"))
    inventory = read([vm(), other])
    assert [instance.project for instance in inventory.instances] == ["p", "q"]
    assert inventory.unread == ()


def test_a_repeated_resource_is_one(read: Reader) -> None:
    inventory = read(vm(), vm())
    assert len(inventory.instances) == 1
    assert inventory.instances[0].ref.source.endswith("000.json")
    assert inventory.unread == ()


def test_of_two_readings_that_differ_the_fuller_counts(read: Reader) -> None:
    inventory = read(vm(), vm(labels={"a": "b"}))
    assert only(inventory).labels == (("a", "b"),)
    (unread,) = inventory.unread
    assert unread.source.endswith("000.json")
    assert "differs" in unread.reason


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("id", {"not": "an id"}, "id"),
        ("status", 7, "status"),
        ("labels", {"a": 1}, "labels"),
        ("tags", {"items": [1]}, "tags"),
        ("disks", [{"guestOsFeatures": "GVNIC"}], "disks"),
        ("disks", "none", "disks"),
        ("creationTimestamp", "yesterday", "creationTimestamp"),
        ("networkInterfaces", [nic(queueCount="four")], "networkInterfaces[0].queueCount"),
        ("networkInterfaces", [nic(queueCount=-1)], "networkInterfaces[0].queueCount"),
        ("networkInterfaces", [nic(queueCount=10**30)], "networkInterfaces[0].queueCount"),
        ("canIpForward", "perhaps", "canIpForward"),
        ("scheduling", [], "scheduling"),
    ],
)
def test_a_field_of_a_wrong_type_is_left_out_and_named(
    read: Reader, field: str, value: object, expected: str
) -> None:
    inventory = read(vm(**{field: value}))
    assert only(inventory).machine_type == "n2-standard-8"
    assert expected in {unread.field for unread in inventory.unread}
    assert {unread.resource for unread in inventory.unread} == {only(inventory).ref.self_link}


def test_a_null_is_not_stated(read: Reader) -> None:
    inventory = read(vm(labels=None, disks=None, cpuPlatform=None, metadata=None, tags=None))
    assert only(inventory).labels == ()
    assert inventory.unread == ()


@pytest.mark.parametrize("missing", ["machineType", "selfLink"])
def test_a_machine_without_what_it_needs_is_unread(read: Reader, missing: str) -> None:
    resource = vm(zone=None)
    del resource[missing]
    inventory = read([vm(selfLink=f"{ZONE}/instances/good"), resource])
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert missing in unread.reason


def test_a_machine_without_a_zone_anywhere_is_unread(read: Reader) -> None:
    inventory = read([vm(), vm(zone=None, selfLink="projects/p/instances/b")])
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert unread.resource == "projects/p/instances/b"
    assert unread.reason == "its self link names no project, place and name"


def test_an_item_that_is_no_object_is_unread(read: Reader) -> None:
    listed = {"kind": "compute#instanceList", "items": [vm(), "text", 5, None, []]}
    inventory = read(listed)
    assert len(inventory.instances) == 1
    assert [unread.source.rpartition("/")[2] for unread in inventory.unread] == list("1234")
