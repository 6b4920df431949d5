"""Traffic by path class and between zones."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.model.report_rows import HUB_WORK
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import explain, phrases
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions

_SAME_GIB = Decimal("1e-6")
"""Sums of volumes that differ by less are one: each was rounded by itself."""
_REASON_LENGTH = 120
"""Of why something has no price; whole in the JSON report."""
_BILL_LINES = 8
"""Prices of one path class; all are in the JSON report."""
_PROCESSED = frozenset({model.PathClass.NAT, model.PathClass.LOAD_BALANCER})
"""Classes of which own machines pay for what they receive, one way or another."""
_WHERE = {
    model.Direction.SENT: "",
    model.Direction.RECEIVED: ", received",
    model.Direction.ELSEWHERE: ", between others",
}


def by_class(totals: Sequence[model.ClassTotal], options: RenderOptions) -> Iterator[Block]:
    """Yield the table of path classes, the greatest volume first, with a row for all sent."""
    if not totals:
        return
    yield doc.section("Traffic by path, per month of 730 hours")
    sent, received, others = (
        sorted((total for total in totals if total.direction is direction), key=_size)
        for direction in model.Direction
    )
    beside = [*received[: options.row_limit], *others[: options.row_limit]]
    shown = sent[: options.row_limit]
    whole = sum((total.gib_per_month for total in sent), Decimal(0))
    rows = [_class_row(total, whole) for total in shown]
    if len(sent) > 1:
        rows.append(_all_row(sent, whole))
    rows += [_class_row(total, None) for total in beside]
    paid = [total for total in received if total.line_items or total.unpriced]
    if paid:
        rows.append(_billed_row([*sent, *paid]))
    columns = (
        doc.Column(title="path"),
        doc.Column(title="volume", is_number=True),
        doc.Column(title="share", is_number=True),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="pairs", is_number=True, stacked="pairs: {}"),
        doc.Column(title="note", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(rows))
    hidden = len(totals) - len(shown) - len(beside)
    yield from _more(hidden, "path class", "path classes")
    if options.gives_sources():
        yield from _priced([*sent, *paid])


def _priced(totals: Sequence[model.ClassTotal]) -> Iterator[Block]:
    """Yield each path class's bill, the dearest lines first."""
    for total in totals:
        if total.usd_per_month and total.line_items:
            lines = phrases.bills(total.line_items, _BILL_LINES, are_costs=True)
            yield doc.field("prices", lines[0], more=lines[1:], is_source=True)


def _size(total: model.ClassTotal) -> tuple[Decimal, str, str]:
    return (-total.gib_per_month, total.path_class.value, total.direction)


_ZONE_PAIRS = 6
"""Rows take two lines each; the dearest are what a reader looks for."""


def between_zones(pairs: Sequence[model.ZonePair], options: RenderOptions) -> Iterator[Block]:
    """Yield the table of zone pairs, the dearest first."""
    if not pairs:
        return
    yield doc.section("Between zones")
    ranked = sorted(pairs, key=_rank)
    limit = options.row_limit
    shown = ranked[: limit if options.folds else limit and min(limit, _ZONE_PAIRS)]
    columns = (
        doc.Column(title="zones"),
        doc.Column(title="address"),
        doc.Column(title="volume", is_number=True),
        doc.Column(title="monthly", is_number=True, stacked="{}/month"),
        doc.Column(title="fastest pair", is_number=True, stacked="fastest pair: {}"),
        doc.Column(title="possible", is_number=True, stacked="maximum: {}"),
        doc.Column(title="RTT", is_number=True, stacked="round trip: {}"),
        doc.Column(title="largest pair", is_note=True, stacked="largest pair: {}"),
    )
    yield doc.Table(columns=columns, rows=tuple(_pair_row(pair) for pair in shown))
    yield from _more(len(ranked) - len(shown), "zone pair", "zone pairs")
    if options.folds:
        yield from _sources(shown)


def _sources(pairs: Sequence[model.ZonePair]) -> Iterator[Block]:
    """Yield the bill of each pair of zones, and the limits of what is possible between them."""
    for pair in pairs:
        lines = phrases.bills(pair.line_items, _BILL_LINES, are_costs=True)
        yield doc.field("zones", _zones(pair), more=lines, is_source=True)
        if pair.predicted is not None:
            yield from explain.limits("possible", pair.predicted)


def _rank(pair: model.ZonePair) -> tuple[Decimal, Decimal, str, str, str]:
    usd = pair.usd_per_month or Decimal(0)
    return (-usd, -pair.gib_per_month, pair.src_zone, pair.dst_zone, pair.path_class.value)


def _more(count: int, noun: str, plural: str) -> Iterator[Block]:
    if count > 0:
        text = figures.counted(count, f"more {noun}", f"more {plural}")
        yield doc.para(f"and {text} (list them: -v)")


def usd_cell(
    usd: Decimal | None,
    note: str = "",
    unpriced: Sequence[model.Unpriced] = (),
    role: Role = Role.PLAIN,
) -> Line:
    """Return an amount; with something unpriced, between what it is, or what it is at least."""
    if unpriced:
        low, high = model.unpriced_span(unpriced)
        known = usd or Decimal(0)
        least = model.Amount(usd=known + low)
        if high is not None:
            most = model.Amount(usd=known + high)
            is_one = figures.shown(least) == figures.shown(most)
            return line(fixed(least if is_one else model.worded(least, " to ", most), role))
        if known + low:
            return line(fixed(model.worded("at least ", least), role))
        return line(say("unknown", Role.BAD))
    if usd is not None:
        return line(fixed(model.Amount(usd=usd), role))
    return line(say("unknown" if note else "not priced", Role.BAD if note else Role.DIM))


