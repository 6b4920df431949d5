"""Intervals: their ends, their levels, and how campaigns make the factors."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import PathQuery
from netplan_planner.throughput.batch import kind_limits, spread_columns
from netplan_planner.throughput.goodput import intervals
from netplan_planner.throughput.goodput.conformal import LEVELS, PHYSICAL, Scores, fit, nested
from netplan_planner.throughput.single_row import single_row
from support.paths.queries import DAY, Table, path

LEVEL = st.floats(0.5, 0.99)
INSIDE = intervals.PLACES.index("internal")


def factors(low: float, high: float) -> intervals.Factors:
    return intervals.Factors(
        np.full(len(intervals.PLACES), low), np.full(len(intervals.PLACES), high)
    )


def campaign(name: str, below: list[float], place: int = INSIDE) -> Scores:
    """Return scores of one place; what lies above is the mirror of what lies below."""
    scores = np.array(below)
    return Scores(name, np.full(len(below), place, dtype=np.int8), scores, -scores)


class TestFactors:
    def test_those_of_the_table(self) -> None:
        for level in LEVELS:
            found = intervals.factors_at(level)
            assert found.low.shape == found.high.shape == (len(intervals.PLACES),)
            assert np.isfinite([found.low, found.high]).all()
            # From 90 per cent on bounds are never narrowed.
            assert level < 0.9 or (np.array([found.low, found.high]) >= PHYSICAL).all()

    def test_between_two_levels_it_lies_between(self) -> None:
        low, middle, high = (intervals.factors_at(level).low for level in (0.8, 0.85, 0.9))
        np.testing.assert_allclose(middle, (low + high) / 2)

    @given(LEVEL, LEVEL)
    def test_a_greater_level_is_never_narrower(self, one: float, other: float) -> None:
        less, more = sorted((one, other))
        small, great = intervals.factors_at(less), intervals.factors_at(more)
        assert (small.low <= great.low + 1e-12).all()
        assert (small.high <= great.high + 1e-12).all()

    @pytest.mark.parametrize("level", [0.0, 0.49, 0.991, 1.0, np.nan])
    def test_a_level_outside_of_the_table_is_refused(self, level: float) -> None:
        with pytest.raises(ValueError, match="a level is between"):
            intervals.factors_at(level)


class TestEnds:
    FOUND = Table(1).answers().found

    @given(st.floats(-3, 3), st.floats(-3, 3))
    def test_whatever_the_factors_the_value_is_inside_and_no_wall_is_passed(
        self, low: float, high: float
    ) -> None:
        ends = intervals.interval(self.FOUND, factors(low, high))
        mean = self.FOUND.means.gbps
        assert (ends[0] <= mean).all()
        assert (mean <= ends[1]).all()
        assert (ends[1] <= np.fmax(self.FOUND.wall_gbps, mean)).all()

    def test_a_factor_of_one_gives_the_physical_bounds(self) -> None:
        low, high = intervals.interval(self.FOUND, factors(1, 1))
        mean = self.FOUND.means.gbps
        # Bounds nearer than runs of one path lie to each other are not believed.
        assert (self.FOUND.low_gbps <= mean / intervals.WALL_RATIO * (1 + 1e-12)).all()
        np.testing.assert_allclose(low, self.FOUND.low_gbps, rtol=1e-12)
        most = self.FOUND.high_gbps
        np.testing.assert_allclose(
            high, np.fmax(np.minimum(most, self.FOUND.wall_gbps), mean), rtol=1e-12
        )

    def test_a_share_goes_part_of_the_way_from_the_outer_case_to_the_bound(self) -> None:
        nothing, half, whole = (
            intervals.interval(self.FOUND, factors(x, x))[0] for x in (0.0, 0.5, 1.0)
        )
        np.testing.assert_allclose(nothing, self.FOUND.case_low_gbps, rtol=1e-12)
        np.testing.assert_allclose(half, np.sqrt(nothing * whole), rtol=1e-12)

    def test_beyond_the_bound_no_distance_between_cases_is_stretched(self) -> None:
        """What campaigns missed their bounds by is added alike, however far cases lie apart."""
        whole, beyond = (intervals.interval(self.FOUND, factors(x, x))[0] for x in (1.0, 1.25))
        np.testing.assert_allclose(np.log(whole / beyond), 0.25, atol=1e-12)

    def test_a_rate_at_an_end_has_the_factor_of_that_end(self) -> None:
        for factor in (0.0, 0.4, 1.0, 1.3):
            low = intervals.interval(self.FOUND, factors(factor, factor))[0]
            below, _ = intervals.distances(self.FOUND, low)
            np.testing.assert_allclose(below, factor, atol=1e-9)


class TestConformal:
    def test_each_campaign_counts_once_whatever_its_rows(self) -> None:
        # Half of the weight is the small campaign's: the quantile of 0.95 lies in its upper tenth.
        small, great = campaign("small", [2.0] * 10), campaign("great", [0.5] * 10_000)
        assert fit([small, great], 0.9).low[INSIDE] == 2
        assert fit([great, great], 0.9).low[INSIDE] == PHYSICAL

    @pytest.mark.parametrize("level", LEVELS)
    def test_what_one_campaign_or_few_rows_have_seen_keeps_its_bounds(self, level: float) -> None:
        for rows in ([0.1] * 20, [5.0] * 20):
            found = fit([campaign("one", rows), campaign("few", rows[:9])], level)
            assert (found.low == PHYSICAL).all()
            assert (found.high == PHYSICAL).all()

    def test_rows_inside_their_bounds_narrow_them_only_at_low_levels(self) -> None:
        inside = [campaign(name, [0.4] * 100) for name in ("one", "other")]
        assert fit(inside, 0.9).low[INSIDE] == PHYSICAL
        assert fit(inside, 0.5).low[INSIDE] == pytest.approx(0.4)

    def test_below_90_per_cent_each_campaign_has_its_share_inside(self) -> None:
        """A quantile over both would leave one of them outside as a whole."""
        near, far = campaign("near", [0.1] * 100), campaign("far", [0.8] * 100)
        for level in (0.5, 0.8):
            assert fit([near, far], level).low[INSIDE] == pytest.approx(0.8)

    def test_campaigns_on_the_far_side_of_their_values_tell_nothing_of_this_one(self) -> None:
        above = [campaign(name, [-0.5] * 100) for name in ("one", "other")]
        assert fit(above, 0.5).low[INSIDE] == PHYSICAL
        assert fit([*above, campaign("near", [0.2] * 100)], 0.5).low[INSIDE] == pytest.approx(0.2)

    def test_rows_between_the_cases_of_an_unknown_input_are_no_scatter(self) -> None:
        far = campaign("far", [3.0] * 100)
        between = far._replace(below=np.full(100, np.nan))
        near = [campaign(name, [0.1] * 100) for name in ("one", "other")]
        assert fit([*near, between], 0.5).low[INSIDE] == fit(near, 0.5).low[INSIDE]
        assert fit([*near, far], 0.5).low[INSIDE] == 3

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
        inside = (scores <= found.low[INSIDE]) & (-scores <= found.high[INSIDE])
        assert inside.mean() >= level - 1e-9


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
        assert intervals.PLACES[found.place[0]] == place


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


def answered(query: PathQuery) -> intervals.Spread:
    """Return the value of a path with its cases and bounds."""
    dated = msgspec.structs.replace(query, as_of=DAY)
    return spread_columns([dated], kind_limits([dated]), single_row(dated)[0])
