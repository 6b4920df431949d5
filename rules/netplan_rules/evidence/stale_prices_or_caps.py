"""A price snapshot or caps table that is older than it should be."""

from collections.abc import Iterator
from datetime import date

from netplan_planner.model import Evidence, Facts, Fix, Hit, Need, ResourceRef, SelfLink, Severity
from netplan_planner.units import counted
from netplan_rules.base import Rule, Threshold
from netplan_rules.work import READ_AGAIN

RULE = Rule(
    id="stale-prices-or-caps",
    title="The price snapshot or the caps table is old",
    severity=Severity.INFO,
    needs=frozenset({Need.PRICES}),
    rationale="List prices of a region move by up to a sixth of all pairs in half a year, Spot"
    " prices within weeks, and new series appear; a decision on old prices may be wrong.",
    remediation="Refresh the prices (netplan prices refresh), or use a newer netplan.",
    guards="None beside the two ages, below which it is silent.",
    references=("https://cloud.google.com/skus",),
    work=READ_AGAIN,
    group_message="the price snapshot and the caps table are both old",
    thresholds=(
        Threshold(
            name="max_price_days",
            default=90.0,
            unit="days",
            about="age of the price snapshot from which the rule fires",
        ),
        Threshold(
            name="max_caps_days",
            default=180.0,
            unit="days",
            about="age of the newest source of the caps table from which the rule fires",
        ),
    ),
)

_REFRESH = "Refresh it: netplan prices refresh --out prices, then give it with --prices prices."


@RULE
def check(facts: Facts) -> Iterator[Hit]:
    """Yield one hit for each of the two tables that is too old."""
    prices = facts.prices.info
    for name, as_of, threshold, mend in (
        ("price snapshot", min(prices.as_of, prices.network_as_of), "max_price_days", _REFRESH),
        ("caps table", facts.caps.source_date, "max_caps_days", "Use a newer netplan."),
    ):
        age_days = (facts.today - as_of).days
        if age_days > facts.threshold(RULE.id, threshold):
            yield _hit(name, as_of, age_days, mend)


def _hit(name: str, as_of: date, age_days: int, mend: str) -> Hit:
    return Hit(
        resources=(ResourceRef(self_link=SelfLink(f"netplan/{name.replace(' ', '-')}")),),
        subject=name,
        message=f"the {name} is of {as_of.isoformat()}, {counted(age_days, 'day')} old",
        evidence=(
            Evidence(name="as_of", value=as_of.isoformat(), source=name),
            Evidence(name="age", value=age_days, unit="days"),
        ),
        fix=Fix(text=mend, label=f"newer {name}"),
    )
