"""netplan.toml: option defaults per verb, thresholds per rule, declared targets.

    [audit]                      # option defaults, named as the options: memory-limit = "2GB"
    [rules.egress-cap-saturated] # thresholds: p95_ratio = 0.85
    [targets]                    # wanted egress: "projects/p/zones/z/instances/n" = "10 Gbps"

The same keys may stand under `[tool.netplan]` in pyproject.toml. The command line wins over
`NETPLAN_*` variables, these over the file, the file over the built-in defaults.
"""

import tomllib
from pathlib import Path
from typing import Any

from netplan_planner.errors import UsageError


def find_config(folder: Path) -> Path | None:
    """Return `netplan.toml` of `folder`, else a pyproject.toml with `[tool.netplan]`, else None."""
    own = folder / "netplan.toml"
    if own.is_file():
        return own
    project = folder / "pyproject.toml"
    if project.is_file() and "[tool.netplan" in project.read_text(encoding="utf-8"):
        return project
    return None


def load_table(path: Path) -> dict[str, Any]:
    """Return the configuration table of a file.

    Raises:
        UsageError: If the file is missing or not TOML.
    """
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as exc:
        raise UsageError(f"{path}: cannot be read: {exc.strerror}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise UsageError(f"{path}: not valid TOML: {exc}") from exc
    if path.name == "pyproject.toml":
        table = table.get("tool", {}).get("netplan", {})
    return table


def option_defaults(path: Path) -> dict[str, Any]:
    """Return the option defaults of every verb, with keys as parameters (`memory_limit`)."""

    def as_parameters(table: dict[str, Any]) -> dict[str, Any]:
        return {
            key.replace("-", "_"): as_parameters(value) if isinstance(value, dict) else value
            for key, value in table.items()
        }

    own = {key: value for key, value in load_table(path).items() if key not in {"rules", "targets"}}
    return as_parameters(own)
