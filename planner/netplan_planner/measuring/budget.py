"""What a campaign may still send, and for how long it may still run."""

import time
from typing import NamedTuple

from netplan_planner.measuring.campaign import Configuration, Direction, ProbeLimits
from netplan_planner.measuring.protocol import Times
from netplan_planner.units import BITS_PER_GIGABIT, BYTES_PER_GIB, bytes_from_gbps, gbps_from_bytes

_HEADER_BYTES = 66
"""Ethernet, IP and TCP with time stamps, on each segment."""
_USUAL_MSS_BYTES = 1408
"""At the default MTU of a VPC network, 1460 bytes."""
_AGAIN_RATIO = 1.02
"""For segments that are sent twice."""
_BURST_BYTES = 2 * 131_072
"""What one stream may send beyond its rate: iperf3 looks at the rate between blocks."""
_OVERHEAD_S = 2.0
"""Of a run, beside the seconds in which it sends."""


class Allowed(NamedTuple):
    """Whether a run may begin, and at what rate at most."""

    reason: str
    """Why not; empty if it may."""
    bitrate_gbps: float | None = None
    """Of each direction; None is no limit."""
    ends_everything: bool = False
    """Whether no other run may begin either."""


class Budget:
    """Counts bytes and seconds of one campaign."""

    def __init__(self, limits: ProbeLimits, *, moved_bytes: float = 0.0) -> None:
        """Begin now.

        Args:
            limits: Of the campaign.
            moved_bytes: What earlier parts of it sent, headers included.
        """
        self._limits = limits
        self._begin_s = time.monotonic()
        self.moved_bytes = moved_bytes

    @property
    def elapsed_s(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._begin_s

    def spend(self, wire_bytes: float) -> None:
        """Count what was sent, headers included."""
        self.moved_bytes += wire_bytes

    def allow(
        self,
        configuration: Configuration,
        *,
        times: Times,
        mss_bytes: int | None,
        expected_gbps: float | None,
    ) -> Allowed:
        """Return whether a run fits into what is left.

        With a limit of bytes, each run gets a rate at which it cannot exceed it. A run that is
        known to want more than that rate does not begin: it would only measure the limit.

        Args:
            configuration: Its streams and directions.
            times: How long it sends.
            mss_bytes: Payload of a segment, or None.
            expected_gbps: The most that each direction may carry, or None.
        """
        limits = self._limits
        if limits.max_seconds is not None:
            end_s = self.elapsed_s + times.total_s + _OVERHEAD_S
            if end_s > limits.max_seconds:
                reason = f"the limit of {limits.max_seconds:g} s leaves no time for a further run"
                return Allowed(reason, ends_everything=True)
        if limits.max_gib is None:
            return Allowed("", limits.bitrate_gbps)
        left_bytes = limits.max_gib * BYTES_PER_GIB - self.moved_bytes
        payload = left_bytes / wire_ratio(mss_bytes)
        payload -= _BURST_BYTES * configuration.streams * _ways(configuration)
        room_gbps = gbps_from_bytes(max(payload, 0.0), times.total_s) / _ways(configuration)
        caps = [cap for cap in (limits.bitrate_gbps, expected_gbps) if cap is not None]
        # Below one bit a second and stream there is no rate to set.
        is_too_little = room_gbps * BITS_PER_GIGABIT < configuration.streams
        if is_too_little or min(caps, default=0.0) > room_gbps:
            return Allowed(f"a further run could exceed the limit of {limits.max_gib:g} GiB")
        return Allowed("", min(room_gbps, limits.bitrate_gbps or room_gbps))


def most_payload_bytes(
    configuration: Configuration, times: Times, bitrate_gbps: float | None
) -> int:
    """Return what a run sends at most; 0 for one without a limit, of which nothing is known.

    >>> both = Configuration(streams=16, direction=Direction.BOTH)
    >>> most_payload_bytes(both, Times(omit_s=2, duration_s=10), 1.0)
    3000000000
    """
    if bitrate_gbps is None:
        return 0
    return round(_ways(configuration) * bytes_from_gbps(bitrate_gbps, times.total_s))


def wire_ratio(mss_bytes: int | None) -> float:
    """Return bytes on the wire for each byte of payload.

    >>> round(wire_ratio(1408), 3)
    1.068
    """
    return (1 + _HEADER_BYTES / (mss_bytes or _USUAL_MSS_BYTES)) * _AGAIN_RATIO


def _ways(configuration: Configuration) -> int:
    return 2 if configuration.direction is Direction.BOTH else 1
