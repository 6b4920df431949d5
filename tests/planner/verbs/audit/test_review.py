"""Reports where changes are reviewed: a line a finding, counts by rule, the exit status."""

import re
from decimal import Decimal

import pytest

from netplan_planner.renderers import RenderOptions, render
from netplan_planner.renderers.annotations import log_line
from support.commands.in_process import netplan
from support.reports import made as reports

GECKO = ("audit", "--demo", "gecko")


def test_a_line_a_finding_names_place_rule_and_money() -> None:
    done = netplan(*GECKO, "--output", "concise", "--exit-zero")
    *lines, summary = done.out.splitlines()
    assert done.status == 0
    assert len(lines) == 4
    place = r"demo:gecko/inventory/instances\.json:\d+: "
    assert re.match(place + r"high external-ip-intra-zone: .* saves \$2,381\.75", lines[0])
    assert [re.split(r": ", one)[1] for one in lines[1:]] == [
        "high egress-cap-undersized-for-target",
        "info idle-external-address",
        "info external-cap-saturated",
    ]
    assert lines[3].endswith(": no saving")
    assert summary.startswith("4 findings · saving $2,381.75/month · cost $482.17/month")
    assert "33 rules skipped or only partly checked" in summary


def test_no_findings_are_not_said_to_be_all_that_was_judged() -> None:
    done = netplan(*GECKO, "--select", "mtu-pod-vpc-mismatch", "-o", "concise")
    assert done.out.startswith("0 findings · ")
    assert re.search(r"\d+ rules? skipped or only partly checked", done.out)


def test_an_unknown_saving_is_not_no_saving() -> None:
    report = reports.crowded_report(6, 2)
    unknown = [one for one in report.findings if one.saving_usd_per_month is None]
    text = render(report, "concise", RenderOptions())
    said = text.count(": saving not known\n")
    assert said == sum(bool(one.saving_unknown) for one in unknown)


@pytest.mark.parametrize("name", ["::add-mask::x", "  ##[error]x", "a\n::error::b", "\x1b[31m"])
def test_no_name_is_a_command_to_a_runner(name: str) -> None:
    assert not re.match(r"\s*(::|##)", log_line(name))
    text = render(reports.hostile_report(name), "concise", RenderOptions())
    for line in text.splitlines():
        assert not re.match(r"\s*(::|##)", line)
        assert line.isprintable()


def test_statistics_add_up_to_what_all_fixes_bring() -> None:
    done = netplan(*GECKO, "--statistics", "--exit-zero")
    assert "external-ip-intra-zone" in done.out
    assert "Do first" not in done.out
    saved = [Decimal(one.replace(",", "")) for one in re.findall(r"saves \$([\d,.]+)", done.out)]
    assert saved == [Decimal("2381.75"), Decimal("7.30")]
    assert "costs $482.17" in done.out
    assert "Not in the table: 33 rules" in done.out


@pytest.mark.parametrize(
    ("more", "status"), [((), 1), (("--exit-zero",), 0), (("--exit-zero", "--strict"), 4)]
)
def test_exit_zero_hides_findings_not_gaps(more: tuple[str, ...], status: int) -> None:
    assert netplan(*GECKO, "--output", "concise", *more).status == status
