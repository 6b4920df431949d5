"""The greatest five-tuple of an edge."""

from pathlib import Path

import pytest

from netplan_planner.model import Reporter
from support.flows.records import Json, edge_between, entry, only_edge, read

A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"
GBPS = 7_500_000_000


def flow(port: int, minutes: range, gbps: float, **more: object) -> list[Json]:
    """Return the records of one five-tuple at a rate."""
    return [
        entry(
            A,
            B,
            round(gbps * GBPS),
            start=60 * m,
            end=60 * m + 60,
            ports=(40000 + port, port),
            **more,  # type: ignore[arg-type]
        )
        for m in minutes
    ]


def test_the_greatest_flow_and_its_share(tmp_path: Path) -> None:
    records = flow(443, range(20), 1.0) + flow(80, range(20), 3.0) + flow(22, range(5), 8.0)
    top = only_edge(read(tmp_path, records)).top_flow
    # 20, 60 and 40 Gbit/s minutes.
    assert top is not None
    assert (top.dst_port, top.protocol, top.active_minutes) == (80, 6, 20)
    assert top.byte_ratio == pytest.approx(60 / 120)
    assert top.p95_gbps == 3.0


def test_its_percentile_is_over_the_minutes_in_which_it_was_active(tmp_path: Path) -> None:
    # Rank ceil(0.95 * 20) = 19 of 20: the second greatest.
    records = flow(80, range(18), 1.0) + flow(80, range(18, 19), 2.0) + flow(80, range(40, 41), 4.0)
    top = only_edge(read(tmp_path, records)).top_flow
    assert top is not None
    assert (top.p95_gbps, top.active_minutes, top.byte_ratio) == (2.0, 20, 1.0)


def test_slow_records_have_no_flow(tmp_path: Path) -> None:
    records = flow(80, range(3), 0.079)
    assert only_edge(read(tmp_path, records)).top_flow is None
    top = only_edge(read(tmp_path, records, flow_min_gbps=0.07)).top_flow
    assert top is not None
    assert top.dst_port == 80


def test_a_short_burst_is_judged_over_a_second(tmp_path: Path) -> None:
    burst = [entry(A, B, 1_000_000, start=0, end=0.001)]
    assert only_edge(read(tmp_path, burst)).top_flow is None


def test_a_protocol_without_ports_has_none(tmp_path: Path) -> None:
    records = [entry(A, B, GBPS, protocol=47, ports=None)]
    top = only_edge(read(tmp_path, records)).top_flow
    assert top is not None
    assert (top.protocol, top.dst_port) == (47, None)
    # Port 0 of TCP is a port, and no port is none.
    zero = only_edge(read(tmp_path, [entry(A, B, GBPS, ports=(1, 0))])).top_flow
    assert zero is not None
    assert zero.dst_port == 0
    missing = only_edge(read(tmp_path, [entry(A, B, GBPS, ports=None)])).top_flow
    assert missing is not None
    assert missing.dst_port is None


def test_of_equal_flows_the_choice_does_not_depend_on_the_order(tmp_path: Path) -> None:
    records = flow(443, range(3), 1.0) + flow(80, range(3), 1.0)
    first = only_edge(read(tmp_path, records)).top_flow
    second = only_edge(read(tmp_path, records[::-1], batch_records=1)).top_flow
    assert first == second
    assert first is not None
    assert first.byte_ratio == 0.5


def test_source_ports_tell_flows_apart(tmp_path: Path) -> None:
    records = [entry(A, B, GBPS, ports=(port, 443), start=0, end=60) for port in range(4)]
    top = only_edge(read(tmp_path, records)).top_flow
    assert top is not None
    assert (top.byte_ratio, top.p95_gbps) == (0.25, 1.0)


def test_every_edge_has_its_own(tmp_path: Path) -> None:
    records = [
        entry(A, B, GBPS, ports=(1, 80), start=0, end=60),
        entry(A, C, 2 * GBPS, ports=(1, 80), start=0, end=60),
        entry(B, C, 9, ports=(1, 80)),
    ]
    matrix = read(tmp_path, records)
    by_b, by_c = edge_between(matrix, A, B).top_flow, edge_between(matrix, A, C).top_flow
    assert by_b is not None
    assert by_c is not None
    assert (by_b.p95_gbps, by_c.p95_gbps) == (1.0, 2.0)
    assert edge_between(matrix, B, C).top_flow is None


def test_an_average_halves_both_reports(tmp_path: Path) -> None:
    both = [entry(A, B, GBPS, start=0, end=60, by=by) for by in ("SRC", "DEST")]
    top = only_edge(read(tmp_path, both, reporter=Reporter.AVERAGE)).top_flow
    assert top is not None
    assert (top.p95_gbps, top.byte_ratio) == (1.0, 1.0)
