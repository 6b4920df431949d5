"""Changes of a type made whole: all machines of a managed group or node pool have one template."""

from collections.abc import Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.judging.findings import BY_TEMPLATE
from netplan_planner.ledger import ledger_of
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.model import Facts, Hit, Instance, Saving
from netplan_planner.units import counted

_NONE = Decimal(0)


def with_whole_groups(facts: Facts, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return a rule's hits, of each group one that changes all of its machines.

    Its saving is of all that it changes: who gives one machine of a group a larger type pays for
    each of them. A type that saves is for a group only where each of its machines was judged so:
    another one may need what it has.
    """
    asked = {
        link: hit
        for hit in hits
        if hit.change is not None and hit.change.kind in BY_TEMPLATE
        for link in hit.change.targets
    }
    machines = facts.inventory.instance_by_link
    known = (machine for link in asked if (machine := machines.get(link)) is not None)
    if not any(is_managed(facts, machine) for machine in known):
        return hits
    whole: dict[int, Hit | None] = {}
    for group in changed_together(facts, facts.inventory.instances):
        running = [one for one in group if one.is_running or one.ref.self_link in asked]
        own = {id(hit): hit for one in running if (hit := asked.get(one.ref.self_link))}
        rest = [one for one in running if one.ref.self_link not in asked]
        if own and (rest or len(own) > 1):
            # The types that the others need are no larger than that of the one that saves least.
            chosen = min(own.values(), key=lambda hit: hit.saving_usd_per_month or _NONE)
            whole |= dict.fromkeys(own)
            whole[id(chosen)] = _of_group(facts, chosen, running, rest)
    found = (whole.get(id(hit), hit) for hit in hits)
    return tuple(hit for hit in found if hit is not None)


def _of_group(facts: Facts, hit: Hit, group: Sequence[Instance], rest: Sequence[Instance]) -> Hit:
    """Return a hit whose change is made to all machines of a group."""
    assert hit.change is not None
    if rest and (hit.saving_usd_per_month or hit.saving_before_commitments or _NONE) > 0:
        why = f"{counted(len(rest), 'other machine')} of its group may need the type of today"
        return replace(hit, change=None, saving=Saving(unknown=why))
    first = hit.change.target
    others = tuple(one.ref.self_link for one in group if one.ref.self_link != first)
    change = replace(hit.change, members=(first, *others))
    told = f"It is of a group whose machines change together: {counted(len(group), 'machine')}."
    fix = hit.fix and replace(hit.fix, caution=" ".join(filter(None, (hit.fix.caution, told))))
    return replace(hit, change=change, saving=ledger_of(facts).value(change).saving, fix=fix)
