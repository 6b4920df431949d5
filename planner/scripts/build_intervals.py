"""Make `data/interval_factors.csv` from published measurements: how far figures lie off the bounds.

    python planner/scripts/build_intervals.py MEASUREMENTS.csv [--out FILE]

For each regime, each campaign of a Google sender counts once, whatever its number of rows; the
factor of a level is the quantile of how far, on a logarithmic scale, figures lie below (above) the
physical bound. At 0.9 and above the bounds are never narrowed: they hold what may be, and one
campaign that never went there proves nothing. Below, they are.
"""

import argparse
import csv
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.engine.predict_table import read_kinds
from netplan_planner.readers.path_table import PathTable
from netplan_planner.throughput.batch import spread_columns
from netplan_planner.throughput.intervals import REGIMES, Factors

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
NEVER_NARROWER_FROM = 0.9
AS_OF = date(2022, 1, 29)
"""Of rows without a date; the published table has none."""
TARGET = Path(__file__).parents[1] / "netplan_planner/throughput/data/interval_factors.csv"


class Scores(NamedTuple):
    """How far the rows of one campaign lie outside their bounds (below 0: inside)."""

    campaign: str
    regime: NDArray[np.int8]
    below: NDArray[np.float64]
    above: NDArray[np.float64]


def scores(path: Path, *, leave_out_own: bool) -> list[Scores]:
    """Return the scores of each campaign of a Google sender with a known answer.

    Args:
        path: Measurements in the published columns, with `value`.
        leave_out_own: Whether figures of a campaign that constants rest on are left out where
            that campaign itself is scored.
    """
    found = []
    with PathTable(path) as table:
        names, which = table.texts("source")
        value = table.numbers("value")
        plain = read_kinds(table, as_of=AS_OF)
        whole = spread_columns(plain.kinds, plain.limits, plain.columns)
        for number, name in enumerate(names):
            spread = whole
            if leave_out_own and name in OWN_FIGURES:
                own = read_kinds(table, as_of=AS_OF, without=name)
                spread = spread_columns(own.kinds, own.limits, own.columns)
            is_own = np.array([k.src.cloud == "gcp" for k in plain.kinds])[plain.columns.kind]
            rows = (which == number) & is_own & ~np.isnan(spread.means.gbps) & (value > 0)
            if rows.any() and name not in CONSTANTS_ONLY:
                low, high = spread.low_gbps[rows], spread.high_gbps[rows]
                found.append(
                    Scores(
                        name,
                        spread.regime[rows],
                        np.log(low / value[rows]),
                        np.log(value[rows] / high),
                    )
                )
    return found


OWN_FIGURES = frozenset({"pkb-samples-2014"})
"""Campaigns with rows in `data/single_flow.csv`, which are left out where they are scored."""
CONSTANTS_ONLY = frozenset({"pkb-issue-175"})
"""Campaigns of a handful of rows that are constants themselves: they can score nothing."""


def fit(campaigns: list[Scores], level: float) -> Factors:
    """Return the factors of a level from some campaigns; 0 for a regime that none has seen."""
    side = 0.5 + level / 2
    least = 0.0 if level >= NEVER_NARROWER_FROM else -np.inf
    low, high = (
        np.array([_quantile(campaigns, code, name, side) for code in range(len(REGIMES))])
        for name in ("below", "above")
    )
    return Factors(np.maximum(low, least), np.maximum(high, least))


def _quantile(campaigns: list[Scores], regime: int, name: str, side: float) -> float:
    """Return the quantile over all rows of a regime, each campaign with the same weight."""
    parts = [(getattr(c, name)[c.regime == regime]) for c in campaigns]
    parts = [part for part in parts if len(part)]
    if not parts:
        return 0.0
    values = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts])
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    at = min(int(np.searchsorted(reached, side - 1e-12)), len(values) - 1)
    return float(values[order][at])


def write(path: Path, campaigns: list[Scores], as_of: str) -> None:
    """Write the table of factors, with what each rests on."""
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ("regime", "level", "log_low", "log_high", "campaign_count", "row_count", "as_of")
        )
        previous = Factors(np.full(len(REGIMES), -np.inf), np.full(len(REGIMES), -np.inf))
        for level in LEVELS:
            one = fit(campaigns, level)
            # A greater level never gives a narrower interval.
            previous = Factors(
                np.maximum(one.low, previous.low), np.maximum(one.high, previous.high)
            )
            for code, regime in enumerate(REGIMES):
                seen = [c for c in campaigns if (c.regime == code).any()]
                rows = sum(int((c.regime == code).sum()) for c in seen)
                writer.writerow(
                    (
                        regime,
                        level,
                        f"{previous.low[code]:.4f}",
                        f"{previous.high[code]:.4f}",
                        len(seen),
                        rows,
                        as_of,
                    )
                )
    new.replace(path)


def main() -> None:
    """Read the measurements and write the factors."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("measurements", type=Path)
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--as-of", default="2026-11-22", help="date of the table")
    asked = parser.parse_args()
    campaigns = scores(asked.measurements, leave_out_own=True)
    write(asked.out, campaigns, asked.as_of)


if __name__ == "__main__":
    main()
