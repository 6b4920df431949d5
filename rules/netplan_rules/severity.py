"""Severity by harm: what is at stake raises or lowers the severity that a rule states.

Three measures, each with steps of its own: money that the fix saves a month, the share of what
binds that is in use, and traffic that takes the wrong way. The gravest step that one of them
reaches decides. Where none of them is known, the rule's own severity stands.
"""

from collections.abc import Callable
from decimal import Decimal

from netplan_planner import model
from netplan_planner.model import MOST_MEASURED_RATIO, Facts, Severity, Value, worded
from netplan_rules.base import Threshold, ratio_limit
from netplan_rules.wording import money

SECTION = "severity"
"""Of netplan.toml, and the name under which `Facts` holds the steps."""

STEPS = (
    Threshold(
        name="high_usd_per_month",
        default=1000.0,
        unit="USD/month",
        about="saving from which a finding is high",
    ),
    Threshold(
        name="medium_usd_per_month",
        default=100.0,
        unit="USD/month",
        about="saving from which it is at least medium",
    ),
    Threshold(
        name="low_usd_per_month",
        default=10.0,
        unit="USD/month",
        about="saving from which it is at least low; below it, money makes a finding info",
    ),
    ratio_limit(
        "high_used_ratio",
        0.8,
        "share of what binds in use at the 95th percentile (or declared as target) from which"
        " traffic counts as held back, and a finding is high",
    ),
    ratio_limit(
        "medium_used_ratio",
        0.5,
        "the same from which it is at least medium; below it, rates make a finding info",
    ),
    Threshold(
        name="medium_gib_per_month",
        default=102_400.0,
        unit="GiB/month",
        about="traffic on the wrong way from which a finding is at least medium (100 TiB)",
    ),
    Threshold(
        name="low_gib_per_month",
        default=1024.0,
        unit="GiB/month",
        about="the same from which it is at least low (1 TiB); below it, volume makes it info",
    ),
)


class Harm(Value, frozen=True, kw_only=True):
    """A severity and the step that decided it, in words."""

    severity: Severity
    reason: model.Text


def held_back_ratio(facts: Facts) -> float:
    """Return the share of a limit in use from which traffic counts as held back."""
    return facts.threshold(SECTION, "high_used_ratio")


def harm(
    facts: Facts,
    base: Severity,
    *,
    usd_per_month: Decimal | None,
    used_ratio: float | None,
    gib_per_month: Decimal | None,
) -> Harm:
    """Return how grave a finding is by what is at stake.

    Args:
        facts: For the steps.
        base: The rule's own severity, which stands where nothing is known.
        usd_per_month: What the fix saves; None or not above 0: money says nothing.
        used_ratio: Share of what binds that is in use; None: not known.
        gib_per_month: Traffic on the wrong way; None: the rule is not about traffic.
    """
    judged = []
    if usd_per_month is not None and usd_per_month > 0:
        amount = worded("saves ", money(usd_per_month), " a month")
        judged.append(_step(facts, float(usd_per_month), "usd_per_month", amount, _dollars))
    if used_ratio is not None:
        # Only a declared target can be far above what anything sends.
        used = (
            f"{used_ratio:.0%} of what binds is in use"
            if used_ratio <= MOST_MEASURED_RATIO
            else f"{used_ratio:.3g} times what binds is wanted"
        )
        judged.append(_step(facts, used_ratio, "used_ratio", used, "{:.0%}".format))
    if gib_per_month is not None:
        volume = f"{gib_per_month:,.1f} GiB a month"
        judged.append(
            _step(facts, float(gib_per_month), "gib_per_month", volume, "{:,.0f} GiB".format)
        )
    if not judged:
        reason = "the rule's own: neither money nor a rate nor a volume measures it"
        return Harm(severity=base, reason=reason)
    return min(judged, key=lambda one: one.severity.rank)


def _dollars(usd: float) -> model.Amount:
    return model.Amount(usd=Decimal(str(usd)), kind=model.AmountKind.LIMIT)


def _step(
    facts: Facts,
    value: float,
    measure: str,
    said: model.Text,
    form: Callable[[float], str | model.Amount],
) -> Harm:
    """Return the gravest step of one measure that a value reaches."""
    lowest: str | model.Amount = ""
    for severity in (Severity.HIGH, Severity.MEDIUM, Severity.LOW):
        name = f"{severity.value}_{measure}"
        if not any(step.name == name for step in STEPS):
            continue
        floor = facts.threshold(SECTION, name)
        lowest = form(floor)
        if value >= floor:
            reason = worded(said, f": {severity.value} from ", lowest, " on")
            return Harm(severity=severity, reason=reason)
    return Harm(severity=Severity.INFO, reason=worded(said, ", below ", lowest))
