"""The bandwidth limits of machine types: all variants of one, or a list of many."""

from datetime import date

from netplan_planner.errors import MissingDatum, UnknownName, UsageError, did_you_mean
from netplan_planner.model import (
    CapsAnswer,
    EgressCap,
    PathClass,
    Value,
    series_of,
    shape_of_custom,
)
from netplan_planner.throughput import CapsTable, load_caps, stated_on
from netplan_planner.throughput.limits.physical_nics import physical_nics
from netplan_planner.throughput.limits.tables import platform_generations


class CapsRequest(Value, frozen=True, kw_only=True):
    """Which caps are asked for."""

    as_of: date
    machine_type: str | None = None
    """None: all types."""
    cpu_platform: str | None = None
    series: tuple[str, ...] = ()
    """Only these, of all types."""


def caps_of(request: CapsRequest) -> CapsAnswer:
    """Return the caps of one type in all its variants, or those of all types.

    Raises:
        MissingDatum: If the type has no cap on that day, or no source states it.
        UnknownName: If there is no such type; the text has the nearest.
        UsageError: If a series or a platform is not a known name.
    """
    table = load_caps(request.as_of)
    if request.machine_type is None:
        caps, nics = _of_series(table, request.series), None
    elif request.series:
        raise UsageError("--series is for the list of all types: leave TYPE out")
    else:
        caps = _variants(table, request.machine_type, request.cpu_platform)
        nics = physical_nics().get(caps[0].machine_type)
    return CapsAnswer(
        limits_as_of=stated_on(table.as_of),
        caps=caps,
        measured=tuple(limit for path_class in PathClass for limit in table.measured(path_class)),
        physical_nics=nics,
        is_list=request.machine_type is None,
    )


def _variants(
    table: CapsTable, machine_type: str, cpu_platform: str | None
) -> tuple[EgressCap, ...]:
    found = table.variants(machine_type)
    if not found:
        reason = table.unknown_reason(machine_type)
        if machine_type in table.machine_types or shape_of_custom(machine_type) is not None:
            raise MissingDatum(reason)
        near = table.nearest(machine_type)
        hint = f"; the nearest names are {', '.join(near)}" if near else ""
        raise UnknownName(reason + hint)
    if cpu_platform is None:
        return found
    known = platform_generations()
    if cpu_platform not in known:
        hint = did_you_mean(cpu_platform, known)
        raise UsageError(f"--cpu-platform is one of {', '.join(known)}, not {cpu_platform!r}{hint}")
    wanted = (
        table.cap(machine_type, tier1=tier1, cpu_platform=cpu_platform) for tier1 in (False, True)
    )
    fitting = tuple(cap for cap in wanted if cap is not None)
    if not fitting:
        raise MissingDatum(table.unknown_reason(machine_type, cpu_platform=cpu_platform))
    return fitting


def checked_series(series: tuple[str, ...], table: CapsTable) -> tuple[str, ...]:
    """Return the series, each of which the caps table knows.

    Raises:
        UsageError: If one is not known; the text names them all.
    """
    known = {series_of(name) for name in table.machine_types}
    for name in series:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UsageError(f"--series {name!r}: it is one of {', '.join(sorted(known))}{hint}")
    return series


def _of_series(table: CapsTable, series: tuple[str, ...]) -> tuple[EgressCap, ...]:
    checked_series(series, table)
    return tuple(
        cap
        for name in sorted(table.machine_types, key=_by_number)
        if not series or series_of(name) in series
        for cap in table.variants(name)
    )


def _by_number(name: str) -> list[tuple[str, int]]:
    """Return a key that sorts n2-standard-8 before n2-standard-16."""
    return [("", int(part)) if part.isdigit() else (part, 0) for part in name.split("-")]
