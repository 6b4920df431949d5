"""A job of BigQuery is begun once, run again where that helps, and cancelled when nobody waits."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from netplan_planner.errors import AccessError, InputError, NetplanError, UsageError
from netplan_planner.google import credentials
from netplan_planner.google.bigquery.queries import Jobs
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.compute_methods import QUERY_METHODS
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.transport import Transport
from support.servers.bigquery import service_at
from support.servers.discovery import discovery
from support.servers.hostile import Answer, Asked, HostileServer, answer, json_answer, trickle
from support.servers.tried_bigquery import (
    PLACE,
    PROJECT,
    answers,
    done_at_once,
    is_end,
    is_job,
    is_poll,
    job,
    query_of,
    rows,
)

TOKEN = "ya29.token-that-nobody-may-see"
HASTE: dict[str, Any] = {
    "backoff_initial_s": 0.001,
    "backoff_max_s": 0.002,
    "max_attempts": 3,
    "timeout_s": 1.0,
}
QUERY = "SELECT 1"


@contextmanager
def asking(
    made: Callable[[Asked], Answer], **options: Any
) -> Iterator[tuple[Jobs, Service, HostileServer]]:
    with HostileServer(made) as server:
        service = service_at(server.url, **(HASTE | options))
        yield Jobs(service, "EU", str(PLACE)), service, server
        service.close()


def begun(server: HostileServer) -> list[str]:
    """Return the ids of the jobs that were asked for."""
    return [json.loads(a.body)["jobReference"]["jobId"] for a in server.asked if is_job(a)]


def cancelled(server: HostileServer) -> list[str]:
    return [a.path.split("/")[-2] for a in server.asked if a.path.endswith("/cancel")]


def test_a_job_that_is_asked_for_twice_is_begun_once() -> None:
    """The connection breaks after the service has taken the job; the second try finds it."""

    def made(asked: Asked) -> Answer:
        if not is_job(asked):
            return answers(asked)
        if asked.number == 1:
            return None
        told = {"error": {"code": 409, "message": "Already Exists", "errors": []}}
        return json_answer(told, status=409)

    with asking(made) as (jobs, service, server):
        assert list(jobs.run(QUERY)) == [[(0,), (1,)]]
        first, second = begun(server)
        assert first == second
        assert [a.collection for a in server.asked if is_end(a)] == [first]
        assert jobs.bytes_billed == 7
        assert not service.has_cancelled


def test_a_job_that_does_not_say_what_is_billed_is_not_free() -> None:
    told = job()
    del told["statistics"]["query"]["totalBytesBilled"]

    def made(asked: Asked) -> Answer:
        return json_answer(told) if is_end(asked) else answers(asked)

    with asking(made) as (jobs, _, _):
        assert list(jobs.run(QUERY)) == [[(0,), (1,)]]
        assert (jobs.bytes_billed, jobs.unstated_count) == (0, 1)


def test_an_error_in_one_text_is_shown() -> None:
    def made(asked: Asked) -> Answer:
        return json_answer({"error": "the proxy says no"}, status=400 if is_job(asked) else 200)

    with asking(made) as (jobs, _, _), pytest.raises(NetplanError, match="the proxy says no"):
        jobs.run(QUERY)


@pytest.mark.parametrize("reason", ["backendError", "jobRateLimitExceeded", "rateLimitExceeded"])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_job_that_fails_by_what_passes_is_run_again(reason: str, at_once: bool) -> None:
    failed = job(errorResult={"reason": reason, "message": "made by the test"})
    count = {"failed": 0}

    def made(asked: Asked) -> Answer:
        fails = is_job(asked) if at_once else is_end(asked)
        if fails and count["failed"] < 2:
            count["failed"] += 1
            return json_answer(failed)
        return answers(asked)

    with asking(made) as (jobs, _, server):
        assert list(jobs.run(QUERY)) == [[(0,), (1,)]]
        assert len(set(begun(server))) == 3
        assert jobs.bytes_billed == 7, "a job that fails is not billed"
        assert cancelled(server) == []


def failing(reason: str) -> Callable[[Asked], Answer]:
    """Return a service whose jobs fail; as in Google's, the poll is refused with the error."""
    error = {"reason": reason, "message": f"made by the test, {TOKEN}"}

    def made(asked: Asked) -> Answer:
        if is_poll(asked):
            told = {"code": 400, "message": error["message"], "errors": [error]}
            return json_answer({"error": told}, status=400)
        return json_answer(job(errorResult=error)) if is_end(asked) else answers(asked)

    return made


