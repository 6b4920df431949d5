"""Time and memory of flow logs to a report, beside what one would write by hand in DuckDB.

    python benchmarks/flow_logs.py                        # everything but 200 million records
    python benchmarks/flow_logs.py --only ingest --repeat 3
    python benchmarks/flow_logs.py --linear 5000000 50000000 200000000

Each figure is of a process of its own, as the operating system counts it: wall time, CPU time of
all threads, peak resident memory. netplan and its rival take turns in the same run, with the same
bound of memory, and must come to the same bytes; the ratio of the two is what counts.

    audit   `netplan audit --output json:…` of the project: inventory, flow logs, rules, report
    ingest  netplan's flow logs to edge and machine series (and all else that the matrix holds),
            against the rival's text keys (`flow_queries.py`)
    json    the same of JSON lines gz, against plainly reading and summing the same files in DuckDB,
            in all and by edge and minute
    linear  the ingest of different numbers of records

Inputs are made by `generate.py` from a fixed seed, once, under --folder (5 GB for 50 million).
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

VMS = 10_000
DAY_MINUTES = 1440
RECORDS_PER_DAY = 50_000_000
HERE = Path(__file__).resolve()

Run = dict[str, Any]


def audit(folder: Path, memory_limit: str, spill: Path) -> Run:
    """Run the whole command; return the bytes of its report."""
    from netplan_planner.cli import main as netplan

    report = spill / "report.json"
    sys.argv = [
        "netplan",
        "audit",
        f"--inventory={folder / 'inventory'}",
        f"--traffic={folder / 'flows'}",
        f"--memory-limit={memory_limit}",
        f"--temp-directory={spill}",
        f"--output=json:{report}",
        "--fail-on=never",
    ]
    try:
        netplan()
    except SystemExit as done:
        if done.code:
            raise
    return {"report_bytes": report.stat().st_size}


def ingest(folder: Path, memory_limit: str, spill: Path) -> Run:
    """Read the flow logs into the matrix; return its sums, held to what was generated."""
    from flow_answers import checked
    from netplan_planner.readers import read_inventory
    from netplan_planner.traffic import TrafficOptions, read_traffic

    inventory = read_inventory([folder / "inventory"])
    start = time.perf_counter()
    matrix = read_traffic(
        [folder / "flows"],
        inventory,
        TrafficOptions(memory_limit=memory_limit, temp_directory=spill),
    )
    took_s = time.perf_counter() - start
    return {**checked(matrix, folder), "took_s": took_s}


def hand_written(folder: Path, memory_limit: str, spill: Path) -> Run:
    """Run the rival's queries."""
    from flow_queries import rival

    start = time.perf_counter()
    return {**rival(folder, memory_limit, spill), "took_s": time.perf_counter() - start}


def json_sum(folder: Path, memory_limit: str, spill: Path) -> Run:
    """Read and sum JSON lines plainly."""
    from flow_queries import json_sum as query

    start = time.perf_counter()
    return {**query(folder, memory_limit, spill), "took_s": time.perf_counter() - start}


def json_edges(folder: Path, memory_limit: str, spill: Path) -> Run:
    """Read JSON lines plainly and sum them by edge and minute."""
    from flow_queries import json_edges as query

    start = time.perf_counter()
    return {**query(folder, memory_limit, spill), "took_s": time.perf_counter() - start}


TASKS: dict[str, Callable[[Path, str, Path], Run]] = {
    "audit": audit,
    "ingest": ingest,
    "hand-written": hand_written,
    "json-sum": json_sum,
    "json-edges": json_edges,
}


def measured(task: str, folder: Path, memory_limit: str) -> Run:
    """Run a task in a process of its own; return its answer with seconds and GiB."""
    with tempfile.TemporaryDirectory(prefix="netplan-benchmark-", dir=folder) as spill:
        command = [sys.executable, str(HERE), "--task", task, "--folder", str(folder)]
        command += ["--memory-limit", memory_limit, "--spill", spill]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{task} failed")
    answer: Run = json.loads(text)
    return {
        **answer,
        "wall_s": wall_s,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_gib": usage.ru_maxrss / 2**20,
    }


def made(base: Path, records: int, layout: str, vms: int) -> Path:
    """Return the folder of an input; it is generated when it is not there."""
    name = f"{layout}-{records}" if vms == VMS else f"{layout}-{records}-{vms}"
    folder = base / name
    if not (folder / "expected.json").exists():
        print(f"generating {records:,} records ({layout})", file=sys.stderr)
        # In a process of its own: a child inherits the greatest memory of its parent's life.
        arguments = {
            "--records": records,
            "--vms": vms,
            "--minutes": max(1, round(records / RECORDS_PER_DAY)) * DAY_MINUTES,
            "--format": layout,
            "--out": folder,
        }
        words = [str(word) for item in arguments.items() for word in item]
        subprocess.run([sys.executable, str(HERE.with_name("generate.py")), *words], check=True)
    return folder


