"""What a person can plan with beside the likely value: one core, streams, quota, doubt, cost."""

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from netplan_planner.errors import UsageError
from netplan_planner.model import PathClass, Prediction, TransferCost
from netplan_planner.planning.path_question import PathQuestion
from netplan_planner.planning.predict_path import predict_described
from netplan_planner.throughput.goodput.doubts import known_doubts
from netplan_pricing import open_snapshot
from support.paths.queries import DAY

ACCURACY = Path(__file__).parents[3] / "docs/background/accuracy.md"
FAR = PathQuestion(
    src_type="n2-standard-32",
    src_place="us-central1",
    dst_place="europe-west1",
    path_class=PathClass.INTER_REGION_INTERNAL,
)


def cost_of(question: PathQuestion, **more: object) -> TransferCost:
    """Return what 1 TiB costs."""
    asked_one = msgspec.structs.replace(question, transfer_bytes=2**40, **more)
    cost = predict_described(asked_one, DAY, 0.9, prices=open_snapshot()).planning.cost
    assert cost is not None
    return cost


def asked(question: PathQuestion, day: date = DAY, **more: object) -> Prediction:
    return predict_described(msgspec.structs.replace(question, **more), day, 0.9)


class TestOneCore:
    def test_likely_one_core_and_cap_stand_beside_each_other(self) -> None:
        found = asked(FAR)
        core = found.planning.one_core
        assert core is not None
        assert found.estimate.gbps == found.planning.cap_gbps == 32
        assert core.low_gbps < core.gbps < 32
        assert "iperf3 3.16" in found.planning.probe
        assert "-P 16" in found.planning.probe
        # Where a core carries the cap there is nothing to say; one stream is one core anyway.
        small = asked(FAR, src_type="n2-standard-4").planning
        assert (small.one_core, small.probe) == (None, "")
        assert asked(FAR, streams=1).planning.one_core is None


class TestStreams:
    def test_their_open_number_gives_a_small_table_between_regions(self) -> None:
        found = asked(FAR)
        rates = {one.name: one for one in found.estimate.cases if one.of == "streams"}
        assert list(rates) == ["1 stream", "8 streams", "64 streams"]
        alone, some = rates["1 stream"], rates["8 streams"]
        assert some.gbps == pytest.approx(8 * (alone.gbps or 0), rel=0.01)
        for count, rate in ((1, alone), (8, some)):
            whole = asked(FAR, streams=count).estimate
            assert rate.gbps == whole.gbps
            # What else nobody told (the window, one core) is likely in a case, open in the whole.
            assert (whole.low_gbps or 99) <= (rate.low_gbps or 0)
            assert (rate.high_gbps or 99) <= (whole.high_gbps or 0)

    def test_given_they_need_none_nor_where_each_number_gets_as_much(self) -> None:
        assert not any(one.of == "streams" for one in asked(FAR, streams=8).estimate.cases)
        near = PathQuestion(src_type="n2-standard-2", path_class=PathClass.SAME_ZONE_INTERNAL)
        assert not any(one.of == "streams" for one in asked(near).estimate.cases)


class TestQuota:
    def test_it_is_named_where_its_value_is_not_known(self) -> None:
        assert "Inter-region network egress bandwidth" in asked(FAR).planning.quota
        assert "us-central1" in asked(FAR).planning.quota
        outside = PathQuestion(src_type="n2-standard-32", path_class=PathClass.INTERNET)
        assert "GCE VM to internet egress" in asked(outside).planning.quota

    @pytest.mark.parametrize("path_class", ["same-zone-internal", "inter-zone-internal"])
    def test_inside_a_region_there_is_none(self, path_class: str) -> None:
        near = PathQuestion(src_type="n2-standard-32", path_class=PathClass(path_class))
        assert asked(near).planning.quota == ""
        with pytest.raises(UsageError, match="--quota-gbps"):
            asked(near, quota_gbps=5.0)

    def test_given_it_is_a_limit_like_the_others(self) -> None:
        found = asked(FAR, quota_gbps=5.0)
        assert found.estimate.gbps == 5
        assert (found.estimate.high_gbps or 0) <= 5.1 * (1 + 1e-9)
        assert found.estimate.limits[0].name == "region-quota"
        assert "vpc/docs/quota" in found.estimate.limits[0].source
        assert found.planning.quota == ""


