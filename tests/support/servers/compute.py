"""A Compute API of our own on 127.0.0.1, held to Google's discovery document.

    with ComputeServer() as server:
        server.add_project("p", {"instances": [...], "networks": [...]})
        server.add_fault(Fault(method="compute.routes.list", status=403))
        run("netplan", "audit", "--project", "p", "--api-endpoint", server.url)
        assert server.read_methods() >= {"compute.instances.aggregatedList"}

What fails the test is in `documented`.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from support.servers.discovery import Discovery, Method, discovery
from support.servers.documented import Call as Call
from support.servers.documented import DocumentedServer, refusal
from support.servers.documented import Fault as Fault

Resource = dict[str, Any]
Resources = Mapping[str, Iterable[Resource]]

LARGEST_PAGE = 500
LIST_MEMBERS = "compute.instanceGroups.listInstances"
"""Reads by POST."""
EMPTY_SCOPES = ("zones/africa-south1-a", "regions/africa-south1", "global")
"""Scopes without content, which the real aggregated lists are full of."""


class ComputeServer(DocumentedServer):
    """The server; start it with `with`."""

    def __init__(self, *, page_limit: int = LARGEST_PAGE, judge: Discovery | None = None) -> None:
        """Make a server whose pages hold at most `page_limit` resources, whatever is asked."""
        super().__init__(judge or discovery())
        self.page_limit = page_limit
        self._projects: dict[str, dict[str, list[Resource]]] = {}
        self._pages: dict[tuple[str, str], list[Resource]] = {}
        self._members: dict[str, list[str]] = {}

    def add_project(self, project: str, resources: Resources | None = None) -> None:
        """Add resources by collection to a project, which exists from now on."""
        held = self._projects.setdefault(project, {})
        for collection, items in (resources or {}).items():
            held.setdefault(collection, []).extend(items)

    def add_members(self, group: str, instances: Iterable[str]) -> None:
        """Put machines into an unmanaged group, both by their links."""
        self._members.setdefault(group, []).extend(instances)

    def is_read(self, method: Method) -> bool:
        return method.is_read or method.id == LIST_MEMBERS

    def add_pages(self, method: str, project: str, bodies: Sequence[Resource]) -> None:
        """Serve bodies as they are, in this order; their own tokens lead from one to the next."""
        self.add_project(project)
        self._pages.setdefault((method, project), []).extend(bodies)

    def body_of(
        self,
        method: Method,
        names: dict[str, str],
        query: Sequence[tuple[str, str]],
        asked: Any,
        fault: Fault | None,
    ) -> tuple[int, bytes]:
        project, parameters = names.get("project", ""), dict(query)
        if project not in self._projects:
            message = f"The resource 'projects/{project}' was not found"
            return 404, refusal(404, "notFound", message)
        pages = self._pages.get((method.id, project))
        if pages is not None:
            body: Resource | None = _recorded_page(pages, parameters.get("pageToken"))
        elif method.id == LIST_MEMBERS:
            self.problems += self.judge.check_body("InstanceGroupsListInstancesRequest", asked)
            body = self._listed_members(method.path.format(**names), parameters)
        elif method.id.endswith("ist"):
            body = self._listed(method, names, parameters, fault)
        else:
            body = self._single(method, names)
        if body is None:
            return 404, refusal(404, "notFound", f"The resource '{names}' was not found")
        return 200, self.checked(method, body)

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
        body: Resource = {"kind": self.judge.kind_default(method.response)}
        body["items"] = _scopes(items, collection) if is_aggregated else items
        if fault is not None and fault.repeat_token:
            body["nextPageToken"] = query.get("pageToken", token_of(0))
        elif same or start + size < len(held):
            body["nextPageToken"] = token_of(start + size)
        return body

    def _listed_members(self, path: str, query: dict[str, str]) -> Resource:
        held = self._members.get(path.removesuffix("/listInstances"), [])
        start = offset_of(query.get("pageToken"))
        end = start + min(int(query["maxResults"]), self.page_limit)
        body: Resource = {"items": [{"instance": one} for one in held[start:end]]}
        return body | ({"nextPageToken": token_of(end)} if end < len(held) else {})

    def _single(self, method: Method, names: dict[str, str]) -> Resource | None:
        """The resource whose self link is the path that was asked for."""
        link = "/" + method.path.format(**names)
        held = self._projects[names["project"]].values()
        items = (item for collection in held for item in collection)
        return next((item for item in items if str(item.get("selfLink")).endswith(link)), None)


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
