"""The requests to BigQuery that the table of faults tries, as entries beside those of other APIs.

What is no list is asked for twice, and the second time is the later one.
"""

import json
import os
from datetime import timedelta
from typing import Any

from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.queries import Jobs, told
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.bigquery.tables import find_tables
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.transport import Transport
from netplan_planner.world.remote_traffic import SCOPE, endpoint_of
from support.flows.records import START
from support.servers.hostile import Answer, Asked, json_answer

Json = dict[str, Any]
PROJECT = "demo-project"
PLACE = Place(project=PROJECT, dataset="logs")
SINK = "compute_googleapis_com_vpc_flows"
SECOND = "second"
"""Of what is asked for twice: the table, location or query of the later time."""


def is_job(asked: Asked) -> bool:
    """Return whether a request begins a job, which costs."""
    return asked.path.endswith("/jobs") and not is_dry_run(asked)


def is_dry_run(asked: Asked) -> bool:
    return b'"dryRun":true' in asked.body


def is_poll(asked: Asked) -> bool:
    return "/queries/" in asked.path


def is_end(asked: Asked) -> bool:
    """Return whether a request asks what became of a job."""
    return "/jobs/" in asked.path and not asked.path.endswith("/cancel")


def is_second(asked: Asked) -> bool:
    return SECOND in asked.path or SECOND in asked.query.values() or SECOND.encode() in asked.body


def job(*, state: str = "DONE", location: str = "EU", **status: Any) -> Json:
    """Return a job as the API tells of it."""
    return {
        "jobReference": {"projectId": PROJECT, "jobId": "told", "location": location},
        "status": {"state": state, **status},
        "statistics": {
            "query": {"totalBytesProcessed": "5", "totalBytesBilled": "7"},
            "sessionInfo": {"sessionId": "s"},
        },
    }


def running(asked: Asked) -> Json:
    """Return a job that has begun, in the location that tells the second of two."""
    return job(state="RUNNING", location=SECOND if is_second(asked) else "EU")


def rows(first: int, token: str, count: int = 4) -> Json:
    """Return two rows of a result of so many."""
    return {
        "jobComplete": True,
        "totalRows": str(count),
        "schema": {"fields": [{"name": "n", "type": "INTEGER", "mode": "NULLABLE"}]},
        "rows": [{"f": [{"v": str(first + n)}]} for n in range(2)],
    } | ({"pageToken": token} if token else {})


def table() -> Json:
    return {
        "schema": {"fields": [{"name": "jsonPayload", "type": "JSON", "mode": "NULLABLE"}]},
        "description": "a table",
        "timePartitioning": {"type": "DAY", "field": "timestamp"},
        "streamingBuffer": {"estimatedRows": "3"},
        "numRows": "5",
        "lastModifiedTime": "1790000000000",
    }


def listed(first: int, token: str) -> Json:
    """Return a page of tables of days."""
    names = [f"{SINK}_{START + timedelta(days=first + n):%Y%m%d}" for n in range(2)]
    tables = [{"tableReference": {"tableId": name}} for name in names]
    return {"tables": tables} | ({"nextPageToken": token} if token else {})


def answers(asked: Asked) -> Answer:
    """Answer as a service does in which all goes well and each job takes a while."""
    if asked.path.endswith("/tables"):
        return json_answer(listed(0, ""))
    if "/tables/" in asked.path:
        return json_answer(table())
    if is_dry_run(asked) or is_end(asked):
        return json_answer(job())
    if is_poll(asked):
        return json_answer(rows(0, "", 2))
    if is_job(asked):
        return json_answer(running(asked))
    return json_answer({"location": "EU"} if "/datasets/" in asked.path else {})


def done_at_once(asked: Asked) -> Answer:
    return json_answer(job()) if is_job(asked) else answers(asked)


def service_of(options: ApiOptions) -> Service:
    """Return the service as the product opens it."""
    endpoint = endpoint_of(options, os.environ)
    return Service(Transport(endpoint, options, scopes=(SCOPE,)), PROJECT)


def read_tables(service: Service) -> int:
    with told(str(PLACE)):
        return len(find_tables(service, PLACE, START, START + timedelta(days=900)).tables)


def read_table(service: Service) -> int:
    with told(str(PLACE)):
        return 2 * len([service.table(PLACE, name) for name in (SINK, SECOND)])


def read_dataset(service: Service) -> int:
    second = Place(project=PROJECT, dataset=SECOND)
    with told(str(PLACE)):
        return 2 * len([service.location(one) for one in (PLACE, second)])


def read_dry_runs(service: Service) -> int:
    jobs = Jobs(service, None, str(PLACE))
    return 2 * len([jobs.dry_run_bytes(f"SELECT '{name}'") for name in ("first", SECOND)])


def read_jobs(service: Service) -> int:
    jobs = Jobs(service, None, str(PLACE))
    return sum(len(page) for name in ("first", SECOND) for page in jobs.run(f"SELECT '{name}'"))


def read_rows(service: Service) -> int:
    jobs = Jobs(service, "EU", str(PLACE))
    return sum(len(page) for page in jobs.run("SELECT 1"))


def query_of(asked: Asked) -> Any:
    """Return the configuration of the query of a job."""
    return json.loads(asked.body)["configuration"]["query"]
