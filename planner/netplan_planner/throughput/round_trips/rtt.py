"""Round-trip times where no probe gave one: the measured region pairs, else distance.

A measured pair holds the median over campaigns of the least RTT that each saw: pings, to external
addresses, on the Premium tier where the tier is known (`planner/scripts/build_rtt.py` makes the
tables). A pair that nobody measured takes the least sum of known legs: by distance to a measured
place near either end, between the two what was measured. One factor on the straight line errs three
times as much, because cables, not the globe, decide between continents.

`data/rtt_model.csv` has the constants of a leg, the intervals, and the errors of either way, each
of pairs that were left out: of one campaign for the table, of one region for distance.
"""

import re
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import no_region
from netplan_planner.model import Value
from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.limits.tables import DATA

# Round-trip times by distance: short legs in straight fibre, joined to measured pairs
#
# Every function takes and gives matrices by place, so that all pairs of a hundred places take some
# milliseconds together.


Matrix: TypeAlias = NDArray[np.float64]

FIBRE_KM_PER_MS = 204.2
"""Light in single-mode fibre, one way: its speed in vacuum over a group index of 1.468."""
EARTH_RADIUS_KM = 6371.0
NEAR_SHARE, WHOLE_SHARE = 0.1, 0.8
"""Of a path by distance: below the one it is nearly measured, above the other hardly."""


class Leg(Value, frozen=True, kw_only=True):
    """What a leg by distance takes: `base_ms + detour_ratio * light`, up to `limit_km`."""

    base_ms: float
    detour_ratio: float
    limit_km: float


def great_circle_km(latitude_deg: Matrix, longitude_deg: Matrix) -> Matrix:
    """Return the distances between all pairs of places on a sphere, in km."""
    latitude, longitude = np.radians(latitude_deg), np.radians(longitude_deg)
    across = np.sin((latitude[:, None] - latitude) / 2) ** 2
    along = np.sin((longitude[:, None] - longitude) / 2) ** 2
    haversine = across + np.cos(latitude[:, None]) * np.cos(latitude) * along
    km: Matrix = 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.minimum(haversine, 1.0)))
    return km


def light_ms(km: Matrix) -> Matrix:
    """Return the round trip of light in a straight fibre: what no measurement can undercut."""
    return 2 * km / FIBRE_KM_PER_MS


def known_legs(measured_ms: Matrix, km: Matrix, leg: Leg) -> tuple[Matrix, Matrix]:
    """Return the legs by distance and those over measured pairs (at most two), in ms.

    Both are infinite where there is no such leg and 0 from a place to itself. A leg by distance
    is at most `leg.limit_km` long, or reaches the nearest measured place if that is farther.

    Args:
        measured_ms: Symmetric, NaN where not measured.
        km: Distances of the same places.
        leg: What a leg by distance takes.
    """
    is_measured = np.isfinite(measured_ms).any(axis=1)
    to_measured = np.where(is_measured, km, np.inf)
    np.fill_diagonal(to_measured, np.inf)
    reach = np.maximum(leg.limit_km, to_measured.min(axis=1))
    is_in_reach = km <= np.maximum(reach[:, None], reach)
    by_distance = np.where(is_in_reach, leg.base_ms + leg.detour_ratio * light_ms(km), np.inf)
    np.fill_diagonal(by_distance, 0.0)
    over_pairs = np.where(np.isfinite(measured_ms), measured_ms, np.inf)
    np.fill_diagonal(over_pairs, 0.0)
    return by_distance, _least_sum(over_pairs, over_pairs)[0]


def least_path_ms(by_distance: Matrix, over_pairs: Matrix) -> tuple[Matrix, Matrix]:
    """Return the least sum of a leg by distance, one over measured pairs, and one by distance.

    With it goes the part of that sum that is by distance. Infinite where nothing connects.
    """
    entered, entry = _least_sum(by_distance, over_pairs)
    path, exit_ = _least_sum(entered, by_distance)
    number = np.arange(len(path))
    first = by_distance[number[:, None], entry[number[:, None], exit_]]
    distance = first + by_distance[exit_, number]
    # The sums of either direction differ in the last bit.
    return np.minimum(path, path.T), np.minimum(distance, distance.T)


def distance_scope(share: Matrix) -> NDArray[np.str_]:
    """Return the kind of a path that was not measured, by the share of it that is by distance."""
    mixed = np.where(share > WHOLE_SHARE, "whole", "mixed")
    return np.where(share < NEAR_SHARE, "near", mixed)


