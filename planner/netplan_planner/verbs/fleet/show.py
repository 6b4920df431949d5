"""The answer of `netplan fleet`: types and commitments of a fleet, or why it has none."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import reduce
from typing import NamedTuple

from netplan_planner.model import Amount, Text, worded
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.planning.show import commitments_to_buy
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.plans import changes, shortfalls
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.fleet.answer import FleetAnswer, FleetGroup

SCHEMA = "netplan.fleet/1"
COLUMNS = (
    "name",
    "zone",
    "count",
    "machine_type",
    "is_tier1",
    "usd_per_month",
    "machine_type_today",
    "is_tier1_today",
    "needs_gbps",
    "usable_gbps",
    "vcpus",
    "memory_gib",
    "hours_per_month",
    "note",
)
_BILL_LINES = 200
_LEAST_USD = Decimal("0.005")
"""What is less is left over of rounding."""
_EXACT = 1e-6
"""A gap that is none but for rounding."""
_NEW = "new"


def record(answer: FleetAnswer) -> FleetAnswer:
    """Return every field of the answer."""
    return answer


def table(answer: FleetAnswer) -> DataTable:
    """Return a row a group; what is paid for commitments is in none of them."""
    return DataTable(COLUMNS, (_cells(group) for group in answer.groups))


def _cells(group: FleetGroup) -> tuple[Cell, ...]:
    return (
        group.name,
        group.zone,
        group.count,
        group.machine_type,
        group.is_tier1,
        figures.exact(group.usd_per_month, figures.SUM_DECIMALS),
        group.machine_type_today,
        group.is_tier1_today,
        group.needs_gbps,
        group.usable_gbps,
        group.vcpus,
        group.memory_gib,
        group.hours_per_month,
        group.note,
    )


def blocks(answer: FleetAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what it costs and how sure that is, commitments, types, what stays and what to know."""
    if answer.is_feasible:
        yield from _plan(answer, options)
    else:
        yield doc.section("No plan: no machine type for a group, or a quota is too small")
        yield from shortfalls(answer.infeasible, options.max_rows or None)
    yield from _kept(answer.kept, options)
    yield from _advice(answer)
    for note in answer.notes:
        yield doc.para(say(note))
    yield from phrases.blocks(answer.incomplete, options)
    yield doc.para(_basis(answer))
    if options.currency is not None:
        yield doc.para(options.currency.assumption)


def _plan(answer: FleetAnswer, options: RenderOptions) -> Iterator[Block]:
    yield doc.section(say(_what(answer.groups)))
    yield from _sums(answer)
    if answer.commitments:
        yield doc.section("Commitments to buy")
        yield commitments_to_buy(answer.commitments)
    yield doc.section("Machine types, at their prices before commitments")
    yield type_table(answer.groups, options)
    if options.verbosity:
        yield doc.section("Groups; what no commitment covers")
        yield group_table(answer.groups, options)
    to_check = [group for group in answer.groups if "check first" in group.note]
    if to_check:
        yield doc.section(f"To check before {counted(len(to_check), 'group')} move")
        yield from _checks(to_check, options)
    yield from changes(answer.changes, options)
    if options.gives_sources():
        lines = phrases.bills(answer.line_items, _BILL_LINES, are_costs=True)
        yield doc.field("prices", lines[0], more=lines[1:], is_source=True)


def _what(groups: Sequence[FleetGroup]) -> str:
    machines = sum(group.count for group in groups)
    moved = sum(group.count for group in groups if _is_moved(group))
    new = sum(group.count for group in groups if group.machine_type_today is None)
    said = f"A plan for {counted(machines, 'VM')} in {counted(len(groups), 'group')}"
    parts = [f"{new:,} new" if new else "", f"{moved:,} with another type" if moved else ""]
    listed = ", ".join(filter(None, parts))
    return f"{said}: {listed}" if listed else said


def _is_moved(group: FleetGroup) -> bool:
    today = group.machine_type_today, group.is_tier1_today
    return group.machine_type_today is not None and today != (group.machine_type, group.is_tier1)


