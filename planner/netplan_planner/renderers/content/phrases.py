"""Sentences about limits, estimates and money that several sections use.

What stands beside an answer, on stderr: things that were noticed while it was made.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.inert import NAME_LENGTH
from netplan_planner.ledger.compared import is_paid_instead
from netplan_planner.model.evidence.log_volume import LogSettings
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import (
    Block,
    Item,
    Line,
    Role,
    Section,
    Span,
    fixed,
    joined,
    line,
    say,
)
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.throughput.limits.shared_by import OF_SENDER
from netplan_planner.units import SECONDS_PER_MINUTE

_TAIL = Decimal("0.1")
"""Of a sum: what may be left without a name."""
_KINDS = 8
"""Most that are named."""
_LISTED = 20
"""Things of one kind that are named; the answer itself holds them all."""


def first_of(found: Iterable[str], what: str) -> Iterator[str]:
    """Yield the first of some lines, and how many more there are.

    >>> list(first_of(["a", "b"], "SKUs"))
    ['  a', '  b']
    >>> list(first_of(map(str, range(23)), "SKUs"))[-1]
    '  and 3 more SKUs'
    """
    lines = list(found)
    for one in lines[:_LISTED]:
        yield f"  {one}"
    if len(lines) > _LISTED:
        yield f"  and {len(lines) - _LISTED:,} more {what}"


PATH_LENGTH = 900
"""More than a path has in practice: one that is cut cannot be copied."""

NO_PLUGIN = "(no plugin)"
"""Of the hosts' own path, beside those of network plugins."""
SUBJECT_LENGTH = 160
"""Two names, an arrow and a zone."""

_LIMIT_NAMES = {
    "vm-egress": "VM egress",
    "nic-egress": "one physical NIC",
    "vm-ingress": "ingress of the receiver",
    "grid-edge": "rate of the edge in the grid",
    "storage-rate": "measured rate of Cloud Storage",
    "streams": "connections",
    "external-egress": "egress to outside the VPC",
    "region-quota": "project quota",
    "external-flow": "one flow to outside the VPC",
    "internal-flow": "one flow inside the VPC",
    "external-ingress": "ingress from outside the VPC",
    "external-ingress-packets": "packets from outside the VPC",
    "receiver-cores": "vCPUs of the receiver",
    "external-path": "external path",
    "host-link": "host link",
    "vpn-tunnel": "VPN tunnels",
    "single-flow-core": "core of one flow",
    "window-over-rtt": "window / RTT",
    "send-buffer-over-rtt": "send buffer / RTT",
    "slow-start-ramp": "start of the transfer",
    "pod-overlay-header": "headers of the pod network",
    "pod-packet-budget": "packets of the pod network",
    "pod-stream": "one stream of a pod",
    "pod-encryption": "encryption of the pod network",
    "pod-user-space": "process of the pod network",
    "pod-interface": "interface of the plugin",
    "disk": "disk",
    "measured-rate": "measured rate",
    "other-end": "other end",
    "serial-work": "work that runs on one vCPU",
    "vcpus": "vCPUs",
}
_PLURALS = {"hour": "hours", "minute": "minutes", "month": "months"}


def name(text: str) -> Span:
    """Return the name of a resource or rule."""
    return say(text, Role.NAME, length=NAME_LENGTH)


def subject(text: str, place_count: int = 1, added_machines: int = 0) -> Line:
    """Return a subject, how many alike places stand behind it, and of how many machines.

    Args:
        text: The place that is named.
        place_count: Of it and the others.
        added_machines: Where places are groups: machines beyond one a place.
    """
    others = f", and {place_count - 1:,} more" if place_count > 1 else ""
    whole = f" ({place_count + added_machines:,} VMs)" if added_machines else ""
    return line(say(text, length=SUBJECT_LENGTH), others, whole)


