"""The answer of `netplan whatif`: a project before and after changes."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Amount, Text, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.plans import changes
from netplan_planner.renderers.document import Block, Line, Role, Span, fixed, line, say
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import cents
from netplan_planner.verbs.whatif import answer as whatif
from netplan_planner.verbs.whatif.views import details

SCHEMA = "netplan.whatif/1"
_OF_SIDE = (
    "zone",
    "machine_type",
    "is_tier1",
    "egress_gbps",
    "external_gbps",
    "p95_gbps",
    "external_p95_gbps",
    "gbps",
    "machine_usd_per_month",
    "traffic_usd_per_month",
)
COLUMNS = (
    "name",
    "is_changed",
    *(f"before_{name}" for name in _OF_SIDE),
    *(f"after_{name}" for name in _OF_SIDE),
)
_ZERO = Decimal(0)


def table(answer: whatif.WhatifAnswer) -> DataTable:
    """Return a row a machine that changes, or on which the changes bear."""
    rows = (
        (pair.name, pair.is_changed, *_cells(pair.before), *_cells(pair.after))
        for pair in answer.machines
    )
    return DataTable(COLUMNS, rows)


def _cells(machine: whatif.WhatifMachine) -> Iterator[Cell]:
    for name in _OF_SIDE:
        value = getattr(machine, name)
        is_money = isinstance(value, Decimal)
        yield figures.exact(value, figures.SUM_DECIMALS) if is_money else value


def blocks(answer: whatif.WhatifAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what it comes to, the changes in order, machines, findings, and what to know."""
    yield doc.Title(line=line(say(answer.title)), basis=line(_what(answer)))
    yield doc.section("Summary")
    yield _sums(answer)
    yield from _unpriced(answer.before, answer.after)
    yield doc.section("Effect of each change, in this order")
    for step in answer.steps:
        yield from _step(step)
    for why in answer.advised_against:
        yield doc.para(say(why, Role.COST))
    yield from _together(answer)
    yield from details(answer, options)
    yield from changes(answer.changes, options)
    shown = answer.notes if options.verbosity else answer.notes[: options.max_rows or None]
    for note in shown:
        yield doc.para(say(note))
    if len(shown) < len(answer.notes):
        yield doc.para(f"and {len(answer.notes) - len(shown):,} more notes (--explain)")
    yield from phrases.blocks(answer.incomplete, options)
    yield doc.para(_basis(answer))
    if options.currency is not None:
        yield doc.para(options.currency.assumption)


def _what(answer: whatif.WhatifAnswer) -> str:
    changed = sum(pair.is_changed for pair in answer.machines)
    return (
        f"{counted(len(answer.steps), 'change')} to {changed:,} of "
        f"{counted(answer.machine_count, 'VM')} · limits of {answer.limits_as_of} · prices of "
        f"{answer.prices_as_of}"
    )


def _sums(answer: whatif.WhatifAnswer) -> doc.Table:
    """Return what the whole project costs and carries, before and after."""
    old, new = answer.before, answer.after
    money = (
        ("VMs", old.money.machines_usd, new.money.machines_usd),
        ("external addresses", old.money.addresses_usd, new.money.addresses_usd),
        ("traffic", old.money.traffic_usd, new.money.traffic_usd),
        ("network services", old.money.services_usd, new.money.services_usd),
        (
            "commitments, difference" if old.money.commitments_unknown else "commitments",
            old.money.commitments_usd,
            new.money.commitments_usd,
        ),
    )
    least = (
        "minimum for unknown prices",
        old.money.unpriced_low_usd,
        new.money.unpriced_low_usd,
    )
    rows = [_money(*one) for one in money if one[1] or one[2] or one[2] is None]
    rows += [_money(*least)] if least[1] or least[2] else []
    rows.append(
        _money(
            "total per month",
            old.money.least_usd_per_month,
            new.money.least_usd_per_month,
            Role.STRONG,
        )
    )
    if old.gbps is not None or new.gbps is not None:
        is_known = not old.unknown_flow_count and not new.unknown_flow_count
        change = (new.gbps or 0.0) - (old.gbps or 0.0)
        rows.append(
            (
                line(say("all flows at the same time", Role.STRONG)),
                line(_flows(old)),
                line(_flows(new)),
                line(gained(change) if is_known else "unknown"),
            )
        )
    if old.full_machine_count or new.full_machine_count:
        full = (old.full_machine_count, new.full_machine_count)
        unknown = (bool(old.unknown_limit_count), bool(new.unknown_limit_count))
        rows.append(_count("VMs at a limit", full, unknown))
    is_open = (False, any(one.state is whatif.FindingState.UNJUDGED for one in answer.findings))
    rows.append(_count("findings", (old.finding_count, new.finding_count), is_open))
    places = (old.finding_place_count, new.finding_place_count)
    rows.append(_count("affected resources", places, is_open))
    columns = (
        doc.Column(title=""),
        doc.Column(title="before", is_number=True, stacked="{} before"),
        doc.Column(title="after", is_number=True, stacked="{} after"),
        doc.Column(title="change", is_number=True),
    )
    return doc.Table(columns=columns, rows=tuple(rows))


def _money(
    name: str, before: Decimal | None, after: Decimal | None, role: Role = Role.PLAIN
) -> tuple[Line, ...]:
    if before is None or after is None:
        known = line("?") if before is None else line(fixed(Amount(usd=before)))
        return line(say(name, role)), known, line("?"), line("unknown")
    return (
        line(say(name, role)),
        line(fixed(Amount(usd=before))),
        line(fixed(Amount(usd=after))),
        line(doc.change_of(after - before)),
    )


