"""The settings of the configuration file that are no options: thresholds and targets."""

from pathlib import Path

from netplan_planner.config import declared_targets, rule_thresholds
from netplan_rules.registry import declared_thresholds, thresholds
from netplan_rules.severity import SECTION

Setting = tuple[str, str, str]
"""Name, value with its unit, and where it comes from."""


def threshold_settings(path: Path | None) -> list[Setting]:
    """Return every threshold of every rule as it holds with a configuration file.

    Raises:
        UsageError: If the file names a threshold that no rule has.
    """
    overrides: dict[str, dict[str, float]] = {}
    for rule, name, value in rule_thresholds(path) if path is not None else ():
        overrides.setdefault(rule, {})[name] = value
    thresholds(overrides)  # refuses names that no rule has
    units = {(section, t.name): t for section, declared in declared_thresholds() for t in declared}
    return [
        (
            f"{rule if rule == SECTION else f'rules.{rule}'}.{name}",
            f"{overrides.get(rule, {}).get(name, threshold.default):g} {threshold.unit}",
            (path.name if path is not None else "")
            if name in overrides.get(rule, {})
            else "default",
        )
        for (rule, name), threshold in units.items()
    ]


def target_settings(path: Path | None) -> list[Setting]:
    """Return the wanted egress that a configuration file declares."""
    return [
        (f"targets.{pattern}", f"{gbps:g} Gbit/s", source)
        for pattern, gbps, source in (declared_targets(path) if path is not None else ())
    ]
