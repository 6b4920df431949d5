"""Round-trip times that others published: which of them count, between which places.

A figure is the least RTT of a row, or its average where no least one was published. Refused are a
row whose average lies far above its least RTT (some rows of one campaign mix the pings to two
destinations), and a figure that beats light in a straight fibre (a machine that pinged itself).
Pairs without an end at Google are left out: they go over other networks, and legs through them make
the answers for Google's worse.
"""

import calendar
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.limits.tables import DATA
from netplan_planner.throughput.round_trips import rtt
from netplan_planner.throughput.round_trips.rtt import Matrix, great_circle_km, light_ms

HERE = Path(__file__).resolve().parent
FIRST_DAY = "2017-01-01"
"""Older figures are of another virtual network."""
MIXED_RATIO = 1.1
MIXED_MS = 0.5
"""A row's average may be above its least RTT by this factor and this much."""

Ends = tuple[str, str]


class Figure(NamedTuple):
    """One published round-trip time; the ends are places, the lesser name first."""

    source: str
    use: str
    day: str
    ends: Ends
    path_class: str
    least_ms: float
    average_ms: float


Campaigns = dict[str, list[Figure]]
Pairs = dict[Ends, Campaigns]


class World(NamedTuple):
    """The places, and what was measured between them; matrices by place."""

    names: tuple[str, ...]
    km: Matrix
    measured_ms: Matrix

    @property
    def is_google(self) -> NDArray[np.bool_]:
        """Whether each place is a region of Google's."""
        return np.array([is_google(name) for name in self.names])


def read_figures(folder: Path) -> Iterator[Figure]:
    """Yield every figure of the sources that are used.

    Raises:
        SystemExit: If a source is not in `rtt_sources.csv`.
    """
    uses = {(row["file"], row["source"]): row["use"] for row in table("rtt_sources.csv")}
    for name in ("latency.csv", "public_measurements.csv"):
        for row in shipped_rows(folder / name):
            if name != "latency.csv" and not row["rtt_ms"]:
                continue
            use = uses.get((name, row["source"]))
            if use is None:
                raise SystemExit(f"{name}: rtt_sources.csv does not say what {row['source']} is")
            figure = _figure(row, use)
            if use != "no" and figure.day >= FIRST_DAY:
                yield figure


def accepted_pairs(figures: Iterable[Figure]) -> tuple[Pairs, Counter[tuple[str, str]]]:
    """Return the figures between two regions by pair and campaign, and how many were refused."""
    number = {name: each for each, name in enumerate(places().names)}
    floor_ms = light_ms(places().km)
    pairs: Pairs = {}
    refused: Counter[tuple[str, str]] = Counter()
    for figure in figures:
        first, last = figure.ends
        is_wanted = figure.use == "pairs" and first != last
        if not is_wanted or not (is_google(first) or is_google(last)):
            continue
        unknown = {first, last} - set(number)
        if unknown:
            raise SystemExit(f"{rtt.PLACES} has no {', '.join(sorted(unknown))} ({figure.source})")
        if figure.average_ms > figure.least_ms * MIXED_RATIO + MIXED_MS:
            refused[figure.source, "average far above the least: more than one path"] += 1
        elif figure.least_ms < floor_ms[number[first], number[last]]:
            refused[figure.source, "faster than light in a straight fibre"] += 1
        else:
            pairs.setdefault(figure.ends, {}).setdefault(figure.source, []).append(figure)
    return pairs, refused


def check_sources(without: Sequence[str]) -> None:
    """Stop where a source that is to be left out is none."""
    unknown = set(without) - {row["source"] for row in table("rtt_sources.csv")}
    if unknown:
        raise SystemExit(f"--without: rtt_sources.csv has no {', '.join(sorted(unknown))}")


def _figure(row: dict[str, str], use: str) -> Figure:
    if "rtt_ms" in row:
        clouds = (row["cloud"].partition(">")[0], row["cloud"].rpartition(">")[2])
        least = average = float(row["rtt_ms"])
    else:
        clouds = (row["src_cloud"], row["dst_cloud"])
        average = float(row["avg_ms"])
        least = float(row["min_ms"] or row["avg_ms"])
    places = [
        _region(cloud, row[end])
        for cloud, end in zip(clouds, ("src_location", "dst_location"), strict=True)
    ]
    return Figure(
        source=row["source"],
        use=use,
        day=_last_day(row["date"]),
        ends=(min(places), max(places)),
        path_class=row["path_class"],
        least_ms=least,
        average_ms=average,
    )


def _region(cloud: str, location: str) -> str:
    name = location.rpartition(":")[2]
    head, dash, zone = name.rpartition("-")
    return f"{cloud}:{head if cloud == rtt.GOOGLE and dash and len(zone) == 1 else name}"


def _last_day(text: str) -> str:
    """Return a date, or the last day of a month or year: the latest that the text allows."""
    year, month, day = (*text.split("-"), "", "")[:3]
    month = month or "12"
    return f"{year}-{month}-{day or calendar.monthrange(int(year), int(month))[1]}"


def is_google(place: str) -> bool:
    """Return whether a place is a region of Google's."""
    return place.startswith(f"{rtt.GOOGLE}:")


@cache
def places() -> World:
    """Return the places that are known, with nothing measured between them."""
    rows = shipped_rows(DATA / rtt.PLACES)
    degrees = np.array([[float(r["latitude_deg"]), float(r["longitude_deg"])] for r in rows])
    km = great_circle_km(degrees[:, 0], degrees[:, 1])
    return World(tuple(row["place"] for row in rows), km, np.full_like(km, np.nan))


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a table beside this script."""
    return shipped_rows(HERE / name)
