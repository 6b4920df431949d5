"""Answers to where the user wants them: several formats at once, to files and to the output.

`FORMAT` writes to the standard output, `FORMAT:PATH` to a file. At most one format goes to the
standard output, for two in one stream can be read by nobody. Everything is rendered before
anything is written; each file is written beside its place and renamed when it is complete; the
standard output comes last. So no report is ever half written, and a file that cannot be written
takes nothing from the others.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError, did_you_mean
from netplan_planner.inert import inert_line
from netplan_planner.model import Value
from netplan_planner.renderers.options import DEFAULT_WIDTH, ColourMode, RenderOptions
from netplan_planner.streams import is_stdout, standard_output
from netplan_planner.writing import usable_target, write_each, written_whole

Render = Callable[[Any, RenderOptions], str]

TEXT = "text"
WITH_PLACES = frozenset({"sarif", "concise", "github"})
"""Formats that show findings with file and line."""
_OF_EVERY_ANSWER: Mapping[str, str] = {
    TEXT: "netplan_planner.renderers.terminal",
    "json": "netplan_planner.renderers.json_report",
    "csv": "netplan_planner.renderers.csv_report",
    "md": "netplan_planner.renderers.markdown",
    "html": "netplan_planner.renderers.html",
}
_COMMENTS: Mapping[str, str] = {
    "github-comment": "netplan_planner.renderers.github_comment",
    "gitlab-comment": "netplan_planner.renderers.gitlab_comment",
}
_OF_ONE_ANSWER: Mapping[str, Mapping[str, str]] = {
    "Report": {
        "sarif": "netplan_planner.verbs.audit.sarif",
        "concise": "netplan_planner.verbs.audit.review.concise",
        "github": "netplan_planner.verbs.audit.review.github",
        **_COMMENTS,
        "machines-csv": "netplan_planner.verbs.audit.machines",
        "commands": "netplan_planner.renderers.commands",
    },
    "DiffAnswer": {"github": "netplan_planner.verbs.diff.github", **_COMMENTS},
    "TrafficGraph": {
        "dot": "netplan_planner.verbs.graph.dot",
        "graphml": "netplan_planner.verbs.graph.graphml",
        "mermaid": "netplan_planner.verbs.graph.mermaid",
        "svg": "netplan_planner.verbs.graph.pictures",
    },
}
"""By the name of the answer's type, what only it can be written as."""
_OF_A_PLAN: Mapping[str, str] = {
    "commands": "netplan_planner.renderers.commands",
    "terraform": "netplan_planner.renderers.terraform_changes",
}
"""What an answer can be written as too whose `changes` are steps."""
PLANS = frozenset(
    {
        "FleetAnswer",
        "ForecastAnswer",
        "JobAnswer",
        "Placement",
        "TransferAnswer",
        "WhatifAnswer",
    }
)
"""Those answers, by the names of their types."""
FORMATS = tuple(_OF_EVERY_ANSWER)
"""Those that every answer has."""
PLAN_FORMATS = (*FORMATS, *_OF_A_PLAN)
"""Those of a plan."""


def renderers_of(kind: str) -> Mapping[str, str]:
    """Return each format of a kind of answer, and the module whose `render` makes it.

    A module is imported when its format is asked for.
    """
    of_plan = _OF_A_PLAN if kind in PLANS else {}
    return {**_OF_EVERY_ANSWER, **of_plan, **_OF_ONE_ANSWER.get(kind, {})}


RENDERERS = renderers_of("Report")
"""Those of an audit."""

_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Names the file whose Markdown GitHub shows on the page of a workflow's run."""
_SUMMARY_BYTES = 2**20
"""GitHub refuses a summary of more."""
_UNBROKEN = 240
"""Columns of a line that is not broken for people."""
_ASCII = str.maketrans({"→": "->", "·": "-", "×": "x", "…": "...", "─": "-"})


class OutputSpec(Value, frozen=True, kw_only=True):
    """A format and where it goes; `path` None is the standard output."""

    format: str
    path: Path | None = None


def any_of(formats: Sequence[str]) -> str:
    """Return formats as a help text names them.

    >>> any_of(("text", "json", "csv"))
    'text, json or csv'
    """
    return f"{', '.join(formats[:-1])} or {formats[-1]}"


def parse_output(text: str, formats: Sequence[str] = tuple(RENDERERS)) -> OutputSpec:
    """Return what `FORMAT` or `FORMAT:PATH` asks for; the path `-` is the standard output.

    Raises:
        UsageError: If the format is none of `formats`, or the path is empty.
    """
    name, colon, path = text.partition(":")
    if name not in formats:
        raise UsageError(f"--output {text}: {_unknown(name, formats)}")
    if colon and not path:
        raise UsageError(f"--output {text}: a path is missing after the colon")
    return OutputSpec(format=name, path=Path(path) if path and not is_stdout(Path(path)) else None)