def _sums(answer: FleetAnswer) -> Iterator[Block]:
    usd, baseline = answer.usd_per_month, answer.baseline_usd_per_month
    bound, gap = answer.bound_usd_per_month, answer.gap_ratio
    if usd is None or bound is None or gap is None:
        return
    fees = sum((one.usd_per_month for one in answer.commitments), Decimal(0))
    on_demand = sum((group.usd_per_month for group in answer.groups), Decimal(0))
    parts: list[Text | Amount] = [
        Amount(usd=on_demand),
        " of it on demand, ",
        Amount(usd=fees),
        " for new commitments",
    ]
    rest = usd - fees - on_demand
    if rest >= _LEAST_USD:
        parts += [", ", Amount(usd=rest), " for existing ones"]
    yield doc.field("plan", say(worded(Amount(usd=usd), "/month: ", *parts)))
    if baseline is None:
        yield doc.field("today", say(answer.baseline_note))
    else:
        note = worded(Amount(usd=baseline), "/month (", answer.baseline_note, ")")
        yield doc.field("baseline", say(note))
        saved = baseline - usd
        share = f"/month, {float(abs(saved) / baseline):.0%}" if baseline else "/month"
        word = "saves" if saved >= 0 else "costs more"
        said = worded(Amount(usd=abs(saved)), share)
        yield doc.field(word, say(said, Role.GOOD if saved > 0 else Role.PLAIN))
    if answer.outgrown_groups:
        of = counted(answer.outgrown_groups, "group")
        yield doc.field(
            "too small",
            f"the current type does not carry the need of {of}, headroom included: this makes the"
            " baseline cheaper",
        )
    same = answer.same_types_usd_per_month
    if same is not None and baseline is not None and same != baseline:
        said = worded(
            Amount(usd=baseline - same),
            " of the savings come from commitments alone, for the types of the baseline"
            if baseline - same <= baseline - usd
            else " could be saved by commitments alone, for the types of the baseline",
        )
        yield doc.field("without moves", say(said))
    if answer.small_moves:
        said = worded(
            f"{counted(answer.small_moves, 'move')} that would save less than ",
            Amount(usd=answer.least_saving_usd),
            "/month each, ",
            Amount(usd=answer.small_moves_usd_per_month),
            "/month in total (--min-saving)",
        )
        yield doc.field("not in the plan", say(said))
    many = " with the fewest moves" if answer.small_moves else ""
    proven = worded(
        f"no plan with these types and commitments{many} costs less than ",
        Amount(usd=bound),
        f": at most {gap:.3%} above it" if gap > _EXACT else ", the cost of this plan",
    )
    yield doc.field("proven", say(proven))


def _checks(groups: Sequence[FleetGroup], options: RenderOptions) -> Iterator[Block]:
    """Yield what has to be looked at, once for all groups of which it is said."""
    found: dict[str, list[str]] = defaultdict(list)
    for group in groups:
        found[group.note].append(group.name)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    for note, names in ordered[: options.max_rows or None]:
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield doc.item(phrases.name(names[0]), f"{more}: {note}")
    if options.max_rows and len(ordered) > options.max_rows:
        yield doc.item(f"{len(ordered) - options.max_rows:,} more (--top 0)")


def _kept(kept: Sequence[Shortfall], options: RenderOptions) -> Iterator[Block]:
    if kept:
        yield doc.section(f"{counted(len(kept), 'group')} unchanged")
        yield from shortfalls(kept, options.max_rows or None)


def _advice(answer: FleetAnswer) -> Iterator[Block]:
    if not answer.advice:
        return
    count = counted(len(answer.advice), "recommendation")
    yield doc.section(
        f"Google recommends {count} that would throttle a busy sender: do not apply them"
    )
    for one in answer.advice:
        instead = f"; instead: {one.instead}" if one.instead else ""
        yield doc.item(phrases.name(one.machine), f": {one.says}{instead}")


