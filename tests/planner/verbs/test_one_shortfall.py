"""Why there is no plan: one form in the JSON of every verb that plans."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from netplan_planner.model.plans.plan_answer import Shortfall
from support.commands.run import run_verbs

KEYS = [one.name for one in fields(Shortfall)]
TOO_MUCH = "--gbps 5000 --region us-central1"
JOB = "--series n2,e2 --bytes-in 10TB --start-up 40s --region us-central1 --deadline 41s"
WAY = "--from us-central1 --to europe-west4 --bytes 1PB --deadline 1s"
PLACES = "place --vms FOLDER/vms.csv --edges FOLDER/edges.csv --zones FOLDER/zones.csv"
FILES = {
    "needs.csv": "name,zone,count,gbps,vcpus,memory_gib\na,us-central1-a,1,5000,2,4\n",
    "vms.csv": "name,zone,vcpus\na,us-central1-a,4\nb,us-central1-b,4\n",
    "edges.csv": "src,dst,gib_per_month\na,b,100\n",
    "zones.csv": "zone,capacity_vcpus\nus-central1-a,4\nus-central1-b,1\n",
}


def infeasible(answer: Any) -> list[dict[str, Any]]:
    """Return every shortfall of an answer, wherever its plans are."""
    if isinstance(answer, list):
        return [one for part in answer for one in infeasible(part)]
    if not isinstance(answer, dict):
        return []
    found = answer.get("infeasible") or []
    inner = [one for key, part in answer.items() if key != "infeasible" for one in infeasible(part)]
    return [*(found if isinstance(found, list) else [found]), *inner]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (f"recommend {TOO_MUCH}", [""]),
        ("fleet --needs FOLDER/needs.csv", ["a"]),
        (PLACES, ["us-central1-b"]),
        (f"job {JOB}", [""]),
        (f"transfer {WAY}", [""]),
    ],
    ids=["recommend", "fleet", "place", "job", "transfer"],
)
def test_each_says_of_what_what_binds_by_how_much_and_what_to_change(
    tmp_path: Path, line: str, names: list[str]
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    words = line.replace("FOLDER", str(tmp_path)).split()
    done = run_verbs(arguments=[*words, "--output", "json"])
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert answer.get("is_feasible", False) is False
    found = infeasible(answer)
    assert [one["name"] for one in found] == names
    for one in found:
        assert [key for key in one if key in KEYS] == KEYS
        assert one["binding"]
        assert one["shortfall"]
        assert one["changes"]
        assert all(isinstance(text, str) for text in one["changes"])
