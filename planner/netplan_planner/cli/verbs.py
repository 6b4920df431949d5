"""The verbs that are there, found without importing them.

Each has a folder in `netplan_planner.verbs`, or a module or folder beside this one.

A verb says its task and its line of the help page where it is marked as one, or registers itself
with the command, and both are read from there as text: to import all would cost each a second.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from netplan_planner import verbs
from netplan_planner.cli.lazy import Run, Verb
from netplan_planner.verbs import panels

_MARK = "rich_help_panel=panels."
"""In modules of verbs only; looking for it is what most modules cost."""
_COMMAND = re.compile(
    r'^@app\.command\(rich_help_panel=panels\.(\w+)\)\n.*?^    """(.+?)(?:\n\n|""")', re.M | re.S
)
"""A verb that is a function: its task, and the first paragraph of its docstring."""
_RUN = re.compile(
    r'^@verb\(\s*panel=panels\.(\w+).*?^def (\w+)\(.*?^    """(.+?)(?:\n\n|""")', re.M | re.S
)
"""Of a verb of `verbs`: its task, a function, and the first paragraph of its docstring. A group of
commands has the line of its folder's docstring."""
_GROUP = re.compile(r"^app\.add_typer\(.*rich_help_panel=panels\.(\w+)\)", re.M)
_GROUP_HELP = re.compile(r'^\w+ = typer\.Typer\([^)]*?\bhelp="([^"]+)"', re.M)
"""A verb of several commands: its task, and its line."""


def verbs_in(folder: Path, package: str) -> Mapping[str, Verb]:
    """Return the verbs whose modules stand in the folder of a package, by name."""
    found: dict[str, Verb] = {}
    for path in sorted(folder.iterdir()):
        file = path / "__init__.py" if path.is_dir() else path
        verb = _verb(file.read_text("utf-8"), f"{package}.{path.stem}") if _is_code(file) else None
        if verb is not None:
            found[path.stem.replace("_", "-")] = verb
    return found


def runs_in(folder: Path, package: str) -> Mapping[str, Verb]:
    """Return the verbs that have folders in the folder of a package, by name."""
    found = {}
    for file in sorted(folder.glob("*/run.py")):
        told = _RUN.findall(file.read_text("utf-8"))
        if told:
            own = file.parent.name
            runs = tuple(Run(f"{package}.{own}.run", name) for _, name, _ in told)
            line = told[0][2]
            if _is_group(own, runs):
                line = (file.parent / "__init__.py").read_text("utf-8").split('"""')[1]
            text, panel = " ".join(line.split()), getattr(panels, told[0][0])
            found[own.replace("_", "-")] = Verb(text, (), panel, runs)
    return found


def _is_group(folder: str, runs: Sequence[Run]) -> bool:
    """Return whether a verb has commands below it: functions of other names than its folder."""
    return [run.name for run in runs] != [folder]


def _by_task(found: Mapping[str, Verb]) -> Mapping[str, Verb]:
    """Return verbs in the order of the help page: by task, then by name."""
    tasks = panels.IN_ORDER
    return dict(sorted(found.items(), key=lambda item: (tasks.index(item[1].panel), item[0])))


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


VERBS = _by_task(
    {
        **verbs_in(Path(__file__).parent, __package__),
        **runs_in(Path(verbs.__file__).parent, verbs.__name__),
    }
)
"""By name, in the order of the help page."""
