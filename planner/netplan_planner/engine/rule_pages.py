"""What reports tell of each rule, and which names are those of rules."""

from netplan_planner.renderers.options import RuleInfo
from netplan_rules.registry import all_rules, select_rules


def rule_infos() -> tuple[RuleInfo, ...]:
    """Return what a report says of each rule beside its findings."""
    return tuple(
        RuleInfo(
            id=check.rule.id,
            title=check.rule.title,
            severity=check.rule.severity,
            area=check.area,
            rationale=check.rule.rationale,
            remediation=check.rule.remediation,
            help_uri=check.rule.references[0],
            guards=check.rule.guards,
        )
        for check in all_rules()
    )


def check_rule_names(names: tuple[str, ...]) -> None:
    """Refuse a name that is neither a rule nor an area.

    Raises:
        UsageError: With the names that come near.
    """
    select_rules(names, ())
