"""How far a campaign is: which runs are done, what it may still send, and what became of it."""

import time
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from netplan_planner.measuring.campaign import (
    Campaign,
    Configuration,
    Direction,
    ProbeLimits,
    ProbePair,
)
from netplan_planner.measuring.protocol import Times, is_enough
from netplan_planner.model import Measurement, Value
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
                reason = f"the limit of {limits.max_seconds:g} s leaves no time for another run"
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
            return Allowed(f"another run could exceed the limit of {limits.max_gib:g} GiB")
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


# Which runs of a campaign are done: told by the store alone, so that a broken-off one resumes


_MORE_RATIO = 1.25
"""How much more than the fastest run so far a next one may carry."""


class RunKey(Value, frozen=True, kw_only=True):
    """Which run of a campaign."""

    pair: str
    configuration: str
    number: int
    """Of the round, from 1."""

    @property
    def place(self) -> str:
        """How the store tells it: `Measurement.place`.

        >>> RunKey(pair="a-b", configuration="16-both", number=3).place
        'a-b/16-both/3'
        """
        return f"{self.pair}/{self.configuration}/{self.number}"


def key_of(measurement: Measurement) -> RunKey | None:
    """Return the run that a measurement of a campaign is of, or None for any other measurement."""
    parts = measurement.place.split("/")
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdigit()):
        return None
    return RunKey(pair=parts[0], configuration=parts[1], number=int(parts[2]))


def labelled(measurement: Measurement, *, key: RunKey, seed: int, position: int) -> Measurement:
    """Return a measurement that says which run it is of, and which place it had in the order."""
    told = f"run {position} in the order of seed {seed}"
    return msgspec.structs.replace(
        measurement, place=key.place, note="; ".join(filter(None, (told, measurement.note)))
    )


class Progress:
    """The runs of a campaign that were completed, before and during this part of it."""

    def __init__(self, campaign: Campaign, measurements: Iterable[Measurement]) -> None:
        """Take what the store has.

        Args:
            campaign: Its id tells which measurements are its own.
            measurements: All of the store.
        """
        self._stop = campaign.stop
        self._runs: dict[tuple[str, str], dict[int, list[Measurement]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for one in measurements:
            key = key_of(one) if one.source == campaign.id else None
            if key is not None:
                self._runs[key.pair, key.configuration][key.number].append(one)

    @property
    def count(self) -> int:
        """How many runs there are."""
        return sum(map(len, self._runs.values()))

    @property
    def sent_bytes(self) -> float:
        """What they sent, with headers and the seconds that were not counted."""
        return sum(
            _sent_bytes(one)
            for runs in self._runs.values()
            for measurements in runs.values()
            for one in measurements
        )

    def add(self, key: RunKey, measurements: Iterable[Measurement]) -> None:
        """Take a run that was just stored."""
        self._runs[key.pair, key.configuration][key.number] = list(measurements)

    def has(self, key: RunKey, configuration: Configuration) -> bool:
        """Return whether a run is there with all of its directions."""
        found = self._runs[key.pair, key.configuration].get(key.number, ())
        return len(found) >= (2 if configuration.direction is Direction.BOTH else 1)

    def is_enough(self, pair: str, configuration: Configuration) -> bool:
        """Return whether a configuration needs no further run, in any of its directions."""
        ways = (False, True) if configuration.direction is Direction.BOTH else (None,)
        return all(
            is_enough(
                [
                    one.gbps
                    for one in self._measured(pair, configuration)
                    if way in (None, one.is_reverse)
                ],
                self._stop,
            )
            for way in ways
        )

    def expected_gbps(self, pair: ProbePair, configuration: Configuration) -> float | None:
        """Return the most that a direction of a next run may carry, as far as that is known."""
        rates = [one.gbps for one in self._measured(pair.name, configuration)]
        return max(rates) * _MORE_RATIO if rates else pair.expected_gbps

    def _measured(self, pair: str, configuration: Configuration) -> list[Measurement]:
        runs = self._runs[pair, configuration.name]
        return [one for number in sorted(runs) for one in runs[number]]


def _sent_bytes(one: Measurement) -> float:
    omitted_ratio = (one.omit_s or 0.0) / one.duration_s if one.duration_s else 0.0
    return (one.byte_count or 0) * (1 + omitted_ratio) * wire_ratio(one.mss_bytes)


# What happens during a campaign, and what became of it


class RunMeasured(Value, frozen=True, kw_only=True):
    """A run ended well and is in the store."""

    key: RunKey
    measurements: tuple[Measurement, ...]


class RunFailed(Value, frozen=True, kw_only=True):
    """A run ended without a result; another one may follow."""

    key: RunKey
    reason: str


class PairRefused(Value, frozen=True, kw_only=True):
    """A pair cannot be measured; the others go on."""

    pair: str
    reason: str


class RunsLeftOut(Value, frozen=True, kw_only=True):
    """A configuration of a pair, or everything (both empty), has fewer runs than it should."""

    pair: str = ""
    configuration: str = ""
    reason: str


ProbeEvent = RunMeasured | RunFailed | PairRefused | RunsLeftOut


class Outcome(Value, frozen=True, kw_only=True):
    """What became of a campaign."""

    resumed_count: int
    """Runs that the store had before."""
    order: tuple[RunKey, ...]
    """The runs that were begun now, in their order."""
    events: tuple[ProbeEvent, ...]
    moved_bytes: int
    """On the wire, earlier parts included; estimated from payload and segment size."""
    elapsed_s: float

    @property
    def measured_count(self) -> int:
        """How many runs were measured now."""
        return sum(isinstance(event, RunMeasured) for event in self.events)

    @property
    def is_complete(self) -> bool:
        """Whether every pair was measured in every configuration until the stop rule held."""
        return not any(isinstance(event, PairRefused | RunsLeftOut) for event in self.events)
