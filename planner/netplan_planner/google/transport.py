"""GET requests to Google's APIs: credentials, retries, and refusals in plain words.

The REST API through google-auth's session, bodies as bytes (docs/adr/0002-rest-transport.md).
Nothing here writes or logs a credential.
"""

import logging
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from netplan_planner.errors import AccessError
from netplan_planner.google.options import ApiOptions, Endpoint
from netplan_planner.google.watch import Watch
from netplan_planner.version import tool_version

if TYPE_CHECKING:
    import requests

T = TypeVar("T")

READ_ONLY_SCOPE = "https://www.googleapis.com/auth/compute.readonly"
VIEWER_ROLE = "roles/compute.viewer"
LOGIN = "gcloud auth application-default login"

OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 200, 401, 403, 404
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})
_RATE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})
"""Reasons under which the API says 403 where it means 429."""
_DISABLED_REASONS = frozenset({"SERVICE_DISABLED", "accessNotConfigured"})
_LONGEST_MESSAGE = 300
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


class Refusal(Exception):
    """A request that failed for good; the text tells the user what to do about it."""


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


class Request(NamedTuple):
    """A GET request, and what its refusals mean."""

    method: str
    """Its id in the discovery document."""
    path: str
    """Below the version, each part quoted."""
    query: Mapping[str, str]
    permission: str
    """What the method needs."""
    disabled: str
    """What to do where the API is switched off."""
    missing: str
    """What 404 means."""
    forbidden: str = ""
    """What 403 means, where it is not that a permission is missing."""


class _Detail(msgspec.Struct):
    reason: str | None = None


class _ErrorBody(msgspec.Struct):
    message: str = ""
    status: str | None = None
    errors: list[_Detail] = []
    details: list[_Detail] = []


class _ErrorAnswer(msgspec.Struct):
    error: _ErrorBody = msgspec.field(default_factory=_ErrorBody)


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
        if api_key is not None:
            self._credentials = _key_credentials(api_key)
        else:
            self._credentials = None if endpoint.is_anonymous else _default_credentials(scopes)
        self._local = threading.local()
        self._watch = Watch()
        self._sessions: list[requests.Session] = []
        self._has_answered = False
        self._unreachable = ""

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
        except _failures() as exc:
            if time.monotonic() > until_s:
                raise _Passing("the answer came too slowly") from exc
            raise _Passing(_told(exc, self._endpoint)) from exc
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
        error = self._error(body)
        if status in _RETRIED or (status == FORBIDDEN and _reasons(error) & _RATE_REASONS):
            raise _Passing(f"HTTP {status} {_message(error)}".rstrip(), asked_s)
        raise Refusal(_refused(status, error, request))

    def _error(self, body: bytes) -> _ErrorBody:
        """Return what an error answer says, without the credential, which some answers quote."""
        credentials = self._credentials
        for secret in (getattr(credentials, "token", None), self._api_key):
            if secret:
                body = body.replace(secret.encode(), _WITHHELD)
        return _error(body)

    def _wait(self, wait_s: float, request: Request) -> None:
        left_s = max(self._deadline_s - time.monotonic(), 0.0)
        if self.stopped.wait(min(wait_s, self.options.backoff_max_s, left_s)):
            raise Refusal(f"{request.method}: interrupted")

    def _once(self, request: Request) -> tuple[int, bytes, float]:
        """Return status, body and the seconds that `Retry-After` asks for."""
        response = self._session().get(
            self._endpoint.base_url + request.path,
            params=request.query,
            timeout=self.options.timeout_s,
            # Redirects could carry credentials elsewhere; the API has none.
            allow_redirects=False,
            stream=True,
        )
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

    def _session(self) -> "requests.Session":
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._new_session()
            # Google compresses only for agents that say gzip in their name, too.
            session.headers["User-Agent"] = f"netplan/{tool_version()} (gzip)"
            session.headers["Accept-Encoding"] = "gzip"
            # Else requests would look for a password in ~/.netrc and prefer it to the token.
            session.auth = _unchanged
            self._watch.over(session)
            if self._endpoint.is_loopback:
                session.trust_env = False
            self._local.session = session
            self._sessions.append(session)
        return session

    def _new_session(self) -> "requests.Session":
        if self._credentials is None:
            # google-auth would load a cryptography library for nothing.
            import requests

            return requests.Session()
        from google.auth.transport.requests import AuthorizedSession

        session: requests.Session = AuthorizedSession(  # type: ignore[no-untyped-call]
            self._credentials, auth_request=_token_request()
        )
        return session

    def close(self) -> None:
        """Close all connections."""
        for session in self._sessions:
            session.close()
        self._watch.close()


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


def _unchanged(request: Any) -> Any:
    return request


