"""What rests on a campaign is left out where it is scored; and the ranges of the rest."""

from datetime import date

import pytest

from netplan_planner.model import PathClass
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.limits.pods.tables import pod_terms
from netplan_planner.throughput.limits.tables import (
    campaigns_with_figures,
    flow_figures,
    window_figures,
)
from netplan_planner.throughput.transport import transfer
from support.paths.queries import DAY, path

HALF_CEILING_BYTES = 6 * 2**20 / 2


class TestWindows:
    def test_a_campaign_is_not_scored_on_its_own_figure(self) -> None:
        query = path("inter-region-internal", "n2-standard-8")
        for figure in window_figures():
            found = static_limits(query, load_caps(DAY, frozenset({figure.campaign})))
            others = [one for one in window_figures() if one is not figure]
            assert found.window_bytes[0] == pytest.approx(others[0].byte_count)

    def test_without_any_figure_it_is_the_documented_half_of_the_ceiling(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A window counts payload: no header is taken off it."""
        monkeypatch.setattr(bounds, "window_figures", lambda _: ())
        assert bounds.stock_window_bytes(HALF_CEILING_BYTES) == HALF_CEILING_BYTES

    def test_runs_stay_a_little_below_it(self) -> None:
        assert 0.95 * HALF_CEILING_BYTES < bounds.stock_window_bytes(0.0) < HALF_CEILING_BYTES

    def test_a_foreign_floor_is_that_of_the_least_machine(self) -> None:
        # tcp_init: 1/128 of 512 MiB; __tcp_grow_window: a quarter of it.
        assert bounds.FOREIGN_RECEIVER_LOW_BYTES == 512 * 2**20 / 128 / 4


class TestPods:
    @pytest.mark.parametrize(
        "campaign", ["infrabuilder-cni-2020-08", "infrabuilder-cni-2024-01", "constellation-gke"]
    )
    def test_what_rests_on_a_campaign_is_left_out(self, campaign: str) -> None:
        assert campaign in campaigns_with_figures()
        left = pod_terms(frozenset({campaign}))
        assert 0 < len(left) < len(pod_terms())
        assert {one.name for one in left} >= {"header"}

    def test_headers_rest_on_documents(self) -> None:
        headers = [one for one in pod_terms() if one.name == "header"]
        for campaign in campaigns_with_figures():
            assert [
                one for one in pod_terms(frozenset({campaign})) if one.name == "header"
            ] == headers


class TestCarriedCaps:
    def test_its_range_is_that_of_documented_steps(self) -> None:
        # n1-standard-2: 4 Gbit/s until 2018, 10 since 2020.
        then = load_caps(date(2018, 8, 1)).cap("n1-standard-2")
        now = load_caps(date(2026, 6, 1)).cap("n1-standard-2")
        assert then is not None
        assert now is not None
        assert then.egress_gbps / now.egress_gbps == bounds.CARRIED_LOW_RATIO

    def test_before_the_first_document_it_is_the_most_that_there_was(self) -> None:
        query = path(PathClass.SAME_ZONE_INTERNAL, "n1-standard-1")
        for day in (date(2014, 6, 1), date(2015, 6, 4)):
            found = static_limits(query, load_caps(day), may_assume=True).hard[0]
            assert (found.limit.gbps, found.high_gbps, found.regime) == (2.0, 2.0, "carried")
        found = static_limits(query, load_caps(bounds.FIRST_CAP_ON), may_assume=True).hard[0]
        assert found.regime != "carried"


def test_a_flow_on_a_shared_core_can_count_on_its_share_only() -> None:
    day = date(2014, 6, 1)
    small, great = (
        static_limits(path("same-zone-internal", name), load_caps(day), may_assume=True)
        for name in ("f1-micro", "n1-standard-1")
    )
    least = [
        next(b for b in one.per_flow if b.limit.name == "single-flow-core").low_gbps
        for one in (small, great)
    ]
    assert least[0] < 0.25 * least[1]
    assert float(transfer.cap_ratio(1460)) == 1


class TestDatesAndFigures:
    def test_a_cap_that_a_campaign_dates_is_not_known_of_its_day_without_it(self) -> None:
        day, name = date(2020, 7, 1), "pkb-tutorial-inter-region"
        whole, left = (load_caps(day, without) for without in (frozenset(), frozenset({name})))
        assert whole.cap("n1-standard-2") is not None
        assert left.variants("n1-standard-2") == left.variants("n1-standard-4") == ()
        # The document itself stays, and so do caps with other sources.
        assert load_caps(date(2026, 5, 1), left.without).cap("n1-standard-2") is not None
        assert left.cap("n1-standard-8") == whole.cap("n1-standard-8")

    def test_what_limits_a_path_to_outside_is_not_known_without_its_only_source(self) -> None:
        query = path("same-zone-external", "n1-standard-4", streams=1)
        for day, is_known in ((date(2015, 3, 17), False), (date(2017, 7, 27), True)):
            caps = load_caps(day, frozenset({"pkb-issue-175"}))
            assert bool(caps.measured(PathClass.SAME_ZONE_EXTERNAL)) == is_known
            assert not static_limits(query, load_caps(day), may_assume=True).unknown
            assert bool(static_limits(query, caps, may_assume=True).unknown) != is_known

    def test_a_second_figure_of_a_day_is_taken_without_the_first(self) -> None:
        day = date(2024, 1, 31)
        lows = [
            next(one.low_gbps for one in flow_figures(frozenset(names)) if one.on == day)
            for names in ((), ("cockroach-cloud-report-2019",))
        ]
        assert lows == [16, 18.8]
        assert len({one.on for one in flow_figures()}) == len(flow_figures())
