"""The APIs that the table of faults tries, each as one small entry.

An entry says how a page of its list looks, by what it is read, and what came of that. A new API is
one more entry in `APIS`; `tests/planner/google/test_api_faults.py` does the rest.
"""

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from netplan_planner.errors import NetplanError
from netplan_planner.google import assets, monitoring
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.compute import read_projects
from netplan_planner.google.logs.options import LOGGING_VARIABLE, LogOptions
from netplan_planner.google.logs.read import read_flow_logs
from netplan_planner.google.metrics_window import MetricsWindow
from netplan_planner.google.options import (
    ENDPOINT_VARIABLE,
    ApiOptions,
    resolve_other_endpoint,
)
from netplan_planner.google.other_apis import NETWORK_CONNECTIVITY, NETWORK_MANAGEMENT
from netplan_planner.google.paging import (
    CATALOG_ENDPOINT,
    SavedPages,
    catalog_list,
    catalog_transport,
)
from netplan_planner.model import Inventory, Metric, Unread
from netplan_planner.readers.compute.kinds import FLOW_LOGS_CONFIGURATION, HUB, SPOKE
from netplan_planner.readers.time_series.gathering import Gathering
from netplan_planner.world.remote_traffic import BIGQUERY_VARIABLE
from netplan_pricing.catalogue.sku import NETWORKING
from support.flows.records import START as FLOWS_START
from support.flows.records import entry
from support.metrics.series import START, time_series
from support.prices.skus import sku
from support.projects import one_project
from support.servers import tried_bigquery
from support.servers.hostile import Answer, Asked, json_answer

Json = dict[str, Any]
PROJECT = one_project.PROJECT
PER_PAGE = 2
"""Things on each page of the tried list."""


class Reading(NamedTuple):
    """What came of reading a list."""

    kept: int
    """How many things of it stay."""
    told: str
    """Why it is incomplete; empty: it is said to be complete."""


def is_later(asked: Asked) -> bool:
    """Return whether a request is for a later page of a list."""
    token = asked.query.get("pageToken")
    if token is None and asked.body:
        token = json.loads(asked.body).get("pageToken")
    return bool(token)


def at(*places: str) -> list[tuple[str | int, ...]]:
    """Return places in a page, each written as its members with dots between, blanks apart."""
    parts = (place.split(".") for text in places for place in text.split())
    return [tuple(int(part) if part.isdigit() else part for part in one) for one in parts]


@dataclass(frozen=True)
class Api:
    """One list of an API, which has two pages where nothing is wrong."""

    name: str
    variable: str
    """Of the environment: where the API is."""
    is_asked: Callable[[Asked], bool]
    """Whether a request is one for this list."""
    page: Callable[[int, str], Json]
    """A page: the number of its first thing, and the token of the next page, empty on the last."""
    read: Callable[[str, ApiOptions, Path], Reading]
    """Reads the list at an address; the folder is the reader's own. A `NetplanError` may come."""
    members: Sequence[tuple[str | int, ...]]
    """Where in a page stands what is read of it, and has a type."""
    others: Callable[[Asked], Answer] = lambda _: json_answer({})
    """Answers to requests for anything else."""
    missing: str = "does not exist"
    """What is said of status 404; empty where that is the answer of a list without content."""
    keeps: bool = True
    """Whether the pages before a fault are of use: else it is an error of the whole list."""
    raises: bool = True
    """Whether a list of which nothing was read is an error; else it is noted, as one of many."""
    token: str = "nextPageToken"
    """The member of a page that names the next one; empty where there is no list."""
    may_be_empty: bool = True
    """Whether an object without members is an answer."""
    always: tuple[tuple[str, object], ...] = ()
    """Members that a page without content has too."""
    is_later: Callable[[Asked], bool] = is_later
    """Whether a request is for a later page."""

    def answer(self, asked: Asked) -> Answer:
        """Return what a good server answers."""
        if not self.is_asked(asked):
            return self.others(asked)
        if self.is_later(asked):
            return json_answer(self.page(PER_PAGE, ""))
        return json_answer(self.page(0, "second"))


def told(unread: Sequence[Unread]) -> str:
    return "; ".join(
        " ".join(filter(None, (one.source, one.field, one.reason)))
        for one in unread
        if not one.is_needless
    )


def _of_inventory(inventory: Inventory, kept: int) -> Reading:
    errors = [text for project in inventory.projects for text in project.errors]
    return Reading(kept, "; ".join(filter(None, [*errors, told(inventory.unread)])))


