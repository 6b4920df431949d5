"""Communities come after the moves of single machines, and do not depend on the order of input."""

import random
from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner.ledger import Ledger
from netplan_planner.model import Disk, Facts, Hit, PathClass, ResourceRef, SelfLink
from netplan_rules.placement import chatty_inter_zone_pair, community_split_across_zones
from netplan_rules.placement._communities import Standing, _communities, community_moves
from support.rules.facts import facts_of, machine

NAMES = ("auth", "cart", "mail", "pay", "shop", "stock")
WITHIN, BETWEEN = PathClass.SAME_ZONE_INTERNAL, PathClass.INTER_ZONE_INTERNAL


def zone_of(name: str) -> str:
    return f"us-central1-{'b' if NAMES.index(name) % 2 else 'a'}"


def club(gbps: float, *, dear: float = 0.0) -> Facts:
    """Return six machines in two zones that all talk; the first two exchange `dear` besides."""
    talk = [
        (a, b, WITHIN if zone_of(a) == zone_of(b) else BETWEEN, gbps + dear * (a + b == "authcart"))
        for a in NAMES
        for b in NAMES
        if a != b
    ]
    return facts_of(*(machine(name, zone=zone_of(name)) for name in NAMES), talk=tuple(talk))


def around_a_store(*others: str) -> Facts:
    """Return a store in one zone, its clients in another, and peers in a third that must stay.

    Clients at the store's zone pay at once and move no data; where the store goes they follow.

    Args:
        others: Clients that talk more to a machine that must stay at the store's zone.
    """
    clients = ("auth", "cart", "mail", "pay", "shop", "stock")
    peers = ("ask", "bid", "cry", "dig", "eat", "fly", "gum")
    zones = {"base": "c"} | dict.fromkeys((*clients, *others), "a") | dict.fromkeys(peers, "b")
    pinned = (("netplan-pin", "yes"),)
    machines = [
        machine(name, zone=f"us-central1-{zone}", labels=pinned if zone == "b" else ())
        for name, zone in zones.items()
    ]
    talk = [
        (*ends, BETWEEN, 0.0015 if other in clients else 0.0017)
        for other in (*clients, *peers)
        for ends in (("base", other), (other, "base"))
    ]
    for other in others:
        talk += [(*ends, BETWEEN, 0.0005) for ends in (("base", other), (other, "base"))]
        talk.append((other, "old", BETWEEN, 0.0008))
    if others:
        machines.append(machine("old", zone="us-central1-c", labels=pinned))
        talk += [(*ends, WITHIN, 0.0025) for ends in (("base", "old"), ("old", "base"))]
    return with_store(facts_of(*machines, talk=tuple(talk)), "base")


def with_store(facts: Facts, name: str) -> Facts:
    """Return facts in which a machine has a disk beside its boot disk."""
    store = next(one for one in facts.inventory.instances if one.name == name)
    disks = tuple(
        Disk(
            ref=ResourceRef(self_link=SelfLink(f"projects/p/zones/{store.zone}/disks/{disk}")),
            project=store.project,
            name=disk,
            disk_type="pd-ssd",
            users=(store.ref.self_link,),
        )
        for disk in ("boot", "data")
    )
    return replace(facts, inventory=replace(facts.inventory, disks=disks))


def carried_out(facts: Facts) -> Facts:
    """Return facts of machines where the rule puts them."""
    to = {
        link: hit.change.to
        for hit in community_split_across_zones.check(facts)
        if isinstance(hit, Hit) and hit.change is not None
        for link in hit.change.members
    }
    zones = {
        one.name: (to.get(one.ref.self_link) or one.zone)[-1] for one in facts.inventory.instances
    }
    pinned = {one.name: one.labels for one in facts.inventory.instances}
    assert facts.traffic is not None
    owners = facts.traffic.owners
    talk = [
        (a, b, WITHIN if zones[a] == zones[b] else BETWEEN, edge.series.p50_gbps)
        for edge in facts.traffic.edges
        for a, b in ((owners[edge.src].name, owners[edge.dst].name),)
    ]
    machines = [
        machine(name, zone=f"us-central1-{zone}", labels=pinned[name])
        for name, zone in zones.items()
    ]
    return facts_of(*machines, talk=tuple(talk))


