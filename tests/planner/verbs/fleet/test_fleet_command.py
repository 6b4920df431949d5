"""`netplan fleet` as a process: answers, what cannot be, and bad input."""

import csv
import io
import json
import math
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from support.commands.run import run_verbs
from support.fleets.made import Row, row, table_of

COMMANDS_BY_ANSWER = {
    "FleetAnswer": (["fleet", "--demo", "gecko"], ["fleet", "--demo", "gecko", "--series", "e2"])
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def fleet(folder: Path, rows: list[Row], *arguments: str) -> CompletedProcess[str]:
    path = folder / "needs.csv"
    path.write_text(table_of(rows), encoding="utf-8")
    return run_verbs(arguments=["fleet", "--needs", str(path), *arguments])


def answer(folder: Path, rows: list[Row], *arguments: str) -> dict[str, Any]:
    found = fleet(folder, rows, "--output", "json", *arguments)
    assert found.returncode in {0, 1}, found.stderr
    return dict(json.loads(found.stdout))


def test_it_says_plan_baseline_and_proof(tmp_path: Path) -> None:
    rows = [row("web", machine_type="n2-standard-8"), row("new")]
    found = fleet(tmp_path, rows)
    assert found.returncode == 0, found.stderr
    for text in ("plan", "baseline", "proven", "Commitments to buy", "n2-standard-8", "new"):
        assert text in found.stdout
    told = [line for line in found.stdout.splitlines() if "gcloud" not in line]
    assert max(map(len, told)) <= 100


def test_json_has_the_fields_of_its_schema(tmp_path: Path) -> None:
    found = answer(tmp_path, [row("web", active_hours="8-20 UTC")])
    assert found["schema"] == "netplan.fleet/1"
    (group,) = found["groups"]
    names = {"name", "zone", "count", "machine_type", "is_tier1", "usd_per_month"}
    assert names <= group.keys()
    bought = found["commitments"]
    assert isinstance(bought, list)
    wanted = {"kind", "family", "region", "years", "vcpus", "memory_gib", "usd_per_hour"}
    assert all(wanted | {"usd_per_month"} <= one.keys() for one in bought)
    assert {"bound_usd_per_month", "gap_ratio", "baseline_usd_per_month", "line_items"} <= set(
        found
    )


def test_csv_has_a_row_a_group(tmp_path: Path) -> None:
    found = fleet(tmp_path, [row("a"), row("b", count=7)], "--output", "csv")
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert [(one["name"], one["count"]) for one in rows] == [("a", "2"), ("b", "7")]


def test_pinned_keeps_its_type_and_pays_for_it(tmp_path: Path) -> None:
    rows = [row("db", machine_type="n1-standard-16", pinned="true")]
    (group,) = answer(tmp_path, rows)["groups"]
    assert group["machine_type"] == "n1-standard-16"


def test_the_cpu_platform_of_today_decides_what_a_pinned_type_carries(tmp_path: Path) -> None:
    pinned = row("db", machine_type="n1-standard-16", pinned="true", gbps=20, outside_gbps=0)
    for platform in ("", "Intel Broadwell"):
        found = fleet(tmp_path, [pinned | {"cpu_platform": platform}])
        assert found.returncode == 1
        assert "carries 12.8 of 20 Gbit/s" in " ".join(found.stdout.split())
    assert answer(tmp_path, [pinned | {"cpu_platform": "Intel Cascade Lake"}])["groups"]


def test_tier1_comes_where_it_is_what_carries(tmp_path: Path) -> None:
    rows = [row("fast", gbps=70, vcpus=64, memory_gib=200, architecture="x86")]
    (group,) = answer(tmp_path, rows, "--series", "n2,n2d")["groups"]
    assert group["is_tier1"] is True


def test_a_quota_moves_groups_elsewhere_or_says_what_is_short(tmp_path: Path) -> None:
    rows = [row(f"g{at}", gbps=1, count=3) for at in range(4)]
    free = answer(tmp_path, rows)["groups"]
    taken = {one["machine_type"].split("-")[0] for one in free}
    (series,) = taken
    bound = answer(tmp_path, rows, "--quota", f"us-central1/{series}=12")["groups"]
    counts = [
        one["count"] * one["vcpus"] for one in bound if one["machine_type"].startswith(f"{series}-")
    ]
    assert sum(counts) <= 12
    short = answer(tmp_path, rows, "--quota", "us-central1/n2=40", "--series", "n2")
    (one,) = short["infeasible"]
    assert (one["binding"], one["name"]) == ("quota", "us-central1/n2")
    assert "8 vCPUs short" in one["shortfall"]


def test_what_a_move_must_be_worth_keeps_groups_where_they_are(tmp_path: Path) -> None:
    rows = [row("web", machine_type="n2-standard-8", vcpus=8, memory_gib=16)]
    (moved,) = answer(tmp_path, rows)["groups"]
    assert moved["machine_type"] != "n2-standard-8"
    (kept,) = answer(tmp_path, rows, "--move-price", "restart=900")["groups"]
    assert kept["machine_type"] == "n2-standard-8"


@pytest.mark.parametrize(
    ("more", "texts"),
    [
        ({"gbps": 5000}, ["web", "bandwidth", "short", "headroom"]),
        ({"vcpus": 5000}, ["web", "vcpus", "5000"]),
        ({"memory_gib": 500000}, ["web", "memory"]),
        ({"outside_gbps": 350}, ["web", "bandwidth"]),
        ({"machine_type": "e2-standard-4", "pinned": "true", "gbps": 20}, ["pinned to e2"]),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, more: dict[str, object], texts: list[str]) -> None:
    found = fleet(tmp_path, [row("web") | more, row("fine")])
    assert found.returncode == 1, found.stderr
    flat = " ".join(found.stdout.split())
    for text in texts:
        assert text in flat


@pytest.mark.parametrize(
    ("more", "status", "text"),
    [
        ({"zone": "us-centrl1-a"}, 3, "us-central1"),
        ({"zone": "us-central1-z"}, 3, "no such zone"),
        ({"machine_type": "n2-standrd-8"}, 3, "n2-standard-8"),
        ({"gbps": -1}, 3, "gbps"),
        ({"gbps": 0}, 3, "gbps"),
        ({"gbps": ""}, 3, "gbps is empty"),
        ({"count": 0}, 3, "count"),
        ({"count": 1.5}, 3, "count"),
        ({"vcpus": -4}, 3, "vcpus"),
        ({"active_hours": "8-30"}, 3, "active_hours"),
        ({"hours_per_month": 0}, 3, "hours_per_month"),
        ({"pinned": "yes"}, 3, "not true or false"),
        ({"pinned": "true"}, 3, "to no machine_type"),
        ({"architecture": "mips"}, 3, "x86, arm or any"),
        ({"is_tier1": "true", "machine_type": "e2-standard-8"}, 3, "Tier_1 is not offered"),
        ({"cpu_platform": "Intel Skylake"}, 3, "its machine_type today, which is empty"),
        (
            {"cpu_platform": "Intel Skylak", "machine_type": "n1-standard-16"},
            3,
            "cpu_platform is 'Intel Skylak': the cap of n1-standard-16 depends on",
        ),
    ],
)
def test_bad_rows_are_named(
    tmp_path: Path, more: dict[str, object], status: int, text: str
) -> None:
    found = fleet(tmp_path, [row("web") | more])
    assert found.returncode == status
    assert text in " ".join(found.stderr.split())


def test_other_bad_input(tmp_path: Path) -> None:
    assert "both 'web'" in fleet(tmp_path, [row("web"), row("web")]).stderr
    assert fleet(tmp_path, [row()], "--years", "2").returncode == 2
    for quota in ("n2=4", "us-central1/n2=²", f"us-central1/n2={'9' * 5000}"):
        assert fleet(tmp_path, [row()], "--quota", quota).returncode == 2
    assert fleet(tmp_path, [row()], "--move-price", "walk=4").returncode == 2
    assert fleet(tmp_path, [row()], "--demo", "gecko").returncode == 2
    assert run_verbs(arguments=["fleet"]).returncode == 2
    found = fleet(tmp_path, [row()], "--series", "a9")
    assert found.returncode == 2
    lacking = fleet(tmp_path, [{"name": "web", "zone": "us-central1-a"}])
    assert lacking.returncode == 3
    assert "gbps" in lacking.stderr


def test_an_unknown_column_is_refused_with_the_nearest(tmp_path: Path) -> None:
    """A pin that is misspelt would pin nothing."""
    found = fleet(tmp_path, [row(machine_type="n2-standard-8", pined="true")])
    assert found.returncode == 3
    assert "no such column: pined (did you mean pinned?)" in " ".join(found.stderr.split())


@pytest.mark.parametrize("machine_type", ["a2-highgpu-1g", "c3-standard-8-lssd"])
def test_what_a_type_brings_is_not_dropped_for_a_cheaper_one(
    tmp_path: Path, machine_type: str
) -> None:
    """GPUs and Local SSDs stand in no column, and their price in that of the type."""
    (group,) = answer(tmp_path, [row(machine_type=machine_type)])["groups"]
    assert group["machine_type"] == machine_type


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
        if "a month more than today" in step["fix"]["caution"]
    ]
    assert sorted(said) == sorted(more)
    assert f"Last of them ({len(more)} steps)" in plan["changes"]["order"]
    assert "one may stop" not in plan["changes"]["order"]
    assert any("commit to less where some are stopped" in note for note in plan["notes"])


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
    lines = script.read_text(encoding="utf-8").splitlines()
    run = [line for line in lines if line and not line.startswith("#")]
    assert [line.split()[3] for line in run[1:4]] == ["stop", "set-machine-type", "start"]
    assert not [line for line in run if "commitments" in line], "it would be bought unseen"
    assert [line for line in lines if line.startswith("#   gcloud compute commitments create")]
    steps = json.loads(listed.read_bytes())["changes"]
    assert steps[-1]["resource"] == "google_compute_region_commitment"
    assert {step["attribute"] for step in steps[:-1]} == {"machine_type"}