def _basis(answer: FleetAnswer) -> str:
    own = f"contract prices where the contract has them ({answer.price_terms}), else list prices"
    kind = own if answer.price_terms else "list prices"
    return (
        f"Based on {kind} of {answer.prices_as_of}, with sustained-use discounts for usage that "
        "no commitment covers. Disks, licences and traffic are not included. Limits of "
        f"{answer.limits_as_of} with {answer.headroom_ratio:.0%} headroom inside the VPC. You "
        "cannot cancel a commitment. What the plan cannot know: docs/reference/verbs/fleet.md"
    )


class _Sum(NamedTuple):
    groups: int
    machines: int
    today_usd: Decimal | None
    """None where one is new, or its price is not known."""
    usd: Decimal

    def plus(self, other: "_Sum") -> "_Sum":
        """Return the sum of both."""
        old, new = self.today_usd, other.today_usd
        today = None if old is None or new is None else old + new
        groups, machines = self.groups + other.groups, self.machines + other.machines
        return _Sum(groups, machines, today, self.usd + other.usd)

    def cells(self) -> tuple[Line, ...]:
        """Return the numbers of a row."""
        return (
            line(fixed(f"{self.groups:,}")),
            line(fixed(f"{self.machines:,}")),
            () if self.today_usd is None else line(fixed(Amount(usd=self.today_usd))),
            line(fixed(Amount(usd=self.usd))),
        )


_NOTHING = _Sum(0, 0, Decimal(0), Decimal(0))


def type_table(groups: Sequence[FleetGroup], options: RenderOptions) -> doc.Table:
    """Return what becomes of what, the most machines first."""
    found: dict[tuple[str, str], _Sum] = defaultdict(lambda: _NOTHING)
    for group in groups:
        today = group.machine_type_today
        old = _NEW if today is None else _named(today, is_tier1=group.is_tier1_today)
        key = old, _named(group.machine_type, is_tier1=group.is_tier1)
        one = _Sum(
            1, group.count, group.on_demand_usd_per_month_today, group.on_demand_usd_per_month
        )
        found[key] = found[key].plus(one)
    ordered = sorted(found.items(), key=lambda item: (-item[1].machines, item[0]))
    shown = ordered[: options.max_rows or None] if not options.verbosity else ordered
    rows = [
        (
            line(say(old, Role.NAME)),
            line(say(new if new != old else "stays", Role.NAME)),
            *one.cells(),
        )
        for (old, new), one in shown
    ]
    if len(shown) < len(ordered):
        rest = [one for _, one in ordered[len(shown) :]]
        summed = reduce(_Sum.plus, rest, _NOTHING)
        rows.append((line(f"{len(rest):,} more (--top 0)"), (), *summed.cells()))
    columns = (
        doc.Column(title="today"),
        doc.Column(title="plan"),
        doc.Column(title="groups", is_number=True),
        doc.Column(title="VMs", is_number=True),
        doc.Column(title="now per month", is_number=True, stacked="{}/month now"),
        doc.Column(title="plan per month", is_number=True, stacked="{}/month planned"),
    )
    return doc.Table(columns=columns, rows=tuple(rows))


def _named(machine_type: str, *, is_tier1: bool) -> str:
    return f"{machine_type} with Tier_1" if is_tier1 else machine_type


def group_table(groups: Sequence[FleetGroup], options: RenderOptions) -> doc.Table:
    """Return every group with what it becomes; its dollars are those that no commitment covers."""
    columns = (
        doc.Column(title="group"),
        doc.Column(title="zone"),
        doc.Column(title="VMs", is_number=True),
        doc.Column(title="type"),
        doc.Column(title="carries", is_number=True, stacked="carries {}"),
        doc.Column(title="needs", is_number=True, stacked="needs {}"),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="note", is_note=True),
    )
    rows = tuple(
        (
            line(phrases.name(group.name)),
            line(group.zone),
            line(fixed(f"{group.count:,}")),
            line(say(_named(group.machine_type, is_tier1=group.is_tier1), Role.NAME)),
            *(
                line(fixed("?" if gbps is None else figures.rate(gbps)))
                for gbps in (group.usable_gbps, group.needs_gbps)
            ),
            line(fixed(Amount(usd=group.usd_per_month))),
            line(group.note),
        )
        for group in groups[: options.max_rows or None]
    )
    return doc.Table(columns=columns, rows=rows)
