"""A price snapshot or caps table that is older than it should be."""

from collections.abc import Iterator
from datetime import date

from netplan_planner.model import Evidence, Facts, Fix, Hit, Need, ResourceRef, SelfLink, Severity
from netplan_planner.units import counted
from netplan_rules.base import Threshold, rule_of
from netplan_rules.work import READ_AGAIN

RULE = rule_of(
    __name__,
    severity=Severity.INFO,
    needs=frozenset({Need.PRICES}),
    work=READ_AGAIN,
    is_note=True,
    thresholds=(
        Threshold(
            name="max_price_days",
            default=90.0,
            unit="days",
            about="maximum age of the price snapshot",
        ),
        Threshold(
            name="max_caps_days",
            default=180.0,
            unit="days",
            about="maximum age of the newest source of the caps table",
        ),
    ),
)

_REFRESH = "Update it: netplan prices refresh."


@RULE
def check(facts: Facts) -> Iterator[Hit]:
    """Yield one hit for each of the two tables that is too old."""
    prices = facts.prices.info
    for name, as_of, threshold, mend in (
        ("price snapshot", prices.oldest, "max_price_days", _REFRESH),
        ("caps table", facts.caps.source_date, "max_caps_days", "Use a newer netplan."),
    ):
        age_days = (facts.today - as_of).days
        if age_days > facts.threshold(RULE.id, threshold):
            yield _hit(name, as_of, age_days, mend)


def _hit(name: str, as_of: date, age_days: int, mend: str) -> Hit:
    return Hit(
        resources=(ResourceRef(self_link=SelfLink(f"netplan/{name.replace(' ', '-')}")),),
        subject=name,
        message=f"the {name} is {counted(age_days, 'day')} old ({as_of.isoformat()})",
        evidence=(
            Evidence(name="as_of", value=as_of.isoformat(), source=name),
            Evidence(name="age", value=age_days, unit="days"),
        ),
        fix=Fix(text=mend, label=f"newer {name}"),
    )