@pytest.mark.parametrize(
    ("reason", "kind", "says", "count"),
    [
        (
            "backendError",
            AccessError,
            "BigQuery returned no usable answer.*after 3 attempts.*later",
            3,
        ),
        ("rateLimitExceeded", NetplanError, "a quota of BigQuery.*wait", 3),
        ("quotaExceeded", NetplanError, "a quota of BigQuery.*wait", 1),
        ("accessDenied", AccessError, "not permitted.*roles/bigquery.jobUser", 1),
        ("notFound", InputError, "not found.*another location", 1),
        ("bytesBilledLimitExceeded", UsageError, "more than --max-cost allows.*none", 1),
        ("invalidQuery", NetplanError, "BigQuery refused a request", 1),
    ],
)
def test_a_job_that_fails_for_good_says_why(
    reason: str, kind: type[Exception], says: str, count: int
) -> None:
    with asking(failing(reason)) as (jobs, service, server):
        with pytest.raises(kind, match=says) as raised:
            jobs.run(QUERY)
        assert type(raised.value) is kind
        assert str(raised.value).startswith(str(PLACE))
        assert len(begun(server)) == count
        assert cancelled(server) == []
        assert not service.has_cancelled


def test_a_failed_job_that_quotes_the_token_does_not_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer that tells of it is none of an error: its status is 200."""
    from google.oauth2.credentials import Credentials

    held = Credentials(token=TOKEN)  # type: ignore[no-untyped-call]
    monkeypatch.setattr(credentials, "default_credentials", lambda scopes: held)
    with HostileServer(failing("invalidQuery")) as server:
        transport = Transport(
            service_endpoint(server.url), ApiOptions(**HASTE), scopes=("bigquery",)
        )
        service = Service(transport, PROJECT)
        with pytest.raises(NetplanError, match="made by the test") as raised:
            Jobs(service, "EU", str(PLACE)).run(QUERY)
        service.close()
    assert server.asked[0].headers["authorization"] == f"Bearer {TOKEN}"
    error: BaseException | None = raised.value
    while error is not None:
        assert TOKEN not in repr(error)
        error = error.__cause__ or error.__context__


def service_endpoint(url: str) -> Any:
    from netplan_planner.world.remote_traffic import BIGQUERY_VARIABLE, endpoint_of

    return endpoint_of(ApiOptions(), {BIGQUERY_VARIABLE: url})


def test_a_job_that_does_not_end_has_its_time_and_is_cancelled() -> None:
    def made(asked: Asked) -> Answer:
        return json_answer({"jobComplete": False}) if is_poll(asked) else answers(asked)

    with asking(made, total_s=0.5) as (jobs, service, server):
        with pytest.raises(AccessError, match=r"--total-timeout.*have passed"):
            jobs.run(QUERY)
        assert cancelled(server) == begun(server)
        assert service.has_cancelled
        polls = [a for a in server.asked if is_poll(a)]
        assert 1 <= len(polls) <= 4, "between two polls there is a pause"
        assert {a.query["timeoutMs"] for a in polls} == {"500"}, "below --timeout"


CANCELS: dict[str, Answer | Callable[[], Answer]] = {
    "done": json_answer({"job": job()}),
    "refused": json_answer({}, status=403),
    "unavailable": answer(b"", status=503, headers={"Retry-After": "9999"}),
    "web page": answer(b"<!DOCTYPE html>"),
    "redirect": answer(b"", status=307, headers={"Location": "http://127.0.0.1:9/"}),
    "reset": None,
    "silent": [60.0],
    "drips": lambda: trickle(b"HTTP/1.1 200 Made\r\n" * 99, pause_s=0.02),
}


@pytest.mark.parametrize("fault", CANCELS)
def test_an_interrupt_cancels_the_job_whatever_becomes_of_that(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Transport, wait_s: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Transport, "pause", interrupted)

    def made(asked: Asked) -> Answer:
        if asked.path.endswith("/cancel"):
            found = CANCELS[fault]
            return found() if callable(found) else found
        return json_answer({"jobComplete": False}) if is_poll(asked) else answers(asked)

    with asking(made, timeout_s=0.1) as (jobs, service, server):
        with pytest.raises(KeyboardInterrupt):
            jobs.run(QUERY)
        assert set(cancelled(server)) == set(begun(server))
        assert len(cancelled(server)) <= HASTE["max_attempts"]
        assert service.has_cancelled


def test_a_job_that_was_never_begun_is_none_that_may_be_billed() -> None:
    """Each try to begin it breaks off: it may be there, which the service tells."""

    def made(asked: Asked) -> Answer:
        if asked.path.endswith("/cancel"):
            return json_answer({}, status=404)
        return None if is_job(asked) else answers(asked)

    with asking(made) as (jobs, service, server):
        service.location(PLACE)
        with pytest.raises(AccessError, match="the connection was interrupted"):
            jobs.run(QUERY)
        assert set(cancelled(server)) == set(begun(server))
        assert not service.has_cancelled


def test_one_bound_is_of_all_jobs_together() -> None:
    with asking(answers) as (_, service, server):
        jobs = Jobs(service, "EU", str(PLACE), most_bytes=100)
        jobs.run(QUERY)
        jobs.run(QUERY)
    bounds = [query_of(a)["maximumBytesBilled"] for a in server.asked if is_job(a)]
    assert bounds == ["100", "93"], "what is billed is off what may be billed"


def test_rows_that_do_not_come_are_missed() -> None:
    def made(asked: Asked) -> Answer:
        return json_answer(rows(0, "", 3)) if is_poll(asked) else done_at_once(asked)

    with asking(made) as (jobs, _, _), pytest.raises(AccessError, match="2 rows came of 3"):
        list(jobs.run(QUERY))


@pytest.mark.parametrize("kind", ["GEOGRAPHY", "INTEGER"])
def test_values_of_other_types_than_the_column_are_no_rows(kind: str) -> None:
    page = rows(0, "", 2)
    page["schema"]["fields"][0]["type"] = kind
    page["rows"][0]["f"][0]["v"] = "x"

    def made(asked: Asked) -> Answer:
        return json_answer(page) if is_poll(asked) else done_at_once(asked)

    with asking(made) as (jobs, _, _), pytest.raises(AccessError, match="types of its columns"):
        list(jobs.run(QUERY))


def test_what_is_asked_is_as_google_describes_it() -> None:
    """Paths, parameters and bodies, by the discovery document; and no method but the table's."""
    api = discovery("bigquery", "v2")
    given = {"name": "n", "parameterType": {"type": "INT64"}, "parameterValue": {"value": "1"}}
    with asking(answers) as (jobs, service, server):
        service.location(PLACE)
        service.tables(PLACE)
        service.table(PLACE, "t")
        jobs.dry_run_bytes(QUERY)
        jobs.run(QUERY, [given])
        jobs.close()
        service._cancel("netplan_1", "EU")
    found = set()
    for asked in server.asked:
        verb = "POST" if asked.body else "GET"
        described = api.find(verb, asked.path)
        assert described is not None, asked.path
        method, _ = described
        found.add(method.id)
        assert api.check_query(method, set(asked.query)) == []
        if method.id == "bigquery.jobs.insert":
            assert api.check_body("Job", json.loads(asked.body)) == []
    assert found == {one.id for one in QUERY_METHODS}
    sessions = [query_of(a) for a in server.asked if is_job(a)]
    assert [one.get("createSession") for one in sessions] == [True, None]
    assert sessions[1]["connectionProperties"] == [{"key": "session_id", "value": "s"}]
    assert {one["useLegacySql"] for one in sessions} == {False}