def added_machines(changes: Iterable[model.Change | None]) -> int:
    """Return how many machines changes are of beyond one a place: of groups all that they have."""
    groups = (len(one.targets) for one in changes if one and one.kind in model.BY_TEMPLATE)
    return sum(count - 1 for count in groups)


def finding_subject(finding: model.Finding) -> Line:
    """Return the place that a finding names, and how many it has."""
    added = added_machines(finding.changes)
    return subject(finding.subject, len(finding.members), added)


def limit_words(name: str) -> str:
    """Return the name of a limit in words.

    >>> limit_words("window-over-rtt")
    'window / RTT'
    """
    return _LIMIT_NAMES.get(name, name.replace("-", " "))


def limit_name(limit: model.Limit) -> str:
    """Return a limit in words, with what it depends on."""
    words = limit_words(limit.name)
    if not limit.detail:
        return words
    is_of = limit.name in OF_SENDER
    return f"{words} of {limit.detail}" if is_of else f"{words} ({limit.detail})"


def limit(value: model.Limit) -> Line:
    """Return a limit with its rate, and the spread of a measured one."""
    text = line(
        say(limit_name(value), length=SUBJECT_LENGTH), ", ", fixed(figures.rate(value.gbps))
    )
    if value.kind is not model.LimitKind.MEASURED:
        return text
    if value.low_gbps is None or value.high_gbps is None:
        return line(text, " (measured)")
    spread = figures.rates(value.low_gbps, value.high_gbps, joint=" to ")
    return line(text, " (", fixed(f"measured {spread}"), ")")


def binding(estimate: model.Estimate, *, is_short: bool = False) -> Line:
    """Return the limit that binds, with its rate where that is not the estimate's own."""
    value = estimate.binding
    if value is None or estimate.gbps is None:
        return ()
    if figures.rate(value.gbps) != figures.rate(estimate.gbps):
        return limit(value)
    text = line(say(limit_name(value), length=SUBJECT_LENGTH))
    if value.kind is not model.LimitKind.MEASURED:
        return text
    if is_short or value.low_gbps is None or value.high_gbps is None:
        return line(text, ", measured")
    return line(
        text, ", measured ", fixed(figures.rates(value.low_gbps, value.high_gbps, joint=" to "))
    )


def bound(estimate: model.Estimate) -> Line:
    """Return what binds an estimate; empty when nothing is known."""
    what = binding(estimate)
    return line("limit: ", what) if what else ()


def throughput(estimate: model.Estimate, role: Role = Role.STRONG) -> Line:
    """Return an estimate's rate with its interval, or why there is none."""
    if estimate.gbps is None:
        missing = "; ".join(estimate.unknown) or "a limit is missing"
        return line(say("unknown", Role.BAD), f", {missing}")
    text = line(fixed(figures.rate(estimate.gbps), role))
    if estimate.low_gbps is None or estimate.high_gbps is None:
        return text
    interval = figures.interval(estimate.gbps, estimate.low_gbps, estimate.high_gbps)
    return line(text, " ", fixed(interval))


def step(now: model.Estimate, then: model.Estimate, role: Role = Role.PLAIN) -> Line:
    """Return `1.6 → 15.9 Gbit/s`; an unknown end is said to be unknown."""
    if now.gbps is not None and then.gbps is not None:
        return line(fixed(figures.rates(now.gbps, then.gbps), role))
    ends = (figures.rate(e.gbps) if e.gbps is not None else "unknown" for e in (now, then))
    return line(fixed(" → ".join(ends), role))


def relief(fix: model.OrderedFix) -> Line:
    """Return what ends with a fix, where no rate tells it: a loss, or a limit in use."""
    if fix.lost:
        return line(say(f"no more {fix.lost}", Role.STRONG))
    if fix.used_ratio is not None and fix.fixed is None:
        return line(fixed(f"raises a limit that is {fix.used_ratio:.0%} used", Role.STRONG))
    return ()


