"""Rules of a team: folders laid out as this package is, and packages that name themselves.

`DIR/AREA/some_rule.py` with `some_rule.toml` beside it, as `netplan_rules/AREA` has them. A package
is found by the entry point group `netplan.rules`; it is such a folder. Code of both is run, so that
a folder is named on the command line alone. What fails is named, and the rest goes on.
"""

import importlib.util
import re
import sys
from contextvars import ContextVar
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_line
from netplan_rules.base import Check

GROUP = "netplan.rules"
_PACKAGE = "netplan_own_rules"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FOLDERS: ContextVar[tuple[Path, ...]] = ContextVar("folders", default=())


class OwnRules(NamedTuple):
    """What was loaded, and what failed."""

    checks: tuple[Check, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    """`AREA/ID` or the name of an entry point, and why."""


def use_folders(folders: tuple[Path, ...]) -> None:
    """Let the rules of these folders be among all rules, and those of no others.

    Raises:
        UsageError: If one is no folder.
    """
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"--rules-path {inert_line(str(folder))}: no such folder")
    _FOLDERS.set(tuple(folder.resolve() for folder in folders))


def own_rules() -> OwnRules:
    """Return the rules of the folders in use and of installed packages."""
    return _loaded(_FOLDERS.get())


@cache
def _loaded(folders: tuple[Path, ...]) -> OwnRules:
    checks: list[Check] = []
    failed: list[tuple[str, str]] = []
    named = [(str(number), folder) for number, folder in enumerate(folders)]
    for point in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        try:
            named.append((point.name, _folder_of(point)))
        except Exception as error:
            failed.append((point.name, _why(error)))
    for name, folder in named:
        for file in sorted(folder.glob("*/*.py")):
            if not (_NAME.fullmatch(file.stem) and _NAME.fullmatch(file.parent.name)):
                continue
            try:
                checks.append(_check(name, file))
            except Exception as error:
                failed.append((f"{file.parent.name}/{file.stem.replace('_', '-')}", _why(error)))
    return OwnRules(tuple(checks), tuple(failed))


def _folder_of(point: EntryPoint) -> Path:
    package = point.load()
    if not isinstance(package, ModuleType) or not hasattr(package, "__path__"):
        raise TypeError("the entry point names no package")
    return Path(next(iter(package.__path__)))


def _check(name: str, file: Path) -> Check:
    """Return the rule of a module; `rule_of` finds its words by the module's name."""
    module_name = f"{_PACKAGE}.{name}.{file.parent.name}.{file.stem}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise ImportError("no module of Python")
    module = sys.modules[module_name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    if not isinstance(module.check, Check):
        raise TypeError("`check` is no rule: decorate it with @RULE")
    return module.check


def _why(error: Exception) -> str:
    return f"the rule could not be loaded: {type(error).__name__}: {error}"[:500]
