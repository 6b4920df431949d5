"""The answer of `netplan diff`: money, findings, VMs and paths, before and after."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from netplan_planner.model import Amount, MachineRow, worded
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.document import Block, Line, Role, Span, fixed, line, say
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import cents
from netplan_planner.verbs.diff.answer import (
    ROWS,
    DiffAnswer,
    DiffCause,
    DiffFinding,
    DiffMachine,
    DiffMoney,
    DiffPath,
    DiffState,
    PathSide,
)

SCHEMA = "netplan.diff/1"
COLUMNS = (
    *("kind", "state", "cause", "name", "rule", "severity", "before", "after"),
    *("before_gbps", "after_gbps", "before_usd_per_month", "after_usd_per_month"),
    *("fingerprint", "why"),
)
_SOURCE, _SUBJECT, _MESSAGE, _ROOM = 40, 24, 96, 46
"""Characters at most; of a subject at least, and with its rule and former severity at most."""
_SCREEN = 40
"""Lines of the first screen."""
_UNSURE = {
    DiffCause.BASIS: "prices, limits or version",
    DiffCause.EITHER: "project or prices, limits, version",
}
_Row = TypeVar("_Row", DiffFinding, DiffPath)


class _Rows(NamedTuple):
    """How many of each kind are shown; None: all."""

    new: int | None
    """Findings."""
    other: int | None
    """Findings of each other state."""
    vms: int | None
    paths: int | None

    def of(self, state: DiffState) -> int | None:
        """Return how many findings of a state are shown."""
        return self.new if state is DiffState.NEW else self.other


_FITTING = tuple(
    _Rows(*each)
    for each in ((6, 6, 6, 6), (6, 3, 6, 4), (5, 1, 5, 3), (4, 1, 3, 2), (2, 1, 2, 1), (1, 1, 1, 1))
)
"""The first of these that fits on a screen is shown."""


def table(answer: DiffAnswer) -> DataTable:
    """Return a row a part of the bill, a finding, a VM and a path, as `kind` says."""
    return DataTable(COLUMNS, _rows(answer))


def _rows(answer: DiffAnswer) -> Iterator[tuple[Cell, ...]]:
    for part in (*answer.money, answer.total):
        usd = (figures.exact_sum(part.before_usd), figures.exact_sum(part.after_usd))
        yield "money", None, None, part.part, *(None,) * 6, *usd, None, None
    for one in answer.findings:
        usd = (
            figures.exact_sum(one.before_saving_usd_per_month),
            figures.exact_sum(one.after_saving_usd_per_month),
        )
        about = (one.subject, one.rule, one.severity.value)
        yield "finding", *_told(one), *about, *(None,) * 4, *usd, one.fingerprint, one.why
    for vm in answer.machines:
        rows = (vm.before, vm.after)
        types = (f"{_type(row)} {row.zone}" if row else None for row in rows)
        caps = (row.egress_gbps if row else None for row in rows)
        costs = (figures.exact_sum(row.usd_per_month) if row else None for row in rows)
        yield "vm", *_told(vm), vm.name, None, None, *types, *caps, *costs, None, None
    for path in answer.paths:
        ways = (path.before, path.after)
        name = " ".join(filter(None, (path.src_zone, path.dst_zone, path.path_class.value)))
        gbps = (way.gbps if way else None for way in ways)
        costs = (figures.exact_sum(way.usd_per_month) if way else None for way in ways)
        yield "path", *_told(path), name, *(None,) * 4, *gbps, *costs, None, None


def _told(one: DiffFinding | DiffMachine | DiffPath) -> tuple[str, str | None]:
    return one.state.value, one.cause.value if one.cause else None


def blocks(answer: DiffAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield what a month costs before and after, findings, VMs, paths, and what to know."""
    asked = options.row_limit
    fitting = (one for one in _FITTING if _lines(answer, one) <= _SCREEN)
    rows = next(fitting, _FITTING[-1]) if asked == ROWS else _Rows(*(asked,) * 4)
    sides = before, after = answer.before, answer.after
    names = [say(one.source.rpartition("/")[2], Role.NAME, length=_SOURCE) for one in sides]
    vms = f"{before.vm_count:,} → {counted(after.vm_count, 'VM')}"
    basis = line(f"{vms} · prices of {answer.prices_as_of}")
    yield doc.Title(line=line(names[0], " → ", names[1]), basis=basis)
    yield from _moved(answer)
    yield _money(answer)
    if answer.increase_unknown:
        yield doc.para("Not in the total: ", answer.increase_unknown, ".")
    yield from _findings(answer.findings, rows, is_cut=asked == ROWS)
    yield from _machines(answer.machines, rows.vms)
    yield from _paths(answer.paths, rows.paths)
    shown = answer.assumptions[: rows.vms]
    for text in shown:
        yield doc.field("assumed", text)
    if len(shown) < len(answer.assumptions):
        yield doc.para(f"and {len(answer.assumptions) - len(shown):,} more (--explain)")
    yield from phrases.blocks(answer.incomplete, options)
    if options.currency is not None:
        yield doc.para(options.currency.assumption)


