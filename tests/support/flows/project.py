"""A small inventory for flow logs: machines with addresses, subnetworks that log or do not."""

from datetime import datetime

from netplan_planner.model import (
    FlowLogConfig,
    Instance,
    Inventory,
    Network,
    NetworkInterface,
    ProjectId,
    Region,
    ResourceRef,
    SelfLink,
    Subnetwork,
    Zone,
)

PROJECT = ProjectId("p")
NETWORK = SelfLink("projects/p/global/networks/default")
REGION = Region("us-central1")


def subnet(name: str, *, logs: bool | None, cidr: str | None = None) -> Subnetwork:
    """Return a subnetwork whose flow logs are on, off, or not stated."""
    return Subnetwork(
        ref=ResourceRef(self_link=subnet_link(name)),
        project=PROJECT,
        region=REGION,
        name=name,
        network=NETWORK,
        ipv4_range=cidr,
        flow_logs=None if logs is None else FlowLogConfig(enabled=logs),
    )


def subnet_link(name: str) -> SelfLink:
    """Return the link of a subnetwork."""
    return SelfLink(f"projects/p/regions/{REGION}/subnetworks/{name}")


def host(
    name: str,
    address: str | None = None,
    *,
    external: str | None = None,
    ipv6: str | None = None,
    zone: str = "us-central1-a",
    subnetwork: str | None = None,
    project: str = PROJECT,
    created: datetime | None = None,
    started: datetime | None = None,
) -> Instance:
    """Return a running machine with one interface."""
    nic = NetworkInterface(
        name="nic0",
        network=NETWORK,
        subnetwork=subnet_link(subnetwork) if subnetwork else None,
        internal_ipv4=address,
        internal_ipv6=ipv6,
        external_ipv4=external,
        access_config_name="External NAT" if external else None,
    )
    return Instance(
        ref=ResourceRef(self_link=SelfLink(f"projects/{project}/zones/{zone}/instances/{name}")),
        project=ProjectId(project),
        zone=Zone(zone),
        name=name,
        machine_type="n2-standard-8",
        status="RUNNING",
        interfaces=(nic,),
        created=created,
        last_started=started,
    )


def inventory(*resources: Instance | Subnetwork) -> Inventory:
    """Return the inventory of these machines and subnetworks, in one network."""
    return Inventory(
        instances=tuple(
            sorted((r for r in resources if isinstance(r, Instance)), key=lambda r: r.ref.self_link)
        ),
        subnetworks=tuple(
            sorted(
                (r for r in resources if isinstance(r, Subnetwork)), key=lambda r: r.ref.self_link
            )
        ),
        networks=(Network(ref=ResourceRef(self_link=NETWORK), project=PROJECT, name="default"),),
    )
