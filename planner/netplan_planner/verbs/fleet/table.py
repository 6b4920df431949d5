"""The needs of a fleet from a user's table: a row a group."""

import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_planner.machines.known import Known
from netplan_planner.model import Zone
from netplan_planner.planning.fleet.need import HOURS_PER_DAY, FleetNeed, hours_of
from netplan_planner.tables.columns import Column, ColumnKind, names_of
from netplan_planner.tables.reading import Table
from netplan_planner.units import HOURS_PER_MONTH, counted

_NUMBER, _WHOLE = ColumnKind.NUMBER, ColumnKind.WHOLE
_LEAST = 1e-9
COLUMNS = (
    Column(name="name", meaning="of the group, unique in a zone", is_required=True),
    Column(name="zone", meaning="location", is_required=True),
    Column(
        name="count",
        meaning="number of equal VMs, which stays",
        kind=_WHOLE,
        least=1,
        most=1e6,
        is_required=True,
    ),
    Column(
        name="gbps",
        meaning="egress of each VM inside the VPC",
        unit="Gbit/s",
        kind=_NUMBER,
        least=_LEAST,
        most=1e4,
        is_required=True,
    ),
    Column(
        name="outside_gbps",
        meaning="egress of each VM to addresses outside the VPC, in addition",
        unit="Gbit/s",
        kind=_NUMBER,
        least=0,
        most=1e4,
    ),
    Column(
        name="vcpus",
        meaning="minimum of each VM",
        kind=_NUMBER,
        least=_LEAST,
        most=1e5,
        is_required=True,
    ),
    Column(
        name="memory_gib",
        meaning="minimum of each VM",
        unit="GiB",
        kind=_NUMBER,
        least=_LEAST,
        most=1e6,
        is_required=True,
    ),
    Column(
        name="hours_per_month",
        meaning="hours that it runs; empty: all hours, or all of its active ones",
        unit="h",
        kind=_NUMBER,
        least=_LEAST,
        most=HOURS_PER_MONTH,
    ),
    Column(name="active_hours", meaning="of the day, UTC, such as 8-20; empty: all day"),
    Column(name="machine_type", meaning="today; empty: it is new"),
    Column(name="is_tier1", meaning="whether it has Tier_1 today: true or false"),
    Column(name="cpu_platform", meaning="today, where the cap depends on it (N1, M2)"),
    Column(name="architecture", meaning="the only allowed one: x86, arm, or any"),
    Column(name="pinned", meaning="whether it keeps its machine_type: true or false"),
)
_NUMBERS = names_of(one for one in COLUMNS if one.is_number)
_TEXTS = names_of(one for one in COLUMNS if not one.is_number)
_REQUIRED = frozenset(one.name for one in COLUMNS if one.is_required)
_BOOLEANS = {"": False, "true": True, "false": False}
_ARCHITECTURES = {
    "x86": "X86_64",
    "x86_64": "X86_64",
    "arm": "ARM64",
    "arm64": "ARM64",
    "any": None,
}
"""As people and the Compute API name them."""
_SPAN = re.compile(r"(\d{1,2})(?::00)?\s*-\s*(\d{1,2})(?::00)?")
_ALL = tuple(range(HOURS_PER_DAY))


def read_needs(
    path: Path, known: Known, *, architecture: str | None, any_architecture: bool
) -> tuple[tuple[FleetNeed, ...], tuple[str, ...]]:
    """Return the groups of a table in its order, and what to know of how it was read.

    Args:
        path: CSV or Parquet, as `docs/reference/inputs.md` says.
        known: Regions, zones and types.
        architecture: For groups that name none.
        any_architecture: Whether groups with a type of today may change theirs.

    Raises:
        InputError: If it is no table with the columns, or a row makes no sense; it is named, with
            what to change.
    """
    with Table(path, COLUMNS) as table:
        table.refuse_unread()
        numbers = table.checked_numbers()
        numbers = {name: numbers[name] for name in _NUMBERS}
        if table.refused.count:
            raise InputError(f"{table.shown}: {'; '.join(table.refused.named)}")
        texts = {name: table.texts(name) for name in _TEXTS}
        shown, count = table.shown, table.row_count
    if not count:
        raise InputError(f"{shown}: it has no rows. Each row is a group of VMs")
    reader = _Rows(shown, known, architecture, is_any=any_architecture)
    needs = []
    for at in range(count):
        row_numbers = {name: float(values[at]) for name, values in numbers.items()}
        row_texts = {name: found[which[at]] for name, (found, which) in texts.items()}
        needs.append(reader.need(at + 1, row_numbers, row_texts))
    _check_names(shown, needs)
    notes = []
    if reader.shortened:
        notes.append(
            "hours_per_month is more than the active hours allow in "
            f"{counted(reader.shortened, 'row')}; counted with the active hours"
        )
    return tuple(needs), tuple(notes)


