"""Tools made of verbs: what they take and how it becomes the verb's own words."""

from typing import Any

import pytest
import typer

from netplan_planner.asks import API
from netplan_planner.cli.mcp.calling import Caller, Failed
from netplan_planner.cli.mcp.confines import Confines
from netplan_planner.cli.mcp.tools import TOOLS, _ask, tools_of
from netplan_planner.cli.parameters import path_use
from netplan_planner.renderers.schema import pages
from support.commands.tree import ROOT

CONTEXT = typer.Context(ROOT, info_name="netplan", auto_envvar_prefix="NETPLAN")

TO_ZONE = {"from": "us-central1", "to": "zone"}
OFFLINE, ONLINE = tools_of(is_online=False), tools_of(is_online=True)


@pytest.fixture(scope="module")
def caller() -> Caller:
    return Caller(CONTEXT, OFFLINE, Confines(()))


def failed(caller: Caller, name: str, /, **given: Any) -> str:
    with pytest.raises(Failed) as told:
        caller.call(name, given)
    return str(told.value)


def test_every_verb_of_the_list_is_a_tool() -> None:
    verbs = {tool.words[0] for tool in OFFLINE.values()}
    assert verbs == set(TOOLS)
    assert {"audit", "price_machine", "price_traffic", "price_flow_logs"} <= set(OFFLINE)
    published = {name.removesuffix(".json") for name in pages()}
    assert all(set(tool.schemas()) <= published and tool.schemas() for tool in OFFLINE.values())


@pytest.mark.parametrize("name", OFFLINE)
def test_a_tool_takes_nothing_that_writes_or_asks_a_network(name: str) -> None:
    for field in OFFLINE[name].fields.values():
        use = path_use(field.annotation)
        assert use is None or not (use.is_written or use.is_own or use.is_answer)
        assert _ask(field).panel != API
    assert not {"project", "organization", "folder", "engine", "output", "resume"} & set(
        OFFLINE[name].fields
    )
    assert not {"output", "resume", "temp_directory"} & set(ONLINE[name].fields)


def test_online_tools_ask_projects() -> None:
    assert {"project", "organization", "api_client"} <= set(ONLINE["audit"].fields)


def test_what_is_asked_is_described_as_the_option_is() -> None:
    takes = OFFLINE["price_traffic"].takes()
    assert takes["required"] == ["from", "to", "gib"]
    assert takes["properties"]["gib"] == {
        "type": "number",
        "description": "GiB sent per month.",
        "minimum": 0,
    }
    assert takes["properties"]["network_tier"]["enum"] == ["PREMIUM", "STANDARD"]
    assert OFFLINE["audit"].takes()["properties"]["traffic"]["type"] == "array"


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("cap", {}, "did you mean caps?"),
        ("caps", {"machin_type": "x"}, "did you mean machine_type?"),
        ("caps", {"machine_type": {"x": 1}}, "takes a text, a number or a list of such"),
        ("caps", {"machine_type": "n2-standard-15"}, "n2-standard-16"),
        ("caps", {"machine_type": "--help"}, "--help"),
        ("price_traffic", {**TO_ZONE, "gib": -1}, "-1"),
        ("price_traffic", {**TO_ZONE, "gib": "x"}, "not a number"),
        ("price_traffic", TO_ZONE, "--gib"),
        ("price_traffic", {**TO_ZONE, "gib": 1, "external": "yes"}, "takes true or false"),
        ("audit", {}, "--demo"),
        ("audit", {"demo": "gecko", "output": ["html:x"]}, "no parameter 'output'"),
        ("audit", {"project": ["p"]}, "no parameter 'project'"),
        ("predict", {"batch": "/etc/passwd"}, "may read: none"),
        ("rules", {"name": "externl-ip-between-vpcs"}, "external-ip-between-vpcs"),
        ("page", {}, "no such cursor"),
    ],
)  # fmt: skip
def test_a_wrong_call_says_what_to_do(
    caller: Caller, name: str, given: dict[str, Any], said: str
) -> None:
    assert said in failed(caller, name, **given)


def test_values_cannot_be_taken_for_options(caller: Caller) -> None:
    assert "--output=json:/tmp/x" in failed(caller, "caps", machine_type="--output=json:/tmp/x")
    assert "html" in failed(caller, "recommend", gbps=1, region="--output=html:x")


def test_a_configured_input_outside_is_refused_too(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETPLAN_AUDIT_INVENTORY", "/etc/passwd")
    told = failed(caller, "audit", demo="gecko")
    assert "--inventory /etc/passwd: no such file in the folders" in told


def test_no_token_of_the_surroundings_or_of_a_call_is_in_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As if a machine type, which every answer holds, were a secret.
    monkeypatch.setenv("SOME_API_KEY", "n2-standard-16")
    caller = Caller(CONTEXT, ONLINE, Confines((), is_online=True))
    assert "n2-standard-16" not in str(caller.call("caps", {"machine_type": "n2-standard-16"}))
    token = "ya29.A0Zq8vX1kPw9LmT4aaaa"
    for words in (f"x {token}", f"sc://h/;token={token}", f"Bearer {token}"):
        told = failed(caller, "caps", machine_type=words)
        assert "Zq8vX1kP" not in told
        assert "(not shown)" in told


@pytest.mark.parametrize("tools", [OFFLINE, ONLINE], ids=("offline", "online"))
def test_no_tool_takes_what_writes_a_file_or_runs_code(tools: Any) -> None:
    taken = {name for tool in tools.values() for name in tool.fields}
    assert taken.isdisjoint({"add_ignores", "record", "rules_path", "out", "output", "store"})
