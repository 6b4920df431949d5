"""The address book: from what a flow record says of an end to its owner, with the time."""

from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.paths.addresses import (
    Address,
    RangeTable,
    address_text,
    google_ranges,
    is_in,
    is_public,
    parse_address,
    parse_range,
)
from netplan_planner.paths.ends import (
    AddressKind,
    FlowEnd,
    Ownership,
    RecordedEnd,
    foreign_owner,
    gateway_end,
    internet_end,
    service_end,
    unknown_end,
    vanished_owner,
)
from netplan_planner.paths.held_ranges import (
    HeldRange,
    Ownerships,
    nat_ranges,
    producer_ranges,
    proxy_ranges,
    reserved_ranges,
    rule_ranges,
)
from netplan_planner.paths.machines import MachineEnds, pod_ranges

_HYBRID_HOPS = frozenset({"vpn", "interconnect", "instance", "ip", "ilb"})
"""What takes packets on that no subnetwork has: a tunnel, an attachment, or an appliance (a machine
or its address, or the internal load balancer before several)."""
_HYBRID_TARGETS = ("/vpnTunnels/", "/interconnectAttachments/")


class AddressBook:
    """Owners of addresses, per network where ranges may overlap.

    Order of evidence: the machine, gateway or service that the record names; who holds the
    address in the inventory; Google's published ranges; hybrid routes; a public address is the
    internet's; anything else is unknown.
    """

    def __init__(self, inventory: model.Inventory) -> None:
        self._inventory = inventory
        self._machines = MachineEnds(inventory)
        self._exact: dict[Address, list[HeldRange]] = defaultdict(list)
        ranges: dict[model.SelfLink | None, list[tuple[str, HeldRange]]] = defaultdict(list)
        for held_range in self._held_ranges():
            self._add(held_range, ranges)
        self._ranges = {network: RangeTable(entries) for network, entries in ranges.items()}
        self._instances: dict[tuple[str, str], list[model.Instance]] = defaultdict(list)
        self._by_name: dict[str, list[model.Instance]] = defaultdict(list)
        for instance in inventory.instances:
            self._instances[instance.project, instance.name].append(instance)
            self._by_name[instance.name].append(instance)
        self._projects = _projects(inventory)
        self._subnets = {
            network: RangeTable((text, True) for text in texts)
            for network, texts in _subnet_ranges(inventory).items()
        }
        self._hybrid = _hybrid_routes(inventory)

    def _held_ranges(self) -> Iterable[HeldRange]:
        """Yield all held ranges, the surest first: of several for one address the first stays."""
        inventory = self._inventory
        for instance in inventory.instances:
            yield from self._machines.held_ranges(instance)
        yield from self._machines.pod_held_ranges()
        yield from rule_ranges(inventory.forwarding_rules)
        yield from nat_ranges(inventory)
        yield from reserved_ranges(inventory.addresses)
        yield from proxy_ranges(inventory.subnetworks)
        yield from producer_ranges(inventory.addresses)

    def _add(
        self,
        held_range: HeldRange,
        ranges: dict[model.SelfLink | None, list[tuple[str, HeldRange]]],
    ) -> None:
        parsed = parse_range(held_range.range)
        if parsed is None:
            return
        first, length = parsed
        if length == (32 if first[0] == 4 else 128):
            here = self._exact[first]
            if all(other.network != held_range.network for other in here):
                here.append(held_range)
        else:
            ranges[held_range.network].append((held_range.range, held_range))

    def resolve(self, said: RecordedEnd) -> Ownerships | None:
        """Return who an end is, oldest first, or None when its address is not an IP address."""
        address = parse_address(said.address)
        if address is None:
            return None
        is_ipv6 = address[0] == 6
        if said.vm and said.project:
            return (Ownership(end=self._named(said, address)),)
        if said.gateway:
            return (Ownership(end=gateway_end(said.gateway, is_ipv6=is_ipv6)),)
        if said.service:
            return (Ownership(end=service_end(said.service, is_ipv6=is_ipv6)),)
        held = self._held(address, said.network or said.context)
        if held is not None:
            return _with_pod(held) if said.has_pod else held
        return (Ownership(end=self._outside(address, said)),)

    def instances_named(self, name: str) -> list[model.Instance]:
        """Return the machines that a plain name, `project/zone/name` or a self link means."""
        parts = name.strip("/").split("/")
        if len(parts) == 1:
            return list(self._by_name.get(name, ()))
        if len(parts) == 3 and parts[0] != "projects":
            project, zone, vm = parts
            return [i for i in self._instances.get((project, vm), ()) if i.zone == zone]
        found = self._inventory.instance_by_link.get(model.canonical_link(name))
        return [] if found is None else [found]

    def end_of_pod(self, name: str) -> FlowEnd | None:
        """Return the pod that `namespace/name` means as it is met on its node.

        A workload's name means its pods, where all of them are on one node; else None.
        """
        kubernetes = self._inventory.kubernetes
        if kubernetes is None:
            return None
        pod = kubernetes.pod_by_name.get(name)
        pods = (pod,) if pod is not None else kubernetes.pods_by_workload.get(name, ())
        nodes = {one.node for one in pods}
        node = nodes.pop() if len(nodes) == 1 else None
        instance = self._inventory.instance_by_node.get(node) if node is not None else None
        if instance is None:
            return None
        return replace(self.end_of(instance, is_external=False), is_pod=not pods[0].is_host_network)

    def end_of(self, instance: model.Instance, *, is_external: bool) -> FlowEnd:
        """Return a machine as it is met at its first internal or external address.

        One without an external address can be named as met there all the same: the literal is
        then missing.
        """
        address_kind = AddressKind.EXTERNAL if is_external else AddressKind.INTERNAL
        for nic in instance.interfaces:
            address = _literal(
                nic.external_ipv4 or nic.external_ipv6
                if is_external
                else nic.internal_ipv4 or nic.internal_ipv6
            )
            if address is not None:
                return self._machines.end(instance, nic, address_kind, address)
        return FlowEnd(owner=self._machines.owner(instance), address_kind=address_kind)

    def network_of(self, subnetwork: model.SelfLink | None) -> model.SelfLink | None:
        """Return the network of a subnetwork, or None when the inventory does not have it."""
        found = self._inventory.subnetwork_by_link.get(subnetwork) if subnetwork else None
        return found.network if found is not None else None

    def _named(self, said: RecordedEnd, address: Address) -> FlowEnd:
        """Return the machine that the record names, met at this address."""
        candidates = self._instances.get((said.project or "", said.vm or ""), [])
        # The name in another zone is another machine; without a zone it must be the only one.
        at_zone = [i for i in candidates if said.zone in (None, "", i.zone)]
        holding = [i for i in at_zone if _interface_at(i, address) is not None]
        meant = holding or at_zone
        instance = meant[0] if len(meant) == 1 else None
        if instance is None:
            front = self._front(address, said.network)
            virtual = front is not None
            owner = vanished_owner(said) if said.project in self._projects else foreign_owner(said)
            address_kind = (
                AddressKind.EXTERNAL
                if self._looks_external(address, said.network)
                else AddressKind.INTERNAL
            )
            return FlowEnd(
                owner=owner,
                address_kind=AddressKind.VIRTUAL if virtual else address_kind,
                address=address_text(address)
                if virtual or address_kind is AddressKind.EXTERNAL
                else None,
                is_ipv6=address[0] == 6,
                is_pod=said.has_pod,
                is_passthrough=front is not None and front.is_passthrough,
                certainty=model.Certainty.RECORDED,
                reported_by=(said.subnetwork,) if said.subnetwork else (),
            )
        found = _interface_at(instance, address)
        nic, address_kind, literal, is_alias = found or (None, AddressKind.INTERNAL, None, False)
        front = self._front(address, said.network) if found is None else None
        if front is not None:
            address_kind, literal = AddressKind.VIRTUAL, address_text(address)
        elif found is None and self._looks_external(address, said.network):
            address_kind = AddressKind.EXTERNAL
        end = self._machines.end(
            instance,
            nic,
            address_kind,
            address,
            literal=literal,
            is_pod=said.has_pod or (is_alias and self._machines.is_node(instance)),
            certainty=model.Certainty.RECORDED,
        )
        return replace(end, is_passthrough=front is not None and front.is_passthrough)

    def _front(self, address: Address, network: model.SelfLink | None) -> FlowEnd | None:
        """Return the load balancer that has an address, or None."""
        held = self._held(address, network)
        if held is None or held[-1].end.address_kind is not AddressKind.VIRTUAL:
            return None
        return held[-1].end

    def _looks_external(self, address: Address, network: model.SelfLink | None) -> bool:
        """Return whether an address that no interface has is external: public, in no own subnet."""
        return is_public(address) and not self._is_in_subnets(address, network)

    def _is_in_subnets(self, address: Address, network: model.SelfLink | None) -> bool:
        """Return whether a subnetwork that can be meant in `network` has an address."""
        return any(
            table.find(address)
            for own, table in self._subnets.items()
            if network is None or self._inventory.are_connected(own, network)
        )

    def _held(self, address: Address, network: model.SelfLink | None) -> Ownerships | None:
        """Return the holders of an address, or None when the inventory has none for it here.

        An address that two networks use and that no record places is nobody's: not guessed.
        """
        held_ranges = [c for c in self._exact.get(address, ()) if self._is_near(c, network)]
        if not held_ranges:
            held_ranges = [
                held_range
                for table in self._ranges.values()
                if (held_range := table.find(address)) is not None
                and self._is_near(held_range, network)
            ]
        own = [c for c in held_ranges if c.network is not None and c.network == network]
        everywhere = [c for c in held_ranges if c.network is None]
        for narrowed in (own, everywhere, held_ranges):
            if len(narrowed) == 1:
                return narrowed[0].holders(address)
        if not held_ranges:
            return None
        return (Ownership(end=unknown_end(address_text(address), is_ipv6=address[0] == 6)),)

    def _is_near(self, held_range: HeldRange, network: model.SelfLink | None) -> bool:
        """Return whether a held range can be meant by a record that was made in `network`."""
        return (
            held_range.network is None
            or network is None
            or self._inventory.are_connected(held_range.network, network)
        )

    def _outside(self, address: Address, said: RecordedEnd) -> FlowEnd:
        """Return an end that the inventory does not have."""
        is_ipv6 = address[0] == 6
        network = said.network or said.context
        google = google_ranges().find(address)
        if google is not None and google.kind is model.OwnerKind.LOAD_BALANCER:
            return _front_end(google.service, is_ipv6=is_ipv6)
        if google is not None:
            return service_end(google.service, is_ipv6=is_ipv6)
        # Routes of subnetworks come first: who is missing there is behind no tunnel.
        is_inside = self._is_in_subnets(address, network)
        hop = None if is_inside else self._hybrid_hop(address, network)
        if hop is not None:
            return gateway_end(hop, is_ipv6=is_ipv6)
        if said.area or (is_public(address) and not is_inside):
            return internet_end(said.area, is_ipv6=is_ipv6)
        return unknown_end(address_text(address), is_ipv6=is_ipv6)

    def _hybrid_hop(self, address: Address, network: model.SelfLink | None) -> str | None:
        hops = {
            hop
            for route_network, table in self._hybrid.items()
            if network is None or self._inventory.are_connected(route_network, network)
            if (hop := table.find(address))
        }
        return min(hops) if hops else None


