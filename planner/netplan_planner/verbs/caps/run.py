"""The bandwidth limits of machine types: all variants of one, or a list of many."""

from datetime import date

from netplan_planner.errors import MissingDatum, UnknownName, UsageError, did_you_mean, near
from netplan_planner.model import EgressCap, PathClass, series_of, shape_of_custom
from netplan_planner.throughput import CapsTable, load_caps, stated_on
from netplan_planner.throughput.limits.caps import checked_series
from netplan_planner.throughput.limits.senders import physical_nics
from netplan_planner.throughput.limits.tables import platform_generations
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.caps.answer import CapsAnswer
from netplan_planner.verbs.caps.ask import CapsAsk


@verb(
    panel=panels.PLAN,
    question="How much may a machine type send?",
    ends=lambda _, found: bool(found.caps),
)
def caps(ask: CapsAsk, now: Now) -> CapsAnswer:
    """Print the bandwidth caps of a machine type: every variant, with source and date.

    A cap is the maximum per VM, over all NICs and addresses. An unknown type ends with exit status
    2 and the nearest names. Exit status: 0, or 1 when no type has a cap.
    """
    return caps_of(ask, ask.as_of or now.today)


def caps_of(ask: CapsAsk, as_of: date) -> CapsAnswer:
    """Return the caps of one type in all its variants, or those of all types.

    Raises:
        MissingDatum: If the type has no cap on that day, or no source states it.
        UnknownName: If there is no such type; the text has the nearest.
        UsageError: If a series or a platform is not a known name.
    """
    table = load_caps(as_of)
    if ask.machine_type is None:
        found, nics = _of_series(table, ask.series), None
    elif ask.series:
        raise UsageError("--series filters the list of all types: leave TYPE out")
    else:
        found = _variants(table, ask.machine_type, ask.cpu_platform)
        nics = physical_nics().get(found[0].machine_type)
    return CapsAnswer(
        limits_as_of=stated_on(table.as_of),
        caps=found,
        measured=tuple(limit for path_class in PathClass for limit in table.measured(path_class)),
        physical_nics=nics,
        is_list=ask.machine_type is None,
    )


def _variants(
    table: CapsTable, machine_type: str, cpu_platform: str | None
) -> tuple[EgressCap, ...]:
    found = table.variants(machine_type)
    if not found:
        reason = table.unknown_reason(machine_type)
        if machine_type in table.machine_types or shape_of_custom(machine_type) is not None:
            raise MissingDatum(reason)
        is_told = bool(table.unknown_series(machine_type))
        raise UnknownName(reason + ("" if is_told else near(machine_type, table.machine_types)))
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
