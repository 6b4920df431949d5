"""What `netplan rules` answers: the list of rules, or the page of one."""

from netplan_planner.model.base import Value


class RuleThreshold(Value, frozen=True, kw_only=True):
    """A number that a rule judges by and that a configuration may set."""

    name: str
    default: float
    unit: str
    allowed: str
    """Its range, in words."""
    about: str


class Work(Value, frozen=True, kw_only=True):
    """What it takes to follow a rule's advice, in sentences."""

    effort: str
    """How much is to be done, and on how many places."""
    restart: str
    """What stops and starts with it."""
    undo: str
    """How to go back, or that there is no way back."""
    window: str
    """What time it needs in which something may stand still."""


class RuleText(Value, frozen=True, kw_only=True):
    """What is said of a rule. Texts are Markdown with code spans and emphasis only."""

    id: str
    title: str
    rationale: str
    """What is lost, and why it happens."""
    remediation: str
    """What to do, in general; a hit says it for its place."""
    guards: str
    """When it keeps silent although the pattern is there."""
    work: Work
    """What following it takes; kinds that rules share stand in `work`."""
    references: tuple[str, ...]
    """The pages that it rests on, the most telling first."""


class RulePage(RuleText, frozen=True, kw_only=True):
    """All that is known of one rule. Texts are Markdown with code spans and emphasis only."""

    severity: str
    area: str
    needs: tuple[str, ...]
    since: str
    thresholds: tuple[RuleThreshold, ...]
    aliases: tuple[str, ...]


class RuleList(Value, frozen=True, kw_only=True):
    """Every rule, in the order of their areas and ids."""

    rules: tuple[RulePage, ...]