class _Rows:
    """Makes groups of rows."""

    def __init__(self, shown: str, known: Known, architecture: str | None, *, is_any: bool) -> None:
        self._shown = shown
        self._known = known
        self._architecture = architecture
        self._is_any = is_any
        self._checked: dict[tuple[str, str], str] = {}
        self.shortened = 0

    def need(self, row: int, numbers: Mapping[str, float], texts: Mapping[str, str]) -> FleetNeed:
        """Return a group.

        Raises:
            InputError: If a cell makes no sense, or two contradict one another.
        """
        name = texts["name"]
        for wrong in self._wrong(numbers, texts):
            raise InputError(f"{self._shown}: row {row} ({name or 'no name'}): {wrong}")
        active = _active(texts["active_hours"]) or _ALL
        most = hours_of(frozenset(active))
        stated = numbers["hours_per_month"]
        hours = most if math.isnan(stated) else min(Decimal(repr(stated)), most)
        self.shortened += not math.isnan(stated) and Decimal(repr(stated)) > most
        outside = numbers["outside_gbps"]
        machine_type = texts["machine_type"] or None
        return FleetNeed(
            name=name,
            zone=Zone(texts["zone"]),
            count=int(numbers["count"]),
            gbps=numbers["gbps"],
            outside_gbps=0.0 if math.isnan(outside) else outside,
            vcpus=math.ceil(numbers["vcpus"]),
            memory_gib=numbers["memory_gib"],
            hours_per_month=hours,
            active_hours=active,
            machine_type=machine_type,
            is_tier1=_BOOLEANS[texts["is_tier1"].lower()],
            cpu_platform=texts["cpu_platform"] or None,
            architecture=self._allowed(texts["architecture"].lower(), machine_type),
            is_pinned=_BOOLEANS[texts["pinned"].lower()],
            ties=self._known.ties(machine_type) if machine_type else None,
        )

    def _allowed(self, stated: str, machine_type: str | None) -> str | None:
        if stated:
            return _ARCHITECTURES[stated]
        if self._architecture is not None or self._is_any or machine_type is None:
            return self._architecture
        return self._known.architecture(machine_type)

    def _wrong(self, numbers: Mapping[str, float], texts: Mapping[str, str]) -> Iterator[str]:
        for column in sorted(_REQUIRED):
            is_empty = math.isnan(numbers[column]) if column in numbers else not texts[column]
            if is_empty:
                yield f"{column} is empty: state it, because unknown is not 0"
        zone, machine_type = texts["zone"], texts["machine_type"]
        if zone and (wrong := self._check("zone", zone)):
            yield f"zone is {zone!r}: {wrong}"
        if machine_type and (wrong := self._check("machine_type", machine_type)):
            yield f"machine_type is {machine_type!r}: {wrong}"
        for column in ("is_tier1", "pinned"):
            if texts[column].lower() not in _BOOLEANS:
                yield f"{column} is {texts[column]!r}, not true or false"
        if (stated := texts["architecture"].lower()) and stated not in _ARCHITECTURES:
            yield f"architecture is {texts['architecture']!r}, not x86, arm or any"
        if _active(texts["active_hours"]) is None:
            yield f"active_hours is {texts['active_hours']!r}, not hours of the day such as 8-20"
        yield from self._wrong_today(texts, machine_type)

    def _wrong_today(self, texts: Mapping[str, str], machine_type: str) -> Iterator[str]:
        """Yield what is wrong of what is said of the machine type of today."""
        is_tier1 = _BOOLEANS.get(texts["is_tier1"].lower(), False)
        if _BOOLEANS.get(texts["pinned"].lower(), False) and not machine_type:
            yield "it is pinned, but has no machine_type: state it, or leave pinned out"
        if is_tier1 and not machine_type:
            yield "is_tier1 needs machine_type, the type of today, which is empty: state it"
        elif is_tier1 and not self._known.has_tier1(machine_type):
            yield (
                f"{machine_type} does not offer Tier_1: leave is_tier1 out, or state another type"
            )
        platform = texts["cpu_platform"]
        if platform and not machine_type:
            yield "cpu_platform needs machine_type, the type of today, which is empty: state it"
        elif platform and (wrong := self._known.check_platform(machine_type, platform)):
            yield f"cpu_platform is {platform!r}: {wrong}"

    def _check(self, what: str, name: str) -> str:
        found = self._checked.get((what, name))
        if found is None:
            check = self._known.check_zone if what == "zone" else self._known.check_type
            found = self._checked[what, name] = check(name)
        return found


def _active(text: str) -> tuple[int, ...] | None:
    """Return hours of the day, none for an empty text; None where it is not understood.

    >>> _active("8-12, 22-2 UTC")
    (0, 1, 8, 9, 10, 11, 22, 23)
    >>> _active("9-9"), _active("8-25"), _active("0-24") == tuple(range(24)), _active("")
    (None, None, True, ())
    """
    bare = re.sub(r"\s*UTC\s*$", "", text.strip(), flags=re.I)
    if not bare or bare.lower() == "all day":
        return ()
    hours: set[int] = set()
    for span in re.split(r"[,;]", bare):
        found = _SPAN.fullmatch(span.strip())
        if found is None:
            return None
        first, end = int(found[1]), int(found[2])
        if first >= HOURS_PER_DAY or end > HOURS_PER_DAY or first == end:
            return None
        length = (end - first) % HOURS_PER_DAY or HOURS_PER_DAY
        hours.update((first + step) % HOURS_PER_DAY for step in range(length))
    return tuple(sorted(hours))


def _check_names(shown: str, needs: list[FleetNeed]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for row, need in enumerate(needs, 1):
        key = need.name, need.zone
        if key in seen:
            raise InputError(
                f"{shown}: rows {seen[key]} and {row} are both {need.name!r} in {need.zone}: give"
                " each group a name of its own"
            )
        seen[key] = row
