"""Build the tables of round-trip times in `throughput/data` from a folder of measurements.

    python planner/scripts/build_rtt.py FOLDER [--without SOURCE]... [--output FOLDER]

The folder has `latency.csv` and `public_measurements.csv`. `rtt_sources.csv` beside this script
says what each source of them is used for; one that it does not name stops the script. Written are
`rtt_region_pairs.csv` (pairs of Google's regions, and typical values inside a region),
`rtt_cross_cloud_pairs.csv` (one end at Google) and `rtt_model.csv` (a leg's constants, the widths
of intervals, and errors). Which measurements count: `rtt_figures.py`. `--without` leaves a campaign
out, for judging by it.
"""

import argparse
import csv
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.throughput.limits.tables import DATA
from netplan_planner.throughput.round_trips import rtt
from netplan_planner.throughput.round_trips.rtt import (
    Leg,
    Matrix,
    distance_scope,
    known_legs,
    least_path_ms,
    light_ms,
)
from rtt_figures import (
    Campaigns,
    Ends,
    Figure,
    Pairs,
    World,
    accepted_pairs,
    check_sources,
    is_google,
    places,
    read_figures,
    table,
)

LEG_LIMIT_KM = 3000.0
"""Limits of 1,000 to 3,000 km err alike; with 5,000 km the P90 error grows by half."""
SHORT_MS = 15.0
"""Below it, where in the metropolis the two sites stand decides: intervals of their own."""
SCOPES = ("google", "cross-cloud", "short")
METRO_KM = 100.0
LEVEL = (0.05, 0.95)
BASES_MS = np.arange(0.0, 8.01, 0.25)
DETOURS = np.arange(1.0, 2.501, 0.02)

PAIR_COLUMNS = (
    *("basis", "src", "dst", "rtt_ms", "low_ms", "high_ms"),
    *("figure_count", "sources", "source_date"),
)
MODEL_COLUMNS = ("name", "scope", "value", "low", "high", "figure_count", "note")

Row = tuple[str, ...]


class Miss(NamedTuple):
    """A pair as it was answered without its figure, against what was measured.

    `scope` is of the table, `kind` of a path by distance.
    """

    scope: str
    kind: str
    predicted_ms: float
    measured_ms: float


def main(arguments: Sequence[str]) -> None:
    """Write the tables, or stop with what was not understood."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with latency.csv")
    parser.add_argument("--without", action="append", default=[], metavar="SOURCE")
    parser.add_argument("--output", type=Path, default=DATA, help="folder to write to")
    options = parser.parse_args(arguments)
    check_sources(options.without)
    figures = [each for each in read_figures(options.folder) if each.source not in options.without]
    pairs, refused = accepted_pairs(figures)
    if not pairs:
        raise SystemExit("no figure between two regions is left")
    rows = [pair_row(ends, campaigns) for ends, campaigns in sorted(pairs.items())]
    inner = [row for row in rows if all(map(is_google, row[1:3]))]
    outer = [row for row in rows if not all(map(is_google, row[1:3]))]
    # All is worked out before the first file is written: a stop leaves no half of a set.
    inside, model = list(inside_rows(figures)), list(model_rows(pairs))
    write(options.output / rtt.PAIR_FILES[0], PAIR_COLUMNS, [*inside, *inner])
    write(options.output / rtt.PAIR_FILES[1], PAIR_COLUMNS, outer)
    write(options.output / rtt.MODEL, MODEL_COLUMNS, model)
    print(f"{options.output}: {len(inner)} pairs of Google's regions, {len(outer)} of two clouds")
    for (source, why), count in sorted(refused.items()):
        print(f"refused of {source}: {count} ({why})")


def pair_row(ends: Ends, campaigns: Campaigns) -> Row:
    """Return the table's row of a pair: the median of its campaigns, and their range."""
    medians = _medians(campaigns).values()
    figures = [figure for each in campaigns.values() for figure in each]
    value = statistics.median(medians)
    return _pair_row("table", *ends, value, min(medians), max(medians), figures)


def inside_rows(figures: Sequence[Figure]) -> Iterator[Row]:
    """Yield typical values inside a Google region, from the least to the greatest average."""
    for basis in ("same-zone", "inter-zone"):
        found = [
            figure
            for figure in figures
            if figure.use == "inside"
            and figure.path_class in {f"{basis}-internal", f"{basis}-external"}
            and figure.ends[0] == figure.ends[1]
            and is_google(figure.ends[0])
        ]
        if not found:
            raise SystemExit(f"no figure of basis {basis} is left")
        by_source: Campaigns = {}
        for figure in found:
            by_source.setdefault(figure.source, []).append(figure)
        documented = [row for row in table("rtt_documented.csv") if row["basis"] == basis]
        yield _pair_row(
            basis,
            "",
            "",
            statistics.median(_medians(by_source).values()),
            min(figure.least_ms for figure in found),
            max([f.average_ms for f in found] + [float(row["high_ms"]) for row in documented]),
            found,
            documented,
        )