def _of_project(held: Callable[[Inventory], Sequence[object]]) -> Callable[..., Reading]:
    """Return what reads a project, and counts what it holds."""

    def read(url: str, options: ApiOptions, folder: Path) -> Reading:
        inventory = read_projects([PROJECT], options)
        return _of_inventory(inventory, len(held(inventory)))

    return read


def _next(token: str) -> Json:
    return {"nextPageToken": token} if token else {}


ZONE = "zones/z-a-a"
_MACHINE = one_project.resources()["instances"][0]
_GROUP: Json = {
    "kind": "compute#instanceGroup",
    "name": "g",
    "selfLink": f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/{ZONE}/instanceGroups/g",
    "zone": f"projects/{PROJECT}/{ZONE}",
    "size": 4,
}


def _machine(number: int) -> Json:
    link = _MACHINE["selfLink"].rpartition("/")[0]
    return {**_MACHINE, "name": f"vm-{number}", "selfLink": f"{link}/vm-{number}"}


def _machines(first: int, token: str) -> Json:
    listed = [_machine(first + n) for n in range(PER_PAGE)]
    return {"items": {ZONE: {"instances": listed}}} | _next(token)


def _machine_types(asked: Asked) -> Answer:
    if "/zones/" in asked.path:
        return json_answer(one_project.resources()["machineTypes"][0] | {"name": asked.collection})
    return json_answer({})


def _members(first: int, token: str) -> Json:
    items = [{"instance": _machine(first + n)["selfLink"]} for n in range(PER_PAGE)]
    return {"items": items} | _next(token)


def _group(asked: Asked) -> Answer:
    listed = {"items": {ZONE: {"instanceGroups": [_GROUP]}}}
    return json_answer(listed if asked.collection == "instanceGroups" else {})


def _configurations(first: int, token: str) -> Json:
    path = f"projects/{PROJECT}/locations/global/vpcFlowLogsConfigs"
    listed = [{"name": f"{path}/c{first + n}", "state": "ENABLED"} for n in range(PER_PAGE)]
    return {"vpcFlowLogsConfigs": listed} | _next(token)


def _hubs(first: int, token: str) -> Json:
    path = f"projects/{PROJECT}/locations/global/hubs"
    listed = [
        {"name": f"{path}/h{first + n}", "presetTopology": "MESH", "state": "ACTIVE"}
        for n in range(PER_PAGE)
    ]
    return {"hubs": listed} | _next(token)


def _spokes(first: int, token: str) -> Json:
    hub = f"projects/{PROJECT}/locations/global/hubs/h"
    listed = [
        {
            "name": f"projects/{PROJECT}/locations/global/spokes/s{first + n}",
            "hub": hub,
            "group": f"{hub}/groups/default",
            "state": "ACTIVE",
            "linkedVpcNetwork": {"uri": f"projects/{PROJECT}/global/networks/n{first + n}"},
        }
        for n in range(PER_PAGE)
    ]
    return {"spokes": listed} | _next(token)


def _assets(first: int, token: str) -> Json:
    listed = [_asset(_machine(first + n)) for n in range(PER_PAGE)]
    return {"assets": listed} | _next(token)


def _asset(machine: Json) -> Json:
    name = f"//compute.googleapis.com/{machine['selfLink'].partition('/v1/')[2]}"
    kind = "compute.googleapis.com/Instance"
    return {"name": name, "assetType": kind, "resource": {"data": machine}}


def _read_assets(url: str, options: ApiOptions, folder: Path) -> Reading:
    inventory = assets.read_assets(["organizations/1"], options)
    return _of_inventory(inventory, len(inventory.instances))


def _series(first: int, token: str) -> Json:
    def one(number: int) -> Json:
        resource = {"subnetwork_id": str(number)}
        return time_series(Metric.PREDICTED_LOGS.value, [60.0], resource=resource)

    return {"timeSeries": [one(first + n) for n in range(PER_PAGE)]} | _next(token)


def _read_series(url: str, options: ApiOptions, folder: Path) -> Reading:
    window = MetricsWindow(start=START, end=START + timedelta(hours=1))
    found = monitoring.gather_predicted_logs([PROJECT], options, window) or Gathering()
    return Reading(found.series_count, told([*found.unread, *found.cut_lists()]))


def _entries(first: int, token: str) -> Json:
    listed = [entry("10.0.0.1", "10.0.0.2", 9, insert_id=f"f{first + n}") for n in range(PER_PAGE)]
    return {"entries": listed} | _next(token)


