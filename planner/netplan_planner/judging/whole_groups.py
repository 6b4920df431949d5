"""Changes of a type made whole: all machines of a managed group or node pool have one template."""

from collections.abc import Iterable

from msgspec.structs import replace

from netplan_planner.ledger import Ledger
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.model import ChangeKind, Facts, Hit, Instance, Saving, SavingBasis, SelfLink

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
    whole: dict[SelfLink, Hit] = {}
    ledger = Ledger(facts)
    for group in changed_together(facts, facts.inventory.instances):
        links = [one.ref.self_link for one in group]
        first = next((link for link in links if link in asked), None)
        rest = [one for one in group if one.ref.self_link not in asked and one.is_running]
        if first is not None and rest:
            whole[first] = _with(asked[first], rest, ledger)
    return tuple(_chosen(hits, whole))


def _chosen(hits: Iterable[Hit], whole: dict[SelfLink, Hit]) -> Iterable[Hit]:
    for hit in hits:
        link = hit.change.target if hit.change is not None else SelfLink("")
        yield whole[link] if link in whole and whole[link].subject == hit.subject else hit


def _with(hit: Hit, rest: list[Instance], ledger: Ledger) -> Hit:
    """Return a hit whose change is made to the rest of a group too."""
    assert hit.change is not None
    links = tuple(one.ref.self_link for one in rest)
    saving = ledger.value(replace(hit.change, target=links[0], members=links)).saving
    if not saving.unknown and saving.basis is SavingBasis.BILL:
        saving = replace(hit.saving, items=(*hit.saving.items, *saving.items))
    else:
        saving = Saving(unknown=saving.unknown or "what commitments cover of it is not known")
    told = f"All {len(rest) + 1} machines of its group change with it."
    fix = hit.fix and replace(hit.fix, caution=" ".join(filter(None, (hit.fix.caution, told))))
    change = replace(hit.change, members=(hit.change.target, *links))
    return replace(hit, change=change, saving=saving, fix=fix)
