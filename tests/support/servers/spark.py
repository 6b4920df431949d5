"""A Spark Connect server of Spark itself, from the environment that runs the tests."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_START_S = 120.0
"""It takes ten seconds on a quiet machine."""
_MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"


def spark_home() -> Path | None:
    """Return where Spark is; None where its client alone is installed, or nothing."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        return None
    home = Path(found.origin).parent
    return home if any((home / "jars").glob("spark-connect_*.jar")) else None


@contextmanager
def spark_server(
    folder: Path, settings: Mapping[str, str] | None = None, *, master: str = "local[2]"
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Yield the address of a server and its process, whose group is ended at the end.

    Args:
        folder: For what it writes.
        settings: Of Spark, by their names.
        master: Where its executors are.
    """
    home = spark_home()
    assert home is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chosen = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        **(settings or {}),
    }
    command = [str(home / "bin" / "spark-submit"), "--master", master, "--driver-memory", "2g"]
    for name, value in chosen.items():
        command += ["--conf", f"{name}={value}"]
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--class", _MAIN, "spark-internal"],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=folder,
            env={**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"},
            start_new_session=True,
        )
    try:
        _wait(process, port, log)
        yield f"sc://127.0.0.1:{port}", process
    finally:
        end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a server at once, and with it the executors that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"Spark does not answer: {log.read_text(errors='replace')[-800:]}")
