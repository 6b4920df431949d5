"""Advice that was carried out: findings that left, and whether their fixes are seen."""

from collections.abc import Iterator, Sequence

from netplan_planner.model import PathClass, SelfLink, instance_link, last_part
from netplan_planner.model.finding import ChangeKind
from netplan_planner.planning.run_record import RunChange, RunFinding, RunMachine, RunRecord
from netplan_planner.verbs.history.answer import CarriedOut

_GONE_RUNS = 2
"""Runs without a finding until it has left: one that comes and goes with traffic has not."""


def carried_out(runs: Sequence[RunRecord]) -> Iterator[CarriedOut]:
    """Yield findings that left, the newest first; one that came back has not left."""
    last_seen: dict[str, tuple[int, RunFinding]] = {}
    for at, run in enumerate(runs):
        for finding in run.findings:
            last_seen[finding.fingerprint] = at, finding
    left = [(at, one) for at, one in last_seen.values() if at < len(runs) - 1]
    for at, one in sorted(left, key=lambda pair: (-pair[0], pair[1].rule, pair[1].subject)):
        after = runs[at + 1]
        is_seen = bool(one.changes) and all(_is_made(change, after) for change in one.changes)
        if is_seen or at + _GONE_RUNS < len(runs):
            yield CarriedOut(
                day=after.day,
                rule=one.rule,
                title=one.title,
                subject=one.subject,
                saving_usd_per_month=one.saving_usd_per_month,
                is_seen=is_seen,
            )


def _is_made(change: RunChange, run: RunRecord) -> bool:
    """Return whether a run shows a change at all its places; a VM that is gone shows none."""
    links = change.members or (change.target,)
    by_link = {instance_link(one.project, one.zone, one.name): one for one in run.machines}
    if change.kind is ChangeKind.ZONE:
        # In its new zone it has another link.
        moved = {(one.name, one.zone) for one in run.machines}
        return all((last_part(link), change.to) in moved for link in links)
    if change.kind is ChangeKind.INTERNAL_ADDRESS:
        names = {last_part(link) for link in links}
        return names <= {one.name for one in run.machines} and not any(
            one.src in names and one.path_class in _OVER_EXTERNAL for one in run.dear_pairs
        )
    machines = [by_link.get(SelfLink(link)) for link in links]
    return all(one is not None and _shows(change, one) for one in machines)


_OVER_EXTERNAL = frozenset(one for one in PathClass if one.is_external_address)
"""Between own VMs, over external addresses."""


def _shows(change: RunChange, machine: RunMachine) -> bool:
    match change.kind:
        case ChangeKind.MACHINE_TYPE:
            return machine.machine_type == change.to
        case ChangeKind.TIER_1:
            return machine.is_tier1 and change.to in (None, machine.machine_type)
        case ChangeKind.NO_TIER_1:
            return not machine.is_tier1
        case ChangeKind.SPOT:
            return machine.is_spot
        case ChangeKind.EXTERNAL_ADDRESS:
            return bool(machine.external_addresses)
        case ChangeKind.RELEASE_ADDRESS:
            return change.to not in machine.external_addresses
        case _:
            # Nothing that is kept of a run shows other changes.
            return False
