"""`netplan fleet` as a process: answers, what cannot be, and bad input."""

import json
import math
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from support.commands.run import run_verbs
from support.fleets.made import Row, row, table_of
from support.projects.compute_json import machine

COMMANDS_BY_ANSWER = {"FleetAnswer": ("fleet --demo gecko", "fleet --demo gecko --series e2")}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def fleet(folder: Path, rows: list[Row], *arguments: str) -> CompletedProcess[str]:
    path = folder / "needs.csv"
    path.write_text(table_of(rows), "utf-8")
    return run_verbs(arguments=["fleet", "--needs", str(path), *arguments])


def answer(folder: Path, rows: list[Row], *arguments: str) -> dict[str, Any]:
    found = fleet(folder, rows, "--output", "json", *arguments)
    assert found.returncode in {0, 1}, found.stderr
    return dict(json.loads(found.stdout))


def test_a_quota_moves_groups_elsewhere(tmp_path: Path) -> None:
    rows = [row(f"g{at}", gbps=1, count=3) for at in range(4)]
    free = answer(tmp_path, rows)["groups"]
    taken = {one["machine_type"].split("-")[0] for one in free}
    (series,) = taken
    bound = answer(tmp_path, rows, "--quota", f"us-central1/{series}=12")["groups"]
    counts = [
        one["count"] * one["vcpus"] for one in bound if one["machine_type"].startswith(f"{series}-")
    ]
    assert sum(counts) <= 12


def test_no_needs_and_a_number_without_end_are_wrong_usage(tmp_path: Path) -> None:
    assert run_verbs(arguments=["fleet"]).returncode == 2
    assert fleet(tmp_path, [row()], "--quota", f"us-central1/n2={'9' * 5000}").returncode == 2


def test_covered_groups_cost_nothing_and_not_less_than_that(tmp_path: Path) -> None:
    plan = answer(tmp_path, [row(f"web-{at}", gbps=0.1 + at) for at in range(6)])
    paid = [group["usd_per_month"] for group in plan["groups"]]
    assert 0 in paid
    assert all(math.copysign(1, usd) == 1 for usd in paid), "JSON tells -0 from 0"


def test_steps_that_cost_more_until_something_is_bought_say_so() -> None:
    found = run_verbs(arguments=["fleet", "--demo", "dobermanifesto", "--output", "json"])
    plan = json.loads(found.stdout)
    more = [
        group["name"]
        for group in plan["groups"]
        if group["on_demand_usd_per_month"] > group["on_demand_usd_per_month_today"] + 0.01
    ]
    assert more
    said = [
        step["subject"]
        for step in plan["changes"]["steps"]
        if "/month more than today" in step["fix"]["caution"]
    ]
    assert sorted(said) == sorted(more)
    order = plan["changes"]["order"]
    assert f"cost more than the current types: {len(more)} of " in order
    assert "you may stop" not in order.lower()
    assert any("commit to less if some stop" in note for note in plan["notes"])


def test_a_plan_that_buys_nothing_speaks_of_no_commitment() -> None:
    words = ["fleet", "--demo", "gecko", "--commitments", "none", "--output", "commands"]
    script = run_verbs(arguments=words).stdout
    assert script.count("/month more than today: the current type does not carry") == 4
    assert "set-machine-type" in script
    assert "commitment" not in script


def test_an_inventory_is_planned_by_its_traffic() -> None:
    found = run_verbs(arguments=["fleet", "--demo", "gecko", "--output", "json"])
    assert found.returncode == 0, found.stderr
    plan = json.loads(found.stdout)
    assert plan["usd_per_month"] <= plan["baseline_usd_per_month"]
    assert all(group["machines"] for group in plan["groups"])


def test_the_plan_as_commands_and_for_terraform(tmp_path: Path) -> None:
    script, listed = tmp_path / "plan.sh", tmp_path / "plan.json"
    words = ("fleet", "--demo", "gecko", "-o", f"commands:{script}", "-o", f"terraform:{listed}")
    assert run_verbs(arguments=list(words)).returncode == 0
    lines = script.read_text("utf-8").splitlines()
    run = [line for line in lines if line and not line.startswith("#")]
    assert [line.split()[3] for line in run[1:4]] == ["stop", "set-machine-type", "start"]
    assert not [line for line in run if "commitments" in line], "it would be bought unseen"
    assert [line for line in lines if line.startswith("#   gcloud compute commitments create")]
    steps = json.loads(listed.read_bytes())["changes"]
    assert steps[-1]["resource"] == "google_compute_region_commitment"
    assert {step["attribute"] for step in steps[:-1]} == {"machine_type"}


def test_an_inventory_of_which_nothing_is_known_says_why(tmp_path: Path) -> None:
    file = tmp_path / "vms.json"
    unknown = [machine(zone="mars-north1-a"), machine("b", "n9-standard-4")]
    file.write_text(json.dumps(unknown))
    done = run_verbs(arguments=["fleet", "--inventory", str(file)])
    assert done.returncode == 3
    assert "no VM can be planned: a: " in done.stderr
    assert "; 1 more" in done.stderr
