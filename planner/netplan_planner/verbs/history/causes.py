"""What made a step: who of those whose traffic moved explains its dollars in the fewest words.

Attribution by explanatory power (Bhagwan et al., "Adtributor: Revenue Debugging in Advertising
Systems", NSDI 2014), here over all series at once: what of each series' step some pairs leave
unexplained. Of those that explain enough, one with a sign in the state of the project is named
before a mere sum: a VM that fell silent, one that is new, a group with another version.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal

from netplan_planner.model import PathClass
from netplan_planner.planning.run_record import RunRecord
from netplan_planner.units import cents, counted
from netplan_planner.verbs.history.answer import Cause, CauseKind
from netplan_planner.verbs.history.moved import PATH, Cell, End, Moved, Sides

ENOUGH = 2 / 3
"""Of a step that an answer explains: Adtributor's 0.67."""
ENOUGH_WITH_SIGN = 1 / 2
"""The same of a cause that the state shows: more than all others together."""
MOST_CAUSES = 4
SILENT = 0.1
"""Of its traffic before, below which a VM fell silent: probes of its health go on."""
_RANKS = {kind: rank for rank, kind in enumerate(CauseKind)}
_WITH_SIGN = frozenset(tuple(CauseKind)[:5])
_SIGN_RUNS = 2
"""Runs before a step in which its sign may be seen: an update rolls for a while."""

Contact = tuple[bool, str]
"""Whether a VM sends, and to or from which group or VM."""


def causes_of(sides: Sides, by_cell: Mapping[Cell, float]) -> list[Cause]:
    """Return what may have made a step, the answer first.

    Args:
        sides: What moved.
        by_cell: The step's difference where it shows, in dollars a month, the largest first.
    """
    found = [
        _cause(kind, name, text, costs, by_cell)
        for kind, name, text, costs in (*_signs(sides), *_sums(sides))
    ]
    found = [one for one in found if one.share_ratio > 1 - ENOUGH]
    paths = [cell.name for cell in by_cell if cell.kind == PATH]
    if paths and not any(map(_is_enough, found)):
        shown = " and ".join(paths)
        usd = sum(usd for cell, usd in by_cell.items() if cell.kind == PATH)
        found.append(
            Cause(
                kind=CauseKind.PATH,
                name=shown,
                text=f"the cost over {shown} changed, and no part of it explains that alone",
                usd_per_month=cents(Decimal(usd)),
                share_ratio=1.0,
            )
        )
    found.sort(key=lambda one: (not _is_enough(one), _RANKS[one.kind], -one.share_ratio))
    return found[:MOST_CAUSES]


def has_sign(cause: Cause) -> bool:
    """Return whether the state of the project shows a cause, which explains enough."""
    return cause.kind in _WITH_SIGN and _is_enough(cause)


def _is_enough(cause: Cause) -> bool:
    return cause.share_ratio >= (ENOUGH_WITH_SIGN if cause.kind in _WITH_SIGN else ENOUGH)


Cost = tuple[tuple[Cell, ...], float]
"""What more is paid, in dollars a month, and in which series."""
Found = tuple[CauseKind, str, str, list[Cost]]


def _cause(
    kind: CauseKind, name: str, text: str, costs: list[Cost], by_cell: Mapping[Cell, float]
) -> Cause:
    """Return a cause with the share that it explains: 1 less what is left of each series.

    Traffic that leaves one class for another moves both: their sum alone would hide it.
    """
    own: dict[Cell, float] = defaultdict(float)
    for cells, usd in costs:
        for cell in cells:
            own[cell] += usd
    left = sum(abs(usd - own[cell]) for cell, usd in by_cell.items())
    return Cause(
        kind=kind,
        name=name,
        text=text,
        usd_per_month=cents(Decimal(sum(usd for _, usd in costs))),
        share_ratio=round(1 - left / sum(map(abs, by_cell.values())), 3),
    )


def _costs(rows: Iterable[Moved]) -> list[Cost]:
    return [(one.cells, one.usd) for one in rows]


def _signs(sides: Sides) -> Iterator[Found]:
    """Yield causes that the state of the project shows."""
    yield from _prices(sides)
    yield from _nat_routes(sides)
    updated = dict(_updates(sides))
    for group, text in updated.items():
        # It is what the group sends, or what it gets.
        for rows in (
            [one for one in sides.moved if one.src_group == group],
            [one for one in sides.moved if one.dst_group == group],
        ):
            yield CauseKind.DEPLOYMENT, group, text, _costs(rows)
    vms = _Machines(sides, set(updated))
    yield from vms.failovers()
    yield from vms.replicas()


