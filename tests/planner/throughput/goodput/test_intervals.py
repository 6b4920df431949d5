"""Intervals: their ends, their levels, and how campaigns make the factors."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.throughput.goodput.conformal import LEVELS, Scores, fit, nested
from netplan_planner.throughput.goodput.intervals import (
    REGIMES,
    Factors,
    factors_at,
    interval,
)
from support.predict_paths import Table

LEVEL = st.floats(0.5, 0.99)
WINDOW = REGIMES.index("window-own")


def factors(low: float, high: float) -> Factors:
    return Factors(np.full(len(REGIMES), low), np.full(len(REGIMES), high))


def campaign(name: str, below: list[float], regime: int = WINDOW) -> Scores:
    """Return scores of one regime; what lies above is the mirror of what lies below."""
    scores = np.array(below)
    return Scores(name, np.full(len(below), regime, dtype=np.int8), scores, -scores)


class TestFactors:
    def test_a_level_of_the_table_is_its_row(self) -> None:
        for level in LEVELS:
            found = factors_at(level)
            assert found.low.shape == found.high.shape == (len(REGIMES),)
            assert np.isfinite(found.low).all()
            assert np.isfinite(found.high).all()

    def test_between_two_levels_it_lies_between(self) -> None:
        low, middle, high = (factors_at(level).low for level in (0.8, 0.85, 0.9))
        np.testing.assert_allclose(middle, (low + high) / 2)

    @given(LEVEL, LEVEL)
    def test_a_greater_level_is_never_narrower(self, one: float, other: float) -> None:
        less, more = sorted((one, other))
        small, great = factors_at(less), factors_at(more)
        assert (small.low <= great.low + 1e-12).all()
        assert (small.high <= great.high + 1e-12).all()

    @pytest.mark.parametrize("level", [0.0, 0.49, 0.991, 1.0, np.nan])
    def test_a_level_outside_of_the_table_is_refused(self, level: float) -> None:
        with pytest.raises(ValueError, match="a level is between"):
            factors_at(level)

    def test_from_90_per_cent_on_bounds_are_never_narrowed(self) -> None:
        for level in (0.9, 0.95, 0.99):
            assert (factors_at(level).low >= 0).all()
            assert (factors_at(level).high >= 0).all()


class TestEnds:
    FOUND = Table(1).answers().found

    @given(st.floats(-3, 3), st.floats(-3, 3))
    def test_whatever_the_factors_the_value_is_inside_and_no_wall_is_passed(
        self, low: float, high: float
    ) -> None:
        ends = interval(self.FOUND, factors(low, high))
        mean = self.FOUND.means.gbps
        assert (ends[0] <= mean).all()
        assert (mean <= ends[1]).all()
        assert (ends[1] <= np.fmax(self.FOUND.wall_gbps, mean)).all()

    def test_without_factors_they_are_the_physical_bounds(self) -> None:
        low, high = interval(self.FOUND, factors(0, 0))
        np.testing.assert_array_equal(low, self.FOUND.low_gbps)
        np.testing.assert_array_equal(high, np.minimum(self.FOUND.high_gbps, self.FOUND.wall_gbps))


class TestConformal:
    def test_one_campaign_gives_its_own_quantile(self) -> None:
        found = fit([campaign("one", [i / 100 for i in range(1, 101)])], 0.9)
        assert found.low[WINDOW] == pytest.approx(0.95)

    def test_each_campaign_counts_once_whatever_its_rows(self) -> None:
        # Half of the weight is the small campaign's: the quantile of 0.95 lies in its upper tenth.
        small, great = campaign("small", [1.0] * 10), campaign("great", [0.0] * 10_000)
        assert fit([small, great], 0.9).low[WINDOW] == 1
        assert fit([great], 0.9).low[WINDOW] == 0

    def test_a_regime_that_nobody_measured_keeps_its_bounds(self) -> None:
        found = fit([campaign("one", [0.3, 0.4])], 0.9)
        others = [code for code in range(len(REGIMES)) if code != WINDOW]
        assert not found.low[others].any()
        assert not found.high[others].any()

    def test_rows_inside_their_bounds_narrow_them_only_at_low_levels(self) -> None:
        inside = campaign("one", [-0.5] * 100)
        assert fit([inside], 0.9).low[WINDOW] == 0
        assert fit([inside], 0.5).low[WINDOW] == -0.5

    @given(st.lists(st.lists(st.floats(-2, 2), min_size=1, max_size=30), min_size=1, max_size=5))
    def test_a_greater_level_never_gives_less(self, campaigns: list[list[float]]) -> None:
        found = nested([campaign(str(at), rows) for at, rows in enumerate(campaigns)])
        rising = [found[level] for level in LEVELS]
        for less, more in pairwise(rising):
            assert (less.low <= more.low).all()
            assert (less.high <= more.high).all()

    @given(st.lists(st.floats(-2, 2), min_size=20, max_size=200), st.sampled_from(LEVELS))
    def test_the_interval_holds_the_share_of_its_own_rows(
        self, rows: list[float], level: float
    ) -> None:
        found = fit([campaign("one", rows)], level)
        scores = np.array(rows)
        inside = (scores <= found.low[WINDOW]) & (-scores <= found.high[WINDOW])
        assert inside.mean() >= level - 1e-9


def test_a_regime_names_what_decides() -> None:
    table = Table(3)
    found = table.answers().found
    classes = [table.kinds[kind].path_class for kind in table.columns.kind]
    for regime, path_class in zip(found.regime, classes, strict=True):
        name = REGIMES[regime]
        if name.endswith("-internal"):
            assert not path_class.leaves_vpc
        if name.endswith("-external"):
            assert path_class.leaves_vpc
        if name == "pod":
            assert path_class.is_pod