def _least_sum(first: Matrix, second: Matrix) -> tuple[Matrix, NDArray[np.intp]]:
    """Return the product in the min-plus algebra, and through which place each least sum goes."""
    least = np.full_like(first, np.inf)
    through = np.zeros(first.shape, dtype=np.intp)
    for place in range(len(first)):
        sums = first[:, place, None] + second[place]
        is_less = sums < least
        least[is_less], through[is_less] = sums[is_less], place
    return least, through


# Round-trip times where no probe gave one: the measured region pairs, else distance


GOOGLE = "gcp"
PLACES = "region_places.csv"
PAIR_FILES = ("rtt_region_pairs.csv", "rtt_cross_cloud_pairs.csv")
MODEL = "rtt_model.csv"
_ZONE = re.compile(r"[a-z]|ai\d{1,2}[a-z]")
_DAYS_PER_YEAR = 365


class RttBasis(StrEnum):
    """What a round-trip time rests on."""

    TABLE = "table"
    """Measured between these two regions."""
    DISTANCE = "distance"
    SAME_ZONE = "same-zone"
    """Typical of one zone; measured in a few."""
    INTER_ZONE = "inter-zone"
    """Typical between zones of one region; also for one region without zones, then wider."""


class RoundTrip(Value, frozen=True, kw_only=True):
    """The round-trip time of an idle path, with an interval of 90 %; None where not known."""

    rtt_ms: float | None
    low_ms: float | None = None
    high_ms: float | None = None
    basis: RttBasis | None = None
    source: str = ""
    as_of: date | None = None
    """Of the newest figure behind it."""
    detail: str = ""
    why_unknown: str = ""


class RoundTripColumns(NamedTuple):
    """Round-trip times of many pairs, in their order; NaN and an empty basis where not known."""

    rtt_ms: Matrix
    low_ms: Matrix
    high_ms: Matrix
    basis: NDArray[np.str_]


def rtt_between(src: str, dst: str, *, as_of: date | None = None) -> RoundTrip:
    """Return the round-trip time between two zones or regions, the same in both directions.

    Args:
        src: `us-central1-a`, `us-central1`, `gcp:us-central1-a`, `aws:eu-west-1`, `azure:westus`.
        dst: Likewise.
        as_of: The date that is asked about. Routes change little and the figures are few, so they
            serve every date; `detail` says when they are more than a year from this one.

    >>> found = rtt_between("us-central1-a", "europe-west1")
    >>> found.basis, 90 < found.low_ms < found.rtt_ms < found.high_ms < 120
    (<RttBasis.TABLE: 'table'>, True)
    >>> rtt_between("us-central1-a", "mars-north1").rtt_ms is None
    True
    """
    return load_round_trips().between(src, dst, as_of=as_of)


def rtt_for_pairs(src: Sequence[str | None], dst: Sequence[str | None]) -> RoundTripColumns:
    """Return the round-trip times of many pairs; a None or an unknown name gives NaN.

    Raises:
        ValueError: If the two are not of one length.

    >>> rtt_for_pairs(["us-east4", "us-east4-a"], ["nowhere", "us-east4-a"]).basis.tolist()
    ['', 'same-zone']
    """
    return load_round_trips().for_pairs(src, dst)


def light_between(src: str, dst: str) -> float | None:
    """Return the round trip of light between two places in ms: no true figure lies below it.

    None where a place is not known.

    >>> light_between("us-central1-a", "europe-west1-b") > 60, light_between("us-east4", "nowhere")
    (True, None)
    """
    return load_round_trips().light_between(src, dst)


@cache
def load_round_trips(folder: Path = DATA) -> "RoundTripTable":
    """Return the shipped table, or one that the script wrote to another folder."""
    return RoundTripTable(folder)


