"""The picture of cost against time: what lies where, and what is left out of it."""

from datetime import date

import pytest
from msgspec.structs import replace

from netplan_planner.model import JobNeed, JobPlan
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.renderers.content.job_views import spread
from netplan_planner.renderers.html.charts.cost_time import CostTime, cost_time
from netplan_planner.throughput import load_caps
from support.prices.book import SmallPriceBook

NEED = JobNeed(
    region="made-west1",
    in_bytes=2 * 10**12,
    cpu_seconds=40_000.0,
    startup_s=60.0,
    deadline_s=3600.0,
    max_count=12,
    baseline_type="n1-standard-2",
    baseline_count=2,
)


def plan(**changes: object) -> JobPlan:
    return plan_job(replace(NEED, **changes), SmallPriceBook(), load_caps(date(2026, 11, 21)))


def picture(found: JobPlan) -> CostTime:
    drawn = cost_time(found)
    assert drawn is not None
    return drawn


def test_every_mark_lies_inside() -> None:
    drawn = picture(plan())
    assert {mark.kind for mark in drawn.marks} == {"front", "other", "today"}
    for mark in drawn.marks:
        assert drawn.left <= mark.x <= drawn.end
        assert drawn.top <= mark.y <= drawn.floor


def test_the_faster_stand_left_and_the_dearer_above() -> None:
    found = plan()
    drawn = picture(found)
    marks = [mark for mark in drawn.marks if mark.kind == "front"]
    assert len(marks) == len(found.front)
    # Cheapest first: each next one is further left, and no lower.
    assert [mark.x for mark in marks] == sorted((mark.x for mark in marks), reverse=True)
    assert [mark.y for mark in marks] == sorted((mark.y for mark in marks), reverse=True)


def test_the_line_goes_from_fast_to_slow_and_never_up() -> None:
    points = [tuple(map(float, one.split(","))) for one in picture(plan()).steps.split()]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert [y for _, y in points] == sorted(y for _, y in points)


def test_the_deadline_parts_those_in_time_from_the_others() -> None:
    found = plan()
    drawn = picture(found)
    assert drawn.deadline is not None
    marks = [mark for mark in drawn.marks if mark.kind == "front"]
    for mark, option in zip(marks, found.front, strict=True):
        assert (mark.x <= drawn.deadline.at) == (option.duration_s <= 3600)
    assert picture(plan(deadline_s=None)).deadline is None


@pytest.mark.parametrize("deadline_s", [600.0, 1200.0, 3600.0, 7200.0])
def test_no_label_runs_over_the_deadline(deadline_s: float) -> None:
    drawn = picture(plan(deadline_s=deadline_s))
    assert drawn.deadline is not None
    for mark in drawn.marks:
        ends = mark.x + 9 + 7 * len(mark.label)
        crossed = mark.x <= drawn.deadline.at <= ends
        assert not (mark.label and crossed), mark.label


def test_one_machine_is_no_picture() -> None:
    one = plan(machine_types=("n1-standard-4",), max_count=1, baseline_type=None)
    assert len(one.front) == 1
    assert cost_time(one) is None


def test_what_is_too_dear_is_counted() -> None:
    found = plan(machine_types=("n1-standard-1", "a2-highgpu-1g"), deadline_s=None)
    drawn = picture(replace(found, front=found.front[:2]))
    assert (
        drawn.left_out == "The scale of cost does not begin at $0. 1 more expensive one left out."
    )


def test_a_long_list_is_shown_from_end_to_end() -> None:
    front = plan().front
    few = spread(front, 4)
    assert len(few) == 4
    assert (few[0], few[-1]) == (front[0], front[-1])
    assert spread(front, None) == front
    assert list(spread(front, 1)) == [front[0]]
