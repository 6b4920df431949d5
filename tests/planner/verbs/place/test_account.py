"""What a placement saves is what the account of the project says of its moves, whoever receives."""

from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.ledger import Ledger
from netplan_planner.model import Change, ChangeKind, Facts, OwnerKind, PathClass, Zone
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.bill import Prices
from netplan_planner.verbs.place.inventory import asked_of
from support.rules.facts import facts_of, machine

ZONES = ("us-central1-a", "us-central1-b", "us-central1-f")
NAMES = ("ant", "bee", "cow", "dog", "eel")
Talk = tuple[str, str, bool, float]


def drawn_facts(zones: tuple[str, ...], talks: list[Talk], foreign: str) -> Facts:
    """Return machines in zones that talk to each other; one name is of another project."""
    at = dict(zip(NAMES, zones, strict=True))
    machines = [machine(name, zone=zone) for name, zone in at.items()]
    talk = []
    for src, dst, is_external, gbps in talks:
        inside = PathClass.SAME_ZONE_EXTERNAL if is_external else PathClass.SAME_ZONE_INTERNAL
        talk.append((src, dst, inside.between(Zone(at[src]), Zone(at[dst])), gbps))
    facts = facts_of(*machines, talk=tuple(talk))
    assert facts.traffic is not None
    owners = tuple(
        replace(owner, kind=OwnerKind.OTHER_PROJECT, link=None) if owner.name == foreign else owner
        for owner in facts.traffic.owners
    )
    own = tuple(one for one in facts.inventory.instances if one.name != foreign)
    return replace(
        facts,
        inventory=replace(facts.inventory, instances=own),
        traffic=replace(facts.traffic, owners=owners),
    )


TALKS = st.lists(
    st.tuples(
        st.sampled_from(NAMES[:4]),
        st.sampled_from(NAMES),
        st.booleans(),
        st.sampled_from((0.01, 0.5)),
    ).filter(lambda one: one[0] != one[1]),
    min_size=1,
    max_size=10,
    unique_by=lambda one: one[:3],
)


@given(st.tuples(*[st.sampled_from(ZONES)] * 5), TALKS, st.tuples(*[st.sampled_from(ZONES)] * 4))
def test_moves_save_what_the_account_says(
    zones: tuple[str, ...], talks: list[Talk], wanted: tuple[str, ...]
) -> None:
    facts = drawn_facts(zones, talks, foreign="eel")
    asked = asked_of(facts, "p", PlaceChoices())
    prices = Prices(facts, asked)
    assert [one.name for one in asked.own] == list(NAMES[:4])
    # Zones that nobody stands in are none of a placement.
    goal = [
        to if to in asked.zones else one.zone for one, to in zip(asked.own, wanted, strict=True)
    ]
    there = [one.zone for one in asked.machines[len(asked.own) :]]
    at = np.array([asked.zones.index(zone) for zone in (*goal, *there)])
    today = np.array([asked.zones.index(one.zone) for one in asked.machines])
    moves = [
        Change(kind=ChangeKind.ZONE, target=one.as_instance.ref.self_link, to=Zone(zone))
        for one, zone in zip(asked.own, goal, strict=True)
        if zone != one.zone
    ]
    saved = prices.bill(today).usd - prices.bill(at).usd
    worth = Ledger(facts).value(*moves).usd if moves else Decimal(0)
    assert worth is not None
    assert abs(saved - worth) < Decimal("0.000001")
