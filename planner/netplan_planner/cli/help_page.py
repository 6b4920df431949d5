"""Help pages: `--help` shows what people use and fits on a screen, `--help-all` every option.

What an option says of itself is its `Ask` (`netplan_planner.asks`); the groups of both pages have
one order in every verb.
"""

import inspect
import re
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import datetime
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill, indent
from typing import Any, get_args

from netplan_planner.asks import API, CHOICE, INPUT, OUTPUT, TRAFFIC, Ask, ask_of
from netplan_planner.cli.state import state

HELP_ALL = "--help-all"

_SHARED = (INPUT, CHOICE, OUTPUT, TRAFFIC, API)
"""Groups that verbs share, in their order; a verb's own come before them."""
_OF_TYPER = frozenset({"install_completion", "show_completion"})
"""Options of the whole command that typer adds; they are used once."""
_ONE = re.compile(r"Exit status:[^.]*?\b1 ([^,.:]+)")
"""In a docstring: when a verb ends with 1."""

_WIDEST_CHOICE = 24
"""Characters of choices that fit into the column of values; longer ones stand in the help."""


_WORDS = {int: "NUMBER", float: "NUMBER", str: "TEXT", Path: "PATH", datetime: "DATE"}


def attach(command: Any) -> None:
    """Let a command say what its parameters take, once help is asked for."""
    command.format_help = partial(_formatted, command)


def _formatted(command: Any, context: Any, page: Any) -> None:
    """Write the page of a command, of which nothing is changed."""
    shown = copy(command)
    text = _flowing(command.help or "")
    listed = sorted((one for one in command.params if not one.hidden), key=place)
    if state.shows_all:
        shown.help, shown.params = text, [tidy(copy(one)) for one in listed]
    else:
        _shorten(shown, text, listed, context)
    if shown.add_help_option:
        shown._help_option = _help_option(command, context)
    end, shown.epilog = shown.epilog, None
    type(command).format_help(shown, context, page)
    if end:
        # As the last line, without typer's blank ones: the page and a prompt are one screen.
        page.write(indent(fill(end, get_terminal_size().columns - 1), " "))


def _shorten(shown: Any, text: str, listed: Sequence[Any], context: Any) -> None:
    """Let a page be short: a sentence, exit statuses, what people use, and how to see the rest."""
    asks = _asks(shown)
    common = [one for one in listed if not asks[one.name].is_expert]
    left = [one for one in listed if one not in common]
    path, (shown.help, *_) = context.command_path, text.split("\n\n")
    if context.parent is None:
        shown.params, shown.add_help_option = [], False
        names = ", ".join(one.opts[0] for one in common)
        shown.epilog = f"{path} VERB --help: its options; {path} {HELP_ALL}: {names}"
        return
    shown.params = [_brief(one, asks[one.name].short) for one in common]
    if not getattr(shown, "commands", ()):
        shown.help += f"\n\n{_statuses(text, listed)}"
        shown.add_help_option = False
    shown.epilog = _rest(path, left, common) or None


def _asks(command: Any) -> Mapping[str, Ask]:
    """Return how each parameter of a command is asked for."""
    signed = inspect.signature(command.callback).parameters if command.callback else {}
    given = {name: ask_of(one.annotation) for name, one in signed.items()}
    return {
        one.name: given.get(one.name) or Ask("", is_expert=one.name in _OF_TYPER)
        for one in command.params
    }


def _help_option(command: Any, context: Any) -> Any:
    """Return the option of the page itself, with what its two spellings do."""
    found = copy(command.get_help_option(context))
    # The parser has them in no order.
    found.opts = sorted(found.opts, key=lambda one: (len(one) > len("-h"), one))
    found.metavar, found.help = "", f"The options that people use; {HELP_ALL}: all of them."
    return found


def _brief(parameter: Any, sentence: str) -> Any:
    """Return a parameter of a short page: its first spelling, and a sentence."""
    found = copy(parameter)
    letters = [one for one in found.opts if not one.startswith("--")]
    found.opts = list(dict.fromkeys([*found.opts[:1], *letters]))
    found.help = sentence or shortened(found.help or "")
    found.min = found.max = None
    found.show_default = found.show_default and bool(found.default)
    return tidy(found)


