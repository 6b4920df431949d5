"""Cloud Asset Inventory on 127.0.0.1: the list of assets below a parent, page by page.

with AssetServer({"organizations/1": [asset, ...]}) as server:
    monkeypatch.setenv(ASSETS_VARIABLE, server.url)
    run("netplan", "audit", "--organization", "1")
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from support.servers.discovery import Method, discovery
from support.servers.documented import DocumentedServer, Fault, Resource, refusal

LIST = "cloudasset.assets.list"


class AssetServer(DocumentedServer):
    """The server; start it with `with`."""

    def __init__(
        self,
        assets: Mapping[str, Iterable[Resource]],
        *,
        page_limit: int = 1000,
        has_relationships: bool = True,
    ) -> None:
        """Serve the assets of some parents; relationships are of a licence of their own."""
        super().__init__(discovery("cloudasset"))
        self.assets = {parent: list(held) for parent, held in assets.items()}
        self.page_limit = page_limit
        self.has_relationships = has_relationships

    def project_of(self, names: dict[str, str], asked: Any) -> str:
        return f"{names['v1Id']}/{names['v1Id1']}"

    def body_of(
        self,
        method: Method,
        names: dict[str, str],
        query: Sequence[tuple[str, str]],
        asked: Any,
        fault: Fault | None,
    ) -> tuple[int, bytes]:
        parent, parameters = self.project_of(names, asked), dict(query)
        if parent not in self.assets:
            return 404, refusal(404, "notFound", f"no {parent}")
        is_related = parameters["contentType"] == "RELATIONSHIP"
        if is_related and not self.has_relationships:
            return 403, refusal(403, "forbidden", "not of this tier")
        wanted = [re.compile(value) for name, value in query if name == "assetTypes"]
        held = [
            one
            for one in self.assets[parent]
            if any(pattern.fullmatch(one["assetType"]) for pattern in wanted)
            and ("relatedAsset" in one) == is_related
        ]
        start = int(parameters.get("pageToken", "0"))
        end = start + min(int(parameters["pageSize"]), self.page_limit)
        body: Resource = {"assets": held[start:end]} if held[start:end] else {}
        if fault is not None and fault.repeat_token:
            body["nextPageToken"] = "0"
        elif end < len(held):
            body["nextPageToken"] = str(end)
        return 200, self.checked(method, body)
