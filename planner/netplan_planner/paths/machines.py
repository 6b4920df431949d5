"""Which addresses the machines of an inventory hold, and since when they have them."""

from collections.abc import Callable, Iterator
from datetime import datetime

from netplan_planner import model
from netplan_planner.paths.addresses import Address, address_text, is_in, parse_address, parse_range
from netplan_planner.paths.ends import AddressKind, FlowEnd, Ownership, unknown_end
from netplan_planner.paths.held_ranges import HeldRange, Ownerships

_INTERNAL_IPV6_PREFIX = 96
"""Prefix length of the internal IPv6 range of an interface: the machine has its first address, pods
of a GKE node have others (cloud.google.com/vpc/docs/subnets#ipv6-ranges, read 2026-11-21)."""


class MachineEnds:
    """Makes the flow ends of the inventory's machines; each owner is made once."""

    def __init__(self, inventory: model.Inventory) -> None:
        self._inventory = inventory
        self._owners: dict[model.SelfLink, model.Owner] = {}
        # By number: the API spells IPv6 addresses in several ways. The first by link wins.
        self._reserved = {
            parse_address(a.address): a for a in reversed(inventory.addresses) if a.is_external
        }

    def owner(self, instance: model.Instance) -> model.Owner:
        """Return the owner that stands for a machine, with the network of its first interface."""
        link = instance.ref.self_link
        found = self._owners.get(link)
        if found is None:
            first = instance.interfaces[0] if instance.interfaces else None
            found = self._owners[link] = model.Owner(
                kind=model.OwnerKind.VM,
                key=link,
                name=instance.name,
                project=instance.project,
                zone=instance.zone,
                region=instance.region,
                network=first.network if first else None,
                subnetwork=first.subnetwork if first else None,
                link=link,
            )
        return found

    def end(
        self,
        instance: model.Instance,
        nic: model.NetworkInterface | None,
        address_kind: AddressKind,
        address: Address,
        *,
        literal: str | None = None,
        is_pod: bool = False,
        certainty: model.Certainty = model.Certainty.HELD,
    ) -> FlowEnd:
        """Return a machine as it is met at one address; `nic` is None where none has it."""
        is_ipv6 = address[0] == 6
        external = None
        if nic is not None and not is_ipv6:
            external = nic.external_ipv4
        shown = literal if address_kind is AddressKind.VIRTUAL else None
        if address_kind is AddressKind.EXTERNAL:
            shown = literal or address_text(address)
        return FlowEnd(
            owner=self.owner(instance),
            address_kind=address_kind,
            address=shown,
            is_ipv6=is_ipv6,
            is_pod=is_pod,
            certainty=certainty,
            external_address=external,
            is_behind_nat=nic is not None
            and not is_ipv6
            and self._inventory.nat_of(instance, nic) is not None,
            reported_by=_subnetworks(instance, nic),
        )

    def held_ranges(self, instance: model.Instance) -> Iterator[HeldRange]:
        """Yield the ranges that the interfaces of a machine hold."""
        for nic in instance.interfaces:
            for text in (nic.internal_ipv4, nic.internal_ipv6):
                if text:
                    yield self._held_range(
                        instance, nic, AddressKind.INTERNAL, text.partition("/")[0]
                    )
            for text in pod_ranges(nic):
                yield self._held_range(
                    instance, nic, AddressKind.INTERNAL, text, is_pod=self.is_node(instance)
                )
            if nic.external_ipv4:
                yield self._held_range(instance, nic, AddressKind.EXTERNAL, nic.external_ipv4)
            if nic.external_ipv6:
                length = nic.external_ipv6_prefix_length or 128
                yield self._held_range(
                    instance, nic, AddressKind.EXTERNAL, f"{nic.external_ipv6}/{length}"
                )

    def is_node(self, instance: model.Instance) -> bool:
        """Return whether a machine is a node of a cluster, so that its ranges are its pods'."""
        return is_gke_node(instance) or instance.ref.self_link in self._inventory.node_by_instance

    def pod_held_ranges(self) -> Iterator[HeldRange]:
        """Yield the pod ranges of nodes that were read, then addresses of pods outside of them.

        A pod's own address is its node's only while it runs there, and so the holder is assumed.
        """
        kubernetes = self._inventory.kubernetes
        if kubernetes is None:
            return
        own: dict[str, list[str]] = {}
        for name, instance in self._inventory.instance_by_node.items():
            nic = _first_inside(instance)
            if nic is not None:
                ranges = kubernetes.node_by_name[name].pod_ranges
                own[name] = [*ranges, *pod_ranges(nic)]
                for text in ranges:
                    yield self._held_range(instance, nic, AddressKind.INTERNAL, text, is_pod=True)
        for pod in kubernetes.pods or ():
            if pod.is_running and not pod.is_host_network and pod.node in own:
                instance = self._inventory.instance_by_node[pod.node]
                for text in pod.pod_ips:
                    address = parse_address(text)
                    if address is not None and not any(is_in(address, r) for r in own[pod.node]):
                        yield self._pod_address(instance, text)

    def _pod_address(self, instance: model.Instance, text: str) -> HeldRange:
        nic = _first_inside(instance)

        def holders(address: Address) -> Ownerships:
            end = self.end(
                instance,
                nic,
                AddressKind.INTERNAL,
                address,
                is_pod=True,
                certainty=model.Certainty.ASSUMED,
            )
            return (Ownership(end=end),)

        return HeldRange(range=text, network=nic.network if nic else None, holders=holders)

    def _held_range(
        self,
        instance: model.Instance,
        nic: model.NetworkInterface,
        address_kind: AddressKind,
        text: str,
        *,
        is_pod: bool = False,
    ) -> HeldRange:
        def holders(address: Address) -> Ownerships:
            # The literal of an external IPv6 range is its first address: one edge, not many.
            first, _ = parse_range(text) or (address, 0)
            literal = address_text(first) if address_kind is AddressKind.EXTERNAL else None

            def end(certainty: model.Certainty) -> FlowEnd:
                return self.end(
                    instance,
                    nic,
                    address_kind,
                    address,
                    literal=literal,
                    is_pod=is_pod,
                    certainty=certainty,
                )

            earlier = unknown_end(address_text(address), is_ipv6=address[0] == 6)
            if address_kind is AddressKind.INTERNAL:
                return _since(earlier, end(model.Certainty.HELD), instance.created)
            reserved = self._reserved.get(first)
            if reserved is None:
                return _held_from(earlier, end, instance.created, instance.last_started)
            if reserved.created is None:
                return _since(earlier, end(model.Certainty.HELD), instance.created)
            # In use before it was reserved: an ephemeral address that was promoted, it seems.
            return _held_from(earlier, end, instance.created, reserved.created)

        network = nic.network if address_kind is AddressKind.INTERNAL else None
        return HeldRange(range=text, network=network, holders=holders)


