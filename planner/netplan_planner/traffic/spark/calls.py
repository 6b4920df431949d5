"""Calls to a server of Spark Connect: how long they may take, and what their failures mean.

The client sets no time limit of its own: a server that takes a call and never answers would be
waited for without an end.
"""

import posixpath
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote
from uuid import uuid4

import grpc
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from netplan_planner.errors import AccessError, InputError, NetplanError
from netplan_planner.inert import inert_line

# The folder of one run's work files, which the server removes
#
# Spark Connect has no verb for files. A database has: its folder is the one that it was made with,
# and to drop it removes that folder with all that is in it, in Spark's own catalogue
# (`InMemoryCatalog.dropDatabase`) and in Hive's (`HiveMetaStore`, `drop_database_core`). So a
# database is made over the folder of the run, and dropped.


_PREFIX = "netplan-"
_HERE = "file://"
_PAUSES_S = (0.0, 0.5, 1.5)
"""Before each try: what a stopped job still writes comes within moments."""
_ERRORS = (PySparkException, grpc.RpcError)
_COMMANDS = {"gs": "gcloud storage rm --recursive", "s3a": "hadoop fs -rm -r", "file": "rm -r"}


class WorkFolder:
    """A folder of a new name in the one that the user named; nothing else is ever removed."""

    def __init__(self, parent: str) -> None:
        self._name = f"{_PREFIX}{uuid4().hex}"
        self.path = posixpath.join(parent, self._name)
        self._was_here = False
        self._has_database = False

    def remove(self, session: SparkSession, *, is_settled: bool) -> str | None:
        """Remove the folder; return what to tell the user if it may still be there.

        Args:
            session: A session of the server, which may have gone.
            is_settled: Whether everything that wrote there has ended.
        """
        was_gone = False
        for pause in _PAUSES_S:
            time.sleep(pause)
            is_gone = self._is_removed(session)
            if is_gone is None:
                break
            if is_gone and (is_settled or was_gone):
                return None
            was_gone = is_gone
        if was_gone:
            return None
        place = self.path.partition(":")[0]
        shown = unquote(self.path.removeprefix(_HERE)) if place == "file" else self.path
        return (
            f"work files may remain in {self.path}: remove them from the server"
            f" ({_COMMANDS[place]} {shlex.quote(shown)})"
        )

    def _is_removed(self, session: SparkSession) -> bool | None:
        """Remove the folder once; return whether it is gone, None if the server does not say."""
        if self._is_removed_here():
            return True
        name = f"spark_catalog.`{self._name.replace('-', '_')}`"
        location = self.path.replace("\\", "\\\\").replace("'", "\\'")
        with suppress(*_ERRORS):
            # None is dropped but one that was made here, be it by a try before.
            if not self._has_database:
                session.sql(f"CREATE DATABASE {name} LOCATION '{location}'").collect()
            self._has_database = True
            session.sql(f"DROP DATABASE IF EXISTS {name} CASCADE").collect()
            self._has_database = False
        try:
            return not session.read.format("binaryFile").load(self.path).inputFiles()
        except PySparkException as exc:
            if is_missing_path(exc):
                return True
            return None
        except grpc.RpcError:
            return None

    def _is_removed_here(self) -> bool:
        """Remove the folder where it is on this machine; return whether it was, and is gone."""
        if not self.path.startswith(_HERE):
            return False
        # Not taken apart as a URL: what follows # or ? there is no part of the path, and the rest
        # would be a folder of the user's.
        here = Path(unquote(self.path.removeprefix(_HERE)))
        if here.is_dir():
            self._was_here = True
            shutil.rmtree(here, ignore_errors=True)
        return self._was_here and not here.exists()


def is_missing_path(error: PySparkException) -> bool:
    """Return whether a server says that a path is not there."""
    return error.getCondition() == "PATH_NOT_FOUND" or "PATH_NOT_FOUND" in str(error)


# Calls to a server of Spark Connect: how long they may take, and what their failures mean


