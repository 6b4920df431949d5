"""For what path and protocol a run is predicted, and with the limits of which day."""

from datetime import date
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.model import PathClass, PathQuery
from netplan_planner.throughput import load_caps
from netplan_rules.shared.measured import RunModel
from support.rules.measured_facts import A, B, hits, host, measured_facts, only_run, run

RULE = "measured-below-model"


def query_of(**fields: Any) -> PathQuery:
    """Return the path that one run is predicted for."""
    facts = measured_facts(run(runs=1, **fields))
    return RunModel(facts).query(only_run(facts))


def is_found(**fields: Any) -> bool:
    thresholds = fields.pop("thresholds", None)
    return bool(hits(RULE, measured_facts(run(**fields), thresholds=thresholds)))


def test_the_prediction_is_for_what_was_measured() -> None:
    query = query_of(
        over="external",
        streams=4,
        duration_s=7.0,
        omit_s=1.5,
        min_rtt_ms=0.4,
        mtu_bytes=1400,
        max_receive_window_bytes=700_000,
        is_bidirectional=True,
        counted_by="sender",
        tool_version="3.9",
    )
    assert query.path_class is PathClass.SAME_ZONE_EXTERNAL
    assert (query.streams, query.duration_s, query.omit_s, query.rtt_ms) == (4, 7.0, 1.5, 0.4)
    assert (query.src.mtu_bytes, query.dst.mtu_bytes, query.window_bytes) == (1400, 1400, 700_000)
    assert query.is_both_ways
    assert query.is_sender_count
    assert query.late_rtts == 1
    assert (query.src.machine_type, query.src.vcpus) == (A.machine_type, 16)


def test_what_is_not_recorded_comes_from_the_inventory_or_stays_unknown() -> None:
    query = query_of(mtu_bytes=None, duration_s=None, omit_s=None, min_rtt_ms=None, dst="far")
    assert query.src.mtu_bytes == 1460
    assert (query.duration_s, query.omit_s, query.window_bytes) == (None, 0.0, None)
    assert query.rtt_ms is not None
    assert query.low_rtt_ms is not None
    assert query.low_rtt_ms < query.rtt_ms


def test_the_idle_round_trip_goes_before_the_flow_logs_and_these_before_the_places() -> None:
    talk = (("b", "a", PathClass.SAME_ZONE_INTERNAL, 1.0),)
    seen = []
    for fields in ({"min_rtt_ms": 0.5}, {"min_rtt_ms": None}, {"min_rtt_ms": 1e9}):
        facts = measured_facts(run(runs=1, rtt_ms=7.0, **fields), talk=talk)
        assert facts.traffic is not None
        edges = tuple(replace(edge, rtt_ms=0.9) for edge in facts.traffic.edges)
        facts = replace(facts, traffic=replace(facts.traffic, edges=edges))
        seen.append(RunModel(facts).query(only_run(facts)).rtt_ms)
    assert seen == [0.5, 0.9, 0.9]
    places = query_of(min_rtt_ms=None, rtt_ms=7.0).rtt_ms
    assert places is not None
    assert places < 1


def test_a_ceiling_below_the_stock_one_is_not_in_the_prediction() -> None:
    """It is a setting that can be wrong, so it must be able to show."""
    small = {"receive_ceiling_bytes": 212_992}
    told = {"max_receive_window_bytes": 100_000, "streams": 1, "dst": "far", "min_rtt_ms": 100.0}
    assert query_of(receiver=small, **told).window_bytes is None
    assert query_of(receiver={"receive_ceiling_bytes": 6_291_456}, **told).window_bytes == 100_000
    assert is_found(receiver=small, gbps=0.008, **told)
    assert not is_found(gbps=0.008, **told)


@pytest.mark.parametrize(
    ("started_at", "predicted"),
    [("2017-07-20T10:00:00Z", 1.6), ("2026-11-02T10:00:00Z", 7.0), ("", 7.0)],
)
def test_the_limits_are_those_of_the_day_of_the_run(started_at: str, predicted: float) -> None:
    """Of the audit's date where the run has none."""
    machines = (host("a", 1, machine_type="n1-standard-16"), B)
    facts = measured_facts(
        run(runs=1, gbps=0.1, over="external", started_at=started_at), machines=machines
    )
    (hit,) = hits(RULE, facts)
    assert hit.throughput_fixed is not None
    assert hit.throughput_fixed.gbps == pytest.approx(predicted, rel=1e-3)


def test_an_audit_at_an_old_date_does_not_make_a_run_old() -> None:
    facts = replace(measured_facts(run(gbps=28.0)), caps=load_caps(date(2014, 1, 1)))
    assert hits(RULE, facts) == []
