"""What the hits of all rules come to: findings by harm, the order of fixes, joint fixes.

Changes of a type made whole: all machines of a managed group or node pool have one template.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.findings import (
    by_cause,
    confidence_of,
    fingerprint,
    make_finding,
    ordered,
)
from netplan_planner.judging.fix_gain import Proposal, Standing, lifts
from netplan_planner.judging.fix_order import order_fixes
from netplan_planner.judging.fix_sets import find_fix_sets, options_of
from netplan_planner.judging.severity import base_severity, weighed
from netplan_planner.ledger import ledger_of
from netplan_planner.machines.groups import GKE_NODE_LABEL, changed_together, is_managed
from netplan_planner.planning.steps.machine_changes import Target, resize
from netplan_planner.throughput import predict, sending_query, type_end
from netplan_planner.units import counted
from netplan_rules.base import Rule, harm, held_back_ratio
from netplan_rules.work import MACHINE_TYPE, NEW_MACHINE

_NONE = Decimal(0)


def with_whole_groups(facts: model.Facts, hits: tuple[model.Hit, ...]) -> tuple[model.Hit, ...]:
    """Return a rule's hits, of each group one that changes all of its machines.

    Its saving is of all that it changes: who gives one machine of a group a larger type pays for
    each of them. A type that saves is for a group only where each of its machines was judged so:
    another one may need what it has.
    """
    asked = {
        link: hit
        for hit in hits
        if hit.change is not None and hit.change.kind in model.BY_TEMPLATE
        for link in hit.change.targets
    }
    machines = facts.inventory.instance_by_link
    known = (machine for link in asked if (machine := machines.get(link)) is not None)
    if not any(is_managed(facts, machine) for machine in known):
        return hits
    whole: dict[int, model.Hit | None] = {}
    for group in changed_together(facts, facts.inventory.instances):
        running = [one for one in group if one.is_running or one.ref.self_link in asked]
        own = {id(hit): hit for one in running if (hit := asked.get(one.ref.self_link))}
        rest = [one for one in running if one.ref.self_link not in asked]
        if own and (rest or len(own) > 1):
            # The types that the others need are no larger than that of the one that saves least.
            chosen = min(own.values(), key=lambda hit: hit.saving_usd_per_month or _NONE)
            whole |= dict.fromkeys(own)
            whole[id(chosen)] = _of_group(
                facts, replace(chosen, seen_count=len(own)), running, rest
            )
    found = (whole.get(id(hit), hit) for hit in hits)
    return tuple(_with_template(facts, hit) for hit in found if hit is not None)


def _with_template(facts: model.Facts, hit: model.Hit) -> model.Hit:
    """Return a hit whose fix has the commands that give a managed group another template.

    Of a node pool none are written; of a group that was not read it is said how they can be had.
    """
    change, fix = hit.change, hit.fix
    if fix is None or change is None or change.kind not in _OF_TYPE:
        return hit
    machine = facts.inventory.instance_by_link.get(change.target)
    is_node = machine is not None and machine.label(GKE_NODE_LABEL) is not None
    if machine is None or is_node or not is_managed(facts, machine):
        return hit
    group = facts.inventory.group_by_member.get(change.target)
    if group is None:
        return replace(hit, fix=replace(fix, caution=model.spaced(fix.caution, _NOT_READ)))
    # A type that is proposed is one without Tier_1.
    is_tier1 = change.kind is model.ChangeKind.TIER_1
    target = Target(change.to or machine.machine_type, is_tier1, change.cpu_platform)
    step = resize(facts, machine, target).fix
    text = f"{fix.text} {step.text}."
    caution = model.spaced(fix.caution, step.caution)
    # A plan's script would stop at a template that somebody has yet to make by hand.
    is_whole = any("instance-templates create" in command for command in step.commands)
    commands = step.commands if is_whole else ()
    fix = replace(fix, text=text, commands=commands, verify=step.verify, undo=step.undo)
    return replace(hit, fix=replace(fix, caution=caution))


_NOT_READ = (
    "Its group is not in the inventory, so there are no commands. Add it (gcloud compute"
    " instance-groups managed list --format=json)."
)


def _of_group(
    facts: model.Facts,
    hit: model.Hit,
    group: Sequence[model.Instance],
    rest: Sequence[model.Instance],
) -> model.Hit:
    """Return a hit whose change is made to all machines of a group."""
    assert hit.change is not None
    if rest and (hit.saving_usd_per_month or hit.saving_before_commitments or _NONE) > 0:
        why = f"{counted(len(rest), 'other VM')} of its group may need today's type"
        saving, fix = model.Saving(unknown=why), hit.fix
        if fix is not None:
            fix = replace(fix, caution=f"Check first: {why}. {fix.caution}".strip())
        return replace(hit, change=None, saving=saving, fix=fix, throughput_fixed=None)
    first = hit.change.target
    others = tuple(one.ref.self_link for one in group if one.ref.self_link != first)
    change = replace(hit.change, members=(first, *others))
    told = f"All VMs of its group change together: {counted(len(group), 'VM')}."
    fix = hit.fix and replace(hit.fix, caution=model.spaced(hit.fix.caution, told))
    return replace(hit, change=change, saving=ledger_of(facts).value(change).saving, fix=fix)


def _shared_templates(facts: model.Facts, hits: Sequence[model.Hit]) -> dict[int, model.Hit]:
    """Return by identity the hits of groups whose limit the template of another hit lifts as well.

    A group has one template: of those that hits ask for, the one that fits all of them.
    """
    of_group: dict[frozenset[model.SelfLink], list[model.Hit]] = {}
    for hit in hits:
        change = hit.change
        if change is None or not change.members or change.kind not in _OF_TYPE:
            continue
        if lifts(hit.throughput_now, hit.throughput_fixed):
            of_group.setdefault(frozenset(change.targets), []).append(hit)
    found: dict[int, model.Hit] = {}
    for own in of_group.values():
        for chosen in sorted(own, key=lambda hit: -(hit.saving_usd_per_month or _NONE)):
            rest = [hit for hit in own if hit is not chosen]
            made = [_with_change_of(facts, hit, chosen) for hit in rest]
            fitting = [one for one in made if one is not None]
            if rest and len(fitting) == len(rest):
                found |= {id(hit): one for hit, one in zip(rest, fitting, strict=True)}
                break
    return found


_OF_TYPE = frozenset({model.ChangeKind.MACHINE_TYPE, model.ChangeKind.TIER_1})


def _with_change_of(facts: model.Facts, hit: model.Hit, chosen: model.Hit) -> model.Hit | None:
    """Return a hit with another one's change; None where that lifts its limit less."""
    change, fixed = chosen.change, hit.throughput_fixed
    assert change is not None
    machine = facts.inventory.instance_by_link.get(hit.resources[0].self_link)
    if machine is None or fixed is None or fixed.gbps is None:
        return None
    end = type_end(
        change.to or machine.machine_type,
        is_tier1=change.kind is model.ChangeKind.TIER_1,
        cpu_platform=change.cpu_platform,
        beside=machine,
    )
    is_outside = hit.limit is not None and hit.limit.name == "external-egress"
    path = model.PathClass.INTERNET if is_outside else model.PathClass.SAME_ZONE_INTERNAL
    then = predict(sending_query(path, end), facts.caps)
    if then.gbps is None or then.gbps < fixed.gbps:
        return None
    return replace(hit, change=change, fix=chosen.fix, saving=chosen.saving, throughput_fixed=then)


