"""Runs the rules and makes findings of their hits: grouped, summed, ordered, fingerprinted."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import (
    Evidence,
    Facts,
    Finding,
    Gap,
    Hit,
    LineItem,
    Member,
    NotEvaluated,
    SavingBasis,
    Value,
)
from netplan_rules.base import Check, Rule
from netplan_rules.needs import lacking
from netplan_rules.wording import gbps

_EXAMPLES = 5


class Judgement(Value, frozen=True, kw_only=True):
    """What one rule said about one set of facts."""

    rule: Rule
    hits: tuple[Hit, ...]
    not_evaluated: tuple[NotEvaluated, ...]


def judge(check: Check, facts: Facts) -> Judgement:
    """Run one rule; what it lacks and a crash become `NotEvaluated`, never a pass."""
    rule = check.rule
    missing = sorted(filter(None, (lacking(need, facts) for need in rule.needs)))
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


def fingerprint(rule: Rule, hit: Hit) -> str:
    """Return 32 hex digits of the rule and the place: a group by its key, else its resources."""
    links = sorted(ref.self_link for ref in hit.resources)
    place = hit.group if hit.group is not None else "\n".join([*links, hit.subject])
    return hashlib.sha256(f"{rule.id}\n{place}".encode()).hexdigest()[:32]


def make_findings(rule: Rule, hits: Sequence[Hit]) -> tuple[Finding, ...]:
    """Return the findings of a rule's hits: one for each group, one for each hit without one."""
    groups: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        groups[fingerprint(rule, hit)].append(hit)
    return tuple(_finding(rule, key, members) for key, members in sorted(groups.items()))


def _finding(rule: Rule, key: str, hits: list[Hit]) -> Finding:
    hits = sorted(hits, key=_weight)
    first = hits[0]
    evidence = _evidence(rule, hits)
    worst = max(hits, key=lambda hit: hit.confidence.rank)
    severities = [hit.severity or rule.severity for hit in hits]
    unknown = sorted({hit.saving_unknown for hit in hits if hit.saving_unknown})
    return Finding(
        rule=rule.id,
        title=rule.title,
        severity=min(severities, key=lambda severity: severity.rank),
        confidence=worst.confidence,
        confidence_reason=worst.confidence_reason,
        resources=first.resources,
        subject=first.subject,
        message=_message(rule, hits, evidence),
        evidence=evidence,
        limit=first.limit,
        throughput_now=first.throughput_now,
        throughput_fixed=first.throughput_fixed,
        saving_usd_per_month=_saving(hits),
        saving_unknown="; ".join(unknown),
        saving_basis=_basis(hits),
        saving_before_commitments_usd_per_month=_before_commitments(hits),
        saving_note="; ".join(dict.fromkeys(hit.saving_note for hit in hits if hit.saving_note)),
        line_items=merge_lines(item for hit in hits for item in hit.saving_items),
        fix=first.fix,
        members=tuple(_member(hit) for hit in hits),
        changes=tuple(hit.change for hit in hits if hit.change is not None),
        fingerprint=key,
    )


def _weight(hit: Hit) -> tuple[Decimal, float, str]:
    """Order the members: the most money, then the greatest first figure, then by name."""
    figure = hit.evidence[0].value if hit.evidence else 0
    size = float(figure) if isinstance(figure, int | float) else 0.0
    return -(_saving([hit]) or Decimal(0)), -size, hit.subject


def _saving(hits: Sequence[Hit]) -> Decimal | None:
    """Return the sum over the hits that state a saving; None when none does."""
    stated = [hit.saving_usd_per_month for hit in hits]
    known = [usd for usd in stated if usd is not None]
    return sum(known, Decimal(0)) if known else None


def _before_commitments(hits: Sequence[Hit]) -> Decimal | None:
    """Return the sum over the hits whose saving is known before commitments only."""
    known = [usd for hit in hits if (usd := hit.saving_before_commitments) is not None]
    return sum(known, Decimal(0)) if known else None


def _basis(hits: Sequence[Hit]) -> SavingBasis:
    bases = {hit.saving_basis for hit in hits}
    before = SavingBasis.BEFORE_COMMITMENTS
    return before if before in bases else SavingBasis.BILL


def _evidence(rule: Rule, hits: Sequence[Hit]) -> tuple[Evidence, ...]:
    """Return the first hit's evidence, with what the rule sums added up over all hits."""
    if len(hits) == 1 or not rule.summed:
        return hits[0].evidence
    return tuple(
        Evidence(
            name=item.name,
            value=sum(
                other.value
                for hit in hits
                for other in hit.evidence
                if other.name == item.name and isinstance(other.value, int | float)
            ),
            unit=item.unit,
            source=item.source,
        )
        if item.name in rule.summed
        else item
        for item in hits[0].evidence
    )


def _message(rule: Rule, hits: Sequence[Hit], evidence: Sequence[Evidence]) -> str:
    if len(hits) == 1 or not rule.group_message:
        return hits[0].message
    values = {item.name: item.value for item in evidence}
    rates = {
        f"{item.name}_rate": gbps(item.value)
        for item in evidence
        if item.unit == "Gbit/s" and not isinstance(item.value, str)
    }
    return rule.group_message.format(count=len(hits), **values, **rates)


def merge_lines(items: Iterable[LineItem]) -> tuple[LineItem, ...]:
    """Return the lines with equal ones added up, in order of first appearance."""
    merged: dict[tuple[object, ...], LineItem] = {}
    for item in items:
        key = (item.name, item.unit, item.unit_price_usd, item.sku_ids, item.quantity < 0)
        seen = merged.get(key)
        merged[key] = (
            item
            if seen is None
            else replace(
                seen,
                quantity=seen.quantity + item.quantity,
                usd_per_month=seen.usd_per_month + item.usd_per_month,
            )
        )
    return tuple(merged.values())


def _member(hit: Hit) -> Member:
    return Member(
        resources=hit.resources,
        subject=hit.subject,
        message=hit.message,
        evidence=hit.evidence,
        throughput_now=hit.throughput_now,
        throughput_fixed=hit.throughput_fixed,
        saving_usd_per_month=_saving([hit]),
        commands=hit.fix.commands if hit.fix else (),
        advice=hit.fix.text if hit.fix else "",
        saving_before_commitments_usd_per_month=hit.saving_before_commitments,
    )


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by severity, money, gain in Gbit/s, confidence, then name."""
    return tuple(sorted(findings, key=_rank))


def _rank(finding: Finding) -> tuple[int, bool, Decimal, float, int, str, str]:
    return (
        finding.severity.rank,
        finding.saving_basis is SavingBasis.BEFORE_COMMITMENTS,
        -(finding.saving_usd_per_month or Decimal(0)),
        -gain_gbps(finding),
        finding.confidence.rank,
        finding.rule,
        finding.fingerprint,
    )


def gain_gbps(finding: Finding) -> float:
    """Return what the fix adds in Gbit/s, 0 where either estimate is not known."""
    now, fixed = finding.throughput_now, finding.throughput_fixed
    if now is None or fixed is None or now.gbps is None or fixed.gbps is None:
        return 0.0
    return fixed.gbps - now.gbps
