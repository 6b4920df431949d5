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

import itertools
import math
from collections.abc import Iterable
from functools import cache

from netplan_planner import units
from netplan_planner.errors import UnknownName, UsageError, nearest_names
from netplan_planner.model import Binding, Interval, Service, ServiceCurve, Transactions, Value
from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.limits.tables import DATA
from netplan_planner.throughput.transport.transfer import SATURATION_POWER

# What two measurements say of a service: bytes per transaction, and its ceiling
#
# Two points fix a curve of two parameters for each exponent of overlap; `application` explains the
# curve. The ranges come from the exponents and from how the rates were rounded.


SERIAL = 1.0
PERFECT = math.inf


class Overlap(Interval[float], frozen=True, kw_only=True):
    """How far transfer and work overlap: the exponent p of the soft minimum, 1 or more."""

    low: float = SERIAL
    middle: float = SATURATION_POWER
    high: float = PERFECT

    def __post_init__(self) -> None:
        """Refuse an order that cannot be."""
        if not 1 <= self.low <= self.middle <= self.high:
            raise ValueError(f"1 <= low <= middle <= high does not hold for {self}")


class ServicePoint(Value, frozen=True, kw_only=True):
    """A service measured at one bandwidth; `low_tps` and `high_tps` say how it was rounded."""

    gbps: float
    tps: float
    low_tps: float | None = None
    high_tps: float | None = None


LIKELY_OVERLAP = Overlap()


def fit_two_points(
    *, low: ServicePoint, high: ServicePoint, overlap: Overlap = LIKELY_OVERLAP
) -> Service:
    """Return the service that carried both points.

    Args:
        low: The point at the lesser bandwidth.
        high: The point at the greater one.
        overlap: The likely exponent and its range.

    Raises:
        UsageError: If the points fix nothing: the same bandwidth twice, a rate that does not
            grow, or one that grows as much as the bandwidth or more (no ceiling shows).

    >>> service = fit_two_points(
    ...     low=ServicePoint(gbps=1, tps=2700), high=ServicePoint(gbps=10, tps=7300)
    ... )
    >>> round(service.bytes_per_transaction), round(service.ceiling_tps)
    (45517, 7346)
    """
    _check(low, high)
    likely = _curve(low, low.tps, high, high.tps, overlap.middle)
    corners = itertools.product(_range(low), _range(high), overlap)
    found = (_curve(low, low_tps, high, high_tps, p) for low_tps, high_tps, p in corners)
    edges = tuple(dict.fromkeys(found))
    byte_counts = [curve.bytes_per_transaction for curve in (likely, *edges)]
    ceilings = [curve.most_tps for curve in (likely, *edges)]
    return Service(
        bytes_per_transaction=likely.bytes_per_transaction,
        low_bytes_per_transaction=min(byte_counts),
        high_bytes_per_transaction=max(byte_counts),
        ceiling_tps=likely.most_tps,
        low_ceiling_tps=min(ceilings),
        high_ceiling_tps=max(ceilings) if math.isfinite(max(ceilings)) else None,
        likely=likely,
        edges=edges,
    )


def described_service(
    *, bytes_per_transaction: float, ceiling_tps: float, overlap: Overlap = LIKELY_OVERLAP
) -> Service:
    """Return the service of given bytes and ceiling; only how they overlap is not known.

    Raises:
        UsageError: If one of them is not above 0.
    """
    if bytes_per_transaction <= 0 or ceiling_tps <= 0:
        raise UsageError("bytes per transaction and transactions per second must be above 0")
    likely, *edges = (
        ServiceCurve(
            bytes_per_transaction=bytes_per_transaction,
            ceiling_tps=ceiling_tps,
            overlap=_finite(p),
        )
        for p in (overlap.middle, overlap.low, overlap.high)
    )
    return Service(
        bytes_per_transaction=bytes_per_transaction,
        low_bytes_per_transaction=bytes_per_transaction,
        high_bytes_per_transaction=bytes_per_transaction,
        ceiling_tps=ceiling_tps,
        low_ceiling_tps=ceiling_tps,
        high_ceiling_tps=ceiling_tps,
        likely=likely,
        edges=tuple(edges),
    )


