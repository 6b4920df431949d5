"""An organisation of many projects as Cloud Asset Inventory exports it, made.

Host projects have a shared VPC network with a subnetwork in each of two regions; the machines of
service projects stand in these. Each service project has an unmanaged group of half of its machines
in a zone, whose members only the export of relationships tells. The first host keeps flow logs by
the subnetworks' own setting, the others by a configuration of the Network Management API.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from netplan_planner.readers.cloud_asset import MEMBERSHIP

Json = dict[str, Any]
ORGANISATION = "organizations/7"
REGIONS = ("us-east1", "europe-west1")
MACHINES = 4
LOGS = {
    "enable": True,
    "aggregationInterval": "INTERVAL_5_SEC",
    "flowSampling": 0.5,
    "metadata": "INCLUDE_ALL_METADATA",
}
_API = "https://www.googleapis.com/compute/v1/"


class Organisation(NamedTuple):
    """Its projects, and the assets of each."""

    hosts: tuple[str, ...]
    services: dict[str, str]
    """Service projects, each with its host."""
    resources: list[Json]
    relationships: list[Json]


def organisation(projects: int = 50, hosts: int = 5) -> Organisation:
    """Return an organisation of so many projects, some of them hosts."""
    named = tuple(f"host-{number}" for number in range(hosts))
    services = {f"service-{n:02}": named[n % hosts] for n in range(projects - hosts)}
    resources = [one for number, host in enumerate(named) for one in _host(host, number)]
    relationships: list[Json] = []
    for number, (project, host) in enumerate(services.items()):
        resources += _service(project, host, number)
        relationships += _members(project)
    return Organisation(named, services, resources, relationships)


def _asset(link: str, kind: str, project: str, **data: Any) -> Json:
    return {
        "name": f"//compute.googleapis.com/{link}",
        "assetType": f"compute.googleapis.com/{kind}",
        "ancestors": [f"projects/{project}", ORGANISATION],
        "resource": {
            "version": "v1",
            "data": {"name": link.rpartition("/")[2], "selfLink": _API + link, **data},
        },
    }


def _host(host: str, number: int) -> Iterator[Json]:
    network = f"projects/{host}/global/networks/shared"
    yield _asset(network, "Network", host, autoCreateSubnetworks=False, mtu=1460)
    for place, region in enumerate(REGIONS):
        at = f"projects/{host}/regions/{region}"
        yield _asset(
            f"{at}/subnetworks/shared-{region}",
            "Subnetwork",
            host,
            network=_API + network,
            region=_API + at,
            ipCidrRange=f"10.{number * len(REGIONS) + place}.0.0/16",
            **({"logConfig": LOGS} if number == 0 else {}),
        )
    if number:
        name = f"projects/{host}/locations/global/vpcFlowLogsConfigs/all"
        yield {
            "name": f"//networkmanagement.googleapis.com/{name}",
            "assetType": "networkmanagement.googleapis.com/VpcFlowLogsConfig",
            "ancestors": [f"projects/{host}", ORGANISATION],
            "resource": {
                "version": "v1",
                "data": {
                    "name": name,
                    "network": network,
                    "state": "ENABLED",
                    "aggregationInterval": "INTERVAL_5_SEC",
                    "flowSampling": 0.5,
                    "metadata": "INCLUDE_ALL_METADATA",
                },
            },
        }


def _zone(project: str) -> str:
    return f"projects/{project}/zones/{REGIONS[0]}-b"


def _service(project: str, host: str, number: int) -> Iterator[Json]:
    network = f"projects/{host}/global/networks/shared"
    second = int(host.rpartition("-")[2]) * len(REGIONS)
    for machine in range(MACHINES):
        place = machine * len(REGIONS) // MACHINES
        region = REGIONS[place]
        zone = f"projects/{project}/zones/{region}-b"
        yield _asset(
            f"{zone}/instances/vm-{machine}",
            "Instance",
            project,
            zone=_API + zone,
            machineType=f"{_API}{zone}/machineTypes/n2-standard-4",
            status="RUNNING",
            networkInterfaces=[
                {
                    "network": _API + network,
                    "subnetwork": f"{_API}projects/{host}/regions/{region}"
                    f"/subnetworks/shared-{region}",
                    "networkIP": f"10.{second + place}.{number}.{machine + 2}",
                }
            ],
        )
    zone = _zone(project)
    link = f"{zone}/instanceGroups/unmanaged"
    yield _asset(link, "InstanceGroup", project, zone=_API + zone, size=MACHINES // 2)


def _members(project: str) -> Iterator[Json]:
    zone = _zone(project)
    for machine in range(MACHINES // 2):
        yield {
            "name": f"//compute.googleapis.com/{zone}/instances/vm-{machine}",
            "assetType": "compute.googleapis.com/Instance",
            "relatedAsset": {
                "asset": f"//compute.googleapis.com/{zone}/instanceGroups/unmanaged",
                "assetType": "compute.googleapis.com/InstanceGroup",
                "relationshipType": MEMBERSHIP,
            },
        }
