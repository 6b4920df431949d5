"""What fixes save and cost together, with the bounds that the window leaves, sure and not sure."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from netplan_planner.model import Amount, Finding, OrderedFix, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Line, Role, fixed, line
from netplan_planner.units import counted
from netplan_planner.verbs.audit.answer import Report

_SUMS = ((True, 1), (True, -1), (False, 1), (False, -1))
"""What is sure before what is not, savings before costs."""
_SAME_RATIO = Decimal("0.05")
"""Of an amount: bounds nearer to each other are not told."""


def bounds(usd: Decimal | None, low: Decimal | None, high: Decimal | None) -> Line:
    """Return between what an amount is, where the window leaves a month open: ` [$36 to $847]`."""
    if usd is None or low is None or high is None or high - low <= _SAME_RATIO * abs(usd):
        return ()
    ends = worded(" [", Amount(usd=low), " to ", Amount(usd=high), "]")
    return line(fixed(ends))


def paid_in_all(report: Report) -> Line:
    """Return what a month costs, between which bounds, and that parts of it are unknown.

    It is no minimum: of addresses, hours that other projects may use up are free.
    """
    bill = report.bill
    usd, low, high = bill.least_usd_per_month, bill.low_usd_per_month, bill.high_usd_per_month
    is_known = bill.traffic_usd is not None and report.coverage.is_complete and bill.is_whole
    more = "" if is_known else " and unknown parts"
    return line(fixed(Amount(usd=usd), Role.STRONG), bounds(usd, low, high), more)


def bounds_of(finding: Finding) -> Line:
    """Return between what a finding still saves once the fixes before it are made."""
    low, high = finding.marginal_low_usd_per_month, finding.marginal_high_usd_per_month
    return bounds(finding.marginal_usd_per_month, low, high)


def stakes(fixes: Iterable[OrderedFix], *, is_told: bool = False) -> list[Line]:
    """Return what fixes save, cost, and may save or cost, a month, and how many are not known.

    Args:
        fixes: Entries of an order.
        is_told: That they are not sure is said beside it, and only once.
    """
    listed = list(fixes)
    parts = [
        _sum([one for one in listed if _is_of(one, is_sure=is_sure, sign=sign)], is_told=is_told)
        for is_sure, sign in _SUMS
    ]
    unknown = sum(bool(one.saving_unknown) for one in listed)
    if unknown:
        parts.append(line(f"{counted(unknown, 'unknown saving')}"))
    return [part for part in parts if part]


def together(fixes: Iterable[OrderedFix], *, is_told: bool = False) -> Line:
    """Return the same in one line."""
    return doc.joined(stakes(fixes, is_told=is_told), " · ")


def _is_of(fix: OrderedFix, *, is_sure: bool, sign: int) -> bool:
    usd = fix.saving_usd_per_month
    return usd is not None and usd * sign > 0 and fix.is_sure is is_sure


def _ends(fix: OrderedFix) -> tuple[Decimal, Decimal, Decimal]:
    """Return the least, what is stated and the most: all alike where the window is whole."""
    usd = fix.saving_usd_per_month or Decimal(0)
    low, high = fix.saving_low_usd_per_month, fix.saving_high_usd_per_month
    return usd if low is None else low, usd, usd if high is None else high


def _sum(fixes: Sequence[OrderedFix], *, is_told: bool) -> Line:
    """Return what fixes of one kind come to, between which bounds."""
    if not fixes:
        return ()
    each = [_ends(fix) for fix in fixes]
    low, usd, high = (sum(ends, Decimal(0)) for ends in zip(*each, strict=True))
    is_sure = fixes[0].is_sure
    what = "saving " if usd > 0 else "cost "
    if not is_sure:
        what = f"{'' if is_told else 'low confidence: '}{what}"
    role = phrases.money_role(usd) if is_sure else Role.PLAIN
    if usd < 0:
        low, high = -high, -low
    if not is_sure and high <= abs(usd):
        what += "up to "
    amount = fixed(worded(Amount(usd=abs(usd)), "/month"), role)
    return line(what, amount, bounds(abs(usd), low, high))
