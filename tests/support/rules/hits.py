"""What rules say of their fixtures, computed once for all tests that look at it."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from netplan_planner.judging.fixes import answer
from netplan_planner.judging.judged import judge
from netplan_planner.model import Finding, Gap, Hit, NotEvaluated
from netplan_rules.registry import find_rule
from support.made_once import made_once
from support.rules.fixtures import FIXTURES, facts_of
from support.rules.no_io import no_io

BAD_CASES = tuple((path.parent.name, path.stem) for path in sorted(FIXTURES.glob("*/bad*.json")))
"""Rule and name of every bad fixture."""


@dataclass(frozen=True)
class JudgedCase:
    """What came of a fixture."""

    hits: tuple[Hit, ...]
    gap_count: int
    """Of resources and reasons that differ."""
    findings: tuple[Finding, ...]
    lacking: tuple[NotEvaluated, ...]
    """Evidence that the rule asks for and the fixture does not have."""


@cache
def judged_case(rule: str, case: str) -> JudgedCase:
    """Return what comes of a fixture; no other process of the run works it out again."""
    return made_once(f"case-{rule}-{case}", lambda: _judged(rule, case))


def _judged(rule: str, case: str) -> JudgedCase:
    found = json.loads((FIXTURES / rule / f"{case}.json").read_text(encoding="utf-8"))
    check = find_rule(rule)
    with tempfile.TemporaryDirectory() as folder:
        facts = facts_of(found, Path(folder))
        judged = judge(check, facts)
        # What the tables behind the facts read on first use was read when it was judged.
        with no_io():
            said = list(check(facts))
    hits = tuple(one for one in said if isinstance(one, Hit))
    gaps = {(one.resource.self_link, one.reason) for one in said if isinstance(one, Gap)}
    return JudgedCase(
        hits=hits,
        gap_count=len(gaps),
        findings=answer(facts, [(check.rule, hits)]).findings,
        lacking=tuple(one for one in judged.not_evaluated if one.kind != "gap"),
    )


def hits_of_bad_case(rule: str, case: str) -> tuple[Hit, ...]:
    """Return what a rule says of one of its bad fixtures."""
    return judged_case(rule, case).hits


def hits_of_rule(rule: str) -> tuple[Hit, ...]:
    """Return what a rule says of all its bad fixtures, in order."""
    return tuple(hit for _, _, hit in _hits(of for of in BAD_CASES if of[0] == rule))


def hits_of_bad_cases() -> tuple[tuple[str, str, Hit], ...]:
    """Return (rule, case, hit) of all bad fixtures, in order."""
    return tuple(_hits(BAD_CASES))


def _hits(cases: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, Hit]]:
    for rule, case in cases:
        yield from ((rule, case, hit) for hit in hits_of_bad_case(rule, case))
