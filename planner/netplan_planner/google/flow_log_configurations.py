"""Configurations of flow logs, from the live Network Management API.

An API of its own, with an endpoint and a permission of its own: what it refuses is noted, and the
rest of a project is read all the same.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from netplan_planner.google.compute_methods import (
    CONFIGURATIONS_ID,
    CONFIGURATIONS_PERMISSION,
)
from netplan_planner.google.options import ApiOptions, Endpoint, resolve_beside
from netplan_planner.google.paging import Page, each_page, page_of
from netplan_planner.google.refusals import Refusal, Request
from netplan_planner.google.transport import Transport
from netplan_planner.model import ProjectId
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.network_management import COLLECTION, take_answer

CONFIGURATIONS_ENDPOINT = "https://networkmanagement.googleapis.com/v1/"
CONFIGURATIONS_VARIABLE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_NETWORKMANAGEMENT"
"""gcloud's own variable; its value holds the version path."""
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""The only one that the method takes; nothing but GET requests is made."""

METHOD_ID = CONFIGURATIONS_ID
PERMISSION = CONFIGURATIONS_PERMISSION
VIEWER_ROLE = "roles/networkmanagement.viewer"


class _Page(Page):
    vpc_flow_logs_configs: list[Any] = msgspec.field(default_factory=list)
    unreachable: list[str] = msgspec.field(default_factory=list)


def configurations_endpoint(
    options: ApiOptions, compute: Endpoint, environment: Mapping[str, str]
) -> Endpoint | None:
    """Return where the API is; None where Compute's is replaced, and this one's is not.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    return resolve_beside(
        options,
        compute,
        environment,
        variable=CONFIGURATIONS_VARIABLE,
        default=CONFIGURATIONS_ENDPOINT,
    )


def read_configurations(transport: Transport, project: ProjectId) -> Collector:
    """Return the configurations of a project, page by page."""
    found = Collector()
    source = f"{METHOD_ID} projects/{project}"
    options = transport.options
    try:
        for page in each_page(
            lambda token: transport.get(_request(project, token, options.page_size), _decoded),
            options.max_pages,
        ):
            answer = {COLLECTION: page.vpc_flow_logs_configs, "unreachable": page.unreachable}
            take_answer(answer, Origin(source, f"{source}:"), found)
    except Refusal as exc:
        is_off = str(exc) == _request(project, "", options.page_size).disabled
        found.note(source, str(exc), is_needless=is_off)
    return found


def _request(project: ProjectId, token: str, page_size: int) -> Request:
    query = {"pageSize": str(page_size), "prettyPrint": "false"}
    return Request(
        method=METHOD_ID,
        path=f"projects/{quote(project, safe=':')}/locations/global/{COLLECTION}",
        query=query | ({"pageToken": token} if token else {}),
        permission=PERMISSION,
        disabled="the Network Management API is disabled (403), so the project has no"
        " configurations of flow logs of its own",
        missing=f"{METHOD_ID}: no such project, or this account cannot see it (404)",
        forbidden=f"it needs the permission {PERMISSION}, which the role {VIEWER_ROLE} holds:"
        " configurations of flow logs are not known",
    )


def _decoded(body: bytes) -> _Page:
    return page_of(body, _Page)
