"""Two reports side by side: what they rest on, VMs, paths, and the parts of the bill."""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TypeVar

from netplan_planner import model
from netplan_planner.judging.reported import Reported
from netplan_planner.model import Direction, MachineRow, MonthBill, PathClass
from netplan_planner.units import cents
from netplan_planner.verbs.diff import answer as diff
from netplan_planner.verbs.diff.answer import DiffCause, DiffState

_ZERO = Decimal(0)
Number = TypeVar("Number", float, Decimal)
_DECIMALS = 6
"""Of a rate, a volume or a sum: a report's JSON has no more."""


def basis(before: Reported, after: Reported) -> tuple[diff.DiffBasis, ...]:
    """Return what differs of prices, limits and version."""
    is_hashed = bool(before.prices_sha256 and after.prices_sha256)
    parts = (
        ("prices", *(_prices(one, is_hashed=is_hashed) for one in (before, after))),
        ("limits", before.limits_as_of.isoformat(), after.limits_as_of.isoformat()),
        ("version", before.tool, after.tool),
    )
    differ = [one for one in parts if one[1] != one[2]]
    return tuple(diff.DiffBasis(name=name, before=was, after=now) for name, was, now in differ)


def _prices(one: Reported, *, is_hashed: bool) -> str:
    days = f"prices of {one.prices_as_of.isoformat()}"
    if one.network_prices_as_of != one.prices_as_of:
        days += f" (traffic {one.network_prices_as_of.isoformat()})"
    return f"{days}, {one.prices_sha256[:12]}" if is_hashed else days


# VMs


def machines(before: Reported, after: Reported, *, is_moved: bool) -> tuple[diff.DiffMachine, ...]:
    """Return every VM of both sides, unchanged ones too.

    Args:
        before: One side.
        after: The other.
        is_moved: Whether prices, limits or the version differ.
    """
    several = _several(before.machines) | _several(after.machines)
    old, new = (_by_name(one.machines, several) for one in (before, after))
    pairs: list[tuple[MachineRow | None, MachineRow | None]]
    pairs = [(old.pop(key, None), row) for key, row in new.items()]
    pairs += [(row, None) for row in old.values()]
    found = [_machine(was, now, is_moved=is_moved) for was, now in pairs]
    return tuple(sorted(found, key=_rank))


_Named = tuple[str, str]
"""Project and name of a VM."""


def _several(rows: Sequence[MachineRow]) -> set[_Named]:
    """Return what two VMs of a side are both named."""
    counts = Counter((row.project, row.name) for row in rows)
    return {name for name, count in counts.items() if count > 1}


def _by_name(
    rows: Sequence[MachineRow], several: set[_Named]
) -> dict[tuple[_Named, str], MachineRow]:
    """Return rows by project and name, and by zone where two of either side have one name."""
    names = [(row.project, row.name) for row in rows]
    zones = (row.zone if name in several else "" for row, name in zip(rows, names, strict=True))
    return dict(zip(zip(names, zones, strict=True), rows, strict=True))


def _machine(was: MachineRow | None, now: MachineRow | None, *, is_moved: bool) -> diff.DiffMachine:
    shown = now or was
    assert shown is not None
    state, cause = (DiffState.FIXED if was else DiffState.NEW), DiffCause.PROJECT
    if was is not None and now is not None:
        is_same = (*_seen(was), *_known(was)) == (*_seen(now), *_known(now))
        state = DiffState.UNCHANGED if is_same else DiffState.CHANGED
        if is_moved:
            cause = DiffCause.BASIS if _seen(was) == _seen(now) else DiffCause.EITHER
    old, new = (_ZERO if row is None else row.usd_per_month for row in (was, now))
    change = None if old is None or new is None else new - old
    return diff.DiffMachine(
        state=state,
        cause=cause,
        name=shown.name,
        before=was,
        after=now,
        change_usd_per_month=change,
    )


def _seen(row: MachineRow) -> tuple[object, ...]:
    """Return what of a VM is the project's doing."""
    place = (row.project, row.zone, row.machine_type, row.is_stopped, row.is_suspended)
    used = (_rounded(row.egress_p95_gbps), _rounded(row.external_p95_gbps))
    return *place, row.is_spot, row.is_tier1, len(row.external_addresses), *used


def _known(row: MachineRow) -> tuple[object, ...]:
    """Return what prices and limits say of a VM, to the cent."""
    usd = row.usd_per_month
    caps = (_rounded(row.egress_gbps), _rounded(row.external_gbps))
    return *caps, None if usd is None else cents(usd)


def _rounded(value: Number | None) -> Number | None:
    return None if value is None else round(value, _DECIMALS)


def _rank(one: diff.DiffMachine) -> tuple[object, ...]:
    return one.state is DiffState.UNCHANGED, -abs(one.change_usd_per_month or _ZERO), one.name


