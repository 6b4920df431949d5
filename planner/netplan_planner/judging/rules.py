"""`netplan rules`: the rules' metadata as answers."""

from netplan_planner.model import RuleList, RulePage, RuleThreshold, taken
from netplan_rules import docs
from netplan_rules.base import Check
from netplan_rules.registry import all_rules, find_rule, select_rules


def rule_list() -> RuleList:
    """Return every rule."""
    return RuleList(rules=tuple(map(_page, all_rules())))


def rule_page(name: str) -> RulePage:
    """Return what is known of a rule.

    Raises:
        UsageError: If no rule has the name; the text names the nearest.
    """
    return _page(find_rule(name))


def reference_page(name: str | None) -> str:
    """Return the page of a rule, or the whole reference, as Markdown of the documentation.

    Raises:
        UsageError: If no rule has the name.
    """
    text = docs.reference() if name is None else docs.page(find_rule(name))
    return text.rstrip("\n")


def check_rule_names(names: tuple[str, ...]) -> None:
    """Refuse a name that is neither a rule nor an area.

    Raises:
        UsageError: With the names that come near.
    """
    select_rules(names, ())


def _page(check: Check) -> RulePage:
    rule = check.rule
    return taken(
        RulePage,
        rule,
        severity=rule.severity.value,
        area=check.area,
        needs=tuple(sorted(need.value for need in rule.needs)),
        thresholds=tuple(taken(RuleThreshold, one) for one in rule.thresholds),
    )
