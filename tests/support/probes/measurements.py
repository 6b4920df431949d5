"""Measurements for tests: one with every field set, and a hypothesis strategy for all of them."""

from typing import Any

import msgspec
from hypothesis import strategies as st

from netplan_planner.model import CountedBy, MeasuredEnd, Measurement, PathClass

_TEXTS = st.text(max_size=40)
_COUNTS = st.none() | st.integers(min_value=0, max_value=2**62)
_FIGURES = st.none() | st.floats(min_value=0, max_value=1e6, allow_nan=False)

ends = st.builds(
    MeasuredEnd,
    name=_TEXTS,
    address=st.none() | _TEXTS,
    machine_type=st.none() | _TEXTS,
    vcpus=_COUNTS,
    is_tier1=st.none() | st.booleans(),
    kernel=st.none() | _TEXTS,
    receive_ceiling_bytes=_COUNTS,
    cpu_ratio=_FIGURES,
)

measurements = st.builds(
    Measurement,
    run_id=st.sampled_from(["", "a", "b", "c"]),
    source=_TEXTS,
    place=_TEXTS,
    started_at=st.sampled_from(["", "2026-05-01T00:00:00Z"]),
    tool=_TEXTS,
    command=_TEXTS,
    path_class=st.none() | st.sampled_from(PathClass),
    src=ends,
    dst=ends,
    streams=_COUNTS,
    is_reverse=st.booleans(),
    is_bidirectional=st.booleans(),
    gbps=st.floats(min_value=1e-6, max_value=1e4, allow_nan=False),
    counted_by=st.sampled_from(CountedBy),
    sender_gbps=_FIGURES,
    byte_count=_COUNTS,
    rtt_ms=_FIGURES,
    note=_TEXTS,
)


def measured(**fields: Any) -> Measurement:
    """Return a measurement of one stream between two VMs, with some fields changed."""
    told: dict[str, Any] = {
        "run_id": "run-1",
        "source": "campaign",
        "started_at": "2026-05-01T10:00:00Z",
        "tool": "iperf3",
        "tool_version": "3.12",
        "src": MeasuredEnd(address="10.128.0.2", cpu_ratio=0.5),
        "dst": MeasuredEnd(address="10.128.0.3", cpu_ratio=0.7),
        "streams": 1,
        "gbps": 1.5,
        "counted_by": CountedBy.RECEIVER,
        "duration_s": 10.0,
        "omit_s": 2.0,
    }
    return msgspec.convert({**told, **fields}, Measurement)
