"""Max-min fair rates: exact rational arithmetic as the oracle, and what makes them fair."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from netplan_planner.throughput.sharing.rates import (
    BATCH_LEAST,
    OWN_BOUND,
    WINDOW_COUNT,
    FairRates,
    fair_rates,
)
from support.listed import listed

CLOSE = 1e-12
"""Greatest relative distance to the exact rate that is accepted."""


class Case(NamedTuple):
    """Flows over links: what `fair_rates` takes."""

    capacity_gbps: npt.NDArray[np.float64]
    links: npt.NDArray[np.intp]
    bound_gbps: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]

    def rates(self) -> FairRates:
        return fair_rates(**self._asdict())

    def with_flows(self, order: npt.NDArray[np.intp]) -> "Case":
        return Case(
            self.capacity_gbps, self.links[order], self.bound_gbps[order], self.weight[order]
        )


def case(
    capacity: list[float],
    links: list[list[int]],
    bound: list[float] | None = None,
    weight: list[float] | None = None,
) -> Case:
    count = len(links)
    return Case(
        capacity_gbps=np.array(capacity, dtype=np.float64),
        links=np.array(links, dtype=np.intp).reshape(count, -1 if count else 1),
        bound_gbps=np.array(bound or [np.inf] * count, dtype=np.float64),
        weight=np.array(weight or [1] * count, dtype=np.float64),
    )


def exact_rates(asked: Case) -> list[Fraction]:
    """Return the rates by progressive filling, one event after the other, without rounding."""
    capacity, bound = asked.capacity_gbps.tolist(), asked.bound_gbps.tolist()
    weight = [Fraction(value) for value in asked.weight.tolist()]
    rows = [
        {link for link in row if link >= 0 and capacity[link] < np.inf}
        for row in asked.links.tolist()
    ]
    settled: dict[int, Fraction] = {}
    while len(settled) < len(rows):
        still = [flow for flow in range(len(rows)) if flow not in settled]
        level_of = {}
        for link in {link for flow in still for link in rows[flow]}:
            taken = sum(rate for flow, rate in settled.items() if link in rows[flow])
            level_of[link] = (Fraction(capacity[link]) - taken) / sum(
                weight[flow] for flow in still if link in rows[flow]
            )
        own = {flow: Fraction(bound[flow]) / weight[flow] for flow in still if bound[flow] < np.inf}
        level = min([*level_of.values(), *own.values()])
        for flow in still:
            if own.get(flow) == level or any(level_of[link] == level for link in rows[flow]):
                settled[flow] = level * weight[flow]
    return [settled[flow] for flow in range(len(rows))]


def assert_max_min(asked: Case, found: FairRates) -> None:
    """Assert the certificate that no rates but the max-min fair ones have.

    No link is over its capacity and no flow over its bound; each flow is at its bound, or on a
    full link where no flow has more per unit of weight.
    """
    level = found.gbps / asked.weight
    load = np.zeros(asked.capacity_gbps.size)
    highest = np.zeros(asked.capacity_gbps.size)
    for place, column in enumerate(asked.links.T):
        repeated = (asked.links[:, :place] == column[:, None]).any(axis=1)
        flows = np.flatnonzero((column >= 0) & ~repeated)
        np.add.at(load, column[flows], found.gbps[flows])
        np.maximum.at(highest, column[flows], level[flows])
    assert (load <= asked.capacity_gbps * (1 + CLOSE)).all()
    assert (found.gbps <= asked.bound_gbps).all()
    at_bound = found.binding_link == OWN_BOUND
    assert (found.gbps[at_bound] == asked.bound_gbps[at_bound]).all()
    held, by = np.flatnonzero(~at_bound), found.binding_link[~at_bound]
    assert (asked.links[held] == by[:, None]).any(axis=1).all()
    assert (load[by] >= asked.capacity_gbps[by] * (1 - CLOSE)).all()
    assert (level[held] >= highest[by] * (1 - CLOSE)).all()


AMOUNTS = st.one_of(
    st.integers(0, 8).map(float),
    st.floats(1e-3, 1e3),
    st.floats(1e-90, 1e90),
    st.sampled_from([1e-60, 1e-9, 1e9, 1e60]),
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw up to 12 flows over up to 6 links, with ties, zeros and amounts of any size."""
    link_count, width = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    flow_count = draw(st.integers(0, 12))

    def per_flow(values: st.SearchStrategy[float]) -> list[float]:
        return draw(st.lists(values, min_size=flow_count, max_size=flow_count))

    row = st.lists(st.integers(-1, link_count - 1), min_size=width, max_size=width)
    capacity = draw(st.lists(AMOUNTS | st.just(np.inf), min_size=link_count, max_size=link_count))
    links = draw(st.lists(row, min_size=flow_count, max_size=flow_count))
    streams = st.integers(1, 64).map(float) | st.floats(0.5, 64)
    weight = per_flow(draw(st.sampled_from([st.just(1.0), streams])))
    bound = per_flow(draw(st.sampled_from([st.just(np.inf), AMOUNTS, AMOUNTS | st.just(np.inf)])))
    for flow, used in enumerate(links):
        if all(link < 0 or capacity[link] == np.inf for link in used) and bound[flow] == np.inf:
            bound[flow] = draw(AMOUNTS)
    return case(capacity, links, bound, weight)