def model_rows(pairs: Pairs) -> Iterator[Row]:
    """Yield the constants of a leg, the ratios of intervals, and the errors of each way."""
    world = _world(pairs)
    leg, spread, count = fitted_leg(world, LEG_LIMIT_KM)
    of_pairs = f"least mean |log error| over pairs of Google's regions up to {LEG_LIMIT_KM:.0f} km"
    yield ("leg-base-ms", "", f"{leg.base_ms:.2f}", "", "", str(count), of_pairs)
    low, high = (f"{ratio:.2f}" for ratio in spread)
    yield ("leg-detour-ratio", "", f"{leg.detour_ratio:.2f}", low, high, str(count), of_pairs)
    note = "longer legs cross oceans where no cable lies"
    yield ("leg-limit-km", "", f"{LEG_LIMIT_KM:.0f}", "", "", "", note)
    note = "below it intervals are of their own scope"
    yield ("short-ms", "", f"{SHORT_MS:.0f}", "", "", "", note)
    held_out = list(_misses_of_campaigns(pairs))
    note = "one campaign against the others"
    yield from _ratios("table-ratio", ((miss.scope, miss) for miss in held_out), note)
    without_metro = list(misses_by_distance(world, METRO_KM))
    alone = set(SCOPES) - {miss.scope for miss in held_out}
    near = ((scope, miss) for scope in alone for miss in without_metro if miss.kind == "near")
    yield from _ratios("table-ratio", near, "no second campaign; as paths nearly measured")
    note = f"each region without all places within {METRO_KM:.0f} km"
    yield from _ratios("distance-ratio", ((miss.kind, miss) for miss in without_metro), note)
    yield from _errors("one campaign against the others", held_out)
    yield from _errors("one factor on the straight line", misses_by_line(world))
    yield from _errors("least path", misses_by_distance(world, None))
    yield from _errors(f"least path, {note}", without_metro)


def fitted_leg(world: World, limit_km: float) -> tuple[Leg, tuple[float, float], int]:
    """Return the leg that fits Google's pairs up to a length, its detours' range, and their count.

    Base and detour come from a grid, so that the result is the same on every machine.

    Raises:
        SystemExit: If no such pair is left.
    """
    is_used = _is_short_leg(world, limit_km)
    if not is_used.any():
        raise SystemExit(f"no pair of Google's regions up to {limit_km:.0f} km is left")
    measured, light = world.measured_ms[is_used], light_ms(world.km[is_used])
    error = [
        [np.abs(np.log((base + detour * light) / measured)).mean() for detour in DETOURS]
        for base in BASES_MS
    ]
    base, detour = np.unravel_index(np.argmin(np.round(error, 9)), (len(BASES_MS), len(DETOURS)))
    leg = Leg(
        base_ms=round(float(BASES_MS[base]), 2),
        detour_ratio=round(float(DETOURS[detour]), 2),
        limit_km=limit_km,
    )
    low, high = np.quantile((measured - leg.base_ms) / light, LEVEL)
    return leg, (float(low), float(high)), len(measured)


def misses_by_distance(world: World, gone_km: float | None) -> Iterator[Miss]:
    """Yield every pair of each Google region, without all measurements of that place.

    Args:
        world: What was measured.
        gone_km: How far around the region measurements are gone as well; None: not at all.
    """
    for region, left in _without_each(world, gone_km):
        leg, _, _ = fitted_leg(left, LEG_LIMIT_KM)
        path, distance = least_path_ms(*known_legs(left.measured_ms, left.km, leg))
        yield from _misses(world, left, region, path[region], distance[region])


def misses_by_line(world: World) -> Iterator[Miss]:
    """Yield the same for one leg from end to end, however long, fitted to all pairs."""
    for region, left in _without_each(world, None):
        leg, _, _ = fitted_leg(left, np.inf)
        line = leg.base_ms + leg.detour_ratio * light_ms(world.km[region])
        yield from _misses(world, left, region, line, line)


def write(target: Path, columns: Row, rows: Iterable[Row]) -> None:
    """Write a table to a temporary file beside the target, then rename it."""
    temporary = target.with_suffix(".new")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    temporary.rename(target)


