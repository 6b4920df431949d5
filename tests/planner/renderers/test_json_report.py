import json
import math
from collections.abc import Callable
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from netplan_planner.model import Estimate
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.json_report import plain, render
from netplan_planner.renderers.schema import field_notes, schema
from netplan_planner.verbs.audit.answer import Report
from support.reports import made as reports

OPTIONS = RenderOptions()
REPORTS = {
    "gecko": reports.gecko_report(),
    "empty": reports.empty_report(),
    "without-traffic": reports.report_without_traffic(),
    "crowd": reports.crowded_report(20, 3),
    "hostile": reports.hostile_report("\x1b[31m'\"\\<>\ud800"),
}


def test_golden(golden: Callable[[str, str], None]) -> None:
    golden("gecko.json", render(REPORTS["gecko"], OPTIONS))


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_follows_the_schema(name: str) -> None:
    Draft202012Validator(schema("Report")).validate(json.loads(render(REPORTS[name], OPTIONS)))


def test_the_schema_of_a_report_is_complete_and_described() -> None:
    made = schema("Report")
    objects = [made, *(part for part in made["$defs"].values() if "properties" in part)]
    assert len(objects) > 20
    for part in objects:
        assert part["required"] == list(part["properties"])
    report = json.loads(render(REPORTS["gecko"], OPTIONS))
    validator = Draft202012Validator(made)
    assert not validator.is_valid({**report, "more": 1})
    assert not validator.is_valid({k: v for k, v in report.items() if k != "findings"})
    report["findings"][0]["severity"] = "grave"
    assert not validator.is_valid(report)
    # The schema describes fields by their docstrings.
    assert "hours" not in field_notes(Report)
    assert field_notes(Estimate)["limits"] == "In rising order; the first one binds."
    assert schema("Report")["$defs"]["Estimate"]["properties"]["limits"]["description"]


def test_the_named_fields_are_there() -> None:
    report = json.loads(render(REPORTS["gecko"], OPTIONS))
    assert report["schema"] == "netplan.report/1"
    assert report["limits_as_of"] == "2017-07-20"
    finding = report["findings"][0]
    assert finding["throughput_now"]["gbps"] == 1.6
    assert finding["throughput_fixed"]["high_gbps"] == 2.0
    assert finding["saving_usd_per_month"] == 643.07
    assert finding["line_items"][0]["unit_price_usd"] == 0.01
    assert finding["fix"]["commands"] == []
    assert finding["fix"]["clean_up"]["commands"][0].startswith("gcloud compute instances ")
    assert [fix["rank"] for fix in report["do_first"]] == [1, 2]


def test_a_report_reads_back_as_it_was() -> None:
    report = reports.report_without_traffic()
    read = msgspec.json.decode(render(report, OPTIONS), type=Report)
    assert read == report


def test_unit_prices_are_exact_and_sums_are_rounded() -> None:
    tiny = reports.line("x", "1", "GiB", "0.000000001")
    assert plain(tiny.unit_price_usd, "unit_price_usd") == 1e-9
    assert plain(Decimal("0.1234565000001"), "usd_per_month") == 0.123457
    assert plain(Decimal("0.0000005"), "usd_per_month") == 0.0
    assert plain(Decimal(10) ** 30, "quantity") == 1e30


@given(st.decimals(0, 10, places=9))
def test_a_unit_price_of_nine_decimals_survives(price: Decimal) -> None:
    value = plain(price, "unit_price_usd")
    assert isinstance(value, float)
    assert Decimal(repr(value)) == price


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused(bad: float) -> None:
    full = reports.gecko_report()
    estimate = msgspec.structs.replace(reports.NOW, gbps=bad)
    finding = msgspec.structs.replace(full.findings[0], throughput_now=estimate)
    report = msgspec.structs.replace(full, findings=(finding,))
    with pytest.raises(ValueError, match=r"findings: throughput_now: gbps"):
        render(report, OPTIONS)


@pytest.mark.parametrize("bad", [Decimal("NaN"), Decimal("Infinity"), Decimal("1e999")])
def test_a_decimal_that_is_not_finite_is_refused(bad: Decimal) -> None:
    full = reports.gecko_report()
    finding = msgspec.structs.replace(full.findings[0], saving_usd_per_month=bad)
    report = msgspec.structs.replace(full, findings=(finding,))
    with pytest.raises(ValueError, match="saving_usd_per_month"):
        render(report, OPTIONS)


def test_an_absurd_count_stays_a_number() -> None:
    full = reports.gecko_report()
    assert full.coverage.traffic is not None
    traffic = msgspec.structs.replace(full.coverage.traffic, payload_bytes=10**30)
    coverage = msgspec.structs.replace(full.coverage, traffic=traffic)
    read = json.loads(render(msgspec.structs.replace(full, coverage=coverage), OPTIONS))
    assert read["coverage"]["traffic"]["payload_bytes"] == 10**30


def test_text_is_kept_letter_by_letter_and_safe_to_print() -> None:
    name = "a\x1b[2J\x9b31m\u202e\x7f\U000e0041→"
    made = render(reports.hostile_report(name), OPTIONS)
    assert json.loads(made)["title"] == name
    assert all(char == "\n" or char.isprintable() for char in made)
