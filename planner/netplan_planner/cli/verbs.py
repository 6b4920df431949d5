"""The verbs that are there: one a module or folder beside this one, found without importing it.

A verb says its task and its line of the help page where it registers itself with the command, and
both are read from there as text: to import all verbs would cost each of them a second.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from netplan_planner.cli import panels
from netplan_planner.cli.lazy import Verb

_MARK = "rich_help_panel=panels."
"""In modules of verbs only; looking for it is what most modules cost."""
_COMMAND = re.compile(
    r'^@app\.command\(rich_help_panel=panels\.(\w+)\)\n.*?^    """(.+?)(?:\n\n|""")', re.M | re.S
)
"""A verb that is a function: its task, and the first paragraph of its docstring."""
_GROUP = re.compile(r"^app\.add_typer\(.*rich_help_panel=panels\.(\w+)\)", re.M)
_GROUP_HELP = re.compile(r'^\w+ = typer\.Typer\([^)]*?\bhelp="([^"]+)"', re.M)
"""A verb of several commands: its task, and its line."""


def verbs_in(folder: Path, package: str) -> Mapping[str, Verb]:
    """Return the verbs whose modules stand in the folder of a package, by task, then by name."""
    found: dict[str, Verb] = {}
    for path in sorted(folder.iterdir()):
        file = path / "__init__.py" if path.is_dir() else path
        verb = _verb(file.read_text("utf-8"), f"{package}.{path.stem}") if _is_code(file) else None
        if verb is not None:
            found[path.stem.replace("_", "-")] = verb
    tasks = panels.IN_ORDER
    return dict(sorted(found.items(), key=lambda item: tasks.index(item[1].panel)))


def _is_code(file: Path) -> bool:
    return file.suffix == ".py" and file.is_file()


def _verb(source: str, module: str) -> Verb | None:
    """Return the verb that a module registers; None: it is no verb's."""
    if _MARK not in source:
        return None
    group, line = _GROUP.search(source), _GROUP_HELP.search(source)
    if group is not None and line is not None:
        task, text = group[1], line[1]
    else:
        command = _COMMAND.search(source)
        if command is None:
            return None
        task, text = command[1], command[2]
    return Verb(" ".join(text.split()), (module,), getattr(panels, task))


VERBS = verbs_in(Path(__file__).parent, __package__)
"""By name, in the order of the help page."""
