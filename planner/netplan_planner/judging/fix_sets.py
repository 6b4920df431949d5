"""Fixes that depend on each other, solved together: what each alone brings, and what all do.

A path is bound by the least of its limits, so lifting one limit may bring nothing until another
is lifted too. For each pair of machines that several fixes touch, every subset of the fixes is
applied to the path; the best set is the smallest that reaches the greatest throughput.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import combinations

from netplan_planner import model
from netplan_planner.throughput import apply_change, apply_to_receiver, edge_query, predict

MAX_CHANGES = 6
"""Changes per path that are combined: 64 subsets; more than this do not occur by construction."""

_SAME_GBPS = 1e-9
_OF_A_PAIR = frozenset({model.ChangeKind.INTERNAL_ADDRESS, model.ChangeKind.MORE_FLOWS})
_OF_TYPE = frozenset({model.ChangeKind.MACHINE_TYPE, model.ChangeKind.TIER_1})
"""Of a machine, and with it of the group that it is a member of."""
_STEPS = {
    model.ChangeKind.INTERNAL_ADDRESS: "internal address",
    model.ChangeKind.TIER_1: "Tier_1",
    model.ChangeKind.MORE_FLOWS: "several connections",
}
_LIFTING = frozenset({*_STEPS, model.ChangeKind.MACHINE_TYPE, model.ChangeKind.ZONE})
"""What may let a path carry more; the others are about money."""


class Option(model.Value, frozen=True, kw_only=True):
    """A change that some finding proposes, with its money and that finding's fingerprint."""

    change: model.Change
    saving_usd_per_month: Decimal | None
    finding: str


class Solution(model.Value, frozen=True, kw_only=True):
    """The fixes of one path: alone, and the best set."""

    edge: model.Edge
    now: model.Estimate
    singles: tuple[tuple[Option, model.Estimate], ...]
    best: tuple[Option, ...]
    reached: model.Estimate
    used_ratio: float


def options_of(hits: Iterable[tuple[str, model.Hit]]) -> tuple[Option, ...]:
    """Return the changes that hits propose; `hits` are (fingerprint of the finding, hit)."""
    return tuple(
        Option(
            change=hit.change,
            saving_usd_per_month=_bill(hit),
            finding=key,
        )
        for key, hit in hits
        if hit.change is not None
        and hit.change.kind in _LIFTING
        and (not hit.change.members or hit.change.kind in _OF_TYPE)
    )


def _bill(hit: model.Hit) -> Decimal | None:
    """Return what a hit's fix saves; 0 where it is not about money, None where it is not known."""
    is_known = not hit.saving.unknown and hit.saving.basis is model.SavingBasis.BILL
    return (hit.saving_usd_per_month or Decimal(0)) if is_known else None


def find_fix_sets(
    facts: model.Facts, options: Sequence[Option], held_back_ratio: float
) -> tuple[model.FixSet, ...]:
    """Return the fixes that only help together, by gain in Gbit/s times pairs, then money.

    Only paths whose traffic is held back count: where nobody waits, more throughput is worth
    nothing. A set that lifts no more than one of its fixes alone is none.

    Args:
        facts: The facts as they are.
        options: The changes that findings propose.
        held_back_ratio: Share of what a path carries from which its traffic is held back.
    """
    if facts.traffic is None:
        return ()
    by_sender: dict[model.SelfLink, list[Option]] = defaultdict(list)
    for option in options:
        by_sender[option.change.target].append(option)
    groups: dict[tuple[object, ...], list[Solution]] = defaultdict(list)
    for edge in facts.traffic.edges:
        solution = _solve(facts, edge, by_sender, held_back_ratio)
        if solution is not None:
            groups[_likeness(facts, solution)].append(solution)
    sets = [_fix_set(facts, solutions) for solutions in groups.values()]
    return tuple(sorted(sets, key=_rank))


def _rank(fix_set: model.FixSet) -> tuple[float, Decimal, str]:
    gain = (fix_set.joint.estimate.gbps or 0.0) - (fix_set.now.gbps or 0.0)
    saving = fix_set.joint.saving_usd_per_month or Decimal(0)
    return -gain * fix_set.member_count, -saving, fix_set.subject