def test_clients_of_a_store_that_moves_go_straight_to_where_it_ends() -> None:
    facts = around_a_store()
    hits = [hit for hit in community_split_across_zones.check(facts) if isinstance(hit, Hit)]
    names = ("auth", "base", "cart", "mail", "pay", "shop", "stock")
    assert [hit.change and hit.change.to for hit in hits] == ["us-central1-b"]
    assert moved(facts) == [names]
    assert moved(with_store(carried_out(facts), "base")) == []


@pytest.mark.parametrize(("others", "is_worth"), [(("tax", "vat"), True), (("tax",), False)])
def test_a_piece_under_the_floor_is_of_a_community_that_passes_it(
    others: tuple[str, ...], *, is_worth: bool
) -> None:
    """Two machines that stay at the first zone save 11 dollars a month, one saves less than 10."""
    facts = around_a_store(*others)
    rule = community_moves(facts, Standing(facts), min_usd=Decimal(50), min_inner_ratio=0.5)
    found = list(rule)
    clients = ("auth", "base", "cart", "mail", "pay", "shop", "stock")
    pieces = [(one.zone[-1], tuple(machine.name for machine in one.moved)) for one in found]
    assert pieces == ([("c", others)] if is_worth else []) + [("b", clients)]
    saved = [one.saving.usd_per_month for one in found]
    assert sum(saved) >= 50
    assert (min(saved) < 50) is is_worth
    none = community_moves(facts, Standing(facts), min_usd=Decimal(200), min_inner_ratio=0.5)
    assert list(none) == []


def test_who_belongs_together_does_not_depend_on_where_they_stand() -> None:
    dice = random.Random(8)
    names = [a + b + "x" for a in "bcd" for b in "aeiou"]
    zones = {name: dice.choice("ab") for name in names}
    rates = {(a, b): dice.choice((1, 2, 5)) for a in names for b in names if dice.random() < 0.25}

    def who(zones: dict[str, str]) -> list[list[str]]:
        talk = tuple(
            (a, b, WITHIN if zones[a] == zones[b] else BETWEEN, rate / 1000)
            for (a, b), rate in rates.items()
            if a != b
        )
        facts = facts_of(
            *(machine(name, zone=f"us-central1-{zone}") for name, zone in zones.items()), talk=talk
        )
        assert facts.traffic is not None
        owners = facts.traffic.owners
        return [[owners[one].name for one in found] for found in _communities(facts)]

    for _ in range(20):
        assert who({name: dice.choice("ab") for name in names}) == who(zones)


def moved(facts: Facts) -> list[tuple[str, ...]]:
    found = community_moves(facts, Standing(facts), min_usd=Decimal(50), min_inner_ratio=0.5)
    return [tuple(machine.name for machine in one.moved) for one in found]


def test_all_of_one_zone_move_together() -> None:
    assert moved(club(0.0016)) == [("auth", "mail", "shop")]


def test_the_order_of_edges_does_not_matter() -> None:
    facts = club(0.0016)
    assert facts.traffic is not None
    turned = replace(facts.traffic, edges=tuple(reversed(facts.traffic.edges)))
    assert moved(replace(facts, traffic=turned)) == moved(facts)


def test_no_machine_moves_twice_and_savings_stay_below_the_bill() -> None:
    facts = club(0.0016, dear=0.05)
    pairs = [hit for hit in chatty_inter_zone_pair.check(facts) if isinstance(hit, Hit)]
    groups = [hit for hit in community_split_across_zones.check(facts) if isinstance(hit, Hit)]
    assert pairs
    by_pair = {ref.self_link for hit in pairs for ref in hit.resources}
    by_group = {ref.self_link for hit in groups for ref in hit.resources}
    assert not by_pair & by_group
    saved = sum(hit.saving.usd_per_month for hit in (*pairs, *groups))
    assert facts.traffic is not None
    assert 0 < saved <= Ledger(facts).cost(facts.traffic.edges).usd_per_month
