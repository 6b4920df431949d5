"""What several verbs take beside what they read: a currency, and the configuration file."""

from typing import Annotated, NamedTuple

from netplan_planner.asks import INPUT, Ask
from netplan_planner.cli.state import state
from netplan_planner.config import declared_links, declared_targets, rule_thresholds

CurrencyCode = Annotated[
    str | None,
    Ask(
        "Show amounts in this currency, at the rate that the API returned"
        " (`netplan prices refresh --currency`); data formats stay in dollars.",
        "--currency",
        metavar="CODE",
        panel=INPUT,
    ),
]


class Configured(NamedTuple):
    """What a configuration file says beside the defaults of options."""

    thresholds: tuple[tuple[str, str, float], ...] = ()
    targets: tuple[tuple[str, float, str], ...] = ()
    links: tuple[tuple[str, float, str], ...] = ()


def configured() -> Configured:
    """Return the thresholds, targets and links of the configuration file."""
    path = state.config_path
    if path is None:
        return Configured()
    return Configured(rule_thresholds(path), declared_targets(path), declared_links(path))
