"""The path that a user asks about, and that a table gives the same answer for it."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.errors import UsageError
from netplan_planner.model import PathClass, Prediction
from netplan_planner.planning.path_question import PathQuestion
from netplan_planner.planning.predict_path import predict_described, predict_named
from netplan_planner.planning.table_kinds import read_kinds
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.round_trips.rtt import rtt_between
from netplan_planner.verbs.predict.table_file import TableAnswer
from netplan_planner.world.request import InputRequest
from support.listed import listed
from support.paths.queries import CLASSES, DAY, durations, frames, rtts, streams, volumes, windows
from support.paths.tables import PLAIN, answered, as_parquet, reasons, written

LEVEL = 0.9
N2 = PathQuestion(src_type="n2-standard-8")
REGIONS = PathClass.INTER_REGION_INTERNAL


def described(question: PathQuestion, **more: object) -> Prediction:
    return predict_described(replace(question, **more), DAY, LEVEL)


def named(src: str, dst: str, question: PathQuestion | None = None) -> Prediction:
    """Return the answer for two machines of the embedded sample."""
    request = InputRequest(today=DAY, demo="gecko")
    return predict_named(question or PathQuestion(), (src, dst), request, LEVEL, lambda _: None)


A, B, BELGIUM = "us-central1-a", "us-central1-b", "europe-west1-b"


class TestPlaces:
    @listed(
        "src, dst, external, expected",
        [
            (A, A, False, "same-zone-internal"),
            (A, B, False, "inter-zone-internal"),
            (A, BELGIUM, False, "inter-region-internal"),
            ("us-central1", "europe-west1", True, "inter-region-external"),
            ("us-central1", "us-central1", False, "inter-zone-internal"),
            (A, "us-central1", True, "inter-zone-external"),
        ],
    )
    def test_they_decide_the_class(self, src: str, dst: str, external: bool, expected: str) -> None:
        found = described(N2, src_place=src, dst_place=dst, is_external=external)
        assert found.query.path_class.value == expected

    def test_they_give_the_round_trip_time_with_a_range_and_its_source(self) -> None:
        found = described(N2, src_place=A, dst_place=BELGIUM, streams=1)
        query = found.query
        assert query.rtt_ms is not None
        assert query.low_rtt_ms is not None
        assert query.high_rtt_ms is not None
        assert 90 < query.low_rtt_ms <= query.rtt_ms <= query.high_rtt_ms < 120
        assert "measured" in found.rtt_detail
        assert found.estimate.binding is not None
        assert found.estimate.binding.name == "window-over-rtt"
        # A given round-trip time goes before them.
        found = described(N2, src_place=A, dst_place=BELGIUM, rtt_ms=130.0, streams=1)
        assert found.query.rtt_ms == 130
        assert found.rtt_detail == found.rtt_doubt == ""

    def test_a_given_one_below_every_ping_of_them_is_believed_and_said(self) -> None:
        places = {"src_place": "us-central1-a", "dst_place": "europe-west1-b"}
        found = described(N2, **places, rtt_ms=50.0, streams=1)
        assert found.query.rtt_ms == 50
        assert (
            "the round-trip time is below all known pings between these regions" in found.rtt_doubt
        )
        unplaced = described(N2, path_class=REGIONS, rtt_ms=50.0, streams=1)
        assert (unplaced.query.rtt_ms, unplaced.rtt_doubt) == (50.0, "")
        assert found.estimate.gbps == unplaced.estimate.gbps

    @listed(
        "question, said",
        [
            (PathQuestion(), "--src-type"),
            # Without places the class must be given; a place that nobody knows is no other region.
            (N2, "--path"),
            (replace(N2, src_place=A), "--path"),
            (replace(N2, src_place=A, dst_place="us-cental1-a"), "us-central1"),
        ],
    )
    def test_what_is_missing_is_asked_for(self, question: PathQuestion, said: str) -> None:
        with pytest.raises(UsageError, match=said):
            described(question)

    @pytest.mark.parametrize(
        ("path_class", "src", "dst", "external", "said"),
        [
            ("same-zone-internal", "us-east1-b", "europe-west1-b", False, "is inter-region"),
            ("same-zone-internal", "us-east1-b", "us-east1-c", False, "is inter-zone"),
            ("inter-zone-external", "us-east1-b", "us-east1-b", False, "is same-zone"),
            ("inter-region-internal", "us-east1", "us-east1-b", False, "inter-zone or same-zone"),
            ("same-node-pod", "us-east1-b", "us-east1-c", False, "is inter-zone"),
            ("inter-zone-internal-pod", "us-east1", "us-west1", False, "is inter-region"),
            ("same-zone-internal", None, None, True, "contradicts --external"),
        ],
    )
    def test_a_class_that_contradicts_them_is_refused(
        self, path_class: str, src: str | None, dst: str | None, external: bool, said: str
    ) -> None:
        places = {"src_place": src, "dst_place": dst, "is_external": external}
        with pytest.raises(UsageError, match=said):
            described(N2, path_class=PathClass(path_class), **places)

    @pytest.mark.parametrize(
        ("path_class", "src", "dst"),
        [
            ("same-zone-external", "us-east1", "us-east1-b"),
            ("inter-zone-internal", "us-east1", "us-east1"),
            ("inter-region-internal", "us-east1", None),
            ("internet", "us-east1", "europe-west1"),
        ],
    )
    def test_a_class_that_they_allow_stands(
        self, path_class: str, src: str, dst: str | None
    ) -> None:
        asked = PathClass(path_class)
        found = described(N2, path_class=asked, src_place=src, dst_place=dst)
        assert found.query.path_class is asked

    @pytest.mark.parametrize("path_class", ["inter-region-internal", "internet"])
    @pytest.mark.parametrize(
        "said", [{"streams": 1}, {"duration_s": 5.0}, {"transfer_bytes": 10**9}]
    )
    def test_without_them_a_path_of_unknown_length_has_no_answer(
        self, path_class: str, said: dict[str, object]
    ) -> None:
        found = described(N2, path_class=PathClass(path_class), **said).estimate
        assert found.gbps is None
        assert "unknown round-trip time" in found.unknown[0]
        assert "--rtt-ms" in found.unknown[0]

    def test_without_them_steady_use_by_many_streams_has_an_answer(self) -> None:
        assert described(N2, path_class=REGIONS).estimate.gbps == 16


class TestShortRuns:
    @pytest.mark.parametrize("seconds", [0.001, 0.1, 0.25, 0.5])
    def test_one_that_ends_before_its_start_shows_is_its_first_flight(self, seconds: float) -> None:
        asked = {"path_class": REGIONS, "rtt_ms": 200.0, "streams": 1}
        found = described(N2, duration_s=seconds, **asked).estimate
        # Ten segments of 1408 bytes a round trip; at least one, and all of them at once at most.
        flight_gbps = 10 * 1408 * 8 / 1e9 / 0.2
        assert found.gbps == pytest.approx(flight_gbps)
        assert found.low_gbps is not None
        assert found.high_gbps is not None
        assert 0 < found.low_gbps < flight_gbps < found.high_gbps
        assert any("initial window" in said for said in found.assumed)

    def test_a_longer_one_says_nothing_of_it(self) -> None:
        found = described(
            N2, path_class=PathClass.INTER_REGION_INTERNAL, rtt_ms=200.0, duration_s=5.0
        )
        assert not any("initial window" in said for said in found.estimate.assumed)


class TestNamedMachines:
    def test_two_machines_of_an_input(self) -> None:
        found = named("transcoder-5", "transcoder-6")
        assert (found.src, found.dst) == ("transcoder-5", "transcoder-6")
        assert found.query.path_class is PathClass.SAME_ZONE_INTERNAL
        assert found.query.src.machine_type == found.query.dst.machine_type == "n1-standard-16"
        assert (found.limits_as_of, found.estimate.gbps) == (date(2017, 7, 27), 16)

    def test_over_the_external_address_and_with_a_given_round_trip_time(self) -> None:
        found = named("transcoder-5", "transcoder-6", PathQuestion(is_external=True))
        assert found.query.path_class is PathClass.SAME_ZONE_EXTERNAL
        assert found.estimate.gbps == 1.6
        # The round-trip time is the one of the flow logs.
        assert named("transcoder-5", "transcoder-6").query.rtt_ms == pytest.approx(0.6)
        assert named("transcoder-5", "transcoder-6", PathQuestion(rtt_ms=2.0)).query.rtt_ms == 2

    @listed(
        "dst, question, said",
        [
            # A machine has no path to itself.
            ("transcoder-5", PathQuestion(), "both the sender and the receiver"),
            ("instances/transcoder-5", PathQuestion(), "both the sender and the receiver"),
            ("transcoder-99", PathQuestion(), "no VM of the input is named 'transcoder-99'"),
            ("transcoder-6", PathQuestion(path_class=REGIONS), "is same-zone"),
        ],
    )
    def test_what_cannot_be_is_refused(self, dst: str, question: PathQuestion, said: str) -> None:
        with pytest.raises(UsageError, match=said):
            named("transcoder-5", dst, question)


ZONE = PathClass.SAME_ZONE_INTERNAL
_SENDERS = (
    *("n2-standard-32", "e2-standard-2", "c4n-highmem-8"),
    *("n1-standard-16", "m2-ultramem-208", "m4n-megamem-224", "n4-custom-10-20480"),
)


class TestUnknownCap:
    def test_between_two_sizes_it_is_at_least_the_smaller_one(self) -> None:
        found, less, more = (
            described(PathQuestion(src_type=f"n4-custom-{vcpus}-20480", path_class=ZONE)).estimate
            for vcpus in (10, 8, 16)
        )
        assert (found.gbps, less.gbps, more.gbps) == (16, 16, 32)
        assert (found.low_gbps, found.high_gbps) == (less.low_gbps, more.high_gbps)
        assert "16 Gbit/s with 8, 32 Gbit/s with 16" in found.assumed[0]
        assert found.assumed[0].endswith("16 of at most 32 Gbit/s")

    def test_to_the_outside_it_is_at_least_that_of_a_smaller_type_of_the_series(self) -> None:
        path: dict[str, Any] = {"path_class": PathClass.INTERNET, "streams": 64, "rtt_ms": 20}
        less, more = (
            described(PathQuestion(src_type=f"m4n-megamem-{vcpus}", **path)).estimate
            for vcpus in (112, 224)
        )
        assert less.low_gbps is not None
        assert more.low_gbps is not None
        assert more.low_gbps >= less.low_gbps > 7
        assert any("m4n-megamem-112 has 100 Gbit/s" in one for one in more.assumed)

    def test_above_the_largest_size_it_stays_unknown(self) -> None:
        found = described(PathQuestion(src_type="n4-custom-96-393216", path_class=ZONE)).estimate
        assert found.gbps is None
        assert "50 Gbit/s with 80" in found.unknown[0]

    @pytest.mark.parametrize(
        ("platform", "gbps", "high_gbps"),
        [(None, 16, 32.64), ("Intel Skylake", 16, 16.32), ("Intel Cascade Lake", 32, 32.64)],
    )
    def test_the_platform_decides(
        self, tmp_path: Path, platform: str | None, gbps: float, high_gbps: float
    ) -> None:
        told: dict[str, Any] = {"streams": 16, "rtt_ms": 0.2, "path_class": ZONE}
        question = PathQuestion(src_type="m2-hypermem-416", cpu_platform=platform, **told)
        found = predict_described(question, DAY, 0.9).estimate
        assert (found.gbps, found.high_gbps) == pytest.approx((gbps, high_gbps), rel=1e-3)
        rows = answered(written(tmp_path / "t.csv", as_row(question)))
        assert rows.predictions.gbps[0] == pytest.approx(gbps, rel=1e-3)

    def test_a_platform_that_nobody_knows_is_not_taken_for_none(self, tmp_path: Path) -> None:
        row = PLAIN | {"machine_type": "n1-standard-16", "cpu_platform": "Intel Skylak"}
        (reason,) = reasons(answered(written(tmp_path / "t.csv", row)))
        assert "32 Gbit/s on Intel Skylake or later), here 'Intel Skylak'" in reason

    def test_a_row_with_too_many_vnics_says_how_many_there_may_be(self, tmp_path: Path) -> None:
        rows = [PLAIN | {"machine_type": "n2-standard-4", "nics": nics} for nics in ("4", "5")]
        rows.append(PLAIN | {"machine_type": "n2-standard-32", "nics": "11"})
        assert reasons(answered(written(tmp_path / "t.csv", *rows))) == [
            "",
            "n2-standard-4 supports at most 4 vNICs, not 5",
            "refused: nics is not between 1 and 10",
        ]


@st.composite
def questions(draw: st.DrawFn) -> PathQuestion:
    """Draw a question whose every number is given, so that a row of a table can ask it too."""
    is_sized = draw(st.booleans())
    src_type = draw(st.sampled_from(_SENDERS))
    return PathQuestion(
        src_type=src_type,
        dst_type=draw(st.sampled_from(["n2-standard-32", "t2d-standard-1"])),
        path_class=draw(st.sampled_from(CLASSES)),
        is_tier1=src_type == "n2-standard-32" and draw(st.booleans()),
        cpu_platform=draw(st.sampled_from((None, "Intel Haswell", "Intel Cascade Lake"))),
        nic_count=draw(st.sampled_from((1, 2))),
        mtu_bytes=draw(frames),
        streams=draw(streams),
        rtt_ms=draw(rtts),
        window_bytes=draw(st.none() | windows),
        send_buffer_bytes=draw(st.none() | windows),
        duration_s=None if is_sized else draw(durations),
        omit_s=draw(st.sampled_from((0.0, 3.0))),
        transfer_bytes=draw(volumes) if is_sized else None,
        is_both_ways=draw(st.booleans()),
    )


def as_row(question: PathQuestion) -> dict[str, str]:
    """Return the row of a table that asks the same; what is not given is an empty cell."""

    def cell(value: object) -> str:
        return "" if value is None else repr(value)

    return {
        "machine_type": question.src_type or "",
        "dst_machine_type": question.dst_type or "",
        "path_class": str(question.path_class),
        "tier1": "TIER_1" if question.is_tier1 else "",
        "cpu_platform": question.cpu_platform or "",
        "nics": cell(question.nic_count),
        "mtu": cell(question.mtu_bytes),
        "streams": cell(question.streams),
        "rtt_ms": cell(question.rtt_ms),
        "window_bytes": cell(question.window_bytes),
        "send_buffer_bytes": cell(question.send_buffer_bytes),
        "duration_s": cell(question.duration_s),
        "omit_s": cell(question.omit_s),
        "bytes": cell(question.transfer_bytes),
        "direction": "both" if question.is_both_ways else "src->dst",
        "date": "",
    }


class TestAsATable:
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(questions(), min_size=1, max_size=8), st.sampled_from((0.5, 0.9, 0.93)))
    def test_each_row_is_what_the_single_question_gets(
        self, tmp_path: Path, asked: list[PathQuestion], level: float
    ) -> None:
        rows = answered(written(tmp_path / "t.csv", *map(as_row, asked)), level=level)
        found = rows.predictions
        for at, question in enumerate(asked):
            one = predict_described(question, DAY, level).estimate
            assert one.gbps == pytest.approx(found.gbps[at], rel=1e-12)
            assert one.low_gbps == pytest.approx(found.low_gbps[at], rel=1e-12)
            assert one.high_gbps == pytest.approx(found.high_gbps[at], rel=1e-12)
            assert one.limits[0].name == LIMITS[found.binding[at]]
            assert [limit.name for limit in one.limits[1:2]] == [LIMITS[found.following[at]]]

    @pytest.mark.parametrize("without", ["streams", "duration_s"])
    def test_what_is_not_given_leaves_the_value_alike(self, tmp_path: Path, without: str) -> None:
        said = {"streams": 8, "duration_s": 30.0} | {without: None}
        asked = replace(N2, path_class=PathClass.INTER_ZONE_INTERNAL, rtt_ms=0.3, **said)
        table = answered(written(tmp_path / "t.csv", as_row(asked))).predictions
        assert described(asked).estimate.gbps == pytest.approx(table.gbps[0], rel=1e-12)

    @pytest.mark.parametrize(
        "places",
        [
            ("us-central1-a", "us-central1-a"),
            ("us-central1-a", "us-central1-c"),
            ("us-central1-a", "asia-east1-b"),
        ],
    )
    def test_places_give_both_the_same_round_trip_time(
        self, tmp_path: Path, places: tuple[str, str]
    ) -> None:
        asked = described(N2, src_place=places[0], dst_place=places[1], streams=4, duration_s=10.0)
        row = {
            "machine_type": "n2-standard-8",
            "dst_machine_type": "n2-standard-8",
            "path_class": str(asked.query.path_class),
            "src_location": f"gcp:{places[0]}",
            "dst_location": f"gcp:{places[1]}",
            "streams": "4",
            "duration_s": "10",
        }
        table = answered(written(tmp_path / "t.csv", row)).predictions
        one = asked.estimate
        assert one.gbps == pytest.approx(table.gbps[0], rel=1e-12)
        assert one.low_gbps == pytest.approx(table.low_gbps[0], rel=1e-12)
        assert one.high_gbps == pytest.approx(table.high_gbps[0], rel=1e-12)


class TestRaisedRoundTrips:
    def test_a_row_gets_what_the_single_question_gets_and_says_so(self, tmp_path: Path) -> None:
        row = {
            "machine_type": "n2-standard-8",
            "dst_machine_type": "n2-standard-8",
            "path_class": "inter-region-internal",
            "src_location": "us-central1-a",
            "dst_location": "gcp:europe-west1-b",
            "streams": "4",
            "duration_s": "10",
        }
        path = written(tmp_path / "t.csv", *(row | {"rtt_ms": ms} for ms in ("50", "130", "")))
        found = answered(path)
        one = described(
            N2,
            src_place="us-central1-a",
            dst_place="europe-west1-b",
            rtt_ms=50.0,
            streams=4,
            duration_s=10.0,
        )
        assert one.estimate.gbps == pytest.approx(found.predictions.gbps[0], rel=1e-12)
        assert one.estimate.low_gbps == pytest.approx(found.predictions.low_gbps[0], rel=1e-12)
        assert one.estimate.high_gbps == pytest.approx(found.predictions.high_gbps[0], rel=1e-12)
        assert reasons(found) == [one.rtt_doubt, "", ""]
        assert "the round-trip time is below all known pings between these regions" in one.rtt_doubt

    @pytest.mark.parametrize(
        ("more", "rtt_ms"),
        [
            ({}, 50.0),
            ({"date": "2024-05-01", "rtt_date": "2024-05-01"}, 50.0),
            ({"date": "2024-05-01", "rtt_date": "2024-04-20"}, None),
            ({"source": "skyplane-grid-2022-01-29"}, None),
            ({"source": "cloudpilot-2021"}, 50.0),
        ],
    )
    def test_only_one_of_another_days_grid_is_raised(
        self, tmp_path: Path, more: dict[str, str], rtt_ms: float | None
    ) -> None:
        row = {
            "machine_type": "n2-standard-8",
            "path_class": "inter-region-internal",
            "src_location": "us-central1-a",
            "dst_location": "europe-west1-b",
            "streams": "1",
            "rtt_ms": "50",
        }
        least = rtt_between("us-central1-a", "europe-west1-b").low_ms
        with PathTable(written(tmp_path / "t.csv", row | more)) as table:
            found = read_kinds(table, as_of=date(2026, 11, 22))
        assert found.columns.rtt_ms[0] == (least if rtt_ms is None else rtt_ms)
        assert found.rtt.is_raised[0] == (rtt_ms is None)

    def test_a_row_without_an_answer_says_why_it_has_none(self, tmp_path: Path) -> None:
        row = {
            "machine_type": "n9",
            "path_class": "inter-region-internal",
            "src_location": "us-central1-a",
            "dst_location": "europe-west1-b",
            "rtt_ms": "50",
        }
        (why,) = reasons(answered(written(tmp_path / "t.csv", row)))
        assert "the machine series 'n9' is unknown" in why


FIGURES = ("gbps", "low_gbps", "high_gbps")


def assert_alike(one: TableAnswer, other: TableAnswer) -> None:
    for name in FIGURES:
        mine, theirs = (getattr(found.predictions, name) for found in (one, other))
        np.testing.assert_array_equal(mine, theirs)


class TestUnknownRows:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"machine_type": "n9-standard-1"}, "the machine series 'n9' is unknown"),
            ({"machine_type": ""}, "machine"),
            ({"path_class": "router-forwarding"}, "netplan does not predict this path class"),
            ({"path_class": ""}, "no path class"),
            ({"path_class": "hybrid"}, "hybrid"),
            ({"rtt_ms": ""}, "round-trip time"),
            ({"rtt_ms": "", "streams": "", "duration_s": "5"}, "round-trip time"),
            ({"date": "soon"}, "not a date: soon"),
            ({"date": "2011-01-01"}, "no documented cap"),
            (dict.fromkeys(PLAIN, ""), "no path class"),
        ],
    )
    def test_a_row_that_cannot_be_judged_has_a_reason_and_no_number(
        self, tmp_path: Path, change: dict[str, str], said: str
    ) -> None:
        empty = {"cloud": "", "duration_s": ""}
        path = written(tmp_path / "t.csv", PLAIN | empty, PLAIN | empty | change)
        found = answered(path)
        for name in FIGURES:
            assert np.isnan(getattr(found.predictions, name)).tolist() == [False, True]
        assert found.predictions.binding[1] == -1
        why = reasons(found)
        assert why[0] == ""
        assert said in why[1]

    def test_absent_columns_are_unknown_and_no_rows_have_no_answers(self, tmp_path: Path) -> None:
        row = {"machine_type": "n2-standard-8"}
        assert reasons(answered(written(tmp_path / "t.csv", row))) == ["no path class"]
        empty = written(tmp_path / "t.csv", columns=list(PLAIN))
        assert answered(empty).predictions.gbps.shape == (0,)


class TestMeasuredValues:
    @pytest.mark.parametrize("name", ["value", "gbps"])
    def test_no_prediction_depends_on_them(self, tmp_path: Path, name: str) -> None:
        rows = [PLAIN, PLAIN | {"streams": "1"}, PLAIN | {"machine_type": "n9"}]
        plain = answered(written(tmp_path / "plain.csv", *rows))
        for cell in ("1", "99", "", "not a number"):
            path = written(tmp_path / "t.csv", *[row | {name: cell} for row in rows])
            assert_alike(answered(path), plain)


def test_parquet_gets_what_csv_gets(tmp_path: Path) -> None:
    rows = [
        PLAIN | {"bytes": "", "tier1": "true", "mtu": "1460", "vcpus": "32"},
        PLAIN | {"bytes": "1000000000", "tier1": "", "mtu": "", "vcpus": ""},
        PLAIN | {"streams": "", "rtt_ms": "", "bytes": "", "tier1": "", "mtu": "8896", "vcpus": ""},
    ]
    path = written(tmp_path / "t.csv", *rows)
    text, typed = answered(path), answered(as_parquet(path))
    assert_alike(text, typed)
    assert reasons(text) == reasons(typed)
