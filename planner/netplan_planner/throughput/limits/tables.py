"""The limits that ship with netplan, as they stand in `data/*.csv`; nothing is computed here.

Every row has a source and its date. Rows are chosen by the date whose limits are asked for: a row
holds from `valid_from` to `valid_until`, both included and either open when empty.

How published campaigns measured, where their tables do not say it row by row.
"""

from datetime import date
from functools import cache
from pathlib import Path

from netplan_planner.model import MeasuredLimit, PathClass, Value
from netplan_planner.shipped import shipped_rows, shipped_values
from netplan_planner.units import counted

DATA = Path(__file__).parents[1] / "data"
MOST_MTU_BYTES = 8896
"""Of a VPC network: docs.cloud.google.com/vpc/docs/quota, 2026-04-02."""

_DATED = ("egress_caps.csv", "path_limits.csv", "measured_limits.csv")
"""The tables of limits; each row has a `source_date`."""

_OF_CAMPAIGNS = ("campaign", "campaigns", "maybe_by", "sure_by", "seen_again_by")
"""Columns with the names of campaigns, `|` between them, whatever the table."""

Campaigns = frozenset[str]
NOBODY: Campaigns = frozenset()
"""No campaign is left out."""

CapRow = dict[str, str]
"""One line of `egress_caps.csv` by column name; dates as ISO text, which sorts as dates do."""


class PathLimit(Value, frozen=True, kw_only=True):
    """A documented limit that does not depend on the machine type."""

    name: str
    tier: str
    value: float
    unit: str
    source: str
    as_of: date
    note: str
    maybe_from: date | None
    """The last day on which a figure speaks against it."""
    sure_from: date | None
    """Since when it is certain; before, and from `valid_from` on, it may not have been in force."""

    def chance_in_force(self, day: date) -> float:
        """Return how likely it was in force: any day between those that are known is alike."""
        if self.sure_from is None or day >= self.sure_from:
            return 1.0
        if self.maybe_from is None or day <= self.maybe_from:
            return 0.0
        return (day - self.maybe_from) / (self.sure_from - self.maybe_from)


@cache
def cap_rows(without: Campaigns = NOBODY) -> tuple[CapRow, ...]:
    """Return every row of the caps table, of all dates.

    A row that one of the campaigns dates holds from its document on.
    """
    return tuple(
        {**row, "valid_from": f"{row['source_date'][:4]}-01-01", "assumed_from": ""}
        if row["campaign"] in without
        else row
        for row in _read("egress_caps.csv")
    )


@cache
def vcpus_by_type() -> dict[str, int]:
    """Return the vCPUs of each type that any document of any day names: no type changes them."""
    rows = _read("egress_caps.csv")
    return {
        row["machine_type"]: int(row["vcpus_max"])
        for row in rows
        if row["machine_type"] and row["vcpus_min"] == row["vcpus_max"] != ""
    }


@cache
def greatest_egress_gbps() -> float:
    """Return the greatest cap that any document states: no machine is known to send more."""
    stated = (row["egress_gbps"] for row in _read("egress_caps.csv"))
    return max(float(gbps) for gbps in stated if gbps)


@cache
def series_without_caps() -> dict[str, CapRow]:
    """Return what documents say of series whose caps no source that was read states, by name."""
    return {row["series"]: row for row in _read("series_without_caps.csv")}


@cache
def path_limit(
    name: str, as_of: date, tier: str = "", without: Campaigns = NOBODY
) -> PathLimit | None:
    """Return the documented limit of that name at a date, or None when no source states one."""
    rows = _path_rows(name, tier, without)
    return next((_path_limit(row) for row in rows if holds(row, as_of)), None)


@cache
def later_path_limit(
    name: str, as_of: date, tier: str = "", without: Campaigns = NOBODY
) -> PathLimit | None:
    """Return the first documented limit of that name after a date, or None."""
    rows = _path_rows(name, tier, without)
    later = [row for row in rows if row["valid_from"] > as_of.isoformat()]
    return _path_limit(min(later, key=lambda row: row["valid_from"])) if later else None


