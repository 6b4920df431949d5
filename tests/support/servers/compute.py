"""A Compute API of our own on 127.0.0.1, held to Google's discovery document.

    with ComputeServer() as server:
        server.add_project("p", {"instances": [...], "networks": [...]})
        server.add_fault(Fault(method="compute.routes.list", status=403))
        run("netplan", "audit", "--project", "p", "--api-endpoint", server.url)
        assert server.read_methods() >= {"compute.instances.aggregatedList"}

Requests are answered by method id. A path, parameter or body that the document does not know, and
any method that is no read, are problems; leaving the `with` block with problems fails the test.
"""

import base64
import gzip
import json
import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from support.servers.discovery import Discovery, Method, discovery

Resource = dict[str, Any]
Resources = Mapping[str, Iterable[Resource]]

LARGEST_PAGE = 500
EMPTY_SCOPES = ("zones/africa-south1-a", "regions/africa-south1", "global")
"""Scopes without content, which the real aggregated lists are full of."""
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

    def parameter(self, name: str) -> str | None:
        return dict(self.query).get(name)

    def header(self, name: str) -> str | None:
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)


class ComputeServer:
    """The server; start it with `with`."""

    def __init__(self, *, page_limit: int = LARGEST_PAGE, judge: Discovery | None = None) -> None:
        """Make a server whose pages hold at most `page_limit` resources, whatever is asked."""
        self.calls: list[Call] = []
        self.problems: list[str] = []
        self.page_limit = page_limit
        self._judge = judge or discovery()
        self._projects: dict[str, dict[str, list[Resource]]] = {}
        self._pages: dict[tuple[str, str], list[Resource]] = {}
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
        """Without the version path, as `--api-endpoint` takes it."""
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_port}"

    def add_project(self, project: str, resources: Resources | None = None) -> None:
        """Add resources by collection to a project, which exists from now on."""
        held = self._projects.setdefault(project, {})
        for collection, items in (resources or {}).items():
            held.setdefault(collection, []).extend(items)

    def add_pages(self, method: str, project: str, bodies: Sequence[Resource]) -> None:
        """Serve bodies as they are, in this order; their own tokens lead from one to the next."""
        self.add_project(project)
        self._pages.setdefault((method, project), []).extend(bodies)

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
        self, http_method: str, target: str, headers: Sequence[tuple[str, str]]
    ) -> tuple[int, bytes, Fault | None]:
        """The status, body and fault for a request."""
        parts = urlsplit(target)
        query = [(k, v) for k, vs in parse_qs(parts.query).items() for v in vs]
        found = self._judge.find(http_method, parts.path)
        if found is None:
            self._object(f"no such method: {http_method} {parts.path}")
            return 404, refusal(404, "notFound", "no such method"), None
        method, raw_names = found
        names = {key: unquote(value) for key, value in raw_names.items()}
        project = names.get("project") or names.get("projectsId", "")
        for text in self._judge.check_query(method, {key for key, _ in query}):
            self._object(text)
        if not method.is_read:
            self._object(f"{method.id} is no read")
        fault = self._fault(method.id, project)
        status, body = self._body(method, names, dict(query), fault)
        call = Call(
            method.id, project, http_method, parts.path, tuple(query), status, tuple(headers)
        )
        with self._lock:
            self.calls.append(call)
        return status, body, fault

    def _body(
        self, method: Method, names: dict[str, str], query: dict[str, str], fault: Fault | None
    ) -> tuple[int, bytes]:
        if fault is not None and fault.status != 200:
            return fault.status, refusal(fault.status, fault.reason, fault.message)
        if fault is not None and fault.body is not None:
            return 200, fault.body
        project = names.get("project", "")
        if project not in self._projects:
            message = f"The resource 'projects/{project}' was not found"
            return 404, refusal(404, "notFound", message)
        pages = self._pages.get((method.id, project))
        if pages is not None:
            body: Resource | None = _recorded_page(pages, query.get("pageToken"))
        elif method.id.endswith("ist"):
            body = self._listed(method, names, query, fault)
        else:
            body = self._single(method, names)
        if body is None:
            return 404, refusal(404, "notFound", f"The resource '{names}' was not found")
        self._check(method, body)
        return 200, json.dumps(body, separators=(",", ":")).encode()

    def _listed(
        self, method: Method, names: dict[str, str], query: dict[str, str], fault: Fault | None
    ) -> Resource:
        collection = method.path.rpartition("/")[2]
        project = names["project"]
        held = self._projects[project].get(collection, [])
        is_aggregated = method.id.endswith(".aggregatedList")
        place = names.get("zone") or names.get("region") or "global"
        if not is_aggregated:
            held = [item for item in held if _scope(item).rpartition("/")[2] == place]
        size = min(int(query.get("maxResults", LARGEST_PAGE)), self.page_limit)
        start = offset_of(query.get("pageToken"))
        same = fault is not None and fault.same_page
        items = held[:size] if same else held[start : start + size]
        body: Resource = {"kind": self._judge.kind_default(method.response)}
        body["items"] = _scopes(items, collection) if is_aggregated else items
        if fault is not None and fault.repeat_token:
            body["nextPageToken"] = query.get("pageToken", token_of(0))
        elif same or start + size < len(held):
            body["nextPageToken"] = token_of(start + size)
        return body

    def _single(self, method: Method, names: dict[str, str]) -> Resource | None:
        """The resource whose self link is the path that was asked for."""
        link = "/" + method.path.format(**names)
        held = self._projects[names["project"]].values()
        items = (item for collection in held for item in collection)
        return next((item for item in items if str(item.get("selfLink")).endswith(link)), None)

    def _check(self, method: Method, body: Resource) -> None:
        for text in self._judge.check_body(method.response, body):
            self._object(f"{method.id}: {text}")

    def _object(self, text: str) -> None:
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


def _scope(item: Resource) -> str:
    """`zones/z`, `regions/r` or `global`, from the self link."""
    parts = str(item["selfLink"]).partition("projects/")[2].split("/")
    return "global" if parts[1] == "global" else f"{parts[1]}/{parts[2]}"


def _scopes(items: list[Resource], collection: str) -> Resource:
    scopes: dict[str, Resource] = {}
    for item in items:
        scopes.setdefault(_scope(item), {collection: []})[collection].append(item)
    for scope in EMPTY_SCOPES:
        if scope not in scopes:
            message = f"There are no results for scope '{scope}' on this page."
            data = [{"key": "scope", "value": scope}]
            warning = {"code": "NO_RESULTS_ON_PAGE", "message": message, "data": data}
            scopes[scope] = {"warning": warning}
    return scopes


def _recorded_page(pages: list[Resource], token: str | None) -> Resource | None:
    if token is None:
        return pages[0]
    for page, following in pairwise(pages):
        if page.get("nextPageToken") == token:
            return following
    return None


def token_of(offset: int) -> str:
    return base64.urlsafe_b64encode(f"offset {offset}".encode()).decode()


def offset_of(token: str | None) -> int:
    if not token:
        return 0
    return int(base64.urlsafe_b64decode(token).decode().split()[1])


def refusal(status: int, reason: str, message: str) -> bytes:
    error: Resource = {"code": status, "message": message}
    if reason == "SERVICE_DISABLED":
        error |= {"status": "PERMISSION_DENIED", "details": [_SERVICE_DISABLED]}
        reason = "accessNotConfigured"
    error["errors"] = [{"domain": "global", "message": message, "reason": reason}]
    return json.dumps({"error": error}).encode()


def _handler(server: ComputeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if length:
                self.rfile.read(length)
            status, body, fault = server.answer(self.command, self.path, list(self.headers.items()))
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
