"""How one run is done: its times, its processes, the words of its command, and when to stop.

Source:
    esnet/iperf release notes: 3.7 has `--bidir`. Repetitions in random order: Abedi and Brecht,
    "Conducting repeatable experiments in highly variable cloud computing environments", ICPE 2017.
"""

import math
import random
import statistics
from collections.abc import Sequence

from netplan_planner.measuring.campaign import (
    Campaign,
    Configuration,
    Direction,
    ProbePair,
    StopRule,
)
from netplan_planner.model import Value
from netplan_planner.throughput.transport.tools import THREADED, Version
from netplan_planner.units import BITS_PER_GIGABIT, MS_PER_SECOND

OLDEST: Version = (3, 7)
"""The first that sends both ways at once."""
CPU_BOUND_RATIO = 0.9
_LEAST_OMIT_S, _OMIT_ROUND_TRIPS = 2.0, 15
_LEAST_DURATION_S, _DURATION_ROUND_TRIPS = 10.0, 60
_SHORTEST_OMIT_S, _LONGEST_OMIT_S = 0.5, 60
"""iperf3 takes no more."""
_LONGEST_DURATION_S = 3600
_T_95 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833)
"""Student's t, 95th percentile, for 1 to 9 degrees of freedom; 5 % are above it, 5 % below."""


class Times(Value, frozen=True, kw_only=True):
    """Seconds of one run; iperf3 takes whole ones."""

    omit_s: int
    """At the start, sent but not counted: the slow start."""
    duration_s: int

    @property
    def total_s(self) -> int:
        """Seconds during which data is sent."""
        return self.omit_s + self.duration_s


def run_times(*, rtt_ms: float | None, scale: float = 1.0) -> Times:
    """Return how long a run lasts: 15 and 60 round trips, at least 2 s and 10 s.

    The ramp then takes under 5 % of what is counted.

    Args:
        rtt_ms: Of the idle path; None is taken for a short one.
        scale: Multiplies both, above 0. The duration is at least a second; what would be omitted
            for less than half of one is not.

    >>> run_times(rtt_ms=0.3), run_times(rtt_ms=300.0)
    (Times(omit_s=2, duration_s=10), Times(omit_s=5, duration_s=18))
    """
    rtt_s = (rtt_ms or 0.0) / MS_PER_SECOND
    omit_s = scale * max(_LEAST_OMIT_S, _OMIT_ROUND_TRIPS * rtt_s)
    duration_s = scale * max(_LEAST_DURATION_S, _DURATION_ROUND_TRIPS * rtt_s)
    return Times(
        omit_s=min(_whole(omit_s), _LONGEST_OMIT_S) if omit_s >= _SHORTEST_OMIT_S else 0,
        duration_s=min(_whole(duration_s), _LONGEST_DURATION_S),
    )


def process_count(*, streams: int, versions: Sequence[Version]) -> int:
    """Return how many clients, each with a server of its own, carry the streams of a run.

    >>> process_count(streams=16, versions=[(3, 12), (3, 18)])
    16
    >>> process_count(streams=16, versions=[(3, 16), (3, 18)])
    1
    """
    return 1 if all(version >= THREADED for version in versions) else streams


def client_arguments(
    *,
    configuration: Configuration,
    address: str,
    times: Times,
    processes: int,
    bitrate_gbps: float | None,
    connect_s: int,
) -> tuple[str, ...]:
    """Return the words of an iperf3 client, but for the program and its port.

    Args:
        configuration: Streams and direction of the run.
        address: Of the server.
        times: Of the run.
        processes: How many clients share the streams.
        bitrate_gbps: Of all streams of one direction together; iperf3's own option is per stream.
        connect_s: How long it waits for the server.
    """
    streams = configuration.streams // processes
    words = ["-c", address, "-J", "--get-server-output", "-t", str(times.duration_s)]
    words += ["-P", str(streams), "--connect-timeout", str(connect_s * MS_PER_SECOND)]
    if times.omit_s:
        words += ["-O", str(times.omit_s)]
    if configuration.direction is Direction.REVERSE:
        words.append("-R")
    if configuration.direction is Direction.BOTH:
        words.append("--bidir")
    if bitrate_gbps is not None:
        per_stream = bitrate_gbps * BITS_PER_GIGABIT / configuration.streams
        # 0 would mean "no limit".
        words += ["-b", str(max(math.floor(per_stream), 1))]
    return tuple(words)


def first_contact_arguments(*, address: str, connect_s: int) -> tuple[str, ...]:
    """Return the words of a client that sends one block, to see whether the way works."""
    timeout_ms = str(connect_s * MS_PER_SECOND)
    return ("-c", address, "-J", "-n", "1", "--connect-timeout", timeout_ms)


def round_order(campaign: Campaign, number: int) -> tuple[tuple[ProbePair, Configuration], ...]:
    """Return all pairs in all configurations, in the random order of one round.

    The same for the same id and seed, so that a campaign that was broken off goes on in it.

    Args:
        campaign: The pairs and configurations, and the seed.
        number: Of the round, from 1.
    """
    everything = [
        (pair, configuration)
        for pair in campaign.pairs
        for configuration in pair.configurations or campaign.configurations
    ]
    # A text seeds alike on every platform and version of Python.
    random.Random(f"{campaign.id}/{campaign.seed}/{number}").shuffle(everything)
    return tuple(everything)


def predictive_half_width_ratio(rates: Sequence[float]) -> float | None:
    """Return half the width of the 90 % interval of a next run, as a share of the mean.

    Runs are taken for independent and normal; None below two of them.

    >>> round(predictive_half_width_ratio([9.9, 10.0, 10.1]), 4)
    0.0337
    """
    count = len(rates)
    if count < 2:
        return None
    t_95 = _T_95[min(count - 2, len(_T_95) - 1)]
    width = t_95 * statistics.stdev(rates) * math.sqrt(1 + 1 / count)
    return width / statistics.fmean(rates)


def is_enough(rates: Sequence[float], rule: StopRule) -> bool:
    """Return whether a configuration that gave `rates`, in order, needs no further run.

    >>> is_enough([10.0, 10.0], StopRule()), is_enough([10.0, 10.0, 10.1], StopRule())
    (False, True)
    """
    if len(rates) < rule.min_runs:
        return False
    if len(rates) >= rule.max_runs:
        return True
    half = predictive_half_width_ratio(rates)
    if half is not None and half < rule.tolerance_ratio:
        return True
    before, now = statistics.median(rates[:-1]), statistics.median(rates)
    return abs(now - before) <= rule.median_ratio * before


def _whole(seconds: float) -> int:
    # Not 3 for a product of 2.0000000000000004.
    return max(1, math.ceil(round(seconds, 6)))
