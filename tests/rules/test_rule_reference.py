"""The pages that are generated are what the generators write today."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from netplan_planner.judging.judged import rule_list, rule_page
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.terminal import render
from netplan_rules import registry
from netplan_rules.base import Check
from netplan_rules.registry import AREAS, all_rules
from support.commands.run import run_verbs
from support.listed import listed

ROOT = Path(__file__).parents[2]
README = ROOT / "rules" / "README.md"
CHECKS = all_rules()


def test_the_reference_in_the_repository_is_what_the_command_prints() -> None:
    done = run_verbs(arguments=["rules", "--markdown"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == README.read_text(encoding="utf-8"), "run `make docs`"
    assert done.stdout.rstrip("\n") == registry.reference().rstrip("\n")


def test_the_make_target_writes_what_is_generated() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = text.partition("\ndocs:")[2].partition("\n\n")[0]
    for made in (README.relative_to(ROOT), Path("docs/schemas")):
        assert f"mv {made}.new {made}" in recipe


def test_the_reference_has_every_rule_once_in_its_area() -> None:
    text = registry.reference()
    assert re.findall(r"^### (\S+)$", text, re.MULTILINE) == [c.rule.id for c in CHECKS]
    assert re.findall(r"^## Area (\S+)$", text, re.MULTILINE) == list(AREAS)
    for area in AREAS:
        part = text.partition(f"\n## Area {area}\n")[2].partition("\n## ")[0]
        found = re.findall(r"^### (\S+)$", part, re.MULTILINE)
        assert found == [c.rule.id for c in CHECKS if c.area == area]
    # The links of the table lead to a heading.
    links = re.findall(r"\]\(#([^)]+)\)", text)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert len(links) == len(CHECKS)
    assert set(links) <= anchors


def test_every_row_of_a_table_has_the_columns_of_its_head() -> None:
    width = 0
    for line in registry.reference().splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.split(r"(?<!\\)\|", line))
        width = width or cells
        assert cells == width, line


@listed("check", CHECKS, ids=lambda c: str(c.rule.id))
def test_a_page_has_all_that_the_rule_says(check: Check) -> None:
    rule, page = check.rule, registry.page(check)
    for text in (rule.title, rule.rationale, rule.remediation, rule.guards, rule.severity.value):
        assert text in page
    assert all(need.value in page for need in rule.needs)
    assert all(f"<{url}>" in page for url in rule.references)
    facts = page.rstrip("\n").splitlines()[-5:]
    names = [line.partition(":")[0] for line in facts]
    assert names == ["- Effort", "- Restart", "- Undo", "- Window", "- Source"]
    assert rule.work.effort in facts[0]
    assert page in registry.reference()


@listed("check", CHECKS, ids=[c.rule.id for c in CHECKS])
@listed("width", [60, 100])
def test_the_page_for_a_terminal_is_whole_and_without_markup(check: Check, width: int) -> None:
    page = render(rule_page(check.rule.id), RenderOptions(width=width))
    for mark in ("**", "`", "###", "| ---", "](", "<http"):
        assert mark not in page
    said = " ".join(page.split())
    rule = check.rule
    work = rule.work.effort, rule.work.restart, rule.work.undo, rule.work.window
    for text in (rule.id, rule.title, rule.rationale, rule.remediation, rule.guards, *work):
        assert " ".join(text.replace("`", "").split()) in said
    for threshold in rule.thresholds:
        assert f"{threshold.name} = {threshold.default:.10g}" in said
    wide = [line for line in page.split("\n") if len(line) > width]
    assert all(line.split()[0].startswith("http") or " = " in line for line in wide)


def test_a_page_of_one_rule_is_printed_by_name() -> None:
    (check,) = (one for one in CHECKS if one.rule.id == "vpc-mtu-mismatch")
    done = run_verbs(arguments=["rules", "vpc-mtu-mismatch"])
    assert done.stdout == render(rule_page(check.rule.id), RenderOptions(width=100))
    done = run_verbs(arguments=["rules", "vpc-mtu-mismatch", "--markdown"])
    assert (done.returncode, done.stdout.rstrip("\n")) == (0, registry.page(check).rstrip("\n"))


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_the_list_fits_a_terminal(width: int) -> None:
    listed = render(rule_list(), RenderOptions(width=width))
    assert max(map(len, listed.split("\n"))) <= max(width, 60)
    said = " ".join(listed.split())
    assert all(c.rule.id in said for c in CHECKS)


def test_the_list_has_a_line_for_every_rule() -> None:
    done = run_verbs(arguments=["rules"])
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [
        [c.rule.id, c.rule.severity.value, c.area] for c in CHECKS
    ]
    for line, check in zip(lines, CHECKS, strict=True):
        assert line.endswith(check.rule.title)


def test_the_list_and_a_page_are_data_too() -> None:
    done = run_verbs(arguments=["rules", "--output", "json"])
    listed = json.loads(done.stdout)
    assert listed["schema"] == "netplan.rules/1"
    assert [one["id"] for one in listed["rules"]] == [c.rule.id for c in CHECKS]
    done = run_verbs(arguments=["rules", "vpc-mtu-mismatch", "-o", "json"])
    page = json.loads(done.stdout)
    assert (page["schema"], page["id"]) == ("netplan.rule/1", "vpc-mtu-mismatch")
    done = run_verbs(arguments=["rules", "-o", "csv"])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["rule"] for row in rows] == [c.rule.id for c in CHECKS]
