"""APIs that are broken or hostile: a table of faults, each tried with each API of `tried_apis`.

Time and size are bounded, what was read stays and the rest is named; nothing is said to be complete
that is not. Servers that keep to the protocol are in the tests of each API.
"""

import copy
import gzip
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.google import credentials, exchange
from netplan_planner.google.options import ENDPOINT_VARIABLE, ApiOptions
from support.commands.run import run_verbs
from support.nightly import crossed
from support.servers.hostile import Answer, Asked, HostileServer, answer, json_answer, trickle
from support.servers.tried_apis import (
    APIS,
    BY_NAME,
    PER_PAGE,
    PROJECT,
    Api,
    Reading,
    reading_of,
)

TOKEN = "ya29.token-that-nobody-may-see"
HASTE: dict[str, Any] = {
    "is_anonymous": True,
    "backoff_initial_s": 0.001,
    "backoff_max_s": 0.002,
    "max_attempts": 2,
    "timeout_s": 1.0,
}
LIMIT_S = 20.0
"""Far more than any of these takes, on a busy machine too."""
SMALL_BODY_BYTES = 2**20
"""In the place of the largest body of an answer, which takes a second to make and to refuse."""

over_apis = pytest.mark.parametrize("api", APIS, ids=lambda api: api.name.replace(" ", "-"))
over_lists = pytest.mark.parametrize(
    "api", [api for api in APIS if api.token], ids=lambda api: api.name.replace(" ", "-")
)


