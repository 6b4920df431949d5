"""Hubs and spokes of Network Connectivity Center, in the words of the API (v1)."""

from typing import Any

Json = dict[str, Any]
PLACE = "projects/p/locations/global"
HUB = f"{PLACE}/hubs/main"


def hub(name: str = "main", topology: str | None = "MESH") -> Json:
    """Return a hub; None: it states no topology, as those that are older than the field."""
    stated = {} if topology is None else {"policyMode": "PRESET", "presetTopology": topology}
    return {
        "name": f"{PLACE}/hubs/{name}",
        "createTime": "2026-01-01T00:00:00.000000000Z",
        "state": "ACTIVE",
        "uniqueId": "4f6cbe11-0000-4000-8000-000000000001",
        **stated,
    }


def vpc_spoke(
    network: str,
    *,
    group: str = "default",
    state: str = "ACTIVE",
    of: str = HUB,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
) -> Json:
    """Return the VPC spoke of a network of the project `p`."""
    linked: Json = {
        "uri": f"https://www.googleapis.com/compute/v1/projects/p/global/networks/{network}"
    }
    if include:
        linked["includeExportRanges"] = list(include)
    if exclude:
        linked["excludeExportRanges"] = list(exclude)
    return {
        "name": f"{PLACE}/spokes/{network}",
        "hub": of,
        "group": f"{of}/groups/{group}",
        "linkedVpcNetwork": linked,
        "spokeType": "VPC_NETWORK",
        "state": state,
    }


def vpn_spoke(name: str, of: str = HUB) -> Json:
    """Return a spoke of Cloud VPN, which has a region."""
    tunnel = "https://www.googleapis.com/compute/v1/projects/p/regions/us-central1/vpnTunnels/t"
    return {
        "name": f"projects/p/locations/us-central1/spokes/{name}",
        "hub": of,
        "linkedVpnTunnels": {"uris": [tunnel], "siteToSiteDataTransfer": False},
        "spokeType": "VPN_TUNNEL",
        "state": "ACTIVE",
    }


def asset(resource: Json) -> Json:
    """Return a hub or spoke as a Cloud Asset export wraps it."""
    kind = "Hub" if "/hubs/" in resource["name"] else "Spoke"
    return {
        "name": f"//networkconnectivity.googleapis.com/{resource['name']}",
        "assetType": f"networkconnectivity.googleapis.com/{kind}",
        "resource": {
            "version": "v1",
            "discoveryName": kind,
            "parent": "//cloudresourcemanager.googleapis.com/projects/1",
            "data": resource,
        },
        "ancestors": ["projects/1"],
    }
