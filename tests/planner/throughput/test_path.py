"""The least limit of a path: the old stories replayed, and what each limit depends on."""

from datetime import date, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import (
    Change,
    ChangeKind,
    Estimate,
    LimitKind,
    PathClass,
    PathEnd,
    PathQuery,
    SelfLink,
    SetUp,
)
from netplan_planner.throughput import (
    apply_change,
    load_caps,
    predict,
    predict_all,
    single_flow,
)
from netplan_planner.throughput import path as path_module
from netplan_planner.throughput.cases import cases_of
from netplan_planner.throughput.limits.path_limits import SLOW_OUTSIDE_UNTIL
from netplan_planner.throughput.limits.senders import core_flow
from support.listed import listed

TODAY = date(2026, 11, 21)
JULY_2017 = date(2017, 7, 20)


def query(
    path_class: str,
    src: str | PathEnd | None,
    dst: str | PathEnd | None = None,
    *,
    streams: int | None = None,
    rtt_ms: float | None = None,
    window_bytes: int | None = None,
    send_buffer_bytes: int | None = None,
) -> PathQuery:
    """Return a path between two machines, of the same type unless said otherwise."""
    return PathQuery(
        path_class=PathClass(path_class),
        src=src if isinstance(src, PathEnd) else PathEnd(machine_type=src),
        dst=dst if isinstance(dst, PathEnd) else PathEnd(machine_type=dst or str(src)),
        streams=streams,
        rtt_ms=rtt_ms,
        window_bytes=window_bytes,
        send_buffer_bytes=send_buffer_bytes,
    )


def estimate(
    path_class: str,
    src: str | PathEnd | None,
    as_of: date = TODAY,
    *,
    streams: int | None = None,
    rtt_ms: float | None = None,
    window_bytes: int | None = None,
) -> Estimate:
    path = query(path_class, src, streams=streams, rtt_ms=rtt_ms, window_bytes=window_bytes)
    return predict(path, load_caps(as_of))


def names(found: Estimate) -> list[str]:
    return [limit.name for limit in found.limits]


class TestTheGeckoStory:
    """Two faults that only help when both are mended."""

    @listed("day", [JULY_2017, date(2017, 7, 27)])
    @listed(
        ("machine_type", "path_class", "expected", "binding"),
        [
            ("n1-standard-1", "same-zone-external", 1.6, "external-path"),
            ("n1-standard-1", "same-zone-internal", 2.0, "vm-egress"),
            ("n1-standard-16", "same-zone-external", 1.6, "external-path"),
            ("n1-standard-16", "same-zone-internal", 16.0, "vm-egress"),
        ],
    )
    def test_all_four_combinations(
        self, day: date, machine_type: str, path_class: str, expected: float, binding: str
    ) -> None:
        found = estimate(path_class, machine_type, day)
        assert found.gbps == expected
        assert found.binding is not None
        assert found.binding.name == binding

    def test_the_external_path_is_measured_and_has_a_range(self) -> None:
        binding = estimate("same-zone-external", "n1-standard-16", JULY_2017).binding
        assert binding is not None
        assert binding.kind is LimitKind.MEASURED
        assert (binding.low_gbps, binding.high_gbps) == (0.884, 1.7)
        assert binding.lifted_by == "the internal address"

    def test_the_cap_is_documented(self) -> None:
        binding = estimate("same-zone-internal", "n1-standard-1", JULY_2017).binding
        assert binding is not None
        assert binding.kind is LimitKind.DOCUMENTED
        assert binding.as_of == date(2017, 7, 20)
        assert binding.detail == "n1-standard-1"

    def test_each_change_alone_and_both_together(self) -> None:
        caps = load_caps(JULY_2017)
        now = query("same-zone-external", "n1-standard-1", "n1-standard-16")
        address = Change(kind=ChangeKind.INTERNAL_ADDRESS, target=SelfLink("p"))
        bigger = Change(kind=ChangeKind.MACHINE_TYPE, target=SelfLink("p"), to="n1-standard-16")
        rates = [
            predict(changed, caps).gbps
            for changed in (
                now,
                apply_change(now, address),
                apply_change(now, bigger),
                apply_change(apply_change(now, address), bigger),
            )
        ]
        assert rates == [1.6, 2.0, 1.6, 16.0]

    @pytest.mark.parametrize("machine_type", ["n1-standard-1", "n1-standard-16"])
    def test_the_interval_after_its_last_day_still_holds_its_figures(
        self, machine_type: str
    ) -> None:
        path = query("same-zone-external", machine_type)
        before, after = (
            predict(path, load_caps(day), may_assume=True)
            for day in (SLOW_OUTSIDE_UNTIL, SLOW_OUTSIDE_UNTIL + timedelta(days=1))
        )
        assert before.gbps is not None
        assert after.low_gbps is not None
        assert after.high_gbps is not None
        assert after.low_gbps <= (before.low_gbps or 0) <= before.gbps <= after.high_gbps
        for found in (before, after):
            assert any("2017-08" in said for said in found.assumed)

    def test_while_it_was_measured_nothing_is_assumed_of_it(self) -> None:
        path = query("same-zone-external", "n1-standard-16")
        assert predict(path, load_caps(JULY_2017), may_assume=True).assumed == ()

    @pytest.mark.parametrize(
        ("day", "is_said"), [(date(2018, 6, 1), True), (date(2022, 6, 1), False)]
    )
    def test_a_day_without_a_document_for_the_outside_is_said(
        self, day: date, is_said: bool
    ) -> None:
        path = query("inter-zone-external", PathEnd(machine_type="n1-standard-8"))
        found = predict(path, load_caps(day), may_assume=True)
        assert any("no document of that day" in said for said in found.assumed) == is_said

    def test_between_zones_nobody_measured_the_external_path(self) -> None:
        found = estimate("inter-zone-external", "n1-standard-16", JULY_2017)
        assert found.gbps is None
        assert found.binding is None
        assert "the external cap of n1-standard-16 is not documented" in found.unknown[0]


