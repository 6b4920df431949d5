"""Every help page: what it says of values, and how the verbs stand in it."""

import re
from typing import Any

from typer.testing import CliRunner

from netplan_planner.cli import verbs
from netplan_planner.cli.app import app
from netplan_planner.verbs import panels
from netplan_planner.world.demos import demo_names
from support.commands.tree import ROOT
from support.commands.verbs import commands
from support.listed import listed

ALL = tuple(commands(ROOT))


def page(path: tuple[str, ...], option: str = "--help-all") -> str:
    done = CliRunner().invoke(app, [*path, option], env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert done.exit_code == 0
    return done.output


@listed(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])
def test_a_page_cuts_no_name_and_shows_no_type(path: tuple[str, ...], command: Any) -> None:
    text = page(path)
    for shown in (text, page(path, "--help")):
        assert re.findall(r"\w…", shown) == []
        assert re.findall(r"<[^>\n]*>|\[env var|[<>]=", shown) == []
        assert max(map(len, shown.splitlines())) <= 80
    for parameter in command.params:
        if not parameter.hidden:
            names = parameter.opts if parameter.opts[0].startswith("-") else ()
            assert all(name in text for name in names)


@listed(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])
def test_each_parameter_says_what_its_value_is(path: tuple[str, ...], command: Any) -> None:
    for parameter in command.params:
        if not parameter.hidden and parameter.expose_value:
            assert parameter.help, parameter.name
            assert not re.match(r"(Or|Of|Per|Likewise|Instead)\b", parameter.help), parameter.help


def test_the_help_names_every_demo() -> None:
    text = page(("audit",))
    assert all(name in text for name in demo_names())


def test_verbs_stand_in_groups_by_task() -> None:
    text = page((), "--help")
    places = [text.index(f" {panel} ") for panel in panels.IN_ORDER]
    assert places == sorted(places)
    assert " Commands " not in text
    assert {verb.panel for verb in verbs.VERBS.values()} == set(panels.IN_ORDER)
