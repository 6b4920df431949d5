import csv
import io
import math
from collections.abc import Callable
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.inert import inert_cell
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.csv_report import render
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.finding_rows import COLUMNS
from support.listed import listed
from support.reports import made as reports

OPTIONS = RenderOptions()


def rows_of(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(report, OPTIONS), newline="")))


def test_golden(golden: Callable[[str, str], None]) -> None:
    golden("gecko.csv", render(reports.gecko_report(), OPTIONS))


def test_one_row_for_each_place() -> None:
    rows = rows_of(reports.gecko_report())
    assert [row["finding_number"] for row in rows] == ["1"] * 8 + ["2"] * 8 + ["3", "4"]
    assert tuple(rows[0]) == COLUMNS.names
    assert rows[1]["place_number"] == "2"
    assert rows[1]["resource"].endswith("/transcoder-2")
    assert rows[9]["commands"].startswith("gcloud compute instances stop transcoder-2 ")
    # Each place has the words of its own fix.
    assert rows[5]["fix"].startswith("in transcoder-6, send to ingest-1")
    assert rows[5]["clean_up"].startswith("only when nothing uses 35.184.0.10 any more")
    assert rows[5]["severity_reason"] == "saves at least $643.07/month (MEDIUM from $100)"
    # Money can be summed.
    whole = [row["finding_saving_usd_per_month"] for row in rows]
    assert [text for text in whole if text] == ["643.07", "-4160.94"]
    places = [Decimal(row["saving_usd_per_month"]) for row in rows[:8]]
    assert sum(places) == Decimal("643.07")
    assert rows[-1]["saving_usd_per_month"] == ""
    assert rows[-1]["saving_unknown"].startswith("no price")
    # A finding without members has a row.
    full = reports.gecko_report()
    finding = msgspec.structs.replace(full.findings[0], members=())
    (row,) = rows_of(msgspec.structs.replace(full, findings=(finding,)))
    assert row["saving_usd_per_month"] == "643.07"
    assert row["commands"] == ""
    assert "gcloud compute instances delete-access-config ingest-1" in row["clean_up"]
    # No finding is a header alone.
    assert render(reports.empty_report(), OPTIONS).count("\n") == 1


@listed(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "=cmd|' /C calc'!A0"]
)
def test_formulas_are_text(text: str) -> None:
    cells = [cell for row in rows_of(reports.hostile_report(text)) for cell in row.values()]
    texts = [cell for cell in cells if "1" in cell and not cell.replace(".", "").isdigit()]
    assert texts
    for cell in cells:
        if not _is_number(cell):
            assert not cell.lstrip().startswith(tuple("=+-@＝＋－＠\t\r"))


def test_numbers_stay_numbers() -> None:
    made = render(reports.gecko_report(), OPTIONS)
    assert ",-4160.94," in made
    assert inert_cell("-4160.94") == "'-4160.94"


def test_a_number_that_is_not_finite_is_refused() -> None:
    full = reports.gecko_report()
    estimate = msgspec.structs.replace(reports.NOW, gbps=math.inf)
    finding = msgspec.structs.replace(full.findings[0], members=(), throughput_now=estimate)
    with pytest.raises(ValueError, match="now_gbps: inf is not a finite"):
        render(msgspec.structs.replace(full, findings=(finding,)), OPTIONS)


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_keeps_rows_and_columns(text: str) -> None:
    made = render(reports.hostile_report(text), OPTIONS)
    rows = list(csv.reader(io.StringIO(made, newline=""), strict=True))
    assert len(rows) == 19
    assert {len(row) for row in rows} == {len(COLUMNS.names)}
    assert made.count("\n") == 19
    assert made.replace("\n", "").isprintable()
    assert made.encode()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
