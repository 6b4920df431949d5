"""Cloud Asset Inventory exports: the same resource objects, wrapped as assets.

An export is a list, or one asset per line. `gcloud asset export` writes `assetType`, older tools
`asset_type`; exports of before 2020 name repeated fields in the singular (`disk`, `license`).
A resource whose data has no self link is known by the asset's name.
"""

from typing import Any

from netplan_planner.model import canonical_link
from netplan_planner.readers import network_management
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.kinds import BY_SINGULAR, KIND_PREFIX, Kind
from netplan_planner.readers.kubernetes import gke

name = "cloud-asset"

COMPUTE_TYPE = "compute.googleapis.com/"

_SINGULARS = {
    "disk": "disks",
    "license": "licenses",
    "guestOsFeature": "guestOsFeatures",
    "networkInterface": "networkInterfaces",
    "accessConfig": "accessConfigs",
    "ipv6AccessConfig": "ipv6AccessConfigs",
    "aliasIpRange": "aliasIpRanges",
    "guestAccelerator": "guestAccelerators",
    "resourcePolicy": "resourcePolicies",
    "secondaryIpRange": "secondaryIpRanges",
    "peering": "peerings",
    "nat": "nats",
    "natIp": "natIps",
    "user": "users",
    "tag": "items",
    "item": "items",
    "port": "ports",
}
"""Old name of a repeated field, and today's."""

_DEEPEST = 12
"""Levels below which no field that netplan reads stands."""


def is_asset(value: object) -> bool:
    """Whether a JSON object is one asset of an export."""
    return isinstance(value, dict) and isinstance(_asset_type(value), str) and "name" in value


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take the Compute resources of an export; return whether the document is one."""
    if isinstance(value, dict) and isinstance(value.get("assets"), list):
        # The answer of `assets.list`.
        assets, at = value["assets"], "/assets"
    else:
        assets, at = (value if isinstance(value, list) else [value]), ""
    if not any(is_asset(asset) for asset in assets):
        return False
    for index, asset in enumerate(assets):
        pointer = f"{at}/{index}" if isinstance(value, list) or at else at
        if is_asset(asset):
            _read_asset(asset, origin, pointer, into)
        else:
            into.note(origin.at(pointer), "not an asset")
    return True


def _read_asset(asset: dict[str, Any], origin: Origin, pointer: str, into: Collector) -> None:
    asset_type = str(_asset_type(asset))
    if asset_type == network_management.ASSET_TYPE:
        resource = asset.get("resource")
        data = resource.get("data") if isinstance(resource, dict) else None
        if isinstance(data, dict):
            pointer = f"{pointer}/resource/data"
            network_management.take_asset(data, origin, pointer, into)
            return
    if asset_type in gke.ASSET_TYPES:
        resource = asset.get("resource")
        data = resource.get("data") if isinstance(resource, dict) else None
        if isinstance(data, dict):
            own = _plural(data, 0) | {"selfLink": data.get("selfLink") or asset["name"]}
            gke.take_asset(own, asset_type, origin, f"{pointer}/resource/data", into)
            return
    kind = _kind_of(asset_type)
    if kind is None:
        label = asset_type[:100]
        if asset_type.startswith(COMPUTE_TYPE):
            singular = asset_type.removeprefix(COMPUTE_TYPE)
            label = f"{KIND_PREFIX}{singular[:1].lower()}{singular[1:100]}"
        into.skip(origin.file, label)
        return
    resource = asset.get("resource")
    data = resource.get("data") if isinstance(resource, dict) else None
    if not isinstance(data, dict):
        into.note(origin.at(pointer), "an asset without resource data", str(asset["name"]))
        return
    stated = data.get("selfLink")
    link = canonical_link(stated if isinstance(stated, str) and stated else str(asset["name"]))
    into.add_raw(kind, _plural(data, 0), link, origin.at(f"{pointer}/resource/data"))


def _asset_type(asset: dict[str, Any]) -> object:
    return asset.get("asset_type", asset.get("assetType"))


def _kind_of(asset_type: str) -> Kind | None:
    """`compute.googleapis.com/GlobalAddress` and `…/RegionInstanceGroupManager` included."""
    if not asset_type.startswith(COMPUTE_TYPE):
        return None
    title = asset_type.removeprefix(COMPUTE_TYPE)
    for prefix in ("", "Global", "Region"):
        bare = title.removeprefix(prefix)
        kind = BY_SINGULAR.get(bare[:1].lower() + bare[1:])
        if kind is not None:
            return kind
    return None


def _plural(value: Any, depth: int) -> Any:
    """Return the value with today's names of repeated fields, where only the old one is there."""
    if depth > _DEEPEST:
        return value
    if isinstance(value, list):
        return [_plural(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {}
    for key, content in value.items():
        today = _SINGULARS.get(key)
        is_old = today is not None and isinstance(content, list) and today not in value
        renamed[today if is_old and today else key] = _plural(content, depth + 1)
    return renamed
