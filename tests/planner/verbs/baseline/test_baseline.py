"""`netplan baseline`, and audits that leave out what it accepted."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from support.commands.in_process import netplan

GECKO = ("--demo", "gecko")


def audit(*words: str) -> dict[str, Any]:
    return dict(json.loads(netplan("audit", *GECKO, *words, "--output", "json").out))


def held(file: Path) -> list[dict[str, Any]]:
    return list(json.loads(file.read_text("utf-8"))["findings"])


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    words = ("--reason", "known", "--expires", "2027-06-30", "--today", "2026-11-20")
    assert netplan("baseline", *GECKO, *words).status == 0
    return tmp_path / "netplan-baseline.json"


def test_accepted_findings_are_counted_and_not_shown(file: Path) -> None:
    before, after = audit(), audit("--baseline", str(file))
    places = [one["fingerprint"] for each in before["findings"] for one in each["members"]]
    assert sorted(one["fingerprint"] for one in held(file)) == sorted(places)
    assert after["findings"] == []
    assert sorted(one["fingerprint"] for one in after["suppressed"]) == sorted(places)
    assert {(one["reason"], one["expires"]) for one in after["suppressed"]} == {
        ("known", "2027-06-30")
    }
    assert netplan("audit", *GECKO, "--baseline", str(file)).status == 0


def test_a_new_finding_is_shown(file: Path) -> None:
    first, *rest = held(file)
    file.write_text(json.dumps({"schema": "netplan.baseline/1", "findings": rest}), "utf-8")
    found = audit("--baseline", str(file))
    assert [one["fingerprint"] for each in found["findings"] for one in each["members"]] == [
        first["fingerprint"]
    ]


def test_what_has_expired_or_matches_nothing_is_told(file: Path) -> None:
    first, second, *rest = held(file)
    changed = [{**first, "fingerprint": "0" * 32}, {**second, "expires": "2026-01-01"}, *rest]
    file.write_text(json.dumps({"schema": "netplan.baseline/1", "findings": changed}), "utf-8")
    found = audit("--baseline", str(file))
    assert [one["resource"] for one in found["unused_suppressions"]] == [first["subject"]]
    assert [one["resource"] for one in found["expired_suppressions"]] == [second["subject"]]
    assert {one["fingerprint"] for each in found["findings"] for one in each["members"]} == {
        first["fingerprint"],
        second["fingerprint"],
    }
    text = netplan("audit", *GECKO, "--baseline", str(file)).out
    assert "1 expired ignore, 1 ignore matches nothing" in text
    assert (
        "Suppressions that match nothing"
        in netplan("audit", *GECKO, "--full", "--baseline", str(file)).out
    )


def test_a_rule_that_did_not_judge_leaves_its_entries_alone(file: Path) -> None:
    found = audit("--baseline", str(file), "--select", "capacity")
    assert found["unused_suppressions"] == []


def test_again_it_keeps_what_it_knows(file: Path) -> None:
    first, *rest = held(file)
    gone = {**first, "fingerprint": "0" * 32}
    file.write_text(json.dumps({"schema": "netplan.baseline/1", "findings": [gone, *rest]}))
    done = netplan("baseline", *GECKO, "--reason", "again", "--output", "json")
    answer = json.loads(done.out)
    assert [answer[f"{name}_count"] for name in ("new", "kept", "gone")] == [1, len(rest), 1]
    assert {one["fingerprint"]: one["reason"] for one in held(file)} == {
        first["fingerprint"]: "again",
        **{one["fingerprint"]: "known" for one in rest},
    }


@pytest.mark.parametrize("number", ["1e301", "-1e305", "1e28", "123456789012345678901234567890"])
def test_a_number_that_no_report_has_is_named(tmp_path: Path, number: str) -> None:
    stored = tmp_path / "stored.json"
    netplan("audit", "--demo", "gecko", "--output", f"json:{stored}")
    report = json.loads(stored.read_bytes())
    report["bill"]["machines_usd"] = "N"
    stored.write_text(json.dumps(report).replace('"N"', number))
    out = str(tmp_path / "b.json")
    for words in (("diff", str(stored)), ("baseline", "--out", out, "--report")):
        done = netplan(*words, str(stored))
        assert done.status == 3
        assert "stored.json: no report of this version" in done.err
        assert "is too large - at `$.bill.machines_usd`" in done.err


def test_a_stored_report_can_be_accepted(tmp_path: Path) -> None:
    report, file = tmp_path / "report.json", tmp_path / "accepted.json"
    netplan("audit", *GECKO, "--output", f"json:{report}")
    assert netplan("baseline", "--report", str(report), "--out", str(file)).status == 0
    assert audit("--baseline", str(file))["findings"] == []


@pytest.mark.parametrize(
    ("text", "says"),
    [("{}x", "no baseline"), ('{"schema": "netplan.baseline/2"}', "netplan.baseline/1")],
)
def test_a_wrong_file_is_refused_and_kept(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "b.json"
    file.write_text(text, "utf-8")
    for words in (("baseline", *GECKO, "--out"), ("audit", *GECKO, "--baseline")):
        done = netplan(*words, str(file))
        assert done.status == 3
        assert says in done.err
    assert file.read_text("utf-8") == text


def test_ignores_are_appended_behind_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".netplan-ignore.toml"
    own = '# ours\n[[ignore]]\nrule = "capacity"\nresource = "x[1]"\nreason = "a \\"b\\""'
    file.write_text(own, "utf-8")
    netplan("audit", *GECKO, "--add-ignores")
    text = file.read_text("utf-8")
    assert text.startswith(own)
    entries = tomllib.loads(text)["ignore"]
    assert len(entries) > 1
    assert all(one["reason"].endswith(" (--add-ignores)") for one in entries[1:])
    found = audit()
    assert found["findings"] == []
    assert [one["resource"] for one in found["unused_suppressions"]] == []
    netplan("audit", *GECKO, "--add-ignores")
    assert file.read_text("utf-8") == text


def test_a_wrong_ignore_file_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".netplan-ignore.toml"
    file.write_text("[[ignore]]\nrule = 3\n", "utf-8")
    assert netplan("audit", *GECKO, "--add-ignores").status == 2
    assert file.read_text("utf-8") == "[[ignore]]\nrule = 3\n"
