"""Every hit of every bad rule fixture, computed once for all tests that look at hits."""

import json
import tempfile
from functools import cache
from pathlib import Path

from netplan_planner.model import Hit
from netplan_rules.registry import find_rule
from support.rule_fixtures import FIXTURES, facts_of


@cache
def hits_of_bad_cases() -> tuple[tuple[str, str, Hit], ...]:
    """Return (rule, case, hit) of all bad fixtures, in order."""
    found: list[tuple[str, str, Hit]] = []
    for path in sorted(FIXTURES.glob("*/bad*.json")):
        rule = path.parent.name
        with tempfile.TemporaryDirectory() as folder:
            facts = facts_of(json.loads(path.read_text(encoding="utf-8")), Path(folder))
            said = find_rule(rule)(facts)
            found += [(rule, path.stem, hit) for hit in said if isinstance(hit, Hit)]
    return tuple(found)
