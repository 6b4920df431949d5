"""`netplan mcp` as clients see it: the SDK's own, over stdio and over HTTP on this machine.

The SDK takes a second to import, so that the tests that need it do so and not their collection.
"""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import anyio
import jsonschema
import pytest

from support.commands.cases import schema
from support.commands.run import MAIN, begun, run_verbs, surroundings

if TYPE_CHECKING:
    from mcp import Client

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(find_spec("mcp") is None, reason="the extra mcp is not installed"),
]

SCHEMAS = Path(__file__).parents[4] / "docs" / "schemas"
GIVEN: dict[str, dict[str, Any]] = {
    "audit": {"demo": "gecko"},
    "recommend": {"gbps": 10, "region": "us-central1"},
    "predict": {"src": "n2-standard-16"},
    "price_machine": {"machine_type": "n2-standard-16", "region": "us-central1"},
    "price_sku": {"sku_id": "BB77-5FDA-69D9"},
    "price_traffic": {"from": "us-central1", "to": "zone", "gib": 100},
    "price_address": {"region": "us-central1"},
    "price_nat": {"region": "us-central1"},
    "price_vpn": {"region": "us-central1"},
    "price_lb": {"region": "us-central1", "kind": "internal-passthrough"},
    "price_flow_logs": {"records": 1000000},
    "caps": {"machine_type": "n2-standard-16"},
    "rules": {},
    "whatif": {"demo": "gecko", "growth": "2"},
    "transfer": {"from": "us-central1", "to": ["us-east1"], "bytes": "1TB", "max_count": 2},
    "fleet": {"demo": "gecko"},
}
FIRST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
Use = Callable[["Client"], Awaitable[Any]]


@asynccontextmanager
async def over_stdio(*words: str, **variables: str) -> "AsyncIterator[Client]":
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable, args=["-c", MAIN, "mcp", *words], env=surroundings(**variables)
    )
    async with Client(server) as client:
        yield client


@contextmanager
def served(*words: str) -> Iterator[str]:
    """Start a server on a free port and yield its address; nothing but it is on its stderr."""
    process = begun("-c", MAIN, "mcp", "--http", "0", *words, stderr=subprocess.PIPE)
    try:
        line = process.stderr.readline().decode()  # type: ignore[union-attr]
        yield re.search(r"http://127\.0\.0\.1:\d+/mcp", line)[0]  # type: ignore[index]
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=30)
    assert out == b""


def asked(use: Use, *words: str, **variables: str) -> Any:
    async def main() -> Any:
        async with over_stdio(*words, **variables) as client:
            return await use(client)

    return anyio.run(main)


