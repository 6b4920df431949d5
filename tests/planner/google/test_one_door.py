"""Nothing is asked of any API but through netplan's own transport, whoever makes the request."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import requests

from netplan_planner.google import exchange, session
from netplan_planner.google.options import ENDPOINT_VARIABLE, ApiClient, ApiOptions
from support.servers.hostile import HostileServer
from support.servers.tried_apis import APIS, BY_NAME, PER_PAGE, Api, reading_of

_OPENS = Path(session.__file__).name, "connect"
"""What opens a connection that the watch over slow answers knows of."""
_ASKS: CodeType = exchange.Exchange.ask.__code__
"""What bounds an answer in size and time, and follows no redirect."""


def callers() -> Iterator[CodeType]:
    frame: Any = sys._getframe(2)
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


@pytest.fixture
def one_door(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let nobody open a connection but the transport; return the addresses that it opened."""
    opened: list[Any] = []
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        codes = list(callers())
        names = {(Path(code.co_filename).name, code.co_name) for code in codes}
        if _OPENS not in names or _ASKS not in codes:
            self.close()
            raise AssertionError(f"{address}: a connection that is not the transport's")
        opened.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    return opened


def test_the_guard_sees_who_goes_round(one_door: list[Any]) -> None:
    with HostileServer(lambda _: b"") as server:
        with pytest.raises(AssertionError, match="not the transport's"):
            requests.get(server.url, timeout=1)
        with pytest.raises(AssertionError, match="not the transport's"):
            socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), 1)
        assert server.asked == []
    assert one_door == []


def read(
    api: Api, monkeypatch: pytest.MonkeyPatch, folder: Path, client: ApiClient, opened: list[Any]
) -> None:
    with HostileServer(api.answer) as server:
        for variable in {ENDPOINT_VARIABLE, api.variable} - {""}:
            monkeypatch.setenv(variable, server.url)
        options = ApiOptions(is_anonymous=True, client=client)
        assert reading_of(api, server.url, options, folder) == ((2 * PER_PAGE, ""), False)
    assert opened


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name.replace(" ", "-"))
def test_every_reader_asks_by_the_transport(
    api: Api, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, one_door: list[Any]
) -> None:
    read(api, monkeypatch, tmp_path, ApiClient.REST, one_door)


@pytest.mark.parametrize("name", ["compute", "members of groups", "price catalogue"])
def test_clients_of_google_ask_by_the_transport(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, one_door: list[Any]
) -> None:
    read(BY_NAME[name], monkeypatch, tmp_path, ApiClient.GOOGLE, one_door)
