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


def run(arguments: list[str]) -> CompletedProcess[str]:
    return run_verbs(arguments=arguments)


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
