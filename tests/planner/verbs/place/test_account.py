"""What a placement saves is what the account of the project says of its moves, whoever receives."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.ledger import Ledger
from netplan_planner.ledger.compared import AT_LIST
from netplan_planner.model import Change, ChangeKind, Facts, OwnerKind, PathClass, Zone, total_usd
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.bill import Prices
from netplan_planner.verbs.place.inventory import asked_of
from netplan_planner.verbs.place.machines import with_types
from netplan_planner.verbs.place.run import placement_of
from netplan_planner.verbs.place.tables import read_tables
from netplan_planner.world.request import InputRequest
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot
from support.known import known
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


US_TO_EUROPE, BETWEEN_ZONES = "D011-1819-740D", "DE9E-AFBC-A15A"
REQUEST = InputRequest(today=date(2026, 5, 1))


def under_contract(facts: Facts, usd_by_sku: dict[str, str]) -> Facts:
    """Return facts with a bill that has a price of some SKUs."""
    effective = {
        sku_id: {
            Decimal(0): EffectivePrice(usd=Decimal(usd), as_of=date(2026, 5, 1), source="the bill")
        }
        for sku_id, usd in usd_by_sku.items()
    }
    prices = open_snapshot(terms=Terms(effective=effective))
    return replace(facts, prices=prices, machines=Chooser(prices, facts.caps))


MACHINES = (
    machine("ant", "e2-standard-2"),
    machine("bee", "e2-standard-2", zone="europe-west1-b"),
    machine("cow", "e2-standard-2", zone="asia-southeast1-a"),
)


def far_apart(folder: Path, to_europe: float, to_asia: float) -> tuple[Facts, PlaceChoices]:
    """Return facts and tables of three machines of which one, that may move, sends to the rest."""
    far = PathClass.INTER_REGION_INTERNAL
    facts = facts_of(*MACHINES, talk=(("ant", "bee", far, to_europe), ("ant", "cow", far, to_asia)))
    assert facts.traffic is not None
    tables = {
        "vms": "name,zone,vcpus,is_pinned,machine_type\n"
        + "".join(f"{m.name},{m.zone},2,{m.name != 'ant'},{m.machine_type}\n" for m in MACHINES),
        "edges": "src,dst,gib_per_month\n"
        + "".join(
            f"{facts.src(e).name},{facts.dst(e).name},{facts.gib_per_month(e.wire_bytes)}\n"
            for e in facts.traffic.edges
        ),
        "zones": "zone,capacity_vcpus\n" + "".join(f"{m.zone},8\n" for m in MACHINES),
    }
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    vms, edges, zones = (folder / f"{name}.csv" for name in tables)
    return facts, PlaceChoices(vms=vms, edges=edges, zones=zones)


@pytest.mark.parametrize("more", [{BETWEEN_ZONES: "0.005"}, {}], ids=["two", "one"])
def test_moves_are_at_list_prices_where_the_bill_does_not_tell_what_they_change(
    more: dict[str, str], tmp_path: Path
) -> None:
    """The bill has two discounts: 0.5 between zones, 0.8 to Europe; of Asia it has no price.

    Where it has that of one SKU alone, this says nothing of the others.
    """
    facts, wanted = far_apart(tmp_path, 0.01, 2.0)
    billed = under_contract(facts, {US_TO_EUROPE: "0.04", **more})
    asked = with_types(billed, read_tables(wanted))
    found, listed = (placement_of(of, asked, REQUEST, wanted) for of in (billed, facts))
    assert f"moves are compared {AT_LIST}" in found.assumptions
    assert not any(AT_LIST in one for one in listed.assumptions)
    assert [(one.name, one.to_zone) for one in found.moves] == [("ant", "asia-southeast1-a")]
    assert found.moves == listed.moves
    assert found.line_items == listed.line_items
    to_asia = Change(
        kind=ChangeKind.ZONE, target=MACHINES[0].ref.self_link, to=Zone("asia-southeast1-a")
    )
    worth = Ledger(billed).value(to_asia)
    assert worth.saving.note.startswith(AT_LIST)
    saved = found.baseline_usd_per_month - known(found.usd_per_month)
    assert abs(saved - worth.saving.usd_per_month) < Decimal("0.000001")


@pytest.mark.parametrize("to_europe", ["0.00001", "0.001", "0.02"])
def test_no_move_saves_more_than_what_is_paid(tmp_path: Path, to_europe: str) -> None:
    """At list prices the move to Europe saves far more than what is paid for that traffic."""
    facts, wanted = far_apart(tmp_path, 2.0, 0.01)
    billed = under_contract(facts, {US_TO_EUROPE: to_europe, BETWEEN_ZONES: "0.005"})
    asked = with_types(billed, read_tables(wanted))
    found = placement_of(billed, asked, REQUEST, wanted)
    assert f"moves are compared {AT_LIST}" in found.assumptions
    today = np.array([asked.zones.index(one.zone) for one in asked.machines])
    paid = Prices(billed, asked).bill(today).usd
    saved = found.baseline_usd_per_month - known(found.usd_per_month)
    assert 0 < saved <= paid
    moved = sum(one.saving_usd_per_month for one in found.moves)
    assert abs(saved - moved) <= found.proven_within_usd + Decimal("0.000001")
    assert total_usd(found.line_items) == found.usd_per_month
    assert known(found.bound_usd_per_month) <= known(found.usd_per_month)


def test_moves_are_as_paid_where_the_bill_tells_all_that_they_change() -> None:
    talk = (
        ("ant", "bee", PathClass.INTER_ZONE_INTERNAL, 2.0),
        ("ant", "cow", PathClass.INTER_REGION_INTERNAL, 0.01),
    )
    facts = facts_of(
        machine("ant"),
        machine("bee", zone="us-central1-b"),
        machine("cow", zone="europe-west1-b"),
        talk=talk,
    )
    billed = under_contract(facts, {US_TO_EUROPE: "0.04", BETWEEN_ZONES: "0.005"})
    wanted = PlaceChoices(zone_growth_ratio=9.0)
    found, listed = (
        placement_of(of, asked_of(of, "p", wanted), REQUEST, wanted) for of in (billed, facts)
    )
    assert not any(AT_LIST in one for one in found.assumptions)
    saved = found.baseline_usd_per_month - known(found.usd_per_month)
    assert 2 * saved == listed.baseline_usd_per_month - known(listed.usd_per_month) > 0
