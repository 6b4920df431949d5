"""Which resource a series is about, by the labels of Cloud Monitoring, and which of the inventory.

Labels of monitored resources: docs.cloud.google.com/monitoring/api/resources (2026).
"""

from collections.abc import Iterable, Mapping

from netplan_planner import model, paths
from netplan_planner.model import (
    Instance,
    Inventory,
    MeasuredKind,
    MeasuredResource,
    ProjectId,
    SelfLink,
    last_part,
)
from netplan_planner.readers.time_series.raw import Identity, Unusable


class Resources:
    """The resources of an inventory by what labels say of them."""

    def __init__(self, inventory: Inventory) -> None:
        self._by_id = {i.instance_id: i for i in inventory.instances if i.instance_id}
        self._by_place = {(str(i.project), str(i.zone), i.name): i for i in inventory.instances}
        self._by_zone_and_name = _unambiguous(
            ((str(i.zone), i.name), i) for i in inventory.instances
        )
        self._nats = [(nat, router) for router in inventory.routers for nat in router.nats]
        self._tunnels = inventory.vpn_tunnels
        self._attachments = inventory.vlan_attachments
        self._rules = inventory.forwarding_rules

    def machine(self, labels: Mapping[str, str], metric: Mapping[str, str]) -> Instance | None:
        """Return the machine that a series is of; None: the inventory does not have it."""
        number = labels.get("instance_id", "")
        if number in self._by_id:
            return self._by_id[number]
        name = metric.get("instance_name", "") or number
        project, zone = labels.get("project_id", ""), labels.get("zone", "")
        if project:
            return self._by_place.get((project, zone, name))
        return self._by_zone_and_name.get((zone, name))

    def of(self, identity: Identity, kind: MeasuredKind) -> MeasuredResource:
        """Return the resource of a series.

        Raises:
            Unusable: If no label says which it is.
        """
        labels, metric = dict(identity.resource), dict(identity.labels)
        project = labels.get("project_id") or labels.get("resource_container", "")
        project = project.removeprefix("projects/")
        location = labels.get("zone") or labels.get("region") or labels.get("location") or "global"
        match kind:
            case MeasuredKind.MACHINE:
                return self._of_machine(labels, metric, project, location)
            case MeasuredKind.NAT:
                return self._of_nat(labels, project, location)
            case MeasuredKind.VPN_TUNNEL:
                name = metric.get("tunnel_name") or labels.get("gateway_id", "")
                found = [t.ref.self_link for t in self._tunnels if t.name == name]
            case MeasuredKind.VLAN_ATTACHMENT:
                name = labels.get("attachment", "")
                found = [a.ref.self_link for a in self._attachments if a.name == name]
            case MeasuredKind.LOAD_BALANCER:
                name = labels.get("forwarding_rule_name") or labels.get("load_balancer_name", "")
                found = [r.ref.self_link for r in self._rules if r.name == name]
            case MeasuredKind.QUOTA:
                name = metric.get("quota_metric") or identity.type.rpartition("/")[0]
                found = []
            case MeasuredKind.SUBNETWORK:
                return _of_subnetwork(labels, project, location)
        return _named(kind, project, location, name, _in_place(found, project, location))

    def _of_machine(
        self, labels: Mapping[str, str], metric: Mapping[str, str], project: str, zone: str
    ) -> MeasuredResource:
        instance = self.machine(labels, metric)
        if instance is not None:
            return MeasuredResource(
                kind=MeasuredKind.MACHINE,
                project=instance.project,
                location=instance.zone,
                name=instance.name,
                link=instance.ref.self_link,
            )
        name = metric.get("instance_name") or labels.get("instance_id", "")
        return _named(MeasuredKind.MACHINE, project, zone, name, None)

    def _of_nat(self, labels: Mapping[str, str], project: str, region: str) -> MeasuredResource:
        name = labels.get("gateway_name", "")
        # The label has the router's number, which the inventory does not keep.
        routers = {
            router.ref.self_link
            for nat, router in self._nats
            if nat.name == name
            and router.region == region
            and (not project or router.project == project)
        }
        link = next(iter(routers)) if len(routers) == 1 else None
        return _named(MeasuredKind.NAT, project, region, name, link)


def _of_subnetwork(labels: Mapping[str, str], project: str, region: str) -> MeasuredResource:
    """Return the subnetwork of a series: its labels make its link, read or not."""
    name = labels.get("subnetwork_name", "")
    is_whole = bool(project and name and region != "global")
    link = SelfLink(f"projects/{project}/regions/{region}/subnetworks/{name}") if is_whole else None
    shown = name or labels.get("subnetwork_id", "")
    return _named(MeasuredKind.SUBNETWORK, project, region, shown, link)


def _named(
    kind: MeasuredKind, project: str, location: str, name: str, link: SelfLink | None
) -> MeasuredResource:
    if not name:
        raise Unusable(f"no label identifies the {kind.value}")
    return MeasuredResource(
        kind=kind, project=ProjectId(project), location=location, name=name, link=link
    )


def _in_place(links: Iterable[SelfLink], project: str, location: str) -> SelfLink | None:
    """Return the one link of a project and place; None: there is none, or more than one."""
    found = []
    for link in links:
        parts = link.split("/")
        place = last_part("/".join(parts[:4])) if parts[2] in {"regions", "zones"} else "global"
        if (not project or parts[1] == project) and place == location:
            found.append(link)
    return found[0] if len(found) == 1 else None


def _unambiguous(
    pairs: Iterable[tuple[tuple[str, str], Instance]],
) -> dict[tuple[str, str], Instance]:
    """Return values by key, without the keys that several have."""
    found: dict[tuple[str, str], Instance] = {}
    twice: set[tuple[str, str]] = set()
    for key, instance in pairs:
        if key in found:
            twice.add(key)
        found[key] = instance
    return {key: instance for key, instance in found.items() if key not in twice}


# The two ends of a series of flows, as far as the labels of Cloud Monitoring tell of them


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
            name=number or "an unnamed VM",
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
            return paths.unknown_end("an unnamed peer", is_ipv6=False)


def _place(labels: Mapping[str, str], inventory: model.Inventory) -> paths.FlowEnd:
    project = _told(labels, "remote_project_id")
    network = _told(labels, "remote_network")
    zone = _told(labels, "remote_zone")
    if not project:
        return paths.unknown_end("a VM of another project", is_ipv6=False)
    link = model.SelfLink(f"projects/{project}/global/networks/{network}") if network else None
    said = paths.RecordedEnd(address="", project=project, zone=zone or None, network=link)
    if project not in {str(instance.project) for instance in inventory.instances}:
        return paths.FlowEnd(owner=paths.foreign_owner(said))
    where = f"{zone or 'an unknown zone'}, {network or 'an unknown network'}"
    return paths.FlowEnd(
        owner=model.Owner(
            kind=model.OwnerKind.PLACE,
            key=f"place:{project}/{network}/{zone}",
            name=f"VMs in {where}",
            project=model.ProjectId(project),
            zone=model.Zone(zone) if zone else None,
            region=model.region_of(zone) if zone else None,
            network=link,
        )
    )


def _told(labels: Mapping[str, str], key: str) -> str:
    value = labels.get(key, "")
    return "" if value in NOT_TOLD else value
