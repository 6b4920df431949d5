"""A server on 127.0.0.1 that answers as a test tells it to: bytes as they are, slowly, or not.

    with HostileServer(lambda request: json_answer({"items": []})) as server:
        read_projects(["p"], ApiOptions(endpoint=server.url))

An answer is bytes, or several of them with pauses between; None resets the connection.
"""

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

Answer = bytes | Iterable[bytes | float] | None
"""Numbers are seconds to wait."""
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *([0-9]+)")


@dataclass(frozen=True)
class Asked:
    """One request."""

    number: int
    """From 1, over all connections."""
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = b""

    @property
    def collection(self) -> str:
        """The last part of the path: `instances`."""
        return self.path.rpartition("/")[2]


def answer(
    body: bytes, *, status: int = 200, length: int | None = None, headers: Mapping[str, str] = {}
) -> bytes:
    """Return a whole answer; `length` is what it says of its body, right by default."""
    told = {"Content-Type": "application/json", "Connection": "close", **headers}
    if length != -1:
        told["Content-Length"] = str(len(body) if length is None else length)
    lines = [f"HTTP/1.1 {status} Made", *(f"{name}: {value}" for name, value in told.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def json_answer(document: Any, **more: Any) -> bytes:
    """Return an answer with a JSON document."""
    return answer(json.dumps(document).encode(), **more)


@dataclass
class HostileServer:
    """The server; start it with `with`."""

    answers: Callable[[Asked], Answer]
    asked: list[Asked] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._listening.close()

    @property
    def is_open(self) -> bool:
        """Whether it takes requests."""
        return hasattr(self, "_listening")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def _serve(self) -> None:
        while not self._is_over.is_set():
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = client.recv(65536)
                if not piece:
                    return
                head += piece
            head, _, body = head.partition(b"\r\n\r\n")
            # All of it: to close before would be a reset.
            while len(body) < _length(head) and (piece := client.recv(65536)):
                body += piece
            made = self.answers(self._asked(head, body))
            try:
                self._send(client, made)
            except OSError:
                return

    def _send(self, client: socket.socket, made: Answer) -> None:
        if made is None:
            # No time to linger: the other end sees a reset.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        for part in [made] if isinstance(made, bytes) else made:
            if isinstance(part, bytes):
                client.sendall(part)
            elif self._is_over.wait(part):
                return

    def _asked(self, head: bytes, body: bytes) -> Asked:
        first, *lines = head.decode("latin-1").split("\r\n")
        target = urlsplit(first.split()[1])
        headers = dict(line.split(": ", 1) for line in lines)
        with self._lock:
            found = Asked(
                number=len(self.asked) + 1,
                path=target.path,
                query={name: values[0] for name, values in parse_qs(target.query).items()},
                headers={name.lower(): value for name, value in headers.items()},
                body=body,
            )
            self.asked.append(found)
        return found


def _length(head: bytes) -> int:
    found = _LENGTH.search(head)
    return int(found[1]) if found else 0


def trickle(data: bytes, *, pause_s: float) -> Iterable[bytes | float]:
    """Yield bytes one by one with pauses, each short enough for a time limit on reads."""
    for byte in data:
        yield bytes([byte])
        yield pause_s


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long some work took."""
    started = time.monotonic()
    work()
    return time.monotonic() - started
