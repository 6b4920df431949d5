"""`netplan audit --measurements`: what is found, what is shown as read, what is refused."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from netplan_planner.readers import read_inventory
from netplan_planner.renderers.schema import schema
from support.commands.run import run_verbs
from support.probes.stores import write_store
from support.projects.one_project import FOLDER

FILES = FOLDER / "gcloud"
DAY = ("--today", "2026-11-20")
Report = dict[str, Any]


def audit(*arguments: object) -> tuple[int, str, str]:
    files = ("audit", *DAY, "--inventory", FILES, "--fail-on", "never", *arguments)
    done = run_verbs(arguments=[str(one) for one in files])
    return done.returncode, done.stdout, done.stderr


def report(*arguments: object) -> Report:
    code, out, err = audit("--output", "json", *arguments)
    assert code == 0, err
    found: Report = json.loads(out)
    jsonschema.validate(found, schema("Report"))
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a low run, a single stream and a stranger, and a line that is none."""
    inventory = read_inventory([FILES])
    running = [i for i in inventory.instances if i.is_running and i.interfaces[0].internal_ipv4]
    one, other = running[:2]
    path = tmp_path_factory.mktemp("store") / "measurements.jsonl"
    fields = {"started_at": "2026-11-19T10:00:00Z", "min_rtt_ms": None, "streams": 1}
    write_store(
        path,
        inventory,
        [
            {"src": one.name, "dst": other.name, "gbps": 0.01, **fields},
            {"src": "203.0.113.1", "dst": "203.0.113.2", "gbps": 1.0, "runs": 1},
        ],
    )
    with path.open("a") as file:
        file.write("no record\n")
    return path


def test_both_rules_answer_once_and_the_report_says_what_was_read(store: Path) -> None:
    found = report("--measurements", store)
    rules = {finding["rule"] for finding in found["findings"]}
    assert {"measured-below-model", "probe-not-comparable"} <= rules
    read = found["coverage"]["measurements"]
    assert (read["files"], read["measurement_count"], read["repeated_count"]) == (1, 4, 0)
    (fault,) = read["faults"]
    assert fault.startswith(f"{store}:5: ")
    gaps = {(n["rule"], n["kind"]) for n in found["not_evaluated"]}
    assert ("measured-below-model", "gap") in gaps
    # The text says how many were read and what was not.
    code, text, err = audit("--measurements", store, "--width", "200")
    assert (code, err) == (0, "")
    assert "measured 4 measurements in 1 file, 1 line not usable" in text
    assert "the line is not used" in text
    # A store given twice is read once.
    found = report("--measurements", store, "--measurements", store)
    assert found["coverage"]["measurements"]["files"] == 1
    assert found["findings"] == report("--measurements", store)["findings"]
    # The area model can be chosen.
    found = report("--measurements", store, "--select", "model")
    assert {finding["rule"] for finding in found["findings"]} == {"measured-below-model"}
    others = {n["rule"] for n in found["not_evaluated"] if n["kind"] == "deselected"}
    assert "probe-not-comparable" in others


def test_without_measurements_the_rules_are_not_evaluated() -> None:
    found = report()
    assert found["coverage"]["measurements"] is None
    notes = {n["rule"]: n for n in found["not_evaluated"]}
    for rule in ("measured-below-model", "probe-not-comparable"):
        assert notes[rule]["kind"] == "missing-evidence"
        assert notes[rule]["reason"] == "no measurements were given (--measurements FILE)"
    assert "measurements in" not in audit("--width", "200")[1]