def _front_end(service: str, *, is_ipv6: bool) -> FlowEnd:
    """Return the end that stands for Google's proxies and health checks of load balancers."""
    owner = model.Owner(
        kind=model.OwnerKind.LOAD_BALANCER,
        key=f"load-balancer:{service}",
        name=service.replace("-", " "),
    )
    return FlowEnd(owner=owner, is_ipv6=is_ipv6)


def _with_pod(ownerships: Ownerships) -> Ownerships:
    return tuple(
        replace(ownership, end=replace(ownership.end, is_pod=True)) for ownership in ownerships
    )


_Met = tuple[model.NetworkInterface, AddressKind, str | None, bool]
"""An interface, by which of its addresses it is met, the literal to show, whether it is an alias"""


def _interface_at(instance: model.Instance, address: Address) -> _Met | None:
    """Return the interface of a machine that has an address, or None."""
    for nic in instance.interfaces:
        if address in (_literal(nic.internal_ipv4), _literal(nic.internal_ipv6)):
            return nic, AddressKind.INTERNAL, None, False
        if address == _literal(nic.external_ipv4):
            return nic, AddressKind.EXTERNAL, None, False
        if any(is_in(address, text) for text in pod_ranges(nic)):
            return nic, AddressKind.INTERNAL, None, True
        if nic.external_ipv6 and address[0] == 6:
            text = f"{nic.external_ipv6}/{nic.external_ipv6_prefix_length or 128}"
            parsed = parse_range(text)
            if parsed is not None and is_in(address, text):
                return nic, AddressKind.EXTERNAL, address_text(parsed[0]), False
    return None


