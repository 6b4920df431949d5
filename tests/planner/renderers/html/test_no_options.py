"""On a page nothing is said of the command line's options; whole commands stay.

Pages of all verbs are looked at in `tests/planner/cli/test_every_format.py`.
"""

from pathlib import Path

import pytest

from netplan_planner.renderers import RenderOptions, render
from support.commands.in_process import netplan
from support.commands.lines import VERBS
from support.projects.one_project import FOLDER
from support.reports import made
from support.reports import pages as html_reports
from support.reports.options_named import said

INPUTS = {
    **{name: ("--demo", name) for name in ("dobermanifesto", "gecko", "interzone", "percona")},
    "one-project": ("--inventory", str(FOLDER / "gcloud")),
}


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


NOTHING = [
    (verb, line) for verb, lines in VERBS.items() for line in lines.nothing if verb != "doctor"
]
OTHERS = (
    "recommend --gbps 10 --region us-central1 --spot",
    "transfer --from us-central1 --to internet --bytes 10TB --series n2 --max-count 2",
    "transfer --from us-central1 --to us-east1 --bytes 10TB --series n2 --max-count 2 --budget 1",
    "job --bytes-in 2TB --region us-central1 --series n2 --memory-gib 99999",
    "predict n2-standard-8 --path internet",
    "place --vms docs/examples/vms.csv --edges docs/examples/edges.csv",
    "probe plan --demo gecko --max-usd 0.01",
)


@pytest.mark.parametrize("number", range(len(NOTHING)))
def test_nor_does_an_answer_that_found_nothing(number: int, tmp_path: Path) -> None:
    _, line = NOTHING[number]
    file = tmp_path / "page.html"
    words = line.split() if isinstance(line, str) else line(tmp_path)
    assert netplan(*words, "--output", f"html:{file}").status == 1
    assert said(file.read_text("utf-8")) == []


@pytest.mark.parametrize("line", OTHERS)
def test_nor_do_plans_with_assumptions(line: str, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    done = netplan(*line.split(), "--output", f"html:{file}")
    assert done.status in {0, 1}, done.err
    assert said(file.read_text("utf-8")) == []


def test_what_names_an_option_is_found() -> None:
    assert said("<p>5 more: -v</p><p>`netplan audit --full` has all</p><p>no (--x)</p>") == [
        "5 more: -v",
        "no (--x)",
    ]