def _failures() -> tuple[type[Exception], ...]:
    import google.auth.exceptions
    import requests
    import urllib3.exceptions

    return (
        requests.RequestException,
        urllib3.exceptions.HTTPError,
        google.auth.exceptions.GoogleAuthError,
        OSError,
        zlib.error,
    )


def _told(exc: Exception, endpoint: Endpoint) -> str:
    """Return what went wrong below HTTP, without the objects that such errors print."""
    import google.auth.exceptions
    import requests
    import urllib3.exceptions

    if isinstance(exc, google.auth.exceptions.GoogleAuthError):
        return f"the credentials could not be renewed; run `{LOGIN}`"
    if isinstance(exc, requests.Timeout | urllib3.exceptions.TimeoutError):
        return f"{endpoint.base_url} did not answer in time"
    if isinstance(exc, zlib.error):
        return "the compressed answer is damaged"
    if isinstance(exc, requests.exceptions.SSLError):
        return f"{endpoint.base_url}: no trusted connection (TLS)"
    inner = exc.args[0] if isinstance(exc, requests.ConnectionError) and exc.args else exc
    if isinstance(inner, urllib3.exceptions.ProtocolError):
        return "the connection broke off"
    return f"{endpoint.base_url} cannot be reached ({type(exc).__name__})"


def _retry_after(value: str | None) -> float:
    """Return seconds; the other form, a date, is as good as none: the back-off is enough."""
    return float(value) if value and value.isascii() and value.isdigit() else 0.0


def _error(body: bytes) -> _ErrorBody:
    try:
        return msgspec.json.decode(body, type=_ErrorAnswer).error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # A proxy's page, or nothing.
        return _ErrorBody()


def _reasons(error: _ErrorBody) -> set[str]:
    return {part.reason for part in [*error.errors, *error.details] if part.reason}


def _message(error: _ErrorBody) -> str:
    return " ".join(error.message.split())[:_LONGEST_MESSAGE]


def _refused(status: int, error: _ErrorBody, request: Request) -> str:
    """Return what a final answer means. What concerns the whole project names no method."""
    if status == UNAUTHORIZED:
        return f"the credentials were refused (401); run `{LOGIN}`"
    if status == FORBIDDEN and _reasons(error) & _DISABLED_REASONS:
        return request.disabled
    if status == FORBIDDEN and request.forbidden:
        return f"{request.method}: refused (403) {_message(error)}; {request.forbidden}"
    if status == FORBIDDEN:
        return (
            f"{request.method}: refused (403), it needs the permission {request.permission},"
            f" which the role {VIEWER_ROLE} holds"
        )
    if status == NOT_FOUND:
        return request.missing
    return f"{request.method}: HTTP {status} {_message(error)}".rstrip()


def _key_credentials(api_key: str) -> Any:
    """Return an API key as google-auth's credentials: sent as a header, never in an address."""
    from google.auth import api_key as keys

    try:
        return keys.Credentials(api_key)  # type: ignore[no-untyped-call]
    except ValueError as exc:
        raise AccessError("the API key is empty") from exc


def default_project() -> str | None:
    """Return the project that Google's default credentials name, None where there is none.

    That is GOOGLE_CLOUD_PROJECT, else the project of the credentials file, of gcloud's
    configuration, or of the machine that this runs on, as google-auth finds it.
    """
    import google.auth
    import google.auth.exceptions

    logging.getLogger("google.auth._default").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            _, project = google.auth.default(scopes=[READ_ONLY_SCOPE])
    except (google.auth.exceptions.GoogleAuthError, OSError):
        return None
    return project or None


def _token_request() -> Any:
    """Return what renews credentials: a redirect there would carry a signed request elsewhere."""
    import requests
    from google.auth.transport.requests import Request

    session = requests.Session()
    session.max_redirects = 0
    return Request(session)


def _default_credentials(scopes: Sequence[str]) -> Any:
    """Google's application default credentials, renewed once so that bad ones show here."""
    import google.auth
    import google.auth.exceptions
    import requests

    # It would tell stderr that no default project is set; projects are named by option here.
    logging.getLogger("google.auth._default").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # About quota projects of user credentials, which Compute reads do not need.
            warnings.simplefilter("ignore", UserWarning)
            credentials, _ = google.auth.default(scopes=list(scopes))
    except (google.auth.exceptions.DefaultCredentialsError, OSError) as exc:
        text = f"no Google credentials were found; run `{LOGIN}`"
        raise AccessError(f"{text}, or set GOOGLE_APPLICATION_CREDENTIALS") from exc
    try:
        credentials.refresh(_token_request())  # type: ignore[no-untyped-call]
    except (google.auth.exceptions.GoogleAuthError, requests.RequestException) as exc:
        raise AccessError(f"the Google credentials cannot be used; run `{LOGIN}`") from exc
    return credentials
