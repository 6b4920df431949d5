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
from support.flows.oracle import Answer, Place, Record, answer, percentile, spread
from support.flows.project import host, inventory, subnet, subnet_link
from support.flows.records import entry, lines

START_US = 1_772_445_600_000_000
"""`flow_records.START`."""

HOSTS = (
    host("web", "10.0.1.1", external="34.1.1.1", subnetwork="front"),
    host("app", "10.0.1.2", subnetwork="front", zone="us-central1-b"),
    host("db", "10.0.2.1", external="34.1.1.2", subnetwork="back"),
    host("lone", "10.0.3.1"),
)


def places() -> dict[str, Place]:
    """Whose each address is, written down without the address book."""
    found = {
        "198.51.100.7": Place("internet:unknown", is_machine=False, is_internet=True),
        "198.51.100.8": Place("internet:unknown", is_machine=False, is_internet=True),
        "10.99.0.1": Place("unknown:10.99.0.1", is_machine=False),
    }
    for machine in HOSTS:
        nic = machine.interfaces[0]
        for address in (nic.internal_ipv4, nic.external_ipv4):
            if address is not None:
                found[address] = Place(
                    owner=machine.ref.self_link,
                    zone=machine.zone,
                    subnetwork=nic.subnetwork,
                    external=nic.external_ipv4,
                    is_external=address == nic.external_ipv4,
                )
    return found


PLACES = places()


@st.composite
def records(draw: st.DrawFn) -> Record:
    start_us = START_US + 1000 * draw(st.integers(0, 180_000) | st.integers(0, 12_000_000))
    duration_us = draw(
        st.integers(0, 60_000_000) | st.integers(0, 900_000_000) | st.sampled_from([0, 60_000_000])
    )
    src = draw(st.sampled_from(sorted(PLACES)))
    dst = draw(st.sampled_from(sorted(PLACES)))
    return Record(
        src=src,
        dst=dst,
        by=draw(st.sampled_from(["SRC", "DEST"])),
        start_us=start_us,
        end_us=start_us + duration_us,
        payload=draw(st.integers(0, 10**6) | st.integers(0, 10**12)),
        packets=draw(st.integers(0, 10**6)),
        protocol=draw(st.sampled_from([1, 6, 17, 47])),
        port=draw(st.integers(1, 3)),
        is_dropped=draw(st.integers(0, 9)) == 0,
    )


LOGGING = {
    "nothing said": (None, None),
    "both": (True, True),
    "front only": (True, False),
}


def project(front: bool | None, back: bool | None) -> Inventory:
    return inventory(*HOSTS, subnet("front", logs=front), subnet("back", logs=back))


def as_entry(record: Record) -> dict[str, object]:
    seconds = [(us - START_US) / 1e6 for us in (record.start_us, record.end_us)]
    return entry(
        record.src,
        record.dst,
        record.payload,
        start=seconds[0],
        end=seconds[1],
        packets=record.packets,
        by=record.by,
        protocol=record.protocol,
        ports=(1, record.port),
        is_dropped=record.is_dropped,
    )


def read_parts(parts: list[list[Record]], known: Inventory, **options: object) -> TrafficMatrix:
    with tempfile.TemporaryDirectory() as name:
        for number, part in enumerate(parts):
            (Path(name) / f"{number}.json").write_text(lines(map(as_entry, part)))
        return read_traffic([Path(name)], known, TrafficOptions(**options))  # type: ignore[arg-type]


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
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
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
    matrix = read_parts(parts, project(front, back), reporter=reporter, batch_records=batch_records)
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