@given(asked=cases())
def test_rates_equal_exact_arithmetic(asked: Case) -> None:
    found = asked.rates()
    for gbps, exact in zip(found.gbps.tolist(), exact_rates(asked), strict=True):
        assert abs(Fraction(gbps) - exact) <= Fraction(CLOSE) * exact
    assert_max_min(asked, found)


@given(asked=cases(), data=st.data())
def test_order_of_flows_changes_no_bit(asked: Case, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(len(asked.links)))), dtype=np.intp)
    found, moved = asked.rates(), asked.with_flows(order).rates()
    assert moved.gbps.tobytes() == found.gbps[order].tobytes()
    assert moved.binding_link.tolist() == found.binding_link[order].tolist()


@given(asked=cases(), data=st.data())
def test_more_capacity_never_lowers_the_smallest_share(asked: Case, data: st.DataObject) -> None:
    assume(asked.links.shape[0] > 0)
    link = data.draw(st.integers(0, asked.capacity_gbps.size - 1))
    more = asked.capacity_gbps.copy()
    more[link] = more[link] * 2 + 1
    before = (asked.rates().gbps / asked.weight).min()
    after = (asked._replace(capacity_gbps=more).rates().gbps / asked.weight).min()
    assert after >= before * (1 - CLOSE)


@given(asked=cases(), power=st.sampled_from([-30, -1, 1, 30]))
def test_rates_scale_with_all_limits(asked: Case, power: int) -> None:
    scale = 2.0**power
    scaled = asked._replace(
        capacity_gbps=asked.capacity_gbps * scale, bound_gbps=asked.bound_gbps * scale
    )
    found, after = asked.rates(), scaled.rates()
    assert after.gbps.tolist() == (found.gbps * scale).tolist()
    assert after.binding_link.tolist() == found.binding_link.tolist()


@listed(
    ("asked", "gbps", "binding"),
    [
        (case([10], [[0], [0]]), [5, 5], [0, 0]),
        (case([9], [[0], [0]], weight=[1, 2]), [3, 6], [0, 0]),
        (case([10], [[0], [0], [0]], bound=[1, 4, np.inf]), [1, 4, 5], [-1, -1, 0]),
        (case([10], [[0], [0]], bound=[5, 5]), [5, 5], [-1, -1]),
        (case([0, 8], [[0, 1], [-1, 1]]), [0, 8], [0, 1]),
        (case([4], [[0], [0]], bound=[0, np.inf]), [0, 4], [-1, 0]),
        (case([4], [[0, 0, 0], [0, -1, -1]]), [2, 2], [0, 0]),
        (case([np.inf, 6], [[0, 1], [0, -1]], bound=[np.inf, 7]), [6, 7], [1, -1]),
        (case([], [[-1, -1]], bound=[3]), [3], [-1]),
        (case([5], []), [], []),
        # Next to the greatest weight, sums lose the others.
        (case([10], [[0]] * 3, [2, np.inf, np.inf], [1e60, 1, 3]), [2, 2, 6], [-1, 0, 0]),
        (case([10], [[0]] * 3, [2, np.inf, np.inf], [1e60, 0.25, 0.75]), [2, 2, 6], [-1, 0, 0]),
        # A tie with the own bound, after another link has settled: 49 * (1 / 49) is below 1.
        (
            case([0.5, 2.5], [[0, 1], [-1, 1], [-1, 1]], [np.inf, 1, 1], [64, 49, 49]),
            [0.5, 1, 1],
            [0, -1, -1],
        ),
        # A machine that sends to two receivers over one egress and one external egress.
        (
            case([16, 7, 10, 2], [[0, -1, 2], [0, 1, 3], [0, 1, 2]], bound=[12, 3, 3]),
            [7, 2, 3],
            [2, 3, -1],
        ),
        # The classic line: the long flow meets three links of one capacity.
        (case([1, 1, 1], [[0, 1, 2], [0, -1, -1], [1, -1, -1], [2, -1, -1]]), [0.5] * 4, None),
    ],
)
def test_worked_cases(asked: Case, gbps: list[float], binding: list[int] | None) -> None:
    found = asked.rates()
    assert found.gbps.tolist() == gbps
    if binding is not None:
        assert found.binding_link.tolist() == binding
    # Defaults are no bound and equal shares.
    if np.isinf(asked.bound_gbps).all() and (asked.weight == 1).all() and len(asked.links):
        plain = fair_rates(capacity_gbps=asked.capacity_gbps, links=asked.links.astype(np.int32))
        assert plain.gbps.tolist() == gbps