@cache
def known_service(name: str, payload_ratio: float = 1.0) -> Service:
    """Return a service whose two points ship with netplan (`data/services.csv`).

    Args:
        name: Of the service.
        payload_ratio: Goodput over the rate of a link: the points are of links, and what is
            asked later may be goodput.

    Raises:
        UnknownName: If there is none of that name.
    """
    known = shipped_rows(DATA / "services.csv")
    rows = [row for row in known if row["service"] == name]
    if len(rows) != 2:
        names = sorted({row["service"] for row in known})
        near = ", ".join(nearest_names(name, names) or names)
        raise UnknownName(
            f"no service {name[:60]!r} ships with netplan (near: {near}); give two measured points"
        )
    low, high = sorted((_point(row, payload_ratio) for row in rows), key=lambda point: point.gbps)
    return fit_two_points(low=low, high=high)


def _point(row: dict[str, str], payload_ratio: float) -> ServicePoint:
    return ServicePoint(
        gbps=float(row["gbps"]) * payload_ratio,
        tps=float(row["tps"]),
        low_tps=float(row["low_tps"]),
        high_tps=float(row["high_tps"]),
    )


def _check(low: ServicePoint, high: ServicePoint) -> None:
    """Refuse two points that leave bytes or ceiling open."""
    at = f"{low.tps:g}/s at {low.gbps:g} Gbit/s and {high.tps:g}/s at {high.gbps:g} Gbit/s"
    if min(low.gbps, high.gbps, low.tps, high.tps) <= 0:
        raise UsageError(f"{at}: bandwidths and rates must be above 0")
    for point, (least, most) in ((low, _range(low)), (high, _range(high))):
        if not 0 < least <= point.tps <= most:
            raise UsageError(f"{at}: {point.tps:g}/s is not within its range {least:g} to {most:g}")
    if low.gbps >= high.gbps:
        raise UsageError(f"{at}: give two different points, the smaller bandwidth first")
    if _range(low)[1] >= _range(high)[0]:
        raise UsageError(
            f"{at}: more bandwidth brought no more than rounding, so the path is not the limit"
            " and the bytes per transaction are unknown. Measure at a smaller bandwidth"
        )
    growth, widening = high.tps / low.tps, high.gbps / low.gbps
    if growth >= widening:
        raise UsageError(
            f"{at}: the rate grew {growth:.3g} times and the bandwidth {widening:.3g} times, so"
            " the service showed no limit. Measure at a larger bandwidth"
        )


def _range(point: ServicePoint) -> tuple[float, float]:
    least = point.tps if point.low_tps is None else point.low_tps
    return least, point.tps if point.high_tps is None else point.high_tps


def _curve(
    low: ServicePoint, low_tps: float, high: ServicePoint, high_tps: float, overlap: float
) -> ServiceCurve:
    """Return the curve of an exponent through both points; without a ceiling where none shows.

    With b the path's rate at `low`, c the ceiling and r the ratio of the bandwidths:
    b^-p + c^-p = low_tps^-p and (r b)^-p + c^-p = high_tps^-p are linear in b^-p and c^-p.
    """
    growth, widening = high_tps / low_tps, high.gbps / low.gbps
    path_tps, ceiling_tps = low_tps, high_tps
    if growth >= widening:
        ceiling_tps = math.inf  # only at the edge of the rounding: `_check` refuses it elsewhere
    elif math.isfinite(overlap):
        apart = -math.expm1(-overlap * math.log(widening))
        used = -math.expm1(-overlap * math.log(growth))
        left = -math.expm1(-overlap * math.log(widening / growth))
        path_tps *= (apart / used) ** (1 / overlap)
        ceiling_tps *= (apart / left) ** (1 / overlap)
    return ServiceCurve(
        bytes_per_transaction=units.bytes_from_gbps(low.gbps, 1) / path_tps,
        ceiling_tps=_finite(ceiling_tps),
        overlap=_finite(overlap),
    )


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


# Transactions per second of a service, as a function of the bandwidth that its path gets


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
            raise ValueError(f"clients must be above 0, round trips and times at least 0: {self}")

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
