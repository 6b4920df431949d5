"""The model against measurements: figures by hand, and the accuracy that it must keep."""

import csv
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from netplan_planner.errors import InputError
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.verbs.model import run
from netplan_planner.verbs.model.answer import Evaluation, GroupScore
from support.nightly import every
from support.paths.queries import DAY
from support.paths.tables import PLAIN, written
from support.projects.shared_data import needs_shared, shared

AS_OF = date(2026, 11, 22)
Mask = NDArray[np.bool_]


def measured(
    value: list[float],
    gbps: list[float],
    low: list[float],
    high: list[float],
    caps: list[float] | None = None,
    lookup: list[float] | None = None,
) -> run.Measured:
    """Return rows of one source, class and family."""
    count = len(value)
    unknown = [np.nan] * count
    return run.Measured(
        value_gbps=np.array(value),
        gbps=np.array(gbps),
        low_gbps=np.array(low),
        high_gbps=np.array(high),
        caps_gbps=np.array(caps or unknown),
        lookup_gbps=np.array(lookup or unknown),
        binding=np.zeros(count, dtype=np.int8),
        source=np.array(["s"] * count),
        path_class=np.array(["c"] * count),
        family=np.array(["f"] * count),
    )


def only(found: Evaluation) -> GroupScore:
    (score,) = found.by_source
    assert found.by_path_class[0].row_count == found.by_machine_family[0].row_count
    return score


class TestFigures:
    def test_errors_coverage_width_and_score_by_hand(self) -> None:
        rows = measured(
            value=[10.0, 8.0, 5.0, 2.0],
            gbps=[9.0, 10.0, 5.0, 2.0],
            low=[8.0, 9.0, 4.0, 1.0],
            high=[10.0, 11.0, 6.0, 1.5],
            caps=[20.0, 10.0, np.nan, np.nan],
            lookup=[np.nan, 6.0, np.nan, np.nan],
        )
        score = only(run.summary(rows, 0.9))
        # |9/10 - 1|, |10/8 - 1|, 0, 0.
        assert score.median_error_ratio == pytest.approx(0.05)
        assert score.p90_error_ratio == pytest.approx(0.1 + 0.7 * 0.15)
        assert (score.coverage_ratio, score.below_ratio, score.above_ratio) == (0.5, 0.25, 0.25)
        assert score.mean_width_gbps == pytest.approx((2 + 2 + 2 + 0.5) / 4)
        # Missed by 1 and by 0.5, times 2 over the tenth that the level allows.
        assert score.interval_score_gbps == pytest.approx(1.625 + 20 * 1.5 / 4)
        assert score.caps_median_error_ratio == pytest.approx((1.0 + 0.25) / 2)
        assert score.lookup_count == 1
        assert score.lookup_median_error_ratio == pytest.approx(0.25)

    def test_unknown_rows_are_counted_and_not_scored(self) -> None:
        rows = measured([10.0, 10.0], [9.0, np.nan], [8.0, np.nan], [11.0, np.nan])
        score = only(run.summary(rows, 0.9))
        assert (score.row_count, score.known_count) == (2, 1)
        assert score.coverage_ratio == 1
        # A group without any answer has no figures.
        score = only(run.summary(measured([10.0], [np.nan], [np.nan], [np.nan]), 0.9))
        assert score.known_count == 0
        assert score.median_error_ratio is score.coverage_ratio is None
        # Rows without a measured value are left out and counted.
        rows = measured([10.0, 0.0, np.nan], [9.0] * 3, [8.0] * 3, [11.0] * 3)
        found = run.summary(rows, 0.9)
        assert (found.row_count, found.unused_count) == (3, 2)
        assert only(found).row_count == 1

    def test_where_every_row_is_outside_its_interval_none_is_inside(self) -> None:
        # 4 of 5 below and 1 above: 1 - 0.8 - 0.2 is -5.6e-17.
        rows = measured([1.0] * 4 + [9.0], [5.0] * 5, [4.0] * 5, [6.0] * 5)
        score = only(run.summary(rows, 0.9))
        assert (score.coverage_ratio, score.below_ratio, score.above_ratio) == (0, 0.8, 0.2)
        assert score.single_width_gbps == pytest.approx(5 * (9 / 5 - 5 / 9))

    def test_the_single_width_is_one_factor_or_one_distance_for_all_rows(self) -> None:
        rows = measured([1.1, 9.0, 10.0], [1.0, 10.0, 10.0], [0.0] * 3, [20.0] * 3)
        # All rows covered: a factor of 1.111, or a distance of 1 on both sides.
        factor = 10 / 9
        widths = np.array([1.0, 10.0, 10.0]) * (factor - 1 / factor)
        assert only(run.summary(rows, 0.9)).single_width_gbps == pytest.approx(
            min(widths.mean(), 2)
        )


