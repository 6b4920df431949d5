"""The Cloud Billing Catalog API on 127.0.0.1, and the list of machine types beside it.

    with CatalogServer({COMPUTE: [...], NETWORKING: [...]}) as server:
        run("netplan", "prices", "refresh", "--api-endpoint", server.url, ...)

Parameters of the catalogue are held to Google's discovery document.
"""

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

API_KEY = "made-key"


@dataclass
class Trouble:
    """What the server does wrong, from which request of the catalogue on (counted from 1)."""

    from_request: int = 1
    times: int = 10**9
    status: int = 200
    body: bytes | None = None
    repeat: bool = False
    """Answer with the first page and ever the same token."""
    hang_s: float = 0.0


@dataclass
class CatalogServer:
    """The server; start it with `with`."""

    skus: Mapping[str, Sequence[dict[str, Any]]]
    machine_types: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    """By zone."""
    page_size: int = 7
    rates: Mapping[str, float] = field(default_factory=dict)
    trouble: Trouble | None = None
    expired_keys: frozenset[str] = frozenset()
    calls: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)
    """Path, parameters and headers of each request."""

    def __enter__(self) -> Self:
        document = files("googleapiclient.discovery_cache.documents") / "cloudbilling.v1.json"
        found = json.loads(document.read_text())
        method = found["resources"]["services"]["resources"]["skus"]["methods"]["list"]
        self._known = {*method["parameters"], *found["parameters"]}
        self._seen = 0
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        # A client that a test killed is none of the server's errors.
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def catalog_calls(self) -> list[dict[str, str]]:
        return [query for path, query, _ in self.calls if path.startswith("/v1/services/")]

    def answer(self, path: str, query: dict[str, str], headers: dict[str, str]) -> tuple[int, Any]:
        self.calls.append((path, query, headers))
        if path.startswith("/compute/v1/"):
            return self._types(query)
        return self._catalog(path, query, headers)

    def _catalog(
        self, path: str, query: dict[str, str], headers: dict[str, str]
    ) -> tuple[int, Any]:
        # Google's own client asks with `$alt`, a system parameter of every API.
        unknown = {name for name in query if not name.startswith("$")} - self._known
        if unknown:
            return 400, {"error": {"code": 400, "message": f"unknown parameters: {unknown}"}}
        self._seen += 1
        if headers.get("x-goog-api-key") in self.expired_keys:
            return 400, {"error": {"code": 400, "status": "INVALID_ARGUMENT",
                "message": "API key expired. Please renew the API key.",
                "details": [{"reason": "API_KEY_INVALID"}]}}  # fmt: skip
        trouble = self.trouble
        hit = trouble is not None and trouble.from_request <= self._seen
        if trouble is not None and hit and trouble.times > 0:
            trouble.times -= 1
            time.sleep(trouble.hang_s)
            if trouble.body is not None or trouble.status != 200:
                return trouble.status, trouble.body or {"error": {"message": "made by the test"}}
            if trouble.repeat:
                first = next(iter(self.skus.values()))[: self.page_size]
                return 200, {"skus": first, "nextPageToken": query.get("pageToken", "again")}
        service = path.split("/")[3]
        if service not in self.skus:
            return 404, {"error": {"code": 404, "message": "no such service"}}
        start = int(query.get("pageToken") or 0)
        size = min(int(query["pageSize"]), self.page_size)
        page = [self._in(query["currencyCode"], one) for one in self.skus[service]]
        token = str(start + size) if start + size < len(page) else ""
        return 200, {"skus": page[start : start + size], "nextPageToken": token}

    def _in(self, currency: str, sku: dict[str, Any]) -> dict[str, Any]:
        if currency == "USD":
            return sku
        made: dict[str, Any] = json.loads(json.dumps(sku))
        for info in made["pricingInfo"]:
            info["currencyConversionRate"] = self.rates[currency]
            for rate in info["pricingExpression"]["tieredRates"]:
                rate["unitPrice"]["currencyCode"] = currency
        return made

    def _types(self, query: dict[str, str]) -> tuple[int, Any]:
        zones = sorted(self.machine_types)
        start = int(query.get("pageToken") or 0)
        items = {}
        for zone in zones[start : start + 2]:
            types = [{**one, "zone": zone} for one in self.machine_types[zone]]
            items[f"zones/{zone}"] = {"machineTypes": types}
        token = str(start + 2) if start + 2 < len(zones) else ""
        body = {"kind": "compute#machineTypeAggregatedList", "items": items}
        return 200, {**body, **({"nextPageToken": token} if token else {})}


def _handler(server: CatalogServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, found = server.answer(parts.path, query, headers)
            body = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
