"""Kinds of points become rates and values by hand-worked arithmetic; a gap is never 0."""

from datetime import timedelta
from typing import Any

import pytest

from netplan_planner.model import Inventory, Metric, MetricSeries
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.time_series import Gathering, metrics_of
from netplan_planner.readers.time_series.raw import median_of
from netplan_planner.readers.time_series.wire import (
    WireBuckets,
    WireDistribution,
    WireExplicit,
    WireExponential,
    WireLinear,
)
from support.metrics.series import START, machine, page, time_series

NO_INVENTORY = Inventory(instances=())
VM = machine("1", "us-central1-a")
BYTES = Metric.VM_SENT_BYTES.value
CPU = Metric.VM_CPU.value


def read(*documents: Any) -> tuple[MetricSeries, ...]:
    gathering = Gathering()
    for number, document in enumerate(documents):
        gathering.take(document, Origin(f"f{number}", f"f{number}:"))
    return metrics_of(gathering, NO_INVENTORY).series


def one(*documents: Any) -> MetricSeries:
    found = read(*documents)
    assert len(found) == 1
    return found[0]


def test_a_delta_is_divided_by_its_own_interval() -> None:
    series = one(page(time_series(BYTES, [600, 1200, 0, 60], resource=VM)))
    assert (series.max, series.p50, series.min) == (20.0, 1.0, 0.0)
    assert (series.total, series.unit, series.resolution_s) == (1860.0, "By/s", 60.0)
    assert (series.interval_count, series.nonzero_count, series.gap_count) == (4, 3, 0)
    assert (series.start, series.end) == (START, START + timedelta(minutes=4))


def test_a_gap_is_a_gap_and_never_0() -> None:
    series = one(page(time_series(BYTES, [600, None, None, 1200, None, 600], resource=VM)))
    assert (series.min, series.p50, series.interval_count) == (10.0, 10.0, 3)
    assert (series.gap_count, series.gap_s, series.total) == (2, 180.0, 2400.0)


def test_a_cumulative_counter_counts_between_its_points() -> None:
    series = one(page(time_series(BYTES, [60, 120, 240], resource=VM, kind="CUMULATIVE")))
    # What the first point counted began before the window.
    assert (series.interval_count, series.max, series.total) == (2, 2.0, 180.0)
    assert series.reset_count == 0


def test_a_reset_counts_from_its_new_start() -> None:
    before = time_series(BYTES, [600, 1200], resource=VM, kind="CUMULATIVE")
    again = START + timedelta(minutes=2)
    after = time_series(
        BYTES, [60, 180], resource=VM, kind="CUMULATIVE", start=again, counter_start=again
    )
    series = one(page(before), page(after))
    assert (series.reset_count, series.interval_count) == (1, 3)
    assert (series.max, series.min, series.total) == (10.0, 1.0, 780.0)


def test_a_fall_without_a_new_start_is_a_gap() -> None:
    values = [600, 1200, 60, 660]
    series = one(page(time_series(BYTES, values, resource=VM, kind="CUMULATIVE")))
    assert (series.reset_count, series.interval_count, series.gap_s) == (1, 2, 60.0)
    assert series.total == 1200.0


def test_a_counter_that_was_aligned_to_a_rate_is_one() -> None:
    aligned = time_series(
        BYTES, [10, 20], resource=VM, kind="GAUGE", value_type="DOUBLE", unit="By/s"
    )
    series = one(page(aligned))
    assert (series.max, series.resolution_s, series.total) == (20.0, 60.0, 1800.0)


def test_a_gauge_of_a_counter_without_a_rates_unit_is_refused() -> None:
    gathering = Gathering()
    mean = time_series(BYTES, [10], resource=VM, kind="GAUGE", value_type="DOUBLE", unit="By")
    gathering.take(page(mean), Origin("f", "f:"))
    found = metrics_of(gathering, NO_INVENTORY)
    assert found.series == ()
    (unread,) = found.coverage.unread
    assert "rate or a mean cannot be told" in unread.reason
    assert unread.source == "f:/timeSeries/0"


def test_parts_are_added_up_and_told() -> None:
    direct = time_series(BYTES, [600, 600], resource=VM, labels={"loadbalanced": "false"})
    through = time_series(BYTES, [None, 1200], resource=VM, labels={"loadbalanced": "true"})
    whole, *parts = read(page(direct, through))
    assert (whole.labels, whole.max, whole.min) == ((), 30.0, 10.0)
    assert [(part.labels[0][1], part.max) for part in parts] == [("false", 10.0), ("true", 20.0)]