class TestTable:
    def test_the_shipped_model_scores_a_file(self, tmp_path: Path) -> None:
        rows = [PLAIN | {"value": "6.9", "source": "mine"}, PLAIN | {"value": "", "source": "mine"}]
        found, table = run.evaluated(written(tmp_path / "t.csv", *rows), as_of=DAY, level=0.9)
        assert (found.row_count, found.unused_count) == (2, 1)
        assert found.by_source[0].group == "mine, sender gcp"
        (path,) = found.by_path
        assert path.group == f"mine, sender gcp, {PLAIN['path_class']}"
        assert found.by_machine_family[0].group == "n2"
        assert table.caps_gbps.tolist() == [7, 7]

    def test_the_look_up_takes_the_newest_earlier_campaign(self, tmp_path: Path) -> None:
        pair = {"src_location": "gcp:us-east1-b", "dst_location": "gcp:us-west1-a"}
        rows = [
            PLAIN | pair | {"source": name, "date": day, "value": value}
            for name, day, value in (
                ("first", "2020-01-01", "1"),
                ("second", "2021-01-01", "2"),
                ("second", "2021-01-01", "4"),
                ("third", "2022-01-01", "5"),
            )
        ]
        _, found = run.evaluated(written(tmp_path / "t.csv", *rows), as_of=DAY, level=0.9)
        np.testing.assert_array_equal(found.lookup_gbps, [np.nan, 1, 1, 3])

    def test_rows_that_only_their_own_campaign_states_are_not_scored(self, tmp_path: Path) -> None:
        row = PLAIN | {"streams": "1", "value": "0.6", "rtt_ms": "0.1"}
        old = {"machine_type": "n1-standard-4", "path_class": "same-zone-external"}
        small = {"machine_type": "n1-standard-2", "path_class": "same-zone-internal"}
        rows = [
            row | old | {"date": "2015-03-17", "source": "pkb-issue-175"},
            row | old | {"date": "2015-03-17", "source": "mine"},
            row | small | {"date": "2020-07-01", "source": "pkb-tutorial-inter-region"},
        ]
        asked = written(tmp_path / "t.csv", *rows)
        whole, _ = run.evaluated(asked, as_of=DAY, level=0.9)
        assert [one.known_count for one in whole.by_source] == [1, 1, 1]
        assert whole.not_scored == ()
        found, table = run.evaluated_left_out(asked, as_of=DAY, level=0.9)
        assert np.isnan(table.gbps).tolist() == [True, False, True]
        assert [(one.source, one.row_count) for one in found.not_scored] == [
            ("pkb-issue-175", 1),
            ("pkb-tutorial-inter-region", 1),
        ]
        assert found.not_scored[0].reason.startswith("no other source states same-zone-external")
        assert "n1-standard-2 on 2020-07-01" in found.not_scored[1].reason

    @pytest.mark.parametrize(
        ("rows", "said"),
        [
            ([PLAIN], "no column value"),
            ([PLAIN | {"value": ""}], "no row has a measured value"),
            ([PLAIN | {"value": "fast"}], "row 1: value is 'fast'"),
        ],
    )
    def test_what_cannot_be_scored_is_refused(
        self, tmp_path: Path, rows: list[dict[str, str]], said: str
    ) -> None:
        with pytest.raises(InputError, match=said):
            run.evaluated(written(tmp_path / "t.csv", *rows), as_of=DAY, level=0.9)


@cache
def columns() -> tuple[Evaluation, run.Measured, dict[str, NDArray[np.str_]]]:
    """Return the left-out evaluation of the shared measurements, and their columns as text."""
    path = shared("data/measurements/public_measurements.csv")
    found, rows = run.evaluated_left_out(path, as_of=AS_OF, level=0.9)
    with path.open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    return found, rows, {name: np.array([row[name] for row in cells]) for name in cells[0]}


