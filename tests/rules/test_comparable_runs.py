"""What stands against a measurement, at the edge of each threshold, and how to measure again."""

import shlex
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.model import Facts, Instance
from netplan_planner.renderers.figures import shown
from netplan_planner.throughput.transport.tools import thread_count
from netplan_rules.registry import find_rule
from netplan_rules.shared.comparable import reasons_of
from netplan_rules.shared.measured import RunModel
from support.listed import listed
from support.rules.measured_facts import (
    FAR,
    A,
    B,
    hits,
    host,
    measured_facts,
    only_run,
    run,
)

RULE = "probe-not-comparable"
UNADDRESSED: dict[str, Any] = {"sender": {"address": None}, "receiver": {}}


def names(**fields: Any) -> set[str]:
    """Return the names of what stands against one run from a to b."""
    machines = fields.pop("machines", (A, B, FAR))
    thresholds = fields.pop("thresholds", None)
    facts = measured_facts(run(runs=1, **fields), machines=machines, thresholds=thresholds)
    return against(facts)


def against(facts: Facts) -> set[str]:
    return {reason.name for reason in reasons_of(facts, RunModel(facts), only_run(facts))}


def test_nothing_stands_against_a_sound_run() -> None:
    # What is recorded as it is now is no change.
    same = {"machine_type": A.machine_type, "is_tier1": False}
    assert names() == names(sender=same, receiver=same) == set()
    # Threads of both directions count.
    facts = measured_facts(run(runs=1, is_bidirectional=True))
    assert thread_count(only_run(facts).measurement) == 32


@listed(
    ("fields", "is_short"),
    [
        ({"duration_s": 9.99}, True),
        ({"duration_s": 10.0}, False),
        ({"duration_s": 9.99, "omit_s": 1.9}, True),
        ({"duration_s": 9.99, "omit_s": 2.0}, False),
        # 60 round trips of 200 ms are 12 s, 15 are 3 s.
        ({"duration_s": 11.9, "dst": "far", "min_rtt_ms": 200.0}, True),
        ({"duration_s": 12.0, "dst": "far", "min_rtt_ms": 200.0}, False),
        ({"duration_s": 11.9, "omit_s": 2.9, "dst": "far", "min_rtt_ms": 200.0}, True),
        ({"duration_s": 11.9, "omit_s": 3.0, "dst": "far", "min_rtt_ms": 200.0}, False),
        ({"duration_s": None, "omit_s": 2.0}, True),
    ],
)
def test_a_run_is_too_short_below_ten_seconds_or_sixty_round_trips(
    fields: dict[str, Any], is_short: bool
) -> None:
    assert ("too-short" in names(**{"omit_s": None, **fields})) is is_short


@listed(
    ("fields", "is_bound"),
    [
        ({"streams": 1, "sender": {"cpu_ratio": 0.90}}, False),
        ({"streams": 1, "sender": {"cpu_ratio": 0.91}}, True),
        ({"streams": 1, "receiver": {"cpu_ratio": 0.91}}, True),
        # 16 threads on 16 vCPUs: only the sum is known.
        ({"sender": {"cpu_ratio": 14.3}}, False),
        ({"sender": {"cpu_ratio": 14.5}}, True),
        ({"sender": {"cpu_ratio": 3.7, "vcpus": 4}}, True),
        # One thread before 3.16, however many streams.
        ({"tool_version": "3.12", "sender": {"cpu_ratio": 0.91}}, True),
        ({"tool_version": "3.12+", "note": "16 processes at once", "sender": {"cpu_ratio": 2}}, 0),
        ({"tool_version": "3.12", "note": "2 processes at once", "sender": {"cpu_ratio": 1.9}}, 1),
        ({"tool": "iperf2", "tool_version": "2.0.13", "sender": {"cpu_ratio": 2.0}}, False),
        ({"note": "my title; CPU-bound"}, True),
        ({"note": "not CPU-bound"}, False),
    ],
)
def test_a_run_is_cpu_bound_above_nine_tenths_of_its_cores(
    fields: dict[str, Any], is_bound: bool
) -> None:
    assert ("cpu-bound" in names(**fields)) is bool(is_bound)


