"""Where the API is, which credentials go there, and where they never go."""

import gzip
import json
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import AccessError, UsageError
from netplan_planner.google import session
from netplan_planner.google.compute import read_projects
from netplan_planner.google.exchange import unpack_gzip
from netplan_planner.google.options import (
    ANONYMOUS_VARIABLE,
    DEFAULT_ENDPOINT,
    EMULATOR_VARIABLE,
    ENDPOINT_VARIABLE,
    ApiClient,
    ApiOptions,
    resolve_endpoint,
)
from support.listed import listed
from support.projects import one_project
from support.servers.compute import ComputeServer, Fault
from support.servers.hostile import HostileServer, json_answer

SECRET = "token-that-nobody-may-see"


@listed(
    ("text", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/compute/v1/"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/compute/v1/"),
        ("http://localhost:8080/compute/v1/", "http://localhost:8080/compute/v1/"),
        ("http://[::1]:8080/compute/beta", "http://[::1]:8080/compute/beta/"),
        ("https://compute.example.com", "https://compute.example.com/compute/v1/"),
        ("https://example.com/proxy", "https://example.com/proxy/compute/v1/"),
    ],
)
def test_an_endpoint_may_leave_out_the_version(text: str, base: str) -> None:
    assert resolve_endpoint(ApiOptions(endpoint=text), {}).base_url == base


def test_the_endpoint_comes_from_the_option_then_the_environment() -> None:
    environment = {
        ENDPOINT_VARIABLE: "http://127.0.0.1:1/compute/v1/",
        EMULATOR_VARIABLE: "[::1]:2",
    }
    option = ApiOptions(endpoint="http://127.0.0.1:3")
    assert resolve_endpoint(option, environment).base_url == "http://127.0.0.1:3/compute/v1/"
    found = resolve_endpoint(ApiOptions(), environment)
    assert (found.base_url, found.is_anonymous) == ("http://127.0.0.1:1/compute/v1/", False)
    del environment[ENDPOINT_VARIABLE]
    found = resolve_endpoint(ApiOptions(), environment)
    assert (found.base_url, found.is_anonymous) == ("http://[::1]:2/compute/v1/", True)
    found = resolve_endpoint(ApiOptions(), {})
    assert (found.base_url, found.is_anonymous) == (DEFAULT_ENDPOINT, False)


@listed("value", ["true", "True", "1", "yes"])
def test_credentials_are_switched_off_by_gclouds_variable(value: str) -> None:
    assert resolve_endpoint(ApiOptions(), {ANONYMOUS_VARIABLE: value}).is_anonymous
    assert not resolve_endpoint(ApiOptions(), {ANONYMOUS_VARIABLE: "false"}).is_anonymous


@listed("host", ["192.0.2.1", "example.com", "127.0.0.1.example.com", "[2001::1]"])
def test_credentials_do_not_go_out_unencrypted(host: str) -> None:
    with pytest.raises(
        UsageError, match="is neither encrypted nor local, so credentials are not sent to it"
    ):
        resolve_endpoint(ApiOptions(endpoint=f"http://{host}"), {})
    assert resolve_endpoint(ApiOptions(endpoint=f"http://{host}", is_anonymous=True), {})


@listed(
    "text",
    ["ftp://example.com", "127.0.0.1:80", "https://", "http://[::1", "https://u:p@h", "http://h:x"],
)
def test_what_is_no_endpoint_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError):
        resolve_endpoint(ApiOptions(endpoint=text), {})


@listed(
    ("name", "value"),
    [("concurrency", 0), ("page_size", 501), ("max_attempts", 0), ("timeout_s", 0.0)],
)
def test_bounds_have_bounds(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=name):
        ApiOptions(**{name: value})


@pytest.fixture
def no_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home without any, and no look for a metadata server."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.delenv(ANONYMOUS_VARIABLE, raising=False)
    monkeypatch.delenv(ENDPOINT_VARIABLE, raising=False)


@pytest.mark.usefixtures("no_credentials")
def test_no_credentials_is_an_access_error_with_the_remedy() -> None:
    with pytest.raises(AccessError, match="gcloud auth application-default login"):
        read_projects(["p"], ApiOptions(endpoint="http://127.0.0.1:9"))


@pytest.mark.usefixtures("no_credentials")
def test_a_damaged_key_file_is_an_access_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key.json"
    path.write_text("{", encoding="utf-8")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    with pytest.raises(AccessError, match=r"key\.json cannot be used: the file is not JSON"):
        read_projects(["p"], ApiOptions(endpoint="http://127.0.0.1:9"))


