"""Everything behind a finding: inputs, limits in order, formula, prices, with source and date."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.inert import LINE_LENGTH, is_inert
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Command, Field, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions

_LINES = 40
"""Lines of one kind; JSON holds all of them."""


def explanation(finding: model.Finding, options: RenderOptions) -> Iterator[Block]:
    """Yield what a finding rests on, so that a reader can compute it again."""
    info = options.rule_info(finding.rule)
    if info is not None:
        why = line(f"{finding.title}. {info.rationale}")
        yield Field(label="why", line=why, is_source=True)
        if info.guards:
            guards = line(say(info.guards, length=LINE_LENGTH))
            yield Field(
                label="no finding if",
                line=guards,
                is_source=True,
            )
    yield from _several("inputs", [_evidence(entry) for entry in finding.evidence])
    for label, estimate in (
        ("limits", finding.throughput_now),
        ("then", finding.throughput_fixed),
    ):
        if estimate is not None:
            yield from limits(label, estimate)
    if finding.limit is not None and finding.throughput_now is None:
        yield from _several("limit", [limit(finding.limit)])
    yield from _prices(finding)
    if finding.fix is not None:
        yield from _several("see", [line(document) for document in finding.fix.documents])
    yield from _places(finding)
    places = [ref for member in finding.members for ref in member.resources]
    read = dict.fromkeys(_read(ref) for ref in (*finding.resources, *places))
    yield from _several("read", list(read))
    yield Field(label="id", line=line(say(finding.fingerprint, Role.DIM)), is_source=True)


def _places(finding: model.Finding) -> Iterator[Block]:
    """Yield each further place with its own money and commands."""
    for member in finding.members[1:_LINES]:
        usd = member.saving_usd_per_month
        bill = line(", ", phrases.money(usd)) if usd else ()
        subject = say(member.subject, length=phrases.SUBJECT_LENGTH)
        also = line(subject, model.worded(": ", member.message), bill)
        yield Field(label="also", line=also, is_source=True)
        own = member.fix.commands if member.fix is not None else ()
        if finding.fix is None or own != finding.fix.commands:
            yield from (Command(text=text) for text in own if is_inert(text))
    if len(finding.members) > _LINES:
        rest = len(finding.members) - _LINES
        text = line(f"{figures.counted(rest, 'more resource')} in --output json")
        yield Field(label="also", line=text, is_source=True)


def _several(label: str, lines: list[Line]) -> Iterator[Block]:
    if not lines:
        return
    shown = lines[:_LINES]
    more = list(shown[1:])
    if len(lines) > len(shown):
        more.append(line(f"and {len(lines) - len(shown):,} more in --output json"))
    yield Field(label=label, line=shown[0], more=tuple(more), is_source=True)


def _evidence(entry: model.Evidence) -> Line:
    value = entry.value if isinstance(entry.value, str) else figures.number(entry.value)
    text = f"{value} {entry.unit}".rstrip()
    return line(
        say(entry.name.replace("_", " ").replace("machines", "VMs"), Role.DIM),
        " = ",
        fixed(text) if len(text) <= 30 else say(text),
        *((f" ({entry.source})",) if entry.source else ()),
    )


def limits(label: str, estimate: model.Estimate) -> Iterator[Block]:
    """Yield the limits of a rate in rising order, each with source and date."""
    lines = [limit(entry) for entry in estimate.limits]
    if estimate.gbps is not None and len(lines) > 1:
        least = " and ".join(figures.rate(entry.gbps) for entry in estimate.limits)
        lines.append(line(f"smallest of {least}: ", fixed(figures.rate(estimate.gbps))))
    lines += [line(say("unknown", Role.BAD), f": {what}") for what in estimate.unknown]
    yield from _several(label, lines)


def limit(entry: model.Limit) -> Line:
    """Return a limit with its source, its date and what lifts it."""
    lifted = f". To raise it: {entry.lifted_by}" if entry.lifted_by else ""
    kind = ", documented" if entry.kind is model.LimitKind.DOCUMENTED else ""
    return line(phrases.limit(entry), f"{kind}: {entry.source}, {entry.as_of.isoformat()}{lifted}")


def _prices(finding: model.Finding) -> Iterator[Block]:
    lines: list[Line] = []
    for item in finding.line_items:
        lines.append(line(phrases.bill(item), f": {_price_source(item)}"))
        lines += [_part(part) for part in item.parts]
    if len(lines) > 1 and finding.saving_usd_per_month is not None:
        lines.append(line("total ", phrases.money(finding.saving_usd_per_month)))
    yield from _several("prices", lines)


def _part(part: model.PricePart) -> Line:
    """Return what one SKU adds to a unit price: `16 vcpu-hour × $0.031611, N2 Instance Core …`."""
    quantity = f"{figures.number(part.quantity)} {part.unit}"
    times = "" if part.ratio == 1 else f" × {part.ratio.normalize():f}"
    amount = model.worded(f"{quantity} × ", phrases.unit_price(part.unit_price_usd), times)
    named = phrases.skus([one for one in (part.sku_id, part.ratio_sku_id) if one])
    return line(
        "  including ",
        say(amount, glued=True),
        f", {part.description}{named}, {part.as_of.isoformat()}",
    )


def _price_source(item: model.LineItem) -> str:
    return item.source if item.sku_ids else f"{item.source}, without a SKU id"


def _read(ref: model.ResourceRef) -> Line:
    where = f" at {ref.source}" if ref.source else ""
    return line(say(ref.self_link, Role.NAME, length=phrases.SUBJECT_LENGTH), where)
