"""Intervals: their ends, their levels, and how campaigns make the factors."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.throughput.batch import kind_limits, spread_columns
from netplan_planner.throughput.goodput.conformal import LEVELS, PHYSICAL, Scores, fit, nested
from netplan_planner.throughput.goodput.intervals import (
    REGIMES,
    WALL_RATIO,
    Factors,
    factors_at,
    interval,
)
from netplan_planner.throughput.single_row import single_row
from support.paths.queries import DAY, Table, path

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
            assert (factors_at(level).low >= PHYSICAL).all()
            assert (factors_at(level).high >= PHYSICAL).all()


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

    def test_a_factor_of_one_gives_the_physical_bounds(self) -> None:
        low, high = interval(self.FOUND, factors(1, 1))
        mean = self.FOUND.means.gbps
        # Bounds nearer than runs of one path lie to each other are not believed.
        expected = np.minimum(self.FOUND.low_gbps, mean / WALL_RATIO)
        np.testing.assert_allclose(low, expected, rtol=1e-12)
        most = np.fmax(self.FOUND.high_gbps, mean * WALL_RATIO)
        np.testing.assert_allclose(
            high, np.fmax(np.minimum(most, self.FOUND.wall_gbps), mean), rtol=1e-12
        )

    def test_they_are_scaled_and_never_fall_on_the_value(self) -> None:
        """A shift would swallow the near bounds of one path while it narrows those of another."""
        whole, half = (interval(self.FOUND, factors(x, x))[0] for x in (1.0, 0.5))
        mean = self.FOUND.means.gbps
        np.testing.assert_allclose(np.log(mean / half), np.log(mean / whole) / 2, atol=1e-12)
        assert (half < mean).all()


class TestConformal:
    def test_each_campaign_counts_once_whatever_its_rows(self) -> None:
        # Half of the weight is the small campaign's: the quantile of 0.95 lies in its upper tenth.
        small, great = campaign("small", [2.0] * 10), campaign("great", [0.5] * 10_000)
        assert fit([small, great], 0.9).low[WINDOW] == 2
        assert fit([great, great], 0.9).low[WINDOW] == PHYSICAL

    @pytest.mark.parametrize("level", LEVELS)
    def test_what_one_campaign_has_seen_keeps_its_bounds(self, level: float) -> None:
        for rows in ([0.1, 0.2], [5.0, 6.0]):
            found = fit([campaign("one", rows)], level)
            assert (found.low == PHYSICAL).all()
            assert (found.high == PHYSICAL).all()

    def test_rows_inside_their_bounds_narrow_them_only_at_low_levels(self) -> None:
        inside = [campaign(name, [0.4] * 100) for name in ("one", "other")]
        assert fit(inside, 0.9).low[WINDOW] == PHYSICAL
        assert fit(inside, 0.5).low[WINDOW] == pytest.approx(0.4)

    def test_below_90_per_cent_each_campaign_has_its_share_inside(self) -> None:
        """A quantile over both would leave one of them outside as a whole."""
        near, far = campaign("near", [0.1] * 100), campaign("far", [0.8] * 100)
        for level in (0.5, 0.8):
            assert fit([near, far], level).low[WINDOW] == pytest.approx(0.8)

    def test_no_level_goes_to_the_far_side_of_the_value(self) -> None:
        above = [campaign(name, [-0.5] * 100) for name in ("one", "other")]
        assert fit(above, 0.5).low[WINDOW] == 0

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
        found = fit([campaign("one", rows), campaign("other", rows)], level)
        scores = np.array(rows)
        inside = (scores <= found.low[WINDOW]) & (-scores <= found.high[WINDOW])
        assert inside.mean() >= level - 1e-9


class TestRegimes:
    @pytest.mark.parametrize(
        ("src", "dst", "regime"),
        [
            ("aws", "gcp", "window-own"),
            ("gcp", "aws", "window-foreign"),
            ("aws", "aws", "window-foreign"),
        ],
    )
    def test_a_window_is_the_receivers(self, src: str, dst: str, regime: str) -> None:
        query = path("internet", "n2-standard-8", rtt_ms=100.0)
        query = msgspec.structs.replace(
            query,
            src=msgspec.structs.replace(query.src, cloud=src),
            dst=msgspec.structs.replace(query.dst, cloud=dst, machine_type=None),
            as_of=DAY,
        )
        columns = single_row(query)[0]
        found = spread_columns([query], kind_limits([query]), columns)
        assert REGIMES[found.regime[0]] == regime


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
