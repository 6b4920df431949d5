"""An API that is broken or hostile: time and memory are bounded, what was read stays and is named.

Beside `test_api_reader.py`, whose server keeps to the protocol.
"""

import gzip
import time
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain

import pytest

from netplan_planner.errors import AccessError
from netplan_planner.google import credentials, transport
from netplan_planner.google.compute import read_projects
from netplan_planner.google.options import ApiOptions
from netplan_planner.model import Inventory
from support.projects import one_project
from support.servers.hostile import Answer, Asked, HostileServer, answer, json_answer, trickle

TOKEN = "ya29.token-that-nobody-may-see"
HASTE = {"backoff_initial_s": 0.01, "backoff_max_s": 0.05, "max_attempts": 3, "timeout_s": 1.0}
LIMIT_S = 20.0
"""Far more than any of these takes, on a busy machine too."""


def machine(number: int) -> dict[str, object]:
    like = one_project.resources()["instances"][0]
    link = like["selfLink"].rpartition("/")[0]
    return {**like, "name": f"vm-{number}", "selfLink": f"{link}/vm-{number}"}


def instances(first: int, count: int, token: str = "") -> bytes:
    items = {"zones/z-a-a": {"instances": [machine(first + n) for n in range(count)]}}
    return json_answer({"items": items} | ({"nextPageToken": token} if token else {}))


def usual(asked: Asked) -> Answer:
    """Two pages of machines, nothing else."""
    if asked.collection == "instances":
        return instances(2, 2) if asked.query.get("pageToken") else instances(0, 2, "second")
    if "/zones/" in asked.path:
        return json_answer(one_project.resources()["machineTypes"][0] | {"name": asked.collection})
    return json_answer({})


def but(condition: Callable[[Asked], bool], made: Answer | Callable[[], Answer]) -> HostileServer:
    """Return a server that answers some requests otherwise."""

    def answers(asked: Asked) -> Answer:
        if condition(asked):
            return made() if callable(made) else made
        return usual(asked)

    return HostileServer(answers)


def second_page(asked: Asked) -> bool:
    return asked.collection == "instances" and "pageToken" in asked.query


def read(server: HostileServer, **more: float) -> Inventory:
    options = ApiOptions(endpoint=server.url, is_anonymous=True, **(HASTE | more))  # type: ignore[arg-type]
    started = time.monotonic()
    found = read_projects([one_project.PROJECT], options)
    assert time.monotonic() - started < LIMIT_S
    return found


def error_of(inventory: Inventory) -> str:
    (errors,) = [one.errors for one in inventory.projects if one.errors]
    return "; ".join(errors)


def web_page() -> bytes:
    return answer(b"<!DOCTYPE html><title>Sign in</title>", headers={"Content-Type": "text/html"})


