"""What an import of tools' outputs added to a store, and what it refused, by reason."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypedDict

from netplan_planner.measuring.outputs.base import Refused
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Entry, Item, Para, Role, Title, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.probe.imported import ProbeImport
from netplan_planner.verbs.probe.show_results import next_command

SCHEMA = "netplan.probe-import/1"
_SHOWN_REASONS, _SHOWN_PLACES = 20, 3


class Record(TypedDict):
    """What an import added to a store, and every refusal."""

    store: str
    measurements: int
    added: int
    """Of them, those that the store did not have yet."""
    files: int
    """Files with at least one of them."""
    by_tool: dict[str, int]
    refused: tuple[Refused, ...]


def record(answer: ProbeImport) -> Record:
    """Return the counts, and every refusal."""
    return {
        "store": answer.store,
        "measurements": answer.measurement_count,
        "added": answer.new_count,
        "files": answer.file_count,
        "by_tool": dict(answer.by_tool),
        "refused": answer.refused,
    }


def table(answer: ProbeImport) -> DataTable:
    """Return a row for each refusal; the counts are for JSON."""
    rows = ((one.place, one.reason, one.is_repeat) for one in answer.refused)
    return DataTable(("place", "reason", "is_repeat"), rows)


def blocks(answer: ProbeImport, options: RenderOptions) -> Iterator[Block]:
    """Yield what was added, what was refused, and how to go on."""
    tools = ", ".join(f"{tool} {count:,}" for tool, count in answer.by_tool)
    counts = f"{counted(answer.measurement_count, 'measurement')} in"
    files = f"{counted(answer.file_count, 'file')} ({tools})"
    store = say(answer.store, Role.PLACE)
    there = f", {answer.measurement_count - answer.new_count:,} already there"
    added = line(f"{answer.new_count:,} added to ", store, there)
    yield Title(line=line(f"{counts} {files}"), basis=added)
    if answer.lost:
        yield Entry(line=line(f"{counted(len(answer.lost), 'run')} not imported:"))
        yield from _by_reason(answer.lost)
    twice = len(answer.refused) - len(answer.lost)
    if twice:
        text = f"{counted(twice, 'text')} not used: the JSON output of the same run is there too"
        yield Entry(line=line(text))
    if answer.new_count and options.has_hints:
        yield from _next(answer)


def _next(answer: ProbeImport) -> Iterator[Block]:
    """Yield what calibrations need and is not told, and the command that fits the model."""
    if answer.untold:
        with_options = f"Import these outputs again with {', '.join(answer.untold)}"
        yield Entry(line=line(f"{with_options}: netplan calibrate needs this for each run"))
    if answer.ready_count and not answer.is_dated:
        yield Entry(
            line=line("The runs have no date: state the day with netplan calibrate --as-of")
        )
    if answer.ready_count:
        yield from next_command(answer.store, "" if answer.is_dated else "--as-of YYYY-MM-DD ")


def _by_reason(refused: Sequence[Refused]) -> Iterator[Block]:
    """Yield refusals by reason, each with its first places; JSON has all of them."""
    places: dict[str, list[str]] = defaultdict(list)
    for one in refused:
        places[one.reason].append(one.place)
    for reason, where in list(places.items())[:_SHOWN_REASONS]:
        yield Item(line=line(reason))
        for place in where[:_SHOWN_PLACES]:
            yield Para(line=line(say(place, Role.PLACE)), is_inner=True)
        if len(where) > _SHOWN_PLACES:
            more = counted(len(where) - _SHOWN_PLACES, "more place")
            yield Para(line=line(f"and {more}"), is_inner=True)
    rest = len(places) - _SHOWN_REASONS
    if rest > 0:
        yield Item(line=line(f"and {counted(rest, 'more reason')} (--output json has all)"))
