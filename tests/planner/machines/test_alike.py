"""Which VMs are copies of one service by the signs that they share, whatever their names."""

from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.machines.groups import replica_sets
from support.rules.facts import facts_of, machine

A, B, C = "us-central1-a", "us-central1-b", "us-central1-c"
TEMPLATE = model.SelfLink("projects/p/global/instanceTemplates/etcd")
LABEL, TAGS = (("app", "etcd"),), ("etcd",)
BETWEEN = model.PathClass.INTER_ZONE_INTERNAL


def why(one: dict[str, Any], other: dict[str, Any], **more: Any) -> str:
    """Return why two VMs of unlike names are copies, or nothing."""
    alpha, omega = machine("alpha", zone=A, **one), machine("omega", zone=B, **other)
    facts = facts_of(alpha, omega, *more.pop("others", ()), **more)
    return replica_sets(facts).why_copies(alpha, omega)


def both(**signs: Any) -> str:
    return why(signs, signs)


def test_three_signs_make_copies_and_are_named() -> None:
    assert both(template=TEMPLATE, labels=LABEL) == (
        "both have the same instance template, label app and machine type"
    )
    assert both(tags=TAGS, labels=LABEL) == (
        "both have the same label app, network tags and machine type"
    )
    own_image = ("projects/etcd-images/global/licenses/etcd",)
    assert both(licenses=own_image, labels=LABEL).startswith("both have the same image, label app")


@pytest.mark.parametrize(
    "signs",
    [{}, {"labels": LABEL}, {"tags": TAGS}, {"template": TEMPLATE}],
    ids=["type alone", "label", "tags", "template"],
)
def test_two_signs_are_too_few(signs: dict[str, Any]) -> None:
    assert both(**signs) == ""


def test_a_public_image_is_no_sign() -> None:
    debian = ("projects/debian-cloud/global/licenses/debian-12",)
    assert both(licenses=debian, labels=LABEL) == ""


def test_parts_of_one_service_are_no_copies() -> None:
    web, db = ((*LABEL, ("role", "web")), (*LABEL, ("role", "db")))
    signs = {"template": TEMPLATE, "tags": TAGS}
    assert why({**signs, "labels": web}, {**signs, "labels": db}) == ""
    assert why({**signs, "labels": web}, {**signs, "labels": web}) != ""


@pytest.mark.parametrize(("back_gbps", "is_sign"), [(0.9, True), (0.1, False)])
def test_similar_rates_are_a_sign(back_gbps: float, *, is_sign: bool) -> None:
    talk = (("alpha", "omega", BETWEEN, 1.0), ("omega", "alpha", BETWEEN, back_gbps))
    found = why({"labels": LABEL}, {"labels": LABEL}, talk=talk)
    assert found == ("both have the same label app, machine type and rates" if is_sign else "")


def test_the_same_clients_are_a_sign() -> None:
    clients = tuple(machine(name, zone=C) for name in ("web", "cart"))
    talk = tuple(
        (client.name, server, BETWEEN, rate)
        for client in clients
        for server, rate in (("alpha", 1.0), ("omega", 0.1))
    )
    found = why({"labels": LABEL}, {"labels": LABEL}, others=clients, talk=talk)
    assert found.endswith("label app, machine type and peers")


def test_a_quorum_in_three_zones_is_a_sign_and_two_vms_are_none() -> None:
    signs: dict[str, Any] = {"labels": LABEL}
    third = machine("sigma", zone=C, **signs)
    assert why(signs, signs, others=(third,)) == (
        "both have the same label app, machine type and quorum of 3 VMs"
    )
    near = machine("sigma", zone=B, **signs)
    assert why(signs, signs, others=(near,)) == ""


def test_machines_of_a_managed_group_are_left_to_the_group() -> None:
    group = model.SelfLink(f"projects/p/zones/{A}/instanceGroupManagers/g")
    assert both(template=TEMPLATE, labels=LABEL, created_by=group) == ""


def test_a_label_that_few_have_is_a_sign_whatever_its_key() -> None:
    signs: dict[str, Any] = {"labels": (("cluster", "pg"),), "tags": TAGS}
    assert both(**signs) == "both have the same network tags, label cluster and machine type"
    team = {**signs, "labels": (("team", "search"),)}
    assert both(**team) == ""
    many = tuple(machine(f"vm-{number}", zone=C, labels=signs["labels"]) for number in range(20))
    assert why(signs, signs, others=many) == ""


def test_of_several_labels_one_counts() -> None:
    assert both(labels=(*LABEL, ("cluster", "main"))) == ""


@pytest.mark.parametrize(
    ("image", "is_sign"),
    [("projects/p/global/images/etcd-v3", True), ("projects/debian-cloud/global/images/12", False)],
)
def test_a_disk_of_an_image_of_ones_own_is_a_sign(image: str, *, is_sign: bool) -> None:
    alpha, omega = (machine(name, zone=zone, tags=TAGS) for name, zone in (("x", A), ("y", B)))
    disks = tuple(
        model.Disk(
            ref=one.ref,
            project=model.ProjectId("p"),
            name=one.name,
            disk_type="pd-ssd",
            users=(one.ref.self_link,),
            source_image=model.SelfLink(image),
        )
        for one in (alpha, omega)
    )
    facts = facts_of(alpha, omega)
    facts = replace(facts, inventory=replace(facts.inventory, disks=disks))
    said = "both have the same image, network tags and machine type"
    assert replica_sets(facts).why_copies(alpha, omega) == (said if is_sign else "")


def mesh(zones: str, rates: dict[str, float], *clients: str) -> str:
    """Return why the first two of VMs that all talk to each other are copies, or nothing."""
    zone_of = dict(zip(rates, zones, strict=True))
    nodes = [machine(name, zone=f"us-central1-{zone}") for name, zone in zone_of.items()]
    talk = tuple(
        (one.name, other.name, BETWEEN, rate)
        for one, rate in zip(nodes, rates.values(), strict=True)
        for other in nodes
        if other is not one
    )
    calls = tuple((client, one.name, BETWEEN, 0.1) for client in clients for one in nodes)
    facts = facts_of(*nodes, *(machine(name) for name in clients), talk=(*talk, *calls))
    return replica_sets(facts).why_copies(*nodes[:2])


@pytest.mark.parametrize("clients", [(), ("web", "cart")])
def test_a_quorum_that_all_talk_to_each_other_needs_no_label(clients: tuple[str, ...]) -> None:
    equal = dict.fromkeys(("alpha", "sigma", "omega"), 1.0)
    assert "full mesh" in mesh("abc", equal, *clients)
    assert "full mesh" in mesh("abcab", {**equal, "rho": 1.1, "tau": 1.0}, *clients)


@pytest.mark.parametrize(
    ("zones", "more"),
    [("aab", {}), ("abc", {"omega": 0.1}), ("abca", {"rho": 1.0})],
    ids=["two zones", "unequal rates", "no quorum"],
)
def test_other_meshes_are_no_copies(zones: str, more: dict[str, float]) -> None:
    assert mesh(zones, {**dict.fromkeys(("alpha", "sigma", "omega"), 1.0), **more}) == ""


def test_copies_that_talk_to_each_other_have_the_same_clients() -> None:
    talk = (
        ("alpha", "omega", BETWEEN, 1.0),
        ("web", "alpha", BETWEEN, 0.1),
        ("web", "omega", BETWEEN, 3.0),
    )
    found = why({"labels": LABEL}, {"labels": LABEL}, others=(machine("web", zone=C),), talk=talk)
    assert found.endswith("label app, machine type and peers")
