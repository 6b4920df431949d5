"""Kinds of paths of a table: how their ends are set up, and what the model makes of it."""

from datetime import date
from pathlib import Path

import pytest

from netplan_planner.model import MeasuredEnd, PathQuery, SetUp
from netplan_planner.planning.table_kinds import read_kinds
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.throughput.limits.ends import measured_end
from netplan_planner.throughput.limits.path_limits import default_window
from support.paths.tables import PLAIN, written

DAY = date(2026, 1, 1)


def kinds(tmp_path: Path, *rows: dict[str, str]) -> list[PathQuery]:
    columns = list(dict.fromkeys(name for row in (PLAIN, *rows) for name in row))
    path = written(tmp_path / "paths.csv", *(PLAIN | row for row in rows), columns=columns)
    with PathTable(path) as table:
        return read_kinds(table, as_of=DAY).kinds


@pytest.mark.parametrize(
    ("cells", "src", "dst"),
    [
        ({}, SetUp(), SetUp()),
        ({"dst_image": "debian-12"}, SetUp(), SetUp(image="debian-12")),
        ({"src_image": "debian-12"}, SetUp(image="debian-12"), SetUp()),
        ({"congestion_control": "BBR"}, SetUp(congestion_control="bbr"), SetUp()),
        (
            {"note": "cpu 8; rmem 64MiB"},
            SetUp(send_buffer_bytes=2**26),
            SetUp(receive_buffer_bytes=2**26),
        ),
        ({"send_buffer_bytes": "5000000"}, SetUp(send_buffer_bytes=2**23), SetUp()),
    ],
)
def test_a_row_tells_how_its_ends_are_set_up(
    tmp_path: Path, cells: dict[str, str], src: SetUp, dst: SetUp
) -> None:
    (kind,) = kinds(tmp_path, cells)
    assert (kind.src.set_up, kind.dst.set_up) == (src, dst)


def test_rows_that_are_set_up_alike_are_of_one_kind(tmp_path: Path) -> None:
    rows = [{"send_buffer_bytes": str(size)} for size in (5_000_000, 6_000_000, 9_000_000)]
    assert len(kinds(tmp_path, *rows)) == 2


def test_a_recorded_end_is_set_up_only_where_linux_is_not_so_anyhow() -> None:
    stock = MeasuredEnd(
        congestion_control="cubic", receive_ceiling_bytes=6 * 2**20, send_ceiling_bytes=4 * 2**20
    )
    assert measured_end(stock, None).set_up == SetUp()
    other = MeasuredEnd(image="a", congestion_control="bbr", receive_ceiling_bytes=2**20)
    assert measured_end(other, None).set_up == SetUp(
        image="a", congestion_control="bbr", receive_buffer_bytes=2**20
    )


def test_the_window_is_the_share_of_the_buffer_that_a_stock_image_gives(tmp_path: Path) -> None:
    stock, great = kinds(tmp_path, {}, {"note": "rmem 12MiB"})
    assert stock.dst.set_up != great.dst.set_up
    windows = [default_window(one, load_caps(DAY)) for one in (stock, great)]
    assert windows[1] == pytest.approx([2 * size for size in windows[0]])
