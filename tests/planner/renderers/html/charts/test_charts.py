"""What the pictures are drawn from: sums, shades, places on a strip, the front."""

import re
from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner.renderers import RenderOptions, render
from netplan_planner.renderers.document import plain
from netplan_planner.renderers.html.charts.front import HEIGHT, WIDTH, front
from netplan_planner.renderers.html.charts.heat import STEPS, Matrix
from netplan_planner.verbs.audit.charts import MOST_PLACES, matrices, pairs, strips
from support.known import known
from support.reports import made as reports
from support.reports import pages as html_reports


def cells(matrix: Matrix, title: str) -> dict[tuple[str, str], str]:
    (panel,) = (panel for panel in matrix.panels if panel.title == title)
    return {
        (src, dst): plain(panel.rows[i][j].text)
        for i, src in enumerate(matrix.places)
        for j, dst in enumerate(matrix.places)
    }


def test_regions_sum_their_zones_and_an_unknown_is_no_number() -> None:
    regions, zones = matrices(html_reports.pictured_report().zone_pairs)
    assert regions.name == "region"
    assert zones.places == tuple(sorted(html_reports.ZONES))
    inside = cells(regions, "volume")["us-central1", "us-central1"]
    assert inside == "121 GiB"  # 1 + 10 + 10 + 100
    assert cells(zones, "volume")["us-central1-a", "us-central1-b"] == "10 GiB"
    # One region has no matrix of regions.
    (only,) = matrices(reports.gecko_report().zone_pairs)
    assert only.name == "zone"
    assert matrices(()) == ()
    # What is not known is never a number.
    zones = matrices(html_reports.pictured_report().zone_pairs)[-1]
    assert cells(zones, "dollars")["us-central1-a", "us-central1-b"] == "unknown"
    assert cells(zones, "round trip")["us-central1-b", "us-central1-a"] == "unknown"
    assert cells(zones, "volume")["asia-east1-c", "asia-east1-c"] == ""
    # A part without a price makes a sum the least.
    known = html_reports.pair(1, 1)
    unknown = replace(known, usd_per_month=None)
    (matrix,) = matrices((known, unknown))
    assert list(cells(matrix, "dollars").values()) == ["≥ $1.00"]


def test_shades_rise_with_the_figure_and_a_rate_above_the_possible_is_marked() -> None:
    zones = matrices(html_reports.pictured_report().zone_pairs)[-1]
    for panel in zones.panels:
        shades = [cell.shade for row in panel.rows for cell in row if cell.shade is not None]
        assert set(shades) <= set(range(STEPS))
    volume, used = zones.panels[0], zones.panels[3]
    by_size = {plain(cell.text): cell.shade for row in volume.rows for cell in row if cell.text}
    assert by_size["1 GiB"] == 0
    assert by_size["97.7 TiB"] == STEPS - 1
    over = [plain(cell.text) for row in used.rows for cell in row if cell.is_over]
    assert sorted(set(over)) == ["100%", "125%"]


def test_places_without_room_are_counted() -> None:
    pair = html_reports.pair(1, 1)
    pairs = tuple(
        replace(pair, src_zone=f"r-{n:02}", dst_zone=f"r-{n:02}", gib_per_month=Decimal(n + 1))
        for n in range(MOST_PLACES + 3)
    )
    (matrix,) = matrices(pairs)
    assert len(matrix.places) == MOST_PLACES
    assert matrix.rest == "3 more zones with 6 GiB not shown"


def test_strips_are_the_machines_that_were_seen_to_send() -> None:
    found = strips(html_reports.pictured_report())
    assert [(one.machine, one.way) for one in found] == [
        ("vm-5", "to outside"),
        ("vm-4", "all"),
        ("vm-3", "to outside"),
        ("vm-2", "all"),
        ("vm-1", "to outside"),
    ]
    first = found[0]
    assert (first.p95_gbps, first.peak_gbps, first.cap_gbps) == (2.0, 2.25, 2.0)
    assert plain(first.used) == "100%"
    assert first.place(2.0) == pytest.approx(0.8)
    assert first.place(100.0) == 1.0
    assert strips(reports.empty_report()) == ()
    unknown = replace(html_reports.pictured_report().machines[0], external_gbps=None)
    assert strips(replace(reports.empty_report(), machines=(unknown,))) == ()


def test_pairs_are_as_wide_as_their_money() -> None:
    dear = html_reports.pictured_report().dear_pairs
    found = known(pairs(dear))
    picture = found.picture
    widths = {flow.title.split("/month")[0].split(": ")[1]: flow.width for flow in picture.flows}
    assert widths["$6.00"] == pytest.approx(6 * widths["$1.00"], abs=0.2)
    assert picture.receivers[0].name == "internet"
    for side in (picture.senders, picture.receivers):
        bottoms = [end.y + end.height for end in side]
        assert all(one.y >= bottom for one, bottom in zip(side[1:], bottoms, strict=False))
        assert max(bottoms) < picture.height
        assert sum(end.height for end in side) == pytest.approx(260, abs=1)
    assert {flow.is_external for flow in picture.flows} == {True, False}
    assert [plain(row.usd) for row in found.rows][:2] == ["$6.00", "$5.00"]
    assert found.alt.startswith("Most expensive: vm-3 (us-central1-a) → db-6 (us-central1-b)")
    # Pairs without a price make no picture.
    assert pairs(()) is None
    assert pairs([replace(dear[0], usd_per_month=Decimal(0))]) is None


def test_the_front_rises_inside_the_picture() -> None:
    picture = known(front(reports.machine_plan()))
    line = [mark for mark in picture.marks if mark.kind == "front"]
    assert [mark.label for mark in line] == ["n1-standard-1", "n1-standard-8"]
    assert line[0].x < line[1].x
    assert line[0].y > line[1].y
    assert all(0 < mark.x < WIDTH and 0 < mark.y < HEIGHT for mark in picture.marks)
    assert "n1-standard-8: $277.40 for 16 Gbit/s" in picture.alt
    assert not any("n2-standard-32" in mark.text for mark in picture.marks), "it has no price"
    # One priced machine is no front.
    plan = reports.machine_plan()
    assert front(replace(plan, front=plan.front[:1])) is None


def test_labels_do_not_cover_each_other() -> None:
    plan = reports.machine_plan()
    alike = tuple(
        replace(
            plan.ranked[0], machine_type=f"n1-type-{n}", usd_per_month=730 * Decimal(f"0.38{n}")
        )
        for n in range(6)
    )
    picture = known(front(replace(plan, front=alike)))
    written = [(m.y + m.drop, m.x, m.x + 7 * len(m.label)) for m in picture.marks if m.label]
    for index, (y, left, right) in enumerate(written):
        for other, start, end in written[index + 1 :]:
            assert abs(y - other) >= 11 or right <= start or end <= left


def test_pictures_stand_only_where_there_is_something_to_see() -> None:
    options = RenderOptions()
    full = render(html_reports.pictured_report(), "html", options)
    assert re.findall(r'<section id="(\w+)"', full)[:6] == [
        "first",
        "findings",
        "heat",
        "pairs",
        "strips",
        "fronts",
    ]
    bare = replace(reports.empty_report(), zone_pairs=())
    assert re.findall(r'<section id="([a-z]+)"', render(bare, "html", options)) == ["findings"]
    assert reports.NOW.gbps == 1.6
