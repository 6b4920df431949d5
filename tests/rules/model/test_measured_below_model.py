"""Measurements against the prediction of the same run: edges, the middle run, dates, confidence."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.judging.fixes import answer
from netplan_planner.judging.judged import judge
from netplan_planner.model import Estimate, Facts, Hit, Measurement
from netplan_planner.renderers.figures import shown
from netplan_rules.registry import find_rule
from netplan_rules.shared.measured import RunModel
from support.listed import listed
from support.probes.measurements import measurements
from support.rules.measured_facts import FAR, A, B, gaps, hits, host, measured_facts, only_run, run

RULE, OTHER = "measured-below-model", "probe-not-comparable"


def estimate_of(**fields: Any) -> Estimate:
    facts = measured_facts(run(runs=1, **fields))
    model, one = RunModel(facts), only_run(facts)
    return model.estimate(one, model.query(one))


def is_found(**fields: Any) -> bool:
    thresholds = fields.pop("thresholds", None)
    return bool(hits(RULE, measured_facts(run(**fields), thresholds=thresholds)))


# When it fires


@pytest.mark.parametrize(("ratio", "found"), [(0.699, True), (0.701, False)])
def test_below_the_share_of_the_prediction(ratio: float, found: bool) -> None:
    """The interval of a wall outside the VPC is narrow: the share decides."""
    predicted = estimate_of(over="external")
    assert predicted.gbps is not None
    assert predicted.low_gbps is not None
    assert predicted.low_gbps > 0.8 * predicted.gbps
    assert is_found(over="external", gbps=ratio * predicted.gbps) is found


@pytest.mark.parametrize(("share", "found"), [(0.999, True), (1.001, False)])
def test_below_the_low_end_of_the_interval(share: float, found: bool) -> None:
    """Inside the VPC the interval is wide: its end decides."""
    predicted = estimate_of()
    assert predicted.gbps is not None
    assert predicted.low_gbps is not None
    assert predicted.low_gbps < 0.6 * predicted.gbps
    assert is_found(gbps=share * predicted.low_gbps) is found


def test_the_share_can_be_set() -> None:
    told = {"over": "external", "gbps": 5.5}
    assert not is_found(**told)
    assert is_found(**told, thresholds={(RULE, "max_ratio"): 0.8})
    low = {"over": "external", "gbps": 3.0}
    assert is_found(**low)
    assert not is_found(**low, thresholds={(RULE, "max_ratio"): 0.4})


@pytest.mark.parametrize(
    ("rates", "found"),
    [
        ([3.0], True),
        ([3.0, 30.0], False),
        ([3.0, 30.0, 4.0], True),
        ([30.0, 3.0, 30.0], False),
        ([3.0, 30.0, 30.0, 4.0], False),
        ([3.0, 5.0, 30.0, 4.0, 2.0], True),
    ],
)
def test_the_middle_run_decides_and_of_two_the_better_one(
    rates: Sequence[float], found: bool
) -> None:
    facts = measured_facts(*(run(runs=1, gbps=rate) for rate in rates))
    assert bool(hits(RULE, facts)) is found


def test_the_figures_are_those_of_the_middle_run() -> None:
    facts = measured_facts(*(run(runs=1, gbps=rate) for rate in (3.0, 5.0, 4.0)))
    (hit,) = hits(RULE, facts)
    now = hit.throughput_now
    assert now is not None
    assert (now.gbps, now.low_gbps, now.high_gbps) == (4.0, 3.0, 5.0)
    told = {item.name: item.value for item in hit.evidence}
    assert (told["measured"], told["runs"], told["streams"]) == (4.0, 3, 16)
    assert told["shortfall"] == pytest.approx(1 - 4.0 / 32.0, rel=1e-3)
    assert hit.limit is not None
    assert hit.limit.name == "vm-egress"


def test_runs_of_other_kinds_are_no_repetitions() -> None:
    low, good = run(gbps=3.0), run(gbps=25.0, runs=5)
    assert hits(RULE, measured_facts(low, good)) == []
    for other in (
        {"streams": 8},
        {"is_bidirectional": True},
        {"src": "b", "dst": "a"},
        {"over": "external", "gbps": 7.0},
    ):
        (hit,) = hits(RULE, measured_facts(low, {**good, **other}))
        assert hit.subject == "a → b (us-central1-a)"
        assert shown(hit.message).startswith("16 streams reached 3 Gbit/s, 9% of 32 Gbit/s")


def test_the_kinds_of_a_direction_are_one_finding_with_the_worst_first() -> None:
    facts = measured_facts(
        run(gbps=8.0, retransmit_count=200_000, is_bidirectional=False),
        run(gbps=1.0, streams=1, retransmit_count=10),
        run(gbps=2.0, src="b", dst="a"),
    )
    found = {hit.subject: hit for hit in hits(RULE, facts)}
    assert set(found) == {"a → b (us-central1-a)", "b → a (us-central1-a)"}
    hit = found["a → b (us-central1-a)"]
    assert shown(hit.message).startswith("1 stream reached 1 Gbit/s, 4% of 25.7 Gbit/s predicted")
    assert "; 16 streams reached 8 Gbit/s, 25% of 32 Gbit/s; first suspect: " in shown(hit.message)
    assert hit.throughput_now is not None
    assert hit.throughput_now.gbps == 1.0
    told = {item.name: item.value for item in hit.evidence}
    assert told["also_1"] == "16 streams reached 8 Gbit/s, 25% of 32 Gbit/s"


def test_a_suspect_of_several_kinds_stands_once_where_it_explains_most() -> None:
    """A window of 505 kB over 100 ms: 16 streams get 0.67 Gbit/s, one gets 0.04 and not 0.01."""
    long = {"dst": "far", "min_rtt_ms": 100.0, "receiver": {"receive_ceiling_bytes": 2**20}}
    facts = measured_facts(run(gbps=0.01, streams=1, **long), run(gbps=0.6, streams=16, **long))
    (hit,) = hits(RULE, facts)
    assert shown(hit.message).startswith("1 stream reached 10 Mbit/s, 4% of 0.24 Gbit/s")
    (told,) = [str(item.value) for item in hit.evidence if item.name.startswith("suspect_")]
    assert told.startswith("receive-ceiling: ")
    assert told.endswith("the prediction for that is 0.67 Gbit/s (with 16 streams)")


# What it says of itself


@listed(
    ("fields", "confidence", "reason"),
    [
        ({}, "high", ""),
        ({"runs": 2}, "medium", "it is based on 2 runs"),
        ({"runs": 1}, "medium", "it is based on 1 run"),
        ({"started_at": ""}, "medium", "the time of the run is not recorded"),
        ({"duration_s": None}, "medium", "the duration of the run is not recorded"),
        ({"sender": {"cpu_ratio": 15.0}}, "medium", "the tool itself was the limit (cpu-bound)"),
        ({"runs": 1, "started_at": ""}, "low", "it is based on 1 run; the time of the run"),
        # What the prediction has in it is no doubt.
        ({"is_bidirectional": True}, "high", ""),
        ({"over": "external", "gbps": 1.0}, "high", ""),
        ({"counted_by": "sender"}, "high", ""),
    ],
)
def test_doubts_lower_the_confidence(fields: dict[str, Any], confidence: str, reason: str) -> None:
    (hit,) = hits(RULE, measured_facts(run(**{"gbps": 4.0, **fields})))
    assert (hit.confidence.value, hit.confidence_reason[: len(reason)]) == (confidence, reason)


def test_a_recorded_class_alone_is_a_doubt() -> None:
    none = {"address": None}
    said = run(gbps=4.0, sender=none, receiver=none, path_class="same-zone-internal")
    (hit,) = hits(RULE, measured_facts(said))
    assert hit.confidence_reason == "the address used is not recorded"


def test_an_assumed_platform_is_a_doubt() -> None:
    machines = (host("a", 1, cpu_platform=None, machine_type="m2-hypermem-416"), B)
    (hit,) = hits(RULE, measured_facts(run(gbps=2.0), machines=machines))
    assert "CPU platform is unknown" in hit.confidence_reason


def test_the_advice_names_the_first_suspects_and_the_evidence_all() -> None:
    said = run(
        gbps=4.0,
        tool_version="3.12",
        sender={"cpu_ratio": 0.97},
        retransmit_count=100_000,
        is_bidirectional=True,
    )
    (hit,) = hits(RULE, measured_facts(said))
    assert hit.fix is not None
    assert "1. Measure with iperf3 3.16" in hit.fix.text
    assert "3. Use iperf3 3.16 or newer" in hit.fix.text
    assert "4. " not in hit.fix.text
    told = [str(item.value) for item in hit.evidence if item.name.startswith("suspect_")]
    assert [text.partition(":")[0] for text in told] == [
        "cpu-bound",
        "retransmits",
        "one-thread",
        "both-ways",
    ]
    (one,) = hits(RULE, measured_facts(said, thresholds={(RULE, "suspects"): 1.0}))
    assert one.fix is not None
    assert "2. " not in one.fix.text


# What it cannot judge


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"dst": "203.0.113.9"}, "one end of the measurement is not a VM of the inventory"),
        ({"src": "203.0.113.8", "dst": "203.0.113.9"}, "neither end of the measurement is a VM"),
        (
            {"bitrate_limit_gbps": 5.0},
            "no prediction is comparable with a measurement: bitrate-limit",
        ),
        ({"streams": None}, "no prediction is comparable with a measurement: streams-unknown"),
        ({"protocol": "udp"}, "no prediction is comparable with a measurement: not-tcp"),
        ({"duration_s": 0.0}, "no prediction is comparable with a measurement: damaged"),
    ],
)
def test_what_cannot_be_judged_is_listed_and_never_a_pass(
    fields: dict[str, Any], reason: str
) -> None:
    facts = measured_facts(run(**{"gbps": 0.5, **fields}))
    assert hits(RULE, facts) == []
    (said,) = gaps(RULE, facts)
    assert said.startswith(reason)


def test_a_type_without_a_cap_is_listed() -> None:
    machines = (host("a", 1, machine_type="x9-standard-4"), B)
    (said,) = gaps(RULE, measured_facts(run(gbps=0.1), machines=machines))
    assert said.startswith("the path has no prediction: ")


@pytest.mark.parametrize("rule", [RULE, OTHER])
@pytest.mark.parametrize(
    ("measured", "reason"),
    [
        (None, "no measurements given (--measurements FILE)"),
        ((), "the stores contain no measurements"),
    ],
)
def test_without_measurements_it_is_not_evaluated(
    rule: str, measured: tuple[Measurement, ...] | None, reason: str
) -> None:
    (note,) = judge(find_rule(rule), replace(measured_facts(), measurements=measured)).not_evaluated
    assert (note.kind, note.reason) == ("missing-evidence", reason)


@pytest.mark.parametrize("rule", [RULE, OTHER])
def test_the_order_of_the_measurements_changes_nothing(rule: str) -> None:
    facts = measured_facts(
        run(gbps=3.0, streams=1, duration_s=5.0, omit_s=0.0, started_at=""),
        run(gbps=4.0, streams=1, counted_by="sender"),
        run(gbps=3.0, src="b", dst="a", streams=1, duration_s=6.0, omit_s=0.0),
        run(dst="203.0.113.9"),
    )
    assert facts.measurements is not None
    turned = replace(facts, measurements=facts.measurements[::-1])
    check = find_rule(rule)
    assert judge(check, facts) == judge(check, turned)


# Anything at all

NAMES = st.sampled_from(["a", "b", "far", "", "zz", "a.us-central1-a.c.p.internal"])
ADDRESSES = st.sampled_from([None, "10.0.0.1", "10.0.0.2", "35.0.0.2", "8.8.8.8", "::1", "-R"])
FIGURES = st.none() | st.just(0.0) | st.floats(-1e9, 1e300, allow_nan=False)
COUNTS = st.none() | st.integers(-5, 2**62)


@st.composite
def anything(draw: st.DrawFn) -> Measurement:
    """Draw a measurement whose ends may be the machines, with figures that no run can have."""
    one = draw(measurements)
    ends = {
        side: replace(
            getattr(one, side),
            name=draw(NAMES),
            address=draw(ADDRESSES),
            machine_type=None,
            is_tier1=None,
            cpu_ratio=draw(FIGURES),
            receive_ceiling_bytes=draw(COUNTS),
        )
        for side in ("src", "dst")
    }
    return replace(
        one,
        **ends,
        protocol="tcp",
        streams=draw(COUNTS | st.just(1)),
        gbps=draw(st.floats(-1, 1e300)),
        duration_s=draw(FIGURES),
        omit_s=draw(FIGURES),
        min_rtt_ms=draw(FIGURES),
        mtu_bytes=draw(COUNTS | st.just(1460)),
        mss_bytes=draw(COUNTS | st.just(1408)),
        max_receive_window_bytes=draw(COUNTS),
        retransmit_count=draw(COUNTS),
        started_at=draw(st.sampled_from(["", "2026-11-01T00:00:00Z", "0001-01-01T00:00:00+14:00"])),
        tool="iperf3",
        tool_version=draw(st.sampled_from(["3.12", "3.17", "", "x"])),
        note=draw(st.sampled_from(["", "16 processes at once", "0 processes at once"])),
    )


NOTHING = measured_facts(machines=(A, B, FAR))


@given(st.lists(anything(), max_size=4))
def test_no_record_makes_a_rule_crash(some: list[Measurement]) -> None:
    facts: Facts = replace(NOTHING, measurements=tuple(some))
    for rule in (RULE, OTHER):
        said = list(find_rule(rule)(facts))
        found = [one for one in said if isinstance(one, Hit)]
        merged = answer(facts, [(find_rule(rule).rule, tuple(found))]).findings
        assert sum(len(one.members) for one in merged) == len(found)
        assert json.dumps(msgspec.to_builtins(said), allow_nan=False)
    for hit in hits(RULE, facts):
        now, then = hit.throughput_now, hit.throughput_fixed
        assert now is not None
        assert then is not None
        assert (now.gbps or 0.0) < (then.low_gbps or 0.0)