@listed(
    "fields, is_one",
    [
        ({"tool_version": "3.15"}, True),
        ({"tool_version": "3.16"}, False),
        ({"tool_version": "3.9"}, True),
        ({"tool_version": "3.12", "streams": 1}, False),
        ({"tool_version": "3.12", "note": "16 processes at once"}, False),
        ({"tool_version": ""}, False),
        ({"tool": "netperf", "tool_version": "2.7"}, False),
    ],
)
def test_many_streams_in_one_thread_are_those_of_an_old_iperf3(
    fields: dict[str, Any], is_one: bool
) -> None:
    assert ("one-thread" in names(**fields)) is is_one


@pytest.mark.parametrize(
    ("fields", "is_single"),
    [
        # One stream carries 24 of the 32 Gbit/s here: 75 %.
        ({"streams": 1}, True),
        ({"streams": 1, "thresholds": {(RULE, "single_stream_ratio"): 0.7}}, False),
        ({"streams": 2}, False),
        ({"streams": 1, "machines": (host("a", 1, machine_type="n1-standard-1"), B)}, False),
        ({"streams": 1, "dst": "far", "min_rtt_ms": 100.0}, True),
        # Whether one stream fills the path of an unknown type cannot be told.
        ({"streams": 1, "machines": (host("a", 1, machine_type="x9-standard-2"), B)}, True),
    ],
)
def test_one_stream_stands_for_a_path_that_it_fills(
    fields: dict[str, Any], is_single: bool
) -> None:
    assert ("single-stream" in names(**fields)) is is_single


@listed(
    ("fields", "name"),
    [
        ({"counted_by": "sender"}, "sender-count"),
        ({"is_bidirectional": True}, "both-ways"),
        ({"over": "external", "gbps": 7.0}, "external-address"),
        ({"protocol": "udp"}, "not-tcp"),
        ({"bitrate_limit_gbps": 40.0}, "bitrate-limit"),
        ({"streams": None}, "streams-unknown"),
        ({"sender": {"address": None}, "receiver": {"address": None}}, "path-unknown"),
        ({"sender": {"machine_type": "n2-standard-8"}}, "machine-changed"),
        ({"receiver": {"is_tier1": True}}, "machine-changed"),
        ({"gbps": 0.0}, "damaged"),
        ({"duration_s": -1.0}, "damaged"),
    ],
)
def test_each_reason_alone(fields: dict[str, Any], name: str) -> None:
    assert names(**fields) == {name}


@pytest.mark.parametrize("field", ["created", "last_started"])
@pytest.mark.parametrize(("hour", "is_older"), [(8, False), (9, True)])
def test_a_run_before_the_last_start_is_of_another_machine(
    field: str, hour: int, is_older: bool
) -> None:
    """The run was at 8:10."""
    since = datetime(2026, 11, 2, hour, tzinfo=UTC)
    machines = (A, host("b", 2, **{field: since}))
    assert ("machine-changed" in names(machines=machines)) is is_older
    # Of a run without a time no start is later.
    assert names(machines=machines, started_at="") == set()


def test_a_pair_with_enough_sound_runs_in_a_direction_is_silent_in_it() -> None:
    sound, single = run(), run(streams=1, gbps=20.0)
    assert hits(RULE, measured_facts(sound, single)) == []
    (few,) = hits(RULE, measured_facts(run(runs=2), single))
    assert "a single stream (3 of 5)" in shown(few.message)
    assert "2 sound runs of one type" in shown(few.message)
    back = run(src="b", dst="a", streams=1, gbps=20.0)
    (other,) = hits(RULE, measured_facts(sound, back))
    assert other.subject == "b → a (us-central1-a)"