def _prices(sides: Sides) -> Iterator[Found]:
    old, new = sides.before[-1], sides.after[0]
    names = [
        f"{what} of {was} became {what} of {now}"
        for what, was, now in (
            ("prices", old.network_prices_as_of, new.network_prices_as_of),
            ("results", old.tool, new.tool),
        )
        if was != now
    ]
    if names:
        costs: list[Cost] = [
            (one.cells, one.usd_after - one.gib_after * one.usd_before / one.gib_before)
            for one in sides.moved
            if one.gib_after and one.gib_before
        ]
        yield CauseKind.PRICES, "prices", "; ".join(names), costs


def _nat_routes(sides: Sides) -> Iterator[Found]:
    by_ends: dict[tuple[str, End], list[Moved]] = defaultdict(list)
    for one in sides.moved:
        # A rolling update makes all VMs of a group again, with new names.
        by_ends[one.src_group or one.src[0], one.dst].append(one)
    routed: dict[str, list[Moved]] = defaultdict(list)
    for rows in by_ends.values():
        through = [one for one in rows if one.path_class is PathClass.NAT]
        others = [one for one in rows if one.path_class is not PathClass.NAT]
        was, now = _gib(through)
        was_other, now_other = _gib(others)
        if now > 2 * was and now_other < was_other / 2:
            routed[rows[0].src_group or rows[0].src[0]] += rows
    for name, rows in routed.items():
        senders = len({one.src for one in rows})
        text = f"Cloud NAT now carries the traffic of {counted(senders, 'VM')} of {name}"
        yield CauseKind.NAT_ROUTE, name, text, _costs(rows)
    if len(routed) > 1:
        text = f"{', '.join(sorted(routed))} now send through Cloud NAT"
        all_rows = [one for rows in routed.values() for one in rows]
        yield CauseKind.NAT_ROUTE, ", ".join(sorted(routed)), text, _costs(all_rows)


def _gib(rows: Iterable[Moved]) -> tuple[float, float]:
    rows = list(rows)
    return sum(one.gib_before for one in rows), sum(one.gib_after for one in rows)


