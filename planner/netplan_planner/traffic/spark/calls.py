"""Calls to a server of Spark Connect: how long they may take, and what their failures mean.

The client sets no time limit of its own: a server that takes a call and never answers would be
waited for without an end.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import grpc
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from netplan_planner.errors import AccessError, InputError, NetplanError
from netplan_planner.inert import inert_line
from netplan_planner.traffic.spark.work import is_missing_path

_WORDED = (PySparkException, grpc.RpcError, pa.ArrowException)
FAILURES = (*_WORDED, LookupError, AssertionError)
"""What the client raises of a server that refuses, is silent, or answers what it cannot read; the
last two where an answer lacks a part."""
_LONGEST = 300
_SOONEST_S = 0.001
_RPC = re.compile(r'status = StatusCode\.(?P<code>\w+)\s+details = "(?P<text>.*?)"\s+debug', re.S)
"""How the client prints an error of gRPC."""
_LOGIN = "check the token of the address (sc://HOST:PORT/;token=…) and what its account may do"


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
        return InputError(f"{shown}: the server finds no such file or folder: {text}")
    if code in {"UNAUTHENTICATED", "PERMISSION_DENIED"}:
        return AccessError(f"{shown}: the Spark server refuses ({code}): {text}; {_LOGIN}")
    if code == "DEADLINE_EXCEEDED":
        return AccessError(
            f"{shown}: the Spark server did not answer in time: all of its work together has the"
            " seconds of --total-timeout, and these are over; its own log says what it does"
        )
    if code == "RESOURCE_EXHAUSTED":
        return AccessError(
            f"{shown}: an answer or a limit of the Spark server is too small for this"
            f" ({code}): {text}; ask for fewer logs, or raise the limit that it names"
        )
    if code == "UNAVAILABLE" or any(one in text for one in ("RETRIES_EXCEEDED", "INVALID_HANDLE")):
        return AccessError(
            f"{shown}: the Spark server does not answer any more: {text}; its own log says why"
        )
    return NetplanError(f"{shown}: the Spark server failed: {text}")


def said(exc: BaseException) -> tuple[str, str]:
    """Return the status of gRPC behind a failure, empty where there is none, and what it says."""
    if not isinstance(exc, _WORDED):
        return "", "an answer lacks a part that Spark's client reads; is it Spark 4 or newer?"
    if isinstance(exc.__cause__, grpc.RpcError):
        # Of the last of several tries.
        exc = exc.__cause__
    if isinstance(exc, grpc.Call):
        return exc.code().name, _line(exc.details())
    found = _RPC.search(str(exc))
    return (found["code"], _line(found["text"])) if found else ("", _line(str(exc)))


def _line(text: object) -> str:
    return inert_line(" ".join(str(text).split()))[:_LONGEST]
