"""Makes findings of the hits of rules: grouped, summed, ordered, fingerprinted."""

import hashlib
import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fix_gain import Standing
from netplan_planner.judging.severity import harm_of, saved
from netplan_planner.units import counted
from netplan_rules.base import Rule
from netplan_rules.wording import gbps, money

_NOTES = 3


def fingerprint(rule: Rule, hit: model.Hit) -> str:
    """Return 32 hex digits of the rule and the place; the same whatever the order of input."""
    links = sorted(ref.self_link for ref in hit.resources)
    return _digest(rule.id, "\n".join([*links, hit.subject]))


def cause_fingerprint(rule: Rule, cause: str) -> str:
    """Return 32 hex digits of the rule and one of its causes: the identity of a finding."""
    return _digest(rule.id, cause)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def by_cause(rule: Rule, hits: Sequence[model.Hit]) -> dict[str, tuple[model.Hit, ...]]:
    """Return a rule's hits by the fingerprint of their finding, the greatest first in each."""
    causes: dict[str, list[model.Hit]] = defaultdict(list)
    for hit in hits:
        causes[cause_fingerprint(rule, hit.cause)].append(hit)
    return {key: tuple(sorted(found, key=_weight)) for key, found in sorted(causes.items())}


def make_finding(
    facts: model.Facts, rule: Rule, key: str, hits: Sequence[model.Hit], standing: Standing
) -> model.Finding:
    """Return the finding of a rule's hits of one cause, with its place in the order of fixes.

    Places at which the order changes something come first, before them the one whose rate the order
    states, so that what is said of the first place is what is to be done.
    """
    planned = {change.place: change for change in standing.changes}
    places = {id(hit): fingerprint(rule, hit) for hit in hits}
    lifted, held = standing.lifted_place, dict(standing.why_held)
    hits = sorted(hits, key=lambda hit: (places[id(hit)] != lifted, places[id(hit)] not in planned))
    first, saving = hits[0], saved(hits)
    at_first, fix = planned.get(places[id(first)]), first.fix
    if fix is not None and at_first is not None and at_first.further is not None and at_first.fix:
        fix = replace(fix, caution=at_first.fix.caution)
    evidence = _evidence(rule, hits)
    confidence, confidence_reason = confidence_of(hits)
    unknown = sorted({hit.saving.unknown for hit in hits if hit.saving.unknown})
    found = harm_of(facts, rule, hits, standing, confidence)
    bounds = standing.bounds
    is_less = saving is None or standing.marginal_usd_per_month != saving
    return model.taken(
        model.Finding,
        first,
        rule=rule.id,
        title=rule.title,
        severity=found.severity,
        severity_reason=found.reason,
        confidence=confidence,
        confidence_reason=confidence_reason,
        message=_message(rule, hits, evidence),
        evidence=evidence,
        saving_usd_per_month=saving,
        saving_unknown="; ".join(unknown),
        saving_basis=_basis(hits),
        saving_before_commitments_usd_per_month=_before_commitments(hits),
        saving_note=_notes(hits),
        line_items=merge_lines(item for hit in hits for item in hit.saving.items),
        fix=fix,
        members=tuple(_member(rule, hit, held.get(places[id(hit)], "")) for hit in hits),
        changes=tuple(hit.change for hit in hits if hit.change is not None),
        fingerprint=key,
        rank=standing.rank,
        is_held=standing.is_held,
        same_as=standing.same_as,
        marginal_usd_per_month=standing.marginal_usd_per_month,
        marginal_low_usd_per_month=bounds.low if bounds else None,
        marginal_high_usd_per_month=bounds.high if bounds else None,
        overlap=standing.overlap if is_less else "",
    )


def confidence_of(hits: Sequence[model.Hit]) -> tuple[model.Confidence, str]:
    """Return what hits with at least half of what is at stake reach, and why not more.

    One doubtful place among many sure ones does not make the finding doubtful; the places carry
    their own. What is at stake is money, else traffic, else the number of places.
    """
    stakes = [_stake(hit) for hit in hits]
    half = sum(stakes, Decimal(0)) / 2
    reached = Decimal(0)
    chosen = hits[0].confidence
    for confidence in model.Confidence:
        reached += sum(
            (s for s, hit in zip(stakes, hits, strict=True) if hit.confidence is confidence),
            Decimal(0),
        )
        chosen = confidence
        if reached >= half:
            break
    counts = Counter(hit.confidence for hit in hits)
    if len(counts) == 1:
        reasons = list(
            dict.fromkeys(hit.confidence_reason for hit in hits if hit.confidence_reason)
        )
        more = f" (and {len(reasons) - 1} other reasons)" if len(reasons) > 1 else ""
        return chosen, f"{reasons[0]}{more}" if reasons else ""
    told = ", ".join(
        f"{counts[one]:,} {one.value}{_commonest(hits, one)}"
        for one in model.Confidence
        if counts[one]
    )
    return chosen, f"{len(hits):,} places: {told}"


def _commonest(hits: Sequence[model.Hit], confidence: model.Confidence) -> str:
    reasons = Counter(
        hit.confidence_reason
        for hit in hits
        if hit.confidence is confidence and hit.confidence_reason
    )
    return f" (mostly: {reasons.most_common(1)[0][0]})" if reasons else ""


def _stake(hit: model.Hit) -> Decimal:
    usd = saved([hit])
    if usd is not None and usd > 0:
        return usd
    return hit.gib_per_month or Decimal(1)