class TestDoubt:
    def test_it_is_said_where_the_machine_s_cap_binds_between_regions(self) -> None:
        assert "83 % too high in the median" in asked(FAR).planning.doubt
        assert asked(FAR, streams=1).planning.doubt == ""
        outside = msgspec.structs.replace(FAR, path_class=PathClass.INTER_REGION_EXTERNAL)
        assert asked(outside).planning.doubt == ""

    def test_its_figure_is_the_one_of_the_accuracy_page(self) -> None:
        text = ACCURACY.read_text(encoding="utf-8")
        for doubt in known_doubts():
            row = re.search(
                rf"\| {re.escape(doubt.campaign)} \| [^|]*private \| ([\d,]+) \| ([\d.]+) %", text
            )
            assert row is not None
            assert int(row[1].replace(",", "")) == doubt.row_count
            assert float(row[2]) == pytest.approx(100 * doubt.median_error_ratio, abs=0.06)


class TestCost:
    def test_a_transfer_has_its_cost_beside_its_time(self) -> None:
        cost = cost_of(FAR, streams=64)
        # 1 TiB of payload in packets of 1460 bytes with 52 bytes of headers; the first GiB is free.
        gib = Decimal(1024) * 1460 / 1408
        assert float(cost.gib) == pytest.approx(float(gib), rel=1e-6)
        assert cost.usd is not None
        assert float(cost.usd) == pytest.approx(float((gib - 1) * Decimal("0.05")), rel=1e-6)
        assert asked(FAR, transfer_bytes=2**40, streams=64).estimate.duration_s

    def test_to_the_internet_it_lies_between_the_areas_and_without_places_it_is_unknown(
        self,
    ) -> None:
        cost = cost_of(FAR, path_class=PathClass.INTERNET, dst_place=None, rtt_ms=50.0)
        assert cost.usd is not None
        assert cost.high_usd is not None
        assert 0 < cost.usd < cost.high_usd
        unplaced = cost_of(FAR, src_place=None, dst_place=None, rtt_ms=50.0)
        assert unplaced.usd is None
        assert "--src-place" in unplaced.why_unknown


class TestTier1:
    def test_it_is_refused_of_a_type_that_does_not_offer_it(self) -> None:
        with pytest.raises(UsageError, match="--tier1: Tier_1 is not offered for e2-standard-4"):
            asked(FAR, src_type="e2-standard-4", is_tier1=True)

    def test_what_it_does_not_do_to_the_outside_is_said(self) -> None:
        outside = PathQuestion(
            src_type="n2-standard-32", path_class=PathClass.INTERNET, is_tier1=True
        )
        (note,) = asked(outside).notes
        assert "25 Gbit/s in total" in note
        assert "3 Gbit/s for one flow" in note
        assert asked(FAR, is_tier1=True).notes == ()


class TestGoogleApis:
    def test_writes_have_the_lowest_published_row_and_the_machine_s_cap(self) -> None:
        asking = PathQuestion(path_class=PathClass.GOOGLE_APIS)
        for name, is_tier1, low, high in (
            ("c4-standard-192", True, 1.37, 204.0),
            ("n4-standard-80", False, None, 51.0),
            ("c4-standard-192", False, None, 102.0),
            ("n2-standard-8", False, None, 16.32),
        ):
            found = asked(asking, src_type=name, is_tier1=is_tier1).estimate
            assert found.gbps is None
            assert found.low_gbps == low
            assert found.high_gbps == pytest.approx(high)
            assert not [one for one in found.limits if one.name.startswith("external")]

    def test_reads_exceed_the_egress_cap(self) -> None:
        asking = PathQuestion(path_class=PathClass.GOOGLE_APIS, dst_type="n4-standard-80")
        found = asked(asking)
        assert (found.src, found.dst) == ("Google APIs", "n4-standard-80")
        assert found.estimate.low_gbps is None
        assert "60 Gbit/s on n4-standard-80 (measured once)" in found.estimate.assumed[0]
        assert found.estimate.high_gbps is None
        assert found.estimate.limits == ()

    def test_the_lowest_of_all_published_reads_is_the_least(self) -> None:
        asking = PathQuestion(path_class=PathClass.GOOGLE_APIS, dst_type="c4-standard-96")
        assert asked(asking, is_tier1=True).estimate.low_gbps == 3.87
        assert asked(asking).estimate.low_gbps is None, "published with Tier_1 alone"

    def test_nothing_was_published_of_older_days(self) -> None:
        asking = PathQuestion(path_class=PathClass.GOOGLE_APIS, src_type="n1-standard-8")
        found = asked(asking, day=date(2019, 6, 30)).estimate
        assert found.assumed == ()
        assert found.low_gbps is None
