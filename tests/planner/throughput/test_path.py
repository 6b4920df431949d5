"""The least limit of a path: the old stories replayed, and what each limit depends on."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.model import Change, ChangeKind, PathClass, PathEnd, PathQuery, SelfLink, SetUp
from netplan_planner.throughput import (
    apply_change,
    edge_query,
    instance_end,
    load_caps,
    predict,
    predict_all,
    single_flow,
)
from netplan_planner.throughput import path as path_module
from netplan_planner.throughput.cases import cases_of
from netplan_planner.throughput.limits.host import core_flow
from netplan_planner.throughput.limits.path_limits import SLOW_OUTSIDE_UNTIL
from support.listed import listed
from support.rules.facts import facts_of, machine

TODAY = date(2026, 11, 21)
JULY_2017, DECEMBER_2017 = date(2017, 7, 20), date(2017, 12, 7)
OUTSIDE, INSIDE = "same-zone-external", "same-zone-internal"
ZONES, REGIONS = "inter-zone-internal", "inter-region-internal"
LINK = SelfLink("p")
MACHINE, B = (machine(name, "n1-standard-16") for name in ("a", "b"))
N2 = PathEnd(machine_type="n2-standard-8", mtu_bytes=1460)
C4N = PathEnd(machine_type="c4n-standard-192", mtu_bytes=8896)
near = pytest.approx


def query(path_class: str, src: Any, dst: Any = None, **more: Any) -> PathQuery:
    """Return a path between two machines, of the same type unless said otherwise."""
    if dst is None:
        dst = PathEnd(machine_type=str(src))
    ends = [one if isinstance(one, PathEnd) else PathEnd(machine_type=one) for one in (src, dst)]
    return PathQuery(path_class=PathClass(path_class), src=ends[0], dst=ends[1], **more)


def estimate(path_class: str, src: Any, as_of: date = TODAY, **more: Any) -> model.Estimate:
    return predict(query(path_class, src, **more), load_caps(as_of))


def binding_of(found: model.Estimate) -> model.Limit:
    assert found.binding is not None
    return found.binding


def names(found: model.Estimate) -> list[str]:
    return [limit.name for limit in found.limits]


def tier1(machine_type: str) -> PathEnd:
    return PathEnd(machine_type=machine_type, is_tier1=True)


@listed(
    "path_class, src, day, streams, gbps, limits",
    [
        # Two faults of July 2017 that only help when both are mended.
        (OUTSIDE, "n1-standard-1", JULY_2017, None, 1.6, "external-path vm-egress"),
        (OUTSIDE, "n1-standard-1", date(2017, 7, 27), None, 1.6, "external-path vm-egress"),
        (OUTSIDE, "n1-standard-16", JULY_2017, None, 1.6, "external-path vm-egress"),
        (OUTSIDE, "n1-standard-16", date(2017, 7, 27), None, 1.6, "external-path vm-egress"),
        (INSIDE, "n1-standard-1", date(2017, 7, 27), None, 2, "vm-egress"),
        (INSIDE, "n1-standard-16", date(2017, 7, 27), None, 16, "vm-egress"),
        # Egress grew with the vCPUs to 16; one stream stopped below.
        (INSIDE, "n1-standard-1", JULY_2017, None, 2, "vm-egress"),
        (INSIDE, "n1-standard-2", JULY_2017, None, 4, "vm-egress"),
        (INSIDE, "n1-standard-4", JULY_2017, None, 8, "vm-egress"),
        (INSIDE, "n1-standard-8", JULY_2017, None, 16, "vm-egress"),
        (INSIDE, "n1-standard-16", JULY_2017, None, 16, "vm-egress"),
        (INSIDE, "n1-standard-32", JULY_2017, None, 16, "vm-egress"),
        (INSIDE, "n1-standard-16", JULY_2017, 8, 16, "vm-egress internal-flow"),
        (ZONES, "n1-highmem-8", DECEMBER_2017, None, 16, "vm-egress"),
        (ZONES, "n1-highmem-8", DECEMBER_2017, 1, near(7.735), "internal-flow vm-egress"),
        # Today the external cap binds before the machine; of equal limits the machine's is first.
        (OUTSIDE, "n2-standard-32", TODAY, None, 7, "external-egress external-ingress vm-egress"),
        ("internet", "e2-standard-2", TODAY, None, 4, "vm-egress external-egress"),
        # Tier_1 raises both, and nothing where it is not offered.
        ("internet", tier1("n2-standard-32"), TODAY, None, 25, "external-egress vm-egress"),
        (ZONES, tier1("n2-standard-32"), TODAY, None, 50, "vm-egress"),
        (INSIDE, tier1("e2-standard-4"), TODAY, None, 8, "vm-egress"),
        # Nothing limits the receiver inside the VPC or outside Google.
        (INSIDE, "n2-standard-8", TODAY, None, 16, "vm-egress"),
        ("internet", "n2-standard-8", TODAY, None, 7, "external-egress vm-egress"),
    ],
)
def test_the_limits_of_a_day(
    path_class: str, src: Any, day: date, streams: int | None, gbps: Any, limits: str
) -> None:
    found = estimate(path_class, src, day, streams=streams)
    assert found.gbps == gbps
    assert names(found) == limits.split()
    assert binding_of(found) == found.limits[0]


STOCK: dict[str, Any] = {"streams": 1, "rtt_ms": 200.0}
GIVEN: dict[str, Any] = {
    **STOCK,
    "rtt_ms": 100.0,
    "window_bytes": 10**8,
    "send_buffer_bytes": 2**28,
}
WINDOWS = "window-over-rtt send-buffer-over-rtt"


@listed(
    "path_class, src, more, gbps, first_limits",
    [
        # One flow to the outside gets 3.
        ("internet", "n2-standard-32", {"streams": 1}, 3, "external-flow external-egress"),
        ("internet", "n2-standard-32", {"streams": 2}, 6, "external-flow external-egress"),
        ("internet", "n2-standard-32", {"streams": 64}, 7, "external-egress vm-egress"),
        # A limit per flow inside is one among machines that have it.
        (INSIDE, C4N, {"streams": 1, "dst": C4N}, 50, "internal-flow nic-egress"),
        (INSIDE, C4N, {"streams": 1, "dst": N2}, 25.7, "single-flow-core receiver-cores"),
        # The receiver counts packets too.
        (OUTSIDE, C4N, {"dst": N2}, near(21.024), "external-ingress-packets external-ingress"),
        # The default window binds a long single stream; streams multiply it until the cap binds,
        # and share a limit imperfectly: a little is lost well below it.
        (REGIONS, "n1-standard-2", {"streams": 1, "rtt_ms": 33.0}, near(0.7412, abs=1e-3), WINDOWS),
        (REGIONS, "n1-standard-2", {"streams": 4, "rtt_ms": 33.0}, near(2.9648, rel=0.01), WINDOWS),
        (
            REGIONS,
            "n1-standard-2",
            {"streams": 32, "rtt_ms": 33.0},
            near(9.75, abs=0.02),
            "vm-egress",
        ),
        # A stream that is alone shares a given window with nobody: it has all of it.
        (REGIONS, N2, GIVEN, near(8), "window-over-rtt vm-egress"),
        # Between stock machines the receiver decides, as it was seen to.
        (REGIONS, N2, STOCK, near(8 * 3.057e-3 / 0.2, rel=0.01), WINDOWS),
    ],
)
def test_the_first_limits_of_streams(
    path_class: str, src: Any, more: dict[str, Any], gbps: Any, first_limits: str
) -> None:
    found, first = estimate(path_class, src, **more), first_limits.split()
    assert found.gbps == gbps
    assert names(found)[: len(first)] == first


def test_where_the_binding_limits_come_from() -> None:
    outside = binding_of(estimate(OUTSIDE, "n1-standard-16", JULY_2017))
    assert outside.kind is model.LimitKind.MEASURED
    assert (outside.low_gbps, outside.high_gbps) == (0.884, 1.7)
    assert outside.lifted_by == "the internal address"
    cap = binding_of(estimate(INSIDE, "n1-standard-1", JULY_2017))
    assert cap.kind is model.LimitKind.DOCUMENTED
    assert (cap.as_of, cap.detail) == (JULY_2017, "n1-standard-1")
    flow = binding_of(single_flow(query(INSIDE, "n1-standard-16"), load_caps(JULY_2017)))
    assert (flow.name, flow.low_gbps) == ("internal-flow", 10)
    window = binding_of(estimate(REGIONS, N2, **GIVEN))
    assert (window.gbps, window.source) == (8, "given with the question")


def test_each_change_alone_and_both_together() -> None:
    caps = load_caps(JULY_2017)
    now = query(OUTSIDE, "n1-standard-1", "n1-standard-16")
    address = Change(kind=ChangeKind.INTERNAL_ADDRESS, target=LINK)
    bigger = Change(kind=ChangeKind.MACHINE_TYPE, target=LINK, to="n1-standard-16")
    moved, grown = apply_change(now, address), apply_change(now, bigger)
    changed = (now, moved, grown, apply_change(moved, bigger))
    assert [predict(one, caps).gbps for one in changed] == [1.6, 2.0, 1.6, 16.0]


@pytest.mark.parametrize("machine_type", ["n1-standard-1", "n1-standard-16"])
def test_the_interval_after_its_last_day_still_holds_its_figures(machine_type: str) -> None:
    path = query(OUTSIDE, machine_type)
    days = (SLOW_OUTSIDE_UNTIL, SLOW_OUTSIDE_UNTIL + timedelta(days=1))
    before, after = (predict(path, load_caps(day), may_assume=True) for day in days)
    assert before.gbps is not None
    assert after.low_gbps is not None
    assert after.high_gbps is not None
    assert after.low_gbps <= (before.low_gbps or 0) <= before.gbps <= after.high_gbps
    for found in (before, after):
        assert any("2017-08" in said for said in found.assumed)
    # While it was measured nothing is assumed of it.
    assert predict(path, load_caps(JULY_2017), may_assume=True).assumed == ()


@pytest.mark.parametrize(("day", "is_said"), [(date(2018, 6, 1), True), (date(2022, 6, 1), False)])
def test_a_day_without_a_document_for_the_outside_is_said(day: date, is_said: bool) -> None:
    found = predict(query("inter-zone-external", "n1-standard-8"), load_caps(day), may_assume=True)
    assert any("no document of that day" in said for said in found.assumed) == is_said


@pytest.mark.parametrize("streams", [None, 1, 16, 64])
@pytest.mark.parametrize("nics", [1, 2])
def test_one_core_may_carry_all_flows_where_a_rate_of_one_is_documented(
    streams: int | None, nics: int
) -> None:
    """Nobody has measured these machines: a document promises no machine that rate."""
    src = PathEnd(machine_type="c4n-standard-192", nic_count=nics)
    path = query(INSIDE, src, src, streams=streams, rtt_ms=0.1)
    found, core = predict(path, load_caps(TODAY)), core_flow(TODAY)
    assert core is not None
    cases = cases_of(path, found, load_caps(TODAY))
    least = min([found.low_gbps or 0.0, *(one.low_gbps or 0.0 for one in cases)])
    assert least <= (core.low_gbps or 0)
    assert found.gbps == near(min(200 * nics, 50 * (streams or 8)), rel=0.15)
    # As many streams as it takes spread over cores: that one carries them is a case.
    assert streams is not None or "threads" in {one.of for one in cases}


def test_a_stock_sender_holds_back_what_a_greater_window_lets_in() -> None:
    """4 MiB over 200 ms: on a test bed 0.14 and 0.157 Gbit/s, and 0.26 of 8 MiB."""
    path = query(REGIONS, "n2-standard-8", window_bytes=2**26, **STOCK)
    found = predict(path, load_caps(TODAY))
    assert names(found)[:2] == ["send-buffer-over-rtt", "window-over-rtt"]
    assert found.gbps == near(0.133, abs=1e-3)
    assert (found.low_gbps or 1) < 0.14 < 0.157 < (found.high_gbps or 0) < 0.18
    way_out = binding_of(found).lifted_by or ""
    assert "send buffer" in way_out
    assert "receive window" not in way_out
    assert any("4 MiB, as Linux has it" in said for said in found.assumed)
    found = predict(replace(path, send_buffer_bytes=2**23), load_caps(TODAY))
    assert (found.low_gbps or 1) < 0.262 < (found.high_gbps or 0)
    assert not any("as Linux has it" in said for said in found.assumed)


def test_buffers_of_a_set_up_count_where_the_path_has_none_of_its_own() -> None:
    path = query(REGIONS, "n2-standard-8", **STOCK)
    set_up = SetUp(receive_buffer_bytes=12 * 2**20, send_buffer_bytes=2**28)
    src, dst = (replace(end, set_up=set_up) for end in (path.src, path.dst))
    twice = replace(path, src=src, dst=dst)
    stock, found = (predict(one, load_caps(TODAY)) for one in (path, twice))
    assert found.gbps == near(2 * (stock.gbps or 0))
    assert binding_of(found).source == "given with the question"
    own = replace(twice, window_bytes=10**6)
    assert predict(own, load_caps(TODAY)).gbps == near(8 * 1e-3 / 0.2, rel=1e-6)
    # Another congestion control than the model's is said.
    for name, count in (("", 0), ("bbr", 1)):
        src = PathEnd(machine_type="n2-standard-8", set_up=SetUp(congestion_control=name))
        found = estimate(REGIONS, src, dst=N2, **STOCK)
        assert sum("those of CUBIC" in said for said in found.assumed) == count


def test_the_window_of_a_peer_outside_is_assumed_and_may_be_a_third() -> None:
    outside, own = (
        estimate(path_class, "n2-standard-8", streams=1, rtt_ms=100.0)
        for path_class in ("internet", REGIONS)
    )
    assert any("receiver's window is not known" in said for said in outside.assumed)
    assert (outside.low_gbps or 1) < (own.low_gbps or 0) / 2


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"streams": 1}, ["vm-egress", "single-flow-core"]),
        ({"streams": 1, "rtt_ms": 0.0}, ["vm-egress", "single-flow-core"]),
        ({"streams": 1, "rtt_ms": -1.0}, ["vm-egress", "single-flow-core"]),
        ({"rtt_ms": 100.0}, ["vm-egress"]),
    ],
)
def test_what_is_not_known_of_streams_leaves_their_limits_out(
    more: dict[str, Any], left: list[str]
) -> None:
    found = estimate(REGIONS, "n2-standard-8", **more)
    assert names(found) == left
    assert any("no round-trip time" in said for said in found.assumed) == ("streams" in more)


@listed(
    "path_class, src, day, reason",
    [
        # In 2017 nobody measured the external path between zones.
        ("inter-zone-external", "n1-standard-16", JULY_2017,
         "no documented cap of n1-standard-16 for addresses outside"),
        (INSIDE, "n9-standard-8", TODAY, "no machine type 'n9-standard-8'"),
        (INSIDE, "n1-standard-16", TODAY, "depends on the CPU platform"),
        (INSIDE, PathEnd(machine_type=None), TODAY, "machine type is not known"),
        ("internet", "z4d-highmem-8-highlssd", TODAY, "addresses outside the VPC"),
        ("google-apis", "n2-standard-8", TODAY, "no document states"),
        ("load-balancer", "n2-standard-8", TODAY, "no document states"),
        ("hybrid", "n2-standard-8", TODAY, "no document states"),
        ("same-node-pod", "n2-standard-8", TODAY, "no document states"),
        ("unknown", "n2-standard-8", TODAY, "no document states"),
    ],
)  # fmt: skip
def test_what_is_unknown_is_none_with_the_reason(
    path_class: str, src: Any, day: date, reason: str
) -> None:
    found = estimate(path_class, src, day)
    assert found.gbps is None
    assert found.binding is None
    assert reason in " ".join(found.unknown)


def test_every_class_answers() -> None:
    for one in PathClass:
        found = estimate(one.value, "n2-standard-8", streams=1, rtt_ms=1.0)
        assert (found.gbps is None) == bool(found.unknown)


NAMES = "n2-standard-2 n2-standard-8 n2-standard-32 n2-highmem-80 e2-small c4n-highmem-8"
TYPES = st.sampled_from(NAMES.split())
CLASSES = st.sampled_from([c for c in PathClass if c.distance or c is PathClass.INTERNET])
RTTS = st.floats(0.05, 300)
STREAMS = st.integers(1, 128)


class TestProperties:
    @given(TYPES, CLASSES, RTTS, STREAMS, st.integers(1, 64), st.floats(0, 300))
    def test_more_streams_never_lower_it_and_a_longer_rtt_never_raises_it(
        self, src: str, path_class: PathClass, rtt: float, streams: int, more: int, longer: float
    ) -> None:
        found, many, far = (
            estimate(path_class, src, streams=count, rtt_ms=rtt_ms).gbps
            for count, rtt_ms in ((streams, rtt), (streams + more, rtt), (streams, rtt + longer))
        )
        assert found is not None
        assert many is not None
        assert (far or 0) <= found <= many

    @given(TYPES, CLASSES, st.one_of(st.none(), STREAMS), RTTS)
    def test_limits_rise_and_tier1_and_the_internal_address_never_lower_it(
        self, src: str, path_class: PathClass, streams: int | None, rtt: float
    ) -> None:
        now, caps = query(path_class, src, streams=streams, rtt_ms=rtt), load_caps(TODAY)
        found = predict(now, caps)
        rates = [limit.gbps for limit in found.limits]
        assert rates == sorted(rates)
        # The soft minimum of two equal limits is the cube root of two below them.
        assert 0.79 * rates[0] <= (found.gbps or 0) <= rates[0]
        assert all(limit.source and limit.lifted_by for limit in found.limits)
        for kind in (ChangeKind.TIER_1, ChangeKind.INTERNAL_ADDRESS):
            after = predict(apply_change(now, Change(kind=kind, target=LINK)), caps)
            assert (found.gbps or 0) <= (after.gbps or 0)


@pytest.mark.parametrize(
    ("to", "platform"), [("n1-standard-16", "Intel Skylake"), ("n2-standard-16", None)]
)
def test_the_cpu_platform_stays_within_the_series_only(to: str, platform: str | None) -> None:
    before = query(INSIDE, PathEnd(machine_type="n1-standard-8", cpu_platform="Intel Skylake"))
    change = Change(kind=ChangeKind.MACHINE_TYPE, target=LINK, to=to)
    assert apply_change(before, change).src.cpu_platform == platform
    # A change of address leaves other classes alone.
    outside = query("internet", "n2-standard-8")
    assert apply_change(outside, Change(kind=ChangeKind.INTERNAL_ADDRESS, target=LINK)) == outside


@pytest.mark.parametrize(
    ("platform", "least", "expected"),
    [
        ("Intel Broadwell", "Intel Skylake", "Intel Broadwell"),
        (None, "Intel Skylake", "Intel Skylake"),
        (None, "Intel Haswell", None),
        (None, None, None),
    ],
)
def test_a_least_platform_counts_only_where_it_decides(
    platform: str | None, least: str | None, expected: str | None
) -> None:
    instance = replace(MACHINE, cpu_platform=platform, min_cpu_platform=least)
    assert instance_end(instance).cpu_platform == expected


def test_an_edge_becomes_a_path() -> None:
    plain = facts_of(MACHINE, B, talk=(("a", "b", PathClass.SAME_ZONE_EXTERNAL, 1.0),))
    networks = tuple(replace(one, mtu_bytes=8896) for one in plain.inventory.networks)
    facts = replace(plain, inventory=replace(plain.inventory, networks=networks))
    assert facts.traffic is not None
    edge = replace(facts.traffic.edges[0], rtt_ms=0.2)
    found = edge_query(facts, edge, streams=4)
    assert found.path_class is PathClass.SAME_ZONE_EXTERNAL
    assert found.src.machine_type == "n1-standard-16"
    assert found.src.mtu_bytes == found.dst.mtu_bytes == 8896
    assert (found.src.zone, found.src.region) == ("us-central1-a", "us-central1")
    assert (found.streams, found.rtt_ms) == (4, 0.2)
    # A peer that is not ours has no type.
    own, peer = facts.traffic.owners
    there = {"kind": model.OwnerKind.INTERNET, "link": None, "zone": None, "region": "r"}
    traffic = replace(facts.traffic, owners=(own, replace(peer, **there)))
    edge = replace(edge, path_class=PathClass.INTERNET)
    found = edge_query(replace(facts, traffic=traffic), edge)
    assert found.dst == PathEnd(machine_type=None, zone=None, region=model.Region("r"))
    assert predict(found, load_caps(TODAY)).gbps == 7


def test_many_at_once_get_what_the_single_question_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_module, "_answers", {})
    asked = [
        query(INSIDE, "n2-standard-8", "n2-standard-8"),
        query("internet", "n2-standard-32"),
        query(REGIONS, "e2-small", "c3-standard-8", streams=4, rtt_ms=90.0),
        query(ZONES, "no-such-type", "n2-standard-8"),
        query(INSIDE, "n2-standard-8", "n2-standard-8"),
        query(REGIONS, "e2-small", "c3-standard-8", streams=4),
    ]
    together = predict_all(asked, load_caps(TODAY))
    assert [one.gbps is None for one in together] == [False, False, False, True, False, False]
    for one, found in zip(asked, together, strict=True):
        path_module._answers.clear()
        assert predict(one, load_caps(TODAY)) == found
    # No more than so many are remembered.
    path_module._answers.clear()
    monkeypatch.setattr(path_module, "_REMEMBERED", 3)
    assert len(predict_all(asked, load_caps(TODAY))) == 6
    assert len(path_module._answers) == 3
