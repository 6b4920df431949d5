"""Sessions of HTTP, one a thread, and what goes wrong below HTTP.

Imported when something is asked for: `requests` takes longer to import than an audit of a small
file. Requests are signed by `credentials`.
"""

import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import google.auth.exceptions
import requests
import urllib3
import urllib3.exceptions
from requests.adapters import HTTPAdapter

from netplan_planner.google.options import LOGIN, Endpoint
from netplan_planner.version import tool_version

# Ends connections whose answer takes too long as a whole, in whatever pieces it comes
#
# A time limit of a socket is for each wait: a server that sends a byte now and then, of a header
# too, keeps within it for ever.


_EVERY_S = 0.1


class Watch:
    """Knows the connection of each thread, and until when its answer must be whole."""

    def __init__(self) -> None:
        self._until_s: dict[int, float] = {}
        self._sockets: dict[int, socket.socket] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def until(self, moment_s: float) -> Iterator[None]:
        """End this thread's connection if the block is not left by a moment of the clock."""
        me = threading.get_ident()
        with self._lock:
            self._until_s[me] = moment_s
            if self._thread is None:
                # Known once it runs: another thread may close meanwhile, and joins what it finds.
                (thread := threading.Thread(target=self._run, daemon=True)).start()
                self._thread = thread
        try:
            yield
        finally:
            with self._lock:
                del self._until_s[me]

    def opened(self, sock: socket.socket) -> None:
        """Take the connection that this thread opened."""
        with self._lock:
            self._sockets[threading.get_ident()] = sock

    def close(self) -> None:
        """Watch no longer."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._is_over.wait(_EVERY_S):
            now_s = time.monotonic()
            with self._lock:
                late = [self._sockets.get(one) for one, at in self._until_s.items() if at < now_s]
            for sock in late:
                if sock is not None:
                    with suppress(OSError):
                        # Below TLS, whose own way of ending would wait for the other end.
                        socket.socket.shutdown(sock, socket.SHUT_RDWR)


# Sessions of HTTP, one a thread, and what goes wrong below HTTP


class Sessions:
    """Gives each thread a session of its own."""

    failures: tuple[type[Exception], ...] = (
        requests.RequestException,
        urllib3.exceptions.HTTPError,
        google.auth.exceptions.GoogleAuthError,
        OSError,
        zlib.error,
    )
    """What a request raises that got no whole answer."""

    def __init__(
        self,
        endpoint: Endpoint,
        watch: Watch,
        new: Callable[[], requests.Session] = requests.Session,
    ) -> None:
        """Open nothing yet.

        Args:
            endpoint: Where requests go.
            watch: Told of each connection.
            new: Makes a session; without a word, one that signs nothing.
        """
        self._endpoint = endpoint
        self._watch = watch
        self._new = new
        self._local = threading.local()
        self._opened: list[requests.Session] = []

    def own(self) -> requests.Session:
        """Return this thread's session."""
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._new()
            # Google compresses only for agents that say gzip in their name, too.
            session.headers["User-Agent"] = f"netplan/{tool_version()} (gzip)"
            session.headers["Accept-Encoding"] = "gzip"
            # Else requests would look for a password in ~/.netrc and prefer it to the token.
            session.auth = _unchanged
            watch_over(session, self._watch)
            if self._endpoint.is_loopback:
                session.trust_env = False
            self._local.session = session
            self._opened.append(session)
        return session

    def told(self, exc: Exception) -> str:
        """Return what went wrong below HTTP, without the objects that such errors print."""
        if isinstance(exc, google.auth.exceptions.GoogleAuthError):
            return f"the credentials could not be renewed; run `{LOGIN}`"
        if isinstance(exc, requests.Timeout | urllib3.exceptions.TimeoutError):
            return f"{self._endpoint.base_url} did not answer in time"
        if isinstance(exc, zlib.error):
            return "the compressed answer is damaged"
        if isinstance(exc, requests.exceptions.SSLError):
            return f"{self._endpoint.base_url}: no trusted connection (TLS)"
        inner = exc.args[0] if isinstance(exc, requests.ConnectionError) and exc.args else exc
        if isinstance(inner, urllib3.exceptions.ProtocolError):
            return "the connection was interrupted"
        return f"{self._endpoint.base_url} is unreachable ({type(exc).__name__})"

    def close(self) -> None:
        """Close all connections."""
        for session in self._opened:
            session.close()


def _unchanged(request: Any) -> Any:
    return request


def watch_over(session: requests.Session, watch: Watch) -> None:
    """Let a session's connections tell a watch when they are opened."""
    opened = watch.opened

    class Plain(urllib3.connection.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            opened(self.sock)

    class Encrypted(urllib3.connection.HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            opened(self.sock)

    class PlainPool(urllib3.HTTPConnectionPool):
        ConnectionCls = Plain

    class EncryptedPool(urllib3.HTTPSConnectionPool):
        ConnectionCls = Encrypted

    adapter = HTTPAdapter()
    adapter.poolmanager.pool_classes_by_scheme = {"http": PlainPool, "https": EncryptedPool}
    session.mount("http://", adapter)
    session.mount("https://", adapter)