@pytest.fixture
def token_server() -> Iterator[str]:
    """Where a service account's key is changed for a token."""

    token = json_answer({"access_token": SECRET, "expires_in": 3600})
    with HostileServer(lambda _: token) as server:
        yield f"{server.url}/token"


@pytest.fixture
def service_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token_server: str, no_credentials: None
) -> None:
    """Application default credentials of a made service account."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = {
        "type": "service_account",
        "client_email": "reader@one-project.iam.gserviceaccount.com",
        "private_key": text,
        "private_key_id": "0",
        "token_uri": token_server,
        "project_id": "one-project",
    }
    path = tmp_path / "account.json"
    path.write_text(json.dumps(account), encoding="utf-8")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))


@pytest.mark.parametrize("client", ApiClient)
@pytest.mark.usefixtures("service_account")
def test_default_credentials_are_sent_to_loopback(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ComputeServer() as server:
        server.add_project(one_project.PROJECT, one_project.resources())
        monkeypatch.setenv(ENDPOINT_VARIABLE, f"{server.url}/compute/v1/")
        inventory = read_projects([one_project.PROJECT], ApiOptions(client=client))
    assert {call.header("Authorization") for call in server.calls} == {f"Bearer {SECRET}"}
    assert SECRET not in str(inventory)


@pytest.mark.parametrize("client", ApiClient)
@pytest.mark.usefixtures("service_account")
def test_anonymous_sends_none_even_if_there_are_some(
    client: ApiClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login a password b\n", encoding="utf-8")
    with ComputeServer() as server:
        server.add_project(one_project.PROJECT, one_project.resources())
        monkeypatch.setenv(EMULATOR_VARIABLE, server.url.removeprefix("http://"))
        read_projects([one_project.PROJECT], ApiOptions(client=client))
    assert {call.header("Authorization") for call in server.calls} == {None}


@pytest.mark.parametrize("client", ApiClient)
@pytest.mark.usefixtures("service_account")
def test_a_refused_token_is_renewed_once_and_then_reported(client: ApiClient) -> None:
    with ComputeServer() as server:
        server.add_project(one_project.PROJECT, one_project.resources())
        server.add_fault(Fault(method="compute.routes.list", status=401, times=1))
        inventory = read_projects(
            [one_project.PROJECT], ApiOptions(endpoint=server.url, client=client)
        )
    assert len(inventory.routes) == 5
    assert inventory.projects[0].errors == ()


@pytest.mark.usefixtures("no_credentials")
def test_a_token_that_cannot_be_had_is_an_access_error(
    service_account: None, tmp_path: Path
) -> None:
    path = tmp_path / "account.json"
    account = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(account | {"token_uri": "http://127.0.0.1:9/"}), encoding="utf-8")
    with pytest.raises(AccessError) as caught:
        read_projects(["p"], ApiOptions(endpoint="http://127.0.0.1:9"))
    assert "the token server does not answer; check the network connection" in str(caught.value)
    assert "PRIVATE KEY" not in str(caught.value)


@listed("data", [b"", b"{}", b"x" * 300_000])
def test_gzip_is_unpacked_in_both_forms(data: bytes) -> None:
    plain = gzip.compress(data)
    named = plain[:3] + b"\x08" + plain[4:10] + b"name.json\x00" + plain[10:]
    assert unpack_gzip(plain) == unpack_gzip(named) == data


@listed("cut", [0, 4, 12, -9, -1])
def test_cut_gzip_is_an_error(cut: int) -> None:
    with pytest.raises(zlib.error):
        unpack_gzip(gzip.compress(b"some data that is cut")[:cut])


def test_a_wrong_size_in_gzip_is_an_error() -> None:
    with pytest.raises(zlib.error, match="size"):
        unpack_gzip(gzip.compress(b"data")[:-4] + bytes([9, 0, 0, 0]))


def test_readers_load_no_client_before_it_is_needed() -> None:
    code = (
        "import sys, netplan_planner.readers;"
        "print(sorted({'requests', 'urllib3', 'google.auth', 'duckdb'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_watch_may_be_closed_while_another_thread_begins_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch = session.Watch()

    class Late(threading.Thread):
        def start(self) -> None:
            watch.close()
            super().start()

    monkeypatch.setattr(threading, "Thread", Late)
    with watch.until(time.monotonic() + 60):
        pass
    watch.close()
