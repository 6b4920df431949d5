"""Where no probe says anything, predictions stay as they are, to the last digit."""

import pytest
from hypothesis import given
from msgspec.structs import replace

from netplan_planner.model import Calibration, PathQuery
from netplan_planner.throughput.batch import predict_columns
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.throughput.limits.path_limits import static_limits
from support.calibrations.made import (
    EMPTY,
    at_wall,
    aws_wall,
    corrected,
    figures,
    learnt,
    on_pairs,
    placed,
    to_aws,
    under,
    window_bound,
)
from support.paths.queries import DAY, Table, estimate, path, paths

N2_WALLS = learnt(on_pairs(at_wall(), [0.7] * 4))
"""What they told: the cap of n2 machines, and what paths inside a zone have in common."""
SHARED_SLACK = 1e-4
"""Factors that all paths share move by that much of what another limit explains nearly whole."""


def steady(path_class: str, machine_type: str) -> PathQuery:
    """Return a path that shares neither cap, class, window nor start with the probed ones."""
    return path(path_class, machine_type, streams=None, rtt_ms=None)


class TestNoProbeAtAll:
    @given(paths())
    def test_a_path_is_as_without(self, query: PathQuery) -> None:
        assert figures(corrected(query, EMPTY)) == figures(estimate(query))

    @pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
    def test_at_every_level(self, level: float) -> None:
        query = to_aws(streams=4)
        assert figures(corrected(query, EMPTY, level=level)) == figures(
            estimate(query, level=level)
        )

    def test_a_table_is_as_without(self) -> None:
        table = Table(5, 300)
        limits = [static_limits(kind, load_caps(DAY), may_assume=True) for kind in table.kinds]
        corrector = under(EMPTY).corrector
        pairs = corrector.of_pairs([None] * len(table.columns.kind))
        probed = corrector.probed(table.kinds, limits, pairs)
        plain, found = (
            predict_columns(table.kinds, limits, table.columns, factors_at(0.9), given)
            for given in (None, probed)
        )
        for name in ("gbps", "low_gbps", "high_gbps", "binding", "following"):
            assert getattr(found, name).tolist() == getattr(plain, name).tolist()
        assert found.duration_s == pytest.approx(plain.duration_s, rel=1e-12, nan_ok=True)


class TestOthers:
    @pytest.mark.parametrize(
        "query",
        [
            steady("inter-region-internal", "e2-standard-8"),
            steady("inter-zone-internal", "n4-standard-16"),
            steady("internet", "e2-standard-8"),
            steady("inter-region-external", "c4n-highmem-8"),
        ],
    )
    def test_another_class_and_family_stays_to_the_last_digit(self, query: PathQuery) -> None:
        assert figures(corrected(query, N2_WALLS)) == figures(estimate(query))

    @pytest.mark.parametrize(
        "query", [window_bound("e2-standard-8"), to_aws("e2-standard-8"), aws_wall("c4n-highmem-8")]
    )
    def test_through_shared_starts_and_windows_next_to_nothing_moves(
        self, query: PathQuery
    ) -> None:
        assert figures(corrected(query, N2_WALLS)) == pytest.approx(
            figures(estimate(query)), rel=SHARED_SLACK
        )

    def test_another_pair_of_places_gets_nothing_of_one_pairs_own(self) -> None:
        found = learnt(on_pairs(to_aws(), [1.0, 1.0, 1.0, 1.6]))
        odd, other, nowhere = (
            corrected(query, found)
            for query in (placed(to_aws(), 3), placed(to_aws(), 40), to_aws())
        )
        assert figures(other) == figures(nowhere)
        assert figures(odd)[0] > 1.1 * figures(other)[0]

    def test_the_way_back_is_another_pair(self) -> None:
        query = placed(window_bound(), 0)
        back = replace(query, src=query.dst, dst=query.src)
        found = learnt(on_pairs(window_bound(), [0.97]))
        assert found.pairs[0].ratio != 1
        assert figures(corrected(back, found)) == figures(corrected(window_bound(), found))

    @pytest.mark.parametrize("calibration", [EMPTY, N2_WALLS], ids=["empty", "walls"])
    def test_what_is_unknown_stays_so_with_its_reason(self, calibration: Calibration) -> None:
        query = path("same-zone-internal", "zz9-plural-4", streams=None, rtt_ms=None)
        found, plain = corrected(query, calibration), estimate(query)
        assert found.gbps is plain.gbps is None
        assert found.unknown == plain.unknown != ()
