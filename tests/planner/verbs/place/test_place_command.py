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


def test_a_text_says_what_is_saved_and_what_to_run(tmp_path: Path) -> None:
    done = netplan("place", *written(CASE, tmp_path), "--today", "2026-05-01")
    assert done.status == 0, done.err
    assert "2 moves save $900.00 a month" in done.out
    assert "Proven: no placement under these constraints costs less" in done.out
    assert "price of availability: $5.00 a month" in done.out
    assert "gcloud compute machine-images create web-1-from-us-central1-a" in done.out
    assert "sizes of disks are not read" in " ".join(done.out.split())


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


def test_a_page_draws_what_several_moves_save(tmp_path: Path) -> None:
    flows = (*CASE.flows, Flow("cache", "db-1", 150))
    case = CASE._replace(vms=(*CASE.vms, Vm("cache", ZONES[2], 4)), flows=flows)
    page = tmp_path / "plan.html"
    done = netplan("place", *written(case, tmp_path), "-o", f"html:{page}")
    assert done.status == 0, done.err
    text = page.read_text("utf-8")
    assert "the first 2 of 3 moves save $900.00 a month, all of them $901.50" in text
    assert text.count("stop line</text>") == 1
    # A plan of one move has no picture.
    vms = (Vm("a", ZONES[0]), Vm("b", ZONES[1], is_pinned=True))
    case = Case(vms, (Flow("a", "b", 9_000),), dict.fromkeys(ZONES, 40))
    done = netplan("place", *written(case, tmp_path), "-o", "html")
    assert done.status == 0, done.err
    assert "<polyline" not in done.out
    assert "1 move saves" in netplan("place", *written(case, tmp_path)).out
