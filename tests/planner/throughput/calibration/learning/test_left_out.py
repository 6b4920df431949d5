"""The error on probes left out: what one gets by hand from predictions that did not see them."""

import msgspec
import numpy as np
import pytest

from netplan_planner.model import LeftOut, PathClass, PathQuery
from netplan_planner.throughput.calibration.learning.left_out import left_out
from netplan_planner.throughput.goodput.intervals import factors_at
from support.calibrations.made import (
    Probe,
    Runs,
    at_wall,
    corrected,
    corrected_gbps,
    figures,
    learnt,
    measured,
    on_pairs,
    placed,
    probe,
    to_aws,
)
from support.paths.queries import DAY, estimate, gbps

LEVEL = 0.9


def scored(*groups: Runs) -> dict[str, LeftOut]:
    """Return the scores by group."""
    rows = measured(one for group in groups for one in group)
    found = left_out(rows, as_of=DAY, factors=factors_at(LEVEL))
    return {one.group: one for one in found}


def by_hand(*pairs: Runs) -> tuple[list[float], list[float], list[bool], list[bool]]:
    """Return errors and coverage without and with probes, each pair predicted from the others."""
    plain, found, plain_in, found_in = [], [], [], []
    for number, pair in enumerate(pairs):
        others = learnt(*(one for at, one in enumerate(pairs) if at != number))
        for one in pair:
            plain.append(abs(gbps(one.query) / one.gbps - 1))
            found.append(abs(corrected_gbps(one.query, others) / one.gbps - 1))
            _, low, high = figures(estimate(one.query))
            plain_in.append(low <= one.gbps <= high)
            _, low, high = figures(corrected(one.query, others))
            found_in.append(low <= one.gbps <= high)
    return plain, found, plain_in, found_in


@pytest.mark.parametrize(
    ("query", "ratios"),
    [
        (at_wall(), (0.8, 0.82, 0.3)),
        (to_aws(), (0.6, 0.62)),
        (to_aws(), (0.5, 0.55, 0.6, 0.9)),
    ],
)
def test_scores_are_those_of_a_computation_by_hand(
    query: PathQuery, ratios: tuple[float, ...]
) -> None:
    pairs = [probe(placed(query, number), ratio) for number, ratio in enumerate(ratios)]
    score = scored(*pairs)[""]
    plain, found, plain_in, found_in = by_hand(*pairs)
    assert score.measurement_count == len(ratios)
    assert score.plain_median_error_ratio == pytest.approx(np.median(plain))
    assert score.median_error_ratio == pytest.approx(np.median(found))
    assert score.plain_p90_error_ratio == pytest.approx(np.quantile(plain, 0.9))
    assert score.p90_error_ratio == pytest.approx(np.quantile(found, 0.9))
    assert score.plain_coverage_ratio == pytest.approx(np.mean(plain_in))
    assert score.coverage_ratio == pytest.approx(np.mean(found_in))


def test_another_run_of_the_same_pair_gives_nothing_away() -> None:
    pairs = [probe(placed(to_aws(), number), ratio, runs=4) for number, ratio in ((0, 0.5), (1, 2))]
    score = scored(*pairs)[""]
    _, found, *_ = by_hand(*pairs)
    assert score.measurement_count == 8
    assert score.median_error_ratio == pytest.approx(np.median(found))
    assert score.median_error_ratio > 0.3


def test_without_another_pair_there_is_no_score() -> None:
    for runs in (1, 5):
        assert scored(probe(placed(at_wall(), 0), 0.8, runs=runs)) == {}
    # Set-ups of one pair stay together.
    told = [probe(placed(to_aws(streams=count), 0), 0.6) for count in (1, 2, 4)]
    assert scored(*told) == scored([]) == {}


def test_each_class_has_its_own_score_and_all_have_one() -> None:
    walls, windows = on_pairs(at_wall(), [0.8] * 3, runs=1), on_pairs(to_aws(), [0.6] * 2, runs=1)
    found = scored(walls, windows)
    assert list(found) == ["", "internet to aws", "same-zone-internal to own machines"]
    assert [one.measurement_count for one in found.values()] == [5, 2, 3]
    # Measurements of another path teach it nothing.
    alone = scored(windows)[""]
    assert found["internet to aws"] == msgspec.structs.replace(alone, group="internet to aws")


@pytest.mark.parametrize("held", ["is_core_only", "is_at_least"])
def test_what_something_else_held_is_not_scored(held: str) -> None:
    told = on_pairs(at_wall(), [0.8] * 3, runs=1)
    beside = probe(placed(at_wall(streams=1), 5), 0.2, **{held: True})
    assert scored(told, beside)[""].measurement_count == 3


def test_probes_help_where_the_model_is_off_and_there_are_many_pairs() -> None:
    chance = np.random.default_rng(3)
    ratios = 0.6 * np.exp(0.02 * chance.normal(size=14))
    score = scored(on_pairs(to_aws(), ratios.tolist(), runs=1))[""]
    assert score.measurement_count == 14
    assert score.plain_median_error_ratio > 0.5
    assert score.median_error_ratio < 0.05
    assert score.coverage_ratio > 0.8


def test_paths_without_places_are_parted_by_kind() -> None:
    rows = [
        Probe(query=query, gbps=0.8 * gbps(query))
        for query in (at_wall(), at_wall("n2-standard-16"), at_wall("n2-standard-8", streams=8))
    ]
    assert all(one.query.path_class is PathClass.SAME_ZONE_INTERNAL for one in rows)
    assert scored(rows)[""].measurement_count == 3
    assert scored(rows[:1] * 3) == {}


def test_the_order_of_the_measurements_is_no_matter() -> None:
    rows = [
        *on_pairs(to_aws(), [0.5, 0.6, 0.7, 0.8]),
        *on_pairs(at_wall(), [0.7, 0.8, 0.9] * 3, runs=2),
    ]
    chance = np.random.default_rng(1)
    for _ in range(3):
        mixed = [rows[at] for at in chance.permutation(len(rows)).tolist()]
        assert scored(mixed) == scored(rows)
