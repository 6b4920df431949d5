"""`netplan mcp`: verbs as read-only tools of the Model Context Protocol, for agents.

The tools are made of what verbs are asked and answer (`tools`); a call runs the verb in this
process (`calling`), an answer is cut to the size of a context (`paging`), and inputs stay in the
folders that were allowed (`confines`).
"""

from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import Ask, Paths
from netplan_planner.cli.app import app
from netplan_planner.cli.mcp import server
from netplan_planner.cli.mcp.calling import Caller
from netplan_planner.cli.mcp.confines import Confines, refuse_network
from netplan_planner.cli.mcp.tools import tools_of
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.state import state
from netplan_planner.errors import UsageError
from netplan_planner.input_files import real_path
from netplan_planner.streams import answers_apart
from netplan_planner.verbs import panels

_INSTALL = "netplan mcp needs the protocol's SDK: pip install 'gce-netplan[mcp]'"


class McpAsk(Parameters, frozen=True, kw_only=True):
    """What agents may read, and how they reach the server."""

    allow: Annotated[
        Paths,
        Ask("Folder whose files the tools may read; repeat it.", metavar="DIR", is_folder=True),
    ] = ()
    online: Annotated[
        bool,
        Ask("Let the tools ask Google's APIs and read flow logs of other hosts."),
    ] = False
    http_port: Annotated[
        int | None,
        Ask(
            "Serve streamable HTTP on 127.0.0.1 at this port, and not stdio; 0 takes a free port.",
            "--http",
            metavar="PORT",
            least=0,
            most=65535,
        ),
    ] = None


@app.command("mcp", rich_help_panel=panels.SETUP, short_help="How do AI agents ask netplan?")
@taking
def mcp(asked: McpAsk, ctx: typer.Context) -> None:
    """Serve audit, plans and prices to AI agents as read-only tools (MCP).

    Over stdio, or over HTTP on this computer only. Tools read only what is in the folders of
    --allow, and ask no network without --online. Answers begin with a summary; an agent asks for
    more by a cursor.
    """
    try:
        serve = server.serve
    except ImportError as exc:
        raise UsageError(_INSTALL) from exc
    confines = Confines(tuple(real_path(Path(one)) for one in asked.allow), asked.online)
    if not asked.online:
        refuse_network()
    caller = Caller(ctx.find_root(), tools_of(is_online=asked.online), confines)
    state.live = None
    with answers_apart() as stream:
        serve(caller, stream, asked.http_port)