def _cause_once(found: Sequence[_Row]) -> tuple[Sequence[_Row], str]:
    """Return rows without a cause that all of them have, and what their heading says of it."""
    causes = {one.cause for one in found if one.cause}
    if len(causes) != 1 or not causes <= _UNSURE.keys():
        return found, ""
    bare = [replace(one, cause=DiffCause.PROJECT) for one in found]
    return bare, f" · from {_UNSURE[causes.pop()]}"


def _lines(answer: DiffAnswer, rows: _Rows) -> int:
    """Return about how many lines of text the answer takes."""
    states = Counter(one.state for one in answer.findings)
    states.pop(DiffState.UNCHANGED, None)
    findings = (_cut(count, rows.of(state)) for state, count in states.items())
    whys = [one for one in answer.findings if one.why or one.cause in _UNSURE]
    notes = [one for one in answer.machines[: rows.vms] if _note(one)]
    doubts = [one for one in answer.paths[: rows.paths] if one.cause in _UNSURE]
    beside = min(len(whys), len(states) * (rows.other or 0)) + len(notes) + len(doubts)
    tables = ((answer.machines, rows.vms), (answer.paths, rows.paths))
    sizes = (3 + _cut(len(of), most) for of, most in tables if of)
    ends = _cut(len(answer.assumptions), rows.vms) + 3 * bool(answer.incomplete)
    head = 6 + 2 * len(answer.basis) + len(answer.money)
    return head + sum(findings) + beside + sum(sizes) + ends


def _cut(count: int, most: int | None) -> int:
    return count if most is None else min(count, most) + (count > most)


def _moved(answer: DiffAnswer) -> Iterator[Block]:
    """Yield what differs of prices, limits and version, and what it moved."""
    if not answer.basis:
        yield doc.para("Both sides have the same prices, limits and version.")
        return
    for one in answer.basis:
        yield doc.para(say(f"Other {one.name}: ", Role.STRONG), f"{one.before} → {one.after}")
    total = answer.total
    yield doc.para(
        "Change from these alone: ",
        doc.change_of(total.by_basis_usd),
        "; from the project or these (shares unknown): ",
        doc.change_of(total.by_either_usd),
        ".",
    )


def _money(answer: DiffAnswer) -> doc.Table:
    columns = (
        doc.Column(title="per month"),
        doc.Column(title="before", is_number=True, stacked="{} before"),
        doc.Column(title="after", is_number=True, stacked="{} after"),
        doc.Column(title="change", is_number=True),
    )
    parts = [one for one in answer.money if not _is_nothing(one)]
    parts.append(answer.total)
    return doc.Table(columns=columns, rows=tuple(map(_part, parts)))


def _is_nothing(part: DiffMoney) -> bool:
    return part.change_usd is not None and not any(
        cents(usd) for usd in (part.before_usd, part.after_usd) if usd is not None
    )


def _part(part: DiffMoney) -> tuple[Line, ...]:
    role = Role.STRONG if part.part == "total" else Role.PLAIN
    sides = (line(_amount(usd)) for usd in (part.before_usd, part.after_usd))
    return line(say(part.part, role)), *sides, line(doc.change_of(part.change_usd))


def _amount(usd: Decimal | None) -> Span:
    return say("unknown") if usd is None else fixed(worded(Amount(usd=usd)))


def counts_of(found: Sequence[DiffFinding]) -> str:
    """Return how many findings are new, fixed and so on."""
    counts = Counter(one.state for one in found)
    told = (f"{counts[state]:,} {state.value}" for state in DiffState if counts[state])
    return ", ".join(told) or "none on either side"


def _findings(found: Sequence[DiffFinding], rows: _Rows, *, is_cut: bool) -> Iterator[Block]:
    of: dict[DiffState, list[DiffFinding]] = defaultdict(list)
    found, cause = _cause_once(found)
    for one in found:
        of[one.state].append(one)
    yield doc.section(f"Findings: {counts_of(found)}{cause}")
    for state in DiffState:
        if state is DiffState.UNCHANGED and rows.new is not None:
            continue
        shown = of[state][: rows.of(state)]
        if not shown:
            continue
        lines = [_finding(one, is_cut=is_cut) for one in shown]
        if len(shown) < len(of[state]):
            lines.append(line(f"and {len(of[state]) - len(shown):,} more (--explain)"))
        yield from (doc.field(state.value, one) for one in lines)


def _finding(one: DiffFinding, *, is_cut: bool) -> Line:
    usd = one.after_saving_usd_per_month or one.before_saving_usd_per_month
    old = one.severity_before
    was = f"{old.value.upper()} → " if old and old is not one.severity else ""
    room = max(_SUBJECT, _ROOM - len(was) - len(one.rule))
    is_cut = is_cut and len(one.subject) > room
    parts: list[Span | Line | str] = [
        was,
        say(one.severity.value.upper(), doc.severity_role(one.severity)),
        " ",
        phrases.name(one.rule),
        "  ",
        say(one.subject.partition(" (")[0] if is_cut else one.subject, length=room),
    ]
    if usd and cents(usd):
        effect = "saves" if usd > 0 else "costs"
        parts.append(line(f" (fix {effect} ", fixed(worded(Amount(usd=abs(usd)))), "/month)"))
    if one.cause in _UNSURE:
        parts.append(f" [{_UNSURE[one.cause]}]")
    if one.why:
        parts.append(line(": ", say(one.why, length=_MESSAGE)))
    return line(*parts)