def _without_each(world: World, gone_km: float | None) -> Iterator[tuple[int, World]]:
    for region in np.flatnonzero(world.is_google & np.isfinite(world.measured_ms).any(axis=1)):
        gone = np.arange(len(world.names)) == region
        if gone_km is not None:
            gone |= world.km[region] <= gone_km
        measured = world.measured_ms.copy()
        measured[gone], measured[:, gone] = np.nan, np.nan
        left = world._replace(measured_ms=measured)
        if _is_short_leg(left, LEG_LIMIT_KM).any():
            yield int(region), left


def _is_short_leg(world: World, limit_km: float) -> NDArray[np.bool_]:
    """Return which pairs a leg is fitted to: measured ones of Google's, each once."""
    is_inner = np.triu(np.outer(world.is_google, world.is_google), 1)
    found: NDArray[np.bool_] = np.isfinite(world.measured_ms) & (world.km <= limit_km) & is_inner
    return found


def _misses(
    world: World, left: World, region: int, path_ms: Matrix, distance_ms: Matrix
) -> Iterator[Miss]:
    """Yield the region's pairs with places that still have measurements."""
    measured = world.measured_ms[region]
    is_left = np.isfinite(left.measured_ms).any(axis=1)
    others = np.flatnonzero(np.isfinite(measured) & is_left)
    kinds = distance_scope(distance_ms[others] / path_ms[others])
    for other, kind in zip(others, kinds.tolist(), strict=True):
        ends = (world.names[region], world.names[other])
        yield _miss(ends, float(path_ms[other]), float(measured[other]), kind)


def _misses_of_campaigns(pairs: Pairs) -> Iterator[Miss]:
    """Yield each campaign's median against the median of the others', where there are two."""
    for ends, campaigns in sorted(pairs.items()):
        medians = _medians(campaigns)
        for source, value in medians.items():
            others = [median for name, median in medians.items() if name != source]
            if others:
                yield _miss(ends, statistics.median(others), value)


def _miss(ends: Ends, predicted_ms: float, measured_ms: float, kind: str = "") -> Miss:
    scope = "google" if all(map(is_google, ends)) else "cross-cloud"
    return Miss("short" if predicted_ms < SHORT_MS else scope, kind, predicted_ms, measured_ms)


def _ratios(name: str, misses: Iterable[tuple[str, Miss]], note: str) -> Iterator[Row]:
    by_scope: dict[str, list[float]] = {}
    for scope, miss in misses:
        by_scope.setdefault(scope, []).append(miss.measured_ms / miss.predicted_ms)
    for scope, ratios in sorted(by_scope.items()):
        low, high = np.quantile(ratios, LEVEL)
        bounds = (f"{min(low, 1.0):.3f}", f"{max(high, 1.0):.3f}")
        yield (name, scope, "1", *bounds, str(len(ratios)), f"measured over predicted; {note}")


def _errors(note: str, misses: Iterable[Miss]) -> Iterator[Row]:
    listed = list(misses)
    for scope in SCOPES:
        errors = [abs(m.predicted_ms / m.measured_ms - 1) for m in listed if m.scope == scope]
        if errors:
            median, ninth = np.quantile(errors, (0.5, 0.9))
            value, high = f"{median:.3f}", f"{ninth:.3f}"
            yield ("error-ratio", scope, value, "", high, str(len(errors)), f"median, P90; {note}")


def _pair_row(
    basis: str,
    src: str,
    dst: str,
    rtt_ms: float,
    low_ms: float,
    high_ms: float,
    figures: Sequence[Figure],
    documented: Sequence[dict[str, str]] = (),
) -> Row:
    sources = sorted({figure.source for figure in figures} | {row["source"] for row in documented})
    newest = max(figure.day for figure in figures)
    values = (f"{value:.3f}" for value in (rtt_ms, low_ms, high_ms))
    return (basis, src, dst, *values, str(len(figures)), "|".join(sources), newest)


def _medians(campaigns: Campaigns) -> dict[str, float]:
    return {
        source: statistics.median(figure.least_ms for figure in figures)
        for source, figures in sorted(campaigns.items())
    }


def _world(pairs: Pairs) -> World:
    world = places()
    number = {name: each for each, name in enumerate(world.names)}
    measured = world.measured_ms.copy()
    for (first, last), campaigns in pairs.items():
        value = statistics.median(_medians(campaigns).values())
        measured[number[first], number[last]] = measured[number[last], number[first]] = value
    return world._replace(measured_ms=measured)


if __name__ == "__main__":
    main(sys.argv[1:])