def _solve(
    facts: model.Facts,
    edge: model.Edge,
    by_sender: dict[model.SelfLink, list[Option]],
    held_back_ratio: float,
) -> Solution | None:
    """Return the best set of one path, or None when no fixes of it depend on each other.

    A path that only waits for a bigger machine needs no joint search: that finding stands alone.
    """
    if not edge.path_class.is_external_address:
        return None
    src, dst = facts.src(edge), facts.dst(edge)
    if src.link is None or dst.link is None:
        return None
    options = _applicable(dst.link, by_sender.get(src.link, []))
    if len(options) < 2 or not any(_is_address(o) for o in options):
        return None
    has_one_flow = any(o.change.kind is model.ChangeKind.MORE_FLOWS for o in options)
    query = edge_query(facts, edge, streams=1 if has_one_flow else None)
    now = predict(query, facts.caps)
    if now.gbps is None:
        return None
    others = by_sender.get(dst.link, [])
    best: tuple[Option, ...] = ()
    reached = now
    for size in range(1, len(options) + 1):
        for chosen in combinations(options, size):
            if _conflict(chosen):
                continue
            estimate = predict(_applied(query, chosen, others), facts.caps)
            if _is_better(estimate, chosen, reached, best):
                best, reached = chosen, estimate
    singles = tuple((o, predict(_applied(query, (o,), others), facts.caps)) for o in options)
    used_ratio = _wanted_gbps(facts, src.link, edge) / now.gbps if now.gbps > 0 else 0.0
    if used_ratio < held_back_ratio or not _is_joint(now, singles, best, reached):
        return None
    return Solution(
        edge=edge, now=now, singles=singles, best=best, reached=reached, used_ratio=used_ratio
    )


def _is_address(option: Option) -> bool:
    return option.change.kind is model.ChangeKind.INTERNAL_ADDRESS


def _is_joint(
    now: model.Estimate,
    singles: Sequence[tuple[Option, model.Estimate]],
    best: Sequence[Option],
    reached: model.Estimate,
) -> bool:
    """Return whether several fixes together carry clearly more than the best of them alone."""
    if len(best) < 2 or reached.gbps is None:
        return False
    alone = max((e.gbps for _, e in singles if e.gbps is not None), default=0.0)
    return reached.gbps >= model.LIFT_RATIO * max(alone, now.gbps or 0.0)


def _wanted_gbps(facts: model.Facts, sender: model.SelfLink, edge: model.Edge) -> float:
    """Return what the sender's 95th percentile or its declared target asks of the path.

    The limits of external paths hold for all flows of a machine together, so its sum counts.
    """
    traffic = facts.seen_traffic.vm_by_link.get(sender)
    instance = facts.instance(facts.src(edge))
    target = facts.target(instance) if instance is not None else None
    return max(
        edge.series.p95_gbps,
        traffic.egress_outside_vpc.p95_gbps if traffic is not None else 0.0,
        target.gbps if target is not None else 0.0,
    )


def _applicable(dst: model.SelfLink, options: Iterable[Option]) -> tuple[Option, ...]:
    fitting = [
        option
        for option in options
        if (option.change.kind not in _OF_A_PAIR or option.change.destination == dst)
    ]
    unique = {(o.change.kind, o.change.to, o.change.cpu_platform): o for o in reversed(fitting)}
    return tuple(unique[key] for key in sorted(unique, key=str))[:MAX_CHANGES]


def _conflict(chosen: Sequence[Option]) -> bool:
    """Return whether two of them set the same thing: a machine has one type."""
    is_type = model.ChangeKind.MACHINE_TYPE
    kinds = [
        is_type if o.change.to and o.change.kind in _OF_TYPE else o.change.kind for o in chosen
    ]
    return len(kinds) != len(set(kinds))


def _applied(
    query: model.PathQuery, chosen: Sequence[Option], others: Iterable[Option]
) -> model.PathQuery:
    """Return the path after fixes; the receiver gets what the same findings have for it."""
    for option in chosen:
        query = apply_change(query, option.change)
    findings = {option.finding for option in chosen}
    for other in others:
        if other.finding in findings:
            query = apply_to_receiver(query, other.change)
    return query


