"""A project after changes: its facts, and beside them what is no longer as they say.

Only what a change touches is held apart, so that one change costs its neighbours and not the
project. Changes go back in the reverse order in which they were made.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.near import NearShares
from netplan_planner.ledger.tiers import next_tier
from netplan_planner.machines.groups import ReplicaSets, replica_sets

Pair = tuple[int, int]
"""Two owners by index, the smaller first."""
NEW_ADDRESS = "(new)"
"""Stands for the external address that a machine gets."""
NetworkPair = frozenset[model.SelfLink]
"""Two networks, in no order."""
GatewayKey = tuple[model.SelfLink, str]
"""Router and name of a Cloud NAT gateway."""


def key_of(nat: model.NatGateway) -> GatewayKey:
    """Return what tells a gateway from all others."""
    return nat.router, nat.name


class Undo(NamedTuple):
    """How one change goes back."""

    held: tuple[tuple[dict[Any, Any], Any, Any], ...]
    """Tables with a key and what stood there; None: nothing did."""


class State:
    """Machines, addresses and gateways after the changes made so far."""

    def __init__(self, facts: model.Facts) -> None:
        self.facts = facts
        self.machines: dict[model.SelfLink, model.Instance] = {}
        """Those that are no longer as they were read, by their own self link."""
        self.internal: dict[Pair, bool] = {}
        """Pairs that use internal addresses since."""
        self.gone: dict[GatewayKey, bool] = {}
        self.released: dict[model.SelfLink, bool] = {}
        """Reserved addresses that are released."""
        self.tiers: dict[tuple[str, str], str] = {}
        """The network tier that machines were given since, by project and region."""
        self.peered: dict[NetworkPair, bool] = {}
        """Networks that are peered since, so that machines reach internal addresses."""
        self.near: dict[model.SelfLink, bool] = {}
        """Services that prefer near endpoints since."""
        self.shares = NearShares(facts)
        self._apart: dict[tuple[model.SelfLink, model.SelfLink], NetworkPair | None] = {}
        self.moved_users: dict[model.SelfLink, None] = {}
        """Machines that changed since the users of gateways were last counted."""
        self.touched: dict[int | Pair, None] = {}
        """Owners and pairs that changed since somebody last looked; he clears it."""
        self.owners: dict[model.SelfLink, int] = {
            owner.link: index
            for index, owner in enumerate(facts.traffic.owners if facts.traffic else ())
            if owner.link is not None
        }

    @cached_property
    def copies(self) -> ReplicaSets:
        """Which machines stand apart on purpose."""
        return replica_sets(self.facts)

    def machine(self, link: model.SelfLink) -> model.Instance | None:
        """Return a machine as it is now, by the self link that it was read with."""
        return self.machines.get(link) or self.facts.inventory.instance_by_link.get(link)

    def changed(self, owner: int) -> model.Instance | None:
        """Return the machine of an owner if it is no longer as it was read."""
        if not self.machines:
            return None
        assert self.facts.traffic is not None
        link = self.facts.traffic.owners[owner].link
        return self.machines.get(link) if link is not None else None

    def zone(self, owner: int) -> model.Zone | None:
        """Return where an owner stands."""
        assert self.facts.traffic is not None
        machine = self.changed(owner)
        return machine.zone if machine is not None else self.facts.traffic.owners[owner].zone

    def is_rerouted(self, edge: model.Edge) -> bool:
        """Return whether an end of an edge stands elsewhere or has other addresses, or its way."""
        if (min(edge.src, edge.dst), max(edge.src, edge.dst)) in self.internal:
            return True
        was_by_link = self.facts.inventory.instance_by_link
        for owner in (edge.src, edge.dst):
            now = self.changed(owner)
            was = was_by_link[now.ref.self_link] if now is not None else None
            if now is not None and was is not None and not _is_where(now, was):
                return True
        return self.kept_bytes(edge) > 0

    def place(self, link: model.SelfLink) -> tuple[str, tuple[str | None, ...]] | None:
        """Return where a changed machine stands and its external addresses; None: as it was."""
        now = self.machines.get(link)
        if now is None:
            return None
        return now.zone, tuple(nic.external_ipv4 for nic in now.interfaces)

    def pair(self, one: model.SelfLink, other: model.SelfLink | None) -> Pair | None:
        """Return the pair of two machines that were seen to talk."""
        ends = sorted(self.owners[link] for link in (one, other) if link in self.owners)
        return (ends[0], ends[1]) if len(ends) == 2 else None

    def apart(self, one: model.SelfLink, other: model.SelfLink) -> NetworkPair | None:
        """Return the networks that have to be peered before two machines reach each other."""
        key = one, other
        if key not in self._apart:
            machines = self.facts.inventory.instance_by_link
            src, dst = machines.get(one), machines.get(other)
            nets = {link for m in (src, dst) if m is not None and (link := m.primary_network)}
            is_apart = (
                src is not None
                and dst is not None
                and len(nets) > 1
                and self.facts.inventory.reachable_interface(src, dst) is None
            )
            self._apart[key] = frozenset(nets) if is_apart else None
        return self._apart[key]

    def peers(self, network: model.SelfLink) -> Iterator[model.SelfLink]:
        """Yield the networks that one is peered with now."""
        yield from self.facts.inventory.peers_of(network)
        for pair in self.peered:
            if network in pair:
                yield from pair - {network}

    def gateways(self, link: model.SelfLink) -> dict[GatewayKey, model.NatGateway]:
        """Return the Cloud NAT gateways by which a machine reaches the internet now."""
        now, was = self.machine(link), self.facts.inventory.instance_by_link.get(link)
        if now is None or was is None:
            return {}
        found = (self._gateway(now, was, nic) for nic in now.interfaces)
        return {key_of(nat): nat for nat in found if nat is not None}

    def _gateway(
        self, now: model.Instance, was: model.Instance, nic: model.NetworkInterface
    ) -> model.NatGateway | None:
        if now.region == was.region:
            nat = self.facts.inventory.nat_of(now, nic)
            return None if nat is None or key_of(nat) in self.gone else nat
        return None if nic.may_be_external else self.gateway_there(nic.network, now.region)

    def gateway_there(self, network: model.SelfLink, region: str) -> model.NatGateway | None:
        """Return a gateway that serves a network in a region, whatever subnetwork it lists."""
        return next(
            (
                nat
                for router in self.facts.inventory.routers
                for nat in router.nats
                if not nat.is_private
                and (nat.network, nat.region) == (network, region)
                and key_of(nat) not in self.gone
            ),
            None,
        )

    def freed(self, link: model.SelfLink) -> Iterator[model.SelfLink]:
        """Yield the reserved addresses that a machine had and has no longer: they are paid on."""
        was, now = self.facts.inventory.instance_by_link.get(link), self.machines.get(link)
        if was is None or now is None:
            return
        kept = {nic.external_ipv4 for nic in now.interfaces}
        for nic in was.interfaces:
            if nic.external_ipv4 is None or nic.external_ipv4 in kept:
                continue
            reserved = self.facts.inventory.address_by_ip.get(nic.external_ipv4)
            if reserved is not None and reserved.ref.self_link not in self.released:
                yield reserved.ref.self_link

    def apply(self, change: model.Change) -> Undo:
        """Make a change; what it does not touch stays as it is."""
        undo: list[tuple[dict[Any, Any], Any, Any]] = []
        if change.is_of_internal_pair:
            self._use_internal(undo, change)
        if change.kind is model.ChangeKind.NEAR_ENDPOINTS:
            self._set(undo, self.near, change.target, True)
            self._touch_service(change.target)
        elif change.kind is model.ChangeKind.DELETE_GATEWAY:
            self._set(undo, self.gone, (change.target, change.to or ""), True)
        elif (
            change.kind is model.ChangeKind.RELEASE_ADDRESS and self.machine(change.target) is None
        ):
            for target in change.targets:
                self._set(undo, self.released, target, True)
        elif change.kind in _AFTER or change.kind is model.ChangeKind.EXTERNAL_ADDRESS:
            self._change_machines(undo, change)
        return Undo(tuple(undo))

    def _use_internal(self, undo: list[Any], change: model.Change) -> None:
        for target in change.targets:
            pair = self.pair(target, change.destination)
            if pair is not None:
                self._set(undo, self.internal, pair, True)
                self.touched[pair] = None
            nets = self.apart(target, change.destination or model.SelfLink(""))
            if nets is not None and nets not in self.peered:
                self._set(undo, self.peered, nets, True)

    def _change_machines(self, undo: list[Any], change: model.Change) -> None:
        if change.kind is model.ChangeKind.RELEASE_ADDRESS and change.destination is not None:
            self._set(undo, self.released, change.destination, True)
        for target in change.targets:
            machine = self.machine(target)
            if machine is None:
                continue
            if change.kind is model.ChangeKind.NETWORK_TIER:
                self._set(undo, self.tiers, (machine.project, machine.region), change.to)
            if change.kind is model.ChangeKind.EXTERNAL_ADDRESS:
                now = self._with_address(machine)
            else:
                now = _AFTER[change.kind](machine, change)
            self._set(undo, self.machines, target, now)
            self._touch(target)

    def next_tier(self, machine: model.Instance) -> str:
        """Return the network tier of the external address that a machine gets now."""
        return next_tier(self.facts, machine, self.tiers.get((machine.project, machine.region)))

    def _with_address(self, machine: model.Instance) -> model.Instance:
        """Return a machine with an address of its own where it used Cloud NAT, else on the first.

        One that has an address on every interface stays as it is.
        """
        tier = self.next_tier(machine)
        nat_of = self.facts.inventory.nat_of
        free = [nic for nic in machine.interfaces if not nic.may_be_external]
        chosen = next((nic for nic in free if nat_of(machine, nic) is not None), None)
        chosen = chosen or next(iter(free), None)
        return _nics(
            machine,
            (
                replace(nic, external_ipv4=NEW_ADDRESS, network_tier=tier) if nic is chosen else nic
                for nic in machine.interfaces
            ),
        )

    def go_back(self, undo: Undo) -> None:
        """Take back the change that was made last."""
        for table, key, was in reversed(undo.held):
            if was is None:
                table.pop(key, None)
            else:
                table[key] = was
            if table is self.machines:
                self._touch(key)
            elif table is self.internal:
                self.touched[key] = None
            elif table is self.near:
                self._touch_service(key)

    @staticmethod
    def _set(undo: list[Any], table: dict[Any, Any], key: object, value: object) -> None:
        undo.append((table, key, table.get(key)))
        table[key] = value

    def kept_bytes(self, edge: model.Edge) -> int:
        """Return what of an edge stays inside a zone, as Services prefer near endpoints now."""
        if not self.near:
            return 0
        crossings = self.shares.by_edge.get(id(edge), ())
        kept = sum(
            one.byte_count
            for one in crossings
            if one.service in self.near and self.zone(one.client) in self._ready_zones(one.service)
        )
        return min(kept, edge.wire_bytes)

    def _ready_zones(self, service: model.SelfLink) -> set[model.Zone | None]:
        """Return the zones in which a Service has endpoints now."""
        return {
            machine.zone if link is not None and (machine := self.machine(link)) else zone
            for link, zone in self.shares.ends.get(service, ())
        }

    def _touch_service(self, service: model.SelfLink) -> None:
        for one in self.shares.by_service.get(service, ()):
            src, dst = one.edge.src, one.edge.dst
            self.touched[min(src, dst), max(src, dst)] = None

    def _touch(self, link: model.SelfLink) -> None:
        self.moved_users[link] = None
        owner = self.owners.get(link)
        if owner is not None:
            self.touched[owner] = None


def _is_where(now: model.Instance, was: model.Instance) -> bool:
    return (now.zone, now.interfaces) == (was.zone, was.interfaces)


def _moved(machine: model.Instance, change: model.Change) -> model.Instance:
    """Return a machine in another zone; its addresses stay in their region."""
    moved = replace(machine, zone=model.Zone(change.to or machine.zone))
    if moved.region == machine.region:
        return moved
    return _nics(
        moved,
        (
            replace(nic, external_ipv4=NEW_ADDRESS) if nic.external_ipv4 is not None else nic
            for nic in machine.interfaces
        ),
    )


def _retyped(machine: model.Instance, change: model.Change) -> model.Instance:
    return replace(
        machine,
        machine_type=change.to or machine.machine_type,
        bandwidth_tier=model.BandwidthTier.DEFAULT,
    )


def _with_tier1(machine: model.Instance, change: model.Change) -> model.Instance:
    return replace(_retyped(machine, change), bandwidth_tier=model.BandwidthTier.TIER_1)


def _without_address(machine: model.Instance, change: model.Change) -> model.Instance:
    return _nics(
        machine,
        (
            replace(nic, external_ipv4=None, access_config_name=None)
            # After a move, or a change of tier, it has another one in its place.
            if (nic.external_ipv4 is not None and nic.external_ipv4 in {change.to, NEW_ADDRESS})
            or change.to is None
            else nic
            for nic in machine.interfaces
        ),
    )


def _of_tier(machine: model.Instance, change: model.Change) -> model.Instance:
    return _nics(
        machine,
        (
            replace(
                nic,
                network_tier=change.to,
                external_ipv4=nic.external_ipv4 if nic.network_tier == change.to else NEW_ADDRESS,
            )
            if nic.may_be_external
            else nic
            for nic in machine.interfaces
        ),
    )


def _nics(machine: model.Instance, nics: Iterable[model.NetworkInterface]) -> model.Instance:
    return replace(machine, interfaces=tuple(nics))


_AFTER: dict[model.ChangeKind, Callable[[model.Instance, model.Change], model.Instance]] = {
    model.ChangeKind.ZONE: _moved,
    model.ChangeKind.MACHINE_TYPE: _retyped,
    model.ChangeKind.TIER_1: _with_tier1,
    model.ChangeKind.NO_TIER_1: lambda machine, _: replace(
        machine, bandwidth_tier=model.BandwidthTier.DEFAULT
    ),
    model.ChangeKind.SPOT: lambda machine, _: replace(machine, is_spot=True),
    model.ChangeKind.NETWORK_TIER: _of_tier,
    model.ChangeKind.RELEASE_ADDRESS: _without_address,
}
"""What becomes of a machine."""


def is_elsewhere(now: model.Instance, was: model.Instance) -> bool:
    """Return whether a machine stands in another region than before."""
    return model.region_of(now.zone) != was.region