def money(usd: Decimal | None) -> Line:
    """Return what a fix does to the bill; empty when nothing is known of it."""
    return line(fixed(figures.saved(usd), money_role(usd))) if usd is not None else ()


def effect(usd: Decimal) -> Line:
    """Return what a fix does to the bill in few words: `saves $643.07`."""
    verb = "costs" if usd < 0 else "saves"
    return line(fixed(model.worded(f"{verb} ", model.Amount(usd=abs(usd))), money_role(usd)))


def money_role(usd: Decimal) -> Role:
    """Return the role of an amount: good where it saves."""
    return Role.GOOD if usd > 0 else Role.COST if usd < 0 else Role.PLAIN


def quantity(item: model.LineItem) -> str:
    """Return a line's quantity with its unit, without the sign."""
    amount = abs(item.quantity)
    unit = _PLURALS.get(item.unit, item.unit) if amount != 1 else item.unit
    return f"{figures.number(amount)} {unit}"


def unit_price(usd: Decimal) -> model.Amount:
    """Return a price per unit, of which every digit is shown."""
    return model.Amount(usd=usd, kind=model.AmountKind.UNIT_PRICE)


def product(item: model.LineItem) -> Line:
    """Return `64,307 GiB × $0.01`."""
    text = model.worded(f"{quantity(item)} × ", unit_price(item.unit_price_usd))
    return line(say(text, glued=True, length=NAME_LENGTH))


def origin(item: model.LineItem) -> str:
    """Return what a line pays for, by which SKU, and the date of its price."""
    text = f"{item.name}{skus(item.sku_ids)}, {item.as_of.isoformat()}"
    return f"{text}; {item.caveat}" if item.caveat else text


def skus(ids: Sequence[str]) -> str:
    """Return `, SKU A` or `, SKUs A + B`; nothing where a source names none."""
    if not ids:
        return ""
    return f", SKU{'s' if len(ids) > 1 else ''} {' + '.join(ids)}"


def bill(item: model.LineItem, *, is_cost: bool = False) -> Line:
    """Return one line of a bill: what it does, and the product behind it.

    A line of a finding is a saving, and a cost where it is negative; `is_cost` is for a line of
    what is paid, which saves where it is negative.
    """
    verb = "costs" if (item.usd_per_month >= 0) is is_cost else "saves"
    usd = item.usd_per_month
    amount = fixed(model.worded(f"{verb} ", model.Amount(usd=abs(usd))), money_role(usd))
    return line(amount, " = ", product(item), f" ({origin(item)})")


def bills(
    items: Sequence[model.LineItem], limit_count: int | None, *, are_costs: bool = False
) -> tuple[Line, ...]:
    """Return the greatest lines of a bill; of the others what they come to, by kind.

    Where some of the others are paid and some are not any more, their net comes first.
    """
    ranked = sorted(items, key=lambda item: (-abs(item.usd_per_month), item.name, item.source))
    shown = ranked if limit_count is None else ranked[:limit_count]
    lines = [bill(item, is_cost=are_costs) for item in shown]
    rest = ranked[len(shown) :]
    if rest:
        net = model.total_usd(rest)
        amount = effect(-net if are_costs else net)
        more = f"and {figures.counted(len(rest), 'line')} more: "
        lines.append(line(more, amount, _sides(rest, are_costs=are_costs), _ALL_LINES))
    return tuple(lines)


_ALL_LINES = ". All lines: --output json"


def _sides(items: Sequence[model.LineItem], *, are_costs: bool) -> Line:
    """Return what lines are by kind; of both signs how much each side is."""
    sides = [
        [item for item in items if _is_of_today(item, are_costs) is is_positive]
        for is_positive in (True, False)
    ]
    kinds = [by_kind((_kind(one), one.usd_per_month) for one in side) for side in sides]
    if not all(sides):
        return line(" (", kinds[0] if sides[0] else kinds[1], ")")
    paid, instead = (fixed(model.Amount(usd=abs(model.total_usd(side)))) for side in sides)
    words = ("Paid", "Deducted") if are_costs else ("No longer paid", "Paid instead")
    first = line(f" net. {words[0]}: ", paid, " (", kinds[0], "). ")
    return line(first, f"{words[1]}: ", instead, " (", kinds[1], ")")


