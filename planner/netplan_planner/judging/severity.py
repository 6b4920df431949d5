"""How grave a finding is: by what is sure of its money, its traffic and its limit in use."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fix_gain import Standing, lifts
from netplan_rules.base import SECTION, Harm, Rule, harm, held_back_ratio
from netplan_rules.shared.trust import started_since, why_brief
from netplan_rules.work import MACHINE_TYPE, NEW_MACHINE


def weighed(facts: model.Facts, hit: model.Hit) -> model.Hit:
    """Return a hit that says why its limit in use is not grave, where it is not.

    It is full too little of a day; or its machine may have had another type, with another limit.
    """
    if (hit.used_ratio or 0.0) < held_back_ratio(facts):
        return hit
    machines = map(facts.inventory.instance_by_link.get, (r.self_link for r in hit.resources))
    started = (started_since(facts, one) for one in machines if one is not None)
    why = next((one for one in started if one and one in hit.doubts), "") or why_brief(facts, hit)
    return replace(hit, why_not_high=why) if why else hit


def harm_of(
    facts: model.Facts,
    rule: Rule,
    hits: Sequence[model.Hit],
    standing: Standing,
    confidence: model.Confidence,
) -> Harm:
    """Return how grave a finding is by what is sure of it."""
    usd, sure, gib = standing.marginal_usd_per_month, standing.least_usd_per_month, total_gib(hits)
    least = Decimal(str(facts.traffic.month_ratios[0])) if facts.traffic is not None else Decimal(1)
    if standing.is_held:
        usd = saved(hits)
        sure = usd * least if usd is not None and gib is not None else usd
    is_unpriced = _is_unpriced(rule, hits)
    base = model.Severity.INFO if is_unpriced else base_severity(rule, hits)
    grave = [hit for hit in hits if not hit.why_not_high]

    def harm_at(base: model.Severity, used_ratio: float | None) -> Harm:
        return harm(
            facts,
            base,
            usd_per_month=sure,
            used_ratio=used_ratio,
            gib_per_month=gib * least if gib is not None else None,
            is_least=sure != usd or (gib is not None and least != 1),
        )

    found = harm_at(base, greatest_used_ratio(hits))
    if is_unpriced and found.severity is model.Severity.INFO:
        return Harm(severity=found.severity, reason="the saving is unknown")
    if found.severity is not model.Severity.HIGH:
        return found
    rest = harm_at(model.Severity.MEDIUM, greatest_used_ratio(grave))
    is_mild = len(grave) < len(hits) and rest.severity is not model.Severity.HIGH
    why: model.Text = next((hit.why_not_high for hit in hits if is_mild and hit.why_not_high), "")
    why = why or _why_not_high(facts, rule, hits, confidence) or _why_not_had(hits, standing)
    if not why:
        return found
    reason = model.worded(found.reason, "; MEDIUM because ", why)
    return Harm(severity=model.Severity.MEDIUM, reason=reason)


def _why_not_high(
    facts: model.Facts, rule: Rule, hits: Sequence[model.Hit], confidence: model.Confidence
) -> model.Text:
    """Return why a finding is not as grave as its sum, or its rule, says; empty: it is."""
    if confidence is model.Confidence.LOW:
        return "confidence is low"
    full = (hit for hit in hits if (hit.used_ratio or 0.0) >= held_back_ratio(facts))
    if any(not hit.why_not_high for hit in full):
        return ""
    savings = [hit.saving_usd_per_month for hit in hits if hit.saving_usd_per_month is not None]
    if not savings and any(hit.saving.unknown for hit in hits):
        return "the saving is unknown"
    least = Decimal(str(facts.threshold(SECTION, "medium_usd_per_month")))
    if rule.work in (MACHINE_TYPE, NEW_MACHINE) and max(savings, default=Decimal(0)) < least:
        limit = model.Amount(usd=least, kind=model.AmountKind.LIMIT)
        return model.worded("no VM that stops for the change saves ", limit, "/month")
    return ""


def _why_not_had(hits: Sequence[model.Hit], standing: Standing) -> str:
    """Return that a group gets another template first, which may not lift this limit, or nothing.

    What another fix makes as well is as grave as it is there.
    """
    is_of_groups = all(hit.change is not None and hit.change.members for hit in hits)
    if not is_of_groups or standing.rank is not None or standing.same_as or not standing.overlap:
        return ""
    return "another fix decides the template of its group; audit again after it"


def _is_unpriced(rule: Rule, hits: Sequence[model.Hit]) -> bool:
    """Return whether all that is at stake is money that nobody knows: it may be next to nothing."""
    if saved(hits) is not None or not any(hit.saving.unknown for hit in hits):
        return False
    if any(hit.lost or lifts(hit.throughput_now, hit.throughput_fixed) for hit in hits):
        return False
    kinds = {hit.change.kind for hit in hits if hit.change is not None}
    return model.Need.PRICES in rule.needs or not kinds.isdisjoint(model.FOR_MONEY)


def base_severity(rule: Rule, hits: Sequence[model.Hit]) -> model.Severity:
    """Return what the rule says of the gravest of its hits, whatever is at stake."""
    return min((hit.severity or rule.severity for hit in hits), key=lambda one: one.rank)


def greatest_used_ratio(hits: Iterable[model.Hit]) -> float | None:
    """Return the greatest share in use of what binds; None where no hit knows one."""
    return max((hit.used_ratio for hit in hits if hit.used_ratio is not None), default=None)


def total_gib(hits: Iterable[model.Hit]) -> Decimal | None:
    """Return the traffic of all hits, GiB a month; None where the rule is not about traffic."""
    volumes = [hit.gib_per_month for hit in hits if hit.gib_per_month is not None]
    return sum(volumes, Decimal(0)) if volumes else None


def saved(hits: Sequence[model.Hit]) -> Decimal | None:
    """Return the sum over the hits that state a saving; None when none does."""
    stated = [hit.saving_usd_per_month for hit in hits]
    known = [usd for usd in stated if usd is not None]
    return sum(known, Decimal(0)) if known else None
