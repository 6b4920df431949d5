"""Named cases: what inputs may be that nobody told, each with a value and an interval."""

from datetime import date

import msgspec
import pytest

from netplan_planner.model import Case, PathQuery
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.cases import cases_of
from netplan_planner.throughput.limits.senders import core_flow
from netplan_planner.throughput.open_runs import SLIGHT
from support.paths.queries import CLASSES, DAY, end, estimate, path

TOLD = {"window_bytes": 2**22, "send_buffer_bytes": 2**22}


def cases(query: PathQuery, day: date = DAY) -> dict[str, Case]:
    return {one.name: one for one in cases_of(query, estimate(query, day), load_caps(day))}


def test_of_what_is_told_there_are_none() -> None:
    query = path("inter-region-external", "n2-standard-8", **TOLD)
    assert cases(query) == {}


def test_without_streams_each_number_has_its_value() -> None:
    query = path("internet", "n2-standard-32", streams=None, rtt_ms=100.0, **TOLD)
    found = cases(query)
    for count, name in ((1, "1 stream"), (8, "8 streams")):
        told = estimate(msgspec.structs.replace(query, streams=count))
        assert found[name].gbps == pytest.approx(told.gbps)
        assert found[name].binding_limit == "send-buffer-over-rtt"


@pytest.mark.parametrize("receiver", ["n2-standard-32", "e2-small"])
@pytest.mark.parametrize("size", [1_000, 2**30, 100 * 2**30])
def test_cases_of_a_transfer_are_means_over_its_bytes_as_the_value_is(
    size: int, receiver: str
) -> None:
    caps = load_caps(DAY)
    query = path(
        "inter-region-internal",
        "n2-standard-32",
        dst=end(receiver),
        streams=None,
        rtt_ms=100.0,
        transfer_bytes=size,
    )
    whole = predict(query, caps, may_assume=True)
    for one in cases_of(query, whole, caps):
        if one.of == "streams":
            told = msgspec.structs.replace(query, streams=int(one.name.split()[0]))
            assert one.gbps == pytest.approx(estimate(told).gbps)
        else:
            assert (whole.low_gbps or 99) <= (one.gbps or 0) <= (whole.high_gbps or 0)


def test_a_transfer_takes_at_least_one_way_and_as_open_a_start_as_told_streams() -> None:
    caps = load_caps(DAY)
    query = path(
        "inter-region-internal", "n2-standard-32", streams=None, rtt_ms=100.0, transfer_bytes=1000
    )
    query = msgspec.structs.replace(query, low_rtt_ms=90.0, high_rtt_ms=110.0)
    told = msgspec.structs.replace(query, streams=1)
    for one in (query, told):
        found = predict(one, caps, may_assume=True)
        assert (found.high_gbps or 99) <= 8e-6 / 0.045 * 1.001
        # What is not known of the round trip is in the time.
        assert (found.low_gbps or 99) < 0.95 * (found.gbps or 0)
        assert (found.low_duration_s or 0) >= 0.045 * 0.999


def test_one_core_may_carry_the_streams_of_a_great_machine() -> None:
    query = path("same-zone-internal", "n2-highmem-80", streams=64, rtt_ms=0.1)
    (only,) = (one for one in cases(query).values() if one.of == "threads")
    core = core_flow(DAY)
    assert core is not None
    assert only.gbps == pytest.approx(core.gbps)
    assert only.low_gbps == pytest.approx(core.low_gbps, rel=0.05)
    assert only.binding_limit == "single-flow-core"
    assert not any(
        one.of == "threads" for one in cases(path("same-zone-internal", "n2-standard-2")).values()
    )


def test_a_window_elsewhere_has_both_ends_of_its_range() -> None:
    found = cases(path("internet", "n2-standard-8", rtt_ms=200.0))
    names = [name for name, one in found.items() if one.of == "window"]
    assert names == ["window 1.08 MB", "window 4.19 MB"]
    low, high = (found[name].gbps or 0 for name in names)
    assert high > 3 * low


def test_of_a_set_up_that_nobody_told_packets_may_pass_one_by_one() -> None:
    one = end("n2-standard-32", mtu_bytes=None)
    query = path("same-zone-internal", one, rtt_ms=0.1)
    (only,) = (case for case in cases(query).values() if case.of == "set-up")
    # 1408 bytes in 1.41 us.
    assert only.gbps == pytest.approx(7.99, abs=0.01)
    assert (estimate(query).low_gbps or 99) <= (only.low_gbps or 0)
    told = path("same-zone-internal", end("n2-standard-32", mtu_bytes=1460), rtt_ms=0.1)
    assert not any(case.of == "set-up" for case in cases(told).values())


def test_a_cap_that_a_page_contradicts_has_the_other_figure_as_a_case() -> None:
    found = estimate(path("same-zone-internal", "e2-small", streams=None, rtt_ms=None))
    case = cases(path("same-zone-internal", "e2-small", streams=None, rtt_ms=None))
    assert case["cap 2 Gbit/s, value of another source"].gbps == 2
    assert found.gbps == 1
    assert found.high_gbps == pytest.approx(2 * 1.02)


def test_between_two_dated_figures_a_core_may_be_either() -> None:
    found = cases(path("same-zone-internal", "n1-standard-16", rtt_ms=0.1), date(2016, 6, 1))
    assert found["a core of an earlier day"].gbps == pytest.approx(6.03, abs=0.01)


@pytest.mark.parametrize("machine_type", ["n2-standard-32", "c4n-highmem-8", "e2-small"])
@pytest.mark.parametrize("path_class", CLASSES)
@pytest.mark.parametrize("count", [None, 1, 64])
def test_each_moves_the_value_and_lies_around_its_own(
    path_class: str, machine_type: str, count: int | None
) -> None:
    query = path(path_class, end(machine_type, mtu_bytes=None), streams=count)
    whole = estimate(query)
    for one in cases(query).values():
        assert one.gbps is not None
        assert (one.low_gbps or 99) <= one.gbps <= (one.high_gbps or 0)
        assert not SLIGHT <= one.gbps / (whole.gbps or 0) <= 1 / SLIGHT
        # Nothing that is told or likely is open in a case: it never reaches beyond the whole.
        if count is not None:
            assert (whole.low_gbps or 99) <= (one.low_gbps or 0) * (1 + 1e-9)
            assert (one.high_gbps or 99) <= (whole.high_gbps or 0) * (1 + 1e-9)