def check_outputs(specs: Sequence[OutputSpec]) -> None:
    """Find what cannot work before a long run starts.

    Raises:
        UsageError: If two outputs have one target, or a folder is missing.
    """
    on_stdout = [spec.format for spec in specs if spec.path is None]
    if len(on_stdout) > 1:
        formats = " and ".join(on_stdout)
        raise UsageError(
            f"{formats} would both go to standard output: give a path to all but one, as in "
            f"--output {on_stdout[-1]}:PATH"
        )
    seen: dict[Path, str] = {}
    for spec in specs:
        if spec.path is None:
            continue
        target = usable_target(f"--output {spec.format}:{spec.path}", spec.path)
        if target in seen:
            raise UsageError(f"{seen[target]} and {spec.format} would both go to {spec.path}")
        seen[target] = spec.format


def specs_of(
    outputs: Sequence[str] | None,
    former: str | None,
    default: str = "text",
    formats: tuple[str, ...] = FORMATS,
) -> tuple[OutputSpec, ...]:
    """Return where an answer goes: without a word, to the standard output.

    Raises:
        UsageError: If a format or a path cannot be used.
    """
    texts = [*(outputs or ()), *([former] if former else ())]
    specs = tuple(parse_output(text, formats) for text in texts or [default])
    check_outputs(specs)
    return specs


def render(answer: object, name: str, options: RenderOptions) -> str:
    """Return an answer in one format.

    Raises:
        UsageError: If the answer has no such format.
    """
    known = renderers_of(type(answer).__name__)
    if name not in known:
        raise UsageError(_unknown(name, tuple(known)))
    made: Render = import_module(known[name]).render
    return made(answer, options)


def write_outputs(
    answer: object,
    specs: Sequence[OutputSpec],
    options: RenderOptions,
    *,
    stdout: TextIO | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[Path, ...]:
    """Write an answer to every target and return the files, in the order of `specs`.

    Raises:
        UsageError: If a target is not usable; the text names it.
        InputError: If one cannot be written; the others are, and no file is half written.
    """
    check_outputs(specs)
    stream = standard_output() if stdout is None else stdout
    known = os.environ if environment is None else environment
    on_terminal = resolved(options, stream, known)
    in_file = replace(
        options,
        width=options.width or DEFAULT_WIDTH,
        colour=ColourMode.ALWAYS if options.colour is ColourMode.ALWAYS else ColourMode.NEVER,
    )
    texts = [
        render(answer, spec.format, on_terminal if spec.path is None else in_file) for spec in specs
    ]
    written = sorted(zip(specs, texts, strict=True), key=lambda one: one[0].path is None)
    write_each(partial(_write, spec, text, stream) for spec, text in written)
    if known.get(_SUMMARY) and any(spec.format == "github" for spec in specs):
        _add_summary(answer, in_file, Path(known[_SUMMARY]))
    return tuple(spec.path for spec in specs if spec.path)


def unbroken(options: RenderOptions) -> RenderOptions:
    """Return how lists are written: a line a row for tools that search, unless on a terminal."""
    return options if standard_output().isatty() else replace(options, width=_UNBROKEN)


def resolved(
    options: RenderOptions, stream: TextIO, environment: Mapping[str, str]
) -> RenderOptions:
    """Return options in which width and colour are decided for a stream."""
    is_terminal = stream.isatty()
    width = options.width
    if width is None:
        width = _columns(stream, environment)
    colour = options.colour
    if colour is ColourMode.AUTO:
        is_plain = bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
        colour = ColourMode.ALWAYS if is_terminal and not is_plain else ColourMode.NEVER
    return replace(options, width=width or DEFAULT_WIDTH, colour=colour)


def _columns(stream: TextIO, environment: Mapping[str, str]) -> int | None:
    """Return the width that COLUMNS sets, also in a pipe, or that of the terminal."""
    given = environment.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None


def _unknown(name: str, formats: Sequence[str]) -> str:
    hint = did_you_mean(name, formats)
    return f"unknown output format {name!r}: use one of {', '.join(formats)}{hint}"


def _print(text: str, stream: TextIO, *, is_data: bool) -> None:
    """Write to a stream: data as UTF-8 bytes as they are, text in what the terminal can show."""
    buffer = getattr(stream, "buffer", None)
    if is_data and buffer is not None:
        stream.flush()
        buffer.write(text.encode())
        buffer.flush()
        return
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    stream.write(text)
    stream.flush()


def _write(spec: OutputSpec, text: str, stream: TextIO) -> None:
    if spec.path is None:
        _print(text, stream, is_data=spec.format != TEXT)
        return
    with written_whole(spec.path) as new:
        new.write_bytes(text.encode())


def _add_summary(answer: object, options: RenderOptions, path: Path) -> None:
    """Add the whole answer to the summary of a workflow's step.

    Raises:
        InputError: If the file cannot be written.
    """
    try:
        left = _SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0)
        with path.open("ab") as file:
            text = import_module(_COMMENTS["github-comment"]).body(answer, options, left)
            file.write(text.encode())
    except OSError as exc:
        shown = inert_line(str(path))
        raise InputError(f"{_SUMMARY}: {shown}: cannot be written: {exc.strerror}") from exc
