"""The Spark session of a program that spark-submit started, or Dataproc Serverless, which does so.

There Spark is a part of the surroundings, with its session and its file systems, and no server is
to be named. Its Python is imported here, when it is asked for and never else: elsewhere the client
alone is installed, or nothing.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from netplan_planner.errors import InputError, NetplanError, UsageError
from netplan_planner.inert import inert_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_GATEWAY = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit for the program that it starts (Spark's `PythonRunner`, 4.0)."""
_OLDEST_VERSION = 4
_LONGEST = 300


def is_submitted(variables: Mapping[str, str] = os.environ) -> bool:
    """Return whether spark-submit started this program.

    >>> is_submitted({"PYSPARK_GATEWAY_PORT": "38211"}), is_submitted({})
    (True, False)
    """
    return bool(variables.get(_GATEWAY))


@contextmanager
def session() -> Iterator["SparkSession"]:
    """Yield the session that is there, or is made as spark-submit was told.

    It is not ended here: it is the program's, and ends with it.

    Raises:
        UsageError: If spark-submit did not start this program, or Spark is too old.
        NetplanError: If Spark fails.
    """
    if not is_submitted():
        raise UsageError(
            "no Spark server is given, and spark-submit did not start netplan. Give one"
            " (--spark-remote sc://HOST:15002)"
        )
    from pyspark.sql import SparkSession

    with _told():
        found = SparkSession.builder.appName("netplan").getOrCreate()
        version = str(found.version)
    if int(version.partition(".")[0]) < _OLDEST_VERSION:
        raise UsageError(
            f"Spark {version}: netplan needs Spark {_OLDEST_VERSION} or newer (Dataproc"
            " Serverless: --version=3.0)"
        )
    with _told():
        yield found


def is_address(place: str) -> bool:
    """Return whether a place is in one of Spark's file systems, and no folder of this machine.

    >>> is_address("gs://bucket/sums"), is_address("sums/of:may")
    (True, False)
    """
    return "://" in place


def check_target(address: str, is_own: Callable[[Collection[str]], bool]) -> None:
    """Refuse an address that holds what may not be replaced.

    Args:
        address: Of a folder in one of Spark's file systems, such as `gs://bucket/folder`.
        is_own: Whether a folder with files of these names may be replaced.

    Raises:
        UsageError: If it holds anything else.
        NetplanError: If Spark cannot look there.
    """
    with session() as running:
        _is_there(*_target(running, address), address, is_own)


def put(folder: Path, address: str, is_own: Callable[[Collection[str]], bool]) -> None:
    """Copy a folder of this machine to an address, where it appears when it is whole.

    Raises:
        UsageError: As `check_target`.
        InputError: If it cannot be written.
    """
    with session() as running:
        system, target = _target(running, address)
        path: Any = running.sparkContext._jvm.org.apache.hadoop.fs.Path
        is_there = _is_there(system, target, address, is_own)
        beside = path(f"{address.rstrip('/')}.{uuid4().hex}.new")
        try:
            system.copyFromLocalFile(False, True, path(folder.resolve().as_uri()), beside)
            if is_there:
                system.delete(target, True)
            if not system.rename(beside, target):
                raise InputError(
                    f"{inert_line(address)}: cannot be written: the copied files are not renamed"
                )
        finally:
            system.delete(beside, True)


def _target(running: "SparkSession", address: str) -> tuple[Any, Any]:
    """Return the file system of an address, and its path there."""
    context = running.sparkContext
    target = context._jvm.org.apache.hadoop.fs.Path(address)
    return target.getFileSystem(context._jsc.hadoopConfiguration()), target


def _is_there(
    system: Any, target: Any, address: str, is_own: Callable[[Collection[str]], bool]
) -> bool:
    """Return whether there is a folder, which may be replaced."""
    if not system.exists(target):
        return False
    entries = list(system.listStatus(target))
    names = [one.getPath().getName() for one in entries]
    # A folder may have a table's name: Spark's own Parquet is one.
    is_other = any(one.isDirectory() for one in entries) or not is_own(names)
    if system.getFileStatus(target).isFile() or is_other:
        raise UsageError(
            f"--out {inert_line(address)}: contains files that `netplan flows aggregate` did not"
            " write; name a new folder"
        )
    return True


@contextmanager
def _told() -> Iterator[None]:
    """Say what Spark refuses, on one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as exc:
        text = " ".join(str(exc).split())[:_LONGEST]
        raise NetplanError(f"Spark failed: {inert_line(text)}") from exc
