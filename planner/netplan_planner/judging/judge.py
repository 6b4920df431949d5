"""Runs one rule: what it found, and what it could not judge."""

from collections import defaultdict
from collections.abc import Iterable

from netplan_planner.model import Facts, Gap, Hit, NotEvaluated, Value
from netplan_rules.base import Check, Rule
from netplan_rules.needs import lacking

_EXAMPLES = 5


class Judgement(Value, frozen=True, kw_only=True):
    """What one rule said about one set of facts."""

    rule: Rule
    hits: tuple[Hit, ...]
    not_evaluated: tuple[NotEvaluated, ...]


def judge(check: Check, facts: Facts) -> Judgement:
    """Run one rule; what it lacks and a crash become `NotEvaluated`, never a pass."""
    rule = check.rule
    # Several needs of a rule may lack the same thing.
    missing = sorted({why for need in rule.needs if (why := lacking(need, facts))})
    if missing:
        note = NotEvaluated(rule=rule.id, reason="; ".join(missing), kind="missing-evidence")
        return Judgement(rule=rule, hits=(), not_evaluated=(note,))
    hits: list[Hit] = []
    gaps: list[Gap] = []
    try:
        for said in check(facts):
            (hits if isinstance(said, Hit) else gaps).append(said)  # type: ignore[arg-type]
    except Exception as error:
        reason = f"the rule crashed: {type(error).__name__}: {error}"
        note = NotEvaluated(rule=rule.id, reason=reason[:500], kind="crashed")
        return Judgement(rule=rule, hits=(), not_evaluated=(note,))
    return Judgement(rule=rule, hits=tuple(hits), not_evaluated=_gaps(rule, gaps))


def _gaps(rule: Rule, gaps: Iterable[Gap]) -> tuple[NotEvaluated, ...]:
    by_reason: dict[str, set[str]] = defaultdict(set)
    for gap in gaps:
        by_reason[gap.reason].add(gap.resource.self_link)
    return tuple(
        NotEvaluated(
            rule=rule.id,
            reason=reason,
            kind="gap",
            resource_count=len(links),
            examples=tuple(sorted(links)[:_EXAMPLES]),
        )
        for reason, links in sorted(by_reason.items())
    )
