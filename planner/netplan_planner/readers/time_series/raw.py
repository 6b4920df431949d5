"""Time series as they came: their names, and their points as arrays."""

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import numpy as np

from netplan_planner.readers.compute.wire import LongNumber, Wire

# The fields of the Cloud Monitoring API v3 that netplan reads, as they stand in its JSON
#
# `timeSeries` of `projects.timeSeries.list`, and `timeSeriesData` of `timeSeries:query`. Numbers
# that JSON cannot hold (`NaN`, `Infinity`) come as texts.


class WireInterval(Wire):
    """`TimeInterval`; a moment has an end alone, or two that are equal."""

    start_time: datetime | None = None
    end_time: datetime | None = None


class WireExponential(Wire):
    """`Exponential` buckets: the first ends at `scale`."""

    num_finite_buckets: int = 0
    growth_factor: float = 0.0
    scale: float = 0.0


class WireLinear(Wire):
    """`Linear` buckets: the first ends at `offset`."""

    num_finite_buckets: int = 0
    width: float = 0.0
    offset: float = 0.0


class WireExplicit(Wire):
    """`Explicit` bounds of buckets."""

    bounds: list[float] = msgspec.field(default_factory=list)


class WireBuckets(Wire):
    """`BucketOptions`: one of the three."""

    exponential_buckets: WireExponential | None = None
    linear_buckets: WireLinear | None = None
    explicit_buckets: WireExplicit | None = None


class WireDistribution(Wire):
    """`Distribution`; trailing buckets that are empty may be left out."""

    count: LongNumber | None = None
    mean: float | str | None = None
    bucket_options: WireBuckets | None = None
    bucket_counts: list[LongNumber] = msgspec.field(default_factory=list)


class WireValue(Wire):
    """`TypedValue`: one of them is set."""

    bool_value: bool | None = None
    int64_value: LongNumber | None = None
    double_value: float | str | None = None
    string_value: str | None = None
    distribution_value: WireDistribution | None = None


class WirePoint(Wire):
    """`Point`."""

    interval: WireInterval = msgspec.field(default_factory=WireInterval)
    value: WireValue = msgspec.field(default_factory=WireValue)


class WireNamed(Wire):
    """`Metric` and `MonitoredResource`."""

    type: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)


class WireSeries(Wire):
    """`TimeSeries`."""

    metric: WireNamed = msgspec.field(default_factory=WireNamed)
    resource: WireNamed = msgspec.field(default_factory=WireNamed)
    metric_kind: str | None = None
    value_type: str | None = None
    unit: str | None = None
    points: list[WirePoint] = msgspec.field(default_factory=list)


class WireLabelKey(Wire):
    """`LabelDescriptor` of a query's answer: `resource.zone`, `metric.reason`."""

    key: str = ""


class WireColumn(Wire):
    """`ValueDescriptor` of a query's answer; its key is a name that the query made up."""

    key: str = ""
    value_type: str | None = None
    metric_kind: str | None = None
    unit: str | None = None


class WireDescriptor(Wire):
    """`TimeSeriesDescriptor`."""

    label_descriptors: list[WireLabelKey] = msgspec.field(default_factory=list)
    point_descriptors: list[WireColumn] = msgspec.field(default_factory=list)


class WireLabel(Wire):
    """`LabelValue`."""

    string_value: str | None = None
    bool_value: bool | None = None
    int64_value: LongNumber | None = None


class WireRow(Wire):
    """`PointData`: a value for each column."""

    values: list[WireValue] = msgspec.field(default_factory=list)
    time_interval: WireInterval = msgspec.field(default_factory=WireInterval)


class WireQueried(Wire):
    """`TimeSeriesData`."""

    label_values: list[WireLabel] = msgspec.field(default_factory=list)
    point_data: list[WireRow] = msgspec.field(default_factory=list)


# Time series as they came: their names, and their points as arrays


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)
US_PER_S = 1_000_000
_LARGEST = 2**62
"""Counts beyond are damage: a signed integer of 64 bits ends at twice that."""


