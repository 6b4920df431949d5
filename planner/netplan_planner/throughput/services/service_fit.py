"""What two measurements say of a service: bytes per transaction, and its ceiling.

Two points fix a curve of two parameters for each exponent of overlap; `application` explains the
curve. The ranges come from the exponents and from how the rates were rounded.
"""

import itertools
import math
from functools import cache

from netplan_planner import units
from netplan_planner.errors import UnknownName, UsageError, nearest_names
from netplan_planner.model import Interval, Service, ServiceCurve, Value
from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.limits.tables import DATA
from netplan_planner.throughput.transport.tcp import SATURATION_POWER

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
        raise UsageError("bytes of a transaction and the most transactions a second are above 0")
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
            f"no service {name[:60]!r} ships with netplan (near: {near}); give two points of your"
            " own"
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
        raise UsageError(f"{at}: bandwidths and rates are above 0")
    for point, (least, most) in ((low, _range(low)), (high, _range(high))):
        if not 0 < least <= point.tps <= most:
            raise UsageError(f"{at}: {point.tps:g}/s is not within its range {least:g} to {most:g}")
    if low.gbps >= high.gbps:
        raise UsageError(f"{at}: give the point at the lesser bandwidth first, and two that differ")
    if _range(low)[1] >= _range(high)[0]:
        raise UsageError(
            f"{at}: more bandwidth brought nothing, or no more than the rounding, so the path does "
            "not bind and the bytes of a transaction do not show; measure at a lesser bandwidth"
        )
    growth, widening = high.tps / low.tps, high.gbps / low.gbps
    if growth >= widening:
        raise UsageError(
            f"{at}: the rate grew {growth:.3g} times, the bandwidth {widening:.3g} times, so no "
            "ceiling shows; measure at a greater bandwidth"
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
