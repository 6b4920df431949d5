"""Predicted against measured: places on both axes, what lies inside, what is not drawn."""

import re
from typing import cast

import pytest
from msgspec.structs import replace

from netplan_planner.renderers import RenderOptions, render
from netplan_planner.renderers.html.charts.agreement import HEIGHT, MOST_MARKS, WIDTH, Agreement
from netplan_planner.renderers.html.pictures import pictures_of
from support.known import known
from support.probes import answers as probe_answers
from support.probes.answers import predicted


def agreement(answer: object) -> Agreement | None:
    found = pictures_of(answer, None)
    assert all(one.macro == "agreement" and isinstance(one.drawn, Agreement) for one in found)
    return cast(Agreement, found[0].drawn) if found else None


def picture(*rows: tuple[float, float]) -> Agreement:
    made = tuple(predicted(measured, gbps) for measured, gbps in rows)
    found = known(agreement(replace(probe_answers.evaluation(), rows=made)))
    return found


def test_what_was_predicted_right_lies_on_the_diagonal() -> None:
    found = picture((0.1, 0.1), (1.0, 1.0), (10.0, 10.0))
    wide, high = found.right - found.left, found.floor - found.top
    for mark in found.marks:
        assert (mark.x - found.left) / wide == pytest.approx(
            (found.floor - mark.y) / high, abs=1e-3
        )
    assert [mark.is_inside for mark in found.marks] == [True] * 3
    steps = [b.x - a.x for a, b in zip(found.marks, found.marks[1:], strict=False)]
    assert steps[0] == pytest.approx(steps[1], abs=0.2), "a tenfold is as far everywhere"


def test_more_is_further_right_and_further_up_with_its_interval_around_it() -> None:
    found = picture((1.0, 2.0), (5.0, 5.0))
    low, high = found.marks
    assert low.x < high.x
    for mark in found.marks:
        assert mark.high < mark.y < mark.low
        assert 0 < mark.x < WIDTH
        assert 0 < mark.high < mark.low < HEIGHT
    assert (low.is_inside, high.is_inside) == (False, True)
    assert found.name == "1 of 2 measurements lie in their intervals"
    assert low.text == "internet: measured 1 Gbit/s, predicted 2 Gbit/s [1.5 to 2.5]"


def test_many_rows_are_thinned_and_counted() -> None:
    rows = [(1 + n / 1000, 1.0) for n in range(2 * MOST_MARKS)]
    found = picture(*rows)
    assert len(found.marks) == MOST_MARKS
    assert found.left_out == f"{MOST_MARKS} more measurements not shown."
    assert found.name.startswith("251 of 1,600 measurements"), "all of them are counted"
    assert picture((1.0, 1.0)).left_out == ""


def test_scales_have_lines_at_round_rates() -> None:
    near = picture((1.0, 1.0), (9.0, 9.0))
    assert {tick.text for tick in near.ticks} >= {"1 Gbit/s", "2 Gbit/s", "5 Gbit/s", "10 Gbit/s"}
    far = picture((1e-5, 1e-5), (10.0, 10.0))
    assert [tick.text for tick in far.ticks][:2] == ["10 kbit/s", "0.1 Mbit/s"]


def test_a_figure_near_nothing_does_not_press_the_others_away() -> None:
    found = picture((1e-300, 1.0), (1.0, 1.0), (10.0, 10.0))
    assert found.marks[0].x == found.left
    assert len(found.ticks) < 20


def test_without_both_figures_there_is_no_picture() -> None:
    assert agreement(replace(probe_answers.evaluation(), rows=())) is None
    assert agreement(replace(probe_answers.results(), flows=())) is None
    page = render(replace(probe_answers.evaluation(), rows=()), "html", RenderOptions())
    assert "<svg" not in page


def test_results_of_probes_are_drawn_by_their_medians() -> None:
    found = known(agreement(probe_answers.results()))
    assert [mark.is_inside for mark in found.marks] == [True, False, False]
    assert "measured 15.5 Gbit/s, predicted 16 Gbit/s [8 to 16.3]" in found.marks[0].text


def test_the_page_draws_every_mark_and_says_what_it_is() -> None:
    page = render(probe_answers.evaluation(), "html", RenderOptions())
    assert page.count('<g class="inside">') == 3
    assert page.count('<g class="outside">') == 1
    alt = known(re.search(r'<svg class="agreement"[^>]*aria-label="([^"]*)"', page))
    assert "3 of 4 inside their intervals, from 0.1 Gbit/s to 30 Gbit/s" in alt[1]
