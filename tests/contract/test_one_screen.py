"""`netplan VERB --help` fits on a screen; `--help-all` has every option, in groups of one order."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from netplan_planner.asks import API, CHOICE, INPUT, OUTPUT, TRAFFIC
from netplan_planner.cli.app import app
from netplan_planner.cli.verbs import VERBS
from support.commands.tree import ROOT
from support.commands.verbs import commands, leaves
from support.listed import listed

HOME = Path(__file__).resolve().parents[2]
COLUMNS, LINES = 100, 40
ALL = tuple(commands(ROOT))
LEAVES = tuple((path, one) for path, one in ALL if not getattr(one, "commands", {}))
NAMES = [" ".join(path) for path, _ in ALL]
OF_LEAVES = [" ".join(path) for path, _ in LEAVES]
SHARED = (INPUT, CHOICE, OUTPUT, TRAFFIC, API)
PAGES = {
    "caps": "reference/verbs/recommend",
    "config": "reference/configuration",
    "flows": "reference/verbs/aggregates",
    "mcp": "agents",
    "model": "background/accuracy",
    "price": "reference/verbs/prices",
    "rules": "reference/verbs/audit",
}
"""Pages of `docs` that are not called as their verb."""
OF_ALL = frozenset(name for one in ROOT.params for name in one.opts)
"""Options of the whole command, which stand behind a verb too."""


@cache
def page(path: tuple[str, ...], option: str) -> str:
    width = {"COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    done = CliRunner().invoke(app, [*path, option], prog_name="netplan", env=width)
    assert done.exit_code == 0, done.output
    return done.output


def shown(path: tuple[str, ...], option: str) -> set[str]:
    """Return the options that have a row of a page."""
    rows = re.findall(r"^│ [* ]*(-[^ ]+(?: +-[^ ]+)*)", page(path, option), re.MULTILINE)
    return {name for row in rows for name in re.split(r"[ ,]+", row)}


@listed(("path", "command"), ALL, ids=NAMES)
def test_help_fits_on_a_screen(path: tuple[str, ...], command: Any) -> None:
    lines = page(path, "--help").splitlines()
    # The last line is the prompt's.
    assert len(lines) < LINES
    assert max(map(len, lines)) <= COLUMNS


@listed(("path", "command"), ALL, ids=NAMES)
def test_help_all_has_every_option(path: tuple[str, ...], command: Any) -> None:
    own = [one for one in command.params if not one.hidden]
    options = {name for one in own for name in one.opts if name.startswith("-")}
    assert options | {"--help", "--help-all"} <= shown(path, "--help-all")
    assert shown(path, "--help") <= shown(path, "--help-all")


@listed(("path", "command"), ALL, ids=NAMES)
def test_help_says_how_many_options_are_left(path: tuple[str, ...], command: Any) -> None:
    own = {one.opts[0] for one in command.params if not one.hidden}
    options = {name for name in own if name.startswith("-")}
    is_without = "─ Arguments ─" not in page(path, "--help")
    left = len(options - shown(path, "--help")) + is_without * len(own - options)
    told = re.search(r"--help-all: ([0-9]+) more option", page(path, "--help"))
    assert (int(told[1]) if told else 0) == (left if path else 0)


@listed(("path", "command"), LEAVES, ids=OF_LEAVES)
def test_groups_have_one_order(path: tuple[str, ...], command: Any) -> None:
    for option in ("--help", "--help-all"):
        titles = re.findall(r"^╭─ (.+?) ─+╮$", page(path, option), re.MULTILINE)
        told = [one for one in titles if one in SHARED]
        assert told == [one for one in SHARED if one in told]
        assert titles[len(titles) - len(told) :] == told
    # Where options have groups, none stands outside of them.
    own = [one for one in command.params if not one.hidden and one.opts[0].startswith("-")]
    groups = {one.rich_help_panel for one in own} - {OUTPUT}
    assert len(groups) < 3 or None not in groups


@listed(("path", "command"), LEAVES, ids=OF_LEAVES)
def test_the_first_example_has_options_that_people_use(path: tuple[str, ...], command: Any) -> None:
    given = {name for file in pages_of(path) for name in first_example(file, path)}
    assert given - OF_ALL <= shown(path, "--help")


def pages_of(path: tuple[str, ...]) -> tuple[Path, Path]:
    """Return the README, and the page of a verb."""
    return HOME / "README.md", HOME / "docs" / _page_of(path[0])


def _page_of(verb: str) -> str:
    """Return the file below `docs` that describes a verb."""
    return f"{PAGES.get(verb, f'reference/verbs/{verb}')}.md"


def first_example(file: Path, path: tuple[str, ...]) -> set[str]:
    """Return the options of the first command of a page that calls a verb."""
    text = file.read_text("utf-8") if file.exists() else ""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    called = re.compile(rf"^(?:\$ )?netplan {' '.join(path)}(?: .*)?$", re.MULTILINE)
    found = called.search("\n".join(blocks).replace("\\\n", " "))
    return set(re.findall(r"(?<= )--?[a-z][a-z0-9-]*", found[0])) if found else set()


def test_examples_are_found() -> None:
    for file in pages_of(("recommend",)):
        assert first_example(file, ("recommend",)) == {"--gbps", "--region", "--vcpus", "--top"}
    found = {path for path, _ in LEAVES if any(first_example(one, path) for one in pages_of(path))}
    assert all(page.exists() for path, _ in LEAVES for page in pages_of(path))
    assert {
        ("audit",),
        ("graph",),
        ("price", "traffic"),
        ("predict",),
        ("prices", "refresh"),
    } <= found


def test_every_verb_has_a_question_of_its_own() -> None:
    lines = {one.help for one in VERBS.values()}
    assert len(lines) == len(VERBS)
    assert all(one.endswith("?") and one in page((), "--help") for one in lines)


def test_a_short_page_has_the_statuses_of_its_verb() -> None:
    table = (HOME / "docs/reference/statuses.md").read_text("utf-8")
    ends = dict(re.findall(r"^\| `([a-z -]+)` \| ([^|]*?) *\|", table, re.MULTILINE))
    for path in leaves(ROOT):
        name = " ".join(path)
        told = re.search(r"Exit status: .*", page(path, "--help"))
        assert told, name
        assert ", 2 wrong usage, 3 bad input" in told[0]
        assert (", 1 " in told[0]) is bool(ends[name]), name
        assert ("4 incomplete" in told[0]) is ("--strict" in shown(path, "--help-all")), name
