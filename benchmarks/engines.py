"""CPU seconds and memory of flow logs in Parquet to a matrix, by engine.

    python benchmarks/engines.py --records 5000000 50000000
    .venv-sail/bin/python benchmarks/engines.py --spark FOLDER --engines duckdb sail spark

    duckdb  netplan's ingest from the files
    sail    the same by Spark Connect on Sail; runs where pysail is installed (.ci/sail.sh)
    spark   the same on Spark, `local[2]`; --spark names an environment that has the package pyspark
            (`python3 -m venv FOLDER; FOLDER/bin/pip install 'pyspark==4.0.1'`), and Java
    sail-reads, spark-reads   the floor: the server reads each field that netplan reads, no more
    sail-edges, spark-edges   a query by hand: bytes and packets by both ends, reporter and minute

Each figure is of processes of their own, as the operating system counts them: the client's (all of
DuckDB is in it) and the server's, which is started for the run and stopped after it. A record's own
cost is the difference of two sizes over the difference of their records: what starting, planning
and a matrix of so many pairs take is in both. CPU time is to be trusted on a machine that others
use, wall time is not. Every answer is held to what was generated.

Inputs are those of `flow_logs.py`, made by `generate.py` from a fixed seed under --folder.
"""

import argparse
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flow_logs import machine, made

HERE = Path(__file__).resolve()
_START_S = 180.0
_SPARK_MEMORY = "6g"
_CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"
Run = dict[str, Any]


def by_duckdb(folder: Path, work: Path, _: str) -> Run:
    """Read the files by DuckDB."""
    from flow_answers import checked
    from netplan_planner.readers import read_inventory
    from netplan_planner.traffic import TrafficOptions, read_traffic

    inventory = read_inventory([folder / "inventory"])
    options = TrafficOptions(memory_limit="2GB", temp_directory=work)
    return checked(read_traffic([folder / "flows"], inventory, options), folder)


def by_spark(folder: Path, work: Path, server: str) -> Run:
    """Read the files by a server of Spark Connect."""
    from flow_answers import checked
    from netplan_planner.readers import read_inventory
    from netplan_planner.traffic import TrafficOptions
    from netplan_planner.traffic.spark.place import SparkPlace
    from netplan_planner.traffic.spark.read import read_logs

    inventory = read_inventory([folder / "inventory"])
    matrix = read_logs(
        [(folder / "flows").as_uri()],
        inventory,
        TrafficOptions(),
        place=SparkPlace(remote=server, work=work.as_uri()),
    )
    return checked(matrix, folder)


def fields_read(folder: Path, _: Path, server: str) -> Run:
    """Let a server read the fields of the files, each to its greatest value."""
    from pyspark.sql.connect import functions
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(server).getOrCreate()
    logs = session.read.parquet((folder / "flows").as_uri())
    (row,) = logs.agg(*(functions.max(name) for name in _leaves(logs.schema))).collect()
    return {"fields": len(row)}


def _leaves(schema: Any, above: str = "") -> Iterator[str]:
    for field in schema.fields:
        name = f"{above}{field.name}"
        if hasattr(field.dataType, "fields"):
            yield from _leaves(field.dataType, f"{name}.")
        else:
            yield name


def edges_summed(folder: Path, _: Path, server: str) -> Run:
    """Let a server sum the files by both ends, reporter and minute."""
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(server).getOrCreate()
    session.read.parquet((folder / "flows").as_uri()).createOrReplaceTempView("logs")
    (row,) = session.sql(f"SELECT COUNT(*), SUM(payload) FROM ({_BY_EDGE})").collect()
    return {"groups": int(row[0]), "payload_bytes": int(row[1])}


_BY_EDGE = """
SELECT COALESCE(jsonPayload.src_instance.vm_name, jsonPayload.connection.src_ip) AS src,
  COALESCE(jsonPayload.dest_instance.vm_name, jsonPayload.connection.dest_ip) AS dst,
  jsonPayload.src_vpc.subnetwork_name AS subnetwork, jsonPayload.reporter AS reporter,
  substr(jsonPayload.start_time, 1, 16) AS minute,
  SUM(TRY_CAST(jsonPayload.bytes_sent AS BIGINT)) AS payload,
  SUM(TRY_CAST(jsonPayload.packets_sent AS BIGINT)) AS packets, MAX(jsonPayload.end_time) AS last
FROM logs GROUP BY 1, 2, 3, 4, 5
"""

_FLOORS = {"reads": fields_read, "edges": edges_summed}
TASKS = {
    "duckdb": by_duckdb,
    "sail": by_spark,
    "spark": by_spark,
    **{f"{one}-{name}": task for one in ("sail", "spark") for name, task in _FLOORS.items()},
}


def absent(engine: str, spark: Path | None) -> str | None:
    """Return why an engine cannot be run here."""
    if engine == "duckdb":
        return None
    if importlib.util.find_spec("pyspark") is None:
        return "Spark's client is not installed here (.ci/sail.sh makes an environment of it)"
    if engine.startswith("sail"):
        is_here = importlib.util.find_spec("pysail") is not None
        return None if is_here else "pysail is not installed here (.ci/sail.sh)"
    if spark is None:
        return "no environment with pyspark is named (--spark)"
    return None if (spark / "bin/spark-submit").exists() else f"{spark} has no spark-submit"


