"""A server of comments as GitHub's and GitLab's APIs have them, on this machine."""

import json
import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

BOT = "github-actions[bot]"
_COMMENTS = re.compile(
    r"(?:/repos/o/r/issues(?:/7)?/comments|/projects/5/merge_requests/7/notes)(?:/(\d+))?"
)


class Fault(NamedTuple):
    """An answer instead of what was asked for."""

    status: int
    headers: Mapping[str, str] = MappingProxyType({})
    message: str = "no"


class ReviewServer:
    """Keeps comments; `faults` are answered first, `before` is called before each request."""

    def __init__(self, token: str) -> None:
        self.comments: dict[int, dict[str, Any]] = {}
        self.faults: list[Fault] = []
        self.asked: list[str] = []
        self.before: Callable[[str], None] = lambda _: None
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def _answer(self, status: int, document: Any = None, **headers: str) -> None:
                body = b"" if document is None else json.dumps(document).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _any(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                sent = json.loads(self.rfile.read(length)) if length else {}
                server.before(self.command)
                with server.lock:
                    server.asked.append(self.command)
                    if server.faults:
                        fault = server.faults.pop(0)
                        self._answer(fault.status, {"message": fault.message}, **fault.headers)
                        return
                    held = (self.headers.get("Authorization"), self.headers.get("PRIVATE-TOKEN"))
                    if f"Bearer {token}" not in held and token not in held:
                        self._answer(401, {"message": f"bad credentials {held}"})
                        return
                    self._answer(*server.does(self.command, self.path, sent))

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def add(self, body: str, author: str = BOT) -> int:
        number = max(self.comments, default=0) + 1
        user = {"login": author, "username": author}
        self.comments[number] = {"id": number, "body": body, "user": user, "author": user}
        return number

    def does(self, method: str, path: str, sent: dict[str, Any]) -> tuple[int, Any]:
        parts = urlsplit(path)
        if parts.path == "/user":
            return 200, {"username": BOT}
        found = _COMMENTS.fullmatch(parts.path)
        if found is None:
            return 404, {"message": "Not Found"}
        if found[1] is None:
            if method == "POST":
                return 201, self.comments[self.add(sent["body"])]
            query = parse_qs(parts.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, list(self.comments.values())[(page - 1) * size : page * size]
        number = int(found[1])
        if number not in self.comments:
            return 404, {"message": "Not Found"}
        if method == "DELETE":
            del self.comments[number]
            return 204, None
        self.comments[number]["body"] = sent["body"]
        return 200, self.comments[number]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
