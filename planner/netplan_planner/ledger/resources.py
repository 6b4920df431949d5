"""What machines, external addresses and Cloud NAT gateways cost a month, as they stand."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger.state import GatewayKey, State, key_of
from netplan_planner.paths.gateways import nat_hour_lines
from netplan_planner.throughput import deciding_platform
from netplan_planner.units import HOURS_PER_MONTH

Lines = tuple[model.LineItem, ...]
_MONTH_H = Decimal(HOURS_PER_MONTH)
_NAMES = {
    model.AddressUse.STANDARD_VM: "external IPv4 address in use",
    model.AddressUse.SPOT_VM: "external IPv4 address of a Spot VM",
    model.AddressUse.UNUSED_STATIC: "unused static address",
}


class MachineCosts:
    """What machines cost; those that are alike are asked for once."""

    def __init__(self, facts: model.Facts) -> None:
        self._facts = facts
        self._known: dict[tuple[object, ...], Lines | str] = {}

    def lines(self, instance: model.Instance) -> Lines:
        """Return what a machine costs: its Tier_1 fee and GPUs included.

        Raises:
            MissingDatum: If it has no price, or a part of it is not known.
        """
        kind = self.kind(instance)
        found = self._known.get(kind)
        if found is None:
            try:
                found = self._facts.machines.cost_today(instance, model.usage_of(instance))
            except MissingDatum as missing:
                found = str(missing)
            self._known[kind] = found
        if isinstance(found, str):
            raise MissingDatum(found)
        return found

    @staticmethod
    def kind(instance: model.Instance) -> tuple[object, ...]:
        """Return all that the price of a machine depends on."""
        return (
            instance.machine_type,
            instance.region,
            instance.is_spot,
            instance.bandwidth_tier,
            deciding_platform(instance),
            instance.gpu_type,
            instance.gpu_count,
            instance.local_ssd_count,
            instance.has_preserved_ssd,
            instance.is_sole_tenant,
            instance.has_known_nodes,
            instance.status,
            instance.unknown_parts,
        )


def address_lines(facts: model.Facts, instance: model.Instance) -> Lines:
    """Return what a machine's external IPv4 addresses cost.

    Raises:
        MissingDatum: If the price is not known, or whether it has some.
    """
    if instance.has_unknown_access:
        raise MissingDatum("its external addresses are unknown until apply")
    count = sum(nic.external_ipv4 is not None for nic in instance.interfaces)
    count += instance.awaited_address_count
    if not count:
        return ()
    use = model.AddressUse.SPOT_VM if instance.is_spot else model.AddressUse.STANDARD_VM
    if instance.is_off:
        # What a stopped or suspended machine still holds is reserved, and in use by nothing that
        # runs: it stays charged (Compute API, `instances.suspend`, read 2026-11-27).
        use = model.AddressUse.UNUSED_STATIC
    price = facts.prices.external_address(use, instance.region)
    return (model.line_item(_NAMES[use], _MONTH_H * count, price),)


def unused_address_lines(facts: model.Facts, link: model.SelfLink) -> Lines:
    """Return what a reserved address costs that nothing has.

    Raises:
        MissingDatum: If it has no price.
    """
    found = next((one for one in facts.inventory.addresses if one.ref.self_link == link), None)
    if found is None:
        return ()
    if found.region is None:
        raise MissingDatum("the price table has no row for global addresses")
    if ":" in found.address:
        raise MissingDatum("the price is for IPv4 addresses; no source states a price for IPv6")
    use = model.AddressUse.UNUSED_STATIC
    price = facts.prices.external_address(use, found.region)
    return (model.line_item(_NAMES[use], _MONTH_H, price),)


def idle_addresses(facts: model.Facts) -> Iterator[model.Address]:
    """Yield the reserved external addresses that nothing has and no packet went to.

    Whatever their own entry says: the rest of the inventory and the traffic may be newer.
    """
    inventory = facts.inventory
    held = {
        one
        for machine in inventory.instances
        for nic in machine.interfaces
        for one in (nic.external_ipv4, nic.external_ipv6)
    }
    held.update(rule.ip_address for rule in inventory.forwarding_rules)
    held.update(one for router in inventory.routers for nat in router.nats for one in nat.addresses)
    seen = facts.traffic.edges_by_address if facts.traffic is not None else {}
    for address in inventory.addresses:
        is_held = not held.isdisjoint({address.address, address.ref.self_link})
        is_idle = address.is_external and address.status == "RESERVED" and not address.users
        if is_idle and not is_held and address.address not in seen:
            yield address


class Gateways:
    """What Cloud NAT gateways cost beside their data, by the machines that use them now."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._users: Counter[GatewayKey] | None = None
        """Of the machines as they are now."""
        self._counted: dict[model.SelfLink, set[GatewayKey]] = {}
        """What changed machines use, as they were last counted."""
        self._gone: dict[GatewayKey, bool] = {}

    def lines(self, nat: model.NatGateway) -> Lines:
        """Return the hours of a gateway and of its reserved addresses; none once it is gone.

        Raises:
            MissingDatum: If a price is not known.
        """
        if key_of(nat) in self._state.gone:
            return ()
        prices = self._state.facts.prices
        users, count = self.user_count(nat), len(nat.addresses)
        hours = nat_hour_lines(prices, nat.region, users, _MONTH_H) if users else ()
        if not count:
            return hours
        tiers = prices.service_price("cloud_nat_ip", nat.region)
        return (*hours, *model.bill("Cloud NAT addresses", _MONTH_H * count, tiers))

    def user_count(self, nat: model.NatGateway) -> int:
        """Return how many machines that run reach the internet through a gateway now."""
        if self._users is None:
            self._users = Counter(
                key
                for instance in self._state.facts.inventory.instances
                for key in self._of(instance)
            )
        if self._gone != self._state.gone:
            # What a machine uses depends on what is gone.
            self._state.moved_users.update(dict.fromkeys(self._state.machines))
            self._gone = dict(self._state.gone)
        for link in self._state.moved_users:
            now = self._state.machine(link)
            keys = set(self._state.gateways(link)) if now is not None and now.is_to_run else set()
            before = self._counted.get(link)
            if before is None:
                before = set(self._of(self._state.facts.inventory.instance_by_link[link]))
            self._users.subtract(before)
            self._users.update(keys)
            self._counted[link] = keys
        self._state.moved_users.clear()
        return self._users[key_of(nat)]

    def _of(self, instance: model.Instance) -> Iterator[GatewayKey] | set[GatewayKey]:
        if not instance.is_to_run:
            return set()
        inventory = self._state.facts.inventory
        found = (inventory.nat_of(instance, nic) for nic in instance.interfaces)
        return {key_of(nat) for nat in found if nat is not None}