def number(name: str) -> NDArray[np.float64]:
    cells = columns()[2][name]
    return np.where(cells == "", "nan", cells).astype(float)


def errors(which: Mask) -> NDArray[np.float64]:
    rows = columns()[1]
    found: NDArray[np.float64] = np.abs(rows.gbps / rows.value_gbps - 1)[which]
    assert not np.isnan(found).any()
    return found


@needs_shared
class TestAccuracy:
    """The targets; constants come from documents, physics, or other campaigns."""

    @pytest.mark.parametrize(
        ("clouds", "row_count", "target"),
        [("gcp", 2214, 0.06), ("gcp>aws", 960, 0.09), ("gcp>azure", 651, 0.05)],
    )
    def test_the_grid_of_29_january(self, clouds: str, row_count: int, target: float) -> None:
        cells = columns()[2]
        which = (cells["source"] == "skyplane-grid-2022-01-29") & (cells["cloud"] == clouds)
        found = errors(which & ~np.isnan(number("rtt_ms")))
        assert len(found) == row_count
        assert np.median(found) < target

    def test_window_bound_single_streams(self) -> None:
        cells = columns()[2]
        which = (cells["source"] == "cloudpilot-2021") & (cells["cloud"] == "gcp")
        found = errors(which & (number("rtt_ms") >= 30))
        assert len(found) > 1000
        assert np.median(found) < 0.015
        assert np.quantile(found, 0.9) < 0.04

    def test_the_private_grid_does_not_become_a_constant(self) -> None:
        # It behaves as if the cap of 32 were 19: the value stays at the documents, the interval
        # reaches down to it.
        cells, rows = columns()[2], columns()[1]
        which = (cells["source"] == "skyplane-gcp-2022-04-20") & (number("rtt_ms") < 20)
        assert np.median(rows.gbps[which]) > 25
        assert (rows.low_gbps[which] < 19).all()


UNSURE_CAPS = {
    "cockroach-cloud-report-2019": "n1-standard-16 has 16 or 32 by a CPU platform that is not told",
    "doit-intercloud-2022-02": "e2-small has 1 or 2: Google's own pages contradict each other",
}


@needs_shared
class TestLeftOutIntervals:
    def test_every_campaign_is_covered_by_the_others(self) -> None:
        scores = [
            score
            for score in columns()[0].by_source
            if score.group.endswith("sender gcp") and score.known_count >= 50
        ]
        assert len(scores) >= 6
        coverage = {score.group: score.coverage_ratio or 0.0 for score in scores}
        # Single streams whose window or cap nobody told hold more: each case is inside.
        in_cases = {"cloudpilot-2021, sender gcp", "doit-intercloud-2022-02, sender gcp"}
        most = {name: 0.99 if name in in_cases else 0.95 for name in coverage}
        outside = {n: c for n, c in coverage.items() if not 0.85 <= round(c, 3) <= most[n]}
        assert outside == {}
        too_wide = [
            score.group
            for score in scores
            if (score.mean_width_gbps or 0.0) >= (score.single_width_gbps or 0.0)
        ]
        # Of 2014 nothing is left when that campaign is: neither caps nor what a core carried.
        assert too_wide == ["pkb-samples-2014, sender gcp"]

    def test_no_interval_ends_above_a_documented_cap(self) -> None:
        rows = columns()[1]
        is_sure = ~np.isnan(rows.gbps) & ~np.isnan(rows.caps_gbps)
        for source, why in UNSURE_CAPS.items():
            is_unsure = np.char.startswith(rows.source, source)
            assert (rows.high_gbps > 1.02 * rows.caps_gbps)[is_unsure].any(), why
            is_sure &= ~is_unsure
        assert is_sure.sum() > 8000
        highest = 1.02 * rows.caps_gbps[is_sure]
        assert (rows.high_gbps[is_sure] <= highest * (1 + 1e-12)).all()

    def test_the_shipped_factors_are_close_to_those_of_the_others(self) -> None:
        path = shared("data/measurements/public_measurements.csv")
        shipped, _ = run.evaluated(path, as_of=AS_OF, level=0.9)
        left_out = {score.group: score for score in columns()[0].by_source}
        for score in shipped.by_source:
            other = left_out[score.group].coverage_ratio
            if score.known_count >= 50 and score.coverage_ratio and other:
                assert score.coverage_ratio >= other - 0.02


