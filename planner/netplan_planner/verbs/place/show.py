"""Zones for machines: what the plan saves, its moves with a stop line, and what binds."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Amount
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.plans import changes, shortfalls
from netplan_planner.renderers.document import Block, Line, Role, Span, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.place import answer as places
from netplan_planner.verbs.place.answer import Placement

SCHEMA = "netplan.placement/1"
_ROWS = 12
_LONG = 400
_BINDINGS = 4
_WORDS = {
    places.PlacementConstraint.CAPACITY: "the capacity of",
    places.PlacementConstraint.SPREAD: "the spread of",
    places.PlacementConstraint.PIN: "the pin by",
    places.PlacementConstraint.ROUND_TRIP: "the round trip of",
    places.PlacementConstraint.OFFER: "the machine types offered in",
}
_BOUNDS = {
    "program": "from a linear program of each part",
    "stars": "from each VM's traffic to groups that must stay apart",
    "eigenvalues": "from eigenvalues of the traffic graph",
}


def table(answer: Placement) -> DataTable:
    """Return a row a machine, those that move first."""
    columns = (
        *("name", "zone", "from_zone", "step_number", "saving_usd_per_month", "is_worth_it"),
        *("one_off_usd", "one_off", "breaks"),
    )
    return DataTable(columns, _rows(answer))


def _rows(answer: Placement) -> Iterator[tuple[Cell, ...]]:
    moved = {one.name for one in answer.moves}
    for one in answer.moves:
        saving = figures.exact(one.saving_usd_per_month, figures.SUM_DECIMALS)
        yield (
            *(one.name, one.to_zone, one.from_zone, one.step, saving, one.is_worth_it),
            *(one.one_off_usd, one.one_off, one.breaks),
        )
    for name, zone in answer.assignment.items():
        if name not in moved:
            yield name, zone, zone, None, None, None, None, "", ()


def blocks(answer: Placement, options: RenderOptions) -> Iterator[Block]:
    """Yield what is saved, the moves, what binds and how to do it."""
    basis = f"{answer.machine_count:,} VMs · prices of {answer.prices_as_of}"
    yield doc.Title(line=line(say(answer.title)), basis=line(basis))
    if not answer.is_feasible:
        yield doc.para(say("No placement meets every constraint", Role.BAD), ":")
        yield from shortfalls(answer.infeasible)
        return
    yield doc.para(_verdict(answer))
    yield doc.para(_proof(answer))
    if answer.is_cut_short:
        yield doc.para("The time limit stopped the search. Another run may find another plan.")
    yield from _moves(answer, options)
    yield from _why(answer, options)
    if options.gives_sources():
        for label, items in (
            ("today", answer.baseline_line_items),
            ("planned", answer.line_items),
        ):
            if items:
                lines = phrases.bills(items, _ROWS, are_costs=True)
                yield doc.field(label, lines[0], more=lines[1:], is_source=True)
    yield from changes(answer.changes, options)
    if options.currency is not None:
        yield doc.para(options.currency.assumption)


def _amount(usd: Decimal, role: Role = Role.PLAIN) -> Span:
    return fixed(Amount(usd=usd), role)


def _billed(answer: Placement) -> str:
    """Return what the bill is of."""
    if answer.has_machines:
        return "these VMs and their traffic cost "
    return "the traffic between these VMs costs "


def _verdict(answer: Placement) -> Line:
    assert answer.usd_per_month is not None
    saved = answer.baseline_usd_per_month - answer.usd_per_month
    if not answer.moves:
        return line(
            f"No moves are needed: {_billed(answer)}",
            _amount(answer.baseline_usd_per_month),
            "/month in the current zones",
        )
    moves = figures.counted(len(answer.moves), "move")
    if not any(one.is_worth_it for one in answer.moves) and saved >= 0:
        return line(
            say("No move reaches the minimum saving", Role.STRONG),
            f": {moves} would save ",
            _amount(saved),
            f"/month; {_billed(answer)}",
            _amount(answer.baseline_usd_per_month),
        )
    word = "save" if saved >= 0 else "cost"
    word += "s" * (len(answer.moves) == 1)
    return line(
        f"{moves} {word} ",
        _amount(abs(saved), Role.GOOD if saved >= 0 else Role.COST),
        f"/month: {_billed(answer)}",
        _amount(answer.usd_per_month),
        ", today ",
        _amount(answer.baseline_usd_per_month),
        *((" and breaks constraints",) if answer.broken_today else ()),
    )


def _proof(answer: Placement) -> Line:
    if answer.is_proven:
        if answer.proven_within_usd:
            return line(
                "Proven optimal: no placement under these constraints costs ",
                _amount(answer.proven_within_usd),
                " less (the free first GiB of prices can save this much)",
            )
        return line("Proven optimal: no placement under these constraints costs less")
    if answer.bound_usd_per_month is None or answer.gap_ratio is None:
        return line("The distance of this plan from the optimum is unknown")
    above = figures.share(answer.gap_ratio, 1)
    at_most = "" if above.startswith("under") else "at most "
    return line(
        "Not proven optimal; lower bound ",
        _amount(answer.bound_usd_per_month),
        f" ({_BOUNDS[answer.bound_by]}); the plan is {at_most}{above} above it",
    )


def _moves(answer: Placement, options: RenderOptions) -> Iterator[Block]:
    if not answer.moves:
        return
    worth = [one for one in answer.moves if one.is_worth_it]
    shown = answer.moves if options.verbosity else worth[:_ROWS]
    if shown:
        yield doc.section("Moves, the largest saving first")
        columns = (
            doc.Column(title="step", is_number=True),
            doc.Column(title="VM"),
            doc.Column(title="from"),
            doc.Column(title="to"),
            doc.Column(title="saves per month", is_number=True, stacked="saves {}/month"),
        )
        yield doc.Table(columns=columns, rows=tuple(map(_row, shown)))
    if len(shown) < len(worth):
        hidden = worth[len(shown) :]
        text = f"and {figures.counted(len(hidden), 'move')} more above the minimum saving: "
        usd = sum((one.saving_usd_per_month for one in hidden), Decimal(0))
        yield doc.para(text, _amount(usd), "/month (-v, or --output csv)")
    rest = len(answer.moves) - len(worth)
    if rest:
        yield doc.para(
            "Minimum saving per move: ",
            _amount(answer.stop_line_usd_per_move),
            f"/month. The other {figures.counted(rest, 'move')} save ",
            _amount(answer.rest_usd_per_month),
            "/month",
        )
    if shown:
        yield doc.para(f"One-time cost of each: {answer.moves[0].one_off}")


def _row(one: places.PlannedMove) -> tuple[Line, ...]:
    return (
        line(fixed(f"{one.step:,}")),
        line(phrases.name(one.name)),
        line(fixed(one.from_zone)),
        line(fixed(one.to_zone)),
        line(_amount(one.saving_usd_per_month)),
    )


def _why(answer: Placement, options: RenderOptions) -> Iterator[Block]:
    yield doc.section("Assumptions and limits")
    for text in answer.broken_today[: None if options.verbosity else _BINDINGS]:
        yield doc.item(say(f"violated today: {text}", length=_LONG))
    more = len(answer.broken_today) - _BINDINGS
    if more > 0 and not options.verbosity:
        yield doc.item(f"and {more:,} more violated today: -v")
    least = Decimal(0) if options.verbosity else answer.stop_line_usd_per_move / 10
    bindings = [one for one in answer.bindings if one.usd_per_month >= least]
    for one in bindings[: None if options.verbosity else _BINDINGS]:
        count = figures.counted(one.machine_count, "VM")
        text = f"limited by {_WORDS[one.constraint]} {one.name} ({count}; saving without it "
        yield doc.item(say(text, length=_LONG), _amount(one.usd_per_month), "/month)")
    if answer.spread_usd_per_month:
        yield doc.item(
            "cost of availability: ",
            _amount(answer.spread_usd_per_month),
            "/month between members of spread groups",
        )
    if answer.stays:
        text = "; ".join(f"{count:,}: {why}" for why, count in answer.stays.items())
        yield doc.item(say(f"not moved: {text}", length=_LONG))
    for unpriced in answer.unpriced:
        volume = figures.volume(unpriced.quantity)
        text = f"not counted, price unknown: {volume}, {unpriced.name}: {unpriced.reason}"
        yield doc.item(say(text, length=_LONG))
    for text in answer.assumptions:
        yield doc.item(say(f"assumed: {text}", length=_LONG))
    yield from phrases.blocks(answer.incomplete, options)
