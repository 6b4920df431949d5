"""Who is to call whom by another kind of address: the steps of a change of addresses."""

from collections.abc import Collection, Iterator

from netplan_planner.engine.plan_changes import by_hand
from netplan_planner.model import Facts, Instance, Instruction, SelfLink
from netplan_planner.model.changes import PlanChange
from netplan_rules.removal import clean_up


def called_otherwise(
    before: Facts, after: Facts, made_again: Collection[SelfLink]
) -> Iterator[PlanChange]:
    """Yield a step a machine and address that others call otherwise than today.

    Args:
        before: Facts whose edges stand in the order of those of `after`, as `Scenario` has them.
        after: The facts after the changes.
        made_again: Machines that other steps make again, with other addresses.
    """
    if before.traffic is None or after.traffic is None or before.traffic is after.traffic:
        return
    found: dict[tuple[int, bool, str], list[int]] = {}
    for old, new in zip(before.traffic.edges, after.traffic.edges, strict=True):
        was, is_now = old.path_class.is_external_address, new.path_class.is_external_address
        if was is not is_now:
            address = (old if was else new).dst_address or ""
            found.setdefault((old.dst, is_now, address), []).append(old.src)
    for (receiver, is_outside, address), senders in found.items():
        machine = _instance(after, receiver)
        peers = [one for owner in dict.fromkeys(senders) if (one := _instance(after, owner))]
        if machine is None or not peers:
            continue
        is_made_again = machine.ref.self_link in made_again
        if is_outside:
            yield by_hand.call_outside(machine, peers, address, is_made_again=is_made_again)
            continue
        nic = after.inventory.reachable_interface(peers[0], machine)
        if nic is not None:
            then = _clean_up(after, machine, peers[0], address)
            yield by_hand.call_inside(
                machine, nic, peers, address or None, then, is_made_again=is_made_again
            )


def _clean_up(after: Facts, machine: Instance, peer: Instance, address: str) -> Instruction | None:
    holder = next((one for one in machine.interfaces if one.external_ipv4 == address), None)
    return clean_up(after, machine, holder, peer) if holder is not None and address else None


def _instance(facts: Facts, owner: int) -> Instance | None:
    assert facts.traffic is not None
    link = facts.traffic.owners[owner].link
    return facts.inventory.instance_by_link.get(link) if link is not None else None
