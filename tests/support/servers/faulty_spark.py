"""A server of gRPC on 127.0.0.1 that speaks Spark Connect as far as a test lets it.

    with faulty_spark(on_execute=abort(grpc.StatusCode.UNAVAILABLE, "gone")) as address:
        ...

It tells its version and takes settings; what it does with statements, or with every call, is given.
"""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from pyspark.sql.connect.proto import base_pb2, base_pb2_grpc

Step = Callable[[Any, grpc.ServicerContext, threading.Event], Iterator[Any]]
"""Takes a request and its context; yields answers, fails, or waits for the end of the test."""


def abort(code: grpc.StatusCode, text: str) -> Step:
    def step(_: Any, context: grpc.ServicerContext, __: threading.Event) -> Iterator[Any]:
        context.abort(code, text)
        yield

    return step


def quote_credentials(code: grpc.StatusCode) -> Step:
    """Fail with what the caller sent to show who it is."""

    def step(_: Any, context: grpc.ServicerContext, __: threading.Event) -> Iterator[Any]:
        sent = dict(context.invocation_metadata())
        context.abort(code, f"not you: {sent}")
        yield

    return step


def wait(_: Any, __: grpc.ServicerContext, over: threading.Event) -> Iterator[Any]:
    over.wait()
    yield from ()


def cut(request: Any, _: grpc.ServicerContext, __: threading.Event) -> Iterator[Any]:
    """Begin an answer, and end without its end."""
    yield base_pb2.ExecutePlanResponse(session_id=request.session_id, response_id="1")


def large(request: Any, _: grpc.ServicerContext, __: threading.Event) -> Iterator[Any]:
    batch = base_pb2.ExecutePlanResponse.ArrowBatch(row_count=1, data=bytes(2**22))
    yield base_pb2.ExecutePlanResponse(session_id=request.session_id, arrow_batch=batch)


def garbage(request: Any, _: grpc.ServicerContext, __: threading.Event) -> Iterator[Any]:
    batch = base_pb2.ExecutePlanResponse.ArrowBatch(row_count=1, data=b"no Arrow")
    yield base_pb2.ExecutePlanResponse(session_id=request.session_id, arrow_batch=batch)
    yield _end_of(request)


def empty(request: Any, _: grpc.ServicerContext, __: threading.Event) -> Iterator[Any]:
    yield _end_of(request)


def _end_of(request: Any) -> Any:
    complete = base_pb2.ExecutePlanResponse.ResultComplete()
    return base_pb2.ExecutePlanResponse(session_id=request.session_id, result_complete=complete)


class Service(base_pb2_grpc.SparkConnectServiceServicer):  # type: ignore[misc]
    """The methods that a client calls."""

    def __init__(self, version: str, on_execute: Step | None, on_any: Step | None) -> None:
        self._version = version
        self._on_execute = on_execute
        self._on_any = on_any
        self.over = threading.Event()
        self.calls = 0

    def _first(self, request: Any, context: Any) -> None:
        self.calls += 1
        if self._on_any is not None:
            for _ in self._on_any(request, context, self.over):
                pass

    def AnalyzePlan(self, request: Any, context: Any) -> Any:
        self._first(request, context)
        version = base_pb2.AnalyzePlanResponse.SparkVersion(version=self._version)
        return base_pb2.AnalyzePlanResponse(session_id=request.session_id, spark_version=version)

    def Config(self, request: Any, context: Any) -> Any:
        self._first(request, context)
        operation = request.operation
        pairs = [base_pb2.KeyValue(key=key, value="false") for key in operation.get.keys]
        pairs += operation.get_with_default.pairs
        return base_pb2.ConfigResponse(session_id=request.session_id, pairs=pairs)

    def ExecutePlan(self, request: Any, context: Any) -> Iterator[Any]:
        self._first(request, context)
        if self._on_execute is not None:
            yield from self._on_execute(request, context, self.over)

    ReattachExecute = ExecutePlan

    def ReleaseExecute(self, request: Any, context: Any) -> Any:
        return base_pb2.ReleaseExecuteResponse(session_id=request.session_id)

    def ReleaseSession(self, request: Any, context: Any) -> Any:
        return base_pb2.ReleaseSessionResponse(session_id=request.session_id)

    def Interrupt(self, request: Any, context: Any) -> Any:
        return base_pb2.InterruptResponse(session_id=request.session_id)


@contextmanager
def faulty_spark(
    *,
    version: str = "4.0.4",
    on_execute: Step | None = None,
    on_any: Step | None = None,
) -> Iterator[tuple[str, Service]]:
    """Yield the address of a server, and what answers there."""
    service = Service(version, on_execute, on_any)
    server = grpc.server(ThreadPoolExecutor(8))
    base_pb2_grpc.add_SparkConnectServiceServicer_to_server(service, server)
    # As the client takes tokens: without TLS from this machine alone.
    port = server.add_secure_port("localhost:0", grpc.local_server_credentials())
    server.start()
    try:
        yield f"sc://localhost:{port}", service
    finally:
        service.over.set()
        server.stop(None).wait()


@contextmanager
def silent_port() -> Iterator[str]:
    """Yield the address of what takes connections, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"sc://127.0.0.1:{listening.getsockname()[1]}"
