"""What the rules say of themselves: pages for readers, and what reports tell of each."""

from netplan_planner.renderers.options import RuleInfo
from netplan_rules import docs
from netplan_rules.registry import all_rules, find_rule, select_rules


def rule_page(name: str, *, is_markdown: bool, width: int) -> str:
    """Return the page of one rule; `width` in columns is of the plain one.

    Raises:
        UsageError: If no rule has that id.
    """
    check = find_rule(name)
    return docs.page(check) if is_markdown else docs.plain_page(check, width)


def rule_list(*, is_markdown: bool, width: int | None) -> str:
    """Return all rules: the whole reference as Markdown, else a line each; None: never cut."""
    return docs.reference() if is_markdown else docs.listing(width)


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
