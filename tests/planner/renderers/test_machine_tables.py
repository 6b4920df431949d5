"""The machines of a project in text, Markdown, CSV and JSON."""

import csv
import io
import json
from datetime import date

from netplan_planner.renderers import RenderOptions, render
from netplan_planner.verbs.audit.answer import Coverage, Report
from netplan_planner.verbs.audit.tables import region_rows
from support.reports.machine_rows import REGIONS, machine_row
from support.reports.made import gecko_report

COUNT = 3000


def a_report(count: int = COUNT) -> Report:
    rows = tuple(machine_row(number) for number in range(count))
    day = date(2026, 11, 21)
    return Report(
        bill=gecko_report().bill,
        tool="netplan 0",
        title="p",
        projects=("p",),
        limits_as_of=day,
        prices_as_of=day,
        network_prices_as_of=day,
        window=None,
        coverage=Coverage(
            projects=(),
            instance_count=count,
            resource_counts=(),
            unread=(),
            traffic=None,
            is_complete=True,
        ),
        findings=(),
        fix_sets=(),
        do_first=(),
        traffic_by_class=(),
        zone_pairs=(),
        machines=rows,
        regions=region_rows(rows),
        recommendations=(),
        jobs=(),
        assumptions=(),
        suppressed=(),
        expired_suppressions=(),
        not_evaluated=(),
    )


def test_text_groups_machines_and_says_where_each_is() -> None:
    text = render(a_report(), "text", RenderOptions(width=120))
    part = text[text.index("VMs ─") : text.index("Inputs and coverage")]
    assert len(part.splitlines()) < 30
    assert "more kinds of VM; every VM: -v" in part
    assert "vm-00001" not in part
    assert "GVNIC only" in part
    assert "“GCE VM to internet egress bandwidth”" in part
    assert "price of 1 unknown" in render(
        a_report(12), "text", RenderOptions(width=120, max_rows=0)
    )


def test_every_machine_is_in_verbose_text_and_data() -> None:
    for form, options in (("text", RenderOptions(width=120, verbosity=1)), ("md", RenderOptions())):
        text = render(a_report(40), form, options)
        assert all(f"vm-{number:05}" in text for number in range(40)), form
    # Csv and json have every machine.
    report = a_report(200)
    rows = list(csv.DictReader(io.StringIO(render(report, "machines-csv", RenderOptions()))))
    assert [row["name"] for row in rows] == [row.name for row in report.machines]
    assert rows[7]["machine_usd_per_month"] == ""
    assert rows[7]["price_unknown"] == "no price"
    assert (rows[0]["is_tier1"], rows[0]["egress_gbps"]) == ("true", "16")
    document = json.loads(render(report, "json", RenderOptions()))
    assert len(document["machines"]) == 200
    assert document["machines"][7]["machine_usd_per_month"] is None
    assert {row["region"] for row in document["regions"]} == set(REGIONS)


def test_a_narrow_table_names_its_figures_and_ends_no_row_in_a_point() -> None:
    text = render(a_report(), "text", RenderOptions(width=60))
    part = text[text.index("VMs ─") : text.index("Inputs and coverage")]
    assert "NIC GVNIC only" in " ".join(part.split())
    assert "quotas not read" in " ".join(part.split())
    assert not any(row.endswith("·") for row in part.splitlines() if "a month" in row)
