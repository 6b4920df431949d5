"""How good the model is on published measurements: the tables of docs/background/accuracy.md.

    python benchmarks/accuracy.py MEASUREMENTS.csv … [--markdown]

Nothing here depends on time. Each campaign is scored with intervals that were fitted on the others,
and without the constants that rest on it. Two rivals stand beside the model: the documented caps
alone, and a look-up table with what the newest earlier campaign measured on the same pair.
"""

import argparse
import csv
import tempfile
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.verbs.model.answer import Evaluation, GroupScore
from netplan_planner.verbs.model.run import evaluated_left_out

AS_OF = date(2022, 1, 29)
"""Of rows without a date; the published table has none."""
LEAST_ROWS = 50
LEVELS = (0.5, 0.8, 0.9, 0.95)
LEVEL = 0.9
CLASSES = (
    ("skyplane-grid-2022-01-29", "gcp", "GCP to GCP, public", 0.06),
    ("skyplane-grid-2022-01-29", "gcp>aws", "GCP to AWS", 0.09),
    ("skyplane-grid-2022-01-29", "gcp>azure", "GCP to Azure", 0.05),
    ("skyplane-grid-2022-01-24", "gcp", "GCP to GCP, public", None),
    ("skyplane-grid-2022-01-24", "gcp>aws", "GCP to AWS", None),
    ("skyplane-grid-2022-01-24", "gcp>azure", "GCP to Azure", None),
    ("skyplane-gcp-2022-04-20", "gcp", "GCP to GCP, private", None),
    ("cloudpilot-2021", "gcp", "GCP to GCP, 30 ms and more", 0.015),
    ("cloudpilot-2021", "gcp>aws", "GCP to AWS", None),
    ("cloudpilot-2021", "gcp>ibm", "GCP to IBM", None),
    ("cloudpilot-2021", "aws>ibm", "AWS to IBM", None),
    ("doit-intercloud-2022-02", "gcp", "GCP to GCP, public", None),
    ("doit-intercloud-2022-02", "gcp>aws", "GCP to AWS", None),
    ("doit-intercloud-2022-02", "aws>gcp", "AWS to GCP", None),
    ("doit-intercloud-2022-02", "aws", "AWS to AWS", None),
    ("doit-intercloud-n1s8-2022-02", "gcp", "GCP to GCP, public", None),
    ("pkb-tutorial-inter-region", "gcp", "GCP to GCP", None),
    ("cockroach-cloud-report-2019", "gcp", "one zone", None),
    ("converged-computing-2024-gke", "gcp", "one MPI stream, Tier_1, MTU 8896", None),
    ("converged-computing-2024-vm", "gcp", "one MPI stream, set-up not stated", None),
)
"""Source, clouds, what it is, and the target of the median error where there is one."""

Mask = NDArray[np.bool_]


class Table:
    """The measurements with their predictions, and the columns by which rows are chosen."""

    def __init__(self, path: Path) -> None:
        self.evaluations: dict[float, Evaluation] = {}
        for level in LEVELS:
            self.evaluations[level], rows = evaluated_left_out(path, as_of=AS_OF, level=level)
            if level == LEVEL:
                self.rows = rows
        with PathTable(path) as table:
            self.source = _texts(table, "source")
            self.cloud = _texts(table, "cloud")
            self.rtt_ms = table.numbers("rtt_ms")
            self.streams = table.numbers("streams")
            self.duration_s = table.numbers("duration_s")
            self.note = _texts(table, "note")

    def of(self, source: str, cloud: str) -> Mask:
        """Return the rows of a campaign between two clouds, those with a round-trip time."""
        chosen: Mask = (self.source == source) & (self.cloud == cloud)
        if source.startswith("skyplane"):
            chosen &= ~np.isnan(self.rtt_ms)
        if source == "cloudpilot-2021":
            chosen &= self.rtt_ms >= 30
        return chosen


def _texts(table: PathTable, name: str) -> NDArray[np.str_]:
    texts, which = table.texts(name)
    return np.array(texts)[which]


