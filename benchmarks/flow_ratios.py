"""A guard against slower reading: `flow_logs.py` small beside its rivals, with a history.

    python benchmarks/flow_ratios.py                  # what `make nightly` runs
    python benchmarks/flow_ratios.py --history FILE   # elsewhere than benchmarks/out

The ratio of CPU seconds of the ingest to those of each rival, the median of some turns in one run,
is added to a file of one JSON value a line. What rose by a tenth or more over the median of the
last ten ratios of the same rival and size is printed first. Nothing fails: the ratio of one night
may be that of a busy machine, and a second night tells.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from flow_logs import HERE, VMS, machine, made, measured

RIVALS = {"parquet": ("hand-written",), "json": ("json-sum", "json-edges")}
LAST = 10
"""Earlier ratios that one is held against."""
RISE = 1.1

Ratio = Mapping[str, Any]
KEY = ("layout", "rival", "records", "vms")
"""What two ratios must agree in to be comparable."""


def ratios(
    layout: str, folder: Path, memory_limit: str, repeat: int
) -> Iterator[tuple[str, float]]:
    """Yield each rival with the median ratio of CPU seconds; all take turns."""
    tasks = ("ingest", *RIVALS[layout])
    turns = [{task: measured(task, folder, memory_limit) for task in tasks} for _ in range(repeat)]
    for rival in RIVALS[layout]:
        found = [turn["ingest"]["cpu_s"] / turn[rival]["cpu_s"] for turn in turns]
        yield rival, round(statistics.median(found), 3)


def history_of(path: Path) -> list[Ratio]:
    """Return what was measured before, oldest first; nothing where there is no file yet."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def usual(history: Sequence[Ratio], now: Ratio) -> float | None:
    """Return the median of the last ratios of the same kind, None where it is the first.

    >>> usual([{"rival": "a", "ratio": 1.0}], {"rival": "b", "ratio": 2.0})
    """
    same = [r["ratio"] for r in history if all(r.get(k) == now.get(k) for k in KEY)]
    return statistics.median(same[-LAST:]) if same else None


def told(history: Sequence[Ratio], found: Sequence[Ratio]) -> list[str]:
    """Return a line a ratio, those that rose first.

    >>> one = {"layout": "json", "rival": "json-sum", "records": 9, "vms": 1}
    >>> told([{**one, "ratio": 2.0}], [{**one, "ratio": 2.1}, {**one, "ratio": 2.2}])[0]
    'ROSE: json, 9 records: ingest / json-sum 2.20 of the CPU time, usually 2.00'
    """
    lines = []
    for now in found:
        before = usual(history, now)
        rose = before is not None and now["ratio"] >= before * RISE
        text = (
            f"{'ROSE: ' if rose else ''}{now['layout']}, {now['records']:,} records: ingest /"
            f" {now['rival']} {now['ratio']:.2f} of the CPU time,"
            f" {'the first' if before is None else f'usually {before:.2f}'}"
        )
        lines.append((not rose, text))
    return [text for _, text in sorted(lines, key=lambda line: line[0])]


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "netplan-benchmark"
    parser.add_argument("--records", type=int, default=1_000_000, help="in Parquet")
    parser.add_argument("--json-records", type=int, default=500_000)
    parser.add_argument("--vms", type=int, default=VMS)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--folder", type=Path, default=default, help="where the inputs are kept")
    parser.add_argument("--history", type=Path, default=HERE.parent / "out" / "flow_ratios.jsonl")
    options = parser.parse_args()
    found: list[Ratio] = []
    for layout, records in (("parquet", options.records), ("json", options.json_records)):
        folder = made(options.folder, records, layout, options.vms)
        now = {"date": time.strftime("%Y-%m-%d"), "machine": machine(), "layout": layout}
        now |= {"records": records, "vms": options.vms}
        for rival, ratio in ratios(layout, folder, options.memory_limit, options.repeat):
            found.append({**now, "rival": rival, "ratio": ratio})
    print("\n".join(told(history_of(options.history), found)))
    options.history.parent.mkdir(parents=True, exist_ok=True)
    with options.history.open("a", encoding="utf-8") as out:
        out.writelines(json.dumps(one) + "\n" for one in found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
