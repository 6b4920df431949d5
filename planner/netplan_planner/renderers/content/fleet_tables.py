"""The machine types of a fleet's plan, and its groups, as tables."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from functools import reduce
from typing import NamedTuple

from netplan_planner.model import Amount, FleetGroup
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Column, Line, Role, Table, fixed, line, say
from netplan_planner.renderers.options import RenderOptions

_NEW = "new"


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


def type_table(groups: Sequence[FleetGroup], options: RenderOptions) -> Table:
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
        Column(title="today"),
        Column(title="plan"),
        Column(title="groups", is_number=True),
        Column(title="machines", is_number=True),
        Column(title="today a month", is_number=True, stacked="{} a month today"),
        Column(title="plan a month", is_number=True, stacked="{} a month in the plan"),
    )
    return Table(columns=columns, rows=tuple(rows))


def _named(machine_type: str, *, is_tier1: bool) -> str:
    return f"{machine_type} with Tier_1" if is_tier1 else machine_type


def group_table(groups: Sequence[FleetGroup], options: RenderOptions) -> Table:
    """Return every group with what it becomes; its dollars are those that no commitment covers."""
    columns = (
        Column(title="group"),
        Column(title="zone"),
        Column(title="machines", is_number=True),
        Column(title="type"),
        Column(title="carries", is_number=True, stacked="carries {}"),
        Column(title="needs", is_number=True, stacked="needs {}"),
        Column(title="a month", is_number=True, stacked="{} a month"),
        Column(title="note", is_note=True),
    )
    rows = tuple(
        (
            line(phrases.name(group.name)),
            line(group.zone),
            line(fixed(f"{group.count:,}")),
            line(say(_named(group.machine_type, is_tier1=group.is_tier1), Role.NAME)),
            line(fixed("?" if group.usable_gbps is None else figures.rate(group.usable_gbps))),
            line(fixed(figures.rate(group.needs_gbps))),
            line(fixed(Amount(usd=group.usd_per_month))),
            line(group.note),
        )
        for group in groups[: options.max_rows or None]
    )
    return Table(columns=columns, rows=rows)
