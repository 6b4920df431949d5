"""What may not be changed after the changes made so far; traffic that changes leave alone."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.judging.fix_gain import MonthBounds
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.guards import why_made, why_refused
from netplan_planner.ledger.state import State
from netplan_planner.model import (
    Change,
    ChangeKind,
    Edge,
    Facts,
    ForwardingRule,
    Instance,
    Network,
    NetworkInterface,
    OwnerKind,
    PathClass,
    ProjectId,
    SelfLink,
    Subnetwork,
    VpnTunnel,
    Zone,
)
from planner.ledger.test_account import router
from support.known import known
from support.resources import resource
from support.rules.facts import NETWORK, facts_of, holding, machine

OTHER = SelfLink("projects/p/global/networks/other")
THIRD = SelfLink("projects/p/global/networks/third")
Talk = tuple[tuple[str, str, PathClass, float], ...]
NEAR = Decimal("0.01")
SUBNETWORK = "projects/p/regions/us-central1/subnetworks/s"


def link(facts: Facts, name: str) -> SelfLink:
    return next(one.ref.self_link for one in facts.inventory.instances if one.name == name)


def move(facts: Facts, zone: str, *names: str) -> Change:
    links = tuple(link(facts, name) for name in names)
    members = links if len(links) > 1 else ()
    return Change(kind=ChangeKind.ZONE, target=links[0], to=zone, members=members)


def with_nic(one: Instance, change: Callable[[NetworkInterface], NetworkInterface]) -> Instance:
    return replace(one, interfaces=(change(one.interfaces[0]), *one.interfaces[1:]))


def in_network(name: str, network: SelfLink, zone: str = "us-central1-a") -> Instance:
    return with_nic(machine(name, zone=zone), lambda nic: replace(nic, network=network))


def outside(facts: Facts, name: str, kind: OwnerKind, key: str = "internet:America") -> Facts:
    """Return facts in which one machine is an end of somebody else's."""
    assert facts.traffic is not None
    owners = tuple(
        replace(one, kind=kind, key=key, link=None, zone=None, region=None, area="America/usa")
        if one.name == name
        else one
        for one in facts.traffic.owners
    )
    machines = tuple(one for one in facts.inventory.instances if one.name != name)
    inventory = replace(facts.inventory, instances=machines)
    return replace(facts, traffic=replace(facts.traffic, owners=owners), inventory=inventory)


def with_edges(facts: Facts, change: Callable[[Edge, str], Edge]) -> Facts:
    """Return facts with each edge changed; a function of it and its receiver's name."""
    assert facts.traffic is not None
    names = [one.name for one in facts.traffic.owners]
    edges = tuple(change(edge, names[edge.dst]) for edge in facts.traffic.edges)
    return replace(facts, traffic=replace(facts.traffic, edges=edges))


def subnetwork(network: SelfLink, region: str, ranges: str) -> Subnetwork:
    name = f"{network.rpartition('/')[2]}-{region}"
    return resource(
        Subnetwork,
        f"projects/p/regions/{region}/subnetworks/{name}",
        network=network,
        ipv4_range=ranges,
    )


def networks(*links: SelfLink) -> tuple[Network, ...]:
    return tuple(
        resource(
            Network, one, project=ProjectId("p"), name=one.rpartition("/")[2], is_auto_mode=False
        )
        for one in links
    )


def test_members_and_copies_count_where_they_stand_by_then() -> None:
    """Two copies that may each stand beside others may not both: no copy would be left apart."""
    facts = facts_of(
        machine("db-1"), machine("db-2", zone="us-central1-b"), machine("web", zone="us-central1-c")
    )
    ledger = Ledger(facts)
    assert why_refused(ledger.state, move(facts, "us-central1-c", "db-1")) == ""
    both = why_refused(ledger.state, move(facts, "us-central1-c", "db-1", "db-2"))
    assert "another copy" in both
    # Copies count where they stand by then.
    facts = facts_of(machine("db-1"), machine("db-2", zone="us-central1-b"))
    ledger = Ledger(facts)
    ledger.make(move(facts, "us-central1-c", "db-1"))
    assert "db-1" in why_refused(ledger.state, move(facts, "us-central1-c", "db-2"))
    assert why_refused(ledger.state, move(facts, "us-central1-a", "db-2")) == ""
    # A machine moves once also as a member.
    facts = facts_of(machine("ant"), machine("bee"))
    ledger = Ledger(facts)
    ledger.make(move(facts, "us-central1-b", "bee"))
    assert why_made(ledger.state, move(facts, "us-central1-f", "ant", "bee"))