def unpriced_note(unpriced: Sequence[model.Unpriced], whole: Decimal | None = None) -> Line:
    """Return what of `whole` has no price, why, and what would tell; the rest is in the JSON."""
    first = unpriced[0]
    alike = [one for one in unpriced if one.reason == first.reason]
    quantity = sum((one.quantity for one in alike), Decimal(0))
    is_all = first.unit != "GiB" or (whole is not None and abs(quantity - whole) < _SAME_GIB)
    amount = "" if is_all else f"{figures.volume(quantity)} of it: "
    tells = to_know(alike)
    rest = len({one.reason for one in unpriced}) - 1
    more = f"; and {rest} more" if rest else ""
    reason = first.reason
    if len(reason) > _REASON_LENGTH:
        reason = f"{reason[:_REASON_LENGTH].rpartition(' ')[0]} …"
    return line(f"{amount}{reason}{tells}{more}")


def to_know(unpriced: Sequence[model.Unpriced]) -> str:
    """Return what would tell the price of the first of parts without one, or nothing."""
    what = next((one.what_tells for one in unpriced if one.what_tells), "")
    return f"; find out: {what}" if what else ""


def _class_row(total: model.ClassTotal, whole: Decimal | None) -> tuple[Line, ...]:
    """Return the row of a class; `whole` is None for traffic that own machines do not send."""
    name = say(total.path_class.value, Role.NAME)
    share = figures.share(float(total.gib_per_month), float(whole)) if whole is not None else ""
    is_sent = total.direction is model.Direction.SENT
    is_received = total.direction is model.Direction.RECEIVED
    return (
        line(name, _WHERE[total.direction]),
        line(fixed(figures.volume(total.gib_per_month))),
        line(fixed(share)) if share else (),
        usd_cell(total.usd_per_month, total.price_note, total.unpriced)
        if is_sent or total.usd_per_month is not None or total.unpriced
        else line(say("not billed" if is_received else "not priced", Role.DIM)),
        line(f"{total.edge_count:,}"),
        _class_note(total),
    )


def _class_note(total: model.ClassTotal) -> Line:
    hub = _over_hubs(total)
    if total.unpriced:
        said = unpriced_note(total.unpriced, total.gib_per_month)
        return line(hub, "; ", said) if hub else said
    is_free = total.direction is model.Direction.RECEIVED and total.path_class not in _PROCESSED
    return hub or (line(total.price_note) if total.price_note and not is_free else ())


def _over_hubs(total: model.ClassTotal) -> Line:
    """Return how much goes over hubs of Network Connectivity Center, and what these charge."""
    items = total.over_hubs
    if not items:
        return ()
    volume = figures.volume(sum((item.quantity for item in items), Decimal(0)))
    usd = fixed(model.Amount(usd=model.total_usd(items)))
    return line(f"{volume} of it over a hub: {HUB_WORK} data transfer ", usd)


def _all_row(totals: Sequence[model.ClassTotal], whole: Decimal) -> tuple[Line, ...]:
    unpriced = [one for total in totals for one in total.unpriced]
    gib = figures.volume(sum((one.quantity for one in unpriced), Decimal(0)))
    return (
        line(say("all sent", Role.STRONG)),
        line(fixed(figures.volume(whole), Role.STRONG)),
        (),
        _sum(totals),
        line(f"{sum(total.edge_count for total in totals):,}"),
        line(f"{gib} with no known price") if unpriced else (),
    )


def _billed_row(totals: Sequence[model.ClassTotal]) -> tuple[Line, ...]:
    note = line("sent, and ingress processing")
    return line(say("all billed", Role.STRONG)), (), (), _sum(totals), (), note


def _sum(totals: Sequence[model.ClassTotal]) -> Line:
    known = [total.usd_per_month for total in totals if total.usd_per_month is not None]
    unpriced = [one for total in totals for one in total.unpriced]
    return usd_cell(sum(known, Decimal(0)) if known else None, "no price", unpriced, Role.STRONG)


def _pair_row(pair: model.ZonePair) -> tuple[Line, ...]:
    possible = pair.predicted.gbps if pair.predicted is not None else None
    one_flow = _one_flow(pair)
    distance, _, address = pair.path_class.value.rpartition("-")
    unknown = line(say("unknown", Role.DIM))
    return (
        _zones(pair),
        line(address if distance else pair.path_class.value),
        line(fixed(figures.volume(pair.gib_per_month))),
        usd_cell(pair.usd_per_month, "no price", pair.unpriced),
        line(fixed(figures.rate(pair.max_gbps))),
        line(fixed(figures.rate(possible))) if possible is not None else unknown,
        line(fixed(f"{figures.number(pair.rtt_ms)} ms")) if pair.rtt_ms is not None else unknown,
        line(say(pair.pair, length=phrases.SUBJECT_LENGTH), one_flow),
    )


def _one_flow(pair: model.ZonePair) -> str:
    """Return what one flow gets one way, and each way while both send, where it is less."""
    possible = pair.predicted.gbps if pair.predicted is not None else None
    alone = pair.one_flow.gbps if pair.one_flow is not None else None
    both = pair.one_flow_both_ways.gbps if pair.one_flow_both_ways is not None else None
    if alone is None or (alone == possible and both == possible):
        return ""
    text = f"; one flow: {figures.rate(alone)} one way"
    if both is None or both == alone:
        return text
    return f"{text}, {figures.rate(both)} each way if both run at the same time"


def _zones(pair: model.ZonePair) -> Line:
    src = say(pair.src_zone, Role.NAME, length=40)
    if pair.src_zone == pair.dst_zone:
        return line("inside ", src)
    return line(src, " → ", say(pair.dst_zone, Role.NAME, length=40))
