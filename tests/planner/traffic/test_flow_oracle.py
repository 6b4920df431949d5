"""The engine against plain Python with exact numbers, on small sets of records of all kinds."""

import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netplan_planner.model import Inventory, Reporter, Series, TrafficMatrix
from netplan_planner.traffic import TrafficOptions, read_traffic
from support.examples import examples
from support.flows.cases import LOGGING, PLACES, START_US, as_entry, project, records
from support.flows.looks import read_by_looks
from support.flows.oracle import Answer, Record, answer, percentile, spread
from support.flows.project import subnet_link
from support.flows.records import lines


def read_parts(
    parts: list[list[Record]], known: Inventory, options: TrafficOptions
) -> TrafficMatrix:
    """Return the matrix of files, the same that two looks at all records give."""
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"{number}.json" for number in range(len(parts))]
        for file, part in zip(files, parts, strict=True):
            file.write_text(lines(map(as_entry, part)))
        matrix = read_traffic([Path(name)], known, options)
        assert read_by_looks(files, known, options) == matrix
        return matrix


def check_series(series: Series, minutes: Mapping[int, Fraction], observed: int) -> None:
    active = {minute: wire for minute, wire in minutes.items() if wire}
    assert series.byte_count == int(sum(active.values()))
    assert series.active_minutes == len(active)

    def gbps(wire: Fraction) -> float:
        return float(wire) * 8 / 60 / 1e9

    found = (series.p50_gbps, series.p95_gbps, series.p99_gbps, series.max_gbps)
    wanted = [gbps(percentile(active, observed, percent)) for percent in (50, 95, 99, 100)]
    assert found == pytest.approx(wanted, rel=1e-12, abs=0)
    top = sorted(active.values(), reverse=True)[:10]
    if active:
        top += [Fraction(0)] * (min(10, observed) - len(top))
    assert series.top_gbps == pytest.approx([gbps(wire) for wire in top], rel=1e-12, abs=0)


def check(matrix: TrafficMatrix, expected: Answer) -> None:
    assert matrix.observed_minutes == expected.observed_minutes
    keys = [owner.key for owner in matrix.owners]
    assert keys == sorted(keys)
    found = {(keys[e.src], keys[e.dst], str(e.path_class), e.dst_address): e for e in matrix.edges}
    assert len(found) == len(matrix.edges)
    assert set(found) == set(expected.edges)
    for key, total in expected.edges.items():
        edge = found[key]
        assert edge.payload_bytes == int(total.payload)
        assert edge.wire_bytes == int(total.wire)
        assert edge.packet_count == int(total.packets)
        assert edge.record_count == total.records
        assert edge.by_destination_bytes == int(total.by_destination)
        assert edge.coarse_bytes == int(total.coarse)
        assert edge.other_side_bytes == (total.other_payload if total.other_records else None)
        assert (edge.dropped_bytes, edge.dropped_packets) == (
            total.dropped_bytes,
            total.dropped_packets,
        )
        check_series(edge.series, total.minutes, expected.observed_minutes)
    for vm in matrix.vms:
        owner = keys[vm.owner]
        check_series(vm.egress, expected.sent.get(owner, {}), expected.observed_minutes)
        check_series(
            vm.egress_outside_vpc, expected.outside.get(owner, {}), matrix.observed_minutes
        )
        check_series(vm.ingress, expected.received.get(owner, {}), expected.observed_minutes)


@settings(
    max_examples=examples(0.5), derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    parts=st.lists(st.lists(records(), min_size=1, max_size=12), min_size=1, max_size=3),
    logging=st.sampled_from(sorted(LOGGING)),
    reporter=st.sampled_from(list(Reporter)),
    batch_records=st.sampled_from([1, 1000]),
)
def test_the_engine_agrees_with_plain_python(
    parts: list[list[Record]], logging: str, reporter: Reporter, batch_records: int
) -> None:
    front, back = LOGGING[logging]
    declared = frozenset(
        subnet_link(name) for name, logs in (("front", front), ("back", back)) if logs
    )
    everything = [record for part in parts for record in part]
    options = TrafficOptions(reporter=reporter, batch_records=batch_records)
    matrix = read_parts(parts, project(front, back), options)
    check(matrix, answer(everything, PLACES, declared, str(reporter)))


def test_the_second_opinion_itself_on_a_case_by_hand() -> None:
    # 100 bytes from second 30 for 60 s: half and half.
    assert spread(30_000_000, 90_000_000, 100) == {0: 50, 1: 50}
    assert spread(0, 180_000_000, 100) == {0: 33, 1: 33, 2: 34}
    assert percentile({0: Fraction(1), 1: Fraction(3)}, 4, 50) == 0
    assert percentile({0: Fraction(1), 1: Fraction(3)}, 4, 75) == 1
    assert percentile({0: Fraction(1), 1: Fraction(3)}, 4, 95) == 3
    both = [
        Record("10.0.1.1", "10.0.2.1", by, START_US, START_US + 1, size, 1, 6, 80)
        for by, size in (("SRC", 100), ("DEST", 301))
    ]
    (total,) = answer(both, PLACES, frozenset(), "average").edges.values()
    assert (total.payload, total.wire) == (Fraction(401, 2), Fraction(401 + 104, 2))
    (total,) = answer(both, PLACES, frozenset(), "source").edges.values()
    assert (int(total.payload), total.other_payload) == (100, 301)
