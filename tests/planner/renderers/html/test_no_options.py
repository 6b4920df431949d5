"""On an audit's page nothing is said of the command line's options; whole commands stay."""

import html
import re
from pathlib import Path

import pytest

from netplan_planner.renderers import RenderOptions, render
from support.commands.in_process import netplan
from support.projects.one_project import FOLDER
from support.reports import made
from support.reports import pages as html_reports

INPUTS = {
    **{name: ("--demo", name) for name in ("dobermanifesto", "gecko", "interzone", "percona")},
    "one-project": ("--inventory", str(FOLDER / "gcloud")),
}
BLOCKS = re.compile(r"</?(?:p|li|td|th|div|section|h\d|summary|dt|dd|pre|details|text)\b[^>]*>")
COMMANDS = re.compile(r"`?\b(?:gcloud|kubectl|netplan [a-z-]+|iperf3) [^`;]*")
OPTION = re.compile(r"(?<![\w-])-(?:-[a-z][a-z-]*|[a-z])\b")


def said(page: str) -> list[str]:
    """Return the lines of a page that name an option outside of a command."""
    shown = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    lines = (html.unescape(re.sub(r"<[^>]*>", "", one)) for one in BLOCKS.split(shown))
    return [one.strip() for one in lines if OPTION.search(COMMANDS.sub("", one))]


@pytest.mark.parametrize("name", INPUTS)
def test_the_page_of_an_audit_names_no_option(name: str, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    done = netplan("audit", *INPUTS[name], "--fail-on", "never", "--output", f"html:{file}")
    assert done.status == 0, done.err
    assert said(file.read_text("utf-8")) == []


def test_nor_does_that_of_a_large_project() -> None:
    options = RenderOptions(rules=made.RULES)
    for report in (made.crowded_report(400), html_reports.pictured_report()):
        assert said(render(report, "html", options)) == []


def test_what_names_an_option_is_found() -> None:
    assert said("<p>5 more: -v</p><p>`netplan audit --full` has all</p><p>no (--x)</p>") == [
        "5 more: -v",
        "no (--x)",
    ]
