"""What the forecast of a series takes from it, and what it does not claim."""

from datetime import UTC, datetime

import numpy as np
import pytest

from netplan_planner.model.evidence.traffic import RateBins
from netplan_planner.verbs.forecast.foresee import LEAST_DAYS, foresee
from netplan_planner.verbs.forecast.series import busy_weeks, days_of, reach, week_ratios
from support.forecasts.made import series
from support.known import known

START = datetime(2026, 8, 3, tzinfo=UTC)


def bins(rates: list[float | None], bin_s: float = 3600.0) -> RateBins:
    return RateBins(start=START, bin_s=bin_s, gbps=tuple(rates))


def test_too_few_days_give_no_forecast() -> None:
    rates = np.ones(LEAST_DAYS)
    assert foresee(rates[1:], 28, 0.9) is None
    rates = np.append(rates, np.nan)
    rates[3] = np.nan
    assert foresee(rates, 28, 0.9) is None


@pytest.mark.parametrize("factor", [1e-6, 3.0, 1e6])
def test_scaling_the_series_scales_the_forecast(factor: float) -> None:
    days = series("ratio", 56, 0, np.random.default_rng(1))
    one, other = foresee(days, 28, 0.9), foresee(days * factor, 28, 0.9)
    assert one is not None
    assert other is not None
    np.testing.assert_allclose(other.line, one.line * factor, rtol=1e-6)
    np.testing.assert_allclose(other.draws, one.draws * factor, rtol=1e-6)
    np.testing.assert_allclose(tuple(other.growth), tuple(one.growth), rtol=1e-6)


def test_a_higher_level_is_wider() -> None:
    days = series("lingering", 56, 0, np.random.default_rng(2))
    found = [foresee(days, 28, level) for level in (0.5, 0.8, 0.9, 0.99)]
    spans = [one.growth.high - one.growth.low for one in found if one is not None]
    assert spans == sorted(spans)
    assert len(set(spans)) == 4


def test_a_series_that_is_silent_for_days_or_ever_has_a_forecast() -> None:
    found = known(foresee(np.zeros(30), 14, 0.9))
    assert not found.line.any()
    assert not found.draws.any()
    assert not found.is_growing
    # A series with idle days has a forecast.
    days = np.tile([1.0, 1.2, 1.1, 0.9, 1.0, 0.0, 0.0], 8)
    found = known(foresee(days, 14, 0.9))
    np.testing.assert_allclose(found.line[:7], days[:7], atol=0.05)


def test_an_outage_is_set_aside_and_a_step_is_found() -> None:
    days = series("outage", 56, 0, np.random.default_rng(4))
    found = known(foresee(days, 14, 0.9))
    low = set(np.flatnonzero(days < 0.3).tolist())
    assert low <= set(found.exceptions)
    days = series("level", 84, 0, np.random.default_rng(4))
    days[40:] *= 2
    found = known(foresee(days, 14, 0.9))
    (step,) = found.steps
    assert abs(step - 40) <= 1
    assert found.line.mean() == pytest.approx(days[40:].mean(), rel=0.15)


def test_an_unknown_hour_is_filled_by_the_shape_and_never_0() -> None:
    shape = [1.0 + (hour in range(9, 17)) for hour in range(24)]
    rates: list[float | None] = list(shape * 20)
    whole = days_of(bins(rates)).mean
    # An unknown busy hour, and unknown night hours.
    rates[24 * 5 + 10] = None
    rates[24 * 6 + 1 : 24 * 6 + 4] = [None] * 3
    found = days_of(bins(rates))
    np.testing.assert_allclose(found.mean, whole)
    rates[24 * 7 : 24 * 7 + 12] = [None] * 12
    found = days_of(bins(rates))
    assert np.isnan(found.mean[7])
    assert found.known_count == 19
    # Days end with the last known bin.
    hours: list[float | None] = [1.0] * 24 + [2.0] * 30 + [None] * 5
    found = days_of(bins(hours))
    assert np.isnan(found.mean[0])
    assert found.mean[-1] == 2.0


def test_a_line_is_reached_when_growth_says() -> None:
    dice = np.random.default_rng(3)
    days = np.exp(0.01 * np.arange(84) + 0.02 * dice.standard_normal(84))
    table = days_of(bins(list(days), 86_400.0))
    found = known(foresee(table.busy, 91, 0.9))
    weeks = busy_weeks(found, week_ratios(table, found.exceptions), 1.0)
    line = float(np.exp(0.01 * (84 + 35)))
    when = reach(weeks, line, 0.9)
    assert when.week is not None
    assert known(when.low_week) <= 5 <= (when.high_week or 99)
    assert abs(when.week - 5) <= 1
    assert when.probability > 0.95
    assert reach(weeks, line * 100, 0.9) == (0.0, None, None, None)
    assert reach(weeks, 0.0, 0.9) == (1.0, 1, 1, 1)
    later = reach(weeks, line * 1.2, 0.9)
    assert later.week is None or later.week >= when.week
    assert later.probability <= when.probability


def test_crossings_are_foreseen_as_often_as_said() -> None:
    """Of machines that are said to reach a line with a probability, about so many do."""
    said = came = 0.0
    for seed in range(40):
        days = series("ratio", 63 + 91, 0, np.random.default_rng(seed))
        table = days_of(bins(list(days[:63]), 86_400.0))
        found = known(foresee(table.busy, 91, 0.9))
        weeks = busy_weeks(found, week_ratios(table, ()), 1.0)
        line = float(days[56:63].max() * 1.3)
        said += reach(weeks, line, 0.9).probability
        came += float(days[63:].reshape(13, 7).max(axis=1).max() >= line)
    assert abs(said - came) < 0.25 * 40