class RoundTripTable:
    """The round-trip times between all known places, worked out once."""

    def __init__(self, folder: Path = DATA) -> None:
        """Read the pairs and constants of `folder`; the places are always the shipped ones."""
        places = shipped_rows(DATA / PLACES)
        self._names = tuple(row["place"] for row in places)
        self._index = {name: number for number, name in enumerate(self._names)}
        self._is_google = np.array([name.startswith(f"{GOOGLE}:") for name in self._names])
        degrees = np.array([[float(r["latitude_deg"]), float(r["longitude_deg"])] for r in places])
        self._km = great_circle_km(degrees[:, 0], degrees[:, 1])
        rows = [row for name in PAIR_FILES for row in shipped_rows(folder / name)]
        self._inside = {r["basis"]: r for r in rows if r["basis"] != RttBasis.TABLE}
        self._pairs = {
            tuple(sorted((self._index[row["src"]], self._index[row["dst"]]))): row
            for row in rows
            if row["basis"] == RttBasis.TABLE
        }
        days = [row["source_date"] for row in self._pairs.values()]
        self._newest = date.fromisoformat(max(days))
        self._model = {(row["name"], row["scope"]): row for row in shipped_rows(folder / MODEL)}
        self._leg = Leg(
            base_ms=float(self._model["leg-base-ms", ""]["value"]),
            detour_ratio=float(self._model["leg-detour-ratio", ""]["value"]),
            limit_km=float(self._model["leg-limit-km", ""]["value"]),
        )
        measured = self._measured("rtt_ms")
        self._by_distance, self._over_pairs = known_legs(measured, self._km, self._leg)
        self._rtt_ms, self._low_ms, self._high_ms, self._basis = self._worked_out()

    def between(self, src: str, dst: str, *, as_of: date | None = None) -> RoundTrip:
        """Return the round-trip time of one pair; see `rtt_between`."""
        rtt, low, high, basis = (column[0].item() for column in self.for_pairs([src], [dst]))
        if not basis:
            return RoundTrip(rtt_ms=None, why_unknown=self._why_unknown(src, dst))
        first, last = self._place(src)[0], self._place(dst)[0]
        row = self._inside.get(basis) or self._pairs.get(tuple(sorted((first, last))))
        newest = date.fromisoformat(row["source_date"]) if row else self._newest
        detail = _figures(row) if row else self._path(first, last)
        if as_of is not None and abs((as_of - newest).days) > _DAYS_PER_YEAR:
            detail += f"; values of {newest}, requested for {as_of}"
        return RoundTrip(
            rtt_ms=rtt,
            low_ms=low,
            high_ms=high,
            basis=RttBasis(basis),
            source=row["sources"] if row else "distance, with the legs measured",
            as_of=newest,
            detail=detail,
        )

    def for_pairs(self, src: Sequence[str | None], dst: Sequence[str | None]) -> RoundTripColumns:
        """Return the round-trip times of many pairs; see `rtt_for_pairs`."""
        if len(src) != len(dst):
            raise ValueError(f"{len(src)} senders but {len(dst)} receivers")
        names = dict.fromkeys(src) | dict.fromkeys(dst)
        number = dict(zip(names, range(len(names)), strict=True))
        places = [self._place(name) for name in names]
        region = np.array([place for place, _ in places], dtype=np.intp)
        zone = np.array([suffix for _, suffix in places], dtype=np.str_)
        first, last = (np.fromiter(map(number.__getitem__, side), np.intp) for side in (src, dst))
        cell = region[first] * (len(self._names) + 1) + region[last]
        rtt, low, high = (
            matrix.ravel()[cell] for matrix in (self._rtt_ms, self._low_ms, self._high_ms)
        )
        columns = RoundTripColumns(rtt, low, high, self._basis.ravel()[cell])
        inside = np.flatnonzero(columns.basis == RttBasis.INTER_ZONE)
        self._set_zones(columns, inside, zone[first[inside]], zone[last[inside]])
        return columns

    def light_between(self, src: str, dst: str) -> float | None:
        """Return the round trip of light between two places; see `light_between`."""
        first, last = self._place(src)[0], self._place(dst)[0]
        if len(self._names) in (first, last):
            return None
        return float(light_ms(self._km[first, last]))

    def _set_zones(
        self,
        columns: RoundTripColumns,
        inside: NDArray[np.intp],
        src_zone: NDArray[np.str_],
        dst_zone: NDArray[np.str_],
    ) -> None:
        """Correct the rows inside a region that stay in one zone, or that do not name both."""
        near = self._inside[RttBasis.SAME_ZONE]
        is_open = (src_zone == "") | (dst_zone == "")
        columns.low_ms[inside[is_open]] = float(near["low_ms"])
        one_zone = inside[(src_zone == dst_zone) & ~is_open]
        columns.rtt_ms[one_zone] = float(near["rtt_ms"])
        columns.low_ms[one_zone] = float(near["low_ms"])
        columns.high_ms[one_zone] = float(near["high_ms"])
        columns.basis[one_zone] = RttBasis.SAME_ZONE.value

    def _place(self, name: str | None) -> tuple[int, str]:
        """Return the number of a name's region and its zone; the number after the last: unknown."""
        cloud, _, rest = (name or "").rpartition(":")
        cloud = cloud or GOOGLE
        found = self._index.get(f"{cloud}:{rest}")
        if found is not None:
            return found, ""
        # Google: us-central1-a. Amazon: us-east-1a.
        region, _, zone = rest.rpartition("-") if cloud == GOOGLE else (rest[:-1], "", rest[-1:])
        is_zone = _ZONE.fullmatch(zone) and cloud in {GOOGLE, "aws"}
        found = self._index.get(f"{cloud}:{region}") if is_zone else None
        return (len(self._names), "") if found is None else (found, zone)

    def _why_unknown(self, src: str, dst: str) -> str:
        for name in (src, dst):
            if self._place(name)[0] == len(self._names):
                short = (known.removeprefix(f"{GOOGLE}:") for known in self._names)
                return no_region(name, (*self._names, *short), "region or zone")
        return f"the round-trip time inside a region is known only for Google Cloud, not for {dst}"

    def _path(self, first: int, last: int) -> str:
        """Return in words the legs of a pair that was not measured."""
        sums = (
            self._by_distance[first][:, None]
            + self._over_pairs
            + self._by_distance[:, last][None, :]
        )
        distance = f"{self._km[first, last]:,.0f} km"
        if not np.isfinite(sums).any():
            return f"{distance}, without a measured leg"
        enter, leave = np.unravel_index(np.argmin(sums), sums.shape)
        legs = (
            (self._by_distance[first, enter], "by distance", enter),
            (self._over_pairs[enter, leave], "measured", leave),
            (self._by_distance[leave, last], "by distance", last),
        )
        taken = [f"{ms:.1f} ms {how} to {self._names[end]}" for ms, how, end in legs if ms > 0]
        return f"{distance}: {', '.join(taken)}"

    def _measured(self, column: str) -> Matrix:
        matrix = np.full_like(self._km, np.nan)
        for (first, last), row in self._pairs.items():
            matrix[first, last] = matrix[last, first] = float(row[column])
        return matrix

    def _worked_out(self) -> tuple[Matrix, Matrix, Matrix, NDArray[np.str_]]:
        """Return value, low, high and basis by place, with a last row and column of unknown."""
        measured, light = self._measured("rtt_ms"), light_ms(self._km)
        path, distance = least_path_ms(self._by_distance, self._over_pairs)
        # Only a table of few campaigns leaves places that nothing connects.
        line = self._leg.base_ms + self._leg.detour_ratio * light
        path, distance = (np.where(np.isfinite(path), ms, line) for ms in (path, distance))
        is_measured = np.isfinite(measured)
        rtt = np.where(is_measured, measured, path)
        share = np.divide(distance, path, out=np.ones_like(path), where=path > 0)
        scope = np.where(is_measured, self._table_scope(rtt), distance_scope(share))
        low, high = rtt * self._ratio("low", scope), rtt * self._ratio("high", scope)
        # Campaigns that disagree on a pair are both inside of its interval.
        low = np.maximum(np.fmin(low, self._measured("low_ms")), light)
        high = np.fmax(high, self._measured("high_ms"))
        basis = np.where(is_measured, RttBasis.TABLE.value, RttBasis.DISTANCE.value)
        basis = basis.astype(f"<U{len(RttBasis.INTER_ZONE)}")
        between_zones = self._inside[RttBasis.INTER_ZONE]
        for matrix, column in ((rtt, "rtt_ms"), (low, "low_ms"), (high, "high_ms")):
            inside = np.where(self._is_google, float(between_zones[column]), np.nan)
            np.fill_diagonal(matrix, inside)
        np.fill_diagonal(basis, np.where(self._is_google, RttBasis.INTER_ZONE.value, ""))
        edge = ((0, 1), (0, 1))
        rtt, low, high = (np.pad(ms, edge, constant_values=np.nan) for ms in (rtt, low, high))
        return rtt, low, high, np.pad(basis, edge, constant_values="")

    def _table_scope(self, rtt_ms: Matrix) -> NDArray[np.str_]:
        is_inner = self._is_google[:, None] & self._is_google
        scope = np.where(is_inner, "google", "cross-cloud")
        return np.where(rtt_ms < float(self._model["short-ms", ""]["value"]), "short", scope)

    def _ratio(self, bound: str, scope: NDArray[np.str_]) -> Matrix:
        """Return by pair how far a bound of the interval is from the value, as a factor."""
        ratio = np.ones(scope.shape)
        for (name, each), row in self._model.items():
            if name in {"table-ratio", "distance-ratio"}:
                ratio[scope == each] = float(row[bound])
        return ratio


def _figures(row: dict[str, str]) -> str:
    what = "measured" if row["basis"] == RttBasis.TABLE else "typical inside a region"
    sources = row["sources"].count("|") + 1
    return f"{what}; values: {row['figure_count']}, sources: {sources}"
