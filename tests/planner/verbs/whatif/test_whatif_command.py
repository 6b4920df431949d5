"""`netplan whatif` as a process: formats, tables of changes, and bad input."""

import json
from pathlib import Path
from subprocess import CompletedProcess

from support.commands.run import run_verbs

COMMANDS_BY_ANSWER = {
    "WhatifAnswer": (
        "whatif --demo gecko --vm transcoder-[1-4] --address internal",
        "whatif --demo gecko --growth 2 --by 2099-01-01",
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""
_GECKO = ["whatif", "--demo", "gecko", "--vm", "transcoder-[1-4]"]
BOTH = [*_GECKO, "--address", "internal", "--machine-type", "n1-highcpu-8"]


def run(arguments: list[str]) -> CompletedProcess[str]:
    return run_verbs(arguments=arguments)


def test_all_formats_can_be_written(tmp_path: Path) -> None:
    formats = ("text", "json", "csv", "md", "html", "commands", "terraform")
    outputs = [word for one in formats for word in ("-o", f"{one}:{tmp_path / one}")]
    found = run([*BOTH, *outputs])
    assert found.returncode == 0, found.stderr
    assert '<svg class="changes"' in (tmp_path / "html").read_text("utf-8")
    script = (tmp_path / "commands").read_text("utf-8")
    assert script.count("set-machine-type") >= 4
    assert script.count("In the configuration of") == 4
    rows = (tmp_path / "csv").read_text("utf-8").splitlines()
    assert len(rows) == 5
    json.loads((tmp_path / "terraform").read_text("utf-8"))


def test_all_out_asks_for_more_than_the_busiest_minute() -> None:
    totals = []
    for more in ([], ["--all-out"]):
        found = run([*_GECKO, "--machine-type", "n1-standard-8", "-o", "json", *more])
        totals.append(json.loads(found.stdout)["before"]["gbps"])
    assert totals[0] < totals[1]


def test_without_traffic_it_still_tells_money_and_caps(tmp_path: Path) -> None:
    demo = Path(__file__).parents[4] / "planner" / "netplan_planner" / "demos" / "gecko"
    found = run(
        [
            *("whatif", "--inventory", str(demo / "inventory")),
            *("--vm", "transcoder-1", "--machine-type", "n1-standard-8", "-o", "json"),
        ]
    )
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert answer["has_traffic"] is False
    (pair,) = answer["machines"]
    assert (pair["before"]["egress_gbps"], pair["after"]["egress_gbps"]) == (2, 16)
    assert pair["after"]["gbps"] is None
    assert pair["after"]["machine_usd_per_month"] > pair["before"]["machine_usd_per_month"]
