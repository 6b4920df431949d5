"""Placements against all there are, and what must hold of every one."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from netplan_planner.verbs.place.answer import Placement, PlacementConstraint
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.run import plan_places
from netplan_planner.world.request import InputRequest
from support.examples import examples
from support.places.tables import (
    FAR_ZONES,
    TYPE,
    ZONES,
    Case,
    Flow,
    Vm,
    cheapest,
    cost,
    faults,
    written,
)

REQUEST = InputRequest(today=date(2026, 5, 1))
CENT = 0.005
"""Half of one: the same to the cent."""
NEAR_MS = 0.3
"""Less than between zones, more than inside one."""
FEW = settings(
    max_examples=examples(0.5), suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
FEWER = settings(FEW, max_examples=examples(0.25))


def placed(case: Case, **words: float | bool) -> Placement:
    with TemporaryDirectory() as folder:
        written(case, Path(folder))
        wanted = PlaceChoices(
            vms=Path(folder) / "vms.csv",
            edges=Path(folder) / "edges.csv",
            zones=Path(folder) / "zones.csv",
            **words,  # type: ignore[arg-type]
        )
        return plan_places(REQUEST, wanted)


@some.composite
def cases(draw: some.DrawFn) -> Case:
    count = draw(some.integers(2, 6))
    zones = ZONES[: draw(some.integers(2, 3))]
    grouped = draw(some.integers(0, count))
    vms = tuple(
        Vm(
            name=f"vm-{number}",
            zone=draw(some.sampled_from(zones)),
            vcpus=draw(some.integers(1, 4)),
            group="copies" if number < grouped else "",
            is_spread=number < grouped,
            is_pinned=draw(some.integers(0, 5)) == 0,
        )
        for number in range(count)
    )
    flows = tuple(
        Flow(
            src=src,
            dst=dst,
            gib=draw(some.integers(0, 9000)),
            max_rtt_ms=NEAR_MS if draw(some.integers(0, 7)) == 0 else None,
        )
        for _ in range(draw(some.integers(1, 8)))
        for src, dst in [draw(some.permutations([vm.name for vm in vms]))[:2]]
    )
    total = sum(vm.vcpus for vm in vms)
    rooms = {zone: draw(some.integers(total // len(zones), total)) for zone in zones}
    return Case(vms, flows, rooms)


@FEW
@given(cases())
def test_it_is_the_cheapest_of_all_and_keeps_every_constraint(case: Case) -> None:
    answer, best = placed(case), cheapest(case)
    if best is None:
        assert answer.infeasible
        assert answer.usd_per_month is None
        return
    zones = dict(answer.assignment)
    assert not faults(case, zones)
    assert answer.is_proven
    assert answer.usd_per_month is not None
    assert answer.bound_usd_per_month is not None
    assert float(answer.usd_per_month) == pytest.approx(best, abs=CENT)
    assert float(answer.usd_per_month) == pytest.approx(cost(case, zones), abs=CENT)
    today = {vm.name: vm.zone for vm in case.vms}
    assert float(answer.baseline_usd_per_month) == pytest.approx(cost(case, today), abs=CENT)
    assert answer.bound_usd_per_month <= answer.usd_per_month
    # One may stop after any step: what today keeps is kept, and savings add up.
    usd, step = float(answer.baseline_usd_per_month), 0
    for move in answer.moves:
        if move.step != step:
            assert len(faults(case, today)) <= len(faults(case, _today(case)))
            step = move.step
        today[move.name] = move.to_zone
        usd -= float(move.saving_usd_per_month)
    assert today == zones
    assert usd == pytest.approx(float(answer.usd_per_month), abs=CENT)


def _today(case: Case) -> dict[str, str]:
    return {vm.name: vm.zone for vm in case.vms}


@FEWER
@given(cases(), some.integers(2, 9))
def test_more_demand_and_less_room_never_cost_less(case: Case, more: int) -> None:
    answer = placed(case)
    if answer.usd_per_month is None:
        return
    first = case.flows[0]
    busier = case._replace(flows=(first._replace(gib=first.gib * more), *case.flows[1:]))
    assert _usd(placed(busier)) >= answer.usd_per_month - Decimal("0.01")
    tighter = {zone: room - 1 for zone, room in case.capacity.items()}
    assert _usd(placed(case._replace(capacity=tighter))) >= answer.usd_per_month - Decimal("0.01")
    pinned = (case.vms[0]._replace(is_pinned=True), *case.vms[1:])
    assert _usd(placed(case._replace(vms=pinned))) >= answer.usd_per_month - Decimal("0.01")
    scaled = tuple(flow._replace(gib=flow.gib * more) for flow in case.flows)
    assert float(_usd(placed(case._replace(flows=scaled)))) == pytest.approx(
        float(answer.usd_per_month) * more, abs=0.01 * more
    )


def _usd(answer: Placement) -> Decimal:
    return Decimal("Infinity") if answer.usd_per_month is None else answer.usd_per_month


@FEWER
@given(cases())
def test_the_order_of_rows_changes_nothing(case: Case) -> None:
    shuffled = Case(
        tuple(reversed(case.vms)),
        tuple(reversed(case.flows)),
        dict(reversed(list(case.capacity.items()))),
    )
    assert placed(case) == placed(shuffled)


@some.composite
def far_cases(draw: some.DrawFn) -> Case:
    """Return machines in several regions, some of them with a type; no zone is full."""
    count = draw(some.integers(2, 5))
    grouped = draw(some.sampled_from([0, 2, 3]))
    vms = tuple(
        Vm(
            name=f"vm-{number}",
            zone=draw(some.sampled_from(FAR_ZONES)),
            vcpus=8,
            group="copies" if number < grouped <= count else "",
            is_spread=number < grouped <= count,
            is_pinned=draw(some.integers(0, 3)) == 0,
            machine_type=draw(some.sampled_from(["", TYPE])),
        )
        for number in range(count)
    )
    flows = tuple(
        Flow(src, dst, draw(some.integers(2, 9000)))
        for _ in range(draw(some.integers(1, 6)))
        for src, dst in [draw(some.permutations([vm.name for vm in vms]))[:2]]
    )
    return Case(vms, flows, dict.fromkeys(FAR_ZONES, draw(some.sampled_from([16, 24, 99]))))


@FEWER
@given(far_cases())
def test_regions_are_chosen_by_traffic_and_by_what_machines_cost_there(case: Case) -> None:
    answer, best = placed(case), cheapest(case)
    if best is None:
        assert answer.infeasible
        return
    zones = dict(answer.assignment)
    assert not faults(case, zones)
    assert answer.is_proven
    assert answer.bound_usd_per_month is not None
    assert float(_usd(answer)) == pytest.approx(cost(case, zones), abs=CENT)
    assert float(_usd(answer)) == pytest.approx(best, abs=float(answer.proven_within_usd) + CENT)
    assert float(answer.bound_usd_per_month) <= best + CENT
    stays = placed(case, between_regions=False)
    if stays.usd_per_month is not None:
        # Inside regions a group has fewer zones to be spread over.
        if not any(vm.is_spread for vm in case.vms):
            assert stays.usd_per_month >= _usd(answer) - answer.proven_within_usd
        today = _today(case)
        assert all(zone[:-2] == today[name][:-2] for name, zone in stays.assignment.items())


SPREAD = Case(
    vms=tuple(Vm(f"db-{n}", ZONES[0], 4, "db", is_spread=True) for n in range(3)),
    flows=(Flow("db-0", "db-1", 100), Flow("db-1", "db-2", 50)),
    capacity=dict.fromkeys(ZONES, 8),
)


def test_a_group_that_stays_spread_has_its_price() -> None:
    answer = placed(SPREAD)
    assert len(set(answer.assignment.values())) == 3
    assert answer.spread_usd_per_month == Decimal("1.50")
    assert answer.usd_per_month == Decimal("1.50")
    assert answer.baseline_usd_per_month == 0
    assert any("is in 1 zone" in text for text in answer.broken_today)


def test_what_cannot_be_is_named_with_what_is_missing() -> None:
    pinned = tuple(vm._replace(is_pinned=vm.name != "db-2") for vm in SPREAD.vms)
    (found,) = placed(SPREAD._replace(vms=pinned)).infeasible
    assert found.binding == PlacementConstraint.SPREAD
    assert found.shortfall == "1 zone too few of 3: db-0, db-1 are pinned to us-central1-a"
    assert found.changes == ("unpin one of them",)
    # Too little capacity says how much is missing.
    short = placed(SPREAD._replace(capacity=dict.fromkeys(ZONES, 3))).infeasible
    assert {one.binding for one in short} == {PlacementConstraint.CAPACITY}
    assert [one.shortfall for one in short] == ["1 vCPUs too few: it holds 3"] * 3
    # A round trip that cannot be is named with the least.
    vms = (Vm("a", "us-central1-a"), Vm("b", "europe-west1-b"))
    case = Case(vms, (Flow("a", "b", 10, 5.0),), {"us-central1-a": 8, "europe-west1-b": 8})
    (lone,) = placed(case, between_regions=False).infeasible
    assert lone.binding == PlacementConstraint.ROUND_TRIP
    assert "5 ms is required; the minimum in the allowed zones is 1" in str(lone.shortfall)
    assert "--between-regions" in str(lone.changes)
    together = placed(case)
    assert len(set(together.assignment.values())) == 1
    assert together.is_proven


def test_moves_below_the_stop_line_are_summed_up() -> None:
    vms = (Vm("a", ZONES[0]), Vm("b", ZONES[1]), Vm("c", ZONES[0]), Vm("d", ZONES[1]))
    flows = (Flow("a", "b", 9000), Flow("c", "d", 100))
    answer = placed(Case(vms, flows, dict.fromkeys(ZONES, 99)), least_saving_usd=20.0)
    assert [move.is_worth_it for move in answer.moves] == [True, False]
    assert answer.worth_usd_per_month == Decimal(90)
    assert answer.rest_usd_per_month == Decimal(1)
    assert answer.moves[0].one_off_usd is None
    assert "cost unknown" in answer.moves[0].one_off
    (step,) = answer.changes.steps
    assert step.fix.verify is not None
    assert step.fix.undo is not None
    assert "instances delete" not in " ".join(step.fix.commands)
    assert step.terraform[0].replaces


def test_members_that_change_places_rank_by_what_that_saves_together() -> None:
    """Alone each would save $8 more, the traffic between them, which one of them pays still."""
    vms = (
        *(Vm("web-1", ZONES[0], 4, "web", True), Vm("web-2", ZONES[1], 4, "web", True)),
        *(Vm("db-1", ZONES[0], is_pinned=True), Vm("db-2", ZONES[1], is_pinned=True)),
        Vm("log", ZONES[1]),
    )
    flows = (
        *(Flow("web-1", "db-2", 300), Flow("web-2", "db-1", 200), Flow("web-1", "web-2", 800)),
        Flow("log", "db-1", 300),
    )
    room = dict.fromkeys(ZONES[:2], 99)
    answer = placed(Case(vms, flows, room), least_saving_usd=2.6)
    assert [(one.name, one.step) for one in answer.moves] == [
        ("log", 1),
        ("web-1", 2),
        ("web-2", 2),
    ]
    assert [one.saving_usd_per_month for one in answer.moves] == [3, Decimal("2.5"), Decimal("2.5")]
    assert [one.is_worth_it for one in answer.moves] == [True, False, False]
