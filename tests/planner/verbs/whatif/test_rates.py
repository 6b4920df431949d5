"""The rates of all flows at once, reckoned again by an independent progressive filling."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.judging.month import machine_rows
from netplan_planner.model import Facts, PathClass
from netplan_planner.throughput import edge_query, predict
from netplan_planner.throughput.sharing.links import NAMES
from netplan_planner.throughput.sharing.rates import fair_rates
from netplan_planner.verbs.whatif.rates import Demand, FlowRates, Matrix
from netplan_planner.verbs.whatif.reckoning import used_ratios
from netplan_planner.verbs.whatif.scenario import Scenario, unchanged
from support.rules.facts import facts_of as made_facts
from support.rules.facts import machine
from support.whatif.projects import after, change, facts_of
from support.whatif.reckoned import Flow, progressive_filling

HELD_BACK = 0.9
NEAR = 1e-9


def rates(before: Facts, scenario: Scenario, *, is_all_out: bool = False) -> FlowRates:
    assert before.traffic is not None
    used = np.full((len(before.traffic.owners), 2), np.nan)
    return Matrix(unchanged(before), Demand(HELD_BACK, used, is_all_out)).rates(scenario)


SCENARIOS = (
    ("gecko", ()),
    ("gecko", (change("transcoder-*", "address", "internal"),)),
    ("gecko", (change("transcoder-[1-4]", "machine-type", "n1-standard-8"),)),
    ("interzone", ()),
    ("interzone", (change("us-central1-c", "zone", "us-central1-b"),)),
    ("interzone", (change("*", "machine-type", "n1-standard-2"),)),
)


@pytest.mark.parametrize(("demo", "changes"), SCENARIOS)
@pytest.mark.parametrize("is_all_out", [False, True])
def test_rates_are_those_of_progressive_filling(
    demo: str, changes: tuple[object, ...], is_all_out: bool
) -> None:
    before = facts_of(demo)
    scenario = after(before, *changes)  # type: ignore[arg-type]
    facts = scenario.facts
    assert facts.traffic is not None
    found = rates(before, scenario, is_all_out=is_all_out)
    flows, capacities = [], dict[str, Fraction]()
    for edge in found.flows.tolist():
        one = facts.traffic.edges[edge]
        # What each path carries alone is what `predict` says of it.
        estimate = predict(edge_query(facts, one), facts.caps)
        assert estimate.gbps is not None
        old = before.traffic.edges[edge] if before.traffic else one
        alone = predict(edge_query(before, old), before.caps).gbps or 0.0
        is_held = is_all_out or old.series.p95_gbps >= HELD_BACK * alone
        target = _declared(before, edge)
        asks = estimate.gbps if is_held else max(one.series.max_gbps, target)
        names = []
        for limit in estimate.limits:
            if limit.name in NAMES:
                owner = one.src if NAMES.index(limit.name) < 3 else one.dst
                name = f"{owner} {limit.name}"
                names.append(name)
                lets = Fraction(limit.gbps)
                capacities[name] = min(capacities.get(name, lets), lets)
        flows.append(Flow(Fraction(min(asks, estimate.gbps)), tuple(names)))
    expected = progressive_filling(flows, capacities)
    got = found.gbps[found.flows]
    for rate, wanted in zip(got.tolist(), expected, strict=True):
        assert rate == pytest.approx(float(wanted), rel=1e-6, abs=1e-9)


def _declared(facts: Facts, number: int) -> float:
    assert facts.traffic is not None
    edge = facts.traffic.edges[number]
    instance = facts.instance(facts.src(edge))
    target = facts.target(instance) if instance is not None else None
    sent = sum(one.wire_bytes for one in facts.traffic.edges if one.src == edge.src)
    return target.gbps * edge.wire_bytes / sent if target is not None else 0.0


@given(st.data())
def test_fair_rates_agree_with_the_filling_on_any_links(data: st.DataObject) -> None:
    links = data.draw(st.integers(1, 5))
    capacity = data.draw(st.lists(st.integers(1, 40), min_size=links, max_size=links))
    count = data.draw(st.integers(1, 12))
    rows = [
        data.draw(st.lists(st.integers(0, links - 1), min_size=1, max_size=3, unique=True))
        for _ in range(count)
    ]
    bounds = data.draw(st.lists(st.integers(0, 30), min_size=count, max_size=count))
    padded = np.array([[*row, -1, -1][:3] for row in rows])
    found = fair_rates(
        capacity_gbps=np.array(capacity, dtype=float),
        links=padded,
        bound_gbps=np.array(bounds, dtype=float),
    )
    expected = progressive_filling(
        [
            Flow(Fraction(bound), tuple(map(str, row)))
            for bound, row in zip(bounds, rows, strict=True)
        ],
        {str(number): Fraction(value) for number, value in enumerate(capacity)},
    )
    assert found.gbps.tolist() == pytest.approx([float(one) for one in expected], abs=NEAR)


def test_no_limit_carries_more_than_it_can() -> None:
    facts = facts_of("interzone")
    found = rates(facts, unchanged(facts), is_all_out=True)
    used: dict[int, float] = defaultdict(float)
    for row, edge in zip(found.links.of_flow, found.flows, strict=True):
        for link in row[row >= 0].tolist():
            used[link] += float(found.gbps[edge])
    for link, gbps in used.items():
        assert gbps <= found.links.capacity_gbps[link] * (1 + NEAR)


def test_a_greater_cap_never_slows_the_whole() -> None:
    facts = facts_of("interzone")
    totals = [
        rates(facts, after(facts, change("*", "machine-type", name)), is_all_out=True).total_gbps
        for name in ("n1-standard-1", "n1-standard-2", "n1-standard-4", "n1-standard-8")
    ]
    assert None not in totals
    assert totals == sorted(one or 0.0 for one in totals)


def test_a_limit_holds_back_what_goes_through_it_and_no_other_flow() -> None:
    """A machine full to the outside sends a little inside: that flow asks for no more than it does.

    Else the gain of an address fix would vanish: the small flow would fill the machine before it.
    """
    facts = made_facts(
        machine("a", "n2-standard-16"),
        machine("b", "n2-standard-16"),
        machine("c", "n2-standard-16"),
        talk=(
            ("a", "b", PathClass.SAME_ZONE_EXTERNAL, 6.9),
            ("a", "c", PathClass.SAME_ZONE_INTERNAL, 0.09),
        ),
    )
    tables = machine_rows(facts)
    used = used_ratios(facts, tables, 3)
    assert used[0].tolist() == pytest.approx([6.99 / 32, 6.9 / 7])
    found = Matrix(unchanged(facts), Demand(HELD_BACK, used)).rates(unchanged(facts))
    assert found.gbps.tolist() == pytest.approx([7.0, 0.09])
    assert found.waiting_count == 1
