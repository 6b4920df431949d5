"""Requests to Google's APIs that read: credentials, retries, and refusals in plain words.

The REST API through google-auth's session, bodies as bytes (docs/adr/0002-rest-transport.md), or
Google's own clients, where options ask for them (docs/adr/0021-google-clients.md).
Nothing here writes or logs a credential.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from netplan_planner.errors import UsageError
from netplan_planner.google import credentials, refusals, session
from netplan_planner.google.clients import catalog, compute
from netplan_planner.google.exchange import Answer, Exchange, Passing, TooLarge
from netplan_planner.google.options import (
    INSTALL,
    READ_ONLY_SCOPE,
    ApiClient,
    ApiOptions,
    ClientApi,
    Endpoint,
)
from netplan_planner.input_files import decode_json

if TYPE_CHECKING:
    from netplan_planner.google.clients.asking import Clients
    from netplan_planner.google.session import Sessions, Watch

T = TypeVar("T")

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SLOWEST = 5
"""Times the time limit that a whole answer may take: one that trickles in keeps every single wait
short."""
_WITHHELD = b"(not shown)"


class NotWhole(Exception):
    """A body that is not the whole answer; asking again may help."""


class Transport:
    """Makes requests for many threads; each has a session of its own."""

    def __init__(
        self,
        endpoint: Endpoint,
        options: ApiOptions,
        *,
        scopes: Sequence[str] = (READ_ONLY_SCOPE,),
        api_key: str | None = None,
        api: ClientApi | None = None,
    ) -> None:
        """Find the credentials and see that they can be used.

        Args:
            endpoint: Where requests go, and whether without credentials.
            options: Retries, pages, time limits.
            scopes: What the default credentials are asked for, reading alone.
            api_key: A key to send instead of the default credentials.
            api: Whose client asks, where options want Google's; None: no client of it is used.

        Raises:
            AccessError: If there are none, or they are refused.
            UsageError: If Google's client is wanted, and is not installed or cannot ask there.
        """
        self.options = options
        self._deadline_s = time.monotonic() + options.total_s
        self._endpoint = endpoint
        self._api_key = api_key
        self._watch = session.Watch()
        self._sessions, self._credentials = _opened(endpoint, scopes, api_key, self._watch)
        self._exchange = Exchange(self._sessions, options)
        self.stopped = self._exchange.stopped
        self._ask = self._ask_over_rest
        if api is not None and options.client is ApiClient.GOOGLE:
            self._ask = _client(api, endpoint, self._exchange).ask
        self._has_answered = False
        self._unreachable = ""

    @property
    def ahead_s(self) -> float | None:
        """Seconds that this machine's clock is ahead of the API's; None: no answer had a date."""
        return self._exchange.ahead_s

    def get(self, request: refusals.Request, decode: Callable[[bytes], T]) -> T:
        """Return the decoded answer to a request, after as many attempts as it takes.

        `decode` takes the body and raises `NotWhole` if it is cut off. May be called from many
        threads.

        Raises:
            Refusal: If the answer cannot be had.
        """

        def attempt() -> T:
            if self._unreachable and not self._has_answered:
                raise refusals.Refusal(self._unreachable)
            self._require_time(request)
            return self._attempt(request, decode)

        return self.again(request.method, attempt)

    def again(self, method: str, attempt: Callable[[], T]) -> T:
        """Return what an attempt gives, after as many as it takes where one ends as `Passing`.

        Raises:
            Refusal: If none succeeds.
        """
        delay_s = self.options.backoff_initial_s
        for attempts_left in reversed(range(self.options.max_attempts)):
            try:
                return attempt()
            except Passing as exc:
                reason, asked_s, answer = exc.reason, exc.asked_s, (exc.status, exc.error)
            if attempts_left:
                self._wait(max(delay_s, asked_s), method)
                delay_s *= 2
        if not self._has_answered:
            # Nobody has answered any call: the others need not find that out one by one.
            self._unreachable = reason
        tries = self.options.max_attempts
        times = f" (after {tries} attempts)" if tries > 1 else ""
        raise refusals.Refusal(f"{method}: {reason}{times}", *answer)

    @property
    def left_s(self) -> float:
        """Seconds that are left of the time for all requests."""
        return max(self._deadline_s - time.monotonic(), 0.0)

    def spare(self, time_s: float) -> None:
        """Leave some time for what tidies up, though that for all requests may be over."""
        self._deadline_s = max(self._deadline_s, time.monotonic() + time_s)

    def pause(self, wait_s: float) -> None:
        """Wait, but not beyond the time for all requests."""
        self.stopped.wait(min(wait_s, self.left_s))

    def _require_time(self, request: refusals.Request) -> None:
        """Refuse to begin what would end after the time for all requests."""
        if not self.left_s:
            raise refusals.Refusal(
                f"{request.method}: not requested: the {self.options.total_s:,.0f} s for all"
                " requests (--total-timeout) have passed"
            )

    def _attempt(self, request: refusals.Request, decode: Callable[[bytes], T]) -> T:
        until_s = min(self._deadline_s, time.monotonic() + _SLOWEST * self.options.timeout_s)
        try:
            with self._watch.until(until_s):
                status, body, asked_s = self._once(request)
        except self._sessions.failures as exc:
            if time.monotonic() > until_s:
                raise Passing("the answer was too slow") from exc
            raise Passing(self._sessions.told(exc)) from exc
        except TooLarge as exc:
            raise refusals.Refusal(f"{request.method}: {exc}; not read") from exc
        self._has_answered = True
        body = self._without_secrets(body)
        if status == refusals.OK:
            try:
                return decode(body)
            except NotWhole as exc:
                if time.monotonic() > until_s:
                    raise Passing("the answer was too slow") from exc
                raise Passing(_not_whole(body, exc)) from exc
        if status in _REDIRECTS:
            raise refusals.Refusal(
                f"{request.method}: redirect (HTTP {status}) not followed, to keep the"
                " credentials private. Check the endpoint, and whether a login page intercepts"
                " requests",
                status,
            )
        error = refusals.error_of(body)
        if refusals.is_passing(status, error):
            raise Passing(refusals.told(status, error), asked_s, status, error)
        raise refusals.Refusal(refusals.why_refused(status, error, request), status, error)

    def _without_secrets(self, body: bytes) -> bytes:
        """Return an answer without the credential, which errors quote, those of a job too."""
        secrets = [one for one in (getattr(self._credentials, "token", None), self._api_key) if one]
        if secrets and b"\\" in body and (len(body) <= refusals.SMALL_BYTES or b'"error' in body):
            # An escape (`\u003d`) would hide it here, and show it once the body is decoded.
            with suppress(msgspec.MsgspecError):
                body = msgspec.json.encode(decode_json(body))
        for secret in secrets:
            body = body.replace(secret.encode(), _WITHHELD)
        return body

    def _wait(self, wait_s: float, method: str) -> None:
        if self.stopped.wait(min(wait_s, self.options.backoff_max_s, self.left_s)):
            raise refusals.Refusal(f"{method}: interrupted")

    def _once(self, request: refusals.Request) -> Answer:
        if request.body is not None and request.method not in refusals.POSTED:
            raise ValueError(f"{request.method} does not support POST")
        return self._ask(request)

    def _ask_over_rest(self, request: refusals.Request) -> Answer:
        url = self._endpoint.base_url + request.path
        return self._exchange.ask(url, request.query, posted=request.body)

    def close(self) -> None:
        """Close all connections."""
        self._sessions.close()
        self._watch.close()


def _opened(
    endpoint: Endpoint, scopes: Sequence[str], api_key: str | None, watch: "Watch"
) -> "tuple[Sessions, Any]":
    """Return where threads get their sessions, and the credentials of these.

    What speaks HTTP is imported here, and what signs requests only where they are signed.
    """
    if endpoint.is_anonymous and api_key is None:
        return session.Sessions(endpoint, watch), None
    if api_key is not None:
        held = credentials.key_credentials(api_key)
    else:
        held = credentials.default_credentials(scopes)
    return session.Sessions(endpoint, watch, lambda: credentials.authorized_session(held)), held


def _client(api: ClientApi, endpoint: Endpoint, exchange: Exchange) -> "Clients":
    """Return what asks by Google's client, which takes seconds to import.

    Raises:
        UsageError: If it is not installed, or cannot ask at this endpoint.
    """
    try:
        is_compute = api is ClientApi.COMPUTE
        clients_at = compute.clients_at if is_compute else catalog.clients_at
    except ImportError as exc:
        raise UsageError(INSTALL) from exc
    return clients_at(endpoint, exchange)


def default_project() -> str | None:
    """Return the project that Google's default credentials name, None where there is none.

    Raises:
        AccessError: If there is a file of credentials that cannot be used.
    """
    return credentials.default_project()


def _not_whole(body: bytes, exc: NotWhole) -> str:
    if body.lstrip()[:1] == b"<":
        return "the answer is a web page, not JSON. Check the endpoint and the proxy"
    return f"the answer is incomplete: {exc}"
