"""The benchmark's look at the forms of a report finds each form that names or counts others."""

import csv
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.nightly

NAMES = ("vm-a", "vm-b", "vm-c")
TEXT = """\
bench · 3 VMs

Do first ───
1. saves $3.00 a month  vm-a, and 1 more · some-rule: do it (2 of 3 resources of
   finding 1)
at vm-a; vm-b
Also: commitments

Findings: 1 low ───
1. LOW some-rule  vm-a, and 2 more
   They cost much.
"""


def made(folder: Path) -> dict[str, Any]:
    """Write the forms of a report of one finding; return its JSON."""
    members = [{"fingerprint": f"of-{name}", "subject": name} for name in NAMES]
    changes = [{"place": f"of-{name}", "subject": name, "change": None} for name in NAMES[:2]]
    finding = {"fingerprint": "f", "rule": "some-rule", "subject": "vm-a", "members": members}
    entry = {
        "rank": 1,
        "finding": "f",
        "subject": "vm-a",
        "place_count": 2,
        "finding_place_count": 3,
    }
    with (folder / "report.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("fingerprint", "place_fingerprint", "place_count", "plan_number"))
        for name, number in zip(NAMES, ("1", "2", ""), strict=True):
            rows.writerow(("f", f"of-{name}", 3, number))
    result = {
        "partialFingerprints": {"netplanFinding/v1": "f"},
        "message": {"text": "vm-a, and 2 more: They cost much."},
        "properties": {"placeCount": 3, "plannedChanges": changes},
    }
    sarif = json.dumps({"runs": [{"results": [result]}]})
    (folder / "report.sarif").write_text(sarif, encoding="utf-8")
    (folder / "report.txt").write_text(TEXT, encoding="utf-8")
    return {"findings": [finding], "do_first": [{**entry, "changes": changes}]}


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("report.txt", "vm-a, and 1 more", "vm-a, and 2 more", "text of entry 1 says 3 places"),
        ("report.txt", "(2 of 3", "(1 of 3", "text of entry 1 says (1, 3) places"),
        ("report.txt", "at vm-a; vm-b", "at vm-a; vm-c", "text of entry 1 names other places"),
        ("report.txt", "vm-a, and 2 more\n", "vm-a, and 4 more\n", "text of some-rule says other"),
        ("report.csv", "f,of-vm-c,3,", "f,of-vm-d,3,", "CSV of some-rule: 3 rows for 3 members"),
        ("report.csv", "f,of-vm-c,3,", "f,of-vm-c,4,", "CSV of some-rule counts other places"),
        ("report.csv", "f,of-vm-c,3,", "f,of-vm-c,3,3", "CSV of some-rule: 3 places have a step"),
        ("report.sarif", '"placeCount": 3', '"placeCount": 2', "SARIF of some-rule counts 2"),
        (
            "report.sarif",
            '"subject": "vm-b"',
            '"subject": "vm-c"',
            "SARIF of some-rule plans other",
        ),
        ("report.sarif", "and 2 more", "and 1 more", "SARIF of some-rule says 2 places"),
    ],
)
def test_a_form_that_differs_is_found(
    file: str, old: str, new: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    outputs = importlib.import_module("advice_outputs")
    report = made(tmp_path)
    assert outputs.differing(report, tmp_path) == []
    path = tmp_path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    found = outputs.differing(report, tmp_path)
    assert [one for one in found if one.startswith(said)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"place_count": 3}, "entry 1 counts 3 places and lists 2"),
        ({"finding_place_count": 2}, "entry 1 is of 2 places; there are 3"),
        ({"subject": "vm-c"}, "entry 1 names vm-c, which it does not list"),
    ],
)
def test_a_count_that_is_not_of_what_is_listed_is_found(
    more: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    outputs = importlib.import_module("advice_outputs")
    report = made(tmp_path)
    report["do_first"][0].update(more)
    assert said in outputs.differing(report, tmp_path)