def test_sound_runs_of_several_kinds_do_not_add_up() -> None:
    (few,) = hits(RULE, measured_facts(run(runs=2), run(runs=2, streams=8)))
    assert "2 sound runs of one type" in shown(few.message)
    assert hits(RULE, measured_facts(run(runs=2), thresholds={(RULE, "min_runs"): 2.0})) == []


def test_both_directions_of_a_pair_are_one_finding_with_all_reasons() -> None:
    facts = measured_facts(
        run(streams=1, gbps=20.0, duration_s=5.0, omit_s=None),
        run(src="b", dst="a", counted_by="sender", runs=1),
    )
    (hit,) = hits(RULE, facts)
    assert hit.subject == "a ↔ b (us-central1-a)"
    assert hit.message == (
        "4 measurements cannot represent the path: a single stream (3 of 4); 5 s,"
        " including the start (3 of 4); sender's count, not the receiver's (1 of 4)"
    )
    assert hit.fix is not None
    assert "and back with -R" in hit.fix.text


@listed(
    "fields, peer, command",
    [
        ({"streams": 1}, B, "10.0.0.2 -t 10 -O 2"),
        ({"streams": 1, "dst": "far", "min_rtt_ms": 250.0}, FAR, "10.0.0.3 -t 15 -O 4"),
        ({"over": "external"}, B, "10.0.0.2 -t 10 -O 2"),
        # A path that nobody knows: times by the places of the two.
        ({"dst": "far", "min_rtt_ms": None, **UNADDRESSED}, FAR, "10.0.0.3 -t 10 -O 2"),
        # iperf3 leaves out a minute at most.
        ({"streams": 1, "dst": "far", "min_rtt_ms": 9_000.0}, FAR, "10.0.0.3 -t 540 -O 60"),
    ],
)
def test_the_command_has_the_internal_address_and_the_times_of_the_path(
    fields: dict[str, Any], peer: Instance, command: str
) -> None:
    facts = measured_facts(run(**({"counted_by": "sender"} | fields)), machines=(A, peer))
    (hit,) = hits(RULE, facts)
    assert hit.fix is not None
    assert [text.partition(" -J")[0] for text in hit.fix.commands] == [f"iperf3 -c {command} -P 16"]


@pytest.mark.parametrize("address", ["-R", "; true", "$(id)", "10.0.0.2 -R"])
def test_what_a_record_calls_an_address_gets_into_no_command(address: str) -> None:
    """Without an internal path only the record has an address."""
    apart = replace(B.interfaces[0], network="projects/p/global/networks/other")
    machines = (A, replace(B, interfaces=(apart,)))
    said = run(runs=1, receiver={"address": address}, path_class="same-zone-external")
    for hit in hits(RULE, measured_facts(said, machines=machines)):
        assert hit.fix is not None
        for text in hit.fix.commands:
            assert address not in shlex.split(text)


def test_a_measurement_with_one_known_end_names_the_other() -> None:
    facts = measured_facts(
        run(src="203.0.113.7", dst="b"), run(dst="203.0.113.7"), run(dst="203.0.113.8", runs=1)
    )
    found = {hit.subject: hit for hit in hits(RULE, facts)}
    assert set(found) == {
        "203.0.113.7 → b (10.0.0.2)",
        "a (10.0.0.1) → 203.0.113.7",
        "a (10.0.0.1) → 203.0.113.8",
    }
    one = found["203.0.113.7 → b (10.0.0.2)"]
    assert one.resources == (B.ref,)
    assert "203.0.113.7 is not a VM of the inventory" in shown(one.message)


def test_every_reason_stands_in_the_evidence() -> None:
    (hit,) = hits(RULE, measured_facts(run(streams=1, counted_by="sender", gbps=20.0)))
    told = {item.name: (item.value, item.source) for item in hit.evidence}
    assert told["single_stream"] == ("a single stream", "3 of 3 measurements")
    assert told["sender_count"][1] == "3 of 3 measurements"
    assert told["measurements"] == (3, "test")
    assert find_rule(RULE).rule.severity == "info"