class Tried:
    """Reads the list of an API from a server that answers some requests otherwise."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._environment = monkeypatch
        self._count = 0
        self.asked: list[Asked] = []
        self.is_error = False

    def read(self, api: Api, answers: Callable[[Asked], Answer], **more: Any) -> Reading:
        self._count += 1
        started = time.monotonic()
        with HostileServer(answers) as server:
            for variable in {ENDPOINT_VARIABLE, api.variable} - {""}:
                self._environment.setenv(variable, server.url)
            options = ApiOptions(**(HASTE | more))
            folder = self._folder / str(self._count)
            found, self.is_error = reading_of(api, server.url, options, folder)
        assert time.monotonic() - started < LIMIT_S
        self.asked = [asked for asked in server.asked if api.is_asked(asked)]
        return found

    def but_later(self, api: Api, made: Answer | Callable[[], Answer], **more: Any) -> Reading:
        """Read with another answer to all requests for the later page."""
        return self.read(
            api, lambda asked: _made(made) if _is_later(api, asked) else api.answer(asked), **more
        )

    def but_all(self, api: Api, made: Answer | Callable[[], Answer], **more: Any) -> Reading:
        """Read with another answer to all requests for the list, and to all others if it raises."""
        return self.read(
            api,
            lambda asked: _made(made) if api.raises or api.is_asked(asked) else api.answer(asked),
            **more,
        )


def _made(made: Answer | Callable[[], Answer]) -> Answer:
    return made() if callable(made) else made


def _is_later(api: Api, asked: Asked) -> bool:
    return api.is_asked(asked) and api.is_later(asked)


@pytest.fixture
def tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tried:
    monkeypatch.setattr(exchange, "LARGEST_BODY_BYTES", SMALL_BODY_BYTES)
    return Tried(tmp_path, monkeypatch)


def assert_page_lost(api: Api, found: Reading, says: str, *, is_error: bool) -> None:
    """What was read before a page stays and the page is named; or an error says what was wrong."""
    assert says in found.told
    assert is_error is not api.keeps
    assert found.kept == (PER_PAGE if api.keeps else 0)


def web_page() -> bytes:
    return answer(b"<!DOCTYPE html><title>Sign in</title>", headers={"Content-Type": "text/html"})


@cache
def packed_zeros(size: int) -> bytes:
    """A few hundred kilobytes that become more than an answer can have."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(2**20)
    packed = b"".join(packer.compress(zeros) for _ in range(size // len(zeros) + 1))
    return answer(packed + packer.flush(), headers={"Content-Encoding": "gzip"})


def endless() -> Answer:
    return chain([answer(b"", length=-1)], (b" " * 2**16 for _ in range(2**14)))


def refusal(code: int, message: str = "made by the test", **more: Any) -> bytes:
    return json.dumps({"error": {"code": code, "message": message, **more}}).encode()


def of_page(change: Callable[[bytes], Answer]) -> Callable[[Api], Answer]:
    return lambda api: change(json.dumps(api.page(PER_PAGE, "")).encode())


def gzipped(body: bytes) -> bytes:
    return answer(body, headers={"Content-Encoding": "gzip"})


FAULTS: dict[str, tuple[Answer | Callable[[Api], Answer], str]] = {
    "too many requests": (json_answer({}, status=429), "HTTP 429"),
    "unavailable": (answer(b"", status=503), "HTTP 503"),
    "asks to wait": (json_answer({}, status=429, headers={"Retry-After": "9999"}), "HTTP 429"),
    "asks to wait for ever": (answer(b"", status=503, headers={"Retry-After": "9" * 400}), "503"),
    "cut body": (
        of_page(lambda body: answer(body[:-40], length=len(body))),
        "the connection was interrupted",
    ),
    "too long a length": (
        of_page(lambda body: answer(body, length=10**6)),
        "the connection was interrupted",
    ),
    "too short a length": (of_page(lambda body: answer(body, length=5)), "answer is incomplete"),
    "no length, cut": (of_page(lambda body: answer(body[:-9], length=-1)), "answer is incomplete"),
    "no HTTP": (b"SSH-2.0-OpenSSH\r\n\r\n", "the connection was interrupted"),
    "reset": (None, "the connection was interrupted"),
    "empty": (answer(b""), "answer is incomplete"),
    "web page": (web_page(), "the answer is a web page, not JSON"),
    "web page of a gateway": (answer(b"<html>", status=502), "HTTP 502"),
    "no object": (json_answer([1]), "answer is incomplete"),
    "null": (json_answer(None), "answer is incomplete"),
    "several documents": (answer(b"{}\n{}"), "answer is incomplete"),
    "deep": (answer(b"[" * 200_000), "answer is incomplete"),
    "not UTF-8": (
        lambda api: answer(b'{"%s": "\xff"}' % str(api.members[0][0]).encode()),
        "answer is incomplete",
    ),
    "no gzip": (gzipped(b"{}"), "damaged"),
    "cut gzip": (of_page(lambda body: gzipped(gzip.compress(body, mtime=0)[:-9])), "damaged"),
    "bomb": (lambda _: packed_zeros(SMALL_BODY_BYTES), "an answer of more than 1 MiB; not read"),
    "signed out in the middle": (json_answer({}, status=401), "refused (401)"),
    "redirect": (
        answer(b"", status=302, headers={"Location": "http://127.0.0.1:9/"}),
        "redirect (",
    ),
    "a server's error": (answer(refusal(500), status=500), "HTTP 500 made by the test"),
    "a bad request": (answer(refusal(400), status=400), "HTTP 400 made by the test"),
    "an error, status 200": (answer(refusal(400)), "HTTP 400 made by the test"),
    "a passing error, status 200": (answer(refusal(503)), "HTTP 503 made by the test"),
    "signed out, status 200": (answer(refusal(401)), "refused (401)"),
    "an error by an escaped name": (
        answer(refusal(400).replace(b'"error"', rb'"\u0065rror"')),
        "HTTP 400 made by the test",
    ),
    "an error without a code": (json_answer({"error": {"message": "made up"}}), "made up"),
    "an error that is a text": (json_answer({"error": "invalid_grant"}), "an error"),
    "an error of an error": (json_answer({"error": {"code": "x", "message": 5}}), "an error"),
    "an error beside a page": (
        of_page(lambda body: answer(refusal(400)[:-1] + b", " + body[1:])),
        "HTTP 400 made by the test",
    ),
}
over_faults = pytest.mark.parametrize(
    ("api", "fault"),
    crossed([pytest.param(api, id=api.name.replace(" ", "-")) for api in APIS], FAULTS),
)
"""By day every fault, and every API with two of them or more; all pairs by night."""


def made_for(fault: str, api: Api) -> tuple[Answer, str]:
    made, says = FAULTS[fault]
    return (made(api) if callable(made) else made), says


@over_apis
def test_without_a_fault_all_is_read(tried: Tried, api: Api) -> None:
    assert tried.read(api, api.answer) == (2 * PER_PAGE, "")
    if api.may_be_empty:
        # An object without members is an answer, and empty.
        assert tried.but_later(api, answer(b"{}")).told == ""


@over_faults
def test_a_page_that_fails_is_named_and_what_was_read_stays(
    tried: Tried, api: Api, fault: str
) -> None:
    made, says = made_for(fault, api)
    found = tried.but_later(api, made)
    assert_page_lost(api, found, says, is_error=tried.is_error)
    assert len(tried.asked) <= 1 + HASTE["max_attempts"]


@over_faults
def test_an_api_that_answers_nothing_else_is_named(tried: Tried, api: Api, fault: str) -> None:
    made, says = made_for(fault, api)
    found = tried.but_all(api, made)
    assert says in found.told
    assert (found.kept, tried.is_error) == (0, api.raises)


STRICT = [
    ({"error": {"code": 503, "message": "busy"}}, 3),
    ({"items": 5}, 3),
    ({"nextPageToken": 5}, 3),
    ({}, 0),
]


@pytest.mark.parametrize(("body", "status"), STRICT)
def test_the_command_is_strict_with_what_is_no_answer(body: object, status: int) -> None:
    with HostileServer(lambda _: json_answer(body)) as server:
        asked = ("--project", PROJECT, "--api-endpoint", server.url, "--anonymous")
        done = run_verbs(arguments=["audit", "--strict", "--max-attempts", "1", *asked])
    assert done.returncode == status, done.stderr


@pytest.mark.parametrize(
    "body", [{"error": {"code": 400}}, {"items": 5}, {"items": {"z": {"instances": 5}}}]
)
def test_the_command_is_strict_with_a_page_that_is_no_answer(body: object) -> None:
    api = BY_NAME["compute"]

    def answers(asked: Asked) -> Answer:
        return json_answer(body) if _is_later(api, asked) else api.answer(asked)

    with HostileServer(answers) as server:
        asked = ("--project", PROJECT, "--api-endpoint", server.url, "--anonymous")
        done = run_verbs(arguments=["audit", "--strict", "--max-attempts", "1", *asked])
    assert done.returncode == 4
    assert "page 2: compute.instances.aggregatedList" in done.stderr


@over_apis
def test_a_list_that_is_not_there_is_no_fault_of_the_others(tried: Tried, api: Api) -> None:
    found = tried.but_later(api, json_answer({}, status=404))
    if api.missing:
        assert_page_lost(api, found, api.missing, is_error=tried.is_error)
    else:
        assert (found, tried.is_error) == ((PER_PAGE, ""), False)


@over_apis
def test_a_storm_that_passes_costs_nothing(tried: Tried, api: Api) -> None:
    storm = iter([answer(b"", status=429), answer(refusal(503)), answer(b"", status=503), None])

    def stormy(asked: Asked) -> Answer:
        made = next(storm, b"") if _is_later(api, asked) else b""
        return api.answer(asked) if made == b"" else made

    assert tried.read(api, stormy, max_attempts=5) == (2 * PER_PAGE, "")


@over_apis
def test_a_storm_that_stays_has_its_attempts_and_its_time(tried: Tried, api: Api) -> None:
    busy = answer(b"", status=503, headers={"Retry-After": "3600"})
    found = tried.but_later(api, busy, max_attempts=4)
    assert_page_lost(api, found, "HTTP 503 (after 4 attempts)", is_error=tried.is_error)
    assert len(tried.asked) == 1 + 4
    found = tried.but_later(api, busy, max_attempts=20, backoff_max_s=3600.0, total_s=0.4)
    says = "not requested: the 0 s for all requests (--total-timeout) have passed"
    assert_page_lost(api, found, says, is_error=tried.is_error)
    assert len(tried.asked) < 1 + 20


@over_apis
def test_a_silent_server_is_given_up(tried: Tried, api: Api) -> None:
    found = tried.but_later(api, [60.0], timeout_s=0.05)
    assert_page_lost(api, found, "did not answer in time", is_error=tried.is_error)


@over_apis
def test_a_body_that_drips_is_given_up(tried: Tried, api: Api) -> None:
    """Each wait is within the time limit, the whole is not."""
    body = json_answer(api.page(PER_PAGE, ""))
    for timeout_s in (0.1, 0.5, 2.0):
        told = {"timeout_s": timeout_s, "max_attempts": 1}
        found = tried.but_later(api, lambda: trickle(body, pause_s=0.04), **told)
        # A busy machine makes a pause longer than it was to be.
        if "did not answer in time" not in found.told:
            break
    assert_page_lost(api, found, "the answer was too slow", is_error=tried.is_error)


@over_apis
def test_a_body_without_an_end_is_given_up(tried: Tried, api: Api) -> None:
    found = tried.but_later(api, endless)
    says = "an answer of more than 1 MiB; not read"
    assert_page_lost(api, found, says, is_error=tried.is_error)
    assert len(tried.asked) == 2


@over_apis
def test_what_is_packed_is_not_unpacked_beyond_the_bound(
    tried: Tried, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = 2**23
    monkeypatch.setattr(exchange, "LARGEST_BODY_BYTES", bound)
    bomb = packed_zeros(16 * bound)
    tracemalloc.start()
    try:
        found = tried.but_later(api, bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert_page_lost(api, found, "an answer of more than 8 MiB", is_error=tried.is_error)
    assert peak < 4 * bound


def counted(api: Api, asked: Asked, token: str) -> dict[str, Any]:
    return api.page(asked.number * PER_PAGE, token)


@over_lists
def test_a_token_that_comes_again_ends_the_list(tried: Tried, api: Api) -> None:
    def circle(asked: Asked) -> Answer:
        if not api.is_asked(asked):
            return api.answer(asked)
        return json_answer(counted(api, asked, "two" if "one" in str(asked) else "one"))

    found = tried.read(api, circle)
    assert "points back to an earlier" in found.told
    assert len(tried.asked) <= 4
    assert tried.is_error is not api.keeps
    assert found.kept >= (PER_PAGE if api.keeps else 0)


@over_lists
def test_a_chain_of_tokens_without_an_end_has_its_time(tried: Tried, api: Api) -> None:
    """Ever new pages, each in time: only the clock ends it."""

    def chained(asked: Asked) -> Answer:
        if not api.is_asked(asked):
            return api.answer(asked)
        return [0.02, json_answer(counted(api, asked, f"token-{asked.number}"))]

    found = tried.read(api, chained, total_s=0.5)
    assert "s for all requests" in found.told
    assert tried.is_error is not api.keeps
    assert found.kept >= (2 * PER_PAGE if api.keeps else 0)


@over_lists
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_chain_of_tokens_without_an_end_has_its_pages(
    tried: Tried, api: Api, is_empty: bool
) -> None:
    def chained(asked: Asked) -> Answer:
        if not api.is_asked(asked):
            return api.answer(asked)
        token = f"token-{asked.number}"
        empty = {**dict(api.always), api.token: token}
        return json_answer(empty if is_empty else counted(api, asked, token))

    found = tried.read(api, chained, max_pages=3)
    assert "page" in found.told
    assert len(tried.asked) <= 40


def others_than(held: object) -> list[Any]:
    """Return values of other types than one of JSON."""
    values = [5, "x", ["x"], {"x": 1}, True]
    return [one for one in values if type(one) is not type(held)]


def changed(page: dict[str, Any], place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """Return a page with something else at a place, which is made where it is not there."""
    made: Any = copy.deepcopy(page)
    held = made
    for step, below in pairwise(place):
        if isinstance(held, dict) and step not in held:
            held[step] = [None] if isinstance(below, int) else {}
        held = held[step]
    held[place[-1]] = value
    return dict(made)


def at(page: dict[str, Any], place: tuple[str | int, ...]) -> object:
    held: Any = page
    for step in place:
        try:
            held = held[step]
        except (KeyError, IndexError):
            return {"warning": {}}.get(str(place[-1]), "" if isinstance(place[-1], int) else [])
    return held


def names_of(place: tuple[str | int, ...]) -> list[str]:
    """Return what a place may be called: its member, its thing of a list, a part of `items`."""
    member = next(str(step) for step in reversed(place) if isinstance(step, str))
    return [member, "/" + "/".join(map(str, place[:2])), f"{place[0]}[...]"]


@pytest.mark.parametrize(
    ("name", "place"),
    [(api.name, place) for api in APIS for place in api.members],
    ids=lambda part: str(part) if isinstance(part, str) else ".".join(map(str, part)),
)
def test_a_member_of_another_type_is_named_and_the_rest_stays(
    tried: Tried, name: str, place: tuple[str | int, ...]
) -> None:
    api = BY_NAME[name]
    page = api.page(PER_PAGE, "")
    held = "" if place == ("nextPageToken",) else at(page, place)
    for value in others_than(held):
        found = tried.but_later(api, json_answer(changed(page, place, value)))
        assert any(name in found.told for name in names_of(place)), value
        assert tried.is_error is not api.keeps
        assert found.kept >= (PER_PAGE if api.keeps else 0)
    # As in every API of Google's, null is as good as nothing; but a thing of a list is none.
    found = tried.but_later(api, json_answer(changed(page, place, None)))
    if isinstance(place[-1], int):
        assert found.told
    elif len(place) == 1 and api.may_be_empty:
        assert (found.told, tried.is_error) == ("", False)


@pytest.fixture
def with_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that hold a token and need no server for it."""
    from google.oauth2.credentials import Credentials

    class Held(Credentials):
        def refresh(self, request: object) -> None:
            self.token = TOKEN

    monkeypatch.setattr(credentials, "default_credentials", lambda scopes: Held(token=TOKEN))  # type: ignore[no-untyped-call]


@pytest.mark.usefixtures("with_token")
@pytest.mark.parametrize(
    ("api", "status"),
    crossed(
        [pytest.param(api, id=api.name.replace(" ", "-")) for api in APIS],
        [301, 302, 303, 307, 308],
    ),
)
def test_the_credential_follows_no_redirect(tried: Tried, api: Api, status: int) -> None:
    with HostileServer(api.answer) as other:
        moved = answer(b"", status=status, headers={"Location": f"{other.url}/compute/v1/x"})
        found = tried.but_all(api, moved, is_anonymous=False)
    assert {asked.headers["authorization"] for asked in tried.asked} <= {f"Bearer {TOKEN}"}
    assert other.asked == []
    assert "redirect (" in found.told
    assert TOKEN not in found.told


@pytest.mark.usefixtures("with_token")
@over_apis
@pytest.mark.parametrize("http_status", [None, 200])
def test_an_answer_that_quotes_the_token_is_not_repeated(
    tried: Tried, api: Api, http_status: int | None
) -> None:
    for code in (400, 401, 403, 409, 429, 500, 503):
        body = refusal(code, f"bad header Authorization: Bearer {TOKEN}", status=TOKEN)
        made = answer(body, status=http_status or code)
        found = tried.but_later(api, made, is_anonymous=False)
        # A job of an id of ours that is there already is the job that was begun.
        assert found.told or (code == 409 and api.name == "bigquery job")
        assert TOKEN not in str(found)
    # Escaped, it is another text until the answer is decoded.
    hidden = refusal(400, f"bad header: {TOKEN}").replace(b"-", rb"\u002d")
    found = tried.but_later(api, answer(hidden, status=http_status or 400), is_anonymous=False)
    assert "bad header" in found.told
    assert TOKEN not in str(found)


@pytest.mark.usefixtures("with_token")
def test_what_renews_a_token_follows_no_redirect() -> None:
    with HostileServer(lambda _: json_answer({})) as other:
        moved = answer(b"", status=307, headers={"Location": f"{other.url}/token"})
        with HostileServer(lambda _: moved) as server:
            request = credentials._token_request()
            with pytest.raises(Exception, match="redirect"):
                request(f"{server.url}/token", method="POST", body=b"assertion=secret")
    assert len(server.asked) == 1
    assert other.asked == []