def many(flow_count: int, link_count: int, seed: int) -> Case:
    """Return skewed traffic: some links have hundreds of flows, most a few."""
    chance = np.random.default_rng(seed)
    popular = 1 / np.arange(1, link_count + 1)
    links = chance.choice(link_count, (flow_count, 3), p=popular / popular.sum())
    links[chance.random(links.shape) < 0.1] = -1
    is_bound, few = chance.random(flow_count) < 0.5, chance.lognormal(-3, 2, flow_count)
    return Case(
        capacity_gbps=chance.choice([1.0, 2.0, 10.0, 16.0, 32.0], link_count),
        links=links,
        bound_gbps=np.where(is_bound, few, 12),
        weight=chance.choice([1.0, 1.0, 8.0, 0.3], flow_count),
    )


@pytest.mark.parametrize("with_bounds", [False, True])
@pytest.mark.parametrize("with_weights", [False, True])
def test_many_links_are_still_max_min_fair(with_bounds: bool, with_weights: bool) -> None:
    asked = many(flow_count=30_000, link_count=4 * WINDOW_COUNT, seed=5)
    assert asked.links.size > 8 * BATCH_LEAST
    if not with_bounds:
        asked = asked._replace(bound_gbps=np.full(30_000, 1e6))
    if not with_weights:
        asked = asked._replace(weight=np.ones(30_000))
    found = asked.rates()
    assert_max_min(asked, found)
    assert len(set(found.binding_link.tolist())) > 500
    order = np.random.default_rng(6).permutation(30_000)
    assert asked.with_flows(order).rates().gbps.tobytes() == found.gbps[order].tobytes()


def test_chain_in_which_each_link_waits_for_the_one_before() -> None:
    count = 2 * WINDOW_COUNT + 7
    first = np.arange(count)
    asked = Case(
        capacity_gbps=np.arange(1.0, count + 2) * 2,
        links=np.stack((first, first + 1), axis=1),
        bound_gbps=np.full(count, np.inf),
        weight=np.ones(count),
    )
    found = asked.rates()
    assert_max_min(asked, found)
    # 2 for the first flow; each next one gets what its first link has left.
    expected = [2.0]
    for link in range(1, count):
        expected.append(asked.capacity_gbps[link] - expected[-1])
    assert found.gbps.tolist() == expected


@listed(
    ("change", "problem"),
    [
        ({"capacity_gbps": np.array([np.nan])}, r"capacity_gbps\[0\] is nan"),
        ({"capacity_gbps": np.array([-1.0])}, r"capacity_gbps\[0\] is -1"),
        ({"capacity_gbps": np.array([1e-300])}, "between"),
        ({"capacity_gbps": np.array([[1.0]])}, "one axis, not 2"),
        ({"bound_gbps": np.array([1.0, np.nan])}, r"bound_gbps\[1\] is nan"),
        ({"bound_gbps": np.array([1.0])}, "bound_gbps has 1 entries for 2 flows"),
        ({"weight": np.array([1.0, np.nan])}, r"weight\[1\] is nan"),
        ({"weight": np.array([0.0, 1.0])}, r"weight\[0\] is 0, but must be above 0"),
        ({"weight": np.array([1.0, np.inf])}, r"weight\[1\] is inf"),
        ({"weight": np.ones(3)}, "weight has 3 entries for 2 flows"),
        ({"links": np.array([[0], [1]])}, "entries from 0 to 1; the allowed range is -1 to 0"),
        ({"links": np.array([[0], [-2]])}, "entries from -2 to 0"),
        ({"links": np.array([0, 0])}, "on two axes, not int64 on 1"),
        ({"links": np.array([[0.0], [0.0]])}, "must hold integers"),
        ({"links": np.array([[0], [-1]])}, r"bound_gbps\[1\] is inf, but must be finite"),
        ({"capacity_gbps": np.array([np.inf])}, r"bound_gbps\[0\] is inf, but must be finite"),
    ],
)
def test_refuses_what_has_no_answer(change: dict[str, Any], problem: str) -> None:
    asked = case([1.0], [[0], [0]])
    with pytest.raises(ValueError, match=problem):
        asked._replace(**change).rates()