def _machines(found: Sequence[DiffMachine], rows: int | None) -> Iterator[Block]:
    if not found:
        return
    shown = found[:rows]
    counts = [(state, sum(one.state is state for one in found)) for state in DiffState]
    words = {DiffState.FIXED: "gone"}
    said = ", ".join(f"{n:,} {words.get(state, state.value)}" for state, n in counts if n)
    yield doc.section(f"VMs: {said}")
    has_rates = any(row and row.egress_p95_gbps for one in found for row in (one.before, one.after))
    columns = (
        doc.Column(title="VM"),
        doc.Column(title="type"),
        doc.Column(title="egress limit", is_number=True, stacked="limit {}"),
        *([doc.Column(title="p95 in use", is_number=True, stacked="{} used")] if has_rates else []),
        doc.Column(title="change/month", is_number=True),
        doc.Column(title="", is_note=True),
    )
    cells = tuple(_machine(one, has_rates=has_rates) for one in shown)
    yield doc.Table(columns=columns, rows=cells)
    if len(shown) < len(found):
        yield doc.para(f"and {counted(len(found) - len(shown), 'VM')} more (--explain)")


def _machine(one: DiffMachine, *, has_rates: bool) -> tuple[Line, ...]:
    sides = [one.before, one.after]
    caps = [_rate(row.egress_gbps) if row else None for row in sides]
    used = [_rate(row.egress_p95_gbps) if row else None for row in sides]
    usd = one.change_usd_per_month
    types = [_type(row) if row else None for row in sides]
    return (
        line(phrases.name(one.name)),
        line(_step(types)),
        line(fixed(_step(caps))),
        *([line(fixed(_step(used)))] if has_rates else []),
        line(doc.change_of(usd)),
        line(say(_note(one), length=_MESSAGE)),
    )


def _note(one: DiffMachine) -> str:
    """Return where a VM moves, why its price is not known, and what else may have moved it."""
    rows = [row for row in (one.before, one.after) if row is not None]
    zones = list(dict.fromkeys(row.zone for row in rows))
    lost = [row.price_unknown for row in rows if row.price_unknown]
    moved = [" → ".join(zones)] if len(zones) > 1 else []
    return "; ".join([*moved, *lost[:1], *([_UNSURE[one.cause]] if one.cause in _UNSURE else [])])


def _rate(gbps: float | None) -> str:
    return "?" if gbps is None else figures.rate(gbps)


def _step(texts: Sequence[str | None]) -> str:
    """Return a value before and after; once where it is the same or on one side only."""
    was, now = texts
    if was == now or was is None or now is None:
        return now or was or ""
    (number, _, unit), (_, _, other) = was.partition(" "), now.partition(" ")
    return f"{number if unit == other else was} → {now}"


def _type(row: MachineRow) -> str:
    marks = (" Spot", row.is_spot), (" Tier_1", row.is_tier1), (" off", row.is_off)
    return f"{row.machine_type}{''.join(mark for mark, is_so in marks if is_so)}"


def _paths(found: Sequence[DiffPath], rows: int | None) -> Iterator[Block]:
    if not found:
        return
    found, cause = _cause_once(found)
    shown = found[:rows]
    yield doc.section(f"Paths that differ: {len(found):,}{cause}")
    columns = (
        doc.Column(title="path"),
        doc.Column(title="GiB/month", is_number=True),
        doc.Column(title="predicted", is_number=True, stacked="predicted {}"),
        doc.Column(title="before", is_number=True, stacked="{} before"),
        doc.Column(title="after", is_number=True, stacked="{} after"),
        doc.Column(title="", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(map(_of_path, shown)))
    if len(shown) < len(found):
        yield doc.para(f"and {len(found) - len(shown):,} more paths (--explain)")


def _of_path(one: DiffPath) -> tuple[Line, ...]:
    sides = (one.before, one.after)
    volumes = [figures.volume(side.gib_per_month) if side else None for side in sides]
    rates = [_rate(side.gbps) if side else None for side in sides]
    return (
        line(phrases.name(_path(one))),
        line(fixed(_step(volumes))),
        line(fixed(_step(rates)) if one.src_zone else ""),
        *(line(_of_side(side)) for side in sides),
        line(_UNSURE.get(one.cause, "")),
    )


def _of_side(side: PathSide | None) -> Span:
    return say("none") if side is None else _amount(side.usd_per_month)


def _path(one: DiffPath) -> str:
    """Return the zones, and by which address where that is not the usual one; else the class."""
    if not one.src_zone:
        return one.path_class.value
    way = " external" if one.path_class.is_external_address else ""
    return f"{one.src_zone} → {one.dst_zone}{way}{' pods' if one.path_class.is_pod else ''}"