# Paths


def paths(before: Reported, after: Reported, *, is_moved: bool) -> tuple[diff.DiffPath, ...]:
    """Return the paths that are not as before, the largest change of money first."""
    old, new = _sides(before), _sides(after)
    found = []
    for key in {*old, *new}:
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        src, dst, path_class = key
        is_basis = was and now and was.gib_per_month == now.gib_per_month
        cause = DiffCause.BASIS if is_basis else DiffCause.EITHER
        one = diff.DiffPath(
            state=DiffState.CHANGED if was and now else DiffState.FIXED if was else DiffState.NEW,
            cause=cause if is_moved else DiffCause.PROJECT,
            src_zone=src,
            dst_zone=dst,
            path_class=path_class,
            before=was,
            after=now,
        )
        usd = [(side.usd_per_month or _ZERO) if side else _ZERO for side in (was, now)]
        found.append((-abs(usd[1] - usd[0]), key, one))
    return tuple(one for *_, one in sorted(found, key=lambda each: each[:2]))


def _sides(report: Reported) -> dict[tuple[str, str, PathClass], diff.PathSide]:
    """Return pairs of zones, and classes of traffic that have none."""
    found = {
        (one.src_zone, one.dst_zone, one.path_class): _side(one, one.predicted)
        for one in report.zone_pairs
    }
    zoned = {path_class for *_, path_class in found}
    for one in report.traffic_by_class:
        if one.direction is Direction.SENT and one.path_class not in zoned:
            found["", "", one.path_class] = _side(one, None)
    return found


def _side(
    one: model.ZonePair | model.ClassTotal, predicted: model.Estimate | None
) -> diff.PathSide:
    return diff.PathSide(
        gib_per_month=round(one.gib_per_month, _DECIMALS),
        usd_per_month=_rounded(one.usd_per_month),
        gbps=_rounded(predicted.gbps) if predicted is not None else None,
    )


# Money


def money(
    before: Reported, after: Reported, machines_of: Sequence[diff.DiffMachine], *, is_moved: bool
) -> tuple[diff.DiffMoney, ...]:
    """Return each part of the bill on both sides."""
    return tuple(
        _part(name, old, new, moved, is_moved=is_moved)
        for (name, old), (_, new), moved in zip(
            _parts(before.bill), _parts(after.bill), _moved(before, after, machines_of), strict=True
        )
        if old or new or old is not new
    )


def _parts(bill: MonthBill) -> Iterator[tuple[str, Decimal | None]]:
    yield "VMs", bill.machines_usd
    yield "external addresses", bill.addresses_usd
    yield "traffic", bill.traffic_usd
    yield "network services", bill.services_usd
    yield "commitments", bill.commitments_usd
    yield "traffic without a price, at least", bill.unpriced_low_usd


def _moved(
    before: Reported, after: Reported, machines_of: Sequence[diff.DiffMachine]
) -> Iterator[Decimal]:
    """Yield what of each part moved though the VM or the traffic is the same."""
    for field in ("machine_usd_per_month", "address_usd_per_month"):
        yield sum(
            (
                (getattr(one.after, field) or _ZERO) - (getattr(one.before, field) or _ZERO)
                for one in machines_of
                if one.cause is DiffCause.BASIS
            ),
            _ZERO,
        )
    old, new = (
        {(one.path_class, one.direction): one for one in report.traffic_by_class}
        for report in (before, after)
    )
    yield sum(
        (
            (new[key].usd_per_month or _ZERO) - (total.usd_per_month or _ZERO)
            for key, total in old.items()
            if key in new and round(total.gib_per_month - new[key].gib_per_month, _DECIMALS) == 0
        ),
        _ZERO,
    )
    yield from (_ZERO, _ZERO, _ZERO)


def _part(
    name: str, old: Decimal | None, new: Decimal | None, moved: Decimal, *, is_moved: bool
) -> diff.DiffMoney:
    change = None if old is None or new is None else new - old
    by_basis = moved if is_moved else _ZERO
    rest = None if change is None else change - by_basis
    return diff.DiffMoney(
        part=name,
        before_usd=old,
        after_usd=new,
        change_usd=change,
        by_project_usd=_ZERO if is_moved and rest is not None else rest,
        by_basis_usd=None if change is None else by_basis,
        by_either_usd=rest if is_moved or rest is None else _ZERO,
    )


def total(parts: Sequence[diff.DiffMoney]) -> diff.DiffMoney:
    """Return the sum of the parts that are known on both sides."""
    known = [one for one in parts if one.change_usd is not None]
    names = [name for name in diff.DiffMoney.__struct_fields__ if name != "part"]
    sums = {name: sum((getattr(one, name) for one in known), _ZERO) for name in names}
    return diff.DiffMoney(part="total", **sums)
