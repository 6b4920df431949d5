"""Requests to Google's APIs that read: credentials, retries, and refusals in plain words.

The REST API through google-auth's session, bodies as bytes (docs/adr/0002-rest-transport.md).
Nothing here writes or logs a credential.
"""

import threading
import time
import zlib
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

from netplan_planner.google.options import READ_ONLY_SCOPE, ApiOptions, Endpoint
from netplan_planner.google.refusals import (
    READS_BY_POST,
    Refusal,
    Request,
    error_message,
    error_of,
    is_passing,
    why_refused,
)
from netplan_planner.google.watch import Watch

if TYPE_CHECKING:
    from netplan_planner.google.session import Sessions

T = TypeVar("T")

OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SLOWEST = 5
"""Times the time limit that a whole answer may take: one that trickles in keeps every single wait
short."""
_PIECE_BYTES = 2**20
_WITHHELD = b"(not shown)"
LARGEST_BODY_BYTES = 2**27
"""Of an answer, packed and unpacked: a page of 500 machines has one or two million bytes, one of
5,000 SKUs ten. Several are in memory at a time."""
_PLAIN_GZIP = b"\x1f\x8b\x08\x00"
_WITH_HEADER = 31
_BARE = -15
"""`wbits` of gzip with its header, and of the bare data, as zlib numbers the formats."""


class NotWhole(Exception):
    """A body that is not the whole answer; asking again may help."""


class TooLarge(Exception):
    """A body beyond `LARGEST_BODY_BYTES`."""


