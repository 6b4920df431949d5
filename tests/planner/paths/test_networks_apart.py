"""One address in several networks: taken where a record places it, never guessed."""

from itertools import permutations

import pytest

from netplan_planner.model import OwnerKind, PathClass
from netplan_planner.paths import AddressKind, classify
from support.projects.addresses import (
    Resource,
    book_of,
    front,
    network,
    network_link,
    nic,
    owner,
    route,
    subnet,
    vm,
    who,
)

A, B, C = network_link("a"), network_link("b"), network_link("c")
TUNNEL = "projects/p/regions/us-central1/vpnTunnels/t1"
ATTACHMENT = "projects/p/regions/us-central1/interconnectAttachments/vlan1"


def in_network(name: str, address: str, net: str, **more: object) -> Resource:
    return vm(name, nic(address, network=net, **more))  # type: ignore[arg-type]


TWINS = (in_network("in-a", "10.0.0.1", "a"), in_network("in-b", "10.0.0.1", "b"))
APART = (network("a"), network("b"), network("c", A))
"""Unconnected a and b, and c that is peered with a."""


@pytest.mark.parametrize("twins", list(permutations(TWINS)))
def test_an_address_in_two_networks_belongs_where_the_record_was_made(
    twins: tuple[Resource, ...],
) -> None:
    book = book_of(*twins, *APART)
    for said in ("network", "context"):
        assert who(book, "10.0.0.1", **{said: A}).owner.name == "in-a"
        assert who(book, "10.0.0.1", **{said: B}).owner.name == "in-b"
        assert who(book, "10.0.0.1", **{said: C}).owner.name == "in-a"  # by the peering
    # The network of the end itself says more than that of the reporter.
    assert who(book, "10.0.0.1", network=B, context=A).owner.name == "in-b"


def test_an_address_in_two_networks_that_nothing_places_is_nobodys() -> None:
    book = book_of(*TWINS, *APART)
    end = who(book, "10.0.0.1")
    assert (end.owner.kind, end.address) == (OwnerKind.UNKNOWN, "10.0.0.1")


def test_an_address_of_an_unconnected_network_is_not_met() -> None:
    book = book_of(in_network("in-a", "10.0.0.1", "a"), *APART)
    assert who(book, "10.0.0.1", context=B).owner.kind is OwnerKind.UNKNOWN
    assert who(book, "10.0.0.1", context=network_link("never-read")).owner.kind is OwnerKind.UNKNOWN
    assert who(book, "10.0.0.1").owner.name == "in-a"


def test_peering_is_not_transitive() -> None:
    one = in_network("in-a", "10.0.0.1", "a")
    book = book_of(one, network("a", B), network("b", C), network("c"))
    assert who(book, "10.0.0.1", context=B).owner.name == "in-a"
    assert who(book, "10.0.0.1", context=C).owner.kind is OwnerKind.UNKNOWN


def test_the_own_network_comes_before_a_peered_one() -> None:
    book = book_of(*TWINS, network("a", B), network("b"))
    assert who(book, "10.0.0.1", context=A).owner.name == "in-a"
    assert who(book, "10.0.0.1", context=B).owner.name == "in-b"


def test_two_peers_with_one_address_are_not_told_apart() -> None:
    book = book_of(*TWINS, network("a"), network("b"), network("hub", A, B))
    end = who(book, "10.0.0.1", context=network_link("hub"))
    assert end.owner.kind is OwnerKind.UNKNOWN


def test_alias_ranges_of_two_networks_are_not_told_apart_either() -> None:
    one = in_network("in-a", "10.0.0.1", "a", alias=("10.8.0.0/24",))
    other = in_network("in-b", "10.0.0.2", "b", alias=("10.8.0.0/25",))
    book = book_of(one, other, *APART)
    assert who(book, "10.8.0.5", context=A).owner.name == "in-a"
    assert who(book, "10.8.0.5", context=B).owner.name == "in-b"
    # A narrower range of another network says nothing.
    assert who(book, "10.8.0.5").owner.kind is OwnerKind.UNKNOWN
    assert who(book, "10.8.0.200").owner.name == "in-a"


