"""What ties a machine to its zone, and what refers to it there and has to follow."""

from collections import defaultdict
from collections.abc import Iterator

from netplan_planner.model import PIN_LABEL, ROLE_LABEL, Address, Disk, Facts, Instance, SelfLink
from netplan_pricing import SnapshotPriceBook
from netplan_rules.managed import is_managed
from netplan_rules.placement._replicas import HA_ROLES


def offered_in(facts: Facts, machine_type: str, today: str) -> frozenset[str] | None:
    """Return the zones with a machine type, today's among them; None where nothing says."""
    book = facts.prices
    zones = book.zones(machine_type) if isinstance(book, SnapshotPriceBook) else None
    return None if zones is None else frozenset((*zones, today))


class Ties:
    """What an inventory says of all its machines."""

    def __init__(self, facts: Facts) -> None:
        """Index what refers to machines."""
        self._facts = facts
        self._disks: dict[SelfLink, list[Disk]] = defaultdict(list)
        for disk in facts.inventory.disks:
            for user in disk.users:
                self._disks[user].append(disk)
        self._inside: dict[tuple[str | None, str | None], Address] = {
            (one.region, one.address): one
            for one in facts.inventory.addresses
            if not one.is_external
        }
        self._next_hops = {route.next_hop_target for route in facts.inventory.routes}

    def why_pinned(self, one: Instance) -> str:
        """Return why a machine stays in its zone; empty: it may move."""
        facts, link = self._facts, one.ref.self_link
        policies = (facts.inventory.policy_by_link.get(link) for link in one.resource_policies)
        disks = self._disks.get(link, [])
        own = {link, *(nic.internal_ipv4 for nic in one.interfaces if nic.internal_ipv4)}
        reasons = {
            "members of managed groups, which place them": is_managed(facts, one),
            f"label {PIN_LABEL}": one.label(PIN_LABEL) is not None,
            f"label {ROLE_LABEL}": one.label(ROLE_LABEL) in HA_ROLES,
            "a specific reservation": one.reservation is not None,
            "sole-tenant nodes": one.is_sole_tenant,
            "a compact placement policy, or one that was not read": any(
                policy is None or policy.is_compact for policy in policies
            ),
            "Local SSDs, whose data a move loses": bool(one.local_ssd_count),
            "attached GPUs, whose zones are not known here": bool(one.gpu_count),
            "parts that are known after apply": bool(one.unknown_parts),
            "regional disks, whose zones are not known here": any(
                "/regions/" in disk.ref.self_link for disk in disks
            ),
            "disks that other machines use too": any(len(disk.users) > 1 for disk in disks),
            "the next hop of a route": not own.isdisjoint(self._next_hops),
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    def what_breaks(self, one: Instance) -> tuple[str, ...]:
        """Return what refers to a machine and has to follow it to another zone."""
        return tuple(self._refers(one))

    def _refers(self, one: Instance) -> Iterator[str]:
        inventory = self._facts.inventory
        group = inventory.group_by_member.get(one.ref.self_link)
        if group is not None and not group.is_managed:
            yield (
                f"The instance group {group.name} is of {group.location}: put the new machine into"
                " one of its own zone, and that behind the load balancers of the old one."
            )
        for nic in one.interfaces:
            inside = self._inside.get((one.region, nic.internal_ipv4))
            if inside is not None:
                yield (
                    f"{nic.internal_ipv4} is reserved ({inside.name}): the new machine can only"
                    " have it once the old one is deleted."
                )
            if nic.external_ipv4 is None:
                continue
            if inventory.is_static(nic.external_ipv4):
                yield (
                    f"{nic.external_ipv4} is reserved: take it off the old machine for the new one."
                )
            else:
                yield (
                    f"{nic.external_ipv4} is ephemeral and goes: clients outside need the new one."
                )
