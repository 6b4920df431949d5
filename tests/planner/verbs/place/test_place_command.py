"""`netplan place`: what it prints, and the plan as commands and as a list for Terraform."""

import json
import shlex
from pathlib import Path

from support.commands.in_process import netplan
from support.places.tables import ZONES, Case, Flow, Vm, written

COMMANDS_BY_ANSWER = {"Placement": ("place --demo interzone --least-saving 0",)}
"""Commands whose JSON and CSV `test_every_answer` looks at."""

CASE = Case(
    vms=(
        Vm("web-1", ZONES[0], 8, "web", is_spread=True),
        Vm("web-2", ZONES[1], 8, "web", is_spread=True),
        Vm("db-1", ZONES[1], 16, is_pinned=True),
    ),
    flows=(Flow("web-1", "db-1", 90_000), Flow("web-1", "web-2", 500)),
    capacity=dict.fromkeys(ZONES, 40),
)


def test_the_plan_as_a_script_deletes_nothing_by_itself(tmp_path: Path) -> None:
    script, listed = tmp_path / "plan.sh", tmp_path / "changes.json"
    done = netplan(
        *("place", *written(CASE, tmp_path), "-o", f"commands:{script}"),
        *("-o", f"terraform:{listed}", "-o", "json"),
    )
    assert done.status == 0, done.err
    lines = script.read_text("utf-8").splitlines()
    commands = [shlex.split(line) for line in lines if line.startswith("gcloud")]
    assert [words[2:4] for words in commands[:3]] == [
        ["instances", "stop"],
        ["machine-images", "create"],
        ["instances", "create"],
    ]
    assert len(commands) == 6
    assert not any("delete" in words for words in commands)
    assert any(line.startswith("#   gcloud compute instances delete") for line in lines)
    answer = json.loads(done.out)
    changes = json.loads(listed.read_text("utf-8"))["changes"]
    assert [(one["name"], one["after"]) for one in changes] == [
        (one["name"], one["to_zone"]) for one in answer["moves"]
    ]
    assert answer["schema"] == "netplan.placement/1"
    assert answer["assignment"]["web-1"] == ZONES[1]


def test_an_inventory_moves_only_what_may_move() -> None:
    done = netplan("place", "--demo", "interzone", "--output", "json", "--least-saving", "0")
    assert done.status == 0, done.err
    answer = json.loads(done.out)
    assert answer["usd_per_month"] <= answer["baseline_usd_per_month"]
    regions = [(one["from_zone"][:-2], one["to_zone"][:-2]) for one in answer["moves"]]
    assert all(before == after for before, after in regions)
