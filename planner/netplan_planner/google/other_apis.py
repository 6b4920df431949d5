"""The APIs beside Compute's: lists whose resources have whole paths, and whether each answers."""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from netplan_planner.errors import AccessError
from netplan_planner.google import assets, monitoring
from netplan_planner.google.compute_methods import (
    ASSETS_ID,
    CONFIGURATIONS_ID,
    ENTRIES_ID,
    HUBS_ID,
    METHODS,
    SERIES_ID,
    SPOKES_ID,
)
from netplan_planner.google.logs.options import SCOPE as LOGS_SCOPE
from netplan_planner.google.logs.options import LogOptions, known_logging_endpoint
from netplan_planner.google.logs.pages import entries_request
from netplan_planner.google.metrics_window import window_until
from netplan_planner.google.monitoring import Asked
from netplan_planner.google.options import ApiOptions, Endpoint, resolve_beside
from netplan_planner.google.paging import Page, each_page, page_of
from netplan_planner.google.refusals import Refusal, Request
from netplan_planner.google.transport import Transport
from netplan_planner.model import Metric, ProjectId
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import FLOW_LOGS_CONFIGURATION, HUB, SPOKE, Kind
from netplan_planner.readers.located import take_answer

# Configurations of flow logs of the Network Management API, hubs and spokes of the Network
# Connectivity API. Each has an endpoint and permissions of its own: what it refuses is noted, and
# the rest of a project is read all the same.


SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""The only one that the methods take; nothing but GET requests is made."""


class ListMethod(NamedTuple):
    """One list of such an API."""

    id: str
    kind: Kind
    location: str
    """`global`, or `-` for all."""
    words: str
    """What it lists."""

    @property
    def permission(self) -> str:
        """What it needs."""
        return METHODS[self.id][0]


class LocatedApi(NamedTuple):
    """An API, and the lists of it that are read."""

    name: str
    viewer_role: str
    methods: tuple[ListMethod, ...]

    @property
    def variable(self) -> str:
        """Gcloud's own for the endpoint; its value may leave out the version path."""
        return f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{self.name.replace(' ', '').upper()}"

    @property
    def endpoint(self) -> str:
        """Google's own."""
        return f"https://{self.name.replace(' ', '').lower()}.googleapis.com/v1/"


_NCC = "of Network Connectivity Center"
NETWORK_MANAGEMENT = LocatedApi(
    "Network Management",
    "roles/networkmanagement.viewer",
    (
        ListMethod(
            *(CONFIGURATIONS_ID, FLOW_LOGS_CONFIGURATION, "global", "configurations of flow logs")
        ),
    ),
)
NETWORK_CONNECTIVITY = LocatedApi(
    "Network Connectivity",
    "roles/networkconnectivity.hubViewer",
    (
        ListMethod(HUBS_ID, HUB, "global", f"hubs {_NCC}"),
        ListMethod(SPOKES_ID, SPOKE, "-", f"spokes {_NCC}"),
    ),
)
LOCATED_APIS = (NETWORK_MANAGEMENT, NETWORK_CONNECTIVITY)


class _Page(Page):
    vpc_flow_logs_configs: list[Any] = msgspec.field(default_factory=list)
    hubs: list[Any] = msgspec.field(default_factory=list)
    spokes: list[Any] = msgspec.field(default_factory=list)
    unreachable: list[str] = msgspec.field(default_factory=list)


