"""A Cloud Monitoring API of our own on 127.0.0.1, held to Google's discovery document.

    with MonitoringServer() as server:
        server.add_series("p", [...])
        server.add_fault(Fault(method="monitoring.projects.timeSeries.list", status=403))

Series are chosen by the metric type of the filter and cut to the window; alignment is not done: a
test gives the points as they come back. Pages hold at most `page_limit` points.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from support.servers.compute import ComputeServer, offset_of, token_of
from support.servers.discovery import Discovery, Method, discovery
from support.servers.documented import Fault, Resource

_TYPE = re.compile(r'metric\.type = "([^"]+)"')
LIST = "monitoring.projects.timeSeries.list"


class MonitoringServer(ComputeServer):
    """The server; start it with `with`."""

    def __init__(self, *, page_limit: int = 100_000, judge: Discovery | None = None) -> None:
        super().__init__(page_limit=page_limit, judge=judge or discovery("monitoring", "v3"))
        self._series: dict[str, list[dict[str, Any]]] = {}

    def add_series(self, project: str, series: Iterable[dict[str, Any]]) -> None:
        """Let a project, which exists from now on, have series."""
        self.add_project(project)
        self._series.setdefault(project, []).extend(series)

    def asked_metrics(self) -> list[str]:
        """The metric types that were asked for, in order."""
        return [_metric(call.parameter("filter") or "") for call in self.calls]

    def body_of(
        self,
        method: Method,
        names: dict[str, str],
        query: Sequence[tuple[str, str]],
        asked: Any,
        fault: Fault | None,
    ) -> tuple[int, bytes]:
        parameters = dict(query)
        missing = {"filter", "interval.endTime", "view"} - parameters.keys()
        if missing:
            self.problems.append(f"{method.id}: {', '.join(sorted(missing))} is required")
        found = [
            one
            for one in self._series.get(names["projectsId"], [])
            if one["metric"]["type"] == _metric(parameters.get("filter", ""))
        ]
        return 200, self.checked(method, self._page(found, parameters, fault))

    def _page(
        self, series: list[dict[str, Any]], query: dict[str, str], fault: Fault | None
    ) -> Resource:
        """A page of points, as the API counts them: a series may stand on two pages."""
        points = [(one, point) for one in series for point in one["points"]]
        size = min(int(query.get("pageSize", self.page_limit)), self.page_limit)
        first = offset_of(query.get("pageToken"))
        shown: list[dict[str, Any]] = []
        for one, point in points[first : first + size]:
            if (
                not shown
                or shown[-1]["metric"] != one["metric"]
                or (shown[-1]["resource"] != one["resource"])
            ):
                shown.append({**one, "points": []})
            shown[-1]["points"].append(point)
        body: Resource = {"timeSeries": shown} if shown else {}
        if fault is not None and fault.repeat_token:
            body["nextPageToken"] = query.get("pageToken", token_of(0))
        elif first + size < len(points):
            body["nextPageToken"] = token_of(first + size)
        return body


def _metric(text: str) -> str:
    found = _TYPE.search(text)
    return found[1] if found else ""