@cache
def newest_source() -> date:
    """Return the date of the newest document that a shipped limit was read from."""
    days = (row["source_date"] for name in _DATED for row in _read(name))
    return date.fromisoformat(max(days))


def stated_on(as_of: date) -> date:
    """Return the day whose limits those asked for at `as_of` are, for what a person reads.

    An earlier day's are that day's; today's are those of the newest source, for what came after
    it is not known.
    """
    return min(as_of, newest_source())


@cache
def possible_path_limit(
    name: str, as_of: date, tier: str = "", without: Campaigns = NOBODY
) -> PathLimit | None:
    """Return a limit that may have been in force on a day for which no source states it.

    It was stated for a later day, and nothing that was measured since `maybe_from` speaks against
    it: on what day it came nobody knows.
    """
    day = as_of.isoformat()
    for row in _path_rows(name, tier, without):
        if row["maybe_from"] and row["maybe_from"] <= day < row["valid_from"]:
            return _path_limit(row)
    return None


def _path_limit(row: dict[str, str]) -> PathLimit:
    return PathLimit(
        name=row["name"],
        tier=row["tier"],
        value=float(row["value"]),
        unit=row["unit"],
        source=row["source"],
        as_of=date.fromisoformat(row["source_date"]),
        note=row["note"],
        maybe_from=_day(row["maybe_from"]),
        sure_from=_day(row["sure_from"]),
    )


@cache
def _path_rows(name: str, tier: str, without: Campaigns) -> tuple[dict[str, str], ...]:
    """Return the rows of a limit, each with the first of its days that is no such campaign's."""
    return tuple(
        row | {f"{end}_from": _first_day(row, end, without) for end in ("maybe", "sure")}
        for row in _read("path_limits.csv")
        if row["name"] == name and row["tier"] == tier
    )


def _first_day(row: dict[str, str], end: str, without: Campaigns) -> str:
    days, shown_by = (row[f"{end}_{part}"].split("|") for part in ("from", "by"))
    return next(day for day, name in zip(days, shown_by, strict=True) if name not in without)


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


@cache
def measured_limits(as_of: date, without: Campaigns = NOBODY) -> tuple[MeasuredLimit, ...]:
    """Return the measured limits that hold at a date: median and range of their figures."""
    groups: dict[tuple[str, str, str, str], list[dict[str, str]]] = {}
    for row in _read("measured_limits.csv"):
        if holds(row, as_of) and row["campaign"] not in without:
            key = (row["name"], row["path_class"], row["valid_from"], row["valid_until"])
            groups.setdefault(key, []).append(row)
    return tuple(_measured(rows) for rows in groups.values())


class FlowFigure(Value, frozen=True, kw_only=True):
    """What one flow reached on a machine that its cap did not hold back, at a day."""

    on: date
    gbps: float
    low_gbps: float
    high_gbps: float
    campaign: str = ""
    source: str
    source_date: date


@cache
def flow_figures(without: Campaigns = NOBODY) -> tuple[FlowFigure, ...]:
    """Return the figures for single flows, oldest first; of two of one day the first that is left.

    The second is what other sources say of that day.
    """
    found: dict[date, FlowFigure] = {}
    for one in shipped_values(DATA / "single_flow.csv", FlowFigure, on="date"):
        if one.campaign not in without:
            found.setdefault(one.on, one)
    return tuple(found.values())


class WindowFigure(Value, frozen=True, kw_only=True):
    """What one stream had on its way to a machine with a stock image, in payload."""

    byte_count: float
    low_bytes: float
    high_bytes: float
    campaign: str = ""
    source: str
    source_date: date


@cache
def window_figures(without: Campaigns = NOBODY) -> tuple[WindowFigure, ...]:
    """Return the figures for receive windows."""
    found = shipped_values(DATA / "receive_windows.csv", WindowFigure, byte_count="bytes")
    return tuple(one for one in found if one.campaign not in without)


