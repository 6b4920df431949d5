"""`netplan probe import`: what iperf3, iperf 2 and netperf printed, into the store."""

from pathlib import Path
from typing import Annotated, Any

import typer

from netplan_planner.asks import WALKED, Ask
from netplan_planner.cli import commands
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.probe.options import STORE, Store
from netplan_planner.cli.state import state
from netplan_planner.errors import IncompleteError
from netplan_planner.model import MeasuredEnd
from netplan_planner.planning.path_question import named_class
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.probe import imported as engine

SAID = "What the outputs do not contain"


_Text = str | None


def _option(text: str, metavar: str | None = None) -> Any:
    return typer.Option(help=text, metavar=metavar, rich_help_panel=SAID)


def _set_up(text: str, least: int | None = None) -> Ask:
    return Ask(text, least=least, panel=SAID, is_expert=True)


def _buffer(what: str, end: str, name: str) -> Ask:
    return _set_up(f"{what} buffer of the {end}, net.ipv4.tcp_{name}'s last value.", 4096)


class Said(Parameters, frozen=True, kw_only=True):
    """What the outputs do not say; src ran the tool's client, dst its server."""

    src_type: Annotated[_Text, _option("Machine type of the VM that ran the tool's client.")] = None
    dst_type: Annotated[_Text, _option("Machine type of the VM that ran the tool's server.")] = None
    src_place: Annotated[_Text, _option("Zone or region of the client.", "ZONE")] = None
    dst_place: Annotated[_Text, _option("Zone or region of the server.", "ZONE")] = None
    src_name: Annotated[_Text, _option("Name of the client VM.")] = None
    dst_name: Annotated[_Text, _option("Name of the server VM.")] = None
    src_tier1: Annotated[bool | None, _option("Whether the client has Tier_1 networking.")] = None
    dst_tier1: Annotated[bool | None, _option("Whether the server has Tier_1 networking.")] = None
    src_image: Annotated[_Text, _option("Image of the client.")] = None
    dst_image: Annotated[_Text, _option("Image of the server.")] = None
    src_congestion: Annotated[_Text, _set_up("Congestion control of the client.")] = None
    dst_congestion: Annotated[_Text, _set_up("Congestion control of the server.")] = None
    src_rmem_bytes: Annotated[int | None, _buffer("Receive", "client", "rmem")] = None
    dst_rmem_bytes: Annotated[int | None, _buffer("Receive", "server", "rmem")] = None
    src_wmem_bytes: Annotated[int | None, _buffer("Send", "client", "wmem")] = None
    dst_wmem_bytes: Annotated[int | None, _buffer("Send", "server", "wmem")] = None
    path: Annotated[_Text, _option("Path class, such as inter-region-internal.", "CLASS")] = None


class Import(Parameters, frozen=True, kw_only=True):
    """Which outputs to add to the store."""

    paths: Annotated[
        list[Path],
        typer.Argument(help="Files or folders; the content of each tells its format."),
        WALKED,
    ]
    said: Said = Said()
    store: Store = STORE
    answer: commands.Output = commands.Output()
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 4 when a result was refused.")
    ] = False


@taking
def import_outputs(asked: Import) -> None:
    """Add outputs of iperf3, iperf 2 and netperf to the store of measurements.

    A run that is there already is not added again. What an output does not say of its ends (machine
    types, zones, the path) can be said for all of them; what it does say stays.
    """
    specs, said = asked.answer.specs(), asked.said
    found = engine.import_outputs(
        asked.paths,
        store=asked.store,
        client=_end(said, "src"),
        server=_end(said, "dst"),
        path_class=named_class(said.path),
    )
    shown = RenderOptions(has_hints=not state.quiet, verb="netplan probe import")
    commands.write(found, specs, shown)
    if asked.strict and found.lost:
        were = "was" if len(found.lost) == 1 else "were"
        raise IncompleteError(f"{counted(len(found.lost), 'run')} {were} not imported (--strict)")


def _end(said: Said, which: str) -> MeasuredEnd:
    """Return what is said of the end that `which` names."""
    zone, region = engine.zone_and_region(getattr(said, f"{which}_place"))
    return MeasuredEnd(
        name=getattr(said, f"{which}_name") or "",
        machine_type=getattr(said, f"{which}_type"),
        is_tier1=getattr(said, f"{which}_tier1"),
        zone=zone,
        region=region,
        congestion_control=getattr(said, f"{which}_congestion"),
        receive_ceiling_bytes=getattr(said, f"{which}_rmem_bytes"),
        send_ceiling_bytes=getattr(said, f"{which}_wmem_bytes"),
        image=getattr(said, f"{which}_image"),
    )
