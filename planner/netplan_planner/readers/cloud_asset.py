"""Cloud Asset Inventory exports: the same resource objects, wrapped as assets.

An export is a list, or one asset per line. `gcloud asset export` writes `assetType`, older tools
`asset_type`; exports of before 2020 name repeated fields in the singular (`disk`, `license`).
A resource whose data has no self link is known by the asset's name. A history
(`gcloud asset get-history`) wraps assets once more, with the time in which each was so: the latest
counts, and one that was deleted is none. An export of relationships tells the members of groups.
"""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from netplan_planner.model import SelfLink, canonical_link
from netplan_planner.readers import located
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import BY_SINGULAR, KIND_PREFIX, Kind
from netplan_planner.readers.kubernetes import gke

name = "cloud-asset"

COMPUTE_TYPE = "compute.googleapis.com/"
MEMBERSHIP = "INSTANCE_TO_INSTANCEGROUP"
"""The relationship of a machine to each group that it is in (cloudasset v1, revision 20261017)."""
_LIST = "the answer of assets.list"

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
    "nodeAffinity": "nodeAffinities",
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
    page = value if isinstance(value, dict) and isinstance(value.get("assets"), list) else None
    if page is not None:
        # The answer of `assets.list`, or of `batchGetAssetsHistory`.
        assets, at = page["assets"], "/assets"
    else:
        assets, at = (value if isinstance(value, list) else [value]), ""
    if not any(is_asset(_state_of(asset)) for asset in assets):
        return False
    if page is not None:
        into.page(_LIST, origin.file, is_last=not page.get("nextPageToken"))
    for index, asset in enumerate(assets):
        pointer = f"{at}/{index}" if isinstance(value, list) or at else at
        take(asset, origin, pointer, into)
    return True


def take(value: Any, origin: Origin, pointer: str, into: Collector) -> None:
    """Take one asset, or one state of it."""
    asset = _state_of(value)
    if not is_asset(asset):
        into.note(origin.at(pointer), "not an asset")
    elif asset is value:
        _read_asset(asset, origin, pointer, into)
    else:
        into.state(
            f"{_asset_type(asset)} {asset['name']}",
            _since(value),
            partial(_read_state, value, asset, origin, f"{pointer}/asset"),
        )


def _state_of(value: Any) -> Any:
    """Return the asset within a state of it, the value itself where it is none."""
    if isinstance(value, dict) and "window" in value and isinstance(value.get("asset"), dict):
        return value["asset"]
    return value


def _since(state: Any) -> datetime:
    """Return when an asset became as a state says; one without a time was so from the first."""
    window = state["window"]
    text = window.get("startTime", window.get("start_time")) if isinstance(window, dict) else None
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _read_state(state: Any, asset: Any, origin: Origin, pointer: str, into: Collector) -> None:
    if state.get("deleted") is True:
        into.skip(origin.file, "deleted assets")
    else:
        _read_asset(asset, origin, pointer, into)


def _read_asset(asset: dict[str, Any], origin: Origin, pointer: str, into: Collector) -> None:
    asset_type = str(_asset_type(asset))
    related = asset.get("relatedAsset", asset.get("related_asset"))
    if isinstance(related, dict) and related.get("asset"):
        _read_relationship(asset, related, origin, into)
        return
    resource = asset.get("resource")
    data = resource.get("data") if isinstance(resource, dict) else None
    if isinstance(data, dict):
        if asset_type in located.ASSET_TYPES:
            of = located.ASSET_TYPES[asset_type]
            located.take(of, data, origin, f"{pointer}/resource/data", into)
            return
        if asset_type in gke.ASSET_TYPES:
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
    if not isinstance(data, dict):
        into.note(origin.at(pointer), "an asset without resource data", str(asset["name"]))
        return
    stated = data.get("selfLink")
    link = canonical_link(stated if isinstance(stated, str) and stated else str(asset["name"]))
    into.add_raw(kind, _plural(data, 0), link, origin.at(f"{pointer}/resource/data"))


def _read_relationship(
    asset: dict[str, Any], related: dict[str, Any], origin: Origin, into: Collector
) -> None:
    kind = related.get("relationshipType", related.get("relationship_type"))
    if kind == MEMBERSHIP:
        member = canonical_link(str(asset["name"]))
        into.member(SelfLink(canonical_link(str(related["asset"]))), SelfLink(member))
    else:
        into.skip(origin.file, f"relationships {str(kind)[:100]}")


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
