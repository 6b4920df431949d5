"""What `netplan rules` is asked."""

from typing import Annotated

from netplan_planner.asks import Ask, Request


class RulesAsk(Request, frozen=True, kw_only=True):
    """Which rules, in which form."""

    name: Annotated[
        str | None, Ask("Id of a rule: print its page.", metavar="RULE", is_argument=True)
    ] = None
    is_markdown: Annotated[
        bool,
        Ask(
            "Print the page, or the whole reference, as it stands in rules/README.md.",
            "--markdown",
        ),
    ] = False