def _weight(hit: model.Hit) -> tuple[Decimal, float, Decimal, float, str, tuple[str, ...]]:
    """Order the members: money, then share in use, traffic, first figure, then by name."""
    figure = hit.evidence[0].value if hit.evidence else 0
    size = float(figure) if isinstance(figure, int | float) else 0.0
    return (
        -(saved([hit]) or Decimal(0)),
        -(hit.used_ratio or 0.0),
        -(hit.gib_per_month or Decimal(0)),
        -size,
        hit.subject,
        tuple(ref.self_link for ref in hit.resources),
    )


def _before_commitments(hits: Sequence[model.Hit]) -> Decimal | None:
    """Return the sum over the hits whose saving is known before commitments only."""
    known = [usd for hit in hits if (usd := hit.saving_before_commitments) is not None]
    return sum(known, Decimal(0)) if known else None


def _notes(hits: Sequence[model.Hit]) -> str:
    """Return what commitments have to do with the hits, each note once and the first few only."""
    notes = list(dict.fromkeys(hit.saving.note for hit in hits if hit.saving.note))
    more = f"; and {len(notes) - _NOTES} more" if len(notes) > _NOTES else ""
    return "; ".join(notes[:_NOTES]) + more


def _basis(hits: Sequence[model.Hit]) -> model.SavingBasis:
    bases = {hit.saving.basis for hit in hits}
    before = model.SavingBasis.BEFORE_COMMITMENTS
    return before if before in bases else model.SavingBasis.BILL


def _evidence(rule: Rule, hits: Sequence[model.Hit]) -> tuple[model.Evidence, ...]:
    """Return the first hit's evidence, with what the rule sums added up over all hits."""
    if len(hits) == 1 or not rule.summed:
        return hits[0].evidence
    return tuple(
        model.Evidence(
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


def _message(
    rule: Rule, hits: Sequence[model.Hit], evidence: Sequence[model.Evidence]
) -> model.Text:
    count = sum(hit.seen_count for hit in hits)
    if count == 1 or not rule.group_message:
        return _beside(hits[0].message, _of_groups(hits))
    values: dict[str, float | int | str | model.Amount] = {"count": count}
    for item in evidence:
        values[item.name] = item.value
        if isinstance(item.value, str):
            continue
        if item.unit == "Gbit/s":
            values[f"{item.name}_rate"] = gbps(item.value)
        elif item.unit.startswith("USD"):
            values[f"{item.name}_money"] = money(Decimal(str(item.value)))
    return _beside(model.worded(*_filled(rule.group_message, values)), _of_groups(hits))


def _beside(message: model.Text, more: str) -> model.Text:
    """Return a message with a sentence after it."""
    if not more:
        return message
    end = message if isinstance(message, str) else message.parts[-1]
    dot = " " if isinstance(end, str) and end.endswith(".") else ". "
    return model.worded(message, dot, more)


def _of_groups(hits: Sequence[model.Hit]) -> str:
    """Return how many machines change with those that are at fault: groups have one template."""
    groups = [
        hit.change
        for hit in hits
        if hit.change is not None and hit.change.kind in model.BY_TEMPLATE and hit.change.members
    ]
    if not groups:
        return ""
    templates = counted(len(groups), "group template", "group templates")
    return f"Fix: {templates}, {counted(sum(len(one.targets) for one in groups), 'VM')}."


def _filled(
    template: str, values: Mapping[str, float | int | str | model.Amount]
) -> Iterator[str | model.Amount]:
    """Yield the parts of a template with its fields filled in, amounts as they are."""
    for text, name, form, _ in string.Formatter().parse(template):
        yield text
        if name is not None:
            value = values[name]
            yield value if isinstance(value, model.Amount) else format(value, form or "")


def merge_lines(items: Iterable[model.LineItem]) -> tuple[model.LineItem, ...]:
    """Return the lines with equal ones added up, in order of first appearance.

    What is paid before and after alike is in no line.
    """
    merged: dict[tuple[object, ...], model.LineItem] = {}
    net: dict[tuple[object, ...], Decimal] = defaultdict(Decimal)
    for item in items:
        price = (item.name, item.unit, item.unit_price_usd, item.sku_ids)
        net[price] += item.quantity
        key = (*price, item.quantity < 0)
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
    return tuple(item for key, item in merged.items() if net[key[:-1]])


def _member(rule: Rule, hit: model.Hit, why_held: str) -> model.Member:
    return model.taken(
        model.Member,
        hit,
        throughput_now=_brief(hit.throughput_now),
        throughput_fixed=_brief(hit.throughput_fixed),
        saving_usd_per_month=saved([hit]),
        saving_unknown=hit.saving.unknown,
        line_items=tuple(replace(item, parts=()) for item in hit.saving.items),
        fingerprint=fingerprint(rule, hit),
        saving_before_commitments_usd_per_month=hit.saving_before_commitments,
        why_held=why_held,
    )


def _brief(estimate: model.Estimate | None) -> model.Estimate | None:
    """Return an estimate with the limit that binds alone: there may be a hundred thousand places.

    All limits of the first place stand with the finding.
    """
    if estimate is None or estimate.gbps is None:
        return estimate
    firsts = (estimate.limits[:1], estimate.probabilities[:1], estimate.binding_gbps[:1])
    return replace(estimate, limits=firsts[0], probabilities=firsts[1], binding_gbps=firsts[2])


def ordered(findings: Iterable[model.Finding]) -> tuple[model.Finding, ...]:
    """Return findings by severity, then as their fixes rank, then by rule."""
    return tuple(sorted(findings, key=_rank))


def _rank(finding: model.Finding) -> tuple[int, bool, int, int, str, str]:
    return (
        finding.severity.rank,
        finding.rank is None,
        finding.rank or 0,
        finding.confidence.rank,
        finding.rule,
        finding.fingerprint,
    )
