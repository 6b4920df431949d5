"""The service of `netplan predict`: bytes and ceiling, or two bandwidths at which it was seen."""

from netplan_planner.errors import UsageError
from netplan_planner.model import Service, Value
from netplan_planner.throughput.limits.named import ethernet_payload_ratio
from netplan_planner.throughput.services.application import (
    ServicePoint,
    described_service,
    fit_two_points,
    known_service,
)

_LIKE = "--tps-at is GBPS=TPS, such as 1=2700"


class ServiceWords(Value, frozen=True, kw_only=True):
    """A service as the options describe it."""

    name: str | None = None
    """Of a published one."""
    bytes_per_transaction: int | None = None
    max_tps: float | None = None
    """Transactions per second where no path holds it back."""
    points: tuple[str, ...] = ()
    """Transactions per second at a bandwidth, as `GBPS=TPS`."""


def service_of(words: ServiceWords) -> Service | None:
    """Return the service that the options describe, None where they describe none.

    Raises:
        UsageError: If they say half of it, or both ways at once.
    """
    size_bytes, max_tps, points = words.bytes_per_transaction, words.max_tps, words.points
    if words.name is not None:
        if size_bytes is not None or max_tps is not None or points:
            raise UsageError("--service has its own figures: leave out --tps-at and the others")
        return known_service(words.name, ethernet_payload_ratio())
    if not points:
        if size_bytes is None and max_tps is None:
            return None
        if size_bytes is None or max_tps is None:
            raise UsageError("--bytes-per-transaction and --max-tps belong together")
        return described_service(bytes_per_transaction=size_bytes, ceiling_tps=max_tps)
    if size_bytes is not None or max_tps is not None:
        raise UsageError("--tps-at stands instead of --bytes-per-transaction and --max-tps")
    if len(points) != 2:
        raise UsageError(f"--tps-at is given twice, for two bandwidths; here {len(points)} times")
    low, high = sorted(map(_point, points), key=lambda point: point.gbps)
    return fit_two_points(low=low, high=high)


def _point(text: str) -> ServicePoint:
    gbps, sign, tps = text.partition("=")
    try:
        point = ServicePoint(gbps=float(gbps), tps=float(tps))
    except ValueError as exc:
        raise UsageError(f"{_LIKE}, not {text[:40]!r}") from exc
    if not sign or not (0 < point.gbps < float("inf") and 0 < point.tps < float("inf")):
        raise UsageError(f"{_LIKE}, not {text[:40]!r}")
    return point
