"""Imports stand at the top of a module, but for those that docs/adr/0015 names with a reason."""

import ast
import re
from collections.abc import Iterator

from support.commands.run import ROOTS

NAMED = {
    "netplan_planner/cli/__init__.py: main": 3,
    "netplan_planner/traffic/spark/submitted.py: _told": 2,
    "netplan_planner/traffic/spark/submitted.py: session": 1,
    "netplan_rules/placement/_communities.py: _communities": 1,
}
"""By file and function, how many imports stand in it."""
INDENTED = re.compile(rb"^[ \t]+(?:from|import)\s|[:;] *(?:from|import)\s", re.MULTILINE)
"""What may be such an import; most files have none, and are not parsed."""


def in_functions() -> Iterator[str]:
    """Yield file and innermost function of each import that stands in a function."""
    for root in ROOTS:
        for file in sorted(root.rglob("*.py")):
            name = file.relative_to(root).as_posix()
            if name.startswith("netplan_") and INDENTED.search(source := file.read_bytes()):
                yield from (f"{name}: {one}" for one in _of(ast.parse(source), ""))


def _of(node: ast.AST, function: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom) and function:
            yield function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _of(child, child.name)
        else:
            yield from _of(child, function)


def test_imports_in_functions_are_named() -> None:
    found = list(in_functions())
    assert {one: found.count(one) for one in found} == NAMED