def _read_entries(url: str, options: ApiOptions, folder: Path) -> Reading:
    asked = LogOptions(requests_per_minute=6000, folder=folder)
    since = FLOWS_START
    with read_flow_logs(
        [PROJECT], options, asked, since=since, until=since + timedelta(hours=2)
    ) as logs:
        lines = [gzip.decompress(path.read_bytes()).count(b"\n") for path in logs.files]
        return Reading(sum(lines), "; ".join(logs.incomplete))


def _skus(first: int, token: str) -> Json:
    listed = [sku(f"Egress {first + n}", "Egress", sku_id=f"S{first + n}") for n in range(PER_PAGE)]
    return {"skus": listed, "nextPageToken": token}


def _read_skus(url: str, options: ApiOptions, folder: Path) -> Reading:
    place = resolve_other_endpoint(
        ApiOptions(endpoint=url, is_anonymous=options.is_anonymous), {}, CATALOG_ENDPOINT
    )
    transport = catalog_transport(place, options, None)
    pages = SavedPages(folder, "tried")
    try:
        files = pages.read(catalog_list(NETWORKING, "networking", "USD"), transport, lambda _: None)
    finally:
        transport.close()
    return Reading(len(files) * PER_PAGE, "")


def _bigquery(work: Callable[[Service], int]) -> Callable[[str, ApiOptions, Path], Reading]:
    def read(url: str, options: ApiOptions, folder: Path) -> Reading:
        with closing(tried_bigquery.service_of(options)) as service:
            return Reading(work(service), "")

    return read


def _once(
    name: str,
    is_asked: Callable[[Asked], bool],
    good: Json,
    work: Callable[[Service], int],
    members: Sequence[tuple[str | int, ...]],
) -> Api:
    """Return a request to BigQuery that asks for no list: it is made twice."""
    return Api(
        name=f"bigquery {name}",
        variable=BIGQUERY_VARIABLE,
        is_asked=is_asked,
        page=lambda first, token: good,
        others=tried_bigquery.answers,
        read=_bigquery(work),
        members=members,
        missing="not found",
        keeps=False,
        token="",
        may_be_empty=False,
        is_later=tried_bigquery.is_second,
    )


