"""Which addresses the machines of an inventory claim, and since when they have them."""

from collections.abc import Callable, Iterator
from datetime import datetime

from netplan_planner.model import (
    Certainty,
    Instance,
    Inventory,
    NatGateway,
    NetworkInterface,
    Owner,
    OwnerKind,
    SelfLink,
)
from netplan_planner.paths.addresses import Address, address_text, parse_address, parse_range
from netplan_planner.paths.claims import Claim, Tenures
from netplan_planner.paths.ends import Face, FlowEnd, Tenure, unknown_end

_INTERNAL_IPV6_PREFIX = 96
"""Prefix length of the internal IPv6 range of an interface: the machine has its first address, pods
of a GKE node have others (cloud.google.com/vpc/docs/subnets#ipv6-ranges, read 2026-11-21)."""


class MachineEnds:
    """Makes the flow ends of the inventory's machines; each owner is made once."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._owners: dict[SelfLink, Owner] = {}
        self._nats: dict[SelfLink, list[NatGateway]] = {}
        # By number: the API spells IPv6 addresses in several ways. The first by link wins.
        self._reserved = {
            parse_address(a.address): a for a in reversed(inventory.addresses) if a.is_external
        }
        for router in inventory.routers:
            for nat in router.nats:
                self._nats.setdefault(nat.network, []).append(nat)

    def owner(self, instance: Instance) -> Owner:
        """Return the owner that stands for a machine, with the network of its first interface."""
        link = instance.ref.self_link
        found = self._owners.get(link)
        if found is None:
            first = instance.interfaces[0] if instance.interfaces else None
            found = self._owners[link] = Owner(
                kind=OwnerKind.VM,
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
        instance: Instance,
        nic: NetworkInterface | None,
        face: Face,
        address: Address,
        *,
        literal: str | None = None,
        is_pod: bool = False,
        certainty: Certainty = Certainty.HELD,
    ) -> FlowEnd:
        """Return a machine as it is met at one address; `nic` is None where none has it."""
        is_ipv6 = address[0] == 6
        external = None
        if nic is not None and not is_ipv6:
            external = nic.external_ipv4
        shown = literal if face is Face.VIRTUAL else None
        if face is Face.EXTERNAL:
            shown = literal or address_text(address)
        return FlowEnd(
            owner=self.owner(instance),
            face=face,
            address=shown,
            is_ipv6=is_ipv6,
            is_pod=is_pod,
            certainty=certainty,
            external_address=external,
            is_behind_nat=nic is not None and not is_ipv6 and self._is_behind_nat(instance, nic),
            reported_by=_subnetworks(instance, nic),
        )

    def _is_behind_nat(self, instance: Instance, nic: NetworkInterface) -> bool:
        if nic.external_ipv4 is not None or nic.access_config_name is not None:
            return False
        return any(
            nat.region == instance.region
            and (not nat.subnetworks or nic.subnetwork in nat.subnetworks)
            for nat in self._nats.get(nic.network, ())
        )

    def claims(self, instance: Instance) -> Iterator[Claim]:
        """Yield what the interfaces of a machine claim."""
        for nic in instance.interfaces:
            for text in (nic.internal_ipv4, nic.internal_ipv6):
                if text:
                    yield self._claim(instance, nic, Face.INTERNAL, text.partition("/")[0])
            for text in pod_ranges(nic):
                yield self._claim(instance, nic, Face.INTERNAL, text, is_pod=is_gke_node(instance))
            if nic.external_ipv4:
                yield self._claim(instance, nic, Face.EXTERNAL, nic.external_ipv4)
            if nic.external_ipv6:
                length = nic.external_ipv6_prefix_length or 128
                yield self._claim(instance, nic, Face.EXTERNAL, f"{nic.external_ipv6}/{length}")

    def _claim(
        self,
        instance: Instance,
        nic: NetworkInterface,
        face: Face,
        text: str,
        *,
        is_pod: bool = False,
    ) -> Claim:
        def holders(address: Address) -> Tenures:
            # The literal of an external IPv6 range is its first address: one edge, not many.
            first, _ = parse_range(text) or (address, 0)
            literal = address_text(first) if face is Face.EXTERNAL else None

            def end(certainty: Certainty) -> FlowEnd:
                return self.end(
                    instance,
                    nic,
                    face,
                    address,
                    literal=literal,
                    is_pod=is_pod,
                    certainty=certainty,
                )

            earlier = unknown_end(address_text(address), is_ipv6=address[0] == 6)
            if face is Face.INTERNAL:
                return _since(earlier, end(Certainty.HELD), instance.created)
            reserved = self._reserved.get(first)
            if reserved is None:
                return _held_from(earlier, end, instance.created, instance.last_started)
            if reserved.created is None:
                return _since(earlier, end(Certainty.HELD), instance.created)
            # In use before it was reserved: an ephemeral address that was promoted, it seems.
            return _held_from(earlier, end, instance.created, reserved.created)

        network = nic.network if face is Face.INTERNAL else None
        return Claim(range=text, network=network, holders=holders)


def pod_ranges(nic: NetworkInterface) -> tuple[str, ...]:
    """Return the ranges of an interface beside its own addresses: a GKE node's pods have them."""
    ipv6 = nic.internal_ipv6
    if not ipv6:
        return nic.alias_ranges
    return (*nic.alias_ranges, f"{ipv6.partition('/')[0]}/{_INTERNAL_IPV6_PREFIX}")


def is_gke_node(instance: Instance) -> bool:
    """Return whether a machine is a node of a GKE cluster: its alias ranges are pods."""
    return instance.name.startswith("gke-") or any(
        key.startswith("goog-gke-") for key, _ in instance.labels
    )


def _subnetworks(instance: Instance, nic: NetworkInterface | None) -> tuple[SelfLink, ...]:
    if nic is None and len(instance.interfaces) == 1:
        nic = instance.interfaces[0]
    return (nic.subnetwork,) if nic is not None and nic.subnetwork else ()


def _since(earlier: FlowEnd, end: FlowEnd, since: datetime | None) -> Tenures:
    if since is None:
        return (Tenure(end=end),)
    return (Tenure(end=earlier), Tenure(end=end, since=since))


def _held_from(
    earlier: FlowEnd,
    end: Callable[[Certainty], FlowEnd],
    created: datetime | None,
    since: datetime | None,
) -> Tenures:
    """Return an external address's holders: sure since a time, unknown before the creation.

    An ephemeral address is held since the last start, a static one since its reservation.
    """
    if since is None:
        return _since(earlier, end(Certainty.ASSUMED), created)
    held = Tenure(end=end(Certainty.HELD), since=since)
    if created is None:
        return (Tenure(end=end(Certainty.ASSUMED)), held)
    if since <= created:
        return (Tenure(end=earlier), Tenure(end=end(Certainty.HELD), since=created))
    assumed = Tenure(end=end(Certainty.ASSUMED), since=created)
    return (Tenure(end=earlier), assumed, held)