def test_a_copy_does_not_leave_the_region_of_all_others_alone() -> None:
    """Nobody saw them talk: label, type and a quorum of three are signs enough."""
    more: dict[str, Any] = {"labels": (("app", "etcd"),), "machine_type": "n2-standard-8"}
    zones = {"omega": "us-central1-a", "sigma": "us-central1-b", "theta": "us-central1-c"}
    machines = [machine(name, zone=zone, **more) for name, zone in zones.items()]
    talk = (("omega", "web", PathClass.INTER_REGION_INTERNAL, 0.1),)
    facts = facts_of(*machines, machine("web", zone="europe-west1-b"), talk=talk)
    why = why_refused(Ledger(facts).state, move(facts, "europe-west1-b", "omega"))
    assert why.startswith("all its copies stay in us-central1, such as sigma (both have the same")
    ledger = Ledger(facts)
    # One that has gone already is followed.
    ledger.make(move(facts, "europe-west1-c", "sigma"))
    assert why_refused(ledger.state, move(facts, "europe-west1-b", "omega")) == ""


def test_copies_stay_with_those_that_they_talk_to() -> None:
    talk = (
        ("db-1", "db-2", PathClass.INTER_ZONE_INTERNAL, 0.1),
        ("web-1", "db-1", PathClass.SAME_ZONE_INTERNAL, 0.1),
    )
    copies = (machine(f"db-{n}", zone=f"us-central1-{z}") for n, z in ((1, "a"), (2, "b")))
    facts = facts_of(*copies, machine("web-1"), machine("web-2"), talk=talk)
    state = Ledger(facts).state
    assert "it talks to its copy db-2" in why_refused(state, move(facts, "europe-west1-b", "db-1"))
    assert why_refused(state, move(facts, "europe-west1-b", "web-1")) == ""
    assert why_refused(state, move(facts, "us-central1-c", "db-1")) == ""
    # Services of two labels are no copies.
    facts = facts_of(
        machine("web2-1", labels=(("app", "web2"),)),
        machine("web4-1", zone="us-central1-b", labels=(("app", "web4"),)),
    )
    assert why_refused(Ledger(facts).state, move(facts, "us-central1-b", "web2-1")) == ""
    # A pool may move as long as it stands in as many zones.
    zones = ("us-central1-a", "us-central1-b", "us-central1-c")
    facts = facts_of(*(machine(f"web-{i}", zone=zones[i % 3]) for i in range(6)))
    ledger = Ledger(facts)
    first = move(facts, "us-central1-b", "web-0")
    assert why_refused(ledger.state, first) == ""
    ledger.make(first)
    assert "another copy" in why_refused(ledger.state, move(facts, "us-central1-b", "web-3"))


def test_a_region_needs_a_subnetwork_and_a_zone_the_type() -> None:
    facts = facts_of(in_network("ant", OTHER))
    ranges = (subnetwork(OTHER, "us-central1", "10.1.0.0/16"),)
    state = Ledger(holding(facts, networks=networks(OTHER), subnetworks=ranges)).state
    assert why_refused(state, move(facts, "us-central1-b", "ant")) == ""
    why = why_refused(state, move(facts, "europe-west1-b", "ant"))
    assert why == "other has no subnetwork in europe-west1"
    # A type is asked for in the zone where the machine stands by then.
    facts = facts_of(machine("ant", zone="us-west1-a"))
    zones = known(facts.prices.zones("c3d-highcpu-8"))
    assert "us-west1-a" in zones
    assert "us-west1-b" not in zones
    ledger = Ledger(facts)
    change = Change(kind=ChangeKind.MACHINE_TYPE, target=link(facts, "ant"), to="c3d-highcpu-8")
    assert why_refused(ledger.state, change) == ""
    ledger.make(move(facts, "us-west1-b", "ant"))
    assert why_refused(ledger.state, change) == "us-west1-b does not offer c3d-highcpu-8"
    # Zones are those of the price list.
    facts = facts_of(machine("a", "c3d-highcpu-8", zone="us-west1-a"))
    why = why_refused(Ledger(facts).state, move(facts, Zone("us-west1-b"), "a"))
    assert why == "us-west1-b does not offer c3d-highcpu-8"