def shortened(text: str) -> str:
    """Return a help text up to its first semicolon or full stop outside of brackets.

    >>> shortened("Threads of it; beyond, disk."), shortened("One (or two; three), e.g. x. More.")
    ('Threads of it.', 'One (or two; three), e.g. x.')
    """
    for found in re.finditer(r"; |\. (?=[A-Z])", text):
        before = text[: found.start()]
        if before.count("(") == before.count(")"):
            return f"{before}."
    return text


def place(parameter: Any) -> int:
    """Return the place of a parameter's group on a page."""
    panel = parameter.rich_help_panel
    return _SHARED.index(panel) + 1 if panel in _SHARED else 0


def _statuses(text: str, parameters: Sequence[Any]) -> str:
    """Return the exit statuses of a verb in a line."""
    found = _ONE.search(text)
    ones = [f"1 {found[1]}"] if found else []
    fours = ["4 incomplete (--strict)"] if any("--strict" in one.opts for one in parameters) else []
    return f"Exit status: {', '.join(['0 ok', *ones, '2 wrong usage', '3 bad input', *fours])}"


def _rest(path: str, left: Sequence[Any], common: Sequence[Any]) -> str:
    """Return how to see the options that a short page leaves out; empty where it has all."""
    if not left:
        return ""
    groups = dict.fromkeys(one.rich_help_panel for one in left)
    whole = [one for one in groups if one not in {None, *(kept.rich_help_panel for kept in common)}]
    named = [one if one == API else one[0].lower() + one[1:] for one in whole]
    names = ", ".join([*named, *(["…"] if len(whole) < len(groups) else [])])
    more = f"{len(left)} more option" + ("s" if len(left) > 1 else "")
    return f"{path} {HELP_ALL}: {more}" + (f" ({names})" if whole else "")


def _flowing(text: str) -> str:
    r"""Return a help text whose paragraphs fill the terminal's width; typer does so of the first.

    >>> _flowing("First.\n\nA long\nparagraph.\n\n- a list\n- stays")
    'First.\n\nA long paragraph.\n\n- a list\n- stays'
    """
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        one if one.startswith(("- ", " ", "\b")) else one.replace("\n", " ") for one in paragraphs
    )


def tidy(parameter: Any) -> Any:
    """Return a parameter with the word for its value, its limits, and none of typer's signs."""
    parameter.show_envvar = False
    parameter.show_default = parameter.show_default and not getattr(parameter, "count", False)
    if parameter.param_type_name == "argument":
        # Its name says what it is; typer would add the Python type.
        parameter.display_type_rich = _nothing
        return parameter
    if parameter.metavar is None:
        parameter.metavar = _word(parameter)
    limits = _limits(getattr(parameter, "min", None), getattr(parameter, "max", None))
    if limits and not parameter.count:
        parameter.help = f"{parameter.help} {limits}"
    # Its inequalities take the place of the help.
    parameter._get_number_range_help_str = _nothing
    return parameter


def _limits(least: float | None, most: float | None) -> str:
    """Return what numbers an option takes.

    >>> _limits(1, 64), _limits(0.1, None), _limits(0, None)
    ('From 1 to 64.', 'At least 0.1.', '')
    """
    if least is not None and most is not None:
        return f"From {least:g} to {most:g}."
    return f"At least {least:g}." if least else ""


def _nothing(**_: Any) -> str:
    return ""


def _word(parameter: Any) -> str:
    """Return the word for the value of an option."""
    kind = parameter.type_descriptor
    if parameter.is_flag or parameter.count:
        return ""
    if kind.is_choice:
        choices = [str(getattr(one, "value", one)) for one in kind.choices or ()]
        label = "|".join(choices)
        if len(label) <= _WIDEST_CHOICE:
            return label
        if not all(one in parameter.help for one in choices):
            parameter.help = f"{parameter.help} One of {', '.join(choices)}."
        return "WORD"
    (inner,) = get_args(kind.annotation) or (kind.annotation,)
    return _WORDS[inner]