def by_class(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield a row for each campaign and pair of clouds, with both rivals."""
    yield ("campaign", "path", "rows", "median", "P90", "target", "caps alone", "look-up", "of")
    rows = table.rows
    for source, cloud, title, target in CLASSES:
        chosen = table.of(source, cloud)
        known = chosen & ~np.isnan(rows.gbps)
        errors = _errors(rows.gbps[known], rows.value_gbps[known])
        caps = known & ~np.isnan(rows.caps_gbps)
        earlier = chosen & ~np.isnan(rows.lookup_gbps)
        count = (
            f"{known.sum():,}"
            if known.sum() == chosen.sum()
            else (f"{known.sum():,} of {chosen.sum():,}")
        )
        yield (
            source,
            title,
            count,
            _percent(errors, 0.5),
            _percent(errors, 0.9),
            f"{100 * target:g} %" if target else "",
            _percent(_errors(rows.caps_gbps[caps], rows.value_gbps[caps]), 0.5),
            _percent(_errors(rows.lookup_gbps[earlier], rows.value_gbps[earlier]), 0.5),
            f"{earlier.sum():,}",
        )


def by_group(evaluations: dict[float, Evaluation], name: str) -> Iterator[tuple[str, ...]]:
    """Yield the intervals of each campaign and sender, or path, fitted without the campaign."""
    titles = (f"inside at {level:g}" for level in LEVELS)
    yield (name, "rows", *titles, "below", "above", "width", "single width", "score", "ratio")
    for one in _groups(evaluations[LEVEL], name):
        if one.coverage_ratio is None:
            continue
        big = one.known_count >= LEAST_ROWS and (
            ", gcp to " in one.group or one.group.endswith("sender gcp")
        )
        yield (
            f"**{one.group}**" if big else one.group,
            f"{one.known_count:,}",
            *(
                f"{100 * _coverage(_groups(evaluations[level], name), one):.1f} %"
                for level in LEVELS
            ),
            f"{100 * (one.below_ratio or 0):.1f} %",
            f"{100 * (one.above_ratio or 0):.1f} %",
            f"{one.mean_width_gbps:.3g}",
            f"{one.single_width_gbps:.3g}",
            f"{one.interval_score_gbps:.3g}",
            f"{(one.interval_score_gbps or 0) / (one.single_score_gbps or np.nan):.2f}",
        )


def _groups(evaluation: Evaluation, name: str) -> tuple[GroupScore, ...]:
    return evaluation.by_path if name.endswith("path") else evaluation.by_source


def _coverage(groups: tuple[GroupScore, ...], wanted: GroupScore) -> float:
    found = next(one for one in groups if one.group == wanted.group)
    return found.coverage_ratio or 0.0


def by_message(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the single streams of 2024 by what was sent: their set-ups are not alike."""
    yield "campaign", "message, and what is stated", "rows", "measured", "predicted", "inside"
    rows = table.rows
    chosen = np.char.startswith(table.source, "converged-computing")
    for key in sorted({*zip(table.source[chosen], table.note[chosen], strict=True)}):
        these = (table.source == key[0]) & (table.note == key[1])
        value, low, high = rows.value_gbps[these], rows.low_gbps[these], rows.high_gbps[these]
        yield (
            str(key[0]),
            str(key[1]),
            f"{these.sum():,}",
            f"{np.median(value):.1f}",
            f"{np.median(rows.gbps[these]):.1f} [{np.median(low):.1f} to {np.median(high):.1f}]",
            f"{100 * ((low <= value) & (value <= high)).mean():.0f} %",
        )


def by_regime(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield how often the limit that binds is named rightly where the data say which it is."""
    yield ("regime", "rows", "right")
    right_of = {
        "wall": ("vm-egress", "external-egress"),
        "window": ("window-over-rtt",),
        "ramp": ("slow-start-ramp",),
    }
    all_rows = all_right = 0
    for name, chosen in _plain_regimes(table).items():
        codes = [LIMITS.index(limit) for limit in right_of[name]]
        right = int(np.isin(table.rows.binding[chosen], codes).sum())
        all_rows, all_right = all_rows + int(chosen.sum()), all_right + right
        yield name, f"{chosen.sum():,}", f"{100 * right / chosen.sum():.1f} %"
    yield "all", f"{all_rows:,}", f"{100 * all_right / all_rows:.1f} %"


def _plain_regimes(table: Table) -> dict[str, Mask]:
    rows = table.rows
    known = ~np.isnan(rows.gbps) & np.char.startswith(table.cloud, "gcp")
    caps, value = rows.caps_gbps, rows.value_gbps
    left_out = ("pkb-samples-2014", "cockroach-cloud-report-2019")
    wall = known & (np.abs(value / caps - 1) < 0.03) & ~np.isin(table.source, left_out)
    default = ~(np.char.find(table.note, "rmem") >= 0)
    window = known & ~wall & (table.streams == 1) & (table.rtt_ms >= 30) & default
    ramp = known & ~wall & (table.streams == 64) & (table.duration_s == 5)
    return {
        "wall": wall,
        "window": window & (value < caps / 2),
        "ramp": ramp & (table.rtt_ms >= 100),
    }


def _errors(predicted: NDArray[np.float64], measured: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs(predicted / measured - 1)


def _percent(errors: NDArray[np.float64], share: float) -> str:
    return f"{100 * np.quantile(errors, share):.1f} %" if len(errors) else ""


def _print(title: str, rows: Iterator[tuple[str, ...]], as_markdown: bool) -> None:
    lines = list(rows)
    print(f"\n{'### ' if as_markdown else ''}{title}\n")
    if as_markdown:
        lines.insert(1, tuple("---" for _ in lines[0]))
        for cells in lines:
            print(f"| {' | '.join(cells)} |")
        return
    widths = [max(len(row[i]) for row in lines) for i in range(len(lines[0]))]
    for cells in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)))


def joined(paths: Sequence[Path], target: Path) -> Path:
    """Write several tables of measurements as one, with the columns of them all."""
    rows: list[dict[str, str]] = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            rows += csv.DictReader(file)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return target


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("measurements", type=Path, nargs="+")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Table(joined(asked.measurements, Path(folder) / "all.csv"))
    _print("Error of the value", by_class(table), asked.markdown)
    for name in ("campaign and sender", "campaign and path"):
        rows = by_group(table.evaluations, name)
        _print("Intervals, fitted without the campaign", rows, asked.markdown)
    _print("Single streams of 2024", by_message(table), asked.markdown)
    _print("The limit that binds", by_regime(table), asked.markdown)


if __name__ == "__main__":
    main()