def test_an_address_of_one_network_does_not_hide_a_range_of_another() -> None:
    one = in_network("in-a", "10.8.0.5", "a")
    other = in_network("in-b", "10.0.0.2", "b", alias=("10.8.0.0/24",))
    book = book_of(one, other, *APART)
    assert who(book, "10.8.0.5", context=B).owner.name == "in-b"
    assert who(book, "10.8.0.5", context=A).owner.name == "in-a"


def test_a_public_address_used_inside_is_internal_there() -> None:
    """Privately used public addresses: inside their network they are what the network says."""
    inside = in_network("inside", "34.67.1.1", "a")
    book = book_of(inside, subnet("34.67.0.0/16", network="a"), *APART)
    assert owner(who(book, "34.67.1.1", context=A)) == ("vm", "inside")
    assert who(book, "34.67.1.1", context=A).address_kind is AddressKind.INTERNAL
    assert who(book, "34.67.1.2", context=A).owner.kind is OwnerKind.UNKNOWN
    assert who(book, "34.67.1.2", context=C).owner.kind is OwnerKind.UNKNOWN  # peered
    assert who(book, "34.67.1.1", context=B).owner.kind is OwnerKind.INTERNET
    assert who(book, "34.67.1.2", context=B).owner.kind is OwnerKind.INTERNET


def test_an_external_address_is_met_from_every_network() -> None:
    one = in_network("in-a", "10.0.0.1", "a", external="34.1.1.1")
    book = book_of(one, in_network("in-b", "10.0.0.1", "b"), *APART)
    for context in (None, A, B, C, network_link("never-read")):
        end = who(book, "34.1.1.1", context=context)
        assert (owner(end), end.address_kind) == (("vm", "in-a"), AddressKind.EXTERNAL)
    path = classify(who(book, "10.0.0.1", context=B), who(book, "34.1.1.1", context=B))
    assert path.path_class is PathClass.SAME_ZONE_EXTERNAL


def test_an_internal_front_is_nobodys_in_an_unconnected_network() -> None:
    book = book_of(front("10.0.0.9", "INTERNAL", network="a"), *APART)
    assert owner(who(book, "10.0.0.9", context=C)) == ("load-balancer", "front")
    assert who(book, "10.0.0.9", context=B).owner.kind is OwnerKind.UNKNOWN


def test_machines_of_service_projects_meet_in_the_network_of_their_host() -> None:
    """Shared VPC: the network's project is not the machines'."""
    shared = network("shared", project="host")
    web = vm("web", nic("10.0.0.1", network="shared", host="host"), project="service-1")
    db = vm(
        "db",
        nic("10.0.0.2", network="shared", host="host"),
        project="service-2",
        zone="us-central1-b",
    )
    book = book_of(web, db, shared)
    link = network_link("shared", "host")
    src, dst = who(book, "10.0.0.1", context=link), who(book, "10.0.0.2", context=link)
    assert (src.owner.project, src.owner.network) == ("service-1", link)
    assert classify(src, dst).path_class is PathClass.INTER_ZONE_INTERNAL
    named = who(book, "10.0.0.2", project="service-2", vm="db", zone="us-central1-b", network=link)
    assert named.owner == dst.owner


@pytest.mark.parametrize(
    ("hop", "target", "name"),
    [
        ("vpn", TUNNEL, "t1"),
        ("interconnect", ATTACHMENT, "vlan1"),
        ("unknown", TUNNEL, "t1"),
        ("vpn", None, "to-192.168.0.0/16"),
    ],
)
def test_a_route_into_a_tunnel_leads_to_a_hybrid_peer(
    hop: str, target: str | None, name: str
) -> None:
    book = book_of(
        in_network("in-a", "10.0.0.1", "a"), route("192.168.0.0/16", hop, target, "a"), *APART
    )
    for context in (A, C, None):
        end = who(book, "192.168.3.4", context=context)
        assert end.owner.kind is OwnerKind.HYBRID
        assert end.owner.name == name.rpartition("/")[2]
    path = classify(who(book, "10.0.0.1", context=A), who(book, "192.168.3.4", context=A))
    assert path.path_class is PathClass.HYBRID
    assert who(book, "192.168.3.4", context=B).owner.kind is OwnerKind.UNKNOWN
    assert who(book, "172.16.0.1", context=A).owner.kind is OwnerKind.UNKNOWN


