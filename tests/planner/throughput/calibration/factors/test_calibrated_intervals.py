"""Intervals under a calibration: as wide as the probes leave doubt, and never beyond the wall."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netplan_planner.model import Calibration, LimitKind, PathQuery
from support.calibrations.made import (
    EMPTY,
    at_wall,
    corrected,
    figures,
    learnt,
    log_width,
    on_pairs,
    placed,
    probe,
    to_aws,
)
from support.calibrations.paths import CALIBRATIONS
from support.examples import examples
from support.nightly import crossed
from support.paths.queries import estimate, paths

SLACK = 1 + 1e-9
COUNTS = (1, 2, 3, 5, 8, 10)


def width(query: PathQuery, middle: float, spread: float, count: int) -> float:
    """Return the width after probes of so many pairs that lie a spread above and below in turn."""
    ratios = [middle * math.exp(spread * (-1) ** number) for number in range(count)]
    return log_width(corrected(query, learnt(on_pairs(query, ratios))))


class TestConsistency:
    @pytest.mark.parametrize(("query", "middle"), [(at_wall(), 0.8), (to_aws(), 0.7)])
    def test_more_probes_that_agree_make_it_narrower(self, query: PathQuery, middle: float) -> None:
        widths = [width(query, middle, 0.0, count) for count in COUNTS]
        assert all(more < fewer for fewer, more in pairwise(widths))
        assert widths[-1] < 0.75 * log_width(estimate(query))

    @pytest.mark.parametrize(("query", "middle"), [(at_wall(), 0.8), (to_aws(), 0.7)])
    @pytest.mark.parametrize("count", [4, 6, 10])
    def test_probes_that_do_not_agree_leave_it_wider(
        self, query: PathQuery, middle: float, count: int
    ) -> None:
        assert width(query, middle, 0.15, count) > 1.1 * width(query, middle, 0.0, count)

    def test_more_of_them_do_not_make_it_narrower(self) -> None:
        few, many = (width(at_wall(), 0.8, 0.15, count) for count in (2, 10))
        assert many > 0.9 * few

    @pytest.mark.parametrize(("query", "sd"), crossed([at_wall(), to_aws()], [0.03, 0.1, 0.2]))
    def test_it_holds_the_pairs_that_come_later(self, query: PathQuery, sd: float) -> None:
        chance = np.random.default_rng(7)
        inside = []
        for _ in range(8):
            ratios = (0.75 * np.exp(sd * chance.normal(size=10))).tolist()
            found = learnt(on_pairs(query, ratios, runs=1))
            _, low, high = figures(corrected(query, found))
            (one,) = probe(query, 1.0)
            later = one.gbps * 0.75 * np.exp(sd * chance.normal(size=200))
            inside.append(((low <= later) & (later <= high)).mean())
        assert np.mean(inside) > 0.84

    def test_a_pair_that_was_probed_is_surer_than_one_that_was_not(self) -> None:
        found = learnt(on_pairs(to_aws(), [0.7] * 4, runs=5))
        probed, other = (corrected(placed(to_aws(), number), found) for number in (0, 40))
        assert log_width(probed) < log_width(other)

    def test_a_probed_class_alone_does_not_hide_doubt_of_another_limit(self) -> None:
        query = to_aws(streams=2)
        found = learnt(on_pairs(to_aws(streams=64, rtt_ms=20.0), [1.0] * 6))
        assert log_width(corrected(query, found)) > 0.8 * log_width(estimate(query))


@pytest.fixture(scope="module")
def calibration(request: pytest.FixtureRequest) -> Calibration:
    return CALIBRATIONS[request.param]


@pytest.mark.parametrize("calibration", CALIBRATIONS, indirect=True)
class TestEveryPath:
    @settings(max_examples=examples(0.5))
    @given(query=paths(), level=st.floats(0.5, 0.99))
    def test_the_value_is_in_its_interval_and_below_the_wall(
        self, calibration: Calibration, query: PathQuery, level: float
    ) -> None:
        value, low, high = figures(corrected(query, calibration, level=level))
        assert 0 <= low <= value <= high < math.inf
        for limit in estimate(query).limits:
            if limit.kind is LimitKind.DOCUMENTED and limit.name.endswith(("egress", "-flow")):
                assert high <= 1.02 * limit.gbps * SLACK

    @settings(max_examples=examples(0.5))
    @given(query=paths(), levels=st.tuples(st.floats(0.5, 0.99), st.floats(0.5, 0.99)))
    def test_levels_are_nested_and_a_transfer_takes_its_volume_over_its_rate(
        self, calibration: Calibration, query: PathQuery, levels: tuple[float, float]
    ) -> None:
        less, more = (corrected(query, calibration, level=level) for level in sorted(levels))
        value, low, high = figures(less)
        assert figures(more)[1] <= low * SLACK
        assert high <= figures(more)[2] * SLACK
        if query.transfer_bytes is None:
            assert less.duration_s is None
            return
        gbit = query.transfer_bytes * 8 / 1e9
        assert (less.duration_s or 0) * value == pytest.approx(gbit)
        assert (less.low_duration_s or 0) * high == pytest.approx(gbit)
        assert (less.high_duration_s or 0) * low == pytest.approx(gbit)


def test_a_wide_table_of_calibrations_is_tried() -> None:
    assert len(CALIBRATIONS) >= 5
    assert EMPTY not in CALIBRATIONS.values()
