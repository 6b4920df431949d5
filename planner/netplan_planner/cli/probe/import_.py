"""`netplan probe import`: what iperf3, iperf 2 and netperf printed, into the store."""

from pathlib import Path
from typing import Annotated, Any

import typer

from netplan_planner.cli import answers
from netplan_planner.cli.probe import options as own
from netplan_planner.cli.state import state
from netplan_planner.engine import probe_import as engine
from netplan_planner.engine.asked_class import named_class
from netplan_planner.errors import IncompleteError
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted

SAID = "What the outputs do not say"


def _option(text: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, metavar=metavar, rich_help_panel=SAID)


def import_outputs(
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
    store: own.Store = own.STORE,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 4 when anything was refused.")
    ] = False,
) -> None:
    """Add outputs of iperf3, iperf 2 and netperf to the store of measurements.

    A run that is there already is not added again. What an output does not say of its ends (machine
    types, zones, the path) can be said for all of them; what it does say stays.
    """
    specs = answers.specs_of(output, former_format)
    src = engine.SaidOfEnd(
        machine_type=src_type, place=src_place, name=src_name, is_tier1=src_tier1
    )
    dst = engine.SaidOfEnd(
        machine_type=dst_type, place=dst_place, name=dst_name, is_tier1=dst_tier1
    )
    path_class = named_class(path)
    found = engine.import_outputs(paths, store=store, client=src, server=dst, path_class=path_class)
    answers.write(found, specs, RenderOptions(has_hints=not state.quiet))
    if strict and found.lost:
        were = "was" if len(found.lost) == 1 else "were"
        raise IncompleteError(f"{counted(len(found.lost), 'run')} {were} not imported (--strict)")
