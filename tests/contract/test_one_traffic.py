"""One set of flows in every format of traffic reads to equal values, or is listed as not carried.

What is compared is told by `VIEWS`: each is a question to what was read. A format's answer is that
of the flow logs; where the format cannot know it, `NOT_CARRIED` says so by reader and reason, and
an answer that is there after all fails the test.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from netplan_planner.model import Edge, Owner, PathClass, Series, TrafficMatrix, VmTraffic
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from support.flows.records import START
from support.projects.one_traffic import END, FLOWS, MINUTES, PAYLOAD_BYTES
from support.projects.traffic_formats import READERS, Read

EXPECTED = "Cloud Storage sink"
"""The format that the others are held against."""
HEADER_BYTES = 52

_ONE_RECORD = "it has no records of its own: sums, rows or series stand for them"
_NO_PACKETS = "it has no packet counts, so that headers are not known"
_NO_RTT = "it has no column of round-trip times"
_NO_PORTS = "it has no ports, so that no five-tuple is told apart"
_NO_DROPS = "it has no column of dropped packets"
_NO_PEER = "it names the place of a peer (zone and network), and neither machine nor address"
_EVENTS = "it has events and no bytes, and no machines: it is no traffic matrix"
_NO_PODS = "it names machines and no pods"

_TABLE = {
    "headers": _NO_PACKETS,
    "rates": _NO_PACKETS,
    "round trips": _NO_RTT,
    "greatest flow": _NO_PORTS,
    "drops": _NO_DROPS,
    "writers of records": _ONE_RECORD,
    "records for flow-logs plan": _ONE_RECORD,
    "headers of pods": _NO_PACKETS,
    "clusters of pods": "a row names pods, and no cluster",
}
_HUBBLE = {
    **dict.fromkeys(
        """window, pairs, path classes, bytes, headers, minutes, rates, round trips, greatest flow,
        drops, writers of records, records for flow-logs plan, sent by machine, received by machine,
        minutes by machine, headers of pods, bytes of pods""".replace("\n        ", " ").split(
            ", "
        ),
        _EVENTS,
    ),
    "clusters of pods": "a flow names its node, and its cluster in a mesh alone",
}
_VM_FLOW = {
    **dict.fromkeys(("pairs", "path classes", "bytes", "minutes"), _NO_PEER),
    "headers": "these metrics leave headers out",
    "rates": "these metrics leave headers out",
    "round trips": "those of vm_flow/rtt are of a machine and the place of its peer",
    "greatest flow": _NO_PEER,
    "drops": "these metrics count what arrived",
    "writers of records": _ONE_RECORD,
    "records for flow-logs plan": _ONE_RECORD,
    **dict.fromkeys(
        ("pods", "bytes of pods", "records of pods", "headers of pods", "clusters of pods"),
        _NO_PODS,
    ),
}
NOT_CARRIED: dict[str, dict[str, str]] = {
    "table, CSV": _TABLE,
    "table, Parquet": _TABLE,
    "Hubble": _HUBBLE,
    "Hubble, gzip": _HUBBLE,
    "Hubble, zstd": _HUBBLE,
    "vm_flow metrics": _VM_FLOW,
}
"""What a format cannot carry: its reader, the view, and the reason."""


def _owner(owner: Owner) -> str:
    return owner.name


def _edges(matrix: TrafficMatrix, told: Callable[[Edge], Any]) -> dict[tuple[str, ...], Any]:
    """Return what is told of each edge, by ends and path."""
    owners = matrix.owners
    return {
        (_owner(owners[e.src]), _owner(owners[e.dst]), e.path_class, e.dst_address or ""): told(e)
        for e in matrix.edges
    }


def _shape(series: Series) -> tuple[object, ...]:
    """Return how rates change from minute to minute: the same with headers and without."""
    rates = (series.p50_gbps, series.p95_gbps, series.p99_gbps, *series.top_gbps)
    return series.active_minutes, *(round(rate / series.max_gbps, 9) for rate in rates)


def _by_machine(matrix: TrafficMatrix, told: Callable[[VmTraffic], Series]) -> dict[str, int]:
    """Return the payload of each machine: all packets have the same headers, if any."""
    has_headers = any(edge.header_bytes for edge in matrix.edges)
    packet_bytes = PAYLOAD_BYTES + HEADER_BYTES * has_headers
    return {
        _owner(matrix.owners[vm.owner]): told(vm).byte_count * PAYLOAD_BYTES // packet_bytes
        for vm in matrix.vms
        if told(vm).byte_count
    }


def _minutes_by_machine(matrix: TrafficMatrix) -> dict[str, object]:
    return {
        _owner(matrix.owners[vm.owner]): [
            _shape(series) for series in (vm.egress, vm.ingress) if series.max_gbps
        ]
        for vm in matrix.vms
    }


MATRIX_VIEWS: dict[str, Callable[[TrafficMatrix], object]] = {
    "window": lambda m: (m.start, m.end, m.observed_minutes),
    "pairs": lambda m: {(_owner(m.owners[e.src]), _owner(m.owners[e.dst])) for e in m.edges},
    "path classes": lambda m: set(_edges(m, lambda e: None)),
    "bytes": lambda m: _edges(m, lambda e: e.payload_bytes),
    "headers": lambda m: _edges(m, lambda e: (e.header_bytes, e.packet_count)),
    "minutes": lambda m: _edges(m, lambda e: _shape(e.series)),
    "rates": lambda m: _edges(m, lambda e: e.series),
    "round trips": lambda m: _edges(m, lambda e: e.rtt_ms),
    "greatest flow": lambda m: _edges(m, lambda e: e.top_flow),
    "drops": lambda m: _edges(m, lambda e: e.drops),
    "writers of records": lambda m: m.coverage.logged,
    "records for flow-logs plan": lambda m: m.log_volume,
    "sent by machine": lambda m: _by_machine(m, lambda vm: vm.egress),
    "received by machine": lambda m: _by_machine(m, lambda vm: vm.ingress),
    "minutes by machine": _minutes_by_machine,
}
POD_VIEWS: dict[str, Callable[[PodTraffic], object]] = {
    "pods": lambda p: {
        (f.src.workload, f.src.zone, f.dst.workload, f.dst.zone, f.service, f.path_class)
        for f in p.flows
    },
    "records of pods": lambda p: [f.record_count for f in p.flows],
    "bytes of pods": lambda p: [f.payload_bytes for f in p.flows],
    "headers of pods": lambda p: [f.header_bytes for f in p.flows],
    "clusters of pods": lambda p: [f.src.cluster for f in p.flows],
}
VIEWS = (*MATRIX_VIEWS, *POD_VIEWS)


@cache
def answers(name: str) -> dict[str, object]:
    """Return what a format answers to every question; None where it holds no such part."""
    with TemporaryDirectory() as folder:
        read: Read = READERS[name](Path(folder))
    traffic, pods = read
    return {
        **{view: ask(traffic) if traffic else None for view, ask in MATRIX_VIEWS.items()},
        **{view: ask(pods) if pods else None for view, ask in POD_VIEWS.items()},
    }


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", READERS)
def test_every_format_answers_alike(name: str, view: str) -> None:
    expected, found = answers(EXPECTED)[view], answers(name)[view]
    assert expected
    reason = NOT_CARRIED.get(name, {}).get(view)
    if reason is None:
        assert found == expected
    else:
        assert found != expected, f"{name} carries {view} after all: {reason}"


def test_what_is_not_carried_names_formats_and_views_that_exist() -> None:
    for name, views in NOT_CARRIED.items():
        assert name in READERS
        assert set(views) <= set(VIEWS)
        assert all(views.values())


def test_the_flows_are_what_is_read() -> None:
    found = answers(EXPECTED)
    sent: Any = found["bytes"]
    by_class = {(src, dst, path): payload for (src, dst, path, _), payload in sent.items()}
    assert sorted(by_class.values()) == sorted(sum(f.packets) * PAYLOAD_BYTES for f in FLOWS)
    assert by_class["plain-1", "dual-1", PathClass.INTER_ZONE_INTERNAL] == 55 * 10**7
    assert by_class["plain-1", "six-1", PathClass.INTER_REGION_INTERNAL] == 90_008_000
    assert by_class["plain-1", "spot-1", PathClass.SAME_ZONE_EXTERNAL] == 2 * 10**10
    assert by_class["mover-1", "internet", PathClass.INTERNET] == 300_040_000
    assert by_class["internet", "mover-1", PathClass.INTERNET] == 700_000
    pods = ("gke-shop-pool-0", "gke-shop-pool-1", PathClass.INTER_ZONE_INTERNAL_POD)
    assert by_class[pods] == 15_000_000
    assert len({path for _, _, path in by_class}) == 5
    assert found["window"] == (START, END, MINUTES)
    headers: Any = found["headers"]
    assert all(counted == packets * HEADER_BYTES for counted, packets in headers.values())
    rates: Any = found["rates"]
    shares = next(one for key, one in rates.items() if key[:2] == ("plain-1", "dual-1")).top_gbps
    assert [rate / shares[-1] for rate in shares] == pytest.approx(list(range(10, 0, -1)))
