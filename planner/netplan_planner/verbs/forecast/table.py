"""Series from a table: one row a bin, in Gbit/s or in GiB."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

from netplan_planner.errors import InputError, MissingDatum, no_region
from netplan_planner.model import CapsBook, PathClass, PriceBook, PriceTier, region_of
from netplan_planner.model.evidence.traffic import RateBins
from netplan_planner.tables.columns import Column, ColumnKind, number_column
from netplan_planner.tables.reading import Table
from netplan_planner.traffic.statements.keys import FIRST_US, LAST_US
from netplan_planner.units import BYTES_PER_GIB, SECONDS_PER_DAY, gbps_from_bytes
from netplan_planner.verbs.forecast.answer import Scope
from netplan_planner.verbs.forecast.series import PathSeries, Sender, Subjects

COLUMNS = (
    Column(name="name", meaning="whose series it is", is_required=True),
    Column(
        name="time",
        meaning="start of the bin, RFC 3339; UTC if it has no time zone",
        is_required=True,
    ),
    number_column(
        "gbps", "mean rate of the bin; empty if unknown", unit="Gbit/s", least=0, most=1e6
    ),
    number_column(
        "gib",
        "volume of the bin, instead of gbps; empty if unknown",
        unit="GiB",
        least=0,
        most=1e12,
    ),
    Column(
        name="cap_gbps",
        meaning="its maximum rate",
        unit="Gbit/s",
        kind=ColumnKind.NUMBER,
        least=1e-6,
        most=1e6,
        is_aside=True,
    ),
    Column(name="machine_type", meaning="its type, whose cap counts", is_aside=True),
    Column(name="is_tier1", meaning="whether it has Tier_1: true or false", is_aside=True),
    Column(
        name="cpu_platform", meaning="if the cap depends on it, as with N1 and M2", is_aside=True
    ),
    Column(name="zone", meaning="zone of the VM, to find a larger type", is_aside=True),
    Column(name="src_region", meaning="of a path: source region", is_aside=True),
    Column(name="dst_region", meaning="of a path: destination region", is_aside=True),
    Column(name="dst_area", meaning="of a path to the internet: destination area", is_aside=True),
)
_TOLD = (
    *("machine_type", "is_tier1", "cpu_platform", "zone"),
    *("src_region", "dst_region", "dst_area"),
)
_BOOLEANS = {"true": True, "false": False, "": False}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_BINS = 600_000
"""More than a year of minutes; a gap that makes more is a slip of the pen in a date."""


class _Known(NamedTuple):
    prices: PriceBook
    caps: CapsBook


def read_series(path: Path, prices: PriceBook, caps: CapsBook) -> Subjects:
    """Return the series of a table.

    Raises:
        InputError: If it is no table with the columns, or a row or a series makes no sense; it is
            named, with what to change.
    """
    with Table(path, COLUMNS) as table:
        numbers = table.checked_numbers()
        if table.refused.count:
            raise InputError(f"{table.shown}: {'; '.join(table.refused.named)}")
        shown, count, unread = table.shown, table.row_count, table.unread_columns
        units = [unit for unit in ("gbps", "gib") if table.found_name(unit)]
        names, of_row = table.texts("name")
        times, time_of_row = table.texts("time")
        told = {column: table.texts(column) for column in _TOLD}
    if not count:
        raise InputError(f"{shown}: it has no rows. Each row is one bin of a series")
    if len(units) != 1:
        both = "both gbps and gib" if units else "no gbps or gib column"
        raise InputError(f"{shown}: it has {both}: give one of the two columns")
    moments = np.array([_moment(text, shown) for text in times])[time_of_row]
    senders: list[Sender] = []
    paths: list[PathSeries] = []
    for number, name in sorted(enumerate(names), key=lambda one: one[1]):
        rows = np.flatnonzero(of_row == number)
        if not name:
            raise InputError(f"{shown}: row {rows[0] + 1}: name is empty: state the series")
        at = f"{shown}: {name}"
        bins = _bins(at, moments[rows], numbers[units[0]][rows], is_gib=units == ["gib"])
        facts = {column: _one(at, column, [texts[w] for w in which[rows]])
                 for column, (texts, which) in told.items()}  # fmt: skip
        caps_of = [cap for cap in numbers["cap_gbps"][rows] if not np.isnan(cap)]
        if len(set(caps_of)) > 1:
            raise InputError(f"{at}: cap_gbps differs between rows of one series")
        cap = float(caps_of[0]) if caps_of else None
        found = _Known(prices, caps)
        if facts["src_region"] or facts["dst_region"] or facts["dst_area"]:
            paths.append(_path(at, name, bins, facts, found, path.name))
        if cap is not None or facts["machine_type"] or not facts["src_region"]:
            senders.append(_sender(at, name, bins, facts, found, cap, path.name))
    notes = [f"columns that are not read: {', '.join(unread)}"] if unread else []
    return Subjects(tuple(senders), tuple(paths), notes=tuple(notes))


def _moment(text: str, shown: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"{shown}: time {text[:40]!r} is not a time such as 2026-11-23T09:00:00Z"
        ) from None
    aware = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    moment = (aware - _EPOCH).total_seconds()
    if not FIRST_US <= moment * _US_PER_S < LAST_US:
        raise InputError(f"{shown}: time {text!r} is not between 2000 and 2100: check the dates")
    return moment


def _one(at: str, column: str, texts: Sequence[str]) -> str:
    found = sorted({text for text in texts if text})
    if len(found) > 1:
        raise InputError(
            f"{at}: {column} is {found[0]!r} and {found[1]!r}, but belongs to the whole series"
        )
    return found[0] if found else ""


def _bins(
    at: str,
    moments: np.ndarray[tuple[int], np.dtype[np.float64]],
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
    *,
    is_gib: bool,
) -> RateBins:
    """Return the bins of a series; those without a row are unknown.

    Raises:
        InputError: If rows are of one time, of no common length, or of one longer than a day.
    """
    order = np.argsort(moments, kind="stable")
    moments, values = moments[order], values[order]
    if len(moments) < 2:
        raise InputError(f"{at}: one row does not show the length of a bin: give at least two rows")
    steps = np.diff(moments)
    if float(steps.min()) <= 0:
        twice = _shown(float(moments[int(np.argmin(steps))]))
        raise InputError(f"{at}: two rows are for {twice}: give each bin once")
    lengths = Counter(steps.tolist())
    bin_s = min(lengths, key=lambda length: (-lengths[length], length))
    if bin_s > SECONDS_PER_DAY or SECONDS_PER_DAY % bin_s:
        raise InputError(
            f"{at}: its bins are {bin_s:g} s long: use bins that divide a day, such as an hour"
        )
    places = (moments - moments[0]) / bin_s
    off = np.flatnonzero(np.abs(places - np.rint(places)) > _SLACK)
    if len(off):
        raise InputError(
            f"{at}: {_shown(float(moments[int(off[0])]))} is not a multiple of {bin_s:g} s after "
            "the first row: use bins of equal length"
        )
    count = int(np.rint(places[-1])) + 1
    if count > _MOST_BINS:
        raise InputError(f"{at}: its rows are {count:,} bins apart: check the dates")
    rates: list[float | None] = [None] * count
    for place, value in zip(np.rint(places).astype(int).tolist(), values.tolist(), strict=True):
        if not np.isnan(value):
            rates[place] = gbps_from_bytes(value * BYTES_PER_GIB, bin_s) if is_gib else value
    if all(rate is None for rate in rates):
        raise InputError(f"{at}: no row has a number: state it (unknown is not 0) or leave it out")
    return RateBins(
        start=_EPOCH + timedelta(seconds=float(moments[0])), bin_s=bin_s, gbps=tuple(rates)
    )


_SLACK = 1e-6
_US_PER_S = 1_000_000


def _shown(moment: float) -> str:
    return f"{_EPOCH + timedelta(seconds=moment):%Y-%m-%dT%H:%M:%SZ}"


def _sender(
    at: str,
    name: str,
    bins: RateBins,
    told: Mapping[str, str],
    known: _Known,
    cap_gbps: float | None,
    file: str,
) -> Sender:
    machine_type, tier1 = told["machine_type"], told["is_tier1"].lower()
    if tier1 not in _BOOLEANS:
        raise InputError(f"{at}: is_tier1 is {told['is_tier1']!r}, not true or false")
    zone = told["zone"]
    if zone and region_of(zone) not in known.prices.regions():
        why = no_region(region_of(zone), known.prices.regions())
        raise InputError(f"{at}: zone is {zone!r}: {why}")
    if machine_type and cap_gbps is None:
        if known.prices.shape(machine_type) is None and not known.caps.variants(machine_type):
            raise InputError(f"{at}: machine_type is {machine_type!r}, which is an unknown type")
        platform = told["cpu_platform"] or None
        cap = known.caps.cap(machine_type, tier1=_BOOLEANS[tier1], cpu_platform=platform)
        if cap is None and _BOOLEANS[tier1]:
            raise InputError(f"{at}: {machine_type} does not offer Tier_1: leave is_tier1 out")
        if cap is None and platform and known.caps.variants(machine_type):
            why = known.caps.unknown_reason(machine_type, cpu_platform=platform)
            raise InputError(f"{at}: {why}")
        cap_gbps = cap.egress_gbps if cap is not None else None
    return Sender(
        name=name,
        scope=Scope.ALL,
        bins=bins,
        source=file,
        cap_gbps=cap_gbps,
        machine_type=machine_type or None,
        is_tier1=_BOOLEANS[tier1],
        zone=zone,
    )


def _path(
    at: str, name: str, bins: RateBins, told: Mapping[str, str], known: _Known, file: str
) -> PathSeries:
    src, dst, area = told["src_region"], told["dst_region"], told["dst_area"]
    for wrong in _wrong_ends(src, dst, area, known.prices.regions()):
        raise InputError(f"{at}: {wrong}")
    if area:
        path_class = PathClass.INTERNET
    elif src == dst:
        path_class = PathClass.INTER_ZONE_INTERNAL
    else:
        path_class = PathClass.INTER_REGION_INTERNAL
    prices: tuple[tuple[PriceTier, ...], ...] = ()
    unpriced = ""
    try:
        steps = known.prices.traffic(
            path_class, src_region=src, dst_region=dst or None, area=area or None
        )
        prices = (tuple(steps),)
    except MissingDatum as missing:
        unpriced = str(missing)
    return PathSeries(name, path_class.value, src, dst or area, bins, file, prices, unpriced)


def _wrong_ends(src: str, dst: str, area: str, regions: Sequence[str]) -> Iterator[str]:
    if not src:
        yield "src_region is empty: state the source of the path"
    if dst and area:
        yield "dst_region and dst_area are both given: a path has one destination"
    if not dst and not area:
        yield "dst_region and dst_area are empty: state the destination of the path"
    for column, region in (("src_region", src), ("dst_region", dst)):
        if region and region not in regions:
            yield f"{column}: {no_region(region, regions)}"
