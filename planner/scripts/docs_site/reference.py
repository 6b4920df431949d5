"""Reference pages that the code writes: options of every verb, rules with an example, schemas."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from copy import copy
from itertools import groupby
from pathlib import Path
from typing import Any

from docs_site import pages
from netplan_planner.cli.help_page import place, tidy
from netplan_planner.judging.judged import reference_page
from netplan_planner.renderers import terminal
from netplan_planner.renderers.options import DEFAULT_WIDTH, RenderOptions
from netplan_planner.verbs.audit.findings import entry
from netplan_rules.registry import all_rules
from support.commands.tree import ROOT as COMMANDS
from support.rules.hits import BAD_CASES, judged_case


def write(stage: Path) -> None:
    """Write all generated pages."""
    _write_options(stage)
    _write_rules(stage)
    _write_schemas(stage)


# Options


def _write_options(stage: Path) -> None:
    folder = stage / pages.OPTIONS
    folder.mkdir(parents=True)
    for name, command in COMMANDS.commands.items():
        text = "\n".join(_command(f"netplan {name}", command, "#"))
        (folder / f"{name}.md").write_text(text, "utf-8")


def _command(path: str, command: Any, mark: str) -> Iterator[str]:
    """Yield the lines about a command, and about the commands of a group."""
    yield f"{mark} {path}\n"
    yield f"{_plain(command.help or '')}\n"
    shown = [one for one in command.params if not one.hidden]
    by_panel = sorted(shown, key=lambda one: (place(one), one.rich_help_panel or ""))
    for panel, options in groupby(by_panel, key=lambda one: one.rich_help_panel or "Options"):
        yield f"**{panel}**\n"
        yield "| option | value | default | what it does |\n| --- | --- | --- | --- |"
        yield from map(_row, options)
        yield ""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _command(f"{path} {name}", inner, f"{mark}#")


def _row(given: Any) -> str:
    option = tidy(copy(given))
    names = ", ".join(f"`{one}`" for one in (*option.opts, *option.secondary_opts))
    value = f"`{option.metavar}`" if option.metavar else ""
    default = "required" if option.required else _default(option)
    cells = (names, value, default, _plain(option.help or ""))
    return f"| {' | '.join(one.replace('|', chr(92) + '|') for one in cells)} |"


def _default(option: Any) -> str:
    if isinstance(option.show_default, str):
        return _plain(option.show_default)
    default = getattr(option.default, "value", option.default)
    return "" if default in (None, (), [], False) or callable(default) else f"`{default}`"


def _plain(text: str) -> str:
    """Return a help text in which nothing is taken for Markdown, paragraphs kept; code as it is."""
    unescaped = text.replace("\\[", "[").replace("\n\n", "\0")
    parts = re.split(r"(`[^`]*`)", " ".join(unescaped.split()))
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r"([\\*_<\[\]$])", r"\\\1", parts[at])
    return "".join(parts).replace("\0", "\n\n")


# Rules


def _write_rules(stage: Path) -> None:
    folder = stage / pages.RULES
    folder.mkdir(parents=True)
    whole = reference_page(None)
    head = whole[: whole.index("\n## Rules\n")]
    rows = [
        f"| [`{one.rule.id}`]({one.rule.id}.md) | {one.area} | {one.rule.severity.value}"
        f" | {one.rule.title} |"
        for one in all_rules()
    ]
    table = ["| rule | area | severity | finds |", "| --- | --- | --- | --- |", *rows]
    (folder / "index.md").write_text("\n".join([head, "\n## Rules\n", *table, ""]), "utf-8")
    for check in all_rules():
        page = reference_page(check.rule.id).replace(f"### {check.rule.id}", f"# {check.rule.id}")
        (folder / f"{check.rule.id}.md").write_text(f"{page}\n\n{_example(check.rule.id)}", "utf-8")


def _example(rule: str) -> str:
    """Return a finding of the rule in a small project that proves it."""
    case = next((name for of, name in BAD_CASES if of == rule), None)
    if case is None:
        raise LookupError(f"no fixture shows the rule {rule}")
    finding = judged_case(rule, case).findings[0]
    options = RenderOptions(width=DEFAULT_WIDTH, finding=finding.fingerprint)
    text = terminal.layout(entry(finding, 1, options, None), options)
    return f"## Example\n\nA finding in a small project:\n\n```text\n{text.strip()}\n```\n"


# Schemas


def _write_schemas(stage: Path) -> None:
    rows = []
    for file in sorted((pages.ROOT / "docs/schemas").rglob("*.json")):
        version, name = file.stem, file.parent.name
        copied = f"files/schemas/{name}-{version}.json"
        (stage / copied).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, stage / copied)
        told = json.loads(file.read_text("utf-8"))
        says = _plain(str(told.get("description", "")).partition("\n\n")[0])
        rows.append(f"| [`{name}`](../{copied}) | {version} | {says} |")
    text = _table_page("JSON Schemas", "schema | version | holds", rows)
    (stage / pages.SCHEMAS).write_text(text, "utf-8")


def _table_page(title: str, head: str, rows: Iterable[str]) -> str:
    about = (
        "Every answer of `--output json` names its schema and version in the field `schema`."
        " A version keeps the meaning of its fields; new fields may come."
    )
    rule = " | ".join(["---"] * (head.count("|") + 1))
    return "\n".join([f"# {title}\n", f"{about}\n", f"| {head} |", f"| {rule} |", *rows, ""])