def _is_of_today(item: model.LineItem, are_costs: bool) -> bool:
    """Return whether a line is on the side that is paid, or no longer: not on the other one."""
    return item.usd_per_month >= 0 and (are_costs or not is_paid_instead(item))


def _kind(item: model.LineItem) -> str:
    """Return what a line is of, wherever it is: a machine type, a class of path."""
    name = item.name.partition(":")[0].partition(",")[0]
    return " ".join(name.split()[:2]) if name.startswith("traffic ") else name


def by_kind(amounts: Iterable[tuple[str, Decimal]]) -> Line:
    """Return sums by kind, the greatest first, until what is left is a tenth of all or little each.

    >>> from netplan_planner.renderers.document import plain
    >>> plain(by_kind(zip("abc", map(Decimal, (90, 5, 5)), strict=True)))
    'a $90.00, 2 others $10.00'
    """
    kinds: defaultdict[str, Decimal] = defaultdict(Decimal)
    for name, usd in amounts:
        kinds[name] += abs(usd)
    ranked = sorted(
        ((k, usd) for k, usd in kinds.items() if usd), key=lambda one: (-one[1], one[0])
    )
    whole = sum((usd for _, usd in ranked), Decimal(0))
    parts: list[Line] = []
    left = whole
    for at, (name, usd) in enumerate(ranked):
        rest = len(ranked) - at
        if rest > 1 and (left <= whole * _TAIL or at == _KINDS):
            most = (
                model.worded(", each at most ", model.Amount(usd=usd))
                if left > whole * _TAIL
                else ""
            )
            parts.append(line(f"{rest:,} others ", fixed(model.Amount(usd=left)), most))
            break
        parts.append(line(say(name), " ", fixed(model.Amount(usd=usd))))
        left -= usd
    return joined(parts, ", ")


def numbers(values: Iterable[int]) -> str:
    """Return numbers as a list in words.

    >>> numbers([1]), numbers([1, 2]), numbers([1, 2, 5])
    ('1', '1 and 2', '1, 2 and 5')
    """
    texts = [str(value) for value in values]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def log_settings(settings: LogSettings) -> str:
    """Return settings of flow logs in words: `sampling 0.5, 5 s, metadata`."""
    if settings.sampling_ratio == 0:
        return "off"
    ratio = settings.sampling_ratio
    parts = [
        f"sampling {'not stated' if ratio is None else f'{ratio:g}'}",
        "" if settings.interval_s is None else _interval(settings.interval_s),
        "metadata" if settings.has_metadata else "no metadata",
        "filtered" if settings.filter_expr else "",
    ]
    return ", ".join(filter(None, parts))


def _interval(interval_s: int) -> str:
    minutes, seconds = divmod(interval_s, SECONDS_PER_MINUTE)
    return f"{minutes} min" if not seconds else f"{interval_s} s"


def place(source: str) -> Span:
    """Return where in the input something stands; only a path of absurd length is cut."""
    return say(source, Role.PLACE, glued=True, length=PATH_LENGTH)


# What a written file lacks, since some of the evidence could not be read


def blocks(incomplete: Sequence[str], options: RenderOptions) -> Iterator[Block]:
    """Yield what could not be read in full; nothing where all was."""
    if not incomplete:
        return
    yield Section(line=line("Not fully read"))
    shown = incomplete[: options.row_limit]
    for what in shown:
        yield Item(line=line(what))
    if len(shown) < len(incomplete):
        yield Item(line=line(f"and {len(incomplete) - len(shown):,} more"))