_SHOWN_LABELS = 2


class Answer(model.Value, frozen=True, kw_only=True):
    """All findings of an audit, those below its filters too, and what to do about them."""

    findings: tuple[model.Finding, ...]
    do_first: tuple[model.OrderedFix, ...]
    fix_sets: tuple[model.FixSet, ...]


def _none(rule: Rule, hit: model.Hit) -> bool:
    """Return that a hit is not accepted."""
    del rule, hit
    return False


def answer(
    facts: model.Facts,
    kept: Sequence[tuple[Rule, tuple[model.Hit, ...]]],
    is_accepted: Callable[[Rule, model.Hit], bool] = _none,
) -> Answer:
    """Return what the hits that nobody suppressed come to.

    What is only filtered from sight stays: an order that left it out would be another one.

    Args:
        facts: Which were judged.
        kept: The hits of each rule.
        is_accepted: Whether a place, with its whole group, is left out.
    """
    whole = [(rule, with_whole_groups(facts, found)) for rule, found in kept]
    shared = _shared_templates(facts, [hit for _, found in whole for hit in found])
    groups = [
        (rule, key, hits)
        for rule, found in whole
        for key, hits in by_cause(
            rule,
            tuple(
                weighed(facts, shared.get(id(hit), hit))
                for hit in found
                if not is_accepted(rule, hit)
            ),
        ).items()
    ]
    standings = order_fixes(
        facts,
        [_proposal(rule, key, hits) for rule, key, hits in groups],
        lambda usd, used: severity_of(facts, usd, used),
        held_back_ratio(facts),
    )
    findings = ordered(
        make_finding(facts, rule, key, hits, standings[key]) for rule, key, hits in groups
    )
    options = options_of((key, hit) for _, key, hits in groups for hit in hits)
    return Answer(
        findings=findings,
        do_first=_do_first(findings, standings),
        fix_sets=find_fix_sets(facts, options, held_back_ratio(facts)),
    )


