"""Annotations of a GitHub workflow, read as its runner reads them, and the summary of the step."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from netplan_planner.model import ResourceRef, SelfLink, Severity
from netplan_planner.renderers import RenderOptions, render
from netplan_planner.verbs.audit.answer import Report
from support.commands.in_process import netplan
from support.reports import made as reports

GECKO = ("audit", "--demo", "gecko", "--exit-zero", "--output", "github")


class Command(NamedTuple):
    """What GitHub's runner makes of a line (ActionCommand.TryParseV2 of actions/runner)."""

    name: str
    properties: dict[str, str]
    data: str


def read(line: str) -> Command | None:
    if not line.lstrip().startswith("::"):
        return None
    head, end, data = line.lstrip()[2:].partition("::")
    assert end, line
    name, _, told = head.partition(" ")
    pairs = [one.partition("=") for one in told.split(",") if one]
    return Command(name, {key: plain(value) for key, _, value in pairs}, plain(data))


def plain(text: str) -> str:
    for escape, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, char)
    return text


def commands(text: str) -> list[Command]:
    return [one for one in map(read, text.splitlines()) if one is not None]


def test_findings_are_annotations_of_their_file() -> None:
    done = netplan(*GECKO)
    found = commands(done.out)
    assert [one.name for one in found] == ["error", "error", "notice", "notice"]
    first = found[0]
    assert first.properties["file"] == "demo:gecko/inventory/instances.json"
    assert int(first.properties["line"]) > 1
    assert first.properties["title"] == "high: external-ip-intra-zone"
    assert "The fix saves $2,381.75/month" in first.data
    assert done.out.splitlines()[-1].startswith("4 findings · saving $2,381.75/month")


def test_the_worst_come_first_and_ten_of_a_kind() -> None:
    report = reports.crowded_report(60)
    graver = {0: Severity.HIGH, 1: Severity.MEDIUM, 2: Severity.LOW}
    each = sorted(
        (replace(one, severity=graver[at % 3]) for at, one in enumerate(report.findings)),
        key=lambda one: one.severity.rank,
    )
    text = render(replace(report, findings=tuple(each)), "github", RenderOptions())
    found = [one.name for one in commands(text)]
    assert Counter(found) == {"error": 10, "warning": 10, "notice": 10}
    assert found == sorted(found, key=["error", "warning", "notice"].index)
    assert text.splitlines()[-1] == "30 more findings: GitHub shows 10 of a kind and step"


@pytest.mark.parametrize(
    "name", ["a\r\n::error::b", "x,file=/etc/passwd", "100%", "%0A::add-mask::x", "::stop", "a:b,c"]
)
def test_a_hostile_name_ends_no_command(name: str) -> None:
    report = reports.hostile_report(name)
    text = render(report, "github", RenderOptions())
    found = commands(text)
    assert len(found) == len(report.findings)
    for one in found:
        assert set(one.properties) <= {"title", "file", "line"}
        assert one.properties["title"].startswith(tuple(Severity))
        assert "\n" not in one.data
        assert "\r" not in one.data


def test_a_hostile_path_is_one_property() -> None:
    report = reports.crowded_report(1)
    ref = ResourceRef(self_link=SelfLink("projects/p/x"), source="a,line=9:b%.json:7")
    finding = replace(report.findings[0], resources=(ref,))
    text = render(replace(report, findings=(finding,)), "github", RenderOptions())
    assert commands(text)[0].properties["file"] == "a,line=9:b%.json"
    assert commands(text)[0].properties["line"] == "7"


def test_what_no_file_has_is_shown_without_one() -> None:
    report = reports.crowded_report(1)
    ref = ResourceRef(self_link=SelfLink("projects/p/x"), source="compute.instances.list")
    finding = replace(report.findings[0], resources=(ref,))
    text = render(replace(report, findings=(finding,)), "github", RenderOptions())
    assert set(commands(text)[0].properties) == {"title"}


def test_all_findings_are_in_the_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert netplan(*GECKO[:-1], "json").status == 0
    assert summary.read_text() == "before\n"
    assert netplan(*GECKO).status == 0
    text = summary.read_text()
    assert text.startswith("before\n## gecko-demo")
    assert len(re.findall(r"^#### \d+\. ", text, re.MULTILINE)) == 4
    assert "netplan:" not in text.splitlines()[1]


def test_a_summary_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "summary.md"))
    done = netplan(*GECKO)
    assert done.status == 3
    assert "GITHUB_STEP_SUMMARY" in done.err
    assert commands(done.out)


def test_a_report_without_findings_has_no_annotation() -> None:
    report: Report = reports.empty_report()
    text = render(report, "github", RenderOptions())
    assert commands(text) == []
    assert text.startswith("0 findings")