def test_a_tunnel_is_keyed_as_records_name_it() -> None:
    book = book_of(route("192.168.0.0/16", "vpn", TUNNEL, "a"), *APART)
    by_route = who(book, "192.168.3.4", context=A)
    by_record = who(book, "192.168.3.4", context=A, gateway="p/us-central1/t1")
    assert by_route.owner == by_record.owner


def test_public_addresses_behind_a_tunnel_are_hybrid_too() -> None:
    book = book_of(route("203.0.113.0/24", "vpn", TUNNEL, "a"), *APART)
    assert who(book, "203.0.113.5", context=A).owner.kind is OwnerKind.HYBRID
    assert who(book, "203.0.113.5", context=B).owner.kind is OwnerKind.INTERNET


@pytest.mark.parametrize("default", ["0.0.0.0/0", "::/0"])
def test_a_default_route_into_a_tunnel_makes_no_address_hybrid(default: str) -> None:
    book = book_of(route(default, "vpn", TUNNEL, "a"), *APART)
    assert who(book, "1.1.1.1", context=A).owner.kind is OwnerKind.INTERNET
    assert who(book, "192.168.3.4", context=A).owner.kind is OwnerKind.UNKNOWN


@pytest.mark.parametrize("hop", ["gateway", "peering", "network", "hub"])
def test_other_routes_are_no_tunnels(hop: str) -> None:
    book = book_of(route("192.168.0.0/16", hop, "projects/p/x/y", "a"), *APART)
    assert who(book, "192.168.3.4", context=A).owner.kind is OwnerKind.UNKNOWN
    # A narrower one leads past the tunnel.
    wide = route("10.0.0.0/8", "vpn", TUNNEL, "a")
    narrow = route("10.64.0.0/16", hop, "projects/p/x/y", "a")
    for order in permutations((wide, narrow)):
        book = book_of(*order, *APART)
        assert who(book, "10.64.0.1", context=A).owner.kind is OwnerKind.UNKNOWN
        assert who(book, "10.65.0.1", context=A).owner.kind is OwnerKind.HYBRID


def test_the_narrower_of_two_tunnels_wins() -> None:
    other = TUNNEL.replace("t1", "t2")
    book = book_of(
        route("10.0.0.0/8", "vpn", TUNNEL, "a"), route("10.64.0.0/16", "vpn", other, "a"), *APART
    )
    assert who(book, "10.64.0.1", context=A).owner.name == "t2"
    assert who(book, "10.65.0.1", context=A).owner.name == "t1"


def test_who_is_missing_in_an_own_subnetwork_is_behind_no_tunnel() -> None:
    """Routes of subnetworks come before all others: a machine that is gone is unknown."""
    tunnel = route("10.0.0.0/8", "vpn", TUNNEL, "a")
    near = subnet("10.1.0.0/16", network="a", secondary=("10.2.0.0/16",))
    far = subnet("10.3.0.0/16", name="far", network="b")
    book = book_of(tunnel, near, far, in_network("in-a", "10.0.0.1", "a"), *APART)
    kinds = dict.fromkeys(("10.1.0.9", "10.2.0.9"), "unknown")
    kinds |= dict.fromkeys(("10.3.0.9", "10.4.0.9"), "hybrid")
    assert {address: owner(who(book, address, context=A))[0] for address in kinds} == kinds
    # An own machine comes before a tunnel.
    assert owner(who(book, "10.0.0.1", context=A)) == ("vm", "in-a")
