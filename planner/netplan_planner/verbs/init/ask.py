"""What `netplan init` is asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import INPUT, KEPT, OUTPUT, Ask, Request
from netplan_planner.planning.project import Projects


class InitAsk(Request, frozen=True, kw_only=True):
    """Where to search, and for which project."""

    projects: Projects = ()
    """None: the one of the credentials or of gcloud's configuration."""
    folder: Annotated[
        Path,
        Ask(
            "Folder to search for inputs; netplan.toml is written there.",
            "--dir",
            metavar="DIR",
            is_folder=True,
            panel=INPUT,
        ),
        KEPT,
    ] = Path()
    is_forced: Annotated[
        bool, Ask("Replace a netplan.toml that exists.", "--force", panel=OUTPUT)
    ] = False
