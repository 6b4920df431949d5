"""Changes of a type made whole: all machines of a managed group or node pool have one template."""

from msgspec.structs import replace

from netplan_planner.ledger import ledger_of
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.model import ChangeKind, Facts, Hit, Instance, Saving, SavingBasis
from netplan_planner.units import counted

_BY_TEMPLATE = frozenset({ChangeKind.MACHINE_TYPE, ChangeKind.TIER_1})


def with_whole_groups(facts: Facts, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return a rule's hits, of which one in each group changes what no other hit of it does.

    Its saving is of all that it changes: who gives one machine of a group a larger type pays for
    each of them.
    """
    asked = {
        hit.change.target: hit
        for hit in hits
        if hit.change is not None and hit.change.kind in _BY_TEMPLATE
    }
    machines = facts.inventory.instance_by_link
    known = (machine for link in asked if (machine := machines.get(link)) is not None)
    if not any(is_managed(facts, machine) for machine in known):
        return hits
    whole: dict[int, Hit] = {}
    for group in changed_together(facts, facts.inventory.instances):
        first = next((one for one in group if one.ref.self_link in asked), None)
        rest = [one for one in group if one.ref.self_link not in asked and one.is_running]
        if first is not None and rest:
            hit = asked[first.ref.self_link]
            whole[id(hit)] = _with(facts, hit, rest)
    return tuple(whole.get(id(hit), hit) for hit in hits)


def _with(facts: Facts, hit: Hit, rest: list[Instance]) -> Hit:
    """Return a hit whose change is made to the rest of a group too."""
    assert hit.change is not None
    links = tuple(one.ref.self_link for one in rest)
    added = replace(hit.change, target=links[0], members=links)
    saving = ledger_of(facts).value(added).saving
    if not saving.unknown and saving.basis is SavingBasis.BILL:
        saving = replace(hit.saving, items=(*hit.saving.items, *saving.items))
    else:
        saving = Saving(unknown=saving.unknown or "what commitments cover of it is not known")
    told = f"With it changes the rest of its group: {counted(len(rest), 'machine')}."
    fix = hit.fix and replace(hit.fix, caution=" ".join(filter(None, (hit.fix.caution, told))))
    change = replace(hit.change, members=(hit.change.target, *links))
    return replace(hit, change=change, saving=saving, fix=fix)