def _count(name: str, counts: tuple[int, int], is_least: tuple[bool, bool]) -> tuple[Line, ...]:
    """Return a row of counts before and after; at least so many where some are not judged."""
    before, after = counts
    sign = f"{after - before:+,}" if after != before else "same"
    said = (
        f"{'at least ' if least else ''}{one:,}"
        for one, least in zip(counts, is_least, strict=True)
    )
    change = line("unknown") if any(is_least) else line(fixed(sign))
    return line(name), *(line(fixed(one)) for one in said), change


def _flows(side: whatif.WhatifSide) -> Span:
    """Return what all flows get; at least what those get whose rate is known."""
    if side.gbps is None:
        return say("?")
    at_least = "at least " if side.unknown_flow_count else ""
    return fixed(f"{at_least}{figures.rate(side.gbps)}")


def gained(gbps: float) -> Span:
    """Return by how much a rate rises or falls, with its sign."""
    if abs(gbps) < 5e-7:
        return fixed("same")
    sign, role = ("+", Role.GOOD) if gbps > 0 else ("-", Role.COST)
    return fixed(f"{sign}{figures.rate(abs(gbps))}", role)


def _unpriced(before: whatif.WhatifSide, after: whatif.WhatifSide) -> Iterator[Block]:
    old, new = before.money, after.money
    if new.unpriced_machine_count:
        found = counted(new.unpriced_machine_count, "VM")
        has = "has" if new.unpriced_machine_count == 1 else "have"
        said = f"{found} {has} no known price after it ({old.unpriced_machine_count:,} before)"
        yield doc.para(f"Not included: {said}.")
    if old.unpriced_gib or new.unpriced_gib:
        was, now = figures.volume(old.unpriced_gib), figures.volume(new.unpriced_gib)
        volumes = was if was == now else f"{was} before and {now} after"
        parts: list[Text | Amount] = [
            f"Not included: traffic with no known price, {volumes} per month"
        ]
        if new.unpriced_high_usd:
            low, high = Amount(usd=new.unpriced_low_usd), Amount(usd=new.unpriced_high_usd)
            least = "; the totals contain the minimum" if new.unpriced_low_usd else ""
            parts += [". After the changes it costs ", low, " to ", high, least]
        yield doc.para(say(worded(*parts, ".")))


def _step(step: whatif.WhatifStep) -> Iterator[Block]:
    many = f" ({counted(step.machine_count, 'VM')})" if step.machine_count > 1 else ""
    alone = line("; alone: ", gain(step.alone)) if step.alone != step.marginal else ()
    name = phrases.name(step.change.label)
    yield doc.item(f"{step.rank}. ", name, f"{many}: ", gain(step.marginal), alone)


def gain(found: whatif.WhatifGain) -> Line:
    """Return what a change brings, in words."""
    said: list[Span] = []
    if found.gains_gbps:
        word = "more" if found.gains_gbps > 0 else "less"
        role = Role.GOOD if found.gains_gbps > 0 else Role.COST
        said.append(fixed(f"{figures.rate(abs(found.gains_gbps))} {word}", role))
    usd = found.saves_usd_per_month
    if usd is not None and cents(usd):
        said.append(say(figures.saved(usd), Role.GOOD if usd > 0 else Role.COST))
    if not found.is_possible:
        return line("not possible: ", say(found.unknown))
    unknown = found.unknown_flow_count
    if not said and usd is not None and not unknown:
        return line("no effect" if found.gains_gbps is not None else "saves nothing")
    parts: list[Span] = []
    for one in said:
        parts += [say(", "), one] if parts else [one]
    if usd is None:
        joint = ", cost unknown: " if parts else "cost unknown: "
        parts += [say(joint), say(found.unknown)]
    if unknown:
        of = f"effect on {counted(unknown, 'flow')}"
        parts.append(say(f"{'; ' if parts else ''}{of} unknown"))
    return tuple(parts)


def _together(answer: whatif.WhatifAnswer) -> Iterator[Block]:
    if not answer.together:
        return
    yield doc.section("Only together")
    for one in answer.together:
        yield doc.field(_listed(one), *_lift(one))


def _listed(one: whatif.WhatifSet) -> str:
    return " + ".join(str(rank) for rank in one.ranks)


def _lift(one: whatif.WhatifSet) -> Iterator[Span]:
    more = f", and {one.flow_count - 1:,} more" if one.flow_count > 1 else ""
    yield say(one.flow, length=phrases.SUBJECT_LENGTH)
    yield say(f"{more}: ")
    yield fixed(figures.rates(one.now_gbps, one.together_gbps), Role.GOOD)
    yield say(f"; at most {figures.rate(one.most_without_gbps)} without one of them")
    if one.used_ratio is not None:
        yield say(f"; the sender uses {figures.use(one.used_ratio)} of its limit now")


def _basis(answer: whatif.WhatifAnswer) -> str:
    asks = (
        "Rates: max-min fair. Each flow needs its busiest minute; a flow that is limited today "
        "needs all that its path carries. "
        if answer.has_traffic
        else "No traffic was given, so rates and traffic cost are unknown. "
    )
    return f"{asks}Nothing was changed. What this cannot know: docs/reference/verbs/whatif.md"