def located_endpoint(
    api: LocatedApi, options: ApiOptions, environment: Mapping[str, str]
) -> Endpoint | None:
    """Return where an API is; None where Compute's is replaced, and this one's is not.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    return resolve_beside(
        options, environment, variable=api.variable, default=api.endpoint, version="v1/"
    )


def read_located(
    transport: Transport, api: LocatedApi, method: ListMethod, project: ProjectId
) -> Collector:
    """Return what a list of a project holds, page by page."""
    found = Collector()
    source = f"{method.id} projects/{project}"
    options = transport.options
    try:
        for page in each_page(
            lambda token: transport.get(
                _request(api, method, project, token, options.page_size), _decoded
            ),
            options.max_pages,
        ):
            # Pages are joined here, so that none of them is one that goes on.
            answer = msgspec.to_builtins(page) | {"nextPageToken": ""}
            take_answer(method.kind, answer, Origin(source, f"{source}:"), found)
    except Refusal as exc:
        is_off = str(exc) == _request(api, method, project, "", options.page_size).disabled
        found.note(source, str(exc), is_needless=is_off)
    return found


def _request(
    api: LocatedApi, method: ListMethod, project: ProjectId, token: str, page_size: int
) -> Request:
    query = {"pageSize": str(page_size), "prettyPrint": "false"}
    place = f"projects/{quote(project, safe=':')}/locations/{method.location}"
    return Request(
        method=method.id,
        path=f"{place}/{method.kind.collection}",
        query=query | ({"pageToken": token} if token else {}),
        permission=method.permission,
        disabled=f"the {api.name} API is disabled (403), so the project has no"
        f" {method.words} of its own",
        missing=f"{method.id}: the project does not exist, or this account cannot see it (404)",
        forbidden=f"it needs the permission {method.permission}, which the role {api.viewer_role}"
        f" contains: {method.words} are unknown",
    )


def _decoded(body: bytes) -> _Page:
    return page_of(body, _Page)


# Whether the APIs beside Compute's answer for a project: one small request to each
#
# Metrics, live flow logs and organisations are read from them, each only where it is wanted.


_MINUTE = timedelta(minutes=1)
_FEW = "1"


class ApiState(StrEnum):
    """What became of a request."""

    ANSWERS = "answers"
    IS_OFF = "is off"
    REFUSES = "refuses"
    NOT_KNOWN = "unknown"


class OtherApi(NamedTuple):
    """An API of a project, and what it said."""

    project: str
    method: str
    state: ApiState
    told: str
    """Why it does not answer; empty where it does."""


def other_apis(projects: Sequence[str], options: ApiOptions) -> tuple[OtherApi, ...]:
    """Return what Cloud Monitoring, Cloud Logging and Cloud Asset Inventory say of projects.

    Raises:
        UsageError: If an endpoint cannot be used.
    """
    end = datetime.now(UTC).replace(second=0, microsecond=0)
    window = window_until(end, _MINUTE / timedelta(days=1))
    series = Asked(Metric.VM_SENT_BYTES.value, "ALIGN_DELTA", 1)
    found = [
        _all_of(
            SERIES_ID,
            monitoring.monitoring_endpoint(options),
            monitoring.SCOPE,
            options,
            {one: monitoring.series_request(one, series, window) for one in projects},
        ),
        _all_of(
            ENTRIES_ID,
            known_logging_endpoint(LogOptions(), options, os.environ),
            LOGS_SCOPE,
            options,
            {one: entries_request(ProjectId(one), end - _MINUTE, end) for one in projects},
        ),
        _all_of(
            ASSETS_ID,
            assets.assets_endpoint(options),
            assets.SCOPE,
            options,
            {one: assets.assets_request(f"projects/{one}", {"pageSize": _FEW}) for one in projects},
        ),
    ]
    return tuple(one for several in found for one in several)


def _all_of(
    method: str,
    endpoint: Endpoint | None,
    scope: str,
    options: ApiOptions,
    requests: dict[str, Request],
) -> list[OtherApi]:
    if endpoint is None:
        why = "the Compute API endpoint is replaced, but not the endpoint of this API"
        return [OtherApi(one, method, ApiState.NOT_KNOWN, why) for one in requests]
    try:
        with closing(Transport(endpoint, options, scopes=(scope,))) as transport:
            return [_one(transport, one, request) for one, request in requests.items()]
    except AccessError as exc:
        return [OtherApi(one, method, ApiState.NOT_KNOWN, str(exc)) for one in requests]


def _one(transport: Transport, project: str, request: Request) -> OtherApi:
    try:
        transport.get(request, lambda body: page_of(body, Page))
    except Refusal as exc:
        told = str(exc)
        if told == request.disabled:
            state = ApiState.IS_OFF
        elif "refused (403)" in told:
            state = ApiState.REFUSES
        elif told == request.missing and request.method == SERIES_ID:
            # A metric that no machine has written yet.
            return OtherApi(project, request.method, ApiState.ANSWERS, "")
        else:
            state = ApiState.NOT_KNOWN
        return OtherApi(project, request.method, state, told)
    return OtherApi(project, request.method, ApiState.ANSWERS, "")
