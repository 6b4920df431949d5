"""Time series by hour: of machines' counters, and of traffic that metrics tell of."""

from collections.abc import Sequence

import pytest

from netplan_planner.model import Inventory, Metric
from netplan_planner.model.evidence.traffic import Rates
from netplan_planner.readers import read_inventory
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.time_series import Gathering, metrics_of, traffic_of
from support.metrics.series import START, Json, flow, machine, page, time_series
from support.projects import one_project

MOVER = machine("4100000000000000001", "us-central1-a")
GBPS_MINUTE = 7_500_000_000


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    return read_inventory([one_project.FOLDER / "api"])


def gathered(*series: Json) -> Gathering:
    gathering = Gathering()
    gathering.take(page(*series), Origin("f", "f:"))
    return gathering


def sent(values: Sequence[int | None], step_s: int = 60) -> Json:
    return time_series(Metric.VM_SENT_BYTES.value, values, resource=MOVER, step_s=step_s)


def hours(inventory: Inventory, series: Json) -> Rates:
    (found,) = metrics_of(gathered(series), inventory, by_hour=True).series
    assert found.hours is not None
    assert found.hours.start == START
    return found.hours.gbps


def test_a_counter_is_kept_by_hour_where_asked(inventory: Inventory) -> None:
    series = sent([GBPS_MINUTE] * 60 + [3 * GBPS_MINUTE] * 60)
    assert hours(inventory, series) == pytest.approx((1.0, 3.0))
    (plain,) = metrics_of(gathered(series), inventory).series
    assert plain.hours is None


def test_an_hour_with_less_than_half_is_unknown(inventory: Inventory) -> None:
    values: list[int | None] = [GBPS_MINUTE] * 60 + [None] * 31 + [GBPS_MINUTE] * 29
    values += [None] * 30 + [2 * GBPS_MINUTE] * 30
    found = hours(inventory, sent(values))
    assert found[1] is None
    assert (found[0], found[2]) == pytest.approx((1.0, 2.0))


def test_longer_intervals_stay_what_they_are(inventory: Inventory) -> None:
    found = hours(inventory, sent([180 * GBPS_MINUTE, None, 360 * GBPS_MINUTE], 3 * 3600))
    assert found[1] is None
    assert (found[0], found[2]) == pytest.approx((1.0, 2.0))


def test_flows_of_metrics_are_kept_by_machine_and_path(inventory: Inventory) -> None:
    near = flow("egress", [GBPS_MINUTE] * 120, resource=MOVER, zone="us-central1-f")
    far = flow("egress", [2 * GBPS_MINUTE] * 120, resource=MOVER, zone="europe-west1-b")
    found = traffic_of(gathered(near, far), inventory, by_hour=True)
    assert found is not None
    assert found.hours is not None
    (one,) = [m for m in found.hours.machines if any(m.gbps)]
    assert one.gbps == pytest.approx((3.0, 3.0))
    paths = {found.edges[path.edge].path_class.value: path.gbps for path in found.hours.paths}
    assert paths["inter-zone-internal"] == pytest.approx((1.0, 1.0))
    assert paths["inter-region-internal"] == pytest.approx((2.0, 2.0))
    plain = traffic_of(gathered(near, far), inventory)
    assert plain is not None
    assert plain.hours is None