class _Passing(Exception):
    """A failure that may pass: why, and how many seconds the server asks to wait."""

    def __init__(self, reason: str, asked_s: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.asked_s = asked_s


class Transport:
    """Makes requests for many threads; each has a session of its own."""

    def __init__(
        self,
        endpoint: Endpoint,
        options: ApiOptions,
        *,
        scopes: Sequence[str] = (READ_ONLY_SCOPE,),
        api_key: str | None = None,
    ) -> None:
        """Find the credentials and see that they can be used.

        Args:
            endpoint: Where requests go, and whether without credentials.
            options: Retries, pages, time limits.
            scopes: What the default credentials are asked for, reading alone.
            api_key: A key to send instead of the default credentials.

        Raises:
            AccessError: If there are none, or they are refused.
        """
        self.options = options
        self.stopped = threading.Event()
        self._deadline_s = time.monotonic() + options.total_s
        self._endpoint = endpoint
        self._api_key = api_key
        self._watch = Watch()
        self._sessions, self._credentials = _opened(endpoint, scopes, api_key, self._watch)
        self._has_answered = False
        self._unreachable = ""
        self.ahead_s: float | None = None
        """Seconds that this machine's clock is ahead of the API's; None: no answer had a date."""

    def get(self, request: Request, decode: Callable[[bytes], T]) -> T:
        """Return the decoded answer to a request, after as many attempts as it takes.

        `decode` takes the body and raises `NotWhole` if it is cut off. May be called from many
        threads.

        Raises:
            Refusal: If the answer cannot be had.
        """
        delay_s = self.options.backoff_initial_s
        for attempts_left in reversed(range(self.options.max_attempts)):
            if self._unreachable and not self._has_answered:
                raise Refusal(self._unreachable)
            self._require_time(request)
            try:
                return self._attempt(request, decode)
            except _Passing as exc:
                reason, asked_s = exc.reason, exc.asked_s
            if attempts_left:
                self._wait(max(delay_s, asked_s), request)
                delay_s *= 2
        if not self._has_answered:
            # Nobody has answered any call: the others need not find that out one by one.
            self._unreachable = reason
        raise Refusal(f"{request.method}: {reason} (after {self.options.max_attempts} attempts)")

    def pause(self, wait_s: float) -> None:
        """Wait, but not beyond the time for all requests."""
        left_s = max(self._deadline_s - time.monotonic(), 0.0)
        self.stopped.wait(min(wait_s, left_s))

    def _require_time(self, request: Request) -> None:
        """Refuse to begin what would end after the time for all requests."""
        if time.monotonic() >= self._deadline_s:
            raise Refusal(
                f"{request.method}: not asked for: all requests together have"
                f" {self.options.total_s:,.0f} s (--total-timeout), and these are over"
            )

    def _attempt(self, request: Request, decode: Callable[[bytes], T]) -> T:
        until_s = min(self._deadline_s, time.monotonic() + _SLOWEST * self.options.timeout_s)
        try:
            with self._watch.until(until_s):
                status, body, asked_s = self._once(request)
        except self._sessions.failures as exc:
            if time.monotonic() > until_s:
                raise _Passing("the answer came too slowly") from exc
            raise _Passing(self._sessions.told(exc)) from exc
        except TooLarge as exc:
            raise Refusal(f"{request.method}: {exc}; not read") from exc
        self._has_answered = True
        if status == OK:
            try:
                return decode(body)
            except NotWhole as exc:
                if time.monotonic() > until_s:
                    raise _Passing("the answer came too slowly") from exc
                raise _Passing(_not_whole(body, exc)) from exc
        if status in _REDIRECTS:
            raise Refusal(
                f"{request.method}: redirected (HTTP {status}) and not followed, because the"
                " credentials would go there; is the endpoint right, and is no login page between?"
            )
        error = error_of(self._without_secrets(body))
        if is_passing(status, error):
            raise _Passing(f"HTTP {status} {error_message(error)}".rstrip(), asked_s)
        raise Refusal(why_refused(status, error, request))

    def _without_secrets(self, body: bytes) -> bytes:
        """Return an error answer without the credential, which some answers quote."""
        for secret in (getattr(self._credentials, "token", None), self._api_key):
            if secret:
                body = body.replace(secret.encode(), _WITHHELD)
        return body

    def _wait(self, wait_s: float, request: Request) -> None:
        left_s = max(self._deadline_s - time.monotonic(), 0.0)
        if self.stopped.wait(min(wait_s, self.options.backoff_max_s, left_s)):
            raise Refusal(f"{request.method}: interrupted")

    def _once(self, request: Request) -> tuple[int, bytes, float]:
        """Return status, body and the seconds that `Retry-After` asks for."""
        is_posted = request.body is not None
        if is_posted and request.method not in READS_BY_POST:
            raise ValueError(f"{request.method} is no method that only reads")
        response = self._sessions.own().request(
            "POST" if is_posted else "GET",
            self._endpoint.base_url + request.path,
            params=request.query,
            data=request.body,
            headers={"Content-Type": "application/json"} if is_posted else None,
            timeout=self.options.timeout_s,
            # Redirects could carry credentials elsewhere; the API has none.
            allow_redirects=False,
            stream=True,
        )
        if self.ahead_s is None:
            self.ahead_s = _ahead_s(response.headers.get("Date"), time.time())
        with response:
            body = self._body(response.raw)
        if response.headers.get("Content-Encoding") == "gzip":
            body = unpack_gzip(body)
        return response.status_code, body, _retry_after(response.headers.get("Retry-After"))

    def _body(self, stream: Any) -> bytes:
        """Return the bytes of an answer, as packed as they came, up to a bound."""
        pieces: list[bytes] = []
        size = 0
        # The raw stream, as much as is there: `content` would join the body from 10 KiB pieces.
        while piece := stream.read1(_PIECE_BYTES, decode_content=False):
            pieces.append(piece)
            size += len(piece)
            if size > LARGEST_BODY_BYTES:
                raise TooLarge(_too_large())
            if self.stopped.is_set():
                raise _Passing("interrupted")
        return b"".join(pieces)

    def close(self) -> None:
        """Close all connections."""
        self._sessions.close()
        self._watch.close()


def _opened(
    endpoint: Endpoint, scopes: Sequence[str], api_key: str | None, watch: Watch
) -> "tuple[Sessions, Any]":
    """Return where threads get their sessions, and the credentials of these.

    What speaks HTTP is imported here, and what signs requests only where they are signed.
    """
    from netplan_planner.google.session import Sessions

    if endpoint.is_anonymous and api_key is None:
        return Sessions(endpoint, watch), None
    from netplan_planner.google import credentials

    if api_key is not None:
        held = credentials.key_credentials(api_key)
    else:
        held = credentials.default_credentials(scopes)
    return Sessions(endpoint, watch, lambda: credentials.authorized_session(held)), held


def default_project() -> str | None:
    """Return the project that Google's default credentials name, None where there is none."""
    from netplan_planner.google import credentials

    return credentials.default_project()


def unpack_gzip(body: bytes) -> bytes:
    """Return what gzip packed.

    The usual form, without optional header fields, is unpacked without gzip's checksum, which
    takes half of the time: TLS and TCP have theirs, and the stated size must be right.

    Raises:
        zlib.error: If the body is damaged or cut.
        TooLarge: If there is more of it than an answer can have.
    """
    is_plain = body[:4] == _PLAIN_GZIP
    reader = zlib.decompressobj(_BARE if is_plain else _WITH_HEADER)
    data = reader.decompress(body[10:-8] if is_plain else body, LARGEST_BODY_BYTES + 1)
    if len(data) > LARGEST_BODY_BYTES:
        raise TooLarge(_too_large())
    if not reader.eof:
        raise zlib.error("incomplete")
    if is_plain and len(data) & 0xFFFFFFFF != int.from_bytes(body[-4:], "little"):
        raise zlib.error("not the stated size")
    return data


def _too_large() -> str:
    return f"an answer of more than {LARGEST_BODY_BYTES >> 20} MiB"


def _not_whole(body: bytes, exc: NotWhole) -> str:
    if body.lstrip()[:1] == b"<":
        return "the answer is a web page and not JSON; is the endpoint right, is a proxy between?"
    return f"the answer is not whole: {exc}"


def _retry_after(value: str | None) -> float:
    """Return seconds; the other form, a date, is as good as none: the back-off is enough."""
    return float(value) if value and value.isascii() and value.isdigit() else 0.0


def _ahead_s(date: str | None, now_s: float) -> float | None:
    """Return the seconds that a clock is ahead of an answer's date; None: it has none."""
    try:
        return now_s - parsedate_to_datetime(date or "").timestamp()
    except (ValueError, OverflowError):
        return None
