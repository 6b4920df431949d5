"""Whose machines the ends of a measurement are, and which path class it has."""

from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.model import ForwardingRule, PathClass, ProjectId, ResourceRef, SelfLink
from netplan_rules.shared.measured import UnmatchedMeasurement, measured_runs, moment
from support.listed import listed
from support.rules.measured_facts import A, B, host, measured_facts, only_run, run

SAME_ZONE = "same-zone-internal"


def lost(said: dict[str, Any], **more: Any) -> UnmatchedMeasurement:
    (found,) = measured_runs(measured_facts(said, **more))
    assert isinstance(found, UnmatchedMeasurement)
    return found


def ends(sender: dict[str, Any], receiver: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a run with ends as they are given, without what the machines' names would add."""
    return run(src="", dst="", runs=1, sender=sender, receiver=receiver, **fields)


LINK = "projects/p/zones/us-central1-a/instances/a"
SPELT = ["a", "p/us-central1-a/a", "a.us-central1-a.c.p.internal", "a.c.p.internal", LINK]


@listed("name", [*SPELT, f"https://www.googleapis.com/compute/v1/{LINK}"])
def test_a_machine_is_found_by_every_spelling_of_its_name(name: str) -> None:
    said = ends({"name": name, "address": None}, {"address": "10.0.0.2"})
    found = only_run(measured_facts(said))
    assert (found.src, found.dst) == (A, B)
    assert (found.path_class, found.is_by_address) == (PathClass(SAME_ZONE), True)


@listed(
    "name",
    ["b.us-central1-b.c.p.internal", "b.us-central1-a.c.other.internal", "b.example.com", "B", ""],
)
def test_a_name_that_only_looks_alike_is_no_machine(name: str) -> None:
    said = ends({"address": "10.0.0.1"}, {"name": name, "address": None})
    found = lost(said)
    assert found.known == A
    assert "one end of the measurement is not a VM" in found.gap.reason


def test_a_machine_is_found_by_its_address_whatever_its_host_name() -> None:
    said = ends({"name": "web.example.com", "address": "10.0.0.1"}, {"address": "::ffff:10.0.0.2"})
    found = only_run(measured_facts(said))
    assert (found.src, found.dst) == (A, B)


@pytest.mark.parametrize(
    ("sender", "receiver", "path_class"),
    [
        ("10.0.0.1", "10.0.0.2", "same-zone-internal"),
        ("10.0.0.1", "35.0.0.2", "same-zone-external"),
        # The server's own view of the same run: the client's external address, its own inner one.
        ("35.0.0.1", "10.0.0.2", "same-zone-external"),
        ("10.0.0.1", "10.0.0.3", "inter-region-internal"),
        ("35.0.0.1", "35.0.0.3", "inter-region-external"),
    ],
)
def test_the_addresses_tell_the_path(sender: str, receiver: str, path_class: str) -> None:
    said = ends({"address": sender}, {"address": receiver}, path_class="internet")
    found = only_run(measured_facts(said))
    assert (found.path_class, found.is_by_address) == (PathClass(path_class), True)


@pytest.mark.parametrize(
    ("sender", "receiver", "path_class"),
    [
        ({"name": "a"}, {"name": "b"}, None),
        ({"name": "a"}, {"address": "10.0.0.2"}, SAME_ZONE),
        ({"name": "a"}, {"address": "35.0.0.2"}, "same-zone-external"),
        ({"address": "35.0.0.1"}, {"name": "b"}, "same-zone-external"),
        # An inner address of the sender says nothing of the receiver's.
        ({"address": "10.0.0.1"}, {"name": "b"}, None),
    ],
)
def test_one_address_tells_as_much_as_it_can(
    sender: dict[str, Any], receiver: dict[str, Any], path_class: str | None
) -> None:
    none = {"address": None}
    found = only_run(measured_facts(ends(none | sender, none | receiver)))
    assert found.path_class == path_class
    assert found.is_by_address is (path_class is not None)
    assert bool(found.why_no_path) is (path_class is None)


def test_the_recorded_class_serves_where_no_address_is() -> None:
    none = {"address": None}
    said = ends({"name": "a", **none}, {"name": "b", **none}, path_class="same-zone-external")
    found = only_run(measured_facts(said))
    assert (found.path_class, found.is_by_address) == (PathClass.SAME_ZONE_EXTERNAL, False)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("inter-region-internal", "does not match where its VMs are"),
        ("internet", "not a path between two VMs"),
        ("same-zone-internal-pod", "not a path between two VMs"),
    ],
)
def test_a_recorded_class_that_cannot_be_is_no_path(said: str, why: str) -> None:
    none = {"address": None}
    found = only_run(
        measured_facts(ends({"name": "a", **none}, {"name": "b", **none}, path_class=said))
    )
    assert found.path_class is None
    assert why in found.why_no_path


