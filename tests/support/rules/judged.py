"""What checks find in facts, and the answer that is made of it."""

from netplan_planner.judging.fixes import Answer, answer
from netplan_planner.model import Facts, Hit
from netplan_rules.base import Check


def hits_of(check: Check, facts: Facts) -> tuple[Hit, ...]:
    """Return what a check finds, without the gaps that it names."""
    return tuple(said for said in check(facts) if isinstance(said, Hit))


def judged(facts: Facts, *checks: Check) -> Answer:
    """Return the answer to the findings of some checks."""
    return answer(facts, [(check.rule, hits_of(check, facts)) for check in checks])