def test_two_peerings_that_exclude_each_other_are_not_both_made() -> None:
    """The ranges of two networks overlap: a third is peered with one of them, not with both."""
    facts = facts_of(in_network("a", NETWORK), in_network("b", OTHER), in_network("c", THIRD))
    ranges = (
        subnetwork(NETWORK, "us-central1", "10.1.0.0/16"),
        subnetwork(OTHER, "us-central1", "10.2.0.0/16"),
        subnetwork(THIRD, "us-central1", "10.2.0.0/16"),
    )
    ledger = Ledger(holding(facts, networks=networks(NETWORK, OTHER, THIRD), subnetworks=ranges))
    first, second = (
        Change(
            kind=ChangeKind.INTERNAL_ADDRESS, target=link(facts, "a"), destination=link(facts, name)
        )
        for name in ("b", "c")
    )
    assert why_refused(ledger.state, first) == why_refused(ledger.state, second) == ""
    mark = ledger.make(first)
    assert "10.2.0.0/16" in why_refused(ledger.state, second)
    ledger.go_back(mark)
    assert why_refused(ledger.state, second) == ""


def test_a_gateway_stays_that_machines_need_once_their_addresses_go() -> None:
    talk = (("b", "a", PathClass.SAME_ZONE_INTERNAL, 0.1),)
    external = with_nic(machine("a"), lambda nic: replace(nic, external_ipv4="34.1.2.3"))
    facts = facts_of(external, machine("b"), talk=talk)
    gateway = router("us-central1")
    facts = replace(
        facts,
        inventory=replace(facts.inventory, routers=(gateway,)),
        traffic=replace(known(facts.traffic), observed_minutes=60 * 24 * 20),
    )
    release = Change(kind=ChangeKind.RELEASE_ADDRESS, target=link(facts, "a"), to="34.1.2.3")
    delete = Change(kind=ChangeKind.DELETE_GATEWAY, target=gateway.ref.self_link, to="nat")
    ledger = Ledger(facts)
    assert why_refused(ledger.state, release) == why_refused(ledger.state, delete) == ""
    mark = ledger.make(release)
    assert "1 VM" in why_refused(ledger.state, delete)
    ledger.go_back(mark)
    ledger.make(delete)
    assert "then needs" in why_refused(ledger.state, release)


@pytest.mark.parametrize("has_access", [False, True])
def test_a_gateway_stays_that_is_the_way_to_google_apis(has_access: bool) -> None:
    """It switches Private Google Access on for the subnetworks that it serves."""
    own = with_nic(machine("a"), lambda nic: replace(nic, subnetwork=SelfLink(SUBNETWORK)))
    facts = facts_of(own, machine("store"), talk=(("a", "store", PathClass.GOOGLE_APIS, 0.1),))
    facts = outside(facts, "store", OwnerKind.GOOGLE_API, key="google-apis")
    gateway = router("us-central1")
    subnetwork = resource(Subnetwork, SUBNETWORK, network=NETWORK, private_google_access=has_access)
    facts = replace(
        facts,
        inventory=replace(facts.inventory, routers=(gateway,), subnetworks=(subnetwork,)),
        traffic=replace(known(facts.traffic), observed_minutes=60 * 24 * 20),
    )
    delete = Change(kind=ChangeKind.DELETE_GATEWAY, target=gateway.ref.self_link, to="nat")
    ledger = Ledger(facts)
    why = why_refused(ledger.state, delete)
    assert ("a calls Google APIs" in why) is not has_access
    assert not ledger.state.gone


def test_what_a_front_answers_keeps_its_tier() -> None:
    front = resource(
        ForwardingRule,
        "projects/p/regions/us-central1/forwardingRules/lb",
        ip_address="34.9.9.9",
        scheme="EXTERNAL",
        network_tier="PREMIUM",
    )
    own = with_nic(machine("a"), lambda nic: replace(nic, external_ipv4="34.1.2.3"))
    facts = facts_of(own, machine("peer"), talk=(("a", "peer", PathClass.INTERNET, 0.5),))
    facts = outside(facts, "peer", OwnerKind.INTERNET)
    facts = with_edges(facts, lambda edge, _: replace(edge, dst_address="34.9.9.9"))
    facts = holding(facts, forwarding_rules=(front,))
    change = Change(kind=ChangeKind.NETWORK_TIER, target=link(facts, "a"), to="STANDARD")
    assert Ledger(facts).value(change).usd == 0