def test_a_name_and_an_address_of_two_machines_are_nobody() -> None:
    said = ends({"address": "10.0.0.1"}, {"name": "b", "address": "10.0.0.3"})
    found = lost(said)
    assert found.why == "the record names b, but 10.0.0.3 is that of far"


@listed("address", ["127.0.0.1", "172.17.0.2", "203.0.113.9", "::1"])
def test_an_address_that_is_not_the_named_machines_is_not_taken_for_it(address: str) -> None:
    said = ends({"address": "10.0.0.1"}, {"name": "b", "address": address})
    found = lost(said)
    assert "not one of its addresses" in found.why


def test_a_name_that_two_machines_have_needs_a_zone_or_an_address() -> None:
    twin = host("b", 9, zone="us-central1-b")
    machines = (A, B, twin)
    none = {"name": "b", "address": None}
    unclear = lost(ends({"address": "10.0.0.1"}, none), machines=machines)
    assert unclear.why == "2 VMs are named b"
    for clue, meant in (
        ({"zone": "us-central1-b"}, twin),
        ({"zone": "us-central1-a"}, B),
        ({"address": "10.0.0.9"}, twin),
    ):
        said = ends({"address": "10.0.0.1"}, none | clue)
        assert only_run(measured_facts(said, machines=machines)).dst == meant


def test_an_address_of_two_networks_is_told_by_the_name() -> None:
    other = SelfLink("projects/p/global/networks/other")
    twin = host("twin", 2, nic={"network": other})
    machines = (A, B, twin)
    alone = ends({"address": "10.0.0.1"}, {"address": "10.0.0.2"})
    assert lost(alone, machines=machines)
    named = ends({"address": "10.0.0.1"}, {"name": "b", "address": "10.0.0.2"})
    found = only_run(measured_facts(named, machines=machines))
    assert (found.dst, found.path_class) == (B, PathClass(SAME_ZONE))


def test_a_run_through_a_load_balancer_is_no_path_between_two_machines() -> None:
    said = ends({"address": "10.0.0.1"}, {"name": "b", "address": "34.9.9.9"})
    front = ForwardingRule(
        ref=ResourceRef(self_link=SelfLink("projects/p/regions/us-central1/forwardingRules/f")),
        project=ProjectId("p"),
        name="f",
        ip_address="34.9.9.9",
        scheme="EXTERNAL",
    )
    facts = measured_facts(said)
    facts = replace(facts, inventory=replace(facts.inventory, forwarding_rules=(front,)))
    found = only_run(facts)
    assert (found.dst, found.path_class) == (B, None)
    assert "its path is load-balancer" in found.why_no_path


def test_a_machine_that_talks_to_itself_has_no_path() -> None:
    found = only_run(measured_facts(ends({"address": "10.0.0.1"}, {"address": "35.0.0.1"})))
    assert (found.src, found.dst, found.path_class) == (A, A, None)
    assert found.why_no_path == "both ends are the same VM"


def test_without_measurements_there_are_no_runs() -> None:
    facts = measured_facts()
    assert facts.measurements == ()
    assert list(measured_runs(facts)) == []
    assert list(measured_runs(replace(facts, measurements=None))) == []


def test_a_moment_is_in_utc_or_not_known() -> None:
    found = moment("2026-11-02T23:30:00-05:00")
    assert found is not None
    assert found.isoformat() == "2026-11-03T04:30:00+00:00"
    for text in ("", "junk", "2026-11-02", "2026-11-02T10:00:00", "9999-12-31T23:59:59-12:00"):
        assert moment(text) is None
