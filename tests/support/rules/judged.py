"""What checks find in facts, and the answer that is made of it."""

from datetime import date
from decimal import Decimal

from netplan_planner.judging.fixes import Answer, answer
from netplan_planner.model import Facts, Hit, LineItem, Saving
from netplan_rules.base import Check


def hits_of(check: Check, facts: Facts) -> tuple[Hit, ...]:
    """Return what a check finds, without the gaps that it names."""
    return tuple(said for said in check(facts) if isinstance(said, Hit))


def judged(facts: Facts, *checks: Check) -> Answer:
    """Return the answer to the findings of some checks."""
    return answer(facts, [(check.rule, hits_of(check, facts)) for check in checks])


def paid(usd: str, name: str = "what is paid") -> Saving:
    """Return a saving of so much a month, in one line."""
    each = Decimal(usd)
    item = LineItem(
        name=name,
        quantity=Decimal(1),
        unit="month",
        unit_price_usd=each,
        usd_per_month=each,
        as_of=date(2026, 4, 30),
        source="a page",
    )
    return Saving(items=(item,))