def _literal(text: str | None) -> Address | None:
    return parse_address(text.partition("/")[0]) if text else None


def _projects(inventory: model.Inventory) -> frozenset[str]:
    """Return the projects that were read: a machine of theirs that is missing is gone."""
    read = {str(coverage.project) for coverage in inventory.projects if not coverage.errors}
    return frozenset(read | {str(instance.project) for instance in inventory.instances})


def _subnet_ranges(inventory: model.Inventory) -> dict[model.SelfLink, list[str]]:
    found: dict[model.SelfLink, list[str]] = defaultdict(list)
    for subnetwork in inventory.subnetworks:
        texts = (subnetwork.ipv4_range, subnetwork.ipv6_range, *subnetwork.secondary_ranges)
        found[subnetwork.network].extend(text for text in texts if text)
    return found


def _hybrid_routes(inventory: model.Inventory) -> dict[model.SelfLink, RangeTable[str]]:
    """Return the hop into a tunnel, interconnect or appliance by network and range.

    Default routes are out: what they carry is the internet's, whoever takes it there.
    A narrower route that leads elsewhere counts as well, with an empty name.
    """
    hops: dict[model.SelfLink, list[tuple[str, str]]] = defaultdict(list)
    others: dict[model.SelfLink, list[tuple[str, str]]] = defaultdict(list)
    for route in inventory.routes:
        parsed = parse_range(route.dest_range)
        if parsed is None or parsed[1] == 0:
            continue
        target = route.next_hop_target or ""
        if route.next_hop in _HYBRID_HOPS or any(t in target for t in _HYBRID_TARGETS):
            hops[route.network].append((route.dest_range, _hop_name(target) or route.name))
        else:
            others[route.network].append((route.dest_range, ""))
    return {
        network: RangeTable((*entries, *others.get(network, ())))
        for network, entries in hops.items()
    }


def _hop_name(target: str) -> str:
    """Return a tunnel's or attachment's `project/location/name`, as records name gateways."""
    parts = target.split("/")
    if "regions" not in parts:
        return model.last_part(target)
    return (
        f"{model.project_of(target)}/{parts[parts.index('regions') + 1]}/{model.last_part(target)}"
    )
