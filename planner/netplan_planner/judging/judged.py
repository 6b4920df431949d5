"""Facts judged by the rules that a request selects: findings, their order, what is not shown."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from netplan_planner import meter, model
from netplan_planner.errors import InputError
from netplan_planner.judging.baseline import Matching
from netplan_planner.judging.findings import fingerprint
from netplan_planner.judging.fixes import answer
from netplan_planner.judging.suppressions import (
    Suppression,
    Suppressions,
    read_suppressions,
    unmatched,
)
from netplan_planner.model import (
    Facts,
    Gap,
    Hit,
    NotEvaluated,
    RuleList,
    RulePage,
    RuleThreshold,
    Value,
    taken,
)
from netplan_planner.planning import reconciling
from netplan_planner.units import counted
from netplan_planner.world.request import InputRequest
from netplan_rules import registry
from netplan_rules.base import Check, Rule
from netplan_rules.needs import lacking
from netplan_rules.registry import all_rules, find_rule, select_rules

# One rule: what it found, and what it could not judge


_EXAMPLES = 5


class Judgement(Value, frozen=True, kw_only=True):
    """What one rule said about one set of facts."""

    rule: Rule
    hits: tuple[Hit, ...]
    not_evaluated: tuple[NotEvaluated, ...]


def judge(check: Check, facts: Facts) -> Judgement:
    """Run one rule; what it lacks and a crash become `NotEvaluated`, never a pass."""
    rule = check.rule
    # Several needs of a rule may lack the same thing.
    missing = sorted({why for need in rule.needs if (why := lacking(need, facts))})
    if missing:
        note = NotEvaluated(rule=rule.id, reason="; ".join(missing), kind="missing-evidence")
        return Judgement(rule=rule, hits=(), not_evaluated=(note,))
    hits: list[Hit] = []
    gaps: list[Gap] = []
    try:
        for said in check(facts):
            (hits if isinstance(said, Hit) else gaps).append(said)  # type: ignore[arg-type]
    except Exception as error:
        reason = f"the rule crashed: {type(error).__name__}: {error}"
        note = NotEvaluated(rule=rule.id, reason=reason[:500], kind="crashed")
        return Judgement(rule=rule, hits=(), not_evaluated=(note,))
    return Judgement(rule=rule, hits=tuple(hits), not_evaluated=_gaps(rule, gaps))


def _gaps(rule: Rule, gaps: Iterable[Gap]) -> tuple[NotEvaluated, ...]:
    by_reason: dict[str, set[str]] = defaultdict(set)
    for gap in gaps:
        by_reason[gap.reason].add(gap.resource.self_link)
    return tuple(
        NotEvaluated(
            rule=rule.id,
            reason=reason,
            kind="gap",
            resource_count=len(links),
            examples=tuple(sorted(links)[:_EXAMPLES]),
        )
        for reason, links in sorted(by_reason.items())
    )


# The rules' metadata as answers


def rule_list() -> RuleList:
    """Return every rule."""
    return RuleList(rules=tuple(map(_page, all_rules())))


def rule_page(name: str) -> RulePage:
    """Return what is known of a rule.

    Raises:
        UsageError: If no rule has the name; the text names the nearest.
    """
    return _page(find_rule(name))


def reference_page(name: str | None) -> str:
    """Return the page of a rule, or the whole reference, as Markdown of the documentation.

    Raises:
        UsageError: If no rule has the name.
    """
    text = registry.reference() if name is None else registry.page(find_rule(name))
    return text.rstrip("\n")


def check_rule_names(names: tuple[str, ...]) -> None:
    """Refuse a name that is neither a rule nor an area.

    Raises:
        UsageError: With the names that come near.
    """
    select_rules(names, ())


def _page(check: Check) -> RulePage:
    rule = check.rule
    return taken(
        RulePage,
        rule,
        severity=rule.severity.value,
        area=check.area,
        needs=tuple(sorted(need.value for need in rule.needs)),
        thresholds=tuple(taken(RuleThreshold, one) for one in rule.thresholds),
    )


# Facts judged by all rules that a request selects: findings, their order, what is not shown


def with_bill(request: InputRequest, facts: model.Facts) -> model.Facts:
    """Return facts with the traffic compared with the bill, where both were given.

    Exports are given for prices first: one that has no usage stops no audit.
    """
    if not request.billing_exports or facts.traffic is None:
        return facts
    if facts.traffic.is_of_metrics:
        return replace(facts, why_not_reconciled="metrics do not show the price of traffic")
    try:
        found = reconciling.reconcile_facts(
            facts, request.billing_exports, request.projects, request.prices
        )
    except InputError as error:
        return replace(facts, why_not_reconciled=str(error))
    return replace(facts, reconciliation=found)


class Judged(model.Value, frozen=True, kw_only=True):
    """What the rules say of facts: what is shown, what is not, and what to do about all of it."""

    findings: tuple[model.Finding, ...]
    do_first: tuple[model.OrderedFix, ...]
    fix_sets: tuple[model.FixSet, ...]
    suppressed: tuple[model.Suppressed, ...]
    suppressions: Suppressions
    expired: tuple[model.ExpiredSuppression, ...]
    unused: tuple[Suppression, ...]
    """What the file and the baseline name and no rule found, though it judged all."""
    filtered: tuple[model.Filtered, ...]
    not_evaluated: tuple[model.NotEvaluated, ...]
    notes: tuple[model.Note, ...]


def judged(
    request: InputRequest, facts: model.Facts, say: Callable[[str], None] = lambda _: None
) -> Judged:
    """Return what the rules say of facts that have been read.

    Raises:
        UsageError: If the request selects a rule that does not exist.
        InputError: If the file of suppressions cannot be read.
    """
    selected = select_rules(request.select, request.ignore)
    suppressions = read_suppressions(request.ignore_file, facts)
    machines = counted(len(facts.inventory.instances), "VM")
    say(f"checking {machines} against {counted(len(selected), 'rule')}")
    judgements = []
    with meter.work("judging", total=len(selected), unit="rules"):
        for check in selected:
            judgements.append(judge(check, facts))
            meter.advance()
    kept, suppressed = _apply(suppressions, selected, judgements)
    baseline = Matching(request.baseline, facts.today)
    graded = [(rule, hits) for rule, hits in kept if not rule.is_note]
    found = answer(facts, graded, baseline.takes)
    shown, filtered = _filter(request, found.findings)
    gaps = _not_evaluated(selected, judgements)
    hits = [(c, hit) for c, one in zip(selected, judgements, strict=True) for hit in one.hits]
    idle = (*unmatched(suppressions, hits), *baseline.unmatched())
    return Judged(
        findings=shown,
        do_first=found.do_first,
        fix_sets=found.fix_sets,
        suppressed=_in_order((*suppressed, *baseline.accepted)),
        suppressions=suppressions,
        expired=(*suppressions.expired, *baseline.expired),
        unused=tuple(one for one in idle if _is_judged(one.rule, gaps)),
        filtered=filtered,
        not_evaluated=gaps,
        notes=tuple(
            model.Note(
                rule=rule.id,
                subject=hit.subject,
                text=hit.message,
                fix=hit.fix.text if hit.fix is not None else "",
            )
            for rule, hits in kept
            if rule.is_note
            for hit in hits
        ),
    )


Kept = list[tuple[Rule, tuple[model.Hit, ...]]]


def _apply(
    suppressions: Suppressions, checks: Sequence[Check], judgements: Sequence[Judgement]
) -> tuple[Kept, list[model.Suppressed]]:
    """Split the hits into those that stay and those that the user chose not to see."""
    kept: Kept = []
    suppressed: list[model.Suppressed] = []
    for check, judgement in zip(checks, judgements, strict=True):
        staying = []
        for hit in judgement.hits:
            wish = suppressions.find(check, hit)
            if wish is None:
                staying.append(hit)
                continue
            suppressed.append(
                model.Suppressed(
                    rule=check.rule.id,
                    subject=hit.subject,
                    reason=wish.reason,
                    source=wish.source,
                    expires=wish.expires,
                    saving_usd_per_month=hit.saving_usd_per_month,
                    fingerprint=fingerprint(check.rule, hit),
                )
            )
        kept.append((check.rule, tuple(staying)))
    return kept, suppressed


def _in_order(suppressed: Iterable[model.Suppressed]) -> tuple[model.Suppressed, ...]:
    return tuple(sorted(suppressed, key=lambda one: (one.rule, one.subject)))


def _is_judged(name: str, notes: Iterable[model.NotEvaluated]) -> bool:
    """Return whether a rule, or each of an area, judged all; what was not judged may be there."""
    rules = {check.rule.id for check in all_rules() if check.area == name} or {name}
    return rules.isdisjoint(note.rule for note in notes)


def _filter(
    request: InputRequest, findings: Sequence[model.Finding]
) -> tuple[tuple[model.Finding, ...], tuple[model.Filtered, ...]]:
    """Return the findings to show, and those below the floors of the request."""
    shown: list[model.Finding] = []
    hidden: list[model.Filtered] = []
    for finding in findings:
        why = _below(request, finding)
        if not why:
            shown.append(finding)
            continue
        hidden.append(
            model.taken(model.Filtered, finding, severity=finding.severity.value, why=why)
        )
    return tuple(shown), tuple(sorted(hidden, key=lambda f: (f.rule, f.subject)))


def _below(request: InputRequest, finding: model.Finding) -> str:
    if finding.severity.rank > request.min_severity.rank:
        return f"below --severity {request.min_severity.value}"
    floor = request.min_saving_usd
    if floor is not None and (finding.saving_usd_per_month or 0) < floor:
        return f"below --min-saving {floor}"
    return ""


def _not_evaluated(
    selected: Sequence[Check], judgements: Iterable[Judgement]
) -> tuple[model.NotEvaluated, ...]:
    notes = [note for judgement in judgements for note in judgement.not_evaluated]
    chosen = {check.rule.id for check in selected}
    notes += [
        model.NotEvaluated(
            rule=check.rule.id, reason="excluded by --select or --ignore", kind="deselected"
        )
        for check in all_rules()
        if check.rule.id not in chosen
    ]
    notes += [
        model.NotEvaluated(rule=name, reason=why, kind="crashed")
        for name, why in registry.unloaded_rules()
    ]
    return tuple(sorted(notes, key=lambda note: (note.kind, note.rule, note.reason)))
