"""`netplan probe import`: what iperf3, iperf 2 and netperf printed, into the store."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netplan_planner.cli.app import state
from netplan_planner.cli.probe import STORE, Form, FormOption, StoreOption, probe_app
from netplan_planner.errors import IncompleteError
from netplan_planner.inert import LINE_LENGTH
from netplan_planner.units import counted

if TYPE_CHECKING:
    from netplan_planner.engine.probe_import import Imported
    from netplan_planner.measuring.outputs import Refused

SCHEMA = "netplan.probe-import/1"
SAID = "What the outputs do not say"
_SHOWN_REASONS, _SHOWN_PLACES = 20, 3


def _option(text: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, metavar=metavar, rich_help_panel=SAID)


@probe_app.command("import")
def import_(
    paths: Annotated[
        list[Path], typer.Argument(help="Files or folders; each format is told by its content.")
    ],
    src_type: Annotated[
        str | None, _option("Machine type of the end that ran the tool's client.")
    ] = None,
    dst_type: Annotated[str | None, _option("Of the end that ran its server.")] = None,
    src_place: Annotated[str | None, _option("Or a region.", "ZONE")] = None,
    dst_place: Annotated[str | None, _option("Or a region.", "ZONE")] = None,
    src_name: Annotated[str | None, _option("Of the machine.")] = None,
    dst_name: Annotated[str | None, _option("Of the machine.")] = None,
    src_tier1: Annotated[bool | None, _option("Its bandwidth tier.")] = None,
    dst_tier1: Annotated[bool | None, _option("Its bandwidth tier.")] = None,
    path: Annotated[
        str | None, _option("Path class, such as inter-region-internal.", "CLASS")
    ] = None,
    store: StoreOption = STORE,
    form: FormOption = Form.TEXT,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 4 when anything was refused.")
    ] = False,
) -> None:
    """Add outputs of iperf3, iperf 2 and netperf to the store of measurements.

    A run that is there already is not added again. What an output does not say of its ends (machine
    types, zones, the path) can be said for all of them; what it does say stays.
    """
    from netplan_planner.engine.asked_class import named_class
    from netplan_planner.engine.probe_import import SaidOfEnd, import_outputs

    found = import_outputs(
        paths,
        store=store,
        client=SaidOfEnd(machine_type=src_type, place=src_place, name=src_name, is_tier1=src_tier1),
        server=SaidOfEnd(machine_type=dst_type, place=dst_place, name=dst_name, is_tier1=dst_tier1),
        path_class=named_class(path),
    )
    typer.echo(_json(found, store) if form is Form.JSON else _text(found, store), nl=False)
    if strict and found.lost:
        were = "was" if len(found.lost) == 1 else "were"
        raise IncompleteError(f"{counted(len(found.lost), 'run')} {were} not imported (--strict)")


def _text(found: "Imported", store: Path) -> str:
    from netplan_planner.cli.probe_results import calibrate_command
    from netplan_planner.inert import inert

    tools = ", ".join(f"{tool} {count:,}" for tool, count in found.by_tool)
    lines = [
        f"{counted(found.measurement_count, 'measurement')} in"
        f" {counted(found.file_count, 'file')} ({tools}): {found.new_count:,} added to {store},"
        f" {found.measurement_count - found.new_count:,} there already"
    ]
    if found.lost:
        lines += ["", f"{counted(len(found.lost), 'run')} not imported:", *_by_reason(found.lost)]
    twice = len(found.refused) - len(found.lost)
    if twice:
        lines += ["", f"{counted(twice, 'text')} left out: the JSON of the same run is there too"]
    if found.new_count and not state.quiet:
        lines += ["", f"next: {calibrate_command(store)}"]
    return "\n".join(inert(line, LINE_LENGTH) for line in lines) + "\n"


def _by_reason(refused: Sequence["Refused"]) -> list[str]:
    """Return refusals by reason, each with its first places; JSON has all of them."""
    places: dict[str, list[str]] = {}
    for one in refused:
        places.setdefault(one.reason, []).append(one.place)
    lines = []
    for reason, where in list(places.items())[:_SHOWN_REASONS]:
        lines += [f"  {reason}", *(f"    {place}" for place in where[:_SHOWN_PLACES])]
        if len(where) > _SHOWN_PLACES:
            lines.append(f"    and {counted(len(where) - _SHOWN_PLACES, 'more place')}")
    rest = len(places) - _SHOWN_REASONS
    if rest > 0:
        lines.append(f"  and {counted(rest, 'more reason')} (--format json has all)")
    return lines


def _json(found: "Imported", store: Path) -> str:
    from netplan_planner.inert import escaped_json

    document = {
        "schema": SCHEMA,
        "store": str(store),
        "measurements": found.measurement_count,
        "added": found.new_count,
        "files": found.file_count,
        "by_tool": dict(found.by_tool),
        "refused": [
            {"place": one.place, "reason": one.reason, "is_repeat": one.is_repeat}
            for one in found.refused
        ],
    }
    return escaped_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"