def wall() -> Mask:
    """Return rows whose goodput lies within 3 % of a cap that was documented in their day.

    Without the campaigns whose figures are left out here: what one core of that year carries is
    then known of earlier years only.
    """
    rows, cells = columns()[1], columns()[2]
    is_left_out = np.isin(cells["source"], ("pkb-samples-2014", "cockroach-cloud-report-2019"))
    return np.asarray(np.abs(rows.value_gbps / rows.caps_gbps - 1) <= 0.03) & ~is_left_out


def window() -> Mask:
    """Return rows of one stream over 30 ms and more, default buffers, under half the cap."""
    cells, rows = columns()[2], columns()[1]
    is_default = np.char.find(cells["note"], "rmem") < 0
    is_single = is_default & (number("streams") == 1) & (number("rtt_ms") >= 30)
    return np.asarray(is_single & (rows.value_gbps < rows.caps_gbps / 2))


def ramp() -> Mask:
    """Return rows of 64 streams, 5 s and 100 ms or more."""
    is_run = (number("streams") == 64) & (number("duration_s") == 5)
    return np.asarray(is_run & (number("rtt_ms") >= 100))


REGIMES: dict[str, tuple[Callable[[], Mask], frozenset[str], int]] = {
    "wall": (wall, frozenset({"vm-egress", "external-egress", "external-flow"}), 450),
    "window": (window, frozenset({"window-over-rtt"}), 2500),
    "ramp": (ramp, frozenset({"slow-start-ramp"}), 4000),
}


def right_of(regime: str) -> Mask:
    """Return whether the limit that binds is named right, for each plain row of a regime."""
    chosen, names, least_count = REGIMES[regime]
    rows, cells = columns()[1], columns()[2]
    which = chosen() & np.char.startswith(cells["cloud"], "gcp") & ~np.isnan(rows.gbps)
    assert which.sum() >= least_count
    return np.isin(rows.binding[which], [LIMITS.index(name) for name in names])


@needs_shared
class TestLevels:
    @pytest.mark.parametrize("level", every(2, [0.5, 0.8]))
    def test_a_lower_level_covers_what_it_says(self, level: float) -> None:
        path = shared("data/measurements/public_measurements.csv")
        found, _ = run.evaluated_left_out(path, as_of=AS_OF, level=level)
        scores = [one for one in found.by_source if one.known_count >= 50]
        assert min(one.coverage_ratio or 0.0 for one in scores) >= level - 0.03
        for one in found.by_path:
            assert (one.coverage_ratio or 0.0) >= level / 2 or one.known_count < 50

    def test_single_streams_of_2024_that_say_what_they_are(self) -> None:
        path = shared("data/measurements/single_stream_2024.csv")
        _, rows = run.evaluated_left_out(path, as_of=AS_OF, level=0.9)
        with path.open(encoding="utf-8", newline="") as file:
            notes = np.array([row["note"] for row in csv.DictReader(file)])
        is_long = ~np.char.startswith(notes, "message 131072 B")
        told = np.char.find(notes, "Tier_1 and buffers not stated") < 0
        error = np.abs(rows.gbps / rows.value_gbps - 1)
        assert np.median(error[told & is_long]) < 0.06
        is_inside = (rows.low_gbps <= rows.value_gbps) & (rows.value_gbps <= rows.high_gbps)
        assert is_inside[told].mean() > 0.85
        # Without MTU, tier and buffers the value does not fit: a probe must tell them. The interval
        # holds the case of packets that pass a core one by one.
        assert np.median(error[~told]) > 1
        assert is_inside[~told].mean() > 0.95


@needs_shared
class TestBindingLimit:
    @pytest.mark.parametrize("regime", REGIMES)
    def test_it_is_right_in_each_plain_regime(self, regime: str) -> None:
        assert right_of(regime).mean() >= 0.95

    def test_it_is_right_in_all(self) -> None:
        assert np.concatenate([right_of(regime) for regime in REGIMES]).mean() >= 0.95
