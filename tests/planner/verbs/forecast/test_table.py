"""Series of a table: bins and gaps, and rows that make no sense, named with what to change."""

from datetime import date
from pathlib import Path

import pytest

from netplan_planner.throughput import load_caps
from netplan_planner.verbs.forecast.series import Subjects
from netplan_planner.verbs.forecast.table import read_series
from netplan_pricing import open_prices
from support.forecasts.made import daily, hourly, table

HEAD = "name,time,gbps\n"


def series(folder: Path, text: str) -> Subjects:
    path = folder / "series.csv"
    path.write_text(text, "utf-8")
    return read_series(path, open_prices(), load_caps(date(2026, 11, 1)))


def test_gaps_are_unknown_and_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    rows = hourly(1, lambda hour: None if hour == 3 else 1.5)
    del rows[5:7]
    (sender,) = series(tmp_path, table(rows)).senders
    wanted = [1.5] * 24
    assert [at for at, one in enumerate(sender.bins.gbps) if one is None] == [3, 5, 6]
    assert sender.bins.bin_s == 3600
    assert [one for one in sender.bins.gbps if one is not None] == wanted[:21]
    # The order of rows changes nothing.
    rows = [*hourly(2, lambda hour: hour / 10, "a"), *hourly(1, float, "b")]
    assert series(tmp_path, table(rows)) == series(tmp_path, table(rows[::-1]))
    # Gib of a bin are a rate.
    (sender,) = series(tmp_path, table(hourly(1, lambda _: 450e9 / 2**30), "gib")).senders
    assert sender.bins.gbps == pytest.approx([1.0] * 24)
    # A time without a zone is utc.
    zoned = f"{HEAD}a,2026-11-01T02:00:00+02:00,1\na,2026-11-01T01:00:00Z,2\n"
    plain = f"{HEAD}a,2026-11-01 00:00,1\na,2026-11-01 01:00,2\n"
    assert series(tmp_path, zoned) == series(tmp_path, plain)


def test_paths_and_machines_are_told_by_their_columns(tmp_path: Path) -> None:
    rows = daily([1.0, 2.0])
    found = series(tmp_path, table(rows, src_region="us-central1", dst_region="europe-west1"))
    assert not found.senders
    (path,) = found.paths
    assert path.path_class == "inter-region-internal"
    assert path.prices
    found = series(tmp_path, table(rows, src_region="us-central1", dst_area="Japan"))
    assert found.paths[0].path_class == "internet"
    found = series(tmp_path, table(rows, machine_type="n2-standard-8"))
    assert found.senders[0].cap_gbps == 16
    found = series(tmp_path, table(rows, machine_type="n2-standard-8", cap_gbps="5"))
    assert found.senders[0].cap_gbps == 5


@pytest.mark.parametrize(
    ("platform", "cap_gbps"), [("", None), ("Intel Broadwell", 16), ("Intel Cascade Lake", 32)]
)
def test_the_cpu_platform_decides_the_cap(
    tmp_path: Path, platform: str, cap_gbps: float | None
) -> None:
    text = table(daily([1.0, 2.0]), machine_type="m2-megamem-416", cpu_platform=platform)
    assert series(tmp_path, text).senders[0].cap_gbps == cap_gbps
