"""Cloud Logging on 127.0.0.1: the one method that reads entries, with its filter and its manners.

    with LoggingServer({"p": [entry(...), ...]}, page_limit=3) as server:
        run("netplan", "audit", "--traffic", "cloud-logging", "--logging-endpoint", server.url)

Entries are of projects, or of views by their names. Of a filter it knows log names or ids, and
times; another filter is a problem.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from support.servers.discovery import Method, discovery
from support.servers.documented import DocumentedServer, Fault, Resource, refusal

LIST = "logging.entries.list"
LARGEST_PAGE = 1000
_FILTER = re.compile(
    r'(?:logName=\((?P<names>"[^"]+"(?: OR "[^"]+")*)\)'
    r'|\((?P<ids>log_id\("[^"]+"\)(?: OR log_id\("[^"]+"\))*)\))'
    r' AND timestamp>="(?P<since>[^"]+)" AND timestamp<"(?P<until>[^"]+)"'
)


class LoggingServer(DocumentedServer):
    """The server; start it with `with`."""

    def __init__(
        self,
        entries: Mapping[str, Iterable[Resource]],
        *,
        page_limit: int = LARGEST_PAGE,
        empty_pages: Sequence[int] = (),
    ) -> None:
        """Serve the entries of some projects.

        Args:
            entries: By project; sorted by time as the API does.
            page_limit: The most of a page, whatever is asked.
            empty_pages: Positions at which an answer without entries comes first, as where a search
                ran out of time.
        """
        super().__init__(discovery("logging", "v2"))
        self.entries = {project: list(held) for project, held in entries.items()}
        self.page_limit = page_limit
        self._empty = frozenset(empty_pages)

    def is_read(self, method: Method) -> bool:
        return method.id == LIST

    def project_of(self, names: dict[str, str], asked: Any) -> str:
        (resource,) = asked["resourceNames"]
        return str(resource).removeprefix("projects/")

    def body_of(
        self,
        method: Method,
        names: dict[str, str],
        query: Sequence[tuple[str, str]],
        asked: Any,
        fault: Fault | None,
    ) -> tuple[int, bytes]:
        for text in self.judge.check_body("ListLogEntriesRequest", asked):
            self.objection(text)
        wanted = _FILTER.fullmatch(asked["filter"])
        if wanted is None or asked["orderBy"] != "timestamp asc":
            self.objection(f"not understood: {asked}")
            return 400, refusal(400, "badRequest", "not understood")
        project = self.project_of(names, asked)
        if project not in self.entries:
            return 404, refusal(404, "notFound", f"no project {project}")
        held = self._held(project, wanted)
        token = asked.get("pageToken", "0")
        start = int(token.removesuffix("-later"))
        if start in self._empty and not token.endswith("-later"):
            return 200, self.checked(method, {"nextPageToken": f"{start}-later"})
        if fault is not None and fault.repeat_token:
            return 200, self.checked(method, {"entries": held[:1], "nextPageToken": "1"})
        until = start + min(asked["pageSize"], self.page_limit)
        body: Resource = {"entries": held[start:until]} if held[start:until] else {}
        if until < len(held):
            body["nextPageToken"] = str(until)
        return 200, self.checked(method, body)

    def _held(self, project: str, wanted: re.Match[str]) -> list[Resource]:
        ends = tuple(quote(name, safe="") for name in re.findall('"([^"]+)"', wanted["ids"] or ""))
        names = set(re.findall('"([^"]+)"', wanted["names"] or ""))
        since, until = (datetime.fromisoformat(wanted[end]) for end in ("since", "until"))
        found = [
            one
            for one in self.entries[project]
            if (
                one["logName"] in names
                or one["logName"].endswith(tuple(f"/logs/{e}" for e in ends))
            )
            and since <= datetime.fromisoformat(one["timestamp"]) < until
        ]
        return sorted(found, key=lambda one: (one["timestamp"], one.get("insertId", "")))

    def asked_tokens(self) -> list[str]:
        """The page tokens of all requests so far, in their order; empty for first pages."""
        return [call.asked.get("pageToken", "") for call in self.calls]
