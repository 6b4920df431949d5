"""Transactions per second of a service, as a function of the bandwidth that its path gets.

A service moves `bytes_per_transaction` over the path that binds, in its busier direction, and can
do `ceiling_tps` when no path holds it back (processors, locks, latency). Alone, the path would let
`bandwidth / bytes` transactions through. Both together give the soft minimum

    tps = (path^-p + ceiling^-p)^(-1/p)

because p says how far transfer and work overlap. One client that waits for both in turn sees times
add up: p = 1. Endless clients keep both busy all the time, and the lesser of the two is all that
counts: p infinite. A closed loop of N clients that meets two equal stations gets N / (N + 1) of
either (balanced-job bound), which is p = ln 2 / ln(1 + 1/N), about 0.7 N + 0.3. Clients do not
overlap perfectly, for they wait for each other's locks and commits, so the likely p is the one
that parallel streams show at a link, 3; the interval spans 1 to infinity.

Bytes are counted as the bandwidth is: with the rates of links they are bytes on the wire, with
goodput they are payload.

What the exponent does to the parameters shows in a database of three nodes under sysbench's OLTP
transactions, 2,700 a second at 1 Gbit/s and 7,300 at 10: p = 1 gives 32 kB and a ceiling of 9,000,
p = 3 gives 45.5 kB and 7,350, infinity 46.3 kB and 7,300. Counted from its statements, such a
transaction takes 44 kB of the link to the client, and 4 more for the write set to both replicas.

Source:
    Zahorjan, Sevcik, Eager, Galler, "Balanced job bound analysis of queueing networks", 1982.
"""

import math
from collections.abc import Iterable

from netplan_planner import units
from netplan_planner.model import Binding, Service, ServiceCurve, Transactions, Value
from netplan_planner.throughput.services.service_fit import (
    LIKELY_OVERLAP,
    Overlap,
    ServicePoint,
    described_service,
    fit_two_points,
    known_service,
)

__all__ = [
    "LIKELY_OVERLAP",
    "Binding",
    "ClosedLoop",
    "Overlap",
    "Service",
    "ServiceCurve",
    "ServicePoint",
    "Transactions",
    "described_service",
    "fit_two_points",
    "known_service",
    "soft_minimum",
    "transactions_per_s",
]


class ClosedLoop(Value, frozen=True, kw_only=True):
    """Clients that each wait for their transaction, and what they wait for besides bytes.

    Synchronous replication adds a round trip to the farthest replica to every commit.
    """

    client_count: float
    round_trip_count: float
    """Per transaction: one for each statement that waits for its answer, and the commit's."""
    rtt_ms: float
    work_ms: float = 0.0
    """What one transaction takes a client without any network; 0 where not known."""

    def __post_init__(self) -> None:
        """Refuse counts and times that cannot be."""
        if self.client_count <= 0 or min(self.round_trip_count, self.rtt_ms, self.work_ms) < 0:
            raise ValueError(f"clients are above 0, round trips and times not below it: {self}")

    @property
    def limit_tps(self) -> float:
        """The most transactions per second: clients / (work + round trips x RTT)."""
        wait_ms = self.work_ms + self.round_trip_count * self.rtt_ms
        return self.client_count * units.MS_PER_SECOND / wait_ms if wait_ms > 0 else math.inf


def transactions_per_s(
    service: Service,
    *,
    gbps: float,
    low_gbps: float | None = None,
    high_gbps: float | None = None,
    loop: ClosedLoop | None = None,
) -> Transactions:
    """Return what a service does at a bandwidth, in transactions per second.

    Args:
        service: From `fit_two_points`.
        gbps: What its path gets, above 0.
        low_gbps: The least that it may get; default `gbps`.
        high_gbps: The most.
        loop: Clients and round trips, where latency counts beyond what the two points had.

    Raises:
        ValueError: If a bandwidth is not above 0, or the three are not in order.
    """
    least, most = _ordered(gbps, low_gbps, high_gbps)
    latency_tps = loop.limit_tps if loop is not None else math.inf
    curves = (service.likely, *service.edges)
    likely = service.likely
    limits = {
        Binding.BANDWIDTH: _path_tps(likely, gbps),
        Binding.CEILING: likely.most_tps,
        Binding.LATENCY: latency_tps,
    }
    tps = soft_minimum(limits.values(), likely.exponent)
    share = tps / limits[Binding.BANDWIDTH]
    return Transactions(
        tps=tps,
        low_tps=min(_rate(curve, least, latency_tps) for curve in curves),
        high_tps=max(_rate(curve, most, latency_tps) for curve in curves),
        binding=min(limits, key=lambda name: limits[name]),
        bandwidth_ratio=share**likely.exponent
        if math.isfinite(likely.exponent)
        else float(share >= 1),
    )


def soft_minimum(limits: Iterable[float], overlap: float) -> float:
    """Return the soft minimum of rates above 0 with the exponent `overlap`; infinity drops out.

    >>> soft_minimum([2.0, 2.0], 1.0)
    1.0
    >>> soft_minimum([2.0, 3.0, math.inf], math.inf)
    2.0
    """
    rates = tuple(limits)
    least = min(rates)
    if math.isinf(overlap) or math.isinf(least):
        return least
    return least / float(sum((least / rate) ** overlap for rate in rates) ** (1 / overlap))


def _path_tps(curve: ServiceCurve, gbps: float) -> float:
    return units.bytes_from_gbps(gbps, 1) / curve.bytes_per_transaction


def _rate(curve: ServiceCurve, gbps: float, latency_tps: float) -> float:
    limits = (_path_tps(curve, gbps), curve.most_tps, latency_tps)
    return soft_minimum(limits, curve.exponent)


def _ordered(gbps: float, low_gbps: float | None, high_gbps: float | None) -> tuple[float, float]:
    least = gbps if low_gbps is None else low_gbps
    most = gbps if high_gbps is None else high_gbps
    if not 0 < least <= gbps <= most:
        raise ValueError(f"0 < low <= {gbps} <= high does not hold for {least} and {most} Gbit/s")
    return least, most
