"""The two ends of a series of flows, as far as the labels of Cloud Monitoring tell of them."""

from collections.abc import Mapping

from netplan_planner import model, paths
from netplan_planner.readers.time_series.raw import Identity
from netplan_planner.readers.time_series.resources import Resources

NOT_TOLD = frozenset({"", "REMOTE_IS_EXTERNAL", "NOT_APPLICABLE", "global", "UNSUPPORTED"})
"""Values of labels that stand for "not known" (metrics_gcp_i_o, 2026-04-14)."""
CLOUD = "CLOUD"
"""A peer inside a VPC, by `remote_location_type`."""


def local_end(identity: Identity, resources: Resources, book: paths.AddressBook) -> paths.FlowEnd:
    """Return the machine that counts, whether the inventory has it or not."""
    labels = dict(identity.resource)
    instance: model.Instance | None = resources.machine(labels, dict(identity.labels))
    if instance is not None:
        return book.end_of(instance, is_external=False)
    project, number = labels.get("project_id", ""), labels.get("instance_id", "")
    zone = model.Zone(labels["zone"]) if labels.get("zone") else None
    return paths.FlowEnd(
        owner=model.Owner(
            kind=model.OwnerKind.VM,
            key=f"projects/{project}/zones/{zone or '-'}/instances/{number}",
            name=number or "a machine that is not named",
            project=model.ProjectId(project),
            zone=zone,
            region=None if zone is None else model.region_of(zone),
        )
    )


def remote_end(labels: Mapping[str, str], inventory: model.Inventory) -> paths.FlowEnd:
    """Return the peer of a series, as far as its labels tell."""
    match labels.get("remote_location_type", ""):
        case "EXTERNAL":
            parts = (_told(labels, "remote_continent"), _told(labels, "remote_country"))
            return paths.internet_end("/".join(filter(None, parts)) or None, is_ipv6=False)
        case "ON_PREM":
            return paths.gateway_end("on premises", is_ipv6=False)
        case "GOOGLE_INTERNAL":
            return paths.service_end("Google infrastructure", is_ipv6=False)
        case "CLOUD":
            return _place(labels, inventory)
        case _:
            return paths.unknown_end("a peer that is not named", is_ipv6=False)


def _place(labels: Mapping[str, str], inventory: model.Inventory) -> paths.FlowEnd:
    project = _told(labels, "remote_project_id")
    network = _told(labels, "remote_network")
    zone = _told(labels, "remote_zone")
    if not project:
        return paths.unknown_end("a machine of another project", is_ipv6=False)
    link = model.SelfLink(f"projects/{project}/global/networks/{network}") if network else None
    said = paths.RecordedEnd(address="", project=project, zone=zone or None, network=link)
    if project not in {str(instance.project) for instance in inventory.instances}:
        return paths.FlowEnd(owner=paths.foreign_owner(said))
    where = f"{zone or 'an unknown zone'}, {network or 'an unknown network'}"
    return paths.FlowEnd(
        owner=model.Owner(
            kind=model.OwnerKind.PLACE,
            key=f"place:{project}/{network}/{zone}",
            name=f"machines in {where}",
            project=model.ProjectId(project),
            zone=model.Zone(zone) if zone else None,
            region=model.region_of(zone) if zone else None,
            network=link,
        )
    )


def _told(labels: Mapping[str, str], key: str) -> str:
    value = labels.get(key, "")
    return "" if value in NOT_TOLD else value