def _proposal(rule: Rule, key: str, hits: tuple[model.Hit, ...]) -> Proposal:
    return Proposal(
        fingerprint=key,
        hits=hits,
        places=tuple(fingerprint(rule, hit) for hit in hits),
        severity=base_severity(rule, hits),
        is_of_machines=rule.work in (MACHINE_TYPE, NEW_MACHINE),
        is_unsure=confidence_of(hits)[0] is model.Confidence.LOW,
        is_inquiry=model.Need.MEASUREMENTS in rule.needs,
        is_before_commitments=all(hit.saving_before_commitments is not None for hit in hits),
    )


def severity_of(
    facts: model.Facts, usd: Decimal | None, used_ratio: float | None
) -> model.Severity:
    """Return how grave a fix is by what it still brings; one that brings nothing is info."""
    return harm(
        facts, model.Severity.INFO, usd_per_month=usd, used_ratio=used_ratio, gib_per_month=None
    ).severity


def _do_first(
    findings: Sequence[model.Finding], standings: dict[str, Standing]
) -> tuple[model.OrderedFix, ...]:
    ranked = [finding for finding in findings if finding.rank is not None]
    return tuple(
        _ordered_fix(finding, standings[finding.fingerprint])
        for finding in sorted(ranked, key=lambda finding: finding.rank or 0)
    )


def label_of(changes: Sequence[model.PlannedChange], most: int = _SHOWN_LABELS) -> str:
    """Return what to do in a few words: of the greatest places, and how many other things."""
    fixes = [change.fix for change in changes if change.fix is not None]
    labels = list(dict.fromkeys(fix.label for fix in fixes if fix.label))
    shown = labels[:most]
    if len(labels) > len(shown):
        zones = {one.removeprefix("move to ").partition(",")[0] for one in labels}
        if all(one.startswith("move to ") for one in labels):
            return f"move to {counted(len(zones), 'zone')}"
        return f"{', '.join(shown)} or {counted(len(labels) - len(shown), 'other')}"
    return " or ".join(shown)


def _unknown_now(finding: model.Finding, standing: Standing) -> str:
    """Return why a saving is not known any more that is known of the fix alone, or nothing."""
    is_lost = standing.marginal_usd_per_month is None and finding.saving_usd_per_month is not None
    return standing.overlap if is_lost else ""


def _ordered_fix(finding: model.Finding, standing: Standing) -> model.OrderedFix:
    assert standing.rank is not None
    used = [m.used_ratio for m in finding.members if m.used_ratio is not None]
    named = next(
        (one for one in standing.changes if one.place == standing.lifted_place),
        standing.changes[0],
    )
    return model.taken(
        model.OrderedFix,
        standing,
        finding=finding.fingerprint,
        rule=finding.rule,
        subject=named.subject,
        finding_place_count=len(finding.members),
        label=label_of(standing.changes),
        saving_usd_per_month=standing.marginal_usd_per_month,
        alone_usd_per_month=finding.saving_usd_per_month,
        overlap=finding.overlap,
        saving_unknown=finding.saving_unknown or _unknown_now(finding, standing),
        used_ratio=max(used) if used and standing.now is not None else standing.used_ratio,
        saving_low_usd_per_month=standing.bounds.low if standing.bounds else None,
        saving_high_usd_per_month=standing.bounds.high if standing.bounds else None,
        further=named.further,
        is_sure=standing.is_sure,
    )