@cache
def bomb() -> bytes:
    """A few hundred kilobytes that become more than an answer can have."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(2**20)
    count = transport.LARGEST_BODY_BYTES // len(zeros) + 1
    packed = b"".join(packer.compress(zeros) for _ in range(count))
    return answer(packed + packer.flush(), headers={"Content-Encoding": "gzip"})


CUT = instances(2, 2)
FAULTS: dict[str, tuple[Answer | Callable[[], Answer], str]] = {
    "too many requests": (json_answer({}, status=429), "HTTP 429"),
    "unavailable": (answer(b"", status=503), "HTTP 503"),
    "asks to wait": (json_answer({}, status=429, headers={"Retry-After": "9999"}), "HTTP 429"),
    "asks to wait for ever": (answer(b"", status=503, headers={"Retry-After": "9" * 400}), "503"),
    "cut body": (CUT[:-40], "connection broke off"),
    "too long a length": (answer(b'{"items": {}', length=10**6), "connection broke off"),
    "too short a length": (answer(b'{"items": {}}', length=5), "not whole"),
    "no length, cut": (answer(b'{"items": ', length=-1), "not whole"),
    "no HTTP": (b"SSH-2.0-OpenSSH\r\n\r\n", "broke off"),
    "reset": (None, "broke off"),
    "empty": (answer(b""), "not whole"),
    "web page": (web_page, "a web page and not JSON"),
    "web page of a gateway": (answer(b"<html>", status=502), "HTTP 502"),
    "no object": (json_answer([1]), "not whole"),
    "deep": (answer(b"[" * 200_000), "not whole"),
    "no gzip": (answer(b"{}", headers={"Content-Encoding": "gzip"}), "damaged"),
    "cut gzip": (
        answer(gzip.compress(b'{"items": {}}', mtime=0)[:-9], headers={"Content-Encoding": "gzip"}),
        "damaged",
    ),
    "bomb": (bomb, "an answer of more than 128 MiB; not read"),
    "not found": (json_answer({}, status=404), "no such project"),
    "signed out in the middle": (json_answer({}, status=401), "refused (401)"),
    "redirect": (
        answer(b"", status=302, headers={"Location": "http://127.0.0.1:9/"}),
        "redirected",
    ),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_page_that_fails_is_named_and_what_was_read_stays(fault: str) -> None:
    made, says = FAULTS[fault]
    made = made() if callable(made) else made
    with but(second_page, made) as server:
        inventory = read(server)
    assert sorted(one.name for one in inventory.instances) == ["vm-0", "vm-1"]
    error = error_of(inventory)
    assert error.startswith("page 2: ")
    assert says in error
    assert error.endswith("the list is incomplete (2 instances were read before)")


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != "not found"])
def test_an_api_that_answers_nothing_else_is_an_access_error(fault: str) -> None:
    made, says = FAULTS[fault]
    made = made() if callable(made) else made
    with but(lambda _: True, made) as server, pytest.raises(AccessError) as caught:
        read(server, max_attempts=2)
    assert says in str(caught.value)


def test_a_storm_that_passes_costs_nothing() -> None:
    def stormy() -> Iterator[Answer]:
        yield from [answer(b"", status=429), answer(b"", status=503), None]

    storm = stormy()

    def answers(asked: Asked) -> Answer:
        made = next(storm, b"over") if second_page(asked) else b"over"
        return usual(asked) if made == b"over" else made

    with HostileServer(answers) as server:
        inventory = read(server, max_attempts=5)
    assert len(inventory.instances) == 4
    assert [one.errors for one in inventory.projects if one.errors] == []


def test_a_body_that_trickles_in_is_given_up() -> None:
    """Each wait is within the time limit, the whole is not."""
    with but(second_page, lambda: trickle(instances(2, 200), pause_s=0.2)) as server:
        inventory = read(server, timeout_s=0.8, max_attempts=2)
    assert len(inventory.instances) == 2
    assert "the answer came too slowly" in error_of(inventory)


def test_a_body_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LARGEST_BODY_BYTES", 2**20)

    def endless() -> Answer:
        head = answer(b"", length=-1)
        return chain([head], (b" " * 2**16 for _ in range(2**14)))

    with but(second_page, endless) as server:
        inventory = read(server)
    assert "an answer of more than 1 MiB; not read" in error_of(inventory)


def test_all_requests_together_have_their_time() -> None:
    """Ever new pages, each in time: only the clock ends it."""

    def answers(asked: Asked) -> Answer:
        if asked.collection != "instances":
            return usual(asked)
        return [0.05, instances(asked.number * 10, 1, f"token-{asked.number}")]

    with HostileServer(answers) as server:
        inventory = read(server, total_s=2.0)
    error = error_of(inventory)
    assert "all requests together have 2 s (--total-timeout), and these are over" in error
    assert f"{len(inventory.instances)} instances were read before" in error
    assert len(inventory.instances) > 1


def test_waiting_for_a_busy_api_has_its_time_too() -> None:
    busy = answer(b"", status=503, headers={"Retry-After": "3600"})
    started = time.monotonic()
    with but(lambda _: True, busy) as server, pytest.raises(AccessError):
        read(server, max_attempts=20, backoff_max_s=3600.0, total_s=1.5)
    assert time.monotonic() - started < LIMIT_S


@pytest.fixture
def with_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that hold a token and need no server for it."""
    from google.oauth2.credentials import Credentials

    class Held(Credentials):
        def refresh(self, request: object) -> None:
            self.token = TOKEN

    monkeypatch.setattr(credentials, "default_credentials", lambda scopes: Held(token=TOKEN))  # type: ignore[no-untyped-call]


@pytest.mark.usefixtures("with_token")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_credential_follows_no_redirect(status: int) -> None:
    with HostileServer(usual) as other:
        moved = answer(b"", status=status, headers={"Location": f"{other.url}/compute/v1/x"})
        with but(lambda _: True, moved) as server, pytest.raises(AccessError) as caught:
            read_projects([one_project.PROJECT], ApiOptions(endpoint=server.url, **HASTE))  # type: ignore[arg-type]
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {TOKEN}"}
    assert other.asked == []
    assert "redirected" in str(caught.value)
    assert TOKEN not in str(caught.value)


@pytest.mark.usefixtures("with_token")
def test_what_renews_a_token_follows_no_redirect() -> None:
    with HostileServer(usual) as other:
        moved = answer(b"", status=307, headers={"Location": f"{other.url}/token"})
        with HostileServer(lambda _: moved) as server:
            request = credentials._token_request()
            with pytest.raises(Exception, match="redirect"):
                request(f"{server.url}/token", method="POST", body=b"assertion=secret")
    assert len(server.asked) == 1
    assert other.asked == []


@pytest.mark.usefixtures("with_token")
def test_an_answer_that_quotes_the_token_is_not_repeated() -> None:
    told = {"error": {"code": 400, "message": f"bad header Authorization: Bearer {TOKEN}"}}
    with but(second_page, json_answer(told, status=400)) as server:
        inventory = read_projects([one_project.PROJECT], ApiOptions(endpoint=server.url, **HASTE))  # type: ignore[arg-type]
    assert TOKEN not in str(inventory)