def in_turn(tasks: Sequence[str], folder: Path, memory_limit: str, repeat: int) -> list[Run]:
    """Run tasks in turn; print them and the first one's ratio to the others; return all runs."""
    runs: dict[str, list[Run]] = {task: [] for task in tasks}
    for _ in range(repeat):
        for task in tasks:
            runs[task].append(measured(task, folder, memory_limit))
    for task in tasks:
        print(line(task, runs[task]))
    first, *rivals = tasks
    for rival in rivals:
        pairs = list(zip(runs[first], runs[rival], strict=True))
        took = spread([a["took_s"] / b["took_s"] for a, b in pairs])
        cpu = spread([a["cpu_s"] / b["cpu_s"] for a, b in pairs])
        print(f"  {first} / {rival}: {took} of the time, {cpu} of the CPU time")
    return [{"task": task, **run} for task in tasks for run in runs[task]]


def line(name: str, runs: Sequence[Run]) -> str:
    """Return one line of figures: median, and the range where there are several."""
    inner = f", of it {spread([r['took_s'] for r in runs])} s" if "took_s" in runs[0] else ""
    return (
        f"  {name:<13} wall {spread([r['wall_s'] for r in runs])} s{inner},"
        f" CPU {spread([r['cpu_s'] for r in runs])} s,"
        f" peak {spread([r['peak_gib'] for r in runs])} GiB"
    )


def spread(values: Sequence[float]) -> str:
    """Return the median, with the least and the greatest."""
    text = f"{statistics.median(values):.2f}"
    return text if len(values) == 1 else f"{text} [{min(values):.2f} to {max(values):.2f}]"


def machine() -> str:
    """Return what the figures were measured on."""
    import duckdb

    cpu = Path("/proc/cpuinfo")
    names = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    model = next((text.partition(": ")[2] for text in names if text.startswith("model name")), "")
    return (
        f"Python {platform.python_version()}, DuckDB {duckdb.__version__}, {os.cpu_count()} cores,"
        f" {model or platform.machine()}, {time.strftime('%Y-%m-%d')}"
    )


def compare(options: argparse.Namespace) -> list[Run]:
    """Run what was asked for; return every run."""
    base, limit, repeat = options.folder, options.memory_limit, options.repeat
    chosen = set(options.only or ("audit", "ingest", "json", "linear"))
    runs: list[Run] = []
    print(f"{machine()}; memory limit of both engines {limit}, {repeat} runs each")
    if chosen & {"audit", "ingest"}:
        folder = made(base, options.records, "parquet", options.vms)
        print(f"{options.records:,} records in Parquet, {options.vms:,} VMs")
        if "audit" in chosen:
            found = [measured("audit", folder, limit) for _ in range(repeat)]
            print(line("audit", found))
            runs += [{"task": "audit", **run} for run in found]
        if "ingest" in chosen:
            found = in_turn(("ingest", "hand-written"), folder, limit, repeat)
            sums = [run["wire_bytes"] for run in found]
            # The rival's shares are fractions, netplan's whole numbers.
            if max(sums) - min(sums) > max(sums) * 1e-9:
                raise SystemExit("netplan and its rival do not come to the same bytes")
            runs += found
    if "json" in chosen:
        folder = made(base, options.json_records, "json", options.vms)
        print(f"{options.json_records:,} JSON lines gz")
        runs += in_turn(("ingest", "json-sum", "json-edges"), folder, limit, repeat)
    if "linear" in chosen:
        print("records: seconds of the ingest, microseconds a record, peak")
        for records in options.linear:
            run = measured("ingest", made(base, records, "parquet", options.vms), limit)
            took_s, peak_gib = run["took_s"], run["peak_gib"]
            each_us = took_s / records * 1e6
            print(f"  {records:>11,}  {took_s:7.1f} s {each_us:6.3f} µs {peak_gib:5.2f} GiB")
            runs.append({"task": "linear", "asked": records, **run})
    return runs


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "netplan-benchmark"
    parser.add_argument("--records", type=int, default=50_000_000)
    parser.add_argument("--vms", type=int, default=VMS)
    parser.add_argument("--json-records", type=int, default=5_000_000)
    parser.add_argument("--linear", type=int, nargs="*", default=[5_000_000, 50_000_000])
    parser.add_argument("--only", nargs="*", choices=("audit", "ingest", "json", "linear"))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--folder", type=Path, default=default, help="where the inputs are kept")
    parser.add_argument("--json", type=Path, help="also write every run there")
    parser.add_argument("--task", choices=tuple(TASKS), help=argparse.SUPPRESS)
    parser.add_argument("--spill", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        answer = TASKS[options.task](options.folder, options.memory_limit, options.spill)
        print(json.dumps(answer))
        return 0
    runs = compare(options)
    if options.json:
        options.json.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