def test_what_a_tunnel_carries_is_priced_by_where_the_tunnel_is() -> None:
    tunnel = resource(VpnTunnel, "projects/p/regions/asia-northeast1/vpnTunnels/t")
    talk = (("a", "site", PathClass.HYBRID, 0.5),)
    facts = facts_of(machine("a"), machine("site"), talk=talk)
    facts = outside(facts, "site", OwnerKind.HYBRID, "hybrid:p/asia-northeast1/t")
    facts = holding(facts, vpn_tunnels=(tunnel,))
    assert Ledger(facts).cost(facts.traffic.edges if facts.traffic else ()).usd_per_month
    assert Ledger(facts).value(move(facts, "us-central1-b", "a")).usd == 0


def test_addresses_go_and_come_with_their_gateway() -> None:
    talk = (("a", "b", PathClass.INTER_ZONE_EXTERNAL, 0.5),)
    facts = facts_of(machine("a"), machine("b", zone="us-central1-b"), talk=talk)
    facts = with_edges(facts, lambda edge, _: replace(edge, dst_address="2600:1900::2"))
    facts = holding(facts, routers=(router("us-central1"),))
    ledger = Ledger(facts)
    assert not any("NAT" in line.name for line in ledger.cost(ledger.traffic.edges_of(0)).lines)
    ledger.make(move(facts, "us-central1-c", "a"))
    assert not any("NAT" in line.name for line in ledger.cost(ledger.traffic.edges_of(0)).lines)
    # An address that came with a move is released as well.
    own = with_nic(machine("a"), lambda nic: replace(nic, external_ipv4="34.1.2.3"))
    facts = facts_of(own)
    release = Change(kind=ChangeKind.RELEASE_ADDRESS, target=link(facts, "a"), to="34.1.2.3")
    ledger = Ledger(facts)
    ledger.make(move(facts, "europe-west1-b", "a"))
    assert ledger.value(release).usd == Decimal("3.65")
    # An address is given where the machine used its gateway.
    first = replace(machine("a").interfaces[0], name="nic0", network=OTHER)
    second = replace(machine("a").interfaces[0], name="nic1", network=NETWORK)
    facts = facts_of(replace(machine("a"), interfaces=(first, second)))
    facts = holding(facts, routers=(router("us-central1"),))
    ledger = Ledger(facts)
    ledger.make(Change(kind=ChangeKind.EXTERNAL_ADDRESS, target=link(facts, "a")))
    found = known(ledger.state.machine(link(facts, "a")))
    assert [nic.external_ipv4 is not None for nic in found.interfaces] == [False, True]


@pytest.mark.parametrize("is_stated", [True, False])
def test_bounds_follow_changes_whose_saving_is_not_stated(is_stated: bool) -> None:
    """A move after an address fix: its bounds hold what the plan says of it."""
    talk = (("a", "b", PathClass.INTER_ZONE_EXTERNAL, 0.5),)
    facts = facts_of(machine("a"), machine("b", zone="us-central1-b"), talk=talk)
    inside = Change(
        kind=ChangeKind.INTERNAL_ADDRESS, target=link(facts, "a"), destination=link(facts, "b")
    )
    ledger, bounds = Ledger(facts), MonthBounds(facts)
    assert bounds.is_open
    bounds.make(inside, Decimal(0) if is_stated else None)
    ledger.make(inside)
    to_b = move(facts, "us-central1-b", "a")
    usd = ledger.value(to_b).usd
    found = known(bounds.make(to_b, usd))
    assert usd is not None
    assert found.low < usd <= found.high + NEAR


def test_no_other_type_takes_tier_1_away_that_a_fix_has_given() -> None:
    facts = facts_of(machine("a", "n2-standard-32"))
    link = SelfLink("projects/p/zones/us-central1-a/instances/a")
    change = Change(kind=ChangeKind.MACHINE_TYPE, target=link, to="c3-standard-22")
    state = State(facts)
    assert why_made(state, change) == ""
    undo = state.apply(Change(kind=ChangeKind.TIER_1, target=link))
    assert why_made(state, change).startswith("another fix gives it Tier_1")
    state.go_back(undo)
    state.apply(Change(kind=ChangeKind.NO_TIER_1, target=link))
    assert why_made(state, change) == ""