def command(engine: str, port: int, work: Path, spark: Path | None) -> list[str]:
    """Return the command of a server."""
    if engine.startswith("sail"):
        sail = Path(sys.executable).with_name("sail")
        return [str(sail), "spark", "server", "--port", str(port)]
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.local.dir": work,
        "spark.sql.warehouse.dir": work / "warehouse",
    }
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    submit = ["--master", "local[2]", "--driver-memory", _SPARK_MEMORY, "--class", _CONNECT]
    return [f"{spark}/bin/spark-submit", *submit, *words, "spark-internal"]


@contextmanager
def server(engine: str, work: Path, spark: Path | None) -> Iterator[tuple[str, Run]]:
    """Yield the address of a server, and what it took once it is stopped."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    took: Run = {}
    log = work / "server.log"
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    if spark is not None:
        (home,) = spark.glob("lib/python*/site-packages/pyspark")
        environment["SPARK_HOME"] = str(home)
    with log.open("wb") as out:
        process = subprocess.Popen(
            command(engine, port, work, spark), stdout=out, stderr=out, cwd=work, env=environment
        )
    try:
        _wait(process, port, log)
        yield f"sc://127.0.0.1:{port}", took
    finally:
        if process.returncode is None:
            process.terminate()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            took |= _usage(usage)


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"the server does not answer: {log.read_text(errors='replace')[-500:]}")


def _usage(usage: Any) -> Run:
    return {"cpu_s": usage.ru_utime + usage.ru_stime, "peak_gib": usage.ru_maxrss / 2**20}


def measured(engine: str, folder: Path, spark: Path | None) -> Run:
    """Return what an engine took, and its answer."""
    with tempfile.TemporaryDirectory(prefix="netplan-engines-", dir=folder) as name:
        work = Path(name)
        if engine == "duckdb":
            return {**_client(engine, folder, work, ""), "server": {"cpu_s": 0.0, "peak_gib": 0.0}}
        with server(engine, work, spark) as (address, took):
            run = _client(engine, folder, work, address)
        return {**run, "server": took}


def _client(engine: str, folder: Path, work: Path, address: str) -> Run:
    """Run the client in a process of its own."""
    words = [sys.executable, str(HERE), "--task", engine, "--folder", str(folder)]
    start = time.perf_counter()
    with subprocess.Popen(
        [*words, "--work", str(work), "--server", address], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{engine} failed")
    return {
        **json.loads(text),
        "wall_s": time.perf_counter() - start,
        "client": _usage(usage),
    }


def cpu_s(run: Mapping[str, Any]) -> float:
    """Return the CPU seconds of client and server."""
    return float(run["client"]["cpu_s"] + run["server"]["cpu_s"])


def compare(
    folder: Path, records: Sequence[int], engines: Sequence[str], vms: int, spark: Path | None
) -> list[Run]:
    """Run the engines in turn, size by size; print and return every run."""
    print(f"{machine()}{_versions(spark)}; n = 1")
    runs: list[Run] = []
    last: dict[str, Run] = {}
    for count in sorted(records):
        source = made(folder, count, "parquet", vms)
        answers = set()
        for engine in engines:
            if why := absent(engine, spark):
                print(f"  {engine:<10} {count:>11,} records: left out: {why}")
                continue
            run = {"engine": engine, "records": count, **measured(engine, source, spark)}
            if "wire_bytes" in run:
                answers.add((run["wire_bytes"], run["edges"]))
            print(line(run, last.get(engine)), flush=True)
            runs.append(run)
            last[engine] = run
        if len(answers) > 1:
            raise SystemExit(f"the engines do not come to the same bytes and edges: {answers}")
    return runs


def line(run: Run, before: Run | None) -> str:
    """Return one line of figures, with a record's own cost where there was a smaller size."""
    text = (
        f"  {run['engine']:<10} {run['records']:>11,} records: CPU {cpu_s(run):.1f} s (server"
        f" {run['server']['cpu_s']:.1f}, client {run['client']['cpu_s']:.1f}), wall"
        f" {run['wall_s']:.1f} s, peak {run['server']['peak_gib']:.2f} and"
        f" {run['client']['peak_gib']:.2f} GiB"
    )
    if before is None:
        return text
    each_us = (cpu_s(run) - cpu_s(before)) / (run["records"] - before["records"]) * 1e6
    return f"{text}, {each_us:.2f} CPU µs a record since {before['records']:,}"


def _versions(spark: Path | None) -> str:
    """Return the versions of the other engines."""
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in ("pysail", "pyspark-client"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    if spark is not None:
        names = sorted(
            one.name for one in spark.glob("lib/python*/site-packages/pyspark-*.dist-info")
        )
        found += [name.removesuffix(".dist-info").replace("-", " ") for name in names]
    return "".join(f", {one}" for one in found)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "netplan-benchmark"
    parser.add_argument("--records", type=int, nargs="+", default=[5_000_000, 50_000_000])
    parser.add_argument("--vms", type=int, default=10_000)
    parser.add_argument(
        "--engines", nargs="+", choices=tuple(TASKS), default=["duckdb", "sail", "spark"]
    )
    parser.add_argument("--spark", type=Path, help="an environment with pyspark")
    parser.add_argument("--folder", type=Path, default=default, help="where the inputs are kept")
    parser.add_argument("--json", type=Path, help="also write every run there")
    parser.add_argument("--task", choices=tuple(TASKS), help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--server", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        print(json.dumps(TASKS[options.task](options.folder, options.work, options.server)))
        return 0
    spark = options.spark.resolve() if options.spark else None
    runs = compare(options.folder, options.records, options.engines, options.vms, spark)
    if options.json:
        options.json.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