class TestTheOtherStories:
    @pytest.mark.parametrize(("vcpus", "expected"), [(1, 2), (2, 4), (4, 8), (8, 16), (32, 16)])
    def test_egress_grows_with_the_vcpus_to_16(self, vcpus: int, expected: float) -> None:
        found = estimate("same-zone-internal", f"n1-standard-{vcpus}", JULY_2017)
        assert found.gbps == expected

    def test_one_stream_stops_near_10(self) -> None:
        found = single_flow(query("same-zone-internal", "n1-standard-16"), load_caps(JULY_2017))
        assert found.binding is not None
        assert found.binding.name == "internal-flow"
        assert found.binding.low_gbps == 10
        eight = estimate("same-zone-internal", "n1-standard-16", JULY_2017, streams=8)
        assert eight.gbps == 16

    def test_the_zone_matrix_has_a_cap_of_16(self) -> None:
        day = date(2017, 12, 7)
        assert estimate("inter-zone-internal", "n1-highmem-8", day).gbps == 16
        one = estimate("inter-zone-internal", "n1-highmem-8", day, streams=1)
        assert one.gbps == pytest.approx(7.735)
        assert names(one) == ["internal-flow", "vm-egress"]


class TestToday:
    def test_the_external_cap_binds_before_the_machine(self) -> None:
        found = estimate("same-zone-external", "n2-standard-32")
        assert found.gbps == 7
        assert names(found) == ["external-egress", "external-ingress", "vm-egress"]

    def test_tier1_raises_both(self) -> None:
        end = PathEnd(machine_type="n2-standard-32", is_tier1=True)
        assert estimate("internet", end).gbps == 25
        assert estimate("inter-zone-internal", end).gbps == 50

    def test_tier1_where_it_is_not_offered_changes_nothing(self) -> None:
        end = PathEnd(machine_type="e2-standard-4", is_tier1=True)
        assert estimate("same-zone-internal", end).gbps == 8

    def test_one_flow_to_the_outside_gets_3(self) -> None:
        assert estimate("internet", "n2-standard-32", streams=1).gbps == 3
        assert estimate("internet", "n2-standard-32", streams=2).gbps == 6
        assert estimate("internet", "n2-standard-32", streams=64).gbps == 7

    def test_without_a_number_of_streams_no_limit_of_a_flow_counts(self) -> None:
        assert names(estimate("internet", "n2-standard-32", rtt_ms=100.0)) == [
            "external-egress",
            "vm-egress",
        ]

    @pytest.mark.parametrize("streams", [None, 1, 16, 64])
    @pytest.mark.parametrize("nics", [1, 2])
    def test_one_core_may_carry_all_flows_where_a_rate_of_one_is_documented(
        self, streams: int | None, nics: int
    ) -> None:
        """Nobody has measured these machines: a document promises no machine that rate."""
        src = PathEnd(machine_type="c4n-standard-192", nic_count=nics)
        path = query("same-zone-internal", src, src, streams=streams, rtt_ms=0.1)
        found, core = predict(path, load_caps(TODAY)), core_flow(TODAY)
        assert core is not None
        cases = cases_of(path, found, load_caps(TODAY))
        least = min([found.low_gbps or 0.0, *(one.low_gbps or 0.0 for one in cases)])
        assert least <= (core.low_gbps or 0)
        assert found.gbps == pytest.approx(min(200 * nics, 50 * (streams or 8)), rel=0.15)
        # As many streams as it takes spread over cores: that one carries them is a case.
        assert streams is not None or "threads" in {one.of for one in cases}

    def test_c4n_has_a_limit_per_flow_inside_only_with_its_like(self) -> None:
        same = query("same-zone-internal", "c4n-standard-192", streams=1)
        other = query("same-zone-internal", "c4n-standard-192", "n2-standard-8", streams=1)
        caps = load_caps(TODAY)
        assert predict(same, caps).gbps == 50
        elsewhere = predict(other, caps)
        assert elsewhere.binding is not None
        assert elsewhere.binding.name == "single-flow-core"

    def test_the_receiver_counts_packets_too(self) -> None:
        src = PathEnd(machine_type="c4n-standard-192", mtu_bytes=8896)
        dst = PathEnd(machine_type="n2-standard-8", mtu_bytes=1460)
        found = predict(query("same-zone-external", src, dst), load_caps(TODAY))
        assert found.binding is not None
        assert found.binding.name == "external-ingress-packets"
        assert found.gbps == pytest.approx(21.024)

    def test_nothing_limits_the_receiver_inside_the_vpc_or_outside_google(self) -> None:
        for path_class in ("same-zone-internal", "internet"):
            assert not [n for n in names(estimate(path_class, "n2-standard-8")) if "ingress" in n]

    def test_equal_limits_name_the_machine_first(self) -> None:
        found = estimate("internet", "e2-standard-2")
        assert found.gbps == 4
        assert names(found) == ["vm-egress", "external-egress"]


