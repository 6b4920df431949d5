"""The protocol: tools and schemas by the official SDK, over stdio or HTTP on this machine alone.

Source:
    Model Context Protocol, revisions 2025-11-25 and 2026-07-28, which the SDK `mcp` 2 speaks both:
    https://modelcontextprotocol.io/specification
"""

import sys
from functools import partial
from io import TextIOWrapper
from typing import Any, TextIO

import anyio
import msgspec
import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from netplan_planner.cli.mcp.calling import Caller, Failed
from netplan_planner.cli.mcp.tools import ANSWER, CURSOR, PAGE, Tool, schema_ids
from netplan_planner.renderers.schema import pages
from netplan_planner.version import tool_version

_HOST = "127.0.0.1"
_PATH = "/mcp"
_SCHEMAS = "netplan://schemas/"
_ABOUT = (
    "netplan finds what costs too much or is too slow in Compute Engine networking, and predicts"
    " Gbit/s and dollars. It only reads and advises. Read `summary` first. `answer` holds all"
    " fields, by the published schema of the id `schema` (a resource); long lists are cut, `more`"
    " names them with a cursor for the tool `page`. `is_well` false: there are findings, or nothing"
    " fits. null, or an error, means not known: say so, never take it for 0. Paths are absolute, or"
    " relative to an allowed folder: {folders}. Options that a tool does not list are taken too, by"
    " the names of `netplan VERB --help-all` with _ for -."
)
_LESS = "Return more items of a list that an earlier answer cut."


def serve(caller: Caller, stream: TextIO, http_port: int | None) -> None:
    """Serve tools until the client ends, over stdio, or over HTTP at a port; 0 is a free one."""
    server = _server(caller)
    run = partial(_over_stdio, server, stream)
    anyio.run(run if http_port is None else partial(_over_http, server, http_port))


def _server(caller: Caller) -> Server[Any]:
    one_at_a_time = anyio.CapacityLimiter(1)
    tools = tuple(caller.tools.values())

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        page = _tool("page", _LESS, _OF_PAGE, PAGE, caller)
        return types.ListToolsResult(tools=[*(_of_verb(one, caller) for one in tools), page])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        run = partial(caller.call, params.name, params.arguments or {})
        try:
            found = await anyio.to_thread.run_sync(run, limiter=one_at_a_time)
        except Failed as failed:
            return types.CallToolResult(content=[_text(str(failed))], is_error=True)
        text = msgspec.json.encode(found).decode()
        return types.CallToolResult(content=[_text(text)], structured_content=found)

    async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[_resource(one) for one in schema_ids(tools)])

    async def read_resource(
        ctx: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        own = uri.removeprefix(_SCHEMAS)
        if not uri.startswith(_SCHEMAS) or own not in schema_ids(tools):
            raise ValueError(f"no resource {uri[:80]!r}")
        text = pages()[f"{own}.json"]
        held = types.TextResourceContents(uri=uri, text=text, mime_type="application/schema+json")
        return types.ReadResourceResult(contents=[held])

    folders = ", ".join(map(str, caller.confines.folders)) or "none"
    return Server(
        "netplan",
        version=tool_version(),
        instructions=_ABOUT.format(folders=folders),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


_OF_PAGE = {
    "type": "object",
    "properties": {"cursor": {"type": "string", "description": CURSOR}},
    "required": ["cursor"],
}


def _of_verb(tool: Tool, caller: Caller) -> types.Tool:
    return _tool(tool.name, tool.description, tool.takes(), ANSWER, caller)


def _tool(
    name: str, about: str, takes: dict[str, Any], gives: dict[str, Any], caller: Caller
) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=True,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=caller.confines.is_online,
    )
    return types.Tool(
        name=name, description=about, input_schema=takes, output_schema=gives, annotations=hints
    )


def _resource(own: str) -> types.Resource:
    name = f"JSON Schema of {own}"
    return types.Resource(uri=f"{_SCHEMAS}{own}", name=name, mime_type="application/schema+json")


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


async def _over_stdio(server: Server[Any], stream: TextIO) -> None:
    # The output was kept apart from what libraries print (`streams`): the SDK's own is not it.
    answers = anyio.wrap_file(TextIOWrapper(stream.buffer, encoding="utf-8"))
    async with stdio_server(stdout=answers) as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _over_http(server: Server[Any], port: int) -> None:
    """Listen on this machine alone; pages of browsers are refused by their Origin and Host."""
    config = uvicorn.Config("", host=_HOST, port=port, log_config=None, access_log=False)
    held = config.bind_socket()
    hosts = [f"{name}:{held.getsockname()[1]}" for name in (_HOST, "localhost")]
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
    config.app = server.streamable_http_app(
        streamable_http_path=_PATH,
        json_response=True,
        stateless_http=True,
        transport_security=security,
    )
    print(f"netplan mcp: http://{hosts[0]}{_PATH}", file=sys.stderr, flush=True)  # noqa: T201
    await uvicorn.Server(config).serve(sockets=[held])
