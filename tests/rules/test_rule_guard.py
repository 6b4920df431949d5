"""The guard on rules fires: what a rule must not do, done on purpose."""

import ast
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import netplan_rules
from netplan_planner.judging.judged import judge
from netplan_planner.model import Facts, Hit, Need, PathClass, Severity
from netplan_rules.base import Check, Rule
from netplan_rules.work import READ_AGAIN
from support.listed import listed
from support.rules.facts import facts_of, machine
from support.rules.no_io import no_io

SOURCES = sorted(Path(netplan_rules.__file__).parent.glob("*/*.py"))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    file = tmp_path / "file.txt"
    file.write_text("text")
    return file


ACTS: dict[str, Callable[[Path], object]] = {
    "reads a file": lambda file: file.read_text(),
    "reads bytes": lambda file: file.read_bytes(),
    "opens by number": lambda file: os.open(file, os.O_RDONLY),
    "writes a file": lambda file: file.with_name("new.txt").write_text("x"),
    "lists a folder": lambda file: list(file.parent.iterdir()),
    "makes a folder": lambda file: file.with_name("new").mkdir(),
    "removes a file": lambda file: file.unlink(),
    "renames a file": lambda file: file.rename(file.with_name("other.txt")),
    "copies a file": lambda file: shutil.copyfile(file, file.with_name("copy.txt")),
    "makes a temporary file": lambda file: tempfile.mkstemp(dir=file.parent),
    "opens a socket": lambda file: socket.socket(),
    "looks up a host": lambda file: socket.getaddrinfo("127.0.0.1", 1),
    "starts a process": lambda file: subprocess.run(["true"], check=False),
    "runs a shell": lambda file: os.system("true"),
    "changes the environment": lambda file: os.environ.__setitem__("NETPLAN_X", "1"),
}


def rule_that(act: Callable[[], object]) -> Check:
    """Return a rule that does something it must not do."""

    def check(facts: Facts) -> Iterator[Hit]:
        act()
        yield from ()

    rule = Rule(
        id="does-io",
        title="Does I/O",
        severity=Severity.INFO,
        needs=frozenset({Need.INVENTORY}),
        rationale="A guard that nobody has seen fire is none.",
        remediation="None.",
        guards="None.",
        references=(),
        work=READ_AGAIN,
        since="0.1.0",
    )
    return rule(check)


@pytest.mark.parametrize("act", ACTS)
def test_a_rule_that_does_io_is_caught(act: str, target: Path) -> None:
    before = sorted(target.parent.iterdir())
    check, facts = rule_that(lambda: ACTS[act](target)), facts_of(machine("one"))
    with no_io(), pytest.raises(AssertionError, match="a rule does I/O"):
        list(check(facts))
    assert sorted(target.parent.iterdir()) == before, "the guard came too late"
    assert "NETPLAN_X" not in os.environ


def test_the_guard_stands_for_its_block_only(target: Path) -> None:
    with no_io():
        pass
    assert target.read_text() == "text"
    with pytest.raises(ZeroDivisionError), no_io():
        _ = 1 / 0
    assert target.read_text() == "text"
    # Nested guards fall one by one.
    with no_io():
        with no_io():
            pass
        with pytest.raises(AssertionError):
            target.read_text()
    assert target.read_text() == "text"


def test_pure_work_passes_the_guard() -> None:
    facts = facts_of(machine("a"), machine("b"), talk=(("a", "b", PathClass.INTERNET, 1.0),))
    with no_io():
        list(rule_that(lambda: sum(range(1000)))(facts))


def test_what_the_guard_raises_is_a_crash_and_never_a_pass(target: Path) -> None:
    facts = facts_of(machine("one"))
    with no_io():
        judged = judge(rule_that(target.read_text), facts)
    (note,) = judged.not_evaluated
    assert note.kind == "crashed"
    assert "a rule does I/O" in note.reason


ALLOWED_MODULES = {
    *("collections", "collections.abc", "datetime", "decimal", "fnmatch", "functools", "ipaddress"),
    *("itertools", "math", "msgspec.structs", "networkx", "operator", "re", "typing"),
}
"""What rules import besides this project; no clock, no chance and no files are among it."""

FORBIDDEN_NAMES = {"open", "input", "print", "exec", "eval", "compile", "__import__", "id", "hash"}
CLOCKS = {"now", "utcnow", "today", "fromtimestamp"}


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            rooms = {"netplan_planner", "netplan_rules"}
            yield from (
                f"{node.module}.{alias.name}" if node.module in rooms else node.module or ""
                for alias in node.names
            )


def _bare_number(node: ast.Compare) -> float | None:
    """Return a number that decides, 0 and 1 apart; None when there is none."""
    for side in (node.left, *node.comparators):
        operand = side.operand if isinstance(side, ast.UnaryOp) else side
        value = operand.value if isinstance(operand, ast.Constant) else None
        if isinstance(value, int | float) and value not in (0, 1):
            return value
    return None


def _faults(text: str) -> list[str]:
    """Return what a rule's source does that the guard at run time might not see."""
    tree = ast.parse(text)
    faults = [
        f"imports {name}"
        for name in _imports(tree)
        if name not in ALLOWED_MODULES
        and not name.startswith(("netplan_rules.", "netplan_planner."))
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and (number := _bare_number(node)) is not None:
            faults.append(f"compares with {number}: thresholds stand in the metadata")
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_NAMES:
            faults.append(f"calls {node.func.id}")
        if isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            faults.append(f"asks a clock: {node.func.attr}")
    return faults


@listed("source", SOURCES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_rule_is_pure_by_its_source_too(source: Path) -> None:
    """The guard runs after the tables are warm: a file read once and kept would escape it."""
    assert _faults(source.read_text(encoding="utf-8")) == []


@listed(
    ("text", "fault"),
    [
        ("import os", "imports os"),
        ("from time import time", "imports time"),
        ("import random as r", "imports random"),
        ("def f():\n    import pathlib", "imports pathlib"),
        ("x = open('f')", "calls open"),
        ("x = hash('a')", "calls hash"),
        ("from datetime import date\nx = date.today()", "asks a clock: today"),
        ("x = 3 if y > 0.9 else 4", "compares with 0.9: thresholds stand in the metadata"),
        ("x = -5 <= y <= 1", "compares with 5: thresholds stand in the metadata"),
    ],
)
def test_the_look_at_the_source_finds_what_it_looks_for(text: str, fault: str) -> None:
    assert fault in _faults(text)
