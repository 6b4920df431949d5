"""The table of a finding's places."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from netplan_planner.model import MOST_MEASURED_RATIO, Finding, Member, OrderedFix
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Column, Line, Para, Table, fixed, line, say
from netplan_planner.renderers.options import RenderOptions


class _Figure(NamedTuple):
    """One column of the table: what it is called and what it shows of a place."""

    column: Column
    cell: Callable[[Member], Line]


def table(
    finding: Finding, options: RenderOptions, ranked: OrderedFix | None = None
) -> Iterator[Block]:
    """Yield the table of several places, without columns that say nothing, or the same of all.

    Where the order of fixes (`ranked`) changes some places only, or finds one elsewhere or of
    another type by then, a column says so. The columns are chosen by all places, so that a longer
    table has the same ones.
    """
    if len(finding.members) < 2:
        return
    shown = finding.members[: None if options.explains_all else options.member_limit]
    columns = [figure for figure in _FIGURES if any(map(figure.cell, finding.members))]
    if len({member.fix.label if member.fix else "" for member in finding.members}) < 2:
        columns = [figure for figure in columns if figure is not _DO]
    if len({member.confidence for member in finding.members}) < 2:
        columns = [figure for figure in columns if figure is not _SURE]
    in_order = _in_order(ranked) if ranked is not None else None
    if in_order is not None and any(in_order.cell(one) != _CHANGE for one in finding.members):
        columns.append(in_order)
    yield Table(
        columns=(Column(title="place"), *(figure.column for figure in columns)),
        rows=tuple(
            (_place(member), *(figure.cell(member) for figure in columns)) for member in shown
        ),
        is_inner=True,
    )
    rest = len(finding.members) - len(shown)
    if rest:
        text = f"and {figures.counted(rest, 'more resource')}: --max-members 0, or --output csv"
        yield Para(line=line(text), is_inner=True)


def _place(member: Member) -> Line:
    return line(say(member.subject, length=phrases.SUBJECT_LENGTH))


def _volume(member: Member) -> Line:
    if member.gib_per_month is None:
        return ()
    return line(fixed(figures.volume(member.gib_per_month)))


def _used(member: Member) -> Line:
    ratio = member.used_ratio
    if ratio is None:
        return ()
    # Only what is declared can be far above what anything sends.
    is_wish = ratio > MOST_MEASURED_RATIO
    return line(fixed(f"needs {ratio:.3g}x its limit" if is_wish else f"{ratio:.0%}"))


def _step(member: Member) -> Line:
    now, then = member.throughput_now, member.throughput_fixed
    if now is None or then is None or now.gbps is None or then.gbps is None:
        return ()
    if figures.rate(now.gbps) == figures.rate(then.gbps):
        return ()
    return phrases.step(now, then)


def _saves(member: Member) -> Line:
    usd = member.saving_usd_per_month
    if usd is None:
        return ()
    return phrases.effect(usd)


def _do(member: Member) -> Line:
    label = member.fix.label if member.fix is not None else ""
    return line(say(label, length=60)) if label else ()


def _sure(member: Member) -> Line:
    return line(member.confidence.value)


def _in_order(ranked: OrderedFix) -> _Figure:
    """Return the column of what the order of fixes changes, as it is after the fixes before it."""
    changed = {change.place: change.subject for change in ranked.changes}

    def cell(member: Member) -> Line:
        then = changed.get(member.fingerprint, "leave")
        return _CHANGE if then == member.subject else line(say(then, length=phrases.SUBJECT_LENGTH))

    return _Figure(Column(title="in this order"), cell)


_CHANGE = line("change")
_DO = _Figure(Column(title="fix"), _do)


_SURE = _Figure(Column(title="confidence", stacked="confidence {}"), _sure)


_FIGURES = (
    _Figure(Column(title="volume", is_number=True, stacked="{}/month"), _volume),
    _Figure(Column(title="in use", is_number=True, stacked="{} in use"), _used),
    _Figure(Column(title="throughput"), _step),
    _Figure(Column(title="per month", stacked="{}/month"), _saves),
    _DO,
    _SURE,
)
