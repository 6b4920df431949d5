"""Round-trip times by distance: short legs in straight fibre, joined to measured pairs.

Every function takes and gives matrices by place, so that all pairs of a hundred places take some
milliseconds together.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Value

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
