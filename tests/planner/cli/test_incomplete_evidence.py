"""`--strict`: evidence that was given must be used in full; evidence that was not given need not be
there. And how what was not understood is told."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.commands.run import run_verbs
from support.flows.records import entry, lines
from support.projects.compute_json import machine

LINK = "https://www.googleapis.com/compute/v1/projects/p/"
NETWORK = LINK + "global/networks/default"
SUBNET = LINK + "regions/us-central1/subnetworks/default"
MACHINE = machine(network=NETWORK, subnetwork=SUBNET)
INSTANCES: dict[str, Any] = {"kind": "compute#instanceList", "id": "all", "items": [MACHINE]}
SNAPSHOTS = [{"kind": "compute#snapshot", "selfLink": f"{LINK}global/snapshots/s{n}"} for n in "12"]


def audit(folder: Path, *arguments: object) -> tuple[int, str, str]:
    options = ["--today", "2026-11-20", "--fail-on", "never", "--width", "80"]
    done = run_verbs(
        arguments=["audit", "--full", *options, "--inventory", str(folder), *map(str, arguments)]
    )
    return done.returncode, done.stdout, done.stderr


def write(folder: Path, **documents: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return folder


def test_evidence_that_was_not_given_is_not_missing(tmp_path: Path) -> None:
    inventory = write(tmp_path / "inventory", instances=INSTANCES, snapshots=SNAPSHOTS)
    status, out, err = audit(inventory, "--strict")
    assert (status, err) == (0, "")
    assert re.search(
        r"^Skipped or partly checked: \d+ rules?.*\n.*no traffic given \(--traffic\): ",
        out,
        re.MULTILINE,
    )
    assert "incomplete" not in out
    assert "ignored" in out


def test_a_page_that_is_missing_is(tmp_path: Path) -> None:
    inventory = write(tmp_path / "inventory", instances={**INSTANCES, "nextPageToken": "more"})
    status, out, err = audit(inventory, "--strict")
    assert status == 4
    assert "nextPageToken" in err
    assert "This report is incomplete" in out
    assert audit(inventory)[0] == 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("no JSON\n", "1 flow record malformed"),
        (lines([entry("10.0.0.2", "10.0.0.3", -1)]), "1 flow record with a negative count"),
    ],
)
def test_so_are_records_that_cannot_be_used(tmp_path: Path, wrong: str, said: str) -> None:
    inventory = write(tmp_path / "inventory", instances=INSTANCES)
    flows = tmp_path / "flows.json"
    good = entry("10.0.0.2", "10.0.0.3", 1000, insert_id="one")
    flows.write_text(lines([good, good]))
    # What was left out on purpose, such as an entry that is there twice, is no loss.
    assert audit(inventory, "--strict", "--traffic", flows)[0] == 0
    flows.write_text(lines([good]) + wrong)
    status, out, err = audit(inventory, "--strict", "--traffic", flows, "--output", "json")
    assert status == 4
    assert said in err
    assert json.loads(out)["coverage"]["incomplete"] == [said]


def test_what_was_not_understood_is_told_by_cause(tmp_path: Path) -> None:
    folder = tmp_path / ("a-long-name-of-a-folder-" * 6) / "inventory"
    bad = [{**MACHINE, "name": f"m{n}", "selfLink": f"{LINK}zones/z/instances/m{n}"} for n in "123"]
    for one in bad:
        del one["machineType"]
    inventory = write(folder, instances=INSTANCES, bad=bad)
    status, out, _ = audit(inventory, "--strict")
    assert status == 4
    assert out.count("machineType") + out.count("machine type") < 6
    assert str(folder / "bad.json") in out
    assert "and 2 more" in out
