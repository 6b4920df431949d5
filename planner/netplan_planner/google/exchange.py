"""One request over HTTP and its whole answer, within bounds of size and time.

Whoever asks, netplan's own requests over REST or Google's clients, comes through here.
"""

import threading
import time
import zlib
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from netplan_planner.google.options import ApiOptions
from netplan_planner.google.refusals import ErrorBody, status_of

if TYPE_CHECKING:
    from netplan_planner.google.session import Sessions

_PIECE_BYTES = 2**20
LARGEST_BODY_BYTES = 2**27
"""Of an answer, packed and unpacked: a page of 500 machines has one or two million bytes, one of
5,000 SKUs ten. Several are in memory at a time."""
_PLAIN_GZIP = b"\x1f\x8b\x08\x00"
_WITH_HEADER = 31
_BARE = -15
"""`wbits` of gzip with its header, and of the bare data, as zlib numbers the formats."""


class TooLarge(Exception):
    """A body beyond `LARGEST_BODY_BYTES`."""


class Passing(Exception):
    """A failure that may pass: why, how many seconds the server asks to wait, and its answer."""

    def __init__(
        self,
        reason: str,
        asked_s: float = 0.0,
        status: int = 0,
        error: ErrorBody | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.asked_s = asked_s
        self.status = status
        self.error = error


class Answer(NamedTuple):
    """A whole answer, unpacked."""

    status: int
    """Of HTTP, or of the error that came as if all were well."""
    body: bytes
    asked_s: float
    """The seconds that `Retry-After` asks to wait."""


class Exchange:
    """Sends requests for many threads; each has a session of its own."""

    def __init__(self, sessions: "Sessions", options: ApiOptions) -> None:
        """Open nothing yet.

        Args:
            sessions: What signs and sends.
            options: How long each wait for more of an answer may be.
        """
        self._sessions = sessions
        self._timeout_s = options.timeout_s
        self.stopped = threading.Event()
        self.ahead_s: float | None = None
        """Seconds that this machine's clock is ahead of the API's; None: no answer had a date."""

    def ask(
        self,
        url: str,
        query: Any,
        *,
        posted: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return the answer to a request, whatever its status.

        Args:
            url: Without a query.
            query: Its parameters, by name or in pairs.
            posted: JSON to post; None is a GET request.
            headers: Besides those of the session.

        Raises:
            Passing: If the reading was broken off.
            TooLarge: If there is more than an answer can have.
            Exception: What `Sessions.failures` names, below HTTP.
        """
        sent = dict(headers or {})
        if posted is not None:
            sent["Content-Type"] = "application/json"
        response = self._sessions.own().request(
            "GET" if posted is None else "POST",
            url,
            params=query,
            data=posted,
            headers=sent,
            timeout=self._timeout_s,
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
        status = status_of(response.status_code, body)
        return Answer(status, body, _retry_after(response.headers.get("Retry-After")))

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
                raise Passing("interrupted")
        return b"".join(pieces)


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


def _retry_after(value: str | None) -> float:
    """Return seconds; the other form, a date, is as good as none: the back-off is enough."""
    return float(value) if value and value.isascii() and value.isdigit() else 0.0


def _ahead_s(date: str | None, now_s: float) -> float | None:
    """Return the seconds that a clock is ahead of an answer's date; None: it has none."""
    try:
        return now_s - parsedate_to_datetime(date or "").timestamp()
    except (ValueError, OverflowError):
        return None
