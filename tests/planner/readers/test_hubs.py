"""Hubs and spokes of Network Connectivity Center in every format, and which networks they join."""

from typing import Any

import pytest

from netplan_planner.ledger.peerings import overlap_of, untold_over_hub, why_not_peered
from netplan_planner.model import Inventory, SelfLink, SpokeKind
from support.listed import listed
from support.projects import compute_json
from support.projects.compute_json import Reader
from support.projects.hubs import HUB, asset, hub, vpc_spoke, vpn_spoke
from support.servers.discovery import discovery

Json = dict[str, Any]
UNTOLD = "whether the hub main connects their groups is unknown"
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


def joined(inventory: Inventory, one: str = "a", other: str = "b") -> tuple[str, str]:
    pair = NETWORKS[one], NETWORKS[other]
    return inventory.hub_between(*pair), inventory.spoke_pairs.why_apart(*pair)


@listed(
    ("topology", "groups", "why"),
    [
        ("MESH", ("default", "default"), ""),
        (None, ("default", "default"), ""),
        ("STAR", ("center", "edge"), ""),
        ("STAR", ("center", "center"), ""),
        ("STAR", ("edge", "edge"), "both are in the edge group"),
        ("HYBRID_INSPECTION", ("prod", "non-prod"), UNTOLD),
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


@listed(
    ("spoke", "why"),
    [
        (vpc_spoke("b", state="INACTIVE"), "the spoke b of the hub main is INACTIVE"),
        (vpc_spoke("b", of=HUB + "-2"), "they are spokes of two hubs, main and main-2"),
    ],
)
def test_spokes_that_no_hub_joins_say_why(read: Reader, spoke: Json, why: str) -> None:
    assert joined(read(HUBS, [vpc_spoke("a"), spoke])) == ("", why)


@listed(
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


@listed("word", ["ALL_IPV4_RANGES", "ALL_PRIVATE_IPV4_RANGES"])
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
    assert "some spokes of their hub were not read" in inventory.spoke_pairs.why_apart(*pair)
    assert not read(HUBS, [vpc_spoke("a")]).spoke_pairs.are_spokes(*pair)


HUB_LINK = f"https://networkconnectivity.googleapis.com/v1/{HUB}"


def hub_route(network: str, block: str, hub_link: str = HUB_LINK) -> Json:
    return {
        "kind": "compute#route",
        "name": f"{network}-hub",
        "selfLink": f"projects/p/global/routes/{network}-{block.partition('/')[0]}",
        "network": NETWORKS[network],
        "destRange": block,
        "nextHopHub": hub_link,
    }


def test_a_route_that_one_side_alone_has_tells_of_a_hub(read: Reader) -> None:
    pair = NETWORKS["a"], NETWORKS["b"]
    nets = [net("a"), net("b"), subnet("a", "10.1.0.0/24"), subnet("b", "10.2.0.0/24")]
    inventory = read(nets, [hub_route("a", "10.2.0.0/16")])
    for one, other in (pair, pair[::-1]):
        # It may be a spoke, so it is not peered; what was seen between them passed the hub.
        assert inventory.spoke_pairs.are_spokes(one, other)
        assert inventory.spoke_pairs.seen(one, other) == "main"
        # Whether the other has a way back is not known: internal addresses are not promised.
        assert inventory.hub_between(one, other) == ""
        why = inventory.spoke_pairs.why_apart(one, other)
        assert why == "only a has a known route over the hub main"
    elsewhere = read(nets, [hub_route("a", "10.3.0.0/24")])
    assert not elsewhere.spoke_pairs.are_spokes(*pair)
    assert elsewhere.spoke_pairs.seen(*pair) == ""


def appliance_spoke(address: str) -> Json:
    site = vpn_spoke("site")
    del site["linkedVpnTunnels"]
    instance = {"virtualMachine": f"{ZONE}/instances/router", "ipAddress": address}
    return site | {"linkedRouterApplianceInstances": {"instances": [instance]}}


ZONE = "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a"
TUNNEL = "https://www.googleapis.com/compute/v1/projects/p/regions/us-central1/vpnTunnels/t"


def attachment_spoke() -> Json:
    site = vpn_spoke("site")
    del site["linkedVpnTunnels"]
    return site | {"linkedInterconnectAttachments": {"uris": [TUNNEL.replace("vpnTunnels", "x")]}}


@listed(
    ("spokes", "more", "overlap", "untold"),
    [
        ([vpc_spoke("a")], [], "", ""),
        ([vpc_spoke("a"), vpc_spoke("b")], [], "10.2.0.0/24 (of b, over the hub main)", ""),
        ([vpc_spoke("a", state="UPDATING"), vpc_spoke("b")], [], "of b, over the hub main", ""),
        ([vpc_spoke("a"), vpc_spoke("b", exclude=("10.2.0.0/16",))], [], "", ""),
        ([vpc_spoke("a"), vpc_spoke("b", of=HUB + "-2")], [], "", ""),
        ([], [hub_route("a", "10.2.0.0/16")], "10.2.0.0/16 (over the hub main)", ""),
        # The route of another network of the same hub.
        ([vpc_spoke("a")], [hub_route("b", "10.2.0.0/16")], "over the hub main", ""),
        ([vpc_spoke("a"), vpn_spoke("site")], [], "", "site"),
        ([vpc_spoke("a"), attachment_spoke()], [], "", "site"),
        ([vpc_spoke("a"), appliance_spoke("10.1.0.9")], [], "", "site"),
        (
            [vpc_spoke("a"), vpn_spoke("site")],
            [{**hub_route("b", "10.2.0.0/16"), "nextHopHub": None, "nextHopVpnTunnel": TUNNEL}],
            "10.2.0.0/16 (of the spoke site, over its hub)",
            "",
        ),
        (
            [vpc_spoke("a"), appliance_spoke("10.1.0.9")],
            [{**hub_route("b", "10.2.0.0/16"), "nextHopHub": None, "nextHopIp": "10.1.0.9"}],
            "of the spoke site",
            "",
        ),
        # A default route is no overlap: what is nearer goes before it.
        ([vpc_spoke("a")], [hub_route("a", "0.0.0.0/0")], "", ""),
    ],
)
def test_what_a_hub_brings_stands_against_a_peering(
    read: Reader, spokes: list[Json], more: list[Json], overlap: str, untold: str
) -> None:
    """`c` is no spoke, and has the range that `b` has, too."""
    ranges = [subnet("a", "10.1.0.0/24"), subnet("b", "10.2.0.0/24"), subnet("c", "10.2.0.0/24")]
    nets = [net(name) for name in "abc"]
    inventory = read(nets, ranges, more or [net("a")], HUBS, spokes or [vpc_spoke("other")])
    for pair in ((NETWORKS["a"], NETWORKS["c"]), (NETWORKS["c"], NETWORKS["a"])):
        found = overlap_of(inventory, *pair)
        assert overlap in found
        assert bool(found) == bool(overlap)
        said = f"the ranges that the spoke {untold} adds"
        assert (said in untold_over_hub(inventory, *pair)) == bool(untold)
        why = why_not_peered(inventory, *pair, inventory.peers_of)
        assert bool(why) == bool(overlap or untold)
