"""Traffic by hour: what a summary no longer has, and unknown hours that are not idle ones."""

from pathlib import Path

import pytest

from netplan_planner.model import OwnerKind, Reporter
from netplan_planner.model.evidence.traffic import Rates, TrafficHours
from netplan_planner.traffic.assembly import observed_minutes
from netplan_planner.traffic.window import Window
from support.flows.project import host, inventory
from support.flows.records import Json, entry, read

A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"
OUTSIDE = "203.0.113.9"
HOUR_AT_1_GBPS = 450_000_000_000


def in_hour(hour: int, gbps: float, src: str = A, dst: str = B) -> list[Json]:
    """Return records of all minutes of an hour that add up to a rate."""
    return [
        entry(src, dst, round(gbps * HOUR_AT_1_GBPS / 60), packets=1,
              start=3600 * hour + 60 * minute, end=3600 * hour + 60 * minute + 59)
        for minute in range(60)
    ]  # fmt: skip


def hours(folder: Path, records: list[Json], reporter: Reporter = Reporter.SOURCE) -> TrafficHours:
    hosts = inventory(host("web", A), host("db", B), host("other", C))
    found = read(folder, records, hosts, by_hour=True, reporter=reporter).hours
    assert found is not None
    return found


def same(found: Rates, wanted: list[float | None]) -> bool:
    return list(found) == [one if one is None else pytest.approx(one, rel=1e-5) for one in wanted]


def test_nobody_asks_nobody_pays(tmp_path: Path) -> None:
    assert read(tmp_path, in_hour(0, 1.0)).hours is None


def test_hours_are_the_mean_of_their_minutes(tmp_path: Path) -> None:
    records = [*in_hour(0, 1.0), *in_hour(1, 3.0), *in_hour(1, 0.5, A, C)]
    found = hours(tmp_path, records)
    (machine,) = found.machines
    assert same(machine.gbps, [1.0, 3.5])
    assert same(machine.outside_gbps, [0.0, 0.0])
    assert found.bin_s == 3600


def test_an_idle_hour_is_0_and_a_gap_is_unknown(tmp_path: Path) -> None:
    # Others keep hour 1 in the window; of hours 3 and 4 nothing tells.
    records = [*in_hour(0, 1.0), *in_hour(1, 1.0, B, A), *in_hour(5, 2.0)]
    found = hours(tmp_path, records)
    rates = [one.gbps for one in found.machines]
    assert any(same(one, [1.0, 0.0, None, None, None, 2.0]) for one in rates)


def test_edges_of_one_price_are_one_path(tmp_path: Path) -> None:
    records = [*in_hour(0, 1.0), *in_hour(0, 2.0, A, C), *in_hour(0, 4.0, A, OUTSIDE)]
    hosts = inventory(host("web", A), host("db", B), host("other", C))
    matrix = read(tmp_path, records, hosts, by_hour=True)
    assert matrix.hours is not None
    by_kind = {
        matrix.owners[matrix.edges[path.edge].dst].kind: path.gbps for path in matrix.hours.paths
    }
    assert same(by_kind[OwnerKind.VM], [3.0])
    assert len(matrix.hours.paths) == 2
    sums = sum(one.gbps[0] or 0.0 for one in matrix.hours.paths)
    assert sums == pytest.approx(7.0, rel=1e-5)


@pytest.mark.parametrize("reporter", list(Reporter))
def test_the_reporter_does_not_double_hours(tmp_path: Path, reporter: Reporter) -> None:
    records = [*in_hour(0, 2.0)]
    records += [entry(A, B, round(2.0 * HOUR_AT_1_GBPS / 60), packets=1, by="DEST",
                      start=60 * minute, end=60 * minute + 59)
                for minute in range(60)]  # fmt: skip
    (machine,) = hours(tmp_path, records, reporter).machines
    assert same(machine.gbps, [2.0])


def test_minutes_of_each_hour_leave_gaps_out() -> None:
    window = Window(first_minute=50, last_minute=250, gaps=((55, 130), (200, 209)))
    assert observed_minutes(window) == [5, 0, 49, 50, 11]
