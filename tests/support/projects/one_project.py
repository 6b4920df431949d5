"""The made project of `tests/data/one-project`, in every format that netplan reads.

`resources.json` is written by hand, in the API's own words; the other files are the same resources
in other wrappings. Write them again after a change with

    PYTHONPATH=tests python -m support.projects.one_project
"""

import json
from pathlib import Path
from typing import Any

from support.projects import terraform

Resource = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[2] / "data" / "one-project"
PROJECT = "one-project"
PAGE_SIZE = 5
"""Instances on a page of the stored lists: the project's nine fill two."""

GLOBAL_LISTS = {"networks": "network", "routes": "route"}
AGGREGATED = {
    "instances": "instance",
    "machineTypes": "machineType",
    "subnetworks": "subnetwork",
    "addresses": "address",
    "forwardingRules": "forwardingRule",
    "routers": "router",
    "vpnTunnels": "vpnTunnel",
    "interconnectAttachments": "interconnectAttachment",
    "instanceGroups": "instanceGroup",
    "instanceGroupManagers": "instanceGroupManager",
    "commitments": "commitment",
    "nodeGroups": "nodeGroup",
    "nodeTemplates": "nodeTemplate",
}
ASSET_TYPES = {
    collection: singular[0].upper() + singular[1:]
    for collection, singular in (GLOBAL_LISTS | AGGREGATED).items()
    if collection != "machineTypes"
}
"""Cloud Asset Inventory has no machine types."""


def resources() -> dict[str, list[Resource]]:
    """The project's resources by collection."""
    found: dict[str, list[Resource]] = json.loads((FOLDER / "resources.json").read_bytes())
    return found


def scope_of(resource: Resource) -> str:
    """`zones/z`, `regions/r` or `global`."""
    parts = resource["selfLink"].partition("projects/")[2].split("/")
    return "global" if parts[1] == "global" else f"{parts[1]}/{parts[2]}"


def api_pages() -> dict[str, Resource]:
    """File name and content of each list of the API, as its own pages."""
    pages: dict[str, Resource] = {}
    held = resources()
    for collection, singular in GLOBAL_LISTS.items():
        pages[f"{collection}.json"] = {
            "kind": f"compute#{singular}List",
            "id": f"projects/{PROJECT}/global/{collection}",
            "items": held[collection],
            "selfLink": f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/global/{collection}",
        }
    for collection, singular in AGGREGATED.items():
        items = held[collection]
        starts = range(0, len(items), PAGE_SIZE)
        for number, start in enumerate(starts, start=1):
            page = _aggregated(collection, singular, items[start : start + PAGE_SIZE])
            if number < len(starts):
                page["nextPageToken"] = f"page-{number + 1}"
            pages[f"{collection}-{number}.json"] = page
    return pages


def _aggregated(collection: str, singular: str, items: list[Resource]) -> Resource:
    scopes: dict[str, Any] = {
        "zones/asia-east1-a": {
            "warning": {
                "code": "NO_RESULTS_ON_PAGE",
                "message": "There are no results for scope 'zones/asia-east1-a' on this page.",
                "data": [{"key": "scope", "value": "zones/asia-east1-a"}],
            }
        }
    }
    for item in items:
        scopes.setdefault(scope_of(item), {collection: []})[collection].append(item)
    link = f"projects/{PROJECT}/aggregated/{collection}"
    return {
        "kind": f"compute#{singular}AggregatedList",
        "id": link,
        "items": scopes,
        "selfLink": f"https://www.googleapis.com/compute/v1/{link}",
    }


def gcloud_lists() -> dict[str, list[Resource]]:
    """File name and content of each `gcloud compute … list --format=json`."""
    return {f"{collection}.json": items for collection, items in resources().items()}


def assets() -> list[Resource]:
    """The lines of a Cloud Asset export with resource content."""
    return [
        {
            "name": "//compute.googleapis.com/" + item["selfLink"].partition("/v1/")[2],
            "assetType": f"compute.googleapis.com/{_asset_type(collection, item)}",
            "resource": {
                "version": "v1",
                "discoveryName": ASSET_TYPES[collection],
                "parent": f"//cloudresourcemanager.googleapis.com/projects/{PROJECT}",
                # Asset Inventory's resource data leaves `kind` out.
                "data": {key: value for key, value in item.items() if key != "kind"},
            },
            "ancestors": ["projects/900000000001"],
        }
        for collection, items in resources().items()
        if collection in ASSET_TYPES
        for item in items
    ]


def _asset_type(collection: str, item: Resource) -> str:
    """Global addresses and forwarding rules have asset types of their own."""
    is_global = scope_of(item) == "global" and collection in {"addresses", "forwardingRules"}
    return f"Global{ASSET_TYPES[collection]}" if is_global else ASSET_TYPES[collection]


def files() -> dict[str, str]:
    """Path below the folder and text of every file that is made from `resources.json`."""
    found = {f"api/{name}": _text(page) for name, page in api_pages().items()}
    found |= {f"gcloud/{name}": _text(items) for name, items in gcloud_lists().items()}
    lines = "".join(json.dumps(asset, separators=(",", ":")) + "\n" for asset in assets())
    held = terraform.held(resources())
    return found | {
        "cloud-asset/assets.json": lines,
        "terraform-plan/plan.json": _text(terraform.plan(held)),
        "terraform-state/state.json": _text(terraform.state(held)),
        "terraform-state-file/terraform.tfstate": _text(terraform.state_file(held)),
    }


def _text(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def main() -> None:
    for name, text in files().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
