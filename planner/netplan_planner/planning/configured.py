"""What a configuration file and a team's own rules add to a request: one way for all verbs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from netplan_planner.asks import CHOICE, Ask, Paths
from netplan_planner.config import (
    declared_links,
    declared_targets,
    rule_thresholds,
)
from netplan_planner.world.settings import check_settings, declared_set_ups
from netplan_rules.own import use_folders

RulesPath = Annotated[
    Paths,
    Ask(
        "Folder with rules of your own, whose code is run; not in netplan.toml.",
        metavar="DIR",
        panel=CHOICE,
        is_expert=True,
    ),
]


def configured(
    file: Path | None, rules_path: Sequence[Path] | None = None, *, has_links: bool = True
) -> dict[str, Any]:
    """Return what a configuration file says of a request: thresholds, targets, links, settings.

    Args:
        file: The configuration; None: there is none.
        rules_path: Folders of own rules, which judge from now on; None: of a verb that loads none,
            which leaves out what the file says of such rules.
        has_links: Whether links are among the fields.

    Raises:
        UsageError: If the file sets a rule that is not there, or cannot be read.
    """
    use_folders(tuple(rules_path or ()))
    if file is None:
        return {}
    lost = check_settings(file, takes_own=rules_path is None)
    kept = tuple(one for one in rule_thresholds(file) if one[0] not in lost)
    links = {"links": declared_links(file)} if has_links else {}
    return {"thresholds": kept, "targets": declared_targets(file), **links, **set_ups(file)}


def set_ups(file: Path | None) -> dict[str, Any]:
    """Return the field of a request with the declared settings of machines."""
    return {} if file is None else {"set_ups": declared_set_ups(file)}
