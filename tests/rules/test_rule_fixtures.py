"""Every rule on every fixture: bad ones fire as they say, good ones keep silent."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Finding, Fix
from netplan_planner.renderers.figures import shown
from netplan_rules.registry import all_rules
from support.rules.fixtures import FIXTURES
from support.rules.hits import judged_case

NO_GUARD = "None"
"""How the guards of a rule begin that looks at nothing but what it names."""
CASES = sorted(FIXTURES.glob("*/*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_fixture(path: Path) -> None:
    expect = json.loads(path.read_text(encoding="utf-8"))
    judged = judged_case(path.parent.name, path.stem)
    assert judged.lacking == (), "the case lacks evidence"
    expected = expect.get("expect", [])
    assert [f.subject for f in judged.findings] == [e["subject"] for e in expected]
    for finding, wanted in zip(judged.findings, expected, strict=True):
        _compare(finding, wanted)
    assert judged.gap_count == expect.get("gaps", 0)
    assert bool(expected) == path.stem.startswith("bad")


def _compare(finding: Finding, wanted: dict[str, Any]) -> None:
    for key, value in wanted.items():
        match key:
            case "members":
                assert len(finding.members) == value
            case "saving":
                assert finding.saving_usd_per_month is not None
                assert round(float(finding.saving_usd_per_month), 2) == value
            case "no_saving":
                assert finding.saving_usd_per_month is None
            case "now" | "fixed":
                estimate = finding.throughput_now if key == "now" else finding.throughput_fixed
                assert estimate is not None
                assert estimate.gbps == pytest.approx(value, rel=1e-6)
            case "says":
                text = " ".join(
                    [
                        shown(finding.message),
                        finding.saving_unknown,
                        finding.fix.text if finding.fix else "",
                        *_fix_texts(finding.fix),
                        finding.confidence_reason,
                    ]
                )
                for part in [value] if isinstance(value, str) else value:
                    assert part in text
            case _:
                assert str(getattr(finding, key)) == value


def _fix_texts(fix: Fix | None) -> list[str]:
    if fix is None:
        return []
    steps = [step for step in (fix.verify, fix.clean_up, fix.undo) if step is not None]
    commands = [*fix.commands, *(command for step in steps for command in step.commands)]
    return [shown(fix.caution), *(step.text for step in steps), *commands]


def test_every_rule_has_a_bad_and_a_good_case() -> None:
    have = {(path.parent.name, path.stem.split("-")[0]) for path in CASES}
    for check in all_rules():
        assert (check.rule.id, "bad") in have, check.rule.id
        assert (check.rule.id, "good") in have, check.rule.id
    assert {path.parent.name for path in CASES} <= {check.rule.id for check in all_rules()}


def test_every_guard_that_a_rule_names_is_seen_to_fire() -> None:
    """A guard nobody has seen fire is not a guard: a rule with guards has a second good case."""
    for check in all_rules():
        good = list((FIXTURES / check.rule.id).glob("good*.json"))
        has_guard = not check.rule.guards.startswith(NO_GUARD)
        assert len(good) >= 2 or not has_guard, check.rule.id
