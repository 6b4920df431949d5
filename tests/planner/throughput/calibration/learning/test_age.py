"""An older probe says less: of limits by months, of its own pair of places by weeks."""

from datetime import timedelta
from itertools import pairwise

import pytest

from netplan_planner.world.calibration import calibration_text
from support.calibrations.made import (
    at_wall,
    corrected,
    learnt,
    log_width,
    moved,
    on_pairs,
    placed,
    probe,
    shared_factor,
    to_aws,
    window_bound,
    with_set_ups,
)
from support.paths.queries import DAY

AGES = (0, 60, 180, 400)


def later(days: int, ratio: float = 0.7) -> float:
    """Return how much a machine's cap is lowered by probes of today, seen some days later."""
    as_of = DAY + timedelta(days=days)
    found = learnt(on_pairs(at_wall(), [ratio]), as_of=as_of)
    return shared_factor(found, "vm-egress").ratio


def test_the_same_probe_moves_a_factor_the_less_the_older_it_is() -> None:
    ratios = [later(days) for days in AGES]
    assert all(newer < older < 1 for newer, older in pairwise(ratios))
    # One of many half-lives ago changes next to nothing.
    for ratio in (0.5, 0.7, 0.9, 0.97):
        assert later(3650, ratio) == pytest.approx(1, abs=1e-3)


def test_the_window_of_a_named_image_is_a_fact_and_does_not_age() -> None:
    named, other = (with_set_ups(window_bound(), image=name) for name in ("a", ""))
    probes = on_pairs(named, [1.3] * 2)
    for days in AGES:
        found = learnt(probes, as_of=DAY + timedelta(days=days))
        assert moved(named, found) == pytest.approx(1.3, rel=0.03)
    # Of nobody knows which image it may be another one today.
    late = learnt(on_pairs(other, [1.3] * 2), as_of=DAY + timedelta(days=400))
    assert moved(other, late) == pytest.approx(1, rel=0.01)
    # How runs scatter still has the age of the probes.
    assert late.classes[0].probe_count == found.classes[0].probe_count < 0.2


def test_its_range_goes_back_to_what_it_was_without() -> None:
    ranges = []
    for days in (*AGES, 3650):
        found = learnt(on_pairs(at_wall(), [1.0] * 3), as_of=DAY + timedelta(days=days))
        ranges.append(log_width(corrected(at_wall(), found)))
    # Two ways to an interval meet here, and need not meet to the digit.
    assert all(newer <= older * 1.02 for newer, older in pairwise(ranges))
    nothing = log_width(corrected(at_wall(), learnt([])))
    assert ranges[-1] == pytest.approx(nothing, rel=1e-3)
    assert ranges[0] < 0.9 * nothing


@pytest.mark.parametrize(("new", "old"), [(0.7, 0.95), (0.95, 0.7)])
def test_a_newer_probe_wins_over_an_older_one(new: float, old: float) -> None:
    one, other = (placed(at_wall(), number) for number in (0, 1))
    found = learnt(probe(one, new, runs=3), probe(other, old, runs=3, days_ago=365))
    value = moved(at_wall(), found)
    assert abs(value - new) < abs(value - old) / 3


@pytest.mark.parametrize(("new", "old"), [(0.6, 1.5), (1.5, 0.6)])
def test_of_one_pair_the_newer_run_wins_too(new: float, old: float) -> None:
    query = placed(to_aws(), 0)
    found = learnt(probe(query, new), probe(query, old, days_ago=200))
    assert moved(query, found) == pytest.approx(new, rel=0.15)


def test_what_a_pair_keeps_fades_sooner_than_what_all_share() -> None:
    query = at_wall()
    shares = []
    for days in (0, 60, 240):
        others = on_pairs(query, [0.8] * 4)
        odd = probe(placed(query, 9), 0.72, runs=3)
        found = learnt(others, odd, as_of=DAY + timedelta(days=days))
        own = [pair.ratio for pair in found.pairs if "here-9-a" in pair.key]
        shares.append((1 - own[0], 1 - shared_factor(found, "vm-egress").ratio))
    pair, limit = zip(*shares, strict=True)
    assert pair[0] > pair[1] > pair[2] > 0
    assert pair[2] / pair[0] < limit[2] / limit[0]


def test_the_day_they_count_from_is_in_the_file() -> None:
    day = DAY + timedelta(days=5)
    found = learnt(on_pairs(at_wall(), [0.7]), as_of=day)
    assert found.as_of == day
    # Ages count in either direction.
    before, after = (
        learnt(on_pairs(at_wall(), [0.7]), as_of=DAY + timedelta(days=days)) for days in (-90, 90)
    )
    assert before.latents == after.latents
    assert calibration_text(found) != calibration_text(learnt(on_pairs(at_wall(), [0.7])))