def _versions(runs: Iterable[RunRecord]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        for one in run.dear_pairs:
            found[one.src_group].add(one.src_version)
            found[one.dst_group].add(one.dst_version)
    return {name: known - {""} for name, known in found.items() if name}


def _updates(sides: Sides) -> Iterator[tuple[str, str]]:
    """Yield groups that run another version than just before, and which."""
    old = _versions(sides.before[-_SIGN_RUNS - 1 :])
    earlier = _versions(sides.before[:-_SIGN_RUNS])
    for name, now in _versions(sides.after).items():
        known = earlier.get(name) or old.get(name, set())
        if known and (fresh := now - known):
            yield (
                name,
                f"{name} runs {', '.join(sorted(fresh))} instead of {', '.join(sorted(known))}",
            )


class _Machines:
    """Each VM with whom it talks to, before a step and after it."""

    def __init__(self, sides: Sides, updated: set[str]) -> None:
        self.sides, self._updated = sides, updated
        self.rows: dict[End, list[tuple[Contact, Moved]]] = defaultdict(list)
        self.group: dict[End, str] = {}
        for one in sides.moved:
            src = self._end(one.src, one.src_group)
            dst = self._end(one.dst, one.dst_group)
            # Of a peer its group: names of its VMs come and go.
            self.rows[src].append(((True, one.dst_group or one.dst[0]), one))
            self.rows[dst].append(((False, one.src_group or one.src[0]), one))
            self.group |= {src: one.src_group, dst: one.dst_group}
        self.ends = list(self.rows)
        self.volumes = {one: _gib(row for _, row in rows) for one, rows in self.rows.items()}
        # The day of a step may be off by a run or two, so that its signs are looked for around it.
        around = -_SIGN_RUNS - 1
        self.older = self._volumes_in(sides.before[:around])
        self.known = {one.name for run in sides.before[:around] for one in run.machines}
        self.active = self._volumes_in(sides.before[around:])
        self.last = self._volumes_in(sides.after[-1:])

    def _end(self, end: End, group: str) -> End:
        """Return a VM; of an updated group its VMs in a place, which may all have new names."""
        return (f"VMs of {group}", end[1]) if group in self._updated else end

    def _volumes_in(self, runs: Iterable[RunRecord]) -> dict[End, float]:
        """Return what each end sends and gets in some runs together."""
        found: dict[End, float] = defaultdict(float)
        for run in runs:
            for one in run.dear_pairs:
                ends = (
                    ((one.src, one.src_place), one.src_group),
                    ((one.dst, one.dst_place), one.dst_group),
                )
                for end, group in ends:
                    found[self._end(end, group)] += float(one.gib_per_month)
        return found

    def _contacts(self, ends: Iterable[End]) -> set[Contact]:
        return {contact for end in ends for contact, _ in self.rows[end]}

    def _of(self, ends: Iterable[End], contacts: set[Contact]) -> dict[int, Moved]:
        """Return the rows of some VMs with some contacts, each once."""
        return {id(row): row for end in ends for contact, row in self.rows[end]
                if contact in contacts}  # fmt: skip

    def failovers(self) -> Iterator[Found]:
        """Yield VMs that fell silent, with those elsewhere that took their traffic."""
        lost: dict[str, list[End]] = defaultdict(list)
        for end in self.ends:
            before = self.active.get(end, 0.0) / (_SIGN_RUNS + 1)
            if self.last.get(end, 0.0) < SILENT * before:
                lost[self.group[end] or end[0]].append(end)
        for name, gone in lost.items():
            contacts = self._contacts(gone)
            places = {place for _, place in gone}
            gains = {
                end: now - was
                for end in self.ends
                if end not in gone
                and end[1] not in places
                and (self.group[end] == self.group[gone[0]])
                for was, now in [_gib(self._of([end], contacts).values())]
                if now > was
            }
            if not gains or sum(gains.values()) < sum(self.volumes[end][0] for end in gone) / 2:
                continue
            if not self.group[gone[0]]:
                gains = dict([max(gains.items(), key=lambda one: one[1])])
            rows = self._of(gone, contacts) | self._of(gains, contacts)
            least = SILENT * sum(gains.values())
            takers = [end for end, gib in gains.items() if gib >= least] or list(gains)
            to = sorted({place for _, place in takers})
            text = (
                f"{_names(gone)} in {', '.join(sorted(places))} fell silent;"
                f" {_names(takers)} in {', '.join(to)} took over"
            )
            yield CauseKind.FAILOVER, name, text, _costs(rows.values())

    def replicas(self) -> Iterator[Found]:
        """Yield VMs that are new in a group whose others go on."""
        fresh: dict[str, list[End]] = defaultdict(list)
        stays: dict[str, list[End]] = defaultdict(list)
        for end in self.ends:
            if group := self.group[end]:
                is_new = end not in self.older and end[0] not in self.known
                (fresh if is_new else stays)[group].append(end)
        for name, new in fresh.items():
            contacts = self._contacts(new)
            own = sum(row.usd for row in self._of(new, contacts).values())
            rows = self._of((*new, *stays[name]), contacts).values()
            if not stays[name] or own < sum(row.usd for row in rows) / 2:
                continue
            places = {place for _, place in new}
            other = places - {place for _, place in stays[name]}
            where = ", ".join(sorted(other or places))
            is_one = len(new) == 1 and name not in self._updated
            who = _names(new) if name in self._updated else f"{_names(new)} of {name}"
            text = f"{who} {'is' if is_one else 'are'} new in {where}"
            text = f"{text}, where {name} had no VM" if other else text
            yield CauseKind.NEW_REPLICA, name, text, _costs(rows)


def _names(ends: Iterable[End]) -> str:
    names = sorted(name for name, _ in ends)
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"


def _sums(sides: Sides) -> Iterator[Found]:
    """Yield what moved by pair, VM, group and places, the largest of each."""
    keys: dict[CauseKind, Callable[[Moved], Iterable[str]]] = {
        CauseKind.PAIR: lambda one: [f"{one.src[0]} → {one.dst[0]}"],
        CauseKind.VM: lambda one: [name for name, place in one.ends if place],
        CauseKind.GROUP: lambda one: [one.src_group] if one.src_group else [],
        CauseKind.PLACES: lambda one: (
            [f"{one.src[1]} → {one.dst[1]}"] if one.src[1] and one.dst[1] else []
        ),
    }
    for kind, names in keys.items():
        rows: dict[str, list[Moved]] = defaultdict(list)
        for one in sides.moved:
            for name in set(names(one)):
                rows[name].append(one)
        sums = {name: sum(one.usd for one in of) for name, of in rows.items()}
        for name in sorted(sums, key=lambda name: -abs(sums[name]))[:MOST_CAUSES]:
            text = f"traffic of {name} costs {'more' if sums[name] > 0 else 'less'}"
            yield kind, name, text, _costs(rows[name])
