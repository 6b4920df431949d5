"""Make `data/interval_factors.csv` from published measurements.

    python planner/scripts/build_intervals.py MEASUREMENTS.csv … [--out FILE] [--as-of DATE]

The measurements are tables in the columns of docs/reference/verbs/predict.md, with
`source` and `value`. What the factors are, and how campaigns are weighted, is said in
`netplan_planner.throughput.goodput.conformal`.
"""

import argparse
import csv
from datetime import date
from pathlib import Path

from netplan_planner.throughput.goodput.conformal import Scores, nested, usable
from netplan_planner.throughput.goodput.intervals import PLACES
from netplan_planner.verbs.model.run import calibration_scores

TARGET = Path(__file__).parents[1] / "netplan_planner/throughput/data/interval_factors.csv"
COLUMNS = ("place", "level", "below", "above", "campaign_count", "row_count", "as_of")


def write(path: Path, campaigns: list[Scores], as_of: date) -> None:
    """Write the table of factors, with what each rests on."""
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for level, factors in nested(campaigns).items():
            for code, place in enumerate(PLACES):
                seen = usable(campaigns, code)
                basis = (len(seen), sum(len(one.below) for one in seen), as_of)
                ends = (f"{end[code]:.4f}" for end in (factors.below, factors.above))
                writer.writerow((place, level, *ends, *basis))
    new.replace(path)


def main() -> None:
    """Read the measurements and write the factors."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("measurements", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--as-of", type=date.fromisoformat, default=date(2026, 11, 28))
    asked = parser.parse_args()
    scores = [
        one for path in asked.measurements for one in calibration_scores(path, as_of=asked.as_of)
    ]
    write(asked.out, scores, asked.as_of)


if __name__ == "__main__":
    main()
