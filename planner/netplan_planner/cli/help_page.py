"""What a help page shows of each parameter: a word for its value, and no environment variable.

Names of variables are too long for a column; `netplan config show --env` lists them. A flag takes
no value, so it has no word for one.
"""

import inspect
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, get_args

_WIDEST_CHOICE = 24
"""Characters of choices that fit into the column of values; longer ones stand in the help."""
_WORDS = {int: "NUMBER", float: "NUMBER", str: "TEXT", Path: "PATH", datetime: "DATE"}


def attach(command: Any) -> None:
    """Let a command say what its parameters take, once help is asked for."""
    command.format_help = partial(_formatted, command, command.format_help)


def _formatted(command: Any, format_help: Callable[..., None], context: Any, page: Any) -> None:
    command.help = _flowing(command.help or "")
    for parameter in command.get_params(context):
        _tidy(parameter)
    format_help(context, page)


def _flowing(text: str) -> str:
    r"""Return a help text whose paragraphs fill the terminal's width; typer does so of the first.

    >>> _flowing("First.\n\nA long\nparagraph.\n\n- a list\n- stays")
    'First.\n\nA long paragraph.\n\n- a list\n- stays'
    """
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        one if one.startswith(("- ", " ", "\b")) else one.replace("\n", " ") for one in paragraphs
    )


def _tidy(parameter: Any) -> None:
    parameter.show_envvar = False
    if parameter.param_type_name == "argument":
        # Its name says what it is; typer would add the Python type.
        parameter.display_type_rich = _nothing
        return
    if parameter.metavar is None:
        parameter.metavar = _word(parameter)
    limits = _limits(getattr(parameter, "min", None), getattr(parameter, "max", None))
    if limits and not parameter.count:
        parameter.help = f"{parameter.help} {limits}"
    # Its inequalities take the place of the help.
    parameter._get_number_range_help_str = _nothing


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
        parameter.help = f"{parameter.help} One of {', '.join(choices)}."
        return "WORD"
    (inner,) = get_args(kind.annotation) or (kind.annotation,)
    return _WORDS[inner]
