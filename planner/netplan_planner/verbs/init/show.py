"""What `netplan init` found, and what to run next."""

from collections import Counter
from collections.abc import Iterator

from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable, data_table, phrases
from netplan_planner.renderers.document import Block, Piece, line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.init.answer import FoundInput, InitAnswer, InputKind

SCHEMA = "netplan.init/1"
_LISTED = 2
"""Paths of a kind."""


def table(answer: InitAnswer) -> DataTable:
    """Return a row a file or folder that was found."""
    return data_table(FoundInput, answer.found)


def blocks(answer: InitAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what is set, what was found besides, and the next commands: 12 lines at most."""
    del options
    checked = f"{counted(answer.checked_count, 'file')} checked"
    more = f", {answer.unchecked_count:,} or more not (too many or too large)"
    basis = checked + ("" if answer.is_complete else more)
    yield doc.Title(line=line(phrases.place(answer.file), " written"), basis=line(basis))
    if answer.projects:
        said = "" if answer.is_project_set else " (not set: the files are read)"
        yield doc.item("project: ", ", ".join(answer.projects), said)
    given = [one for one in answer.found if one.setting]
    for kind in dict.fromkeys(one.kind for one in given):
        yield doc.item(*_listed(kind, [one for one in given if one.kind is kind]))
    others = Counter[str]()
    for one in answer.found:
        others[_word(one.kind)] += 0 if one.setting else one.file_count
    if unset := [f"{word} ({counted(count, 'file')})" for word, count in others.items() if count]:
        yield doc.item("found and not set: ", ", ".join(unset))
    if not answer.found:
        yield doc.item("no inventory, flow logs or metrics found")
    yield doc.section("Next")
    for command in answer.commands:
        yield doc.Command(text=command)


def _listed(kind: InputKind, found: list[FoundInput]) -> tuple[Piece, ...]:
    """Return the files of a kind in one line."""
    paths = [one.path + ("/" if one.file_count > 1 else "") for one in found[:_LISTED]]
    rest = len(found) - len(paths)
    count = counted(sum(one.file_count for one in found), "file")
    shown = ", ".join(paths) + (f" and {rest:,} more" if rest else "")
    return f"{_word(kind)}, {count}: ", phrases.place(shown)


def _word(kind: InputKind) -> str:
    return kind.value.replace("-", " ")
