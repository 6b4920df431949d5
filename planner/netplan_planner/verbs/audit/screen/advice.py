"""One piece of advice in two lines: saving, throughput, confidence and effort, then the fix."""

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from netplan_planner.inert import inert_line
from netplan_planner.judging.fixes import label_of
from netplan_planner.model import ChangeKind, Finding, OrderedFix
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.units import counted
from netplan_planner.verbs.audit.screen.sums import stakes

LEAST_PLACE = 24
"""Cells of a place; where fewer are left, the rule is not named beside it."""
_LOST = 30
_RESTART = ("restart {}", "VM", "VMs")
_EFFORT: dict[ChangeKind | None, tuple[str, str, str]] = {
    None: ("make {}", "change", "changes"),
    ChangeKind.INTERNAL_ADDRESS: ("reconfigure {}", "connection", "connections"),
    ChangeKind.MORE_FLOWS: ("reconfigure {}", "connection", "connections"),
    ChangeKind.MACHINE_TYPE: _RESTART,
    ChangeKind.TIER_1: _RESTART,
    ChangeKind.NO_TIER_1: _RESTART,
    ChangeKind.SPOT: _RESTART,
    ChangeKind.ZONE: ("move {}", "VM", "VMs"),
    ChangeKind.NETWORK_TIER: ("new tier for {}", "VM", "VMs"),
    ChangeKind.EXTERNAL_ADDRESS: ("new address for {}", "VM", "VMs"),
    ChangeKind.RELEASE_ADDRESS: ("release {}", "address", "addresses"),
    ChangeKind.DELETE_GATEWAY: ("delete {}", "gateway", "gateways"),
    ChangeKind.NEAR_ENDPOINTS: ("change {}", "Service", "Services"),
}
"""What a change asks of people, counted in what it is made to."""


def cut(text: str, cells: int) -> str:
    """Return a text in at most so many cells; a longer one ends in an ellipsis.

    >>> cut("transcoder-1 (us-central1-a)", 15), cut("vm-1", 15)
    ('transcoder-1 (…', 'vm-1')
    """
    shown = inert_line(text)
    if cell_len(shown) <= cells:
        return shown
    return f"{set_cell_size(shown, cells - 1).rstrip()}…"


def cells_of(text: Line) -> int:
    """Return how wide a line is."""
    return cell_len(doc.plain(text))


def advice(
    fix: OrderedFix, finding: Finding | None, number: int | None, cells: int
) -> Iterator[Block]:
    """Yield a piece of advice in two lines of so many cells.

    Args:
        fix: Its entry of the order of fixes.
        finding: What was found; None where a filter hides it.
        number: The finding's place in the report, for `--show`.
        cells: Columns of the screen.
    """
    confidence = finding.confidence.value if finding else "" if fix.is_sure else "low"
    parts = [
        *stakes([fix], is_told=True),
        _effect(fix, finding),
        line("confidence: ", say(confidence)) if confidence else (),
        line(asked) if (asked := effort(fix)) else (),
    ]
    head = fixed(f"#{number} " if number else "(filtered) ", Role.DIM)
    yield doc.item(head, doc.joined(filter(None, parts), " · "))
    yield doc.para(_fix(fix, cells), is_inner=True)


def _effect(fix: OrderedFix, finding: Finding | None) -> Line:
    """Return what becomes of the throughput, or of what is lost; no gain that no traffic needs."""
    if fix.now is not None and fix.fixed is not None:
        return phrases.step(fix.now, fix.fixed, Role.STRONG)
    if fix.lost:
        return line(say(f"ends {cut(fix.lost, _LOST)}", Role.STRONG))
    if fix.used_ratio is not None:
        return line(fixed(f"limit {fix.used_ratio:.0%} used", Role.STRONG))
    return _lowered(finding) if finding and finding.subject == fix.subject else ()


def _lowered(finding: Finding) -> Line:
    """Return the limit that a fix lowers, where both ends are known."""
    now, then = finding.throughput_now, finding.throughput_fixed
    if now is None or then is None or now.gbps is None or then.gbps is None:
        return ()
    return line("lower limit: ", phrases.step(now, then)) if now.gbps > then.gbps else ()


def effort(fix: OrderedFix) -> str:
    """Return what a fix asks of people: `restart 4 VMs`."""
    counts: dict[tuple[str, str, str], int] = {}
    for planned in fix.changes:
        if planned.made_with is None:
            change = planned.change
            kind = _EFFORT[change.kind if change else None]
            counts[kind] = counts.get(kind, 0) + (len(change.targets) if change else 1)
    made = ((said, counted(n, one, many)) for (said, one, many), n in counts.items())
    return ", ".join(said.format(count) for said, count in made)


def _fix(fix: OrderedFix, cells: int) -> Line:
    """Return the change, where it is made, and the rule; the place is cut to what is left."""
    others = f" and {fix.place_count - 1:,} more" if fix.place_count > 1 else ""
    label = _label(fix, cells - len(f"   fix:  · {others}") - LEAST_PLACE)
    start = f"fix: {label} · " if label else ""
    room = cells - 3 - len(others) - cell_len(start)
    rule = f" · {fix.rule}" if room - len(fix.rule) - 3 >= LEAST_PLACE else ""
    place = _place(fix.subject, room - len(rule))
    return line(start, say(place, Role.NAME), others, say(rule, Role.DIM))


def _label(fix: OrderedFix, cells: int) -> str:
    """Return the change; where it is too long, of one kind of place and how many others."""
    told = (fix.label, label_of(fix.changes, 1) or fix.label)
    return next((one for one in told if cell_len(one) <= cells), cut(told[-1], cells))


def _place(subject: str, cells: int) -> str:
    """Return a place whole, else without the zone and type behind it, else cut.

    >>> _place("vm-1 (us-central1-a)", 20), _place("vm-1 (us-central1-a)", 19)
    ('vm-1 (us-central1-a)', 'vm-1')
    """
    is_long = cell_len(inert_line(subject)) > cells
    return cut(subject.partition(" (")[0] if is_long else subject, cells)
