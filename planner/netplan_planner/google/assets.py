"""The live Cloud Asset Inventory: what stands below an organisation or a folder, in all projects.

One list a parent, page by page. What netplan lives on beside resources is asked apart, so that its
refusal costs nothing else: configurations of flow logs, hubs and spokes, and the members of
unmanaged groups, which no resource holds.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import msgspec

from netplan_planner import meter
from netplan_planner.errors import AccessError, UsageError
from netplan_planner.google.compute_methods import ASSETS_ID, ASSETS_PERMISSION
from netplan_planner.google.options import ApiOptions, Endpoint, patient, resolve_beside
from netplan_planner.google.paging import CutOff, Page, each_page, page_of
from netplan_planner.google.refusals import Refusal, Request
from netplan_planner.google.transport import Transport
from netplan_planner.model import Inventory
from netplan_planner.readers import cloud_asset
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.located import ASSET_TYPES

ASSETS_ENDPOINT = "https://cloudasset.googleapis.com/"
ASSETS_VARIABLE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDASSET"
"""gcloud's own variable; its value may leave out `/v1/`."""
SCOPE = "https://www.googleapis.com/auth/cloudasset"
"""The narrower of the two that the method takes; nothing but GET requests is made."""

METHOD_ID, PERMISSION = ASSETS_ID, ASSETS_PERMISSION
VIEWER_ROLE = "roles/cloudasset.viewer"
PAGE_SIZE = 1000
"""The most that the method gives (discovery document, revision 20261017)."""

COMPUTE_TYPES = (
    *("Address", "GlobalAddress", "Commitment", "Disk", "RegionDisk"),
    *("ForwardingRule", "GlobalForwardingRule", "Instance", "InstanceGroup"),
    *("InstanceGroupManager", "InterconnectAttachment", "Network", "NodeGroup", "NodeTemplate"),
    *("Project", "ResourcePolicy", "Route", "Router", "Subnetwork", "VpnTunnel"),
)
"""Names behind `compute.googleapis.com/`. The inventory has no machine types."""


Progress = Callable[[str], None]


class _Page(Page):
    assets: list[Any] = msgspec.field(default_factory=list)


class _Wanted(NamedTuple):
    """One list of a parent. `name` is for progress and errors."""

    name: str
    query: Mapping[str, str]
    lacking: str
    """What is not known where it is refused."""


_RESOURCES = _Wanted(
    "resources",
    {
        "contentType": "RESOURCE",
        # One expression: a type that the API should no longer know does not spoil the others.
        "assetTypes": rf"compute\.googleapis\.com/({'|'.join(COMPUTE_TYPES)})",
    },
    "",
)
_LOCATED = _Wanted(
    "configurations of flow logs, hubs and spokes",
    {
        "contentType": "RESOURCE",
        "assetTypes": "|".join(kind.replace(".", r"\.") for kind in ASSET_TYPES),
    },
    "configurations of flow logs, hubs and spokes are unknown",
)
_MEMBERS = _Wanted(
    "members of instance groups",
    {
        "contentType": "RELATIONSHIP",
        "assetTypes": "compute.googleapis.com/Instance",
        "relationshipTypes": cloud_asset.MEMBERSHIP,
    },
    "members of unmanaged instance groups are unknown",
)


def read_assets(
    parents: Sequence[str], options: ApiOptions | None = None, progress: Progress | None = None
) -> Inventory:
    """Return what Cloud Asset Inventory holds below some organisations and folders.

    Args:
        parents: `organizations/123`, `folders/456`; a repeated one is read once.
        options: Credentials and bounds; the endpoint in it is Compute's.
        progress: Takes one line per page.

    Raises:
        AccessError: If there are no credentials, or nothing at all could be read.
        UsageError: If the endpoint cannot be used, or only Compute's is replaced.
    """
    options = options or ApiOptions()
    endpoint = assets_endpoint(options)
    if endpoint is None:
        raise UsageError(
            "the Compute API endpoint is replaced: set the endpoint of Cloud Asset Inventory, too"
            f" ({ASSETS_VARIABLE})"
        )
    found = Collector()
    refused: list[str] = []
    wanted = list(dict.fromkeys(parents))
    with (
        closing(Transport(endpoint, patient(options), scopes=(SCOPE,))) as transport,
        meter.work("reading Cloud Asset Inventory", unit="assets"),
    ):
        for parent in wanted:
            reading = _Reading(transport, parent, progress or (lambda _: None))
            found.merge(reading.read(_RESOURCES))
            refused += reading.refused
            if not reading.refused:
                found.merge(reading.read(_LOCATED))
        if len(refused) == len(wanted):
            raise AccessError(f"nothing could be read from Cloud Asset Inventory: {refused[0]}")
        if any(group.size != 0 for group in found.unmanaged_groups()):
            for parent in wanted:
                found.merge(
                    _Reading(transport, parent, progress or (lambda _: None)).read(_MEMBERS)
                )
    return found.inventory()


def assets_endpoint(options: ApiOptions) -> Endpoint | None:
    """Return where Cloud Asset Inventory is; None where Compute's endpoint alone is replaced.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    return resolve_beside(
        options,
        os.environ,
        variable=ASSETS_VARIABLE,
        default=ASSETS_ENDPOINT,
        version="v1/",
    )


def assets_request(parent: str, query: Mapping[str, str], token: str = "") -> Request:
    """Return the request for a page of what stands below an organisation, folder or project."""
    return Request(
        method=METHOD_ID,
        path=f"{parent}/assets",
        query={**query, "prettyPrint": "false"} | ({"pageToken": token} if token else {}),
        permission=PERMISSION,
        disabled="the Cloud Asset API is disabled (403) in the project of the credentials; run"
        " `gcloud services enable cloudasset.googleapis.com`",
        missing=f"{METHOD_ID}: no {parent}, or this account cannot see it (404)",
        forbidden=f"it needs the permission {PERMISSION} on {parent}, which the role"
        f" {VIEWER_ROLE} contains",
    )


class _Reading:
    """The lists of one parent."""

    def __init__(self, transport: Transport, parent: str, progress: Progress) -> None:
        self._transport = transport
        self._parent = parent
        self._progress = progress
        self.refused: list[str] = []
        """Why a list's first page could not be had."""

    def read(self, wanted: _Wanted) -> Collector:
        """Read one list, page by page; what was read before a failure is kept."""
        found = Collector()
        source = f"{METHOD_ID} {self._parent}"
        count = 0
        try:
            for page in each_page(
                lambda token: self._transport.get(self._request(wanted, token), _decoded),
                self._transport.options.max_pages,
            ):
                for index, asset in enumerate(page.assets):
                    cloud_asset.take(asset, Origin(source, f"{source}:"), f"/assets/{index}", found)
                count += len(page.assets)
                meter.advance(len(page.assets))
                self._progress(f"{self._parent}: {count:,} {wanted.name}")
        except Refusal as exc:
            if not isinstance(exc, CutOff):
                self.refused.append(str(exc))
            lacking = f"; {wanted.lacking}" if wanted.lacking else ""
            # A list of its own licence: who has not got it lacks nothing that was given.
            found.note(source, f"{exc}{lacking}", is_needless=wanted is _MEMBERS)
        return found

    def _request(self, wanted: _Wanted, token: str) -> Request:
        query = {**wanted.query, "pageSize": str(PAGE_SIZE)}
        return assets_request(self._parent, query, token)


def _decoded(body: bytes) -> _Page:
    return page_of(body, _Page)