_WORDED = (PySparkException, grpc.RpcError, pa.ArrowException)
FAILURES = (*_WORDED, LookupError, AssertionError)
"""What the client raises of a server that refuses, is silent, or answers what it cannot read; the
last two where an answer lacks a part."""
_LONGEST = 300
_SOONEST_S = 0.001
_RPC = re.compile(r'status = StatusCode\.(?P<code>\w+)\s+details = "(?P<text>.*?)"\s+debug', re.S)
"""How the client prints an error of gRPC."""
_LOGIN = "check the token in the address (sc://HOST:PORT/;token=…) and its permissions"


class _Details(NamedTuple):
    method: str
    timeout: float | None
    metadata: Any
    credentials: Any
    wait_for_ready: bool | None
    compression: Any


class Deadline(
    grpc.UnaryUnaryClientInterceptor,  # type: ignore[misc]
    grpc.UnaryStreamClientInterceptor,  # type: ignore[misc]
    grpc.StreamUnaryClientInterceptor,  # type: ignore[misc]
):
    """Ends every call at a moment, be it under way or new."""

    def __init__(self) -> None:
        self._until_s = 0.0

    def allow(self, seconds: float) -> None:
        """Let calls that begin from now on take so long, all together."""
        self._until_s = time.monotonic() + seconds

    def _call(self, continuation: Callable[..., Any], details: Any, asked: Any) -> Any:
        left_s = max(self._until_s - time.monotonic(), _SOONEST_S)
        bounded = _Details(
            method=details.method,
            timeout=left_s if details.timeout is None else min(left_s, details.timeout),
            metadata=details.metadata,
            credentials=details.credentials,
            wait_for_ready=details.wait_for_ready,
            compression=details.compression,
        )
        return continuation(bounded, asked)

    intercept_unary_unary = _call
    intercept_unary_stream = _call
    intercept_stream_unary = _call


@contextmanager
def told(session: SparkSession, shown: str) -> Iterator[None]:
    """Say what the server refuses, and stop what it does on an interrupt.

    Raises:
        InputError: If a path is not there.
        AccessError: If the server refuses, is gone, or does not answer in time.
        NetplanError: If it fails.
    """
    try:
        yield
    except FAILURES as exc:
        raise error_of(exc, shown) from exc
    except KeyboardInterrupt:
        with suppress(*FAILURES):
            session.interruptAll()
        raise


def error_of(exc: Exception, shown: str) -> NetplanError:
    """Return what a failure of a server that has answered before means."""
    code, text = said(exc)
    if isinstance(exc, PySparkException) and is_missing_path(exc):
        return InputError(f"{shown}: the server does not find this file or folder: {text}")
    if code in {"UNAUTHENTICATED", "PERMISSION_DENIED"}:
        return AccessError(f"{shown}: the Spark server refuses ({code}): {text}; {_LOGIN}")
    if code == "DEADLINE_EXCEEDED":
        return AccessError(
            f"{shown}: the Spark server did not finish within --total-timeout seconds; see the"
            " log of the server"
        )
    if code == "RESOURCE_EXHAUSTED":
        return AccessError(
            f"{shown}: a result limit of the Spark server is too small ({code}): {text}; read"
            " fewer logs, or raise the limit"
        )
    if code == "UNAVAILABLE" or any(one in text for one in ("RETRIES_EXCEEDED", "INVALID_HANDLE")):
        return AccessError(
            f"{shown}: the Spark server no longer answers: {text}; see the log of the server"
        )
    return NetplanError(f"{shown}: the Spark server failed: {text}")


def said(exc: BaseException) -> tuple[str, str]:
    """Return the status of gRPC behind a failure, empty where there is none, and what it says."""
    if not isinstance(exc, _WORDED):
        return "", "the answer lacks a part that Spark's client needs; use Spark 4 or newer"
    if isinstance(exc.__cause__, grpc.RpcError):
        # Of the last of several tries.
        exc = exc.__cause__
    if isinstance(exc, grpc.Call):
        return exc.code().name, _line(exc.details())
    found = _RPC.search(str(exc))
    return (found["code"], _line(found["text"])) if found else ("", _line(str(exc)))


def _line(text: object) -> str:
    return inert_line(" ".join(str(text).split()))[:_LONGEST]