def test_a_part_that_breaks_off_within_leaves_the_sum_unknown() -> None:
    first = time_series(BYTES, [600, 600, 600], resource=VM, labels={"loadbalanced": "false"})
    second = time_series(BYTES, [600, None, 600], resource=VM, labels={"loadbalanced": "true"})
    whole = read(page(first, second))[0]
    assert (whole.interval_count, whole.min, whole.gap_s) == (2, 20.0, 60.0)


def test_jitter_of_moments_makes_no_gap() -> None:
    series = time_series(CPU, [0.5] * 10, resource=VM, kind="GAUGE", value_type="DOUBLE")
    for number, point in enumerate(series["points"]):
        late = START + timedelta(minutes=10 - number, milliseconds=137 * (number % 7))
        text = late.isoformat().replace("+00:00", "Z")
        point["interval"] = {"startTime": text, "endTime": text}
    found = one(page(series))
    assert (found.interval_count, found.gap_count, found.resolution_s) == (10, 0, 60.0)


def test_longer_points_fill_what_they_cover() -> None:
    fine = time_series(BYTES, [600] * 5, resource=VM)
    long = time_series(BYTES, [6000], resource=VM, step_s=300, start=START + timedelta(minutes=5))
    series = one(page(fine), page(long))
    assert (series.interval_count, series.total, series.max) == (10, 9000.0, 20.0)


def test_one_moment_has_no_resolution() -> None:
    series = one(page(time_series(CPU, [0.25], resource=VM, kind="GAUGE", value_type="DOUBLE")))
    assert (series.max, series.resolution_s, series.days) == (0.25, None, 0.0)


def test_copies_of_points_count_once() -> None:
    document = page(time_series(BYTES, [600, 1200], resource=VM))
    assert one(document, document).total == 1800.0


def test_a_percentage_becomes_a_ratio_and_other_states_are_left() -> None:
    labels = ("used", "free")
    series = [
        time_series(
            Metric.VM_MEMORY.value,
            [value],
            resource=VM,
            labels={"state": state},
            kind="GAUGE",
            value_type="DOUBLE",
            unit="%",
        )
        for state, value in zip(labels, (40.0, 60.0), strict=True)
    ]
    assert one(page(*series)).max == pytest.approx(0.4)


def test_truth_is_1_and_0() -> None:
    gateway = {"project_id": "p", "region": "us-central1", "gateway_name": "g", "router_id": "1"}
    series = one(
        page(
            time_series(
                Metric.NAT_ALLOCATION_FAILED.value,
                [False, True, False],
                resource=gateway,
                resource_type="nat_gateway",
                kind="GAUGE",
                value_type="BOOL",
            )
        )
    )
    assert (series.max, series.p50, series.nonzero_count) == (1.0, 0.0, 1)


@pytest.mark.parametrize("said", ["NaN", "Infinity", "1e400", "x"])
def test_what_is_no_number_is_a_gap_and_told(said: str) -> None:
    series = time_series(CPU, [0.5, 0.5], resource=VM, kind="GAUGE", value_type="DOUBLE")
    series["points"][0]["value"] = {"doubleValue": said}
    gathering = Gathering()
    gathering.take(page(series), Origin("f", "f:"))
    found = metrics_of(gathering, NO_INVENTORY)
    assert found.series[0].point_count == 1
    assert "without a time or a number" in found.coverage.unread[0].reason


@pytest.mark.parametrize(
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


def test_a_series_in_two_alignments_counts_once() -> None:
    """A folder can hold a series as it is, and the same one as a rate or a counter."""
    plain = time_series(BYTES, [600] * 5, resource=VM)
    others = (
        time_series(BYTES, [10.0] * 9, resource=VM, kind="GAUGE", value_type="DOUBLE", unit="By"),
        time_series(BYTES, [10.0] * 4, resource=VM, kind="GAUGE", value_type="DOUBLE", unit="By/s"),
        time_series(BYTES, [600, 1200, 1800], resource=VM, kind="CUMULATIVE"),
    )
    for other in others:
        for documents in ((plain, other), (other, plain)):
            gathering = Gathering()
            for number, document in enumerate(documents):
                gathering.take(page(document), Origin(f"f{number}", f"f{number}:"))
            metrics = metrics_of(gathering, NO_INVENTORY)
            (series,) = metrics.series
            assert (series.max, series.total) == (10.0, 3000.0)
            (left_out,) = metrics.coverage.unread
            assert left_out.reason.startswith("left out: the same series is here as DELTA")
            assert not left_out.is_needless


def test_pages_of_a_series_with_and_without_its_unit_are_one() -> None:
    later = START + timedelta(minutes=2)
    first = time_series(BYTES, [600, 600], resource=VM, unit="By")
    second = time_series(BYTES, [1200, 1200], resource=VM, start=later)
    series = one(page(first), page(second))
    assert (series.total, series.point_count) == (3600.0, 4)
