"""Servers of Spark Connect that are broken, silent or something else: a table of their faults.

Each ends within the time limits of the user, as an error in plain words; those of the other APIs
are in `tests/planner/google/test_api_faults.py`.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from netplan_planner.errors import AccessError, NetplanError, UsageError
from netplan_planner.model import Inventory
from netplan_planner.traffic import TrafficOptions
from netplan_planner.traffic.spark.place import SparkPlace
from support.commands.run import run_verbs
from support.projects.one_project import FOLDER
from support.servers.hostile import HostileServer, answer

ABSENT = "Spark's client is not installed here; .ci/sail.sh makes an environment of it"
pytest.importorskip("pyspark.sql.connect", reason=ABSENT)

import grpc  # noqa: E402
from pyspark.sql.connect.client import ChannelBuilder  # noqa: E402

from netplan_planner.traffic.spark import read as spark  # noqa: E402
from support.servers import faulty_spark as server  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

LIMIT_S = 30.0
"""Far more than any of these takes, on a busy machine too."""
TIMEOUT_S, TOTAL_S = 1.0, 2.0
SECRET = "token-that-nobody-may-see"
TOKEN = f"/;token={SECRET}"
Code = grpc.StatusCode


def failure(address: str, folder: Path, **more: float) -> NetplanError:
    """Return how reading flow logs from a server ends, which is no success."""
    limits = {"timeout_s": TIMEOUT_S, "total_s": TOTAL_S, "max_attempts": 2} | more
    place = SparkPlace(remote=address, work=folder.as_uri(), **limits)  # type: ignore[arg-type]
    started = time.monotonic()
    with pytest.raises(NetplanError) as caught:
        spark.read_logs([folder.as_uri()], Inventory(), TrafficOptions(), place=place)
    assert time.monotonic() - started < LIMIT_S
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


STATEMENTS: dict[str, tuple[server.Step, str]] = {
    "gone": (server.abort(Code.UNAVAILABLE, "gone away"), "no longer answers: gone away"),
    "not allowed": (
        server.abort(Code.PERMISSION_DENIED, "no right to read"),
        "refuses (PERMISSION_DENIED): no right to read; check the token",
    ),
    "signed out": (
        server.abort(Code.UNAUTHENTICATED, "expired"),
        "refuses (UNAUTHENTICATED): expired; check the token",
    ),
    "quotes the token": (server.quote_credentials(Code.UNAUTHENTICATED), "Bearer (not shown)"),
    "over its quota": (
        server.abort(Code.RESOURCE_EXHAUSTED, "quota of sessions"),
        "(RESOURCE_EXHAUSTED): quota of sessions; read fewer logs",
    ),
    "too slow by itself": (
        server.abort(Code.DEADLINE_EXCEEDED, "too slow"),
        "the Spark server did not finish within --total-timeout seconds",
    ),
    "silent": (
        server.wait,
        "the Spark server did not finish within --total-timeout seconds",
    ),
    "a stream that is cut": (server.cut, "did not finish within --total-timeout"),
    "a message above the bound": (server.large, "Received message larger than max"),
    "no Arrow": (server.garbage, "the Spark server failed: "),
    "no result": (server.empty, "the answer lacks a part that Spark"),
    "a failure": (server.abort(Code.INTERNAL, "line\x1b[31m one\ntwo"), "failed: "),
    "an unknown call": (server.abort(Code.UNIMPLEMENTED, "no such method"), "no such method"),
}
_NETPLAN_ERRORS = frozenset({"no Arrow", "no result", "a failure", "an unknown call"})


@pytest.mark.parametrize("fault", STATEMENTS)
def test_a_statement_that_fails_ends_the_reading(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = [("grpc.max_receive_message_length", 2**20)]
    monkeypatch.setattr(ChannelBuilder, "GRPC_DEFAULT_OPTIONS", bound)
    step, says = STATEMENTS[fault]
    with server.faulty_spark(on_execute=step) as (address, service):
        error = failure(f"{address}{TOKEN}", tmp_path)
    assert says in str(error)
    assert isinstance(error, AccessError) is (fault not in _NETPLAN_ERRORS)
    assert "\x1b" not in str(error)
    assert service.calls > 1


FIRST_CALLS: dict[str, tuple[server.Step, type[NetplanError], str]] = {
    "gone": (server.abort(Code.UNAVAILABLE, "gone"), UsageError, "no Spark Connect server answers"),
    "not allowed": (
        server.abort(Code.PERMISSION_DENIED, "not you"),
        AccessError,
        "refuses (PERMISSION_DENIED): not you; check the token",
    ),
    "quotes the token": (
        server.quote_credentials(Code.UNAUTHENTICATED),
        AccessError,
        "Bearer (not shown)",
    ),
    "over its quota": (
        server.abort(Code.RESOURCE_EXHAUSTED, "too many sessions"),
        AccessError,
        "too many sessions",
    ),
    "silent": (server.wait, AccessError, "no answer within 1 s (--timeout)"),
    "no Spark": (
        server.abort(Code.UNIMPLEMENTED, "no such service"),
        UsageError,
        "no Spark Connect server answers: no such service. Check",
    ),
}


@pytest.mark.parametrize("fault", FIRST_CALLS)
def test_a_server_that_fails_at_once_is_not_read(fault: str, tmp_path: Path) -> None:
    step, kind, says = FIRST_CALLS[fault]
    with server.faulty_spark(on_any=step) as (address, _):
        error = failure(f"{address}{TOKEN}", tmp_path)
    assert type(error) is kind
    assert says in str(error)
    assert f"--spark-remote {address}: " in str(error)


@pytest.mark.parametrize("version", ["", "x.y", "3.5.1"])
def test_a_version_that_is_none_is_named(version: str, tmp_path: Path) -> None:
    with server.faulty_spark(version=version) as (address, _):
        assert isinstance(failure(address, tmp_path), UsageError)


OTHERS: dict[str, Callable[[], HostileServer]] = {
    "a web page": lambda: HostileServer(lambda _: answer(b"<html>Sign in</html>")),
    "another protocol": lambda: HostileServer(lambda _: b"SSH-2.0-OpenSSH\r\n\r\n"),
    "a reset": lambda: HostileServer(lambda _: None),
}


@pytest.mark.parametrize("end", ["", "/;use_ssl=true"])
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_no_server_of_spark_is_named(other: str, end: str, tmp_path: Path) -> None:
    with OTHERS[other]() as running:
        address = running.url.replace("http://", "sc://")
        error = failure(f"{address}{end}", tmp_path)
    assert f"--spark-remote {address}: no " in str(error)
    assert "use_ssl=true" in str(error)


@pytest.mark.parametrize("end", ["", "/;use_ssl=true", TOKEN])
def test_a_port_that_never_says_a_word_has_the_timeout(end: str, tmp_path: Path) -> None:
    with server.silent_port() as address:
        error = failure(f"{address}{end}", tmp_path)
    assert isinstance(error, AccessError)
    assert f"--spark-remote {address}: no answer within 1 s (--timeout)" in str(error)


def test_tls_is_not_spoken_to_a_server_without(tmp_path: Path) -> None:
    with server.faulty_spark() as (address, _):
        error = failure(f"{address}/;use_ssl=true;token={SECRET}", tmp_path)
    assert f"--spark-remote {address}: no " in str(error)
    assert "Check the address, and whether it needs TLS" in str(error)


def test_the_limits_are_the_commands(tmp_path: Path) -> None:
    inventory = ("audit", "--inventory", str(FOLDER / "gcloud"), "--engine", "spark")
    work = ("--spark-work", tmp_path.as_uri(), "--traffic", (tmp_path / "logs").as_uri())
    limits = ("--timeout", "1", "--total-timeout", "2", "--max-attempts", "2")
    with server.faulty_spark(on_execute=server.wait) as (address, _):
        done = run_verbs(
            arguments=[*inventory, *work, *limits, "--spark-remote", f"{address}{TOKEN}"]
        )
    assert (done.returncode, done.stdout) == (3, "")
    assert "did not finish within --total-timeout" in done.stderr
    assert "Traceback" not in done.stderr
    assert SECRET not in done.stderr
