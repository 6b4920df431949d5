"""Ends connections whose answer takes too long as a whole, in whatever pieces it comes.

A time limit of a socket is for each wait: a server that sends a byte now and then, of a header too,
keeps within it for ever.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

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
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
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