def _first_inside(instance: model.Instance) -> model.NetworkInterface | None:
    """Return the first interface with an internal address: pods leave by it as a rule."""
    return next((nic for nic in instance.interfaces if nic.internal_ipv4), None)


def pod_ranges(nic: model.NetworkInterface) -> tuple[str, ...]:
    """Return the ranges of an interface beside its own addresses: a GKE node's pods have them."""
    ipv6 = nic.internal_ipv6
    if not ipv6:
        return nic.alias_ranges
    return (*nic.alias_ranges, f"{ipv6.partition('/')[0]}/{_INTERNAL_IPV6_PREFIX}")


def is_gke_node(instance: model.Instance) -> bool:
    """Return whether a machine is a node of a GKE cluster: its alias ranges are pods."""
    return instance.name.startswith("gke-") or any(
        key.startswith("goog-gke-") for key, _ in instance.labels
    )


def _subnetworks(
    instance: model.Instance, nic: model.NetworkInterface | None
) -> tuple[model.SelfLink, ...]:
    if nic is None and len(instance.interfaces) == 1:
        nic = instance.interfaces[0]
    return (nic.subnetwork,) if nic is not None and nic.subnetwork else ()


def _since(earlier: FlowEnd, end: FlowEnd, since: datetime | None) -> Ownerships:
    if since is None:
        return (Ownership(end=end),)
    return (Ownership(end=earlier), Ownership(end=end, since=since))


def _held_from(
    earlier: FlowEnd,
    end: Callable[[model.Certainty], FlowEnd],
    created: datetime | None,
    since: datetime | None,
) -> Ownerships:
    """Return an external address's holders: sure since a time, unknown before the creation.

    An ephemeral address is held since the last start, a static one since its reservation.
    """
    if since is None:
        return _since(earlier, end(model.Certainty.ASSUMED), created)
    held = Ownership(end=end(model.Certainty.HELD), since=since)
    if created is None:
        return (Ownership(end=end(model.Certainty.ASSUMED)), held)
    if since <= created:
        return (Ownership(end=earlier), Ownership(end=end(model.Certainty.HELD), since=created))
    assumed = Ownership(end=end(model.Certainty.ASSUMED), since=created)
    return (Ownership(end=earlier), assumed, held)
