"""What many pods' paths carry at once, by the product's formulas, to hold against figures."""

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import repeat
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.limits.pods.overlay import Overlay, Traffic, bounds, resolve
from netplan_planner.throughput.limits.pods.tables import PodTerm, pod_terms

Numbers: TypeAlias = float | Sequence[float] | NDArray[np.float64]
One = TypeVar("One", str, date)


class PodRates(NamedTuple):
    """Rates by row in Gbit/s, and the limit that binds; NaN and an empty name where unknown."""

    gbps: NDArray[np.float64]
    low_gbps: NDArray[np.float64]
    high_gbps: NDArray[np.float64]
    binding: NDArray[np.str_]


def pod_rates(
    *,
    encapsulation: str | Sequence[str],
    encryption: str | Sequence[str],
    mtu_bytes: Numbers,
    streams: Numbers,
    host_gbps: Numbers,
    host_single_flow_gbps: Numbers,
    as_of: date | Sequence[date],
    host_mtu_bytes: Numbers = math.nan,
    other_link_gbps: Numbers = math.nan,
    is_bare_metal: bool = False,
    terms: tuple[PodTerm, ...] | None = None,
) -> PodRates:
    """Return what each of many pods' paths carries, with its range and the limit that binds.

    The arguments are those of `overlay_limits`, as numbers or arrays of one length: NaN is
    unknown, infinite streams are "as many as it takes". Without the host's rate, or with a name
    that netplan does not know, a row is unknown. `terms` puts other quantities in place of the
    shipped ones.
    """
    numbers = (
        mtu_bytes,
        host_mtu_bytes,
        streams,
        host_gbps,
        host_single_flow_gbps,
        other_link_gbps,
    )
    names = (encapsulation, encryption, as_of)
    lengths = [(len(each),) for each in names if not isinstance(each, str | date)]
    shape = np.broadcast_shapes(*map(np.shape, numbers), *lengths)
    count = shape[0] if shape else 1
    columns = [np.broadcast_to(np.asarray(each, dtype=np.float64), count) for each in numbers]
    rates = PodRates(
        gbps=np.full(count, math.nan),
        low_gbps=np.full(count, math.nan),
        high_gbps=np.full(count, math.nan),
        binding=np.full(count, "", "<U24"),
    )
    keys = zip(_each(encapsulation), _each(encryption), _each(as_of), strict=False)
    for key, rows in _groups(keys, count):
        overlay = resolve(*key, is_bare_metal, terms or pod_terms())
        if overlay is not None:
            _fill(rates, rows, overlay, Traffic(*(column[rows] for column in columns)))
    return rates


def _fill(rates: PodRates, rows: NDArray[np.intp], overlay: Overlay, traffic: Traffic) -> None:
    """Write the least of the limits of some rows, of their lows and of their highs."""
    found = tuple(bounds(overlay, traffic))
    middles = np.stack([np.broadcast_to(bound.gbps, len(rows)) for bound in found])
    known = np.where(np.isnan(middles), math.inf, middles)
    is_known = ~np.isnan(traffic.host_gbps) & ~np.isnan(traffic.mtu_bytes)
    for column, ranges in (
        (rates.gbps, middles),
        (rates.low_gbps, [np.broadcast_to(bound.low_gbps, len(rows)) for bound in found]),
        (rates.high_gbps, [np.broadcast_to(bound.high_gbps, len(rows)) for bound in found]),
    ):
        column[rows] = np.where(is_known, np.fmin.reduce(ranges), math.nan)
    names = np.array([bound.name for bound in found])
    rates.binding[rows] = np.where(is_known, names[np.argmin(known, axis=0)], "")


def _groups(
    keys: Iterable[tuple[str, str, date]], count: int
) -> Iterator[tuple[tuple[str, str, date], NDArray[np.intp]]]:
    """Yield each key with its rows, so that formulas run once for each and not once for a row."""
    codes: dict[tuple[str, str, date], int] = {}
    code_by_row = np.fromiter(
        (codes.setdefault(key, len(codes)) for key, _ in zip(keys, range(count), strict=False)),
        dtype=np.intp,
        count=count,
    )
    order = np.argsort(code_by_row, kind="stable")
    ends = np.cumsum(np.bincount(code_by_row, minlength=len(codes)))
    for key, code in codes.items():
        yield key, order[ends[code - 1] if code else 0 : ends[code]]


def _each(one_or_many: One | Sequence[One]) -> Iterable[One]:
    if isinstance(one_or_many, str | date):
        return repeat(one_or_many)
    return one_or_many
