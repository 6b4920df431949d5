"""The fields of the Cloud Monitoring API v3 that netplan reads, as they stand in its JSON.

`timeSeries` of `projects.timeSeries.list`, and `timeSeriesData` of `timeSeries:query`. Numbers that
JSON cannot hold (`NaN`, `Infinity`) come as texts.
"""

from datetime import datetime

import msgspec

from netplan_planner.readers.compute.wire import LongNumber, Wire


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