def _is_better(
    estimate: model.Estimate,
    chosen: Sequence[Option],
    reached: model.Estimate,
    best: Sequence[Option],
) -> bool:
    if estimate.gbps is None or reached.gbps is None:
        return False
    if estimate.gbps > reached.gbps + _SAME_GBPS:
        return True
    same = abs(estimate.gbps - reached.gbps) <= _SAME_GBPS
    return same and len(chosen) == len(best) and _money(chosen) > _money(best)


def _money(chosen: Iterable[Option]) -> Decimal:
    return sum((o.saving_usd_per_month or Decimal(0) for o in chosen), Decimal(0))


def _likeness(facts: model.Facts, solution: Solution) -> tuple[object, ...]:
    """Return what alike paths have in common: the ends' types, the path, the fixes, the figures."""
    src, dst = facts.instance(facts.src(solution.edge)), facts.instance(facts.dst(solution.edge))
    return (
        src.machine_type if src else None,
        src.zone if src else None,
        dst.zone if dst else None,
        solution.edge.path_class,
        solution.now.gbps,
        tuple((o.change.kind, step_name(o.change), e.gbps) for o, e in solution.singles),
        tuple((o.change.kind, step_name(o.change)) for o in solution.best),
        solution.reached.gbps,
    )


def _fix_set(facts: model.Facts, solutions: Sequence[Solution]) -> model.FixSet:
    solutions = sorted(solutions, key=lambda s: (-s.edge.wire_bytes, s.edge.src, s.edge.dst))
    first = solutions[0]
    src, dst = facts.src(first.edge), facts.dst(first.edge)
    members = [
        ref
        for s in solutions
        for owner in (facts.src(s.edge),)
        if (machine := facts.instance(owner)) is not None
        for ref in (machine.ref,)
    ]
    findings = {o.finding for s in solutions for o, _ in s.singles}
    return model.FixSet(
        subject=f"{src.name} → {dst.name}",
        member_count=len(solutions),
        resources=tuple(members),
        now=first.now,
        singles=tuple(
            model.FixStep(
                name=step_name(option.change),
                estimate=estimate,
                saving_usd_per_month=_total(s.singles[n][0] for s in solutions),
            )
            for n, (option, estimate) in enumerate(first.singles)
        ),
        joint=model.FixStep(
            name=" + ".join(step_name(o.change) for o in first.best),
            estimate=first.reached,
            saving_usd_per_month=_total(o for s in solutions for o in s.best),
        ),
        worth=_worth(first),
        findings=tuple(sorted(findings)),
        used_ratio=max(s.used_ratio for s in solutions),
    )


def _total(options: Iterable[Option]) -> Decimal | None:
    """Return the money of changes, each counted once; None when one is not known."""
    unique = {(o.change.target, o.change.destination, step_name(o.change)): o for o in options}
    if any(o.saving_usd_per_month is None for o in unique.values()):
        return None
    return _money(unique.values())


def step_name(change: model.Change) -> str:
    """Return how a change is called in a table of fixes."""
    if change.kind is model.ChangeKind.MACHINE_TYPE:
        platform = f", {change.cpu_platform} or later" if change.cpu_platform else ""
        return f"{change.to or 'other machine type'}{platform}"
    if change.kind is model.ChangeKind.TIER_1 and change.to:
        return f"{change.to} with Tier_1"
    return f"move to {change.to}" if change.kind is model.ChangeKind.ZONE else _STEPS[change.kind]


def _worth(solution: Solution) -> str:
    names = [step_name(o.change) for o in solution.best]
    useless = [
        step_name(option.change)
        for option, estimate in solution.singles
        if option in solution.best
        and estimate.gbps is not None
        and solution.now.gbps is not None
        and estimate.gbps <= solution.now.gbps + _SAME_GBPS
    ]
    verb = "brings" if len(useless) == 1 else "each bring"
    lone = f"; {_listed(useless)} alone {verb} nothing" if useless else ""
    return f"do {_listed(names)} together{lone}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
