"""Hubs and spokes of Network Connectivity Center in every format, and which networks they join."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Inventory, SelfLink, SpokeKind
from netplan_planner.readers import read_inventory
from support.projects import compute_json
from support.projects.compute_json import Reader
from support.projects.hubs import HUB, asset, hub, vpc_spoke, vpn_spoke
from support.projects.plans import change, configured, plan, refers
from support.servers.discovery import discovery

Json = dict[str, Any]
HUBS = [hub()]
SPOKES = [vpc_spoke("a"), vpc_spoke("b", exclude=("10.9.0.0/16",)), vpn_spoke("site")]
FORMATS = {
    "gcloud": (HUBS, SPOKES),
    "API": ({"hubs": HUBS}, {"spokes": SPOKES, "unreachable": []}),
    "assets": ([asset(one) for one in (*HUBS, *SPOKES)],),
    "describe": (*HUBS, *SPOKES),
}
NETWORKS = {name: SelfLink(f"projects/p/global/networks/{name}") for name in ("a", "b", "c")}


def net(name: str) -> Json:
    return {"kind": "compute#network", "name": name, "selfLink": NETWORKS[name]}


def machine(name: str, network: str, address: str) -> Json:
    own = {"subnetwork": f"projects/p/regions/us-central1/subnetworks/{network}"}
    return compute_json.machine(name, address=address, network=NETWORKS[network], **own)


def subnet(network: str, block: str) -> Json:
    return {
        "kind": "compute#subnetwork",
        "name": network,
        "selfLink": f"projects/p/regions/us-central1/subnetworks/{network}",
        "network": NETWORKS[network],
        "region": "us-central1",
        "ipCidrRange": block,
    }


@pytest.mark.parametrize("documents", FORMATS.values(), ids=FORMATS)
def test_every_format_reads_to_the_same(read: Reader, documents: tuple[object, ...]) -> None:
    inventory = read(*documents)
    assert inventory.unread == ()
    (found,) = inventory.hubs
    assert (found.name, found.topology, found.project) == ("main", "MESH", "p")
    spokes = {spoke.name: spoke for spoke in inventory.spokes}
    assert {name: spoke.kind for name, spoke in spokes.items()} == {
        "a": SpokeKind.VPC,
        "b": SpokeKind.VPC,
        "site": SpokeKind.VPN,
    }
    assert {spoke.hub for spoke in spokes.values()} == {found.ref.self_link}
    assert (spokes["a"].network, spokes["a"].group) == (NETWORKS["a"], "default")
    assert spokes["b"].not_exported == ("10.9.0.0/16",)
    assert inventory.hub_between(NETWORKS["a"], NETWORKS["b"]) == "main"


def test_the_made_resources_are_those_of_the_discovery_document() -> None:
    for kind, found in (("Hub", HUBS), ("Spoke", SPOKES)):
        for one in found:
            assert discovery("networkconnectivity").check_body(kind, one) == []


def test_terraform_reads_planned_and_made_ones(tmp_path: Path) -> None:
    kinds = [f"google_network_connectivity_{kind}" for kind in ("hub", "spoke", "group")]
    network = "google_compute_network"
    own = {"name": "c", "location": "global", "project": "p", "linked_vpc_network": [{}]}
    unknown = {"hub": True, "state": True, "group": True, "linked_vpc_network": [{"uri": True}]}
    uri = {"uri": refers(f"{network}.c.id", f"{network}.c")}
    made = vpc_spoke("a", group="center")
    written = plan(
        change(f"{network}.c", {"name": "c", "project": "p"}, {"id": True}),
        change(
            f"{kinds[0]}.main",
            {"name": "main", "project": "p", "preset_topology": "STAR"},
            {"id": True},
        ),
        change(f"{kinds[2]}.edge", {"name": "edge", "project": "p"}, {"id": True, "hub": True}),
        change(f"{kinds[1]}.c", own, unknown),
        change(
            f"{kinds[1]}.a",
            {
                "name": "a",
                "id": made["name"],
                "hub": HUB,
                "group": made["group"],
                "state": "ACTIVE",
                "linked_vpc_network": [{"uri": made["linkedVpcNetwork"]["uri"]}],
            },
        ),
        resources=(
            configured(
                kinds[1],
                "c",
                hub=refers(f"{kinds[0]}.main.id", f"{kinds[0]}.main"),
                group=refers(f"{kinds[2]}.edge.id", f"{kinds[2]}.edge"),
                linked_vpc_network=[uri],
            ),
        ),
    )
    (tmp_path / "plan.json").write_text(json.dumps(written), encoding="utf-8")
    inventory = read_inventory([tmp_path])
    assert [one.topology for one in inventory.hubs] == ["STAR"]
    spokes = {spoke.name: (spoke.network, spoke.group, spoke.state) for spoke in inventory.spokes}
    assert spokes == {
        "a": (NETWORKS["a"], "center", "ACTIVE"),
        "c": (NETWORKS["c"], "edge", "ACTIVE"),
    }
    assert inventory.hub_between(NETWORKS["a"], NETWORKS["c"]) == "main"


def test_a_planned_spoke_of_another_projects_hub_waits_for_its_owner(tmp_path: Path) -> None:
    kind = "google_network_connectivity_spoke"
    after = {
        "name": "c",
        "location": "global",
        "project": "q",
        "hub": HUB,
        "linked_vpc_network": [{"uri": NETWORKS["c"]}],
    }
    written = plan(change(f"{kind}.c", after, {"state": True}))
    (tmp_path / "plan.json").write_text(json.dumps(written), encoding="utf-8")
    inventory = read_inventory([tmp_path])
    (spoke,) = inventory.spokes
    assert not spoke.is_active
    assert any("whose owner accepts it" in one.reason for one in inventory.unread)


def test_a_producers_spoke_keeps_the_ranges_that_it_says(read: Reader) -> None:
    made = vpc_spoke("b", exclude=("10.9.0.0/16",))
    made["linkedProducerVpcNetwork"] = made.pop("linkedVpcNetwork")
    (spoke,) = read([net("b")], [made]).spokes
    assert (spoke.kind, spoke.not_exported) == (SpokeKind.PRODUCER, ("10.9.0.0/16",))


def test_what_a_spoke_lacks_is_noted(read: Reader) -> None:
    without_hub = {key: value for key, value in SPOKES[0].items() if key != "hub"}
    odd = vpc_spoke("b", exclude=("everything",))
    inventory = read([net("a")], [without_hub, odd])
    assert inventory.spokes == ()
    assert sorted(one.reason for one in inventory.unread) == [
        "no hub",
        "no range of addresses: everything",
    ]


def joined(inventory: Inventory, one: str = "a", other: str = "b") -> tuple[str, str]:
    pair = NETWORKS[one], NETWORKS[other]
    return inventory.hub_between(*pair), inventory.spoke_pairs.why_apart(*pair)


@pytest.mark.parametrize(
    ("topology", "groups", "why"),
    [
        ("MESH", ("default", "default"), ""),
        (None, ("default", "default"), ""),
        ("STAR", ("center", "edge"), ""),
        ("STAR", ("center", "center"), ""),
        ("STAR", ("edge", "edge"), "both are in the edge group"),
        ("HYBRID_INSPECTION", ("prod", "non-prod"), "it is not known whether the hub main joins"),
    ],
)
def test_the_topology_says_which_spokes_a_hub_joins(
    read: Reader, topology: str | None, groups: tuple[str, str], why: str
) -> None:
    spokes = [vpc_spoke(n, group=group) for n, group in zip("ab", groups, strict=True)]
    for documents in (([hub(topology=topology)], spokes), (spokes,)):
        found, said = joined(read(*documents))
        assert (found, said[: len(why)]) == ("" if why else "main", why)
        assert bool(said) == bool(why)


@pytest.mark.parametrize(
    ("spoke", "why"),
    [
        (vpc_spoke("b", state="INACTIVE"), "the spoke b of the hub main is INACTIVE"),
        (vpc_spoke("b", of=HUB + "-2"), "they are spokes of two hubs, main and main-2"),
    ],
)
def test_spokes_that_no_hub_joins_say_why(read: Reader, spoke: Json, why: str) -> None:
    assert joined(read(HUBS, [vpc_spoke("a"), spoke])) == ("", why)


@pytest.mark.parametrize(
    ("of_b", "is_reached"),
    [
        ({}, True),
        ({"exclude": ("10.2.0.0/16",)}, False),
        ({"exclude": ("10.3.0.0/16",)}, True),
        ({"include": ("10.2.0.0/16", "ALL_IPV6_RANGES")}, True),
        ({"include": ("10.3.0.0/16",)}, False),
        ({"include": ("ALL_IPV4_RANGES",), "exclude": ("10.2.0.0/24",)}, False),
    ],
)
def test_ranges_that_a_spoke_keeps_are_not_reached_nor_reach(
    read: Reader, of_b: Json, is_reached: bool
) -> None:
    inventory = read(
        [net("a"), net("b"), subnet("a", "10.1.0.0/24"), subnet("b", "10.2.0.0/24")],
        [machine("one", "a", "10.1.0.2"), machine("other", "b", "10.2.0.2")],
        HUBS,
        [vpc_spoke("a"), vpc_spoke("b", **of_b)],
    )
    one, other = inventory.instances
    for pair in ((one, other), (other, one)):
        nic = inventory.reachable_interface(*pair)
        assert (nic is not None) == is_reached
        assert inventory.hub_over(*pair) == ("main" if is_reached else "")


def test_public_ranges_are_exported_where_the_spoke_says_so_alone(read: Reader) -> None:
    (said, silent) = read([vpc_spoke("a", include=("ALL_IPV4_RANGES",)), vpc_spoke("b")]).spokes
    assert (said.exports("34.1.0.0/20"), silent.exports("34.1.0.0/20")) == (True, False)
    assert (silent.exports("100.64.0.0/20"), silent.exports("fd20::/64")) == (True, False)


def test_the_nearer_way_counts_before_a_hub(read: Reader) -> None:
    peer = net("a") | {"peerings": [{"name": "ab", "network": NETWORKS["b"], "state": "ACTIVE"}]}
    inventory = read(
        [peer, net("b"), machine("one", "a", "10.1.0.2"), machine("other", "b", "10.2.0.2")],
        HUBS,
        [vpc_spoke("a"), vpc_spoke("b")],
    )
    assert inventory.hub_between(NETWORKS["a"], NETWORKS["b"]) == ""
    one, other = inventory.instances
    assert inventory.reachable_interface(one, other) is not None
    assert inventory.hub_over(one, other) == ""


@pytest.mark.parametrize("word", ["ALL_IPV4_RANGES", "ALL_PRIVATE_IPV4_RANGES"])
def test_a_word_for_all_ranges_keeps_them(read: Reader, word: str) -> None:
    (spoke,) = read([vpc_spoke("a", exclude=(word,))]).spokes
    assert not spoke.exports("10.1.0.0/24")
    (other,) = read([vpc_spoke("a", exclude=("ALL_IPV6_RANGES",))]).spokes
    assert other.exports("10.1.0.0/24")


@pytest.mark.parametrize(
    "other",
    [
        vpc_spoke("b", state="UPDATING"),
        vpc_spoke("b", exclude=("10.2.0.0/16",)),
        vpc_spoke("b", of=HUB.replace("projects/p/", "projects/123456/")),
    ],
    ids=["state", "filter", "number of the hub's project"],
)
def test_traffic_that_was_seen_between_two_spokes_passes_their_hub(
    read: Reader, other: Json
) -> None:
    inventory = read(HUBS, [vpc_spoke("a"), other])
    assert inventory.hub_seen([NETWORKS["a"]], [NETWORKS["b"]]) == "main"
    two = read(HUBS, [vpc_spoke("a"), vpc_spoke("b", of=HUB + "-2")])
    assert two.hub_seen([NETWORKS["a"]], [NETWORKS["b"]]) == ""


def test_a_network_may_be_the_spoke_that_was_not_understood(read: Reader) -> None:
    pair = NETWORKS["a"], NETWORKS["b"]
    broken = vpc_spoke("b", exclude=("no range",))
    inventory = read(HUBS, [vpc_spoke("a"), broken])
    assert [spoke.name for spoke in inventory.spokes] == ["a"]
    assert inventory.spoke_pairs.are_spokes(*pair)
    assert "not all spokes" in inventory.spoke_pairs.why_apart(*pair)
    assert not read(HUBS, [vpc_spoke("a")]).spoke_pairs.are_spokes(*pair)


def test_the_number_of_a_spokes_project_stands_for_its_id(read: Reader) -> None:
    spoke = vpc_spoke("a")
    uri = spoke["linkedVpcNetwork"]["uri"].replace("projects/p/", "projects/123456/")
    (found,) = read([spoke | {"linkedVpcNetwork": {"uri": uri}}]).spokes
    assert found.network == NETWORKS["a"]
