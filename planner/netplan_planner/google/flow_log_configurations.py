"""Configurations of flow logs, from the live Network Management API.

An API of its own, with an endpoint and a permission of its own: what it refuses is noted, and the
rest of a project is read all the same.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from netplan_planner.google.compute_methods import (
    CONFIGURATIONS_ID,
    CONFIGURATIONS_PERMISSION,
)
from netplan_planner.google.options import ApiOptions, Endpoint, resolve_beside
from netplan_planner.google.refusals import Refusal, Request
from netplan_planner.google.transport import NotWhole, Transport
from netplan_planner.model import ProjectId
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.documents import NotText, documents_of
from netplan_planner.readers.network_management import COLLECTION, take_answer

CONFIGURATIONS_ENDPOINT = "https://networkmanagement.googleapis.com/v1/"
CONFIGURATIONS_VARIABLE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_NETWORKMANAGEMENT"
"""gcloud's own variable; its value holds the version path."""
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""The only one that the method takes; nothing but GET requests is made."""

METHOD_ID = CONFIGURATIONS_ID
PERMISSION = CONFIGURATIONS_PERMISSION
VIEWER_ROLE = "roles/networkmanagement.viewer"


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
    token = ""
    seen: set[str] = set()
    for _ in range(transport.options.max_pages):
        request = _request(project, token, transport.options.page_size)
        try:
            page = transport.get(request, _decoded)
        except Refusal as exc:
            is_off = str(exc) == request.disabled
            found.note(source, str(exc), is_needless=is_off)
            return found
        take_answer({**page, "nextPageToken": None}, Origin(source, f"{source}:"), found)
        token = str(page.get("nextPageToken") or "")
        if not token or token in seen:
            break
        seen.add(token)
    if token:
        found.note(source, "incomplete: the list does not end")
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


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        documents, damaged = documents_of(body)
    except NotText as exc:
        raise NotWhole(str(exc)) from exc
    if damaged or len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise NotWhole("it is no JSON object")
    return documents[0].value
