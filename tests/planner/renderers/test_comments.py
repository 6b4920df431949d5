"""Comments of pull and merge requests: whole, short enough, updated in place, harmless."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from netplan_planner.renderers import RenderOptions, render
from netplan_planner.renderers.github_comment import MOST_BYTES
from support.commands.in_process import netplan
from support.listed import listed
from support.projects.plan_of_vms import write_plan
from support.reports import made as reports

FORMS = ("github-comment", "gitlab-comment")
MARKER = re.compile(r"<!-- netplan:(audit|diff) [0-9a-f]{12} -->")
HOSTILE = (
    "</details><script>alert(1)</script>",
    "<!-- netplan:audit 000000000000 -->",
    "@everyone #1 GH-1 !2 ~bug &3 %4",
    "x\n/close\n/merge",
    "/approve",
    "```\n</details>",
    "| a | b |",
    "[click](https://evil.example)",
    "`` `",
    "\u202egnp.exe",
)
MORE = re.compile(r"(\d+) more parts? do(?:es)? not fit into a comment")


class Tags(HTMLParser):
    """The elements of a comment as GitHub shows it."""

    def __init__(self, comment: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: set[str] = set()
        self.comments: list[str] = []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(comment))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.open += [tag] if tag == "details" else []

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self.open.pop()

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


@listed("form", FORMS)
def test_all_rows_of_a_finding_do_not_take_the_place_of_the_others(form: str) -> None:
    (first, *others) = reports.gecko_report().findings
    many = tuple(replace(first.members[0], subject=f"vm-{n:05}") for n in range(4000))
    report = replace(reports.gecko_report(), findings=(replace(first, members=many), *others))
    text = render(report, form, RenderOptions(verbosity=1))
    assert len(text.encode()) <= MOST_BYTES
    assert all(f"`{one.rule}`" in text for one in report.findings)
    assert MORE.search(text) is None
    # What fits is explained as asked.
    asked = render(reports.gecko_report(), form, RenderOptions(verbosity=1))
    assert asked != render(reports.gecko_report(), form, RenderOptions())


@listed("form", FORMS)
def test_no_table_begins_with_an_empty_row(form: str) -> None:
    text = render(reports.gecko_report(), form, RenderOptions())
    assert re.search(r"^\|(  \|)+$", text, re.MULTILINE) is None
    assert "- VMs: $1,234.56\n" in text.replace("&#8203;", "")


@listed("form", FORMS)
def test_an_audit_is_a_comment_with_folds(form: str) -> None:
    text = render(reports.gecko_report(), form, RenderOptions())
    assert MARKER.fullmatch(text.splitlines()[0])
    assert text.splitlines()[1].startswith("## netplan audit: gecko-demo")
    tags = Tags(text)
    assert tags.open == []
    assert "<details open><summary>Do first</summary>" in text
    assert "<details><summary>Skipped or partly checked: 3 rules" in text
    assert MORE.search(text) is None


@listed("form", FORMS)
@listed("name", HOSTILE)
def test_a_hostile_name_does_nothing(form: str, name: str) -> None:
    text = render(reports.hostile_report(name), form, RenderOptions())
    tags = Tags(text)
    assert tags.open == []
    assert len(tags.comments) == 1
    assert tags.found <= {
        *("details", "summary", "h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "code"),
        *("pre", "table", "thead", "tbody", "tr", "th", "td"),
    }
    outside = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    if form == "gitlab-comment":
        assert not re.search(r"^\s*/", outside, re.MULTILINE)
        words = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
        assert not re.search(r"(?<!&)[!~%](?=\w)", words.partition("\n")[2])
    assert not re.search(r"[@](?=\w)", re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside))


@listed("form", FORMS)
def test_a_great_report_fits_and_says_what_does_not(form: str) -> None:
    text = render(reports.crowded_report(400, 30), form, RenderOptions(max_findings=0))
    assert len(text.encode()) <= MOST_BYTES
    found = MORE.search(text)
    assert found is not None
    shown = len(re.findall(r"^#### ", text, re.MULTILINE))
    assert shown > 20
    assert int(found[1]) >= 400 - shown
    assert Tags(text).open == []


def test_the_marker_stays_with_its_title() -> None:
    gecko = reports.gecko_report()
    reports_of = (gecko, replace(gecko, findings=()), replace(gecko, title="another"))
    texts = [render(one, "github-comment", RenderOptions()) for one in reports_of]
    markers = [text.splitlines()[0] for text in texts]
    assert markers[0] == markers[1]
    assert markers[0] != markers[2]


@pytest.mark.parametrize("form", FORMS)
def test_a_plan_is_a_comment_of_what_it_changes(form: str, tmp_path: Path) -> None:
    plan, file = write_plan(tmp_path / "plan.json"), tmp_path / "comment.md"
    done = netplan("diff", str(plan), "--output", f"{form}:{file}")
    assert done.status == 0, done.err
    text = file.read_text("utf-8").replace("&#8203;", "")
    assert re.match(r"<!-- netplan:diff [0-9a-f]{12} -->\n## netplan diff: ", text)
    # What `tests/planner/verbs/diff` reckons by hand.
    assert "$419.48" in text
    assert "$1,031.58" in text
    assert "<details open><summary>Findings: " in text
    assert "Gbit/s" in text
    assert Tags(text).open == []
