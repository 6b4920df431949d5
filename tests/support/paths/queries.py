"""Paths for the tests of the throughput model: one at a time, and tables of many."""

from collections.abc import Sequence
from datetime import date
from functools import cache
from itertools import groupby, pairwise
from typing import Any

import msgspec
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from netplan_planner.model import Estimate, PathClass, PathEnd, PathQuery
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.batch import Columns, Predictions, kind_limits, predict_columns
from netplan_planner.throughput.goodput.intervals import factors_at

DAY = date(2026, 11, 21)
CLASSES = tuple(c for c in PathClass if c.distance or c is PathClass.INTERNET)
"""Those that have an answer between two machines."""
TYPES = (
    "c4n-highmem-8",
    "e2-micro",
    "e2-standard-2",
    "n1-standard-4",
    "n1-standard-96",
    "n2-highmem-80",
    "n2-standard-2",
    "n2-standard-32",
    "n4-standard-16",
    "t2d-standard-1",
)


def end(machine_type: str | None, **more: object) -> PathEnd:
    """Return one end on the newest platform, so that no cap depends on what is not said."""
    made = PathEnd(machine_type=machine_type, cpu_platform="Intel Skylake", mtu_bytes=1460)
    return msgspec.structs.replace(made, **more)


def path(path_class: str, src: str | PathEnd, **more: object) -> PathQuery:
    """Return a path between two machines of one type; of one stream over 50 ms unless said."""
    sender = src if isinstance(src, PathEnd) else end(src)
    made = PathQuery(
        path_class=PathClass(path_class),
        src=sender,
        dst=msgspec.structs.replace(sender, is_tier1=False),
        streams=1,
        rtt_ms=50.0,
    )
    return msgspec.structs.replace(made, **more)


def estimate(query: PathQuery, day: date = DAY, *, level: float = 0.9) -> Estimate:
    """Return the answer of the command: what is not known may be assumed."""
    return predict(query, load_caps(day), may_assume=True, level=level)


def gbps(query: PathQuery, day: date = DAY) -> float:
    """Return the value of a path that has one."""
    found = estimate(query, day).gbps
    assert found is not None
    return found


rtts = st.floats(0.02, 400.0)
streams = st.integers(1, 256)
durations = st.floats(0.1, 1e5)
volumes = st.integers(1, 10**15)
windows = st.integers(2**12, 2**31)
frames = st.sampled_from((1300, 1400, 1460, 1500, 8896))


@st.composite
def paths(draw: st.DrawFn) -> PathQuery:
    """Draw a path with a round-trip time; the rest of what can be said may stay unsaid."""
    sender = end(draw(st.sampled_from(TYPES)), mtu_bytes=draw(frames), is_tier1=draw(st.booleans()))
    is_sized = draw(st.booleans())
    return PathQuery(
        path_class=draw(st.sampled_from(CLASSES)),
        src=sender,
        dst=end(draw(st.sampled_from(TYPES)), mtu_bytes=sender.mtu_bytes),
        streams=draw(st.none() | streams),
        rtt_ms=draw(rtts),
        window_bytes=draw(st.none() | windows),
        send_buffer_bytes=draw(st.none() | windows),
        duration_s=None if is_sized else draw(st.none() | durations),
        transfer_bytes=draw(volumes) if is_sized else None,
        is_both_ways=draw(st.booleans()),
    )


@cache
def growing_types() -> tuple[tuple[str, ...], ...]:
    """Return the machine types of each kind of a series whose caps rise with their vCPUs."""
    caps = load_caps(DAY)
    plain = [
        found[0]
        for name in caps.machine_types
        if (found := [c for c in caps.variants(name) if not c.is_tier1 and not c.cpu_platform])
        and found[0].vcpus
    ]
    by_kind = sorted(plain, key=lambda cap: (cap.machine_type.rpartition("-")[0], cap.vcpus or 0))
    rows = [
        [cap for cap in kind if cap.external_gbps is not None]
        for _, kind in groupby(by_kind, key=lambda cap: cap.machine_type.rpartition("-")[0])
    ]
    return tuple(
        tuple(cap.machine_type for cap in kind)
        for kind in rows
        if len(kind) > 2
        and all(
            a.egress_gbps <= b.egress_gbps and (a.external_gbps or 0) <= (b.external_gbps or 0)
            for a, b in pairwise(kind)
        )
    )


class Table:
    """Many paths at once, as `predict_columns` takes them; drawn from a seed."""

    def __init__(
        self, seed: int, count: int = 400, *, is_receiver_count: bool | None = None
    ) -> None:
        chance = np.random.default_rng(seed)
        self.kinds: Sequence[PathQuery] = [
            PathQuery(
                path_class=CLASSES[chance.integers(len(CLASSES))],
                src=end(TYPES[chance.integers(len(TYPES))], mtu_bytes=mtu),
                dst=end(TYPES[chance.integers(len(TYPES))], mtu_bytes=mtu),
                as_of=DAY,
            )
            for mtu in (1300, 1460, 1500, 8896)
            for _ in range(8)
        ]
        nan = np.full(count, np.nan)
        rtt = np.exp(chance.uniform(np.log(0.02), np.log(400.0), count))
        is_sized = chance.random(count) < 0.3
        is_timed = ~is_sized & (chance.random(count) < 0.6)
        by_sender = chance.random(count) < (0.3 if is_receiver_count is None else 0.0)
        if is_receiver_count is False:
            by_sender[:] = True
        self.columns = Columns(
            kind=chance.integers(len(self.kinds), size=count).astype(np.intp),
            window_bytes=np.where(chance.random(count) < 0.3, 2.0 ** chance.uniform(12, 31), nan),
            streams=np.where(chance.random(count) < 0.8, chance.integers(1, 257, count), nan),
            rtt_ms=rtt,
            low_rtt_ms=rtt,
            high_rtt_ms=rtt,
            duration_s=np.where(is_timed, np.exp(chance.uniform(-2, 11, count)), nan),
            omit_s=nan,
            transfer_bytes=np.where(is_sized, np.exp(chance.uniform(1, 34, count)), nan),
            is_both_ways=chance.random(count) < 0.3,
            is_sender_count=by_sender,
            late_rtts=np.zeros(count),
            send_buffer_bytes=np.where(
                chance.random(count) < 0.3, 2.0 ** chance.uniform(12, 31), nan
            ),
        )

    def answers(self, *, level: float = 0.9, **changed: Any) -> Predictions:
        """Return the predictions, with some columns in place of the table's own."""
        columns = self.columns._replace(**changed)
        return predict_columns(self.kinds, kind_limits(self.kinds), columns, factors_at(level))

    def gbps(self, **changed: Any) -> NDArray[np.float64]:
        """Return the values only."""
        return self.answers(**changed).gbps
