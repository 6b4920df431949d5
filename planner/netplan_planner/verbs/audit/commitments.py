"""What commitments are paid for, what of them is used, and what they do to a finding's saving."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.ledger.compared import AT_LIST
from netplan_planner.model import Amount, CommitmentUse, CommittedPart, Finding, FlexibleUse, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Line, Role, Span, fixed, line, say
from netplan_planner.renderers.options import RenderOptions

_ACTIVE = "active"


def commitments(
    uses: Sequence[CommitmentUse], flexible: FlexibleUse | None, options: RenderOptions
) -> Iterator[Block]:
    """Yield the table of what is committed, used and paid for nothing; a total at the end."""
    if not uses and flexible is None:
        return
    yield doc.section("Commitments: cost and use")
    if flexible is not None:
        yield from _flexible(flexible)
    if not uses:
        return
    shown = uses[: options.row_limit]
    columns = (
        doc.Column(title="commitment"),
        doc.Column(title="for"),
        doc.Column(title="paid until"),
        doc.Column(title="committed", is_number=True),
        doc.Column(title="used", is_number=True, stacked="used {}"),
        doc.Column(title="unused", is_number=True, stacked="unused {}"),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="unused per month", is_number=True, stacked="unused: {}/month"),
        doc.Column(title="note", is_note=True),
    )
    rows = [row for use in shown for row in _rows(use)]
    yield doc.Table(columns=columns, rows=tuple(rows))
    if len(uses) > len(shown):
        text = figures.counted(len(uses) - len(shown), "more commitment")
        yield doc.para(f"and {text} (list them: -v)")
    yield from _total(uses)


def _flexible(use: FlexibleUse) -> Iterator[Block]:
    """Yield what flexible commitments were paid, covered and left, as it was billed."""
    plans = f" ({', '.join(use.plans)})" if use.plans else ""
    if use.doubt:
        yield doc.para(f"Flexible commitments{plans} are billed, but it is unknown {use.doubt}")
        return
    unused = use.unused_usd_per_month
    left = (
        (" they would cover ", fixed(worded(Amount(usd=unused), " more"), Role.COST))
        if unused
        else (" they are fully used",)
    )
    yield doc.para(
        f"Flexible commitments{plans}: ",
        fixed(worded(Amount(usd=use.usd_per_month), "/month")),
        " covers ",
        fixed(Amount(usd=use.covered_usd_per_month)),
        " of on-demand spend, in all projects of the billing account;",
        *left,
        "; ",
        fixed(Amount(usd=use.uncovered_usd_per_month)),
        f" of spend on the same SKUs is paid on demand ({use.source}, {use.start:%Y-%m-%d} to "
        f"{use.end:%Y-%m-%d}{_other_hours(use)})",
    )


def _other_hours(use: FlexibleUse) -> str:
    """Return how much of the time is left out, because other commitments were in force."""
    if not use.other_hour_count:
        return ""
    return f", excluding {figures.counted(use.other_hour_count, 'hour')} with another fee"


def _rows(use: CommitmentUse) -> Iterator[tuple[Line, ...]]:
    """Yield a row for each resource; what is said once stands in the first."""
    for number, part in enumerate(use.parts or (None,)):
        is_first = number == 0
        yield (
            line(phrases.name(use.name)) if is_first else (),
            line(", ".join(filter(None, ("/".join(use.series), use.region)))) if is_first else (),
            line(fixed(_until(use))) if is_first else (),
            line(fixed(_amount(part.committed, part))) if part else (),
            _used(part.used, part) if part else (),
            _used(part.stranded, part, is_bad=True) if part else (),
            _usd(part.usd_per_month) if part else (),
            _usd(part.stranded_usd_per_month, is_bad=True) if part else (),
            line(_note(use, part)),
        )


def _until(use: CommitmentUse) -> str:
    day = use.ends.isoformat() if use.ends is not None else "not stated"
    renewed = ", renews" if use.is_renewed else ""
    return f"{day}{renewed}" if use.state == _ACTIVE else f"{day} ({use.state})"


def _amount(units: Decimal, part: CommittedPart) -> str:
    return f"{figures.number(units)} {part.unit}"


def _used(units: Decimal | None, part: CommittedPart, *, is_bad: bool = False) -> Line:
    if units is None:
        return line(say("unknown", Role.BAD))
    role = Role.COST if is_bad and units else Role.PLAIN
    return line(fixed(_amount(units, part), role))


def _usd(usd: Decimal | None, *, is_bad: bool = False) -> Line:
    if usd is None:
        return line(say("unknown", Role.DIM))
    return line(fixed(Amount(usd=usd), Role.COST if is_bad and usd else Role.PLAIN))


def _note(use: CommitmentUse, part: CommittedPart | None) -> str:
    said = [use.note] if use.note and (part is None or part is use.parts[0]) else []
    if part is not None and part.demand is not None and part.demand > part.committed:
        said.append(f"VMs need {_amount(part.demand, part)}")
    return "; ".join(said)


def _total(uses: Sequence[CommitmentUse]) -> Iterator[Block]:
    """Yield the fee of those in force, where more than one figure adds up."""
    parts = [part for use in uses if use.state == _ACTIVE for part in use.parts]
    fees = [part.usd_per_month for part in parts if part.usd_per_month is not None]
    if len(fees) < 2:
        return
    unused = [part.stranded_usd_per_month for part in parts if part.stranded_usd_per_month]
    missing = len(parts) - len(fees)
    yield doc.para(
        "Total: ",
        fixed(worded(Amount(usd=sum(fees, Decimal(0))), "/month"), Role.STRONG),
        *_unused(sum(unused, Decimal(0))),
        f"; not included: {figures.counted(missing, 'amount')} with no known price"
        if missing
        else "",
    )


def _unused(usd: Decimal) -> tuple[str | Span, ...]:
    if not usd:
        return (", no unused part is known",)
    paid = fixed(Amount(usd=usd), Role.COST)
    return (", of which ", paid, " is unused by the VMs in the input")


def before_commitments(finding: Finding) -> Iterator[Block]:
    """Yield what a saving is without commitments, where only that is known, and their note."""
    usd = finding.saving_before_commitments_usd_per_month
    note = finding.saving_note
    if usd is None:
        if note:
            label = "compared" if note.startswith(AT_LIST) else "paid on"
            yield doc.field(label, note)
        return
    verb = "saves" if usd > 0 else "costs"
    amount = fixed(worded(f"{verb} ", Amount(usd=abs(usd)), "/month before commitments"))
    yield doc.field("low confidence", amount, f": {note}")