APIS = (
    Api(
        name="compute",
        variable=ENDPOINT_VARIABLE,
        is_asked=lambda asked: asked.collection == "instances",
        page=_machines,
        others=_machine_types,
        read=_of_project(lambda found: found.instances),
        members=at(
            f"nextPageToken warning unreachables unreachables.0 items items.{ZONE}",
            f"items.{ZONE}.warning items.{ZONE}.instances items.{ZONE}.instances.0",
            f"items.{ZONE}.instances.0.networkInterfaces",
            f"items.{ZONE}.instances.0.machineType",
        ),
    ),
    Api(
        name="members of groups",
        variable=ENDPOINT_VARIABLE,
        is_asked=lambda asked: asked.collection == "listInstances",
        page=_members,
        others=_group,
        read=_of_project(lambda found: found.instance_groups[0].members),
        members=at("nextPageToken items items.0 items.0.instance"),
        missing="no group g",
        raises=False,
    ),
    Api(
        name="network management",
        variable=NETWORK_MANAGEMENT.variable,
        is_asked=lambda asked: asked.collection == FLOW_LOGS_CONFIGURATION.collection,
        page=_configurations,
        read=_of_project(lambda found: found.flow_log_configurations),
        members=at(
            "nextPageToken unreachable unreachable.0 vpcFlowLogsConfigs",
            "vpcFlowLogsConfigs.0 vpcFlowLogsConfigs.0.name vpcFlowLogsConfigs.0.state",
        ),
        raises=False,
    ),
    Api(
        name="hubs",
        variable=NETWORK_CONNECTIVITY.variable,
        is_asked=lambda asked: asked.collection == HUB.collection,
        page=_hubs,
        read=_of_project(lambda found: found.hubs),
        members=at(
            "nextPageToken unreachable unreachable.0 hubs hubs.0 hubs.0.name",
            "hubs.0.presetTopology",
        ),
        raises=False,
    ),
    Api(
        name="spokes",
        variable=NETWORK_CONNECTIVITY.variable,
        is_asked=lambda asked: asked.collection == SPOKE.collection,
        page=_spokes,
        read=_of_project(lambda found: found.spokes),
        members=at(
            "nextPageToken unreachable unreachable.0 spokes spokes.0 spokes.0.name",
            "spokes.0.hub spokes.0.linkedVpcNetwork",
        ),
        raises=False,
    ),
    Api(
        name="cloud asset",
        variable=assets.ASSETS_VARIABLE,
        is_asked=lambda asked: "compute" in asked.query.get("assetTypes", ""),
        page=_assets,
        read=_read_assets,
        members=at(
            "nextPageToken assets assets.0 assets.0.assetType assets.0.resource",
            "assets.0.resource.data assets.0.resource.data.networkInterfaces",
        ),
        missing="no organizations/1",
    ),
    Api(
        name="monitoring",
        variable=monitoring.MONITORING_VARIABLE,
        is_asked=lambda asked: True,
        page=_series,
        read=_read_series,
        members=at(
            "nextPageToken executionErrors unreachable timeSeries timeSeries.0",
            "timeSeries.0.metric timeSeries.0.metric.type timeSeries.0.resource",
            "timeSeries.0.points timeSeries.0.points.0 timeSeries.0.points.0.value",
        ),
        missing="",
        raises=False,
    ),
    Api(
        name="logging",
        variable=LOGGING_VARIABLE,
        is_asked=lambda asked: True,
        page=_entries,
        read=_read_entries,
        members=at("nextPageToken entries entries.0"),
    ),
    Api(
        name="price catalogue",
        variable="",
        is_asked=lambda asked: True,
        page=_skus,
        read=_read_skus,
        members=at("nextPageToken skus skus.0"),
        missing="no service",
        keeps=False,
    ),
    Api(
        name="bigquery tables",
        variable=BIGQUERY_VARIABLE,
        is_asked=lambda asked: asked.path.endswith("/tables"),
        page=tried_bigquery.listed,
        others=tried_bigquery.answers,
        read=_bigquery(tried_bigquery.read_tables),
        members=at(
            "nextPageToken tables tables.0 tables.0.tableReference",
            "tables.0.tableReference.tableId",
        ),
        missing="not found",
        keeps=False,
    ),
    Api(
        name="bigquery rows",
        variable=BIGQUERY_VARIABLE,
        is_asked=tried_bigquery.is_poll,
        page=tried_bigquery.rows,
        others=tried_bigquery.done_at_once,
        read=_bigquery(tried_bigquery.read_rows),
        members=at(
            "jobComplete totalRows schema schema.fields schema.fields.0",
            "schema.fields.0.type rows rows.0 rows.0.f rows.0.f.0 rows.0.f.0.v",
        ),
        missing="not found",
        keeps=False,
        token="pageToken",
        may_be_empty=False,
        always=(("jobComplete", True),),
    ),
    _once(
        "dataset",
        lambda asked: "/datasets/" in asked.path and "/tables" not in asked.path,
        {"location": "EU"},
        tried_bigquery.read_dataset,
        at("location"),
    ),
    _once(
        "table",
        lambda asked: "/tables/" in asked.path,
        tried_bigquery.table(),
        tried_bigquery.read_table,
        at(
            "schema schema.fields schema.fields.0 schema.fields.0.name schema.fields.0.type",
            "schema.fields.0.mode description timePartitioning timePartitioning.type",
            "timePartitioning.field streamingBuffer streamingBuffer.estimatedRows numRows",
            "lastModifiedTime",
        ),
    ),
    _once(
        "dry run",
        tried_bigquery.is_dry_run,
        tried_bigquery.job(),
        tried_bigquery.read_dry_runs,
        at("statistics statistics.query statistics.query.totalBytesProcessed"),
    ),
    _once(
        "job",
        tried_bigquery.is_job,
        tried_bigquery.job(state="RUNNING"),
        tried_bigquery.read_jobs,
        at("jobReference jobReference.location status status.state"),
    ),
    _once(
        "poll",
        tried_bigquery.is_poll,
        tried_bigquery.rows(0, "", 2),
        tried_bigquery.read_jobs,
        at("jobComplete totalRows rows"),
    ),
    _once(
        "end of a job",
        tried_bigquery.is_end,
        tried_bigquery.job(),
        tried_bigquery.read_jobs,
        at(
            "status status.state statistics statistics.query",
            "statistics.query.totalBytesBilled statistics.sessionInfo",
            "statistics.sessionInfo.sessionId",
        ),
    ),
)
BY_NAME: Mapping[str, Api] = {api.name: api for api in APIS}


def reading_of(api: Api, url: str, options: ApiOptions, folder: Path) -> tuple[Reading, bool]:
    """Return what came of a list, an error among it, and whether it is one."""
    try:
        return api.read(url, options, folder), False
    except NetplanError as exc:
        return Reading(0, str(exc)), True
