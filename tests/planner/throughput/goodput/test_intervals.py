"""Intervals: their ends, their levels, and how campaigns make the factors."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import PathQuery
from netplan_planner.throughput.batch import kind_limits, spread_columns
from netplan_planner.throughput.goodput.conformal import LEVELS, PHYSICAL, Scores, fit, nested
from netplan_planner.throughput.goodput.intervals import (
    PLACES,
    WALL_RATIO,
    Factors,
    Spread,
    distances,
    factors_at,
    interval,
)
from netplan_planner.throughput.single_row import single_row
from support.paths.queries import DAY, Table, path

LEVEL = st.floats(0.5, 0.99)
INSIDE = PLACES.index("internal")


def factors(scatter: float) -> Factors:
    return Factors(*np.full((2, len(PLACES)), scatter))


def campaign(name: str, distances: list[float], place: int = INSIDE) -> Scores:
    """Return scores of one place, alike at both ends."""
    ends = np.array(distances)
    return Scores(name, np.full(len(distances), place, dtype=np.int8), ends, ends)


def one_sided(name: str, below: list[float]) -> Scores:
    """Return scores of rows that all lie below their values."""
    found = campaign(name, below)
    return found._replace(above=-found.below)


def factor(campaigns: list[Scores], level: float) -> float:
    """Return the factor of that place, the same at both ends."""
    below, above = (float(end[INSIDE]) for end in fit(campaigns, level)[:2])
    assert below == above
    return below


class TestFactors:
    def test_a_level_of_the_table_is_its_row(self) -> None:
        for level in LEVELS:
            found = factors_at(level)
            for end in (found.below, found.above):
                assert end.shape == (len(PLACES),)
                assert np.isfinite(end).all()

    def test_between_two_levels_it_lies_between(self) -> None:
        low, middle, high = (factors_at(level) for level in (0.8, 0.85, 0.9))
        np.testing.assert_allclose(middle.below, (low.below + high.below) / 2)
        np.testing.assert_allclose(middle.above, (low.above + high.above) / 2)

    @given(LEVEL, LEVEL)
    def test_a_greater_level_is_never_narrower(self, one: float, other: float) -> None:
        less, more = sorted((one, other))
        small, great = factors_at(less), factors_at(more)
        assert (small.below <= great.below + 1e-12).all()
        assert (small.above <= great.above + 1e-12).all()

    @pytest.mark.parametrize("level", [0.0, 0.49, 0.991, 1.0, np.nan])
    def test_a_level_outside_of_the_table_is_refused(self, level: float) -> None:
        with pytest.raises(ValueError, match="a level is between"):
            factors_at(level)

    def test_from_90_per_cent_on_bounds_are_never_narrowed(self) -> None:
        for level in (0.9, 0.95, 0.99):
            found = factors_at(level)
            assert (found.below >= PHYSICAL).all()
            assert (found.above >= PHYSICAL).all()


class TestEnds:
    FOUND = Table(1).answers().found

    @given(st.floats(-3, 3))
    def test_whatever_the_factor_the_value_is_inside_and_no_wall_is_passed(
        self, scatter: float
    ) -> None:
        ends = interval(self.FOUND, factors(scatter))
        mean = self.FOUND.means.gbps
        assert (ends[0] <= mean).all()
        assert (mean <= ends[1]).all()
        assert (ends[1] <= np.fmax(self.FOUND.wall_gbps, mean)).all()

    def test_a_factor_of_one_gives_the_physical_bounds(self) -> None:
        low, high = interval(self.FOUND, factors(1))
        mean = self.FOUND.means.gbps
        # Bounds nearer than runs of one path lie to each other are not believed.
        assert (self.FOUND.low_gbps <= mean / WALL_RATIO * (1 + 1e-12)).all()
        np.testing.assert_allclose(low, self.FOUND.low_gbps, rtol=1e-12)
        most = self.FOUND.high_gbps
        np.testing.assert_allclose(
            high, np.fmax(np.minimum(most, self.FOUND.wall_gbps), mean), rtol=1e-12
        )

    def test_a_share_goes_part_of_the_way_from_the_outer_case_to_the_bound(self) -> None:
        nothing, half, whole = (interval(self.FOUND, factors(x))[0] for x in (0.0, 0.5, 1.0))
        np.testing.assert_allclose(nothing, self.FOUND.case_low_gbps, rtol=1e-12)
        np.testing.assert_allclose(half, np.sqrt(nothing * whole), rtol=1e-12)

    def test_beyond_the_bound_no_distance_between_cases_is_stretched(self) -> None:
        """What campaigns missed their bounds by is added alike, however far cases lie apart."""
        whole, beyond = (interval(self.FOUND, factors(x))[0] for x in (1.0, 1.25))
        np.testing.assert_allclose(np.log(whole / beyond), 0.25, atol=1e-12)

    def test_a_rate_at_an_end_has_the_factor_of_that_end(self) -> None:
        for scatter in (0.0, 0.4, 1.0, 1.3):
            low = interval(self.FOUND, factors(scatter))[0]
            below, _ = distances(self.FOUND, low)
            np.testing.assert_allclose(below, scatter, atol=1e-9)


class TestConformal:
    def test_each_campaign_counts_once_whatever_its_rows(self) -> None:
        # Half of the weight is the small campaign's: the quantile of 0.9 lies in its upper fifth.
        small, great = campaign("small", [2.0] * 10), campaign("great", [0.5] * 10_000)
        assert factor([small, great], 0.9) == 2
        assert factor([great, great], 0.9) == PHYSICAL

    def test_without_campaigns_a_level_is_a_share_of_bounds_that_hold_90_per_cent(self) -> None:
        few = campaign("few", [0.1] * 9)
        for level in (0.5, 0.8):
            assert factor([], level) == factor([few], level) == pytest.approx(level / 0.9, abs=2e-3)
        for level in (0.9, 0.95, 0.99):
            assert factor([], level) == PHYSICAL

    def test_from_90_per_cent_on_one_campaign_proves_nothing(self) -> None:
        for rows in ([0.1] * 20, [5.0] * 20):
            assert factor([campaign("one", rows)], 0.9) == PHYSICAL

    def test_rows_inside_their_bounds_narrow_them_only_at_low_levels(self) -> None:
        inside = [campaign(name, [0.4] * 100) for name in ("one", "other")]
        assert factor(inside, 0.9) == PHYSICAL
        assert factor(inside, 0.5) == pytest.approx(0.4)

    def test_the_next_campaign_is_like_one_of_those_or_like_none(self) -> None:
        """Of four parts with one weight three have all rows inside 0.2: 0.75, and physics more."""
        seen = [campaign(name, [0.2] * 100) for name in ("one", "other", "third")]
        assert factor(seen, 0.8) == pytest.approx((2 * 4 * (0.9 - 0.75) - 1) / 0.9, abs=3e-3)
        assert factor(seen, 0.875) > factor(seen, 0.85) > factor([*seen, *seen], 0.85)

    def test_below_90_per_cent_rows_on_one_side_narrow_the_other_end(self) -> None:
        seen = [one_sided(name, [0.6] * 100) for name in ("one", "other", "third")]
        low_level, high_level = fit(seen, 0.5), fit(seen, 0.9)
        assert low_level.below[INSIDE] == 0.6
        assert low_level.above[INSIDE] == 0
        assert high_level.below[INSIDE] == high_level.above[INSIDE] == PHYSICAL

    def test_campaigns_that_miss_their_bounds_widen_them_at_every_level(self) -> None:
        far = [campaign(name, [3.0] * 100) for name in ("one", "other")]
        assert [factor(far, level) for level in LEVELS] == [3.0] * len(LEVELS)

    def test_rows_between_cases_need_no_scatter(self) -> None:
        between = [campaign(name, [-0.5] * 100) for name in ("one", "other")]
        assert factor(between, 0.5) == 0

    def test_rows_of_which_an_input_is_open_are_no_scatter(self) -> None:
        far = campaign("far", [3.0] * 100)
        is_open = far._replace(below=np.full(100, np.nan), above=np.full(100, np.nan))
        near = [campaign(name, [0.1] * 100) for name in ("one", "other")]
        assert factor([*near, is_open], 0.5) == factor(near, 0.5)
        assert factor([*near, far], 0.8) > factor(near, 0.8)

    @given(st.lists(st.lists(st.floats(-2, 2), min_size=1, max_size=30), min_size=1, max_size=5))
    def test_a_greater_level_never_gives_less(self, campaigns: list[list[float]]) -> None:
        found = nested([campaign(str(at), rows) for at, rows in enumerate(campaigns)])
        rising = [found[level] for level in LEVELS]
        for less, more in pairwise(rising):
            assert (less.below <= more.below).all()
            assert (less.above <= more.above).all()

    @given(
        st.lists(st.lists(st.floats(-2, 2), min_size=10, max_size=99), min_size=2, max_size=6),
        st.sampled_from(LEVELS),
    )
    def test_the_interval_holds_the_share_of_all_rows_with_those_of_physics(
        self, campaigns: list[list[float]], level: float
    ) -> None:
        found = factor([campaign(str(at), rows) for at, rows in enumerate(campaigns)], level)
        inside = [float((np.array(rows) <= found).mean()) for rows in campaigns]
        if level < 0.9:
            # Of an end: half of the rows of physics lie at the other one.
            inside.append((1 + 0.9 * found) / 2 if found <= 1 else 0.95)
            level = 0.5 + level / 2
        assert np.mean(inside) >= level - 1e-9


class TestPlaces:
    @pytest.mark.parametrize(
        ("path_class", "src", "dst", "place"),
        [
            ("inter-region-internal", "gcp", "gcp", "internal"),
            ("inter-region-external", "gcp", "gcp", "external"),
            ("same-zone-internal-pod", "gcp", "gcp", "pod"),
            ("internet", "aws", "gcp", "foreign"),
            ("internet", "gcp", "aws", "foreign"),
        ],
    )
    def test_it_is_where_the_path_runs(
        self, path_class: str, src: str, dst: str, place: str
    ) -> None:
        query = path(path_class, "n2-standard-8", rtt_ms=100.0)
        query = msgspec.structs.replace(
            query,
            src=msgspec.structs.replace(query.src, cloud=src),
            dst=msgspec.structs.replace(query.dst, cloud=dst),
            as_of=DAY,
        )
        found = spread_columns([query], kind_limits([query]), single_row(query)[0])
        assert PLACES[found.place[0]] == place


class TestCases:
    def test_a_path_of_which_all_is_told_is_one_case(self) -> None:
        told = {"window_bytes": 2**22, "send_buffer_bytes": 2**22, "streams": 1}
        found = answered(path("inter-region-external", "n2-standard-8", **told))
        np.testing.assert_allclose(found.case_low_gbps, found.means.gbps)
        np.testing.assert_allclose(found.case_high_gbps, found.means.gbps)

    def test_a_window_that_nobody_told_reaches_from_case_to_case(self) -> None:
        found = answered(path("internet", "n2-standard-8", window_bytes=None, rtt_ms=200.0))
        assert found.case_low_gbps < 0.6 * found.means.gbps
        assert found.case_high_gbps > 1.5 * found.means.gbps


def answered(query: PathQuery) -> Spread:
    """Return the value of a path with its cases and bounds."""
    dated = msgspec.structs.replace(query, as_of=DAY)
    return spread_columns([dated], kind_limits([dated]), single_row(dated)[0])
