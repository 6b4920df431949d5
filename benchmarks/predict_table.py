"""Time of a million predictions, beside reading and writing the same table without any.

    python benchmarks/predict_table.py [--rows 1000000] [--repeat 5]

The table is made from a fixed seed, in the columns of published measurements, each row with a
round-trip time of its own. Each run is a process of its own; the two take turns. The rival is
DuckDB, which copies the CSV file to another one.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

SEED = 0.42
MAKE = """
select setseed({seed});
copy (
    select
        'grid' as source,
        date '2022-01-01' + (i % 300)::int as date,
        case i % 5 when 0 then 'gcp>aws' when 1 then 'aws>gcp' else 'gcp' end as cloud,
        case i % 7 when 0 then 'n2-standard-32' when 1 then 'e2-small' when 2 then 'n1-standard-8'
            when 3 then 'c2-standard-16' else 'n2-standard-8' end as machine_type,
        case i % 5 when 0 then 'internet-cross-cloud' when 1 then 'internet-cross-cloud'
            when 2 then 'inter-region-internal' else 'inter-region-external' end as path_class,
        'gcp:us-central1-a' as src_location,
        'gcp:europe-west' || (1 + i % 4) || '-b' as dst_location,
        case i % 3 when 0 then 1 when 1 then 16 else 64 end as streams,
        round(1 + 300 * random(), 2) as rtt_ms,
        case i % 2 when 0 then 5 else 60 end as duration_s,
        'cpu ' || (i % 40) || '; rmem 64MiB' as note
    from range({rows}) as rows (i)
) to '{path}' (format csv, header);
"""
COPY = """
import duckdb, sys
duckdb.sql(f"copy (select * from read_csv('{sys.argv[1]}', all_varchar=true)) to '{sys.argv[2]}'")
"""
PREDICT = "from netplan_planner.cli import main; main()"


def run_s(script: str, *arguments: str) -> tuple[float, float]:
    """Return wall time and CPU time of a Python process that runs a script, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", script, *arguments], env={**os.environ}, check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


def shown(name: str, runs: list[tuple[float, float]]) -> str:
    """Return one line of figures."""
    walls, cpus = zip(*runs, strict=True)
    middle = statistics.median(walls)
    return (
        f"{name:<24} {middle:.2f} s ({min(walls):.2f} to {max(walls):.2f}), CPU {min(cpus):.2f} s"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "paths.csv"), Path(folder, "out.csv")
        duckdb.execute(MAKE.format(seed=SEED, rows=asked.rows, path=table))
        copies, ours = [], []
        for _ in range(asked.repeat):
            copies.append(run_s(COPY, str(table), str(out)))
            arguments = ("predict", "--batch", str(table), "--output", str(out))
            ours.append(run_s(PREDICT, *arguments))
    print(shown("DuckDB copies the table", copies))
    print(shown("netplan predict --batch", ours))
    ratio = statistics.median(w for w, _ in ours) / statistics.median(w for w, _ in copies)
    print(f"{'ratio':<24} {ratio:.2f}")


if __name__ == "__main__":
    main()
