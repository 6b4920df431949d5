"""The verbs that are there, found without importing them.

Each has a folder in `netplan_planner.verbs`, or a module or folder beside this one.

A verb says its task and the question that it answers, which is its line of the help page, where it
is marked as one or registers itself with the command. Both are read from there as text: to import
all would cost each a second.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_name, get_group

from netplan_planner import verbs
from netplan_planner.cli import help_page
from netplan_planner.streams import libraries_apart
from netplan_planner.verbs import panels

# Groups of commands whose modules are imported when a command is called, not before
#
# So a verb imports what it needs at the top of its module, and the others pay nothing for it. The
# help page of a group shows the line of the table.


_FRAME = "netplan_planner.cli.commands"
"""It imports the command, which imports this module."""


class Run(NamedTuple):
    """The function that a verb is."""

    module: str
    name: str


class Verb(NamedTuple):
    """A command that is not imported yet."""

    help: str
    """Its line on the help page of its group."""
    modules: tuple[str, ...]
    """What to import so that the command registers itself with all that is below it."""
    panel: str = ""
    """The task under which it stands there."""
    runs: tuple[Run, ...] = ()
    """Its functions, which `cli/commands.py` makes commands of; none: its modules register it."""


class LazyGroup(TyperGroup):
    """A group whose commands come from a table."""

    verbs: ClassVar[Mapping[str, Verb]] = {}
    """By name, in the order of the help page."""
    registry: ClassVar[typer.Typer]
    """With which the modules register their commands."""

    def __init__(self, **attributes: Any) -> None:
        """Make the group; none of its modules is imported."""
        super().__init__(**attributes)
        self.commands = _Commands(self.load, self.verbs)
        self._is_listing = False

    def load(self, name: str) -> Any:
        """Return the command of a name, imported with all that is below it."""
        verb = self.verbs[name]
        for module in verb.modules:
            import_module(module)
        if verb.runs:
            import_module(_FRAME).register(name, verb)
        command = _made(self.registry, name)
        prepare(command)
        return command

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of the help page."""
        return [*self.commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; while the help page is written, what it shows of the command."""
        if self._is_listing and cmd_name in self.verbs:
            verb = self.verbs[cmd_name]
            return TyperCommand(cmd_name, help=verb.help, rich_help_panel=verb.panel or None)
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False


class _Commands(dict[str, Any]):
    """Commands by name, each loaded when it is looked at."""

    def __init__(self, load: Callable[[str], Any], names: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(names))
        self._load = load

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if found is None:
            with libraries_apart():
                found = self[name] = self._load(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            return default
        return self[name]

    def values(self) -> Any:
        return [self[name] for name in self]

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


def prepare(command: Any) -> None:
    """Let a command and those below it say what they take; a lazy group does so for its own.

    What libraries print while one of them runs is none of its answer.
    """
    help_page.attach(command)
    if command.callback is not None:
        command.callback = libraries_apart()(command.callback)
    if not isinstance(command, LazyGroup):
        for inner in getattr(command, "commands", {}).values():
            prepare(inner)


def _made(registry: typer.Typer, name: str) -> Any:
    """Return the one command or group that was registered by a name."""
    part = typer.Typer(add_completion=False, rich_markup_mode=registry.rich_markup_mode)
    part.registered_groups = [one for one in registry.registered_groups if one.name == name]
    part.registered_commands = [
        one
        for one in registry.registered_commands
        if (one.name or get_command_name(one.callback.__name__ if one.callback else "")) == name
    ]
    return get_group(part).commands[name]


# The verbs that are there, found without importing them


_MARK = "rich_help_panel=panels."
"""In modules of verbs only; looking for it is what most modules cost."""
_RUN = re.compile(
    r'^@verb\(\s*panel=panels\.(\w+)(?:,\s*question="([^"]+)",?)?.*?^def (\w+)\(', re.M | re.S
)
"""Of a verb of `verbs`: its task, its question, and a function; in a group of commands the first
says the question."""
_GROUP = re.compile(r"^app\.add_typer\(.*rich_help_panel=panels\.(\w+)\)", re.M)
_GROUP_HELP = re.compile(r'^\w+ = typer\.Typer\([^)]*?\bhelp="([^"]+)"', re.M)
"""A verb of several commands: its task, and its line."""
_ALONE = re.compile(
    r'^@app\.command\("[\w-]+", rich_help_panel=panels\.(\w+), short_help="([^"]+)"\)', re.M
)
"""A verb of one command that is part of the frame: the same."""


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
            runs = tuple(Run(f"{package}.{own}.run", name) for _, _, name in told)
            task, question, _ = told[0]
            found[own.replace("_", "-")] = Verb(question, (), getattr(panels, task), runs)
    return found


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
    if alone := _ALONE.search(source):
        return Verb(alone[2], (module,), getattr(panels, alone[1]))
    group, line = _GROUP.search(source), _GROUP_HELP.search(source)
    if group is None or line is None:
        return None
    return Verb(line[1], (module,), getattr(panels, group[1]))


VERBS = _by_task(
    {
        **verbs_in(Path(__file__).parent, __package__),
        **runs_in(Path(verbs.__file__).parent, verbs.__name__),
    }
)
"""By name, in the order of the help page."""