async def whole(client: "Client", made: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with all that its cursors lead to."""
    answer, left = made["answer"], [*made["more"]]
    while left:
        cut = left.pop(0)
        values, cursor = answer, cut["cursor"]
        for step in cut["path"].split("/")[1:]:
            values = values[int(step)] if isinstance(values, list) else values[step]
        while cursor is not None:
            page = (await client.call_tool("page", {"cursor": cursor})).structured_content
            values += page["items"]
            left += page["more"]
            cursor = page["next_cursor"]
    return dict(answer)


def test_every_tool_answers_over_stdio_with_the_published_schema() -> None:
    async def use(client: "Client") -> dict[str, Any]:
        listed: dict[str, Any] = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == {*GIVEN, "page"}
        assert all(tool.annotations.read_only_hint for tool in listed.values())
        assert sum(len(tool.model_dump_json()) for tool in listed.values()) < 40_000
        resources = {one.uri for one in (await client.list_resources()).resources}
        for name, given in GIVEN.items():
            jsonschema.validate(given, listed[name].input_schema)
            done: Any = await client.call_tool(name, given)
            made = done.structured_content
            assert not done.is_error, done.content
            assert json.loads(done.content[0].text) == made
            assert len(done.content[0].text) < 20_000
            assert made["summary"].strip()
            uri = f"netplan://schemas/{made['schema']}"
            assert uri in resources
            published = schema(made["schema"])
            published.validate(made["answer"])
            if made["more_count"] == len(made["more"]) and made["more_count"] < 8:
                published.validate(await whole(client, made))
        read: Any = await client.read_resource("netplan://schemas/netplan.caps/1")
        assert json.loads(read.contents[0].text) == json.loads(
            (SCHEMAS / "netplan.caps" / "1.json").read_text()
        )
        done = await client.call_tool("recommend", GIVEN["recommend"])
        return await whole(client, done.structured_content)

    # An answer is that of the command.
    words = ["recommend", "--gbps", "10", "--region", "us-central1", "--output", "json"]
    assert asked(use) == json.loads(run_verbs(arguments=words).stdout)


def test_inputs_are_confined_and_relative_paths_are_of_the_folder(tmp_path: Path) -> None:
    project = Path(__file__).parents[3] / "data" / "one-project" / "gcloud"
    (tmp_path / "link.json").symlink_to("/etc/hostname")

    async def use(client: "Client") -> None:
        read = await client.call_tool("audit", {"inventory": ["."]})
        assert not read.is_error, read.content
        for given in (
            {"inventory": ["/etc/hostname"]},
            {"inventory": [f"{project}/../../../../pyproject.toml"]},
            {"inventory": [str(tmp_path)]},
            {"traffic": ["gs://bucket/logs"], "inventory": ["."]},
            {"traffic": ["bigquery://p.d"], "inventory": ["."]},
            {"bundle": "/proc/self/environ"},
            {"inventory": ["-"]},
        ):
            refused: Any = await client.call_tool("audit", given)
            assert refused.is_error, given
            assert "netplan mcp" in refused.content[0].text

    asked(use, "--allow", str(project), "--allow", str(tmp_path))


def test_no_connection_is_opened_without_being_allowed() -> None:
    asked_twice = (
        "from netplan_planner.cli.mcp.confines import refuse_network; refuse_network();"
        " import socket; socket.create_connection(('127.0.0.1', 9))"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked_twice], env=surroundings(), capture_output=True, text=True
    )
    assert "UsageError: netplan mcp was started without --online" in done.stderr


def test_no_planted_token_leaves_the_server(tmp_path: Path) -> None:
    token = "ya29.s3cr3t-Zq8vX1kPw9LmT4"
    instance = {
        "kind": "compute#instance",
        "id": "1",
        "name": "vm-1",
        "selfLink": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a/instances/vm-1",
        "zone": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a",
        "machineType": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a/machineTypes/n2-standard-4",
        "status": "RUNNING",
        "description": token,
        "labels": {"team": "token=" + "Zq8vX1kPw9"},
        "metadata": {"items": [{"key": "startup-script", "value": f"curl -H 'Bearer {token}'"}]},
    }  # fmt: skip
    (tmp_path / "instances.json").write_text(json.dumps([instance]))
    (tmp_path / "netplan.toml").write_text(f'[prices.refresh]\napi-key = "{token}"\n')

    async def use(client: "Client") -> str:
        seen = [str(await client.list_tools()), str(client.server_info), str(client.instructions)]
        calls: list[tuple[str, dict[str, Any]]] = [
            ("audit", {"inventory": ["instances.json"]}),
            ("fleet", {"inventory": ["instances.json"]}),
            ("audit", {"inventory": [token]}),
            ("audit", {token: token}),
            (token, {}),
        ]
        seen += [str(await client.call_tool(name, given)) for name, given in calls]
        return "\n".join(seen)

    words = ("--allow", str(tmp_path), "--config", str(tmp_path / "netplan.toml"))
    told = asked(use, *words, GITHUB_TOKEN=f"ghp_{token}", NETPLAN_PRICES_REFRESH_API_KEY=token)
    assert "vm-1" in told
    assert "Zq8vX1kP" not in told


def test_over_http_the_same_answers_and_strangers_are_refused() -> None:
    from mcp import Client

    with served() as address:

        async def use() -> Any:
            async with Client(address) as client:
                assert len((await client.list_tools()).tools) == len(GIVEN) + 1
                found: dict[str, Any] = {}

                async def ask(machine_type: str) -> None:
                    done = await client.call_tool("caps", {"machine_type": machine_type})
                    cap = done.structured_content["answer"]["caps"][0]
                    found[machine_type] = cap["machine_type"]

                async with anyio.create_task_group() as group:
                    for size in (2, 4, 8, 16):
                        group.start_soon(ask, f"n2-standard-{size}")
                return found

        # Asked at once, each has the answer to its own question.
        found = anyio.run(use)
        assert {name: name for name in found} == found
        assert len(found) == 4
        port = address.split(":")[2].partition("/")[0]
        own = f"http://127.0.0.1:{port}"
        assert status(address) == status(address, Origin=own) == 200
        assert status(address, Origin=f"http://localhost:{port}") == 200
        assert status(address, Origin="http://evil.example") == 403
        assert status(address, Origin="null") == 403
        assert status(address, Origin=f"{own}.evil.example") == 403
        assert status(address, Host="evil.example") == 421
        assert status(address, Host=f"evil.example:{port}") == 421
        with pytest.raises(OSError, match="refused"):
            urlopen(f"http://127.0.0.2:{port}/mcp", timeout=5)


def status(address: str, **headers: str) -> int:
    """Return the status of a first message with these headers."""
    kinds = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    request = Request(address, json.dumps(FIRST).encode(), {**kinds, **headers})
    try:
        with urlopen(request, timeout=20) as done:
            return int(done.status)
    except HTTPError as error:
        return error.code


def test_nothing_but_the_protocol_gets_to_the_standard_output() -> None:
    batch = {"name": "predict", "arguments": {"batch": "edges.csv"}}
    messages = [
        FIRST,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "rules"}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": batch},
    ]
    loud = (
        "import os, netplan_planner.verbs.rules.run as run; kept = run.rule_list;"
        " run.rule_list = lambda: (print('loud'), os.write(1, b'loud'), kept())[-1]; "
    )
    process = subprocess.Popen(
        [sys.executable, "-c", loud + MAIN, "mcp", "--allow", str(SCHEMAS.parent / "examples")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(),
    )  # fmt: skip
    for message in messages:
        process.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
    lines = [json.loads(process.stdout.readline()) for _ in range(3)]  # type: ignore[union-attr]
    rest, _ = process.communicate(timeout=30)
    assert sorted(line["id"] for line in lines) == [1, 2, 3]
    assert rest == b""
    assert process.returncode == 0
