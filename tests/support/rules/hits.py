"""The hits of bad rule fixtures, computed once for all tests that look at them."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from netplan_planner.model import Hit
from netplan_rules.registry import find_rule
from support.made_once import made_once
from support.rules.fixtures import FIXTURES, facts_of

BAD_CASES = tuple((path.parent.name, path.stem) for path in sorted(FIXTURES.glob("*/bad*.json")))
"""Rule and name of every bad fixture."""


@cache
def hits_of_bad_case(rule: str, case: str) -> tuple[Hit, ...]:
    """Return what a rule says of one of its bad fixtures."""
    return made_once(f"hits-{rule}-{case}", lambda: _said_of(rule, case))


def _said_of(rule: str, case: str) -> tuple[Hit, ...]:
    found = json.loads((FIXTURES / rule / f"{case}.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        said = find_rule(rule)(facts_of(found, Path(folder)))
        return tuple(hit for hit in said if isinstance(hit, Hit))


def hits_of_rule(rule: str) -> tuple[Hit, ...]:
    """Return what a rule says of all its bad fixtures, in order."""
    return tuple(hit for _, _, hit in _hits(of for of in BAD_CASES if of[0] == rule))


def hits_of_bad_cases() -> tuple[tuple[str, str, Hit], ...]:
    """Return (rule, case, hit) of all bad fixtures, in order."""
    return tuple(_hits(BAD_CASES))


def _hits(cases: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, Hit]]:
    for rule, case in cases:
        yield from ((rule, case, hit) for hit in hits_of_bad_case(rule, case))
