"""The rule reference: all rules, or the page of one."""

from netplan_planner.judging.judged import reference_page, rule_list, rule_page
from netplan_planner.model import RuleList, RulePage
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import unbroken
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.rules.ask import RulesAsk
from netplan_planner.verbs.rules.scaffold import new_rule
from netplan_rules.own import use_folders
from netplan_rules.registry import unloaded_rules


def shown(
    ask: RulesAsk,
    found: RuleList | RulePage,
    options: RenderOptions,
    now: Now,
) -> RenderOptions:
    """Return how rules are shown: a list with a line a rule."""
    del ask, now
    return unbroken(options) if isinstance(found, RuleList) else options


@verb(
    panel=panels.AUDIT,
    question="What does the audit look for, and why?",
    ends=always_well,
    shows=shown,
)
def rules(ask: RulesAsk, now: Now) -> RuleList | RulePage | str:
    """List the rules, or print the page of one: reason, fix, guards and thresholds."""
    if ask.name == "new":
        use_folders(())
        return new_rule(ask.new, ask.rules_path)
    use_folders(ask.rules_path)
    if ask.is_markdown:
        return f"{reference_page(ask.name)}\n"
    if ask.name is not None:
        return rule_page(ask.name)
    for name, why in unloaded_rules():
        now.warn(f"{name}: {why}")
    return rule_list()
