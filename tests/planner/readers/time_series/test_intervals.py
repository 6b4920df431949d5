"""Points whose moments or values are odd; what kinds of them come to is in `data/metrics`."""

from datetime import timedelta

from netplan_planner.model import Inventory, Metric, Metrics
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.time_series import Gathering, metrics_of
from netplan_planner.readers.time_series.raw import (
    WireBuckets,
    WireDistribution,
    WireExplicit,
    WireExponential,
    WireLinear,
    median_of,
)
from support.listed import listed
from support.metrics.series import START, Json, machine, page, time_series

VM = machine("1", "us-central1-a")
CPU = Metric.VM_CPU.value


def read(series: Json) -> Metrics:
    gathering = Gathering()
    gathering.take(page(series), Origin("f", "f:"))
    return metrics_of(gathering, Inventory(instances=()))


def test_jitter_of_moments_makes_no_gap() -> None:
    series = time_series(CPU, [0.5] * 10, resource=VM, kind="GAUGE", value_type="DOUBLE")
    for number, point in enumerate(series["points"]):
        late = START + timedelta(minutes=10 - number, milliseconds=137 * (number % 7))
        text = late.isoformat().replace("+00:00", "Z")
        point["interval"] = {"startTime": text, "endTime": text}
    (found,) = read(series).series
    assert (found.interval_count, found.gap_count, found.resolution_s) == (10, 0, 60.0)


@listed("said", ["NaN", "Infinity", "1e400", "x"])
def test_what_is_no_number_is_a_gap_and_told(said: str) -> None:
    series = time_series(CPU, [0.5, 0.5], resource=VM, kind="GAUGE", value_type="DOUBLE")
    series["points"][0]["value"] = {"doubleValue": said}
    found = read(series)
    assert found.series[0].point_count == 1
    assert "without a time or a number" in found.coverage.unread[0].reason


@listed(
    ("buckets", "median"),
    [
        (WireBuckets(explicit_buckets=WireExplicit(bounds=[1.0, 2.0, 4.0])), 2.5),
        (
            WireBuckets(
                exponential_buckets=WireExponential(
                    num_finite_buckets=2, growth_factor=2.0, scale=1.0
                )
            ),
            2.5,
        ),
        (WireBuckets(linear_buckets=WireLinear(num_finite_buckets=2, width=1.0, offset=1.0)), 2.25),
    ],
)
def test_the_median_of_a_distribution_lies_in_its_bucket(
    buckets: WireBuckets, median: float
) -> None:
    # Of three values the middle one, a quarter into the third bucket: (1.5 - 1) / 2.
    counts: list[str | int] = ["0", "1", "2"]
    told = WireDistribution(count="3", mean=9.0, bucket_options=buckets, bucket_counts=counts)
    assert median_of(told) == median


def test_an_empty_distribution_has_no_median() -> None:
    assert median_of(WireDistribution(count="0", mean=0.0)) is None
    assert median_of(WireDistribution(count="2", mean=7.5)) == 7.5