@cache
def unseen_outside_until(without: Campaigns) -> date:
    """Return the last day before the next figure of an external path after 2017's."""
    found = next(row for row in _read("measured_limits.csv") if row["unseen_until"])
    if found["seen_again_by"] in without:
        return date.max
    return date.fromisoformat(found["unseen_until"])


@cache
def campaigns_with_figures() -> frozenset[str]:
    """Return the campaigns that constants rest on; they are left out where they are scored."""
    found = {
        name
        for file in DATA.glob("*.csv")
        for row in _read(file.name)
        for column in _OF_CAMPAIGNS
        for name in row.get(column, "").split("|")
    }
    return frozenset(found - {""})


@cache
def platform_generations() -> dict[str, int]:
    """Return the generation of each CPU platform that a cap can depend on, oldest first."""
    return {row["cpu_platform"]: int(row["generation"]) for row in _read("cpu_platforms.csv")}


@cache
def platform_conditions() -> dict[str, frozenset[str]]:
    """Return, for each series with a cap that depends on the platform, those that raise it."""
    generations = platform_generations()
    found: dict[str, int] = {}
    for row in cap_rows():
        if row["cpu_platform_from"]:
            found[row["series"]] = generations[row["cpu_platform_from"]]
    return {
        series: frozenset(name for name, number in generations.items() if number >= least)
        for series, least in found.items()
    }


def holds(row: dict[str, str], as_of: date, start: str = "valid_from") -> bool:
    """Return whether a row's dates include `as_of`."""
    day = as_of.isoformat()
    return row[start] <= day and (not row["valid_until"] or day <= row["valid_until"])


def _measured(rows: list[dict[str, str]]) -> MeasuredLimit:
    figures = sorted(float(row["gbps"]) for row in rows)
    first = rows[0]
    return MeasuredLimit(
        name=first["name"],
        path_class=PathClass(first["path_class"]),
        gbps=_median(figures),
        low_gbps=figures[0],
        high_gbps=figures[-1],
        figure_count=len(figures),
        valid_from=date.fromisoformat(first["valid_from"]),
        valid_until=date.fromisoformat(first["valid_until"]),
        source="; ".join(sorted({row["source"] for row in rows})),
        as_of=max(date.fromisoformat(row["source_date"]) for row in rows),
        detail=f"median of {counted(len(figures), 'result')}",
    )


def _median(rising: list[float]) -> float:
    middle = len(rising) // 2
    return rising[middle] if len(rising) % 2 else (rising[middle - 1] + rising[middle]) / 2


@cache
def _read(name: str) -> tuple[dict[str, str], ...]:
    return shipped_rows(DATA / name)


@cache
def omit_of(campaign: str) -> float:
    """Return the seconds that a campaign's tool left out at the start, 0 where none is known.

    Tools count from the first byte unless told otherwise, so 0 is their default and not a guess.

    >>> omit_of("cloudpilot-2021"), omit_of("mine")
    (3.0, 0.0)
    """
    found = _protocol(campaign)
    return float(found["omit_s"]) if found else 0.0


def late_of(campaign: str) -> float:
    """Return by how many round trips its tool sends later than the model; see `tools`.

    >>> late_of("cloudpilot-2021"), late_of("mine")
    (1.0, 0.0)
    """
    found = _protocol(campaign)
    return float(found["late_rtts"]) if found else 0.0


def has_joined_rtt(campaign: str) -> bool:
    """Return whether a campaign's round-trip times were joined from another day's grid.

    >>> has_joined_rtt("skyplane-grid-2022-01-29"), has_joined_rtt("mine")
    (True, False)
    """
    found = _protocol(campaign)
    return found is not None and bool(found["rtt_joined_from"])


def _protocol(campaign: str) -> dict[str, str] | None:
    return next((row for row in _protocols() if campaign.startswith(row["campaign"])), None)


@cache
def _protocols() -> tuple[dict[str, str], ...]:
    return shipped_rows(DATA / "campaign_protocols.csv")
