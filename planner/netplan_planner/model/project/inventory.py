"""What a project owns, from whatever source, and what follows from its parts together.

What could not be read is in `Inventory.unread`.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from ipaddress import ip_network

from netplan_planner.model.base import SelfLink, Value
from netplan_planner.model.project.hubs import Hub, Spoke, SpokePairs
from netplan_planner.model.project.kubernetes import Kubernetes, Node
from netplan_planner.model.project.networks import (
    Address,
    FlowLogConfig,
    FlowLogsConfiguration,
    ForwardingRule,
    NatGateway,
    Network,
    ProjectSettings,
    Route,
    Router,
    Subnetwork,
    VlanAttachment,
    VpnTunnel,
)
from netplan_planner.model.project.resources import (
    Commitment,
    Disk,
    Instance,
    InstanceGroup,
    MachineShape,
    NetworkInterface,
    NodeGroup,
    NodeTemplate,
    ProjectCoverage,
    ResourcePolicy,
    TypeRecommendation,
    Unread,
)


class Inventory(Value, frozen=True, kw_only=True, dict=True):
    """All resources that were read, each tuple sorted by self link, and what was not read.

    The indexes are computed once, on first use, and hold no more than the tuples do.
    """

    instances: tuple[Instance, ...] = ()
    subnetworks: tuple[Subnetwork, ...] = ()
    networks: tuple[Network, ...] = ()
    addresses: tuple[Address, ...] = ()
    forwarding_rules: tuple[ForwardingRule, ...] = ()
    routers: tuple[Router, ...] = ()
    routes: tuple[Route, ...] = ()
    vpn_tunnels: tuple[VpnTunnel, ...] = ()
    vlan_attachments: tuple[VlanAttachment, ...] = ()
    hubs: tuple[Hub, ...] = ()
    spokes: tuple[Spoke, ...] = ()
    instance_groups: tuple[InstanceGroup, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    disks: tuple[Disk, ...] = ()
    resource_policies: tuple[ResourcePolicy, ...] = ()
    node_groups: tuple[NodeGroup, ...] = ()
    node_templates: tuple[NodeTemplate, ...] = ()
    flow_log_configurations: tuple[FlowLogsConfiguration, ...] = ()
    type_recommendations: tuple[TypeRecommendation, ...] = ()
    project_settings: tuple[ProjectSettings, ...] = ()
    machine_shapes: tuple[MachineShape, ...] = ()
    kubernetes: Kubernetes | None = None
    """The objects of a cluster, and GKE's clusters and node pools; None: none were read."""
    unread: tuple[Unread, ...] = ()
    projects: tuple[ProjectCoverage, ...] = ()

    @cached_property
    def instance_by_link(self) -> dict[SelfLink, Instance]:
        """Every instance by its self link."""
        return {one.ref.self_link: one for one in self.instances}

    @cached_property
    def instance_by_node(self) -> dict[str, Instance]:
        """The VM of each node of Kubernetes, by the node's name; a node without is not there.

        By the provider ID where it is stated. Else the one VM that has the node's internal
        address; of several, in networks apart, the one of the node's name.
        """
        nodes = self.kubernetes.nodes if self.kubernetes is not None else None
        if not nodes:
            return {}
        by_address: dict[str, list[Instance]] = {}
        for instance in self.instances:
            for nic in instance.interfaces:
                if nic.internal_ipv4:
                    by_address.setdefault(nic.internal_ipv4, []).append(instance)
        found = ((node.name, self._instance_of(node, by_address)) for node in nodes)
        return {name: instance for name, instance in found if instance is not None}

    def _instance_of(self, node: Node, by_address: dict[str, list[Instance]]) -> Instance | None:
        if node.cloud is not None:
            return self.instance_by_link.get(node.instance) if node.instance else None
        holding = {
            instance.ref.self_link: instance
            for address in node.internal_ips
            for instance in by_address.get(address, ())
        }
        named = [i for i in holding.values() if i.name in {node.name, node.hostname}]
        meant = list(holding.values()) if len(holding) == 1 else named
        return meant[0] if len(meant) == 1 else None

    @cached_property
    def node_by_instance(self) -> dict[SelfLink, Node]:
        """The node of Kubernetes that each VM is; a VM that is none is not there."""
        nodes = self.kubernetes.node_by_name if self.kubernetes is not None else {}
        return {i.ref.self_link: nodes[name] for name, i in self.instance_by_node.items()}

    @cached_property
    def subnetwork_by_link(self) -> dict[SelfLink, Subnetwork]:
        """Every subnetwork by its self link."""
        return {one.ref.self_link: one for one in self.subnetworks}

    @cached_property
    def network_by_link(self) -> dict[SelfLink, Network]:
        """Every network by its self link."""
        return {network.ref.self_link: network for network in self.networks}

    @cached_property
    def address_by_ip(self) -> dict[str, Address]:
        """Every reserved external address by its literal; the first by self link wins."""
        return {a.address: a for a in reversed(self.addresses) if a.is_external and a.address}

    @cached_property
    def forwarding_rule_by_link(self) -> dict[SelfLink, ForwardingRule]:
        """Every forwarding rule by its self link."""
        return {rule.ref.self_link: rule for rule in self.forwarding_rules}

    @cached_property
    def forwarding_rules_by_ip(self) -> dict[str, tuple[ForwardingRule, ...]]:
        """The forwarding rules of each address literal; networks may have the same internal one."""
        found: dict[str, list[ForwardingRule]] = {}
        for rule in self.forwarding_rules:
            if rule.ip_address:
                found.setdefault(rule.ip_address, []).append(rule)
        return {address: tuple(rules) for address, rules in found.items()}

    @cached_property
    def front_by_ip(self) -> dict[str, ForwardingRule]:
        """Every external front by its address; the first by self link wins."""
        fronts = [rule for rule in reversed(self.forwarding_rules) if rule.is_external]
        return {rule.ip_address: rule for rule in fronts if rule.ip_address}

    @cached_property
    def _nats_by_network(self) -> dict[SelfLink, tuple[NatGateway, ...]]:
        found: dict[SelfLink, list[NatGateway]] = {}
        for router in self.routers:
            for nat in router.nats:
                if not nat.is_private:
                    found.setdefault(nat.network, []).append(nat)
        return {network: tuple(nats) for network, nats in found.items()}

    def nat_of(self, instance: Instance, nic: NetworkInterface) -> NatGateway | None:
        """Return the gateway by which an interface reaches the internet over IPv4, or None.

        None where it has an external address, or may have one again; the first by link of several.
        """
        if nic.may_be_external:
            return None
        for nat in self._nats_by_network.get(nic.network, ()):
            is_served = not nat.subnetworks or nic.subnetwork in nat.subnetworks
            if nat.region == instance.region and is_served:
                return nat
        return None

    @cached_property
    def shape_by_type(self) -> dict[str, MachineShape]:
        """Every machine shape that the input itself stated."""
        return {shape.machine_type: shape for shape in self.machine_shapes}

    @cached_property
    def group_by_member(self) -> dict[SelfLink, InstanceGroup]:
        """The group of an instance: by listed membership, else by the manager in its metadata."""
        found: dict[SelfLink, InstanceGroup] = {}
        by_manager = {g.ref.self_link: g for g in self.instance_groups if g.is_managed}
        for instance in self.instances:
            if instance.created_by and instance.created_by in by_manager:
                found[instance.ref.self_link] = by_manager[instance.created_by]
        for group in self.instance_groups:
            for member in group.members:
                found.setdefault(member, group)
        return found

    @cached_property
    def disk_types_by_user(self) -> dict[SelfLink, frozenset[str]]:
        """The types of the disks that were read for a machine.

        A machine of which no disk was read is not there, nor one with a disk of unknown type.
        """
        found: dict[SelfLink, set[str]] = {}
        unknown: set[SelfLink] = set()
        for disk in self.disks:
            if disk.disk_type is None:
                unknown.update(disk.users)
                continue
            for user in disk.users:
                found.setdefault(user, set()).add(disk.disk_type)
        return {user: frozenset(found[user]) for user in found if user not in unknown}

    @cached_property
    def disks_by_user(self) -> dict[SelfLink, tuple[Disk, ...]]:
        """The disks that were read for each machine."""
        found: dict[SelfLink, list[Disk]] = {}
        for disk in self.disks:
            for user in disk.users:
                found.setdefault(user, []).append(disk)
        return {user: tuple(disks) for user, disks in found.items()}

    @cached_property
    def next_hops(self) -> frozenset[str | None]:
        """The links and addresses that routes lead to."""
        return frozenset(route.next_hop_target for route in self.routes)

    @cached_property
    def policy_by_link(self) -> dict[SelfLink, ResourcePolicy]:
        """Every resource policy by its self link."""
        return {policy.ref.self_link: policy for policy in self.resource_policies}

    def logging_of(self, subnetwork: Subnetwork) -> tuple[FlowLogConfig, ...]:
        """Return every setting and configuration that logs a subnetwork's machines now."""
        own = subnetwork.flow_logs
        return (
            *((own,) if own is not None and own.enabled else ()),
            *(
                c.logs
                for c in self.flow_log_configurations
                if c.logs.enabled and c.covers(subnetwork)
            ),
        )

    def peered_networks(self) -> Iterator[tuple[Network, Network]]:
        """Yield each actively peered pair once, ordered by link; peers not read are left out."""
        for network in self.networks:
            for link in self.peers_of(network.ref.self_link):
                peer = self.network_by_link.get(link)
                if peer is not None and network.ref.self_link < link:
                    yield network, peer

    @cached_property
    def _ranges_by_network(self) -> dict[SelfLink, list[tuple[int, int, str]]]:
        """IPv4 ranges of each network's subnetworks: first and last address, and the text."""
        found: dict[SelfLink, list[tuple[int, int, str]]] = {}
        for subnetwork in self.subnetworks:
            for text in (subnetwork.ipv4_range, *subnetwork.secondary_ranges):
                if text:
                    whole = ip_network(text, strict=False)
                    bounds = int(whole.network_address), int(whole.broadcast_address), text
                    found.setdefault(subnetwork.network, []).append(bounds)
        return {network: sorted(ranges) for network, ranges in found.items()}

    @cached_property
    def _overlaps(self) -> dict[tuple[SelfLink, SelfLink], str]:
        return {}

    def overlapping_ranges(self, one: SelfLink, other: SelfLink) -> str:
        """Return the first IPv4 ranges of two networks that overlap, in words, or nothing.

        Asked for each pair of machines, so a pair of networks is compared once, in one sweep.
        """
        key = min(one, other), max(one, other)
        if key not in self._overlaps:
            self._overlaps[key] = self._first_overlap(*key)
        return self._overlaps[key]

    def range_within(self, network: SelfLink, block: str) -> str:
        """Return the first IPv4 range of a network that overlaps a block, or nothing."""
        whole = ip_network(block)
        first, last = int(whole.network_address), int(whole.broadcast_address)
        key = network, SelfLink(block)
        if key not in self._overlaps:
            found = (
                text
                for low, high, text in self._ranges_by_network.get(network, ())
                if low <= last and first <= high
            )
            self._overlaps[key] = next(found, "")
        return self._overlaps[key]

    def _first_overlap(self, one: SelfLink, other: SelfLink) -> str:
        left = iter(self._ranges_by_network.get(one, ()))
        right = iter(self._ranges_by_network.get(other, ()))
        a, b = next(left, None), next(right, None)
        while a is not None and b is not None:
            # Whatever ends before the other begins cannot reach what comes behind that either.
            if a[1] < b[0]:
                a = next(left, None)
            elif b[1] < a[0]:
                b = next(right, None)
            else:
                return f"{a[2]} and {b[2]}"
        return ""

    def peers_of(self, network: SelfLink) -> Iterator[SelfLink]:
        """Yield the networks that one is actively peered with."""
        found = self.network_by_link.get(network)
        for peering in found.peerings if found is not None else ():
            if peering.is_active:
                yield peering.network

    @cached_property
    def _peer_pairs(self) -> frozenset[frozenset[SelfLink]]:
        return frozenset(
            frozenset((network.ref.self_link, peer))
            for network in self.networks
            for peer in self.peers_of(network.ref.self_link)
        )

    def _is_near(self, one: SelfLink, other: SelfLink) -> bool:
        return one == other or frozenset((one, other)) in self._peer_pairs

    def are_connected(self, one: SelfLink, other: SelfLink) -> bool:
        """Return whether two networks route to each other: the same one, peered, or by a hub."""
        return self._is_near(one, other) or bool(self.hub_between(one, other))

    @cached_property
    def spoke_pairs(self) -> SpokePairs:
        """Which networks the hubs of Network Connectivity Center join."""
        is_whole = not any("/spokes/" in (one.resource or one.source) for one in self.unread)
        ranges = self._ranges_by_network
        return SpokePairs(self.hubs, self.spokes, self.routes, ranges, is_whole=is_whole)

    def hub_between(self, one: SelfLink, other: SelfLink) -> str:
        """Return the hub that two networks meet at which are not peered, by name, or nothing."""
        pairs = self.spoke_pairs
        return "" if pairs.is_empty or self._is_near(one, other) else pairs.hub(one, other)

    def hub_to(self, src: Instance, network: SelfLink) -> str:
        """Return the hub that traffic of a machine to a network passes, by name, or nothing."""
        own = [nic.network for nic in src.interfaces]
        if self.spoke_pairs.is_empty or any(self._is_near(one, network) for one in own):
            return ""
        joined = filter(None, (self.hub_between(one, network) for one in own))
        return min(joined, default="")

    def hub_out(self, src: Instance, network: SelfLink) -> str:
        """Return the hub by which a machine leaves through a tunnel of a network, or nothing."""
        own = [nic.network for nic in src.interfaces]
        if self.spoke_pairs.is_empty or any(self._is_near(one, network) for one in own):
            return ""
        return next(filter(None, map(self.spoke_pairs.own_hub, own)), "")

    def hub_over(self, src: Instance, dst: Instance) -> str:
        """Return the hub that traffic between internal addresses of two machines passes, by name.

        Empty where they have a nearer way, or none.
        """
        nic = None if self.spoke_pairs.is_empty else self.reachable_interface(src, dst)
        return self.hub_to(src, nic.network) if nic is not None else ""

    def hub_seen(self, sending: Iterable[SelfLink], receiving: Iterable[SelfLink]) -> str:
        """Return the hub that traffic between networks passes that was seen, by name, or nothing.

        Args:
            sending: The networks of one end.
            receiving: Those of the other.
        """
        pairs = [(one, other) for one in sending for other in receiving]
        if self.spoke_pairs.is_empty or any(self._is_near(*pair) for pair in pairs):
            return ""
        return min(filter(None, (self.spoke_pairs.seen(*pair) for pair in pairs)), default="")

    def kept_range(self, nic: NetworkInterface) -> str:
        """Return the range of an interface that its network's spoke does not export, or nothing."""
        subnetwork = self.subnetwork_by_link.get(nic.subnetwork) if nic.subnetwork else None
        whole = (subnetwork.ipv4_range or subnetwork.ipv6_range) if subnetwork else None
        block = whole or nic.internal_ipv4 or nic.internal_ipv6
        return block if block and self.spoke_pairs.keeps(nic.network, block) else ""

    def _reaches(self, own: NetworkInterface, nic: NetworkInterface) -> bool:
        if self._is_near(own.network, nic.network):
            return True
        is_joined = bool(self.hub_between(own.network, nic.network))
        return is_joined and not self.kept_range(own) and not self.kept_range(nic)

    def reachable_interface(self, src: Instance, dst: Instance) -> NetworkInterface | None:
        """Return the NIC of `dst` that `src` reaches by an internal address, or None.

        Same network first, then peered ones or those that a hub joins; a NIC without an internal
        address does not count.
        """
        sending = [nic.network for nic in src.interfaces]
        inside = [nic for nic in dst.interfaces if nic.internal_ipv4 or nic.internal_ipv6]
        for nic in inside:
            if nic.network in sending:
                return nic
        for nic in inside:
            if any(self._reaches(own, nic) for own in src.interfaces):
                return nic
        return None

    def is_static(self, external_ipv4: str) -> bool:
        """Return whether an external address is reserved, so that it outlives a VM's restart."""
        return external_ipv4 in self.address_by_ip
