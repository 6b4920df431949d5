"""Communities come after the moves of single machines, and do not depend on the order of input."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.ledger import Ledger
from netplan_planner.model import Facts, Hit, PathClass
from netplan_rules.placement import chatty_inter_zone_pair, community_split_across_zones
from netplan_rules.placement._communities import Standing, community_moves
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
