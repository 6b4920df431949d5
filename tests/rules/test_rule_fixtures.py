"""Every rule on every fixture: bad ones fire as they say, good ones keep silent."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.engine.fixes import answer
from netplan_planner.engine.judging import judge
from netplan_planner.model import Facts, Finding, Fix, Gap, Hit
from netplan_planner.renderers.figures import shown
from netplan_rules.registry import all_rules, find_rule
from support.rules.fixtures import FIXTURES, facts_of
from support.rules.no_io import no_io

NO_GUARD = "None"
"""How the guards of a rule begin that looks at nothing but what it names."""
CASES = sorted(FIXTURES.glob("*/*.json"))


def run(rule: str, facts: Facts) -> tuple[tuple[Finding, ...], int]:
    """Return what a rule finds in facts whose tables were read before, and its gaps."""
    check = find_rule(rule)
    with no_io():
        said = list(check(facts))
    hits = [s for s in said if isinstance(s, Hit)]
    gaps = [s for s in said if isinstance(s, Gap)]
    found = answer(facts, [(check.rule, tuple(hits))]).findings
    return found, len({(g.resource.self_link, g.reason) for g in gaps})


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_fixture(path: Path, tmp_path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    facts = facts_of(case, tmp_path)
    judged = judge(find_rule(path.parent.name), facts)
    assert [n for n in judged.not_evaluated if n.kind != "gap"] == [], "the case lacks evidence"
    # What the tables behind the facts read on first use was read when it was judged.
    findings, gaps = run(path.parent.name, facts)
    expected = case.get("expect", [])
    assert [f.subject for f in findings] == [e["subject"] for e in expected]
    for finding, wanted in zip(findings, expected, strict=True):
        _compare(finding, wanted)
    assert gaps == case.get("gaps", 0)
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
    return [fix.caution, *(step.text for step in steps), *commands]


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
