"""Servers on 127.0.0.1 that stand in for an API of Google's, held to its discovery document.

Requests are answered by method id. A path, parameter or body that the document does not know, and
any method that is no read, are problems; leaving the `with` block with problems fails the test.
"""

import gzip
import json
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from support.servers.discovery import Discovery, Method

Resource = dict[str, Any]

_SERVICE_DISABLED = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "SERVICE_DISABLED",
    "domain": "googleapis.com",
    "metadata": {"service": "compute.googleapis.com"},
}


@dataclass
class Fault:
    """What goes wrong, for which calls, and how often."""

    method: str = "*"
    """Glob over method ids."""
    project: str = "*"
    status: int = 200
    """Other than 200: an error answer."""
    reason: str = "backendError"
    """`errors[0].reason`; `SERVICE_DISABLED` makes the details that the real API sends."""
    message: str = "made by the test"
    retry_after: str | None = None
    times: float = math.inf
    """How many matching calls it hits."""
    skip: int = 0
    """How many matching calls pass before."""
    delay_s: float = 0.0
    truncate: bool = False
    """Send half of the JSON, as a whole answer."""
    corrupt: bool = False
    """Damage the compressed body."""
    disconnect: bool = False
    """Announce the whole body and close after half of it."""
    repeat_token: bool = False
    """Answer with the page token that was asked for (or a fixed one), again and again."""
    same_page: bool = False
    """Ever new tokens, but always the first page."""
    body: bytes | None = None
    """Sent as it is, unchecked."""
    hits: int = field(default=0, init=False)
    seen: int = field(default=0, init=False)


@dataclass(frozen=True)
class Call:
    """One request that was answered."""

    method: str
    project: str
    http_method: str
    path: str
    query: tuple[tuple[str, str], ...]
    status: int
    headers: tuple[tuple[str, str], ...]
    asked: Any = None
    """What was posted."""

    def parameter(self, name: str) -> str | None:
        return dict(self.query).get(name)

    def header(self, name: str) -> str | None:
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)


class DocumentedServer:
    """A server; start it with `with`. What it answers, `body_of` of each API says."""

    def __init__(self, judge: Discovery) -> None:
        self.calls: list[Call] = []
        self.problems: list[str] = []
        self.judge = judge
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self._http: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        http.daemon_threads = True
        self._http = http
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._http is not None
        self._http.shutdown()
        self._http.server_close()
        if exc is None:
            assert not self.problems, "the API's document objects: " + "; ".join(self.problems)

    @property
    def url(self) -> str:
        """Without the version path, as options of endpoints take it."""
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_port}"

    def add_fault(self, fault: Fault) -> Fault:
        """Let calls fail; the first fault that fits a call counts."""
        self._faults.append(fault)
        return fault

    def read_methods(self) -> set[str]:
        """The ids of all methods called so far."""
        return {call.method for call in self.calls}

    def calls_of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]

    def answer(
        self, http_method: str, target: str, headers: Sequence[tuple[str, str]], sent: bytes = b""
    ) -> tuple[int, bytes, Fault | None]:
        """The status, body and fault for a request."""
        parts = urlsplit(target)
        query = [(k, v) for k, vs in parse_qs(parts.query).items() for v in vs]
        found = self.judge.find(http_method, parts.path)
        if found is None:
            self.objection(f"no such method: {http_method} {parts.path}")
            return 404, refusal(404, "notFound", "no such method"), None
        method, raw_names = found
        names = {key: unquote(value) for key, value in raw_names.items()}
        for text in self.judge.check_query(method, {key for key, _ in query}):
            self.objection(text)
        if not self.is_read(method):
            self.objection(f"{method.id} is no read")
        asked = json.loads(sent) if sent else None
        project = self.project_of(names, asked)
        fault = self._fault(method.id, project)
        if fault is not None and fault.status != 200:
            status = fault.status
            body = refusal(fault.status, fault.reason, fault.message)
        elif fault is not None and fault.body is not None:
            status, body = 200, fault.body
        else:
            status, body = self.body_of(method, names, query, asked, fault)
        call = Call(
            method.id, project, http_method, parts.path, tuple(query), status, tuple(headers), asked
        )
        with self._lock:
            self.calls.append(call)
        return status, body, fault

    def is_read(self, method: Method) -> bool:
        return method.is_read

    def project_of(self, names: dict[str, str], asked: Any) -> str:
        """What a request is about, as `Fault.project` and `Call.project` name it."""
        return names.get("project") or names.get("projectsId", "")

    def body_of(
        self,
        method: Method,
        names: dict[str, str],
        query: Sequence[tuple[str, str]],
        asked: Any,
        fault: Fault | None,
    ) -> tuple[int, bytes]:
        """The status and body of a request that no fault answers."""
        raise NotImplementedError

    def checked(self, method: Method, body: Resource) -> bytes:
        """A body as it is sent, held to the document."""
        for text in self.judge.check_body(method.response, body):
            self.objection(f"{method.id}: {text}")
        return json.dumps(body, separators=(",", ":")).encode()

    def objection(self, text: str) -> None:
        with self._lock:
            self.problems.append(text)

    def _fault(self, method: str, project: str) -> Fault | None:
        with self._lock:
            for fault in self._faults:
                if fnmatchcase(method, fault.method) and fnmatchcase(project, fault.project):
                    fault.seen += 1
                    if fault.skip < fault.seen and fault.hits < fault.times:
                        fault.hits += 1
                        return fault
        return None


def refusal(status: int, reason: str, message: str) -> bytes:
    error: Resource = {"code": status, "message": message}
    if reason == "SERVICE_DISABLED":
        error |= {"status": "PERMISSION_DENIED", "details": [_SERVICE_DISABLED]}
        reason = "accessNotConfigured"
    error["errors"] = [{"domain": "global", "message": message, "reason": reason}]
    return json.dumps({"error": error}).encode()


def _handler(server: DocumentedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = list(self.headers.items())
            status, body, fault = server.answer(self.command, self.path, headers, sent)
            if fault is not None and fault.delay_s:
                time.sleep(fault.delay_s)
            if fault is not None and fault.truncate:
                body = body[: len(body) // 2]
            is_packed = "gzip" in self.headers.get("Accept-Encoding", "")
            body = gzip.compress(body, 1) if is_packed else body
            if fault is not None and fault.corrupt:
                middle = len(body) // 2
                body = body[:middle] + bytes(255 - b for b in body[middle:-8]) + body[-8:]
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            if is_packed:
                self.send_header("Content-Encoding", "gzip")
            if fault is not None and fault.retry_after is not None:
                self.send_header("Retry-After", fault.retry_after)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if fault is not None and fault.disconnect:
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            else:
                self._write(body)

        def _write(self, body: bytes) -> None:
            try:
                self.wfile.write(body)
            except OSError:
                # A client that did not wait for a slow answer.
                self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    return Handler
