"""A call of a tool: its arguments become the words of a command, its answer data and a summary."""

import gc
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import typer
from msgspec.structs import replace

from netplan_planner.cli.app import progress
from netplan_planner.cli.commands import ends_well
from netplan_planner.cli.mcp.confines import Confines
from netplan_planner.cli.mcp.paging import Pages
from netplan_planner.cli.mcp.tools import Tool
from netplan_planner.cli.options import with_origin
from netplan_planner.cli.parameters import Field, asked_of, path_use
from netplan_planner.cli.state import state
from netplan_planner.cli.unforeseen import line_of, secrets_of
from netplan_planner.errors import NetplanError, UsageError, did_you_mean
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json, one_run
from netplan_planner.planning.inputs import currency_in
from netplan_planner.renderers.content import asides
from netplan_planner.renderers.options import DEFAULT_WIDTH, ColourMode, RenderOptions
from netplan_planner.renderers.output import render
from netplan_planner.verbs import Now

_WITHHELD = "(not shown)"
_CREDENTIALS = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*?-----END [A-Z ]*PRIVATE KEY-----|.*)",
    r"\bya29\.[\w.-]{10,}",
    r"\bAIza[\w-]{30,}",
    r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*",
    r"(?<=[Bb]earer )[\w.~+/=-]{8,}",
    r"(?i:(?<=token=)|(?<=password=)|(?<=secret=))[^\s;&\"']{4,}",
)
"""Keys, tokens of access and of identity, and what stands behind a word for one."""
_SUMMARY_CHARACTERS = 5_000


class Failed(Exception):
    """A call that has no answer; the text says why, and what to do."""


class Caller:
    """Runs tools in this process, one at a time."""

    def __init__(self, root: Any, tools: Mapping[str, Tool], confines: Confines) -> None:
        """Run tools under a context of the whole command."""
        self.tools = tools
        self.confines = confines
        self.pages = Pages()
        self._root = root

    def call(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a tool answers, or a page of an earlier answer.

        Raises:
            Failed: If there is no answer.
        """
        words: list[str] = []
        try:
            if name == "page":
                return self.pages.page(str(given.get("cursor", "")))
            if name not in self.tools:
                raise UsageError(f"no tool {name!r}{did_you_mean(name, self.tools)}")
            with one_run(self.confines.check):
                return self._answer(self.tools[name], given, words)
        except typer.BadParameter as error:
            text = error.format_message()
        except NetplanError as error:
            text = str(error)
        except Exception as error:
            text = line_of(error, words)
        finally:
            gc.collect(0)
        raise Failed(inert_line(_withholding(words).sub(_WITHHELD, text)))

    def _answer(self, tool: Tool, given: Mapping[str, Any], words: list[str]) -> dict[str, Any]:
        context = self._root
        for word in tool.words[:-1]:
            group = context.command.commands[word]
            context = type(self._root)(group, info_name=word, parent=context)
        command = context.command.commands[tool.words[-1]]
        words += self._words(command, tool, given)
        with with_origin():
            values = command.make_context(tool.words[-1], [*words], parent=context).params
            ask = asked_of(tool.ask, values)
        notes: list[str] = []
        now = Now(date.today(), progress, state.config_path, notes.append, notes.append)
        found = tool.run(ask, now)
        if found is None or isinstance(found, str):
            raise UsageError("this writes a table and has no answer: leave batch out")
        hidden = _withholding(words)
        is_well = ends_well(tool.run, ask, found, now.today)
        data = _clean(decode_json(render(found, "json", RenderOptions())), hidden)
        summary = _shortened(render(found, "text", _look(tool, ask, found, now)))
        head = {
            "schema": data.get("schema", ""),
            "is_well": is_well,
            "summary": hidden.sub(_WITHHELD, summary),
            "notes": [hidden.sub(_WITHHELD, inert_line(one)) for one in (*notes, *asides(found))],
        }
        return self.pages.first(head, data)

    def _words(self, command: Any, tool: Tool, given: Mapping[str, Any]) -> Iterator[str]:
        """Yield the words of the command; values cannot be taken for options."""
        for name in given:
            if name not in tool.fields:
                hint = did_you_mean(name, tool.fields)
                raise UsageError(f"{tool.name} has no parameter {name[:80]!r}{hint}")
        by_name = {one.name: one for one in command.params}
        arguments: list[str] = []
        for name, field in tool.fields.items():
            values = given.get(name)
            if values is None:
                continue
            for value in values if isinstance(values, list) else [values]:
                parameter, text = by_name[field.parameter], self._text(name, field, value)
                if parameter.param_type_name == "argument":
                    arguments.append(text)
                elif getattr(parameter, "is_flag", False):
                    yield from _flag(parameter, name, value)
                else:
                    yield f"{parameter.opts[0]}={text}"
        yield from ("--", *arguments)

    def _text(self, name: str, field: Field, value: Any) -> str:
        if not isinstance(value, str | int | float):
            raise UsageError(f"{name} takes a text, a number or a list of such")
        return self.confines.placed(str(value)) if path_use(field.annotation) else str(value)


def _flag(parameter: Any, name: str, value: Any) -> list[str]:
    if not isinstance(value, bool):
        raise UsageError(f"{name} takes true or false")
    return [*(parameter.opts if value else parameter.secondary_opts)][:1]


def _look(tool: Tool, ask: Any, found: Any, now: Now) -> RenderOptions:
    """Return how the summary is shown: as on a terminal, in plain text."""
    shown = RenderOptions(width=DEFAULT_WIDTH, colour=ColourMode.NEVER, max_rows=tool.run.rows)
    if tool.run.has_look:
        rate = currency_in(ask.price_folder, getattr(ask, "currency", None))
        shown = replace(shown, currency=rate)
    return tool.run.shows(ask, found, shown, now) if tool.run.shows else shown


def _shortened(text: str) -> str:
    if len(text) <= _SUMMARY_CHARACTERS:
        return text.rstrip()
    kept = text[:_SUMMARY_CHARACTERS].rpartition("\n")[0]
    return f"{kept}\n… the rest is in `answer`"


def _withholding(words: Sequence[str]) -> re.Pattern[str]:
    """Return what finds credentials in a text: of the environment, of the call, and by form."""
    known = map(re.escape, secrets_of(os.environ, words))
    return re.compile("|".join((*known, *_CREDENTIALS)), re.DOTALL)


def _clean(value: Any, hidden: re.Pattern[str]) -> Any:
    """Return an answer without credentials."""
    if isinstance(value, str):
        return hidden.sub(_WITHHELD, value)
    if isinstance(value, list):
        return [_clean(one, hidden) for one in value]
    if isinstance(value, dict):
        return {hidden.sub(_WITHHELD, key): _clean(one, hidden) for key, one in value.items()}
    return value