class Unusable(Exception):
    """A series that cannot be summed up; the text says why."""


class Identity(NamedTuple):
    """What two pages of one series have in common."""

    type: str
    kind: str
    unit: str
    resource_type: str
    resource: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]


class Points(NamedTuple):
    """Points of a series. All three: shape (n,), any order, no NaN; times in µs since 1970, UTC."""

    start_us: np.ndarray[Any, np.dtype[np.int64]]
    """Equal to the end where the point is a moment."""
    end_us: np.ndarray[Any, np.dtype[np.int64]]
    value: np.ndarray[Any, np.dtype[np.float64]]


def points_of(pairs: Iterable[tuple[WireInterval, WireValue]]) -> tuple[Points, int]:
    """Return the points of a series, and how many have no time or no number."""
    starts: list[int] = []
    ends: list[int] = []
    values: list[float] = []
    lost = 0
    for interval, wire in pairs:
        value = number_of(wire)
        if value is None or interval.end_time is None:
            lost += 1
            continue
        end = micros(interval.end_time)
        ends.append(end)
        starts.append(end if interval.start_time is None else micros(interval.start_time))
        values.append(value)
    return (
        Points(
            np.array(starts, dtype=np.int64),
            np.array(ends, dtype=np.int64),
            np.array(values, dtype=np.float64),
        ),
        lost,
    )


def micros(moment: datetime) -> int:
    """Return a moment as microseconds since 1970; one without a zone is UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _US


def moment_of(time_us: int) -> datetime:
    """Return microseconds since 1970 as a moment."""
    return _EPOCH + timedelta(microseconds=time_us)


def number_of(value: WireValue) -> float | None:
    """Return a point's number: 1 and 0 for truth, the median of a distribution; None: it has none.

    >>> number_of(WireValue(int64_value="12")), number_of(WireValue(double_value="NaN"))
    (12.0, None)
    """
    if value.bool_value is not None:
        return float(value.bool_value)
    if value.distribution_value is not None:
        return median_of(value.distribution_value)
    said = value.int64_value if value.int64_value is not None else value.double_value
    return None if said is None else _finite(said)


def _finite(said: float | str) -> float | None:
    try:
        number = float(said)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and abs(number) < _LARGEST else None


def median_of(distribution: WireDistribution) -> float | None:
    """Return the median of a distribution, spread evenly over its bucket; None: it is empty.

    Without buckets it is the mean.
    """
    counts = [count for said in distribution.bucket_counts if (count := _finite(said)) is not None]
    whole = sum(counts)
    bounds = _bounds(distribution.bucket_options, len(counts))
    if whole <= 0 or not bounds:
        has_any = distribution.count is not None and (_finite(distribution.count) or 0) > 0
        return _finite(distribution.mean) if has_any and distribution.mean is not None else None
    reached = 0.0
    for index, count in enumerate(counts):
        if count > 0 and reached + count >= whole / 2:
            # Below the first bound and above the last one the bound itself is the best answer.
            low = bounds[max(index - 1, 0)]
            high = bounds[min(index, len(bounds) - 1)]
            return low + (high - low) * (whole / 2 - reached) / count
        reached += count
    return None


_MOST_BUCKETS = 10_000


def _bounds(options: WireBuckets | None, bucket_count: int) -> list[float]:
    """Return the bounds between buckets, as many as there are counts for at most."""
    most = min(bucket_count, _MOST_BUCKETS)
    if options is None:
        return []
    if options.explicit_buckets is not None:
        return options.explicit_buckets.bounds[:most]
    if options.linear_buckets is not None:
        linear = options.linear_buckets
        finite = min(linear.num_finite_buckets + 1, most)
        return [linear.offset + linear.width * index for index in range(finite)]
    if options.exponential_buckets is not None:
        exponential = options.exponential_buckets
        finite = min(exponential.num_finite_buckets + 1, most)
        try:
            return [exponential.scale * exponential.growth_factor**i for i in range(finite)]
        except OverflowError:
            return []
    return []
