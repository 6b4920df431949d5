"""What `netplan rules` is asked."""

from typing import Annotated

from netplan_planner.asks import COMMON, Ask, Request
from netplan_planner.planning.configured import RulesPath


class RulesAsk(Request, frozen=True, kw_only=True):
    """Which rules, in which form."""

    name: Annotated[
        str | None,
        Ask(
            "Print the page of this rule; `new`: write a rule of your own.",
            metavar="RULE",
            is_argument=True,
        ),
    ] = None
    new: Annotated[
        str | None,
        Ask(
            "After `new`: the rule to write into --rules-path.",
            metavar="AREA/ID",
            is_argument=True,
        ),
    ] = None
    is_markdown: Annotated[
        bool,
        Ask("Print the page, or the full reference, as in rules/README.md.", "--markdown"),
    ] = False
    rules_path: Annotated[RulesPath, COMMON] = ()
