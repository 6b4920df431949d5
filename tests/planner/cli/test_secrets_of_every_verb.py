"""No verb tells a token: of the environment, of a file of credentials, or one that it sent itself.

All verbs are walked over, those that succeed and those that fail, in every format and as talkative
as they can be.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import typer

from netplan_planner.cli.mcp.calling import Caller, Failed
from netplan_planner.cli.mcp.confines import Confines
from netplan_planner.cli.mcp.tools import tools_of
from netplan_planner.renderers.output import FORMATS, RENDERERS
from support.commands.asking import ASKING, TO_PROJECTS, asked_of_a_project
from support.commands.in_process import Done, netplan
from support.commands.lines import FILE, OUT, VERBS, success
from support.commands.tree import ROOT
from support.nightly import every
from support.servers.hostile import Asked, HostileServer, json_answer

MARKS = ("Zq8vX1kP", "Kd7Qw2Zt")
SENT = "ya29.s3nt-Zq8vX1kPw9LmT4"
KEPT = "3nv1r0n-Kd7Qw2ZtVb4Hj"
CONTEXT = typer.Context(ROOT, info_name="netplan", auto_envvar_prefix="NETPLAN")
COMMENTS = ("github-comment", "gitlab-comment")
OWN_FORMATS = {"audit": tuple(RENDERERS), "diff": (*FORMATS, "github", *COMMENTS)}


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    for name, before in (
        ("GITHUB_TOKEN", "ghp_"),
        ("NETPLAN_GITLAB_TOKEN", "glpat-"),
        ("GOOGLE_OAUTH_ACCESS_TOKEN", "ya29."),
        ("CLOUDSDK_AUTH_ACCESS_TOKEN", "ya29."),
        ("NETPLAN_PRICES_REFRESH_API_KEY", "AIza"),
        ("AWS_SECRET_ACCESS_KEY", ""),
    ):
        monkeypatch.setenv(name, before + KEPT)
    user = {"type": "authorized_user", "client_id": "x", "quota_project_id": "p"}
    file = tmp_path / "adc.json"
    file.write_text(json.dumps(user | {"client_secret": KEPT, "refresh_token": f"1//{KEPT}"}))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))


def assert_told_nothing(*texts: str) -> None:
    for text in texts:
        for mark in MARKS:
            at = text.find(mark)
            assert at < 0, text[max(at - 300, 0) : at + 60]


def outputs(verb: str, folder: Path) -> dict[Path, list[str]]:
    """Return every file of a verb's answer, and the words that ask for it."""
    forms = OWN_FORMATS.get(verb, FORMATS)
    files = {form: folder / f"answer.{form}" for form in forms if form != "text"}
    return {file: ["--output", f"{form}:{file}"] for form, file in files.items()}


def talkative(*words: str) -> Done:
    return netplan("--debug", "--explain", *words)


@pytest.mark.parametrize("verb", VERBS)
def test_an_answer_tells_nothing_of_the_surroundings(verb: str, tmp_path: Path) -> None:
    files = outputs(verb, tmp_path)
    asked = [word for words in files.values() for word in words]
    with ExitStack() as stack:
        done = talkative(*success(verb, tmp_path, stack), *asked, "--output", "text")
    assert done.status == 0, done.err
    assert_told_nothing(done.out, done.err, *(file.read_text("utf-8") for file in files))


@pytest.mark.parametrize("verb", VERBS)
def test_a_refusal_tells_nothing_of_the_surroundings(verb: str, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.json"
    damaged.write_text(f'{{"kind": "compute#instance", "token": "{SENT}')
    for line in (*VERBS[verb].unreadable, *VERBS[verb].lacking):
        words = line.replace(FILE, str(damaged)).replace(OUT, str(tmp_path)).split()
        done = talkative(*words)
        assert done.status, line
        assert_told_nothing(done.out, done.err)


def echo(request: Asked) -> bytes:
    """Answer with what was sent, wherever an answer has room for it."""
    token = request.headers.get("authorization", "") + request.headers.get("x-goog-api-key", "")
    details = [{"reason": token, "metadata": {"consumer": token}}]
    error = {"code": 403, "status": token, "message": f"no: {token}", "details": details}
    return json_answer({"error": error}, status=403, headers={"X-Debug": token})


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Credentials whose token a server on this machine gives out."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    token = json_answer({"access_token": SENT, "expires_in": 3600})
    with HostileServer(lambda _: token) as server:
        made = {
            "type": "service_account",
            "client_email": "reader@p.iam.gserviceaccount.com",
            "private_key": text,
            "private_key_id": KEPT,
            "token_uri": f"{server.url}/token",
            "project_id": "p",
        }
        (tmp_path / "adc.json").write_text(json.dumps(made))
        yield


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize("verb", every(3, ASKING))
def test_a_token_that_was_sent_comes_back_in_no_output(verb: str, tmp_path: Path) -> None:
    words = asked_of_a_project(verb, tmp_path)
    files = outputs(verb, tmp_path)
    asked = [word for pair in files.values() for word in pair]
    with HostileServer(echo) as server:
        done = talkative(*words, "--api-endpoint", server.url, *asked)
    sent = {value for one in server.asked for value in one.headers.values()}
    assert sent & {f"Bearer {SENT}", f"AIza{KEPT}"}, (done.status, done.err)
    written = [file.read_text("utf-8") for file in files if file.exists()]
    assert_told_nothing(done.out, done.err, *written)


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize("name", every(2, [*tools_of(is_online=True)]))
def test_no_tool_of_an_agent_tells_a_token(name: str, tmp_path: Path) -> None:
    tools = tools_of(is_online=True)
    caller = Caller(CONTEXT, tools, Confines((tmp_path,), is_online=True))
    given: dict[str, Any] = {"team": SENT}
    with HostileServer(echo) as server:
        if "project" in tools[name].fields:
            given = {"project": ["one-project"], "api_endpoint": server.url}
            more = TO_PROJECTS.get(" ".join(tools[name].words), "").split()
            pairs = zip(more[::2], more[1::2], strict=True)
            given |= {option[2:]: value for option, value in pairs if option[0] == "-"}
        try:
            told = json.dumps(caller.call(name, given))
        except Failed as failed:
            told = str(failed)
    assert_told_nothing(told)
