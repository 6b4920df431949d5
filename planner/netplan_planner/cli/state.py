"""What the options before the verb say."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from netplan_planner.cli.live import Live


class State:
    """What the options before the verb say; commands read it."""

    quiet: bool = False
    explain: bool = False
    """Whether every number is to be explained."""
    config_path: Path | None = None
    explicit_config: bool = False
    debug: bool = False
    shows_all: bool = False
    """Whether a help page shows every option (`--help-all`)."""
    live: "Live | None" = None
    """Shows how far long work is; None where stderr is no terminal, or with `--quiet`."""


state = State()
