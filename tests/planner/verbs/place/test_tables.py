"""Tables of a placement that nobody should act on, and prices and orders of rows that change."""

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from msgspec.structs import replace

from netplan_planner.verbs.place.answer import Placement
from netplan_planner.verbs.place.ask import PlaceChoices
from netplan_planner.verbs.place.run import plan_places
from netplan_planner.world.request import InputRequest
from support.examples import examples
from support.places.tables import FAR_ZONES, TYPE, ZONES, Case, Flow, Vm, written

REQUEST = InputRequest(today=date(2026, 5, 1))
FEW = settings(
    max_examples=examples(0.3), suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def asked(folder: Path) -> PlaceChoices:
    vms, edges, zones = (folder / f"{name}.csv" for name in ("vms", "edges", "zones"))
    return PlaceChoices(vms=vms, edges=edges, zones=zones)


def placed(case: Case, request: InputRequest = REQUEST) -> Placement:
    with TemporaryDirectory() as folder:
        written(case, Path(folder))
        return plan_places(request, asked(Path(folder)))


@some.composite
def far_cases(draw: some.DrawFn) -> Case:
    """Return machines of several regions, some with a type, without limits."""
    count = draw(some.integers(3, 6))
    vms = tuple(
        Vm(
            name=f"vm-{number}",
            zone=draw(some.sampled_from(FAR_ZONES)),
            vcpus=8,
            group="copies" if number < 2 else "",
            is_spread=number < 2,
            is_pinned=draw(some.booleans()) and number > 1,
            machine_type=draw(some.sampled_from(["", TYPE])),
        )
        for number in range(count)
    )
    flows = tuple(
        Flow(src, dst, draw(some.integers(2, 9000)))
        for _ in range(draw(some.integers(1, 8)))
        for src, dst in [draw(some.permutations([vm.name for vm in vms]))[:2]]
    )
    return Case(vms, flows, dict.fromkeys(FAR_ZONES, 99))


@FEW
@given(far_cases())
def test_half_the_prices_cost_half_in_any_order_and_fewer_zones_never_less(case: Case) -> None:
    whole, half = placed(case), placed(case, replace(REQUEST, discounts=("all=50",)))
    assert whole.usd_per_month is not None
    assert half.usd_per_month is not None
    # Prices have nine digits, and the search knows the free first GiB to some cents.
    within = float(whole.proven_within_usd) + 0.01
    assert float(half.usd_per_month) == pytest.approx(float(whole.usd_per_month) / 2, abs=within)
    assert float(half.baseline_usd_per_month) == pytest.approx(
        float(whole.baseline_usd_per_month) / 2, abs=0.01
    )
    # The order of rows changes nothing between regions.
    turned = Case(
        tuple(reversed(case.vms)),
        tuple(reversed(case.flows)),
        dict(reversed(list(case.capacity.items()))),
    )
    assert placed(case) == placed(turned)
    # Fewer zones never cost less.
    stand = {vm.zone for vm in case.vms}
    spare = [zone for zone in FAR_ZONES if zone not in stand]
    usd = placed(case).usd_per_month
    assert usd is not None
    for zone in spare:
        fewer = {one: room for one, room in case.capacity.items() if one != zone}
        if sum(vm.is_spread for vm in case.vms) > len(fewer):
            continue
        less = placed(case._replace(capacity=fewer))
        slack = less.proven_within_usd + placed(case).proven_within_usd
        assert less.usd_per_month is not None
        assert less.usd_per_month >= usd - slack


def test_it_does_not_advise_what_is_on_already() -> None:
    """Machines that may change their region and are pinned apart are not told to allow it."""
    vms = (Vm("a", ZONES[0], is_pinned=True), Vm("b", FAR_ZONES[2], is_pinned=True))
    case = Case(vms, (Flow("a", "b", 100, max_rtt_ms=1),), dict.fromkeys(FAR_ZONES, 99))
    (short,) = placed(case).infeasible
    assert "--between-regions" not in str(short.changes)
