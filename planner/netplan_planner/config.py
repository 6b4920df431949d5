"""netplan.toml: option defaults per verb, thresholds per rule, declared targets.

    [audit]                      # option defaults, named as the options: memory-limit = "2GB"
    [rules.egress-cap-saturated] # thresholds: p95_ratio = 0.85
    [severity]                   # what a finding must be worth: high_usd_per_month = 500
    [targets]                    # wanted egress: "projects/p/zones/z/instances/n" = "10 Gbps"
    [links]                      # of hosts elsewhere, by their addresses: "10.1.0.0/24" = "1 Gbps"
    [tcp]                        # settings of VMs: "db-*" = { receive_buffer_bytes = 67108864 }

The same keys may stand under `[tool.netplan]` in pyproject.toml. The command line wins over
`NETPLAN_*` variables, these over the file, the file over the built-in defaults.
"""

import re
from datetime import date, datetime, time
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from netplan_planner import units
from netplan_planner.errors import UsageError
from netplan_planner.input_files import toml_file, unreadable, whole

_SEVERITY = "severity"
_NOT_VERBS = frozenset({"rules", "targets", "links", "tcp", _SEVERITY})
_MOST = 1e15
"""More than any threshold can mean, in any unit."""


def find_config(folder: Path) -> Path | None:
    """Return `netplan.toml` of `folder`, else a pyproject.toml with `[tool.netplan]`, else None.

    Raises:
        UsageError: If there is a pyproject.toml that cannot be read.
    """
    own = folder / "netplan.toml"
    if own.is_file():
        return own
    project = folder / "pyproject.toml"
    try:
        is_ours = project.is_file() and b"[tool.netplan" in whole(project)
    except OSError as exc:
        raise UsageError(str(unreadable(project, exc))) from exc
    return project if is_ours else None


def load_table(path: Path) -> dict[str, Any]:
    """Return the configuration table of a file.

    Raises:
        UsageError: If the file is missing or not TOML.
    """
    table = toml_file(path)
    if path.name == "pyproject.toml":
        table = _section(path, _section(path, table, "tool"), "netplan")
    return table


def _section(path: Path, table: dict[str, Any], name: str) -> dict[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{path}: [{name}] must be a table")
    return found


def option_defaults(path: Path) -> dict[str, Any]:
    """Return the option defaults of every verb: tables of values as options are given."""

    def as_given(value: Any) -> Any:
        if isinstance(value, dict):
            return {key.replace("_", "-"): as_given(inner) for key, inner in value.items()}
        # TOML has dates of its own; options are texts that are read as dates.
        return value.isoformat() if isinstance(value, date | datetime | time) else value

    own = {key: value for key, value in load_table(path).items() if key not in _NOT_VERBS}
    given: dict[str, Any] = as_given(own)
    if any("rules-path" in one for one in given.values() if isinstance(one, dict)):
        # The file comes with a repository, which somebody else may have written.
        raise UsageError(f"{path}: rules-path runs code: give --rules-path on the command line")
    return given


def holds_settings(path: Path) -> bool:
    """Return whether a file says something that is no option of a verb.

    Raises:
        UsageError: If it is missing or not TOML.
    """
    return not _NOT_VERBS.isdisjoint(load_table(path))


def rule_thresholds(path: Path) -> tuple[tuple[str, str, float], ...]:
    """Return the thresholds that a file sets, as (rule, name, value).

    The steps of `[severity]` are among them, under the name of their section.

    Raises:
        UsageError: If `[rules.<id>]` or `[severity]` is not a table of numbers.
    """
    found: list[tuple[str, str, float]] = []
    sections = dict(sorted(table_of(path, "rules").items()))
    steps = table_of(path, _SEVERITY)
    for rule, values in {**sections, **({_SEVERITY: steps} if steps else {})}.items():
        where = rule if rule == _SEVERITY else f"rules.{rule}"
        if not isinstance(values, dict):
            raise UsageError(f"{path}: [{where}] must be a table of thresholds")
        for name, value in sorted(values.items()):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 <= value < _MOST:
                raise UsageError(f"{path}: [{where}] {name} must be a number >= 0, not {value!r}")
            found.append((rule, name, float(value)))
    return tuple(found)


def declared_targets(path: Path) -> tuple[tuple[str, float, str], ...]:
    """Return the wanted egress of `[targets]` as (pattern, Gbit/s, where it stands).

    Raises:
        UsageError: If a value is not a rate such as `"10 Gbps"`, `"500 Mbps"` or a number of
            Gbit/s.
    """
    return tuple(
        (pattern, _rate_gbps(f"{path}: [targets] {pattern!r}", value), f"{path.name} [targets]")
        for pattern, value in sorted(table_of(path, "targets").items())
    )


def declared_links(path: Path) -> tuple[tuple[str, float, str], ...]:
    """Return the links of `[links]` as (range of addresses, Gbit/s, where it stands).

    Raises:
        UsageError: If a name is no range of addresses, or a value no rate.
    """
    found = []
    for text, value in sorted(table_of(path, "links").items()):
        try:
            ip_network(text)
        except ValueError as error:
            raise UsageError(f"{path}: [links] {text!r}: {error}") from error
        gbps = _rate_gbps(f"{path}: [links] {text!r}", value)
        found.append((text, gbps, f"{path.name} [links]"))
    return tuple(found)


def table_of(path: Path, name: str) -> dict[str, Any]:
    """Return a section of a configuration file that holds no options; empty where it has none."""
    return _section(path, load_table(path), name)


def _rate_gbps(where: str, value: object) -> float:
    text = f"{value} Gbps" if isinstance(value, int | float) else str(value)
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([GM])(?:bps|bit/s)\s*", text)
    rate = float(match[1]) / (1 if match[2] == "G" else units.MEGABITS_PER_GIGABIT) if match else 0
    if rate <= 0:
        raise UsageError(f'{where}: must be a rate above 0 such as "10 Gbps", not {value!r}')
    return rate