class TestWindow:
    def test_the_default_window_binds_a_long_single_stream(self) -> None:
        found = estimate("inter-region-internal", "n1-standard-2", streams=1, rtt_ms=33.0)
        assert found.binding is not None
        assert found.binding.name == "window-over-rtt"
        assert found.gbps == pytest.approx(0.7412, abs=1e-3)

    def test_streams_multiply_it_until_the_cap_binds(self) -> None:
        rates = [
            estimate("inter-region-internal", "n1-standard-2", streams=n, rtt_ms=33.0).gbps
            for n in (1, 4, 32)
        ]
        assert rates[1] == pytest.approx(4 * (rates[0] or 0))
        assert rates[2] == 10

    def test_a_given_window_replaces_it(self) -> None:
        path = query(
            "inter-region-internal",
            "n2-standard-8",
            streams=1,
            rtt_ms=100.0,
            window_bytes=10**8,
            send_buffer_bytes=2**28,
        )
        found = predict(path, load_caps(TODAY))
        assert found.binding is not None
        assert found.binding.gbps == 8
        # A stream that is alone shares with nobody: it has all of its window.
        assert found.gbps == pytest.approx(8)
        assert found.binding.source == "given in the request"

    def test_a_stock_sender_holds_back_what_a_greater_window_lets_in(self) -> None:
        """4 MiB over 200 ms: on a test bed 0.14 and 0.157 Gbit/s, and 0.26 of 8 MiB."""
        path = query(
            "inter-region-internal", "n2-standard-8", streams=1, rtt_ms=200.0, window_bytes=2**26
        )
        found = predict(path, load_caps(TODAY))
        assert names(found)[:2] == ["send-buffer-over-rtt", "window-over-rtt"]
        assert found.gbps == pytest.approx(0.133, abs=1e-3)
        assert (found.low_gbps or 1) < 0.14 < 0.157 < (found.high_gbps or 0) < 0.18
        assert found.binding is not None
        assert "send buffer" in (found.binding.lifted_by or "")
        assert "receive window" not in (found.binding.lifted_by or "")
        assert any("4 MiB, the Linux default" in said for said in found.assumed)
        greater = msgspec.structs.replace(path, send_buffer_bytes=2**23)
        found = predict(greater, load_caps(TODAY))
        assert (found.low_gbps or 1) < 0.262 < (found.high_gbps or 0)
        assert not any("as Linux has it" in said for said in found.assumed)

    def test_buffers_of_a_set_up_count_where_the_path_has_none_of_its_own(self) -> None:
        path = query("inter-region-internal", "n2-standard-8", streams=1, rtt_ms=200.0)
        set_up = SetUp(receive_buffer_bytes=12 * 2**20, send_buffer_bytes=2**28)
        twice = msgspec.structs.replace(
            path,
            src=msgspec.structs.replace(path.src, set_up=set_up),
            dst=msgspec.structs.replace(path.dst, set_up=set_up),
        )
        stock, found = (predict(one, load_caps(TODAY)) for one in (path, twice))
        assert found.gbps == pytest.approx(2 * (stock.gbps or 0))
        assert found.binding is not None
        assert found.binding.source == "given for the VM"
        own = msgspec.structs.replace(twice, window_bytes=10**6)
        assert predict(own, load_caps(TODAY)).gbps == pytest.approx(8 * 1e-3 / 0.2, rel=1e-6)

    def test_another_congestion_control_than_the_model_s_is_said(self) -> None:
        path = query("inter-region-internal", "n2-standard-8", streams=1, rtt_ms=200.0)
        bbr = msgspec.structs.replace(
            path, src=msgspec.structs.replace(path.src, set_up=SetUp(congestion_control="bbr"))
        )
        said = [
            [
                text
                for text in predict(one, load_caps(TODAY)).assumed
                if "start and recovery are modelled for CUBIC, but the sender uses" in text
            ]
            for one in (path, bbr)
        ]
        assert [len(texts) for texts in said] == [0, 1]

    def test_between_stock_machines_the_receiver_decides_as_it_was_seen_to(self) -> None:
        found = estimate("inter-region-internal", "n2-standard-8", streams=1, rtt_ms=200.0)
        assert names(found)[:2] == ["window-over-rtt", "send-buffer-over-rtt"]
        assert found.gbps == pytest.approx(8 * 3.057e-3 / 0.2, rel=0.01)

    def test_that_of_a_peer_outside_is_assumed_and_may_be_a_third(self) -> None:
        found = estimate("internet", "n2-standard-8", streams=1, rtt_ms=100.0)
        own = estimate("inter-region-internal", "n2-standard-8", streams=1, rtt_ms=100.0)
        assert any("the receive window is unknown" in said for said in found.assumed)
        assert (found.low_gbps or 1) < (own.low_gbps or 0) / 2

    @pytest.mark.parametrize("rtt_ms", [None, 0.0, -1.0])
    def test_an_rtt_that_is_not_known_leaves_it_out(self, rtt_ms: float | None) -> None:
        found = estimate("inter-region-internal", "n2-standard-8", streams=1, rtt_ms=rtt_ms)
        assert names(found) == ["vm-egress", "single-flow-core"]
        assert any("unknown round-trip time" in said for said in found.assumed)


