"""The prediction for exactly what a run measured, and for the same run with one thing changed.

The limits are those of the day of the run, whatever the date of the audit's: they are what held
when the packets were sent. The model is the shipped one: calibrated by the same runs, it would be
held against itself.
"""

from datetime import date

from netplan_planner import model
from netplan_planner.throughput import load_caps, machine_end, predict
from netplan_planner.throughput.limits.ends import network_mtu_bytes
from netplan_planner.throughput.limits.tables import path_limit
from netplan_planner.throughput.round_trips.of_path import (
    run_round_trip,
    seen_round_trips,
    with_round_trip,
)
from netplan_planner.throughput.round_trips.rtt import RoundTrip
from netplan_planner.throughput.transport.tools import late_rtts
from netplan_rules.shared.measured import Run

STOCK_CEILING_BYTES = 6 * 2**20
"""The last figure of net.ipv4.tcp_rmem on a stock Linux image."""


class RunModel:
    """Predicts runs; what several of them share is worked out once."""

    def __init__(self, facts: model.Facts) -> None:
        self._facts = facts
        self._seen_ms = seen_round_trips(facts)
        self._estimates: dict[tuple[model.PathQuery, date], model.Estimate] = {}

    def query(self, run: Run) -> model.PathQuery:
        """Return the path and protocol of a run; its path class must be known."""
        one = run.measurement
        assert run.path_class is not None
        query = model.PathQuery(
            path_class=run.path_class,
            src=self._end(run.src, one.src, one.mtu_bytes),
            dst=self._end(run.dst, one.dst, one.mtu_bytes),
            streams=one.streams,
            window_bytes=recorded_window(one),
            duration_s=one.duration_s,
            omit_s=one.omit_s or 0.0,
            is_both_ways=one.is_bidirectional,
            is_sender_count=one.counted_by is model.CountedBy.SENDER,
            late_rtts=late_rtts(one),
        )
        return with_round_trip(query, self.round_trip(run))

    def round_trip(self, run: Run) -> RoundTrip:
        """Return the round-trip time of the idle path."""
        seen_ms = self._seen_ms.get(frozenset((run.src.ref.self_link, run.dst.ref.self_link)))
        return run_round_trip(run.measurement, run.src.zone, run.dst.zone, seen_ms=seen_ms)

    def caps(self, run: Run) -> model.CapsBook:
        """Return the limits of the day of a run, or those of the audit where it is not known."""
        return load_caps(run.started.date() if run.started else self._facts.caps.as_of)

    def estimate(self, run: Run, query: model.PathQuery) -> model.Estimate:
        """Return what the model says of a path on the day of a run."""
        caps = self.caps(run)
        key = (query, caps.as_of)
        if key not in self._estimates:
            self._estimates[key] = predict(query, caps, may_assume=True)
        return self._estimates[key]

    def stock_window_bytes(self, run: Run) -> float | None:
        """Return the receive window of a stock image, None where no source states one."""
        found = path_limit("tcp-window", self.caps(run).as_of)
        return found.value if found is not None else None

    def mtu_bytes(self, instance: model.Instance) -> int | None:
        """Return the MTU of a machine's first network."""
        return network_mtu_bytes(self._facts, instance)

    def _end(
        self, instance: model.Instance, measured: model.MeasuredEnd, mtu_bytes: int | None
    ) -> model.PathEnd:
        return machine_end(
            self._facts,
            instance,
            mtu_bytes=mtu_bytes,
            vcpus=measured.vcpus,
            cpu_platform=measured.cpu_platform,
        )


def recorded_window(one: model.Measurement) -> int | None:
    """Return the receive window of one stream, where a run tells it and no setting made it small.

    A ceiling below that of a stock image is a setting of the receiver that can be wrong: it is to
    be seen, so the prediction goes without it.
    """
    return None if has_small_ceiling(one) else one.max_receive_window_bytes


def has_small_ceiling(one: model.Measurement) -> bool:
    """Return whether the receiver's greatest buffer is recorded and below a stock image's."""
    ceiling = one.dst.receive_ceiling_bytes
    return ceiling is not None and 0 < ceiling < STOCK_CEILING_BYTES