class TestUnknown:
    @listed(
        ("path_class", "src", "reason"),
        [
            ("same-zone-internal", "n9-standard-8", "the machine series 'n9' is unknown"),
            ("same-zone-internal", "n1-standard-16", "depends on the CPU platform"),
            ("same-zone-internal", None, "the machine type of the sender is unknown"),
            ("internet", "z4d-highmem-8-highlssd", "the external cap of"),
            ("google-apis", "n2-standard-8", "no document states"),
            ("load-balancer", "n2-standard-8", "no document states"),
            ("hybrid", "n2-standard-8", "no document states"),
            ("same-node-pod", "n2-standard-8", "no document states"),
            ("unknown", "n2-standard-8", "no document states"),
        ],
    )
    def test_it_is_none_with_the_reason(
        self, path_class: str, src: str | None, reason: str
    ) -> None:
        found = estimate(path_class, src)
        assert found.gbps is None
        assert found.binding is None
        assert reason in " ".join(found.unknown)

    def test_every_class_answers(self) -> None:
        for path_class in PathClass:
            found = estimate(path_class.value, "n2-standard-8", streams=1, rtt_ms=1.0)
            assert (found.gbps is None) == bool(found.unknown)


TYPES = st.sampled_from(
    [
        "n2-standard-2",
        "n2-standard-8",
        "n2-standard-32",
        "n2-highmem-80",
        "e2-small",
        "c4n-highmem-8",
    ]
)
CLASSES = st.sampled_from([c for c in PathClass if c.distance or c is PathClass.INTERNET])
RTTS = st.floats(0.05, 300)
STREAMS = st.integers(1, 128)


class TestProperties:
    @given(TYPES, CLASSES, RTTS, STREAMS, st.integers(1, 64))
    def test_more_streams_never_lower_it(
        self, src: str, path_class: PathClass, rtt: float, streams: int, more: int
    ) -> None:
        few = estimate(path_class, src, streams=streams, rtt_ms=rtt).gbps
        many = estimate(path_class, src, streams=streams + more, rtt_ms=rtt).gbps
        assert few is not None
        assert many is not None
        assert few <= many

    @given(TYPES, CLASSES, RTTS, STREAMS, st.floats(0, 300))
    def test_a_longer_rtt_never_raises_it(
        self, src: str, path_class: PathClass, rtt: float, streams: int, more: float
    ) -> None:
        near = estimate(path_class, src, streams=streams, rtt_ms=rtt).gbps or 0
        far = estimate(path_class, src, streams=streams, rtt_ms=rtt + more).gbps or 0
        assert far <= near

    @given(TYPES, CLASSES, st.one_of(st.none(), STREAMS), RTTS)
    def test_tier1_and_the_internal_address_never_lower_it(
        self, src: str, path_class: PathClass, streams: int | None, rtt: float
    ) -> None:
        now = query(path_class, src, streams=streams, rtt_ms=rtt)
        caps = load_caps(TODAY)
        link = SelfLink("p")
        before = predict(now, caps).gbps or 0
        for kind in (ChangeKind.TIER_1, ChangeKind.INTERNAL_ADDRESS):
            after = predict(apply_change(now, Change(kind=kind, target=link)), caps).gbps or 0
            assert before <= after

    @given(TYPES, CLASSES, st.one_of(st.none(), STREAMS), RTTS)
    def test_the_first_of_the_rising_limits_binds(
        self, src: str, path_class: PathClass, streams: int | None, rtt: float
    ) -> None:
        found = estimate(path_class, src, streams=streams, rtt_ms=rtt)
        rates = [limit.gbps for limit in found.limits]
        assert rates == sorted(rates)
        # The soft minimum of two equal limits is the cube root of two below them.
        assert 0.79 * rates[0] <= (found.gbps or 0) <= rates[0]
        assert all(limit.source and limit.lifted_by for limit in found.limits)


class TestChanges:
    def test_a_change_of_address_leaves_other_classes_alone(self) -> None:
        change = Change(kind=ChangeKind.INTERNAL_ADDRESS, target=SelfLink("p"))
        before = query("internet", "n2-standard-8")
        assert apply_change(before, change) == before

    def test_the_cpu_platform_stays_within_the_series_only(self) -> None:
        end = PathEnd(machine_type="n1-standard-8", cpu_platform="Intel Skylake")
        before = query("same-zone-internal", end)

        def to(machine_type: str) -> PathEnd:
            change = Change(kind=ChangeKind.MACHINE_TYPE, target=SelfLink("p"), to=machine_type)
            return apply_change(before, change).src

        assert to("n1-standard-16").cpu_platform == "Intel Skylake"
        assert to("n2-standard-16").cpu_platform is None


class TestManyAtOnce:
    def test_each_is_what_the_single_question_gets(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(path_module, "_answers", {})
        caps = load_caps(TODAY)
        asked = [
            query("same-zone-internal", "n2-standard-8", "n2-standard-8"),
            query("internet", "n2-standard-32"),
            query("inter-region-internal", "e2-small", "c3-standard-8", streams=4, rtt_ms=90.0),
            query("inter-zone-internal", "no-such-type", "n2-standard-8"),
            query("same-zone-internal", "n2-standard-8", "n2-standard-8"),
            query("inter-region-internal", "e2-small", "c3-standard-8", streams=4),
        ]
        together = predict_all(asked, caps)
        assert [one.gbps is None for one in together] == [False, False, False, True, False, False]
        for one, estimate in zip(asked, together, strict=True):
            path_module._answers.clear()
            assert predict(one, caps) == estimate

    def test_no_more_than_so_many_are_remembered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(path_module, "_answers", {})
        monkeypatch.setattr(path_module, "_REMEMBERED", 3)
        caps = load_caps(TODAY)
        asked = [
            query("internet", f"n2-standard-{vcpus}", streams=streams)
            for vcpus in (2, 4, 8)
            for streams in (1, 2)
        ]
        assert len(predict_all(asked, caps)) == 6
        assert len(path_module._answers) == 3
