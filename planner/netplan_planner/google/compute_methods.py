"""The methods of Google's APIs that netplan calls on projects, all reads, with their permissions.

Aggregated lists of addresses and forwarding rules hold the scope `global` as well, so the global
lists are not asked. The discovery document (revision 20261106) knows `returnPartialSuccess` for
none of these methods, so it is sent to none; a test holds the table to the document.
"""

from collections.abc import Mapping
from typing import NamedTuple

from netplan_planner.readers.compute.kinds import BY_COLLECTION, Kind


class Method(NamedTuple):
    """One list method. `path` is below `projects/{project}/`."""

    id: str
    path: str
    kind: Kind
    permission: str
    is_aggregated: bool
    knows_partial_success: bool = False


def _aggregated(resource: str, collection: str) -> Method:
    return Method(
        id=f"compute.{resource}.aggregatedList",
        path=f"aggregated/{collection}",
        kind=BY_COLLECTION[collection],
        permission=f"compute.{collection}.list",
        is_aggregated=True,
    )


def _global(collection: str) -> Method:
    return Method(
        id=f"compute.{collection}.list",
        path=f"global/{collection}",
        kind=BY_COLLECTION[collection],
        permission=f"compute.{collection}.list",
        is_aggregated=False,
    )


LISTS = (
    _aggregated("instances", "instances"),
    _aggregated("subnetworks", "subnetworks"),
    _aggregated("addresses", "addresses"),
    _aggregated("forwardingRules", "forwardingRules"),
    _aggregated("routers", "routers"),
    _aggregated("vpnTunnels", "vpnTunnels"),
    _aggregated("interconnectAttachments", "interconnectAttachments"),
    _aggregated("instanceGroups", "instanceGroups"),
    _aggregated("instanceGroupManagers", "instanceGroupManagers"),
    _aggregated("regionCommitments", "commitments"),
    _aggregated("disks", "disks"),
    _aggregated("resourcePolicies", "resourcePolicies"),
    _aggregated("nodeGroups", "nodeGroups"),
    _aggregated("nodeTemplates", "nodeTemplates"),
    _global("networks"),
    _global("routes"),
)
"""Instances first: theirs is the longest list, and machine types wait for it."""

MACHINE_TYPE_ID = "compute.machineTypes.get"
MACHINE_TYPE_PERMISSION = "compute.machineTypes.get"

CONFIGURATIONS_ID = "networkmanagement.projects.locations.vpcFlowLogsConfigs.list"
CONFIGURATIONS_PERMISSION = "networkmanagement.vpcflowlogsconfigs.list"
"""Of the Network Management API, which is read beside Compute's."""

HUBS_ID = "networkconnectivity.projects.locations.global.hubs.list"
SPOKES_ID = "networkconnectivity.projects.locations.spokes.list"
"""Of the Network Connectivity API, likewise."""

PROJECT_ID = "compute.projects.get"
PROJECT_PERMISSION = "compute.projects.get"
"""Asked of projects where an external address names no network tier."""

MEMBERS_ID = "compute.instanceGroups.listInstances"
MEMBERS_PERMISSION = "compute.instanceGroups.list"

SERIES_ID = "monitoring.projects.timeSeries.list"
SERIES_PERMISSION = "monitoring.timeSeries.list"

ENTRIES_ID = "logging.entries.list"
ENTRIES_PERMISSION = "logging.logEntries.list"
PRIVATE_ENTRIES_PERMISSION = "logging.privateLogEntries.list"
"""Where somebody put the flow logs into a private view, which is for Data Access logs. Nothing that
can be asked tells of that, so it is no part of the role: a refusal names it."""

ASSETS_ID = "cloudasset.assets.list"
ASSETS_PERMISSION = "cloudasset.assets.listResource"

TYPES_ID = "compute.machineTypes.aggregatedList"
TYPES_PERMISSION = "compute.machineTypes.list"
"""For new prices alone (`netplan prices refresh`)."""
CATALOG_ID = "cloudbilling.services.skus.list"
"""It takes a key, or credentials of any project, and no permission."""


class QueryMethod(NamedTuple):
    """A method of BigQuery; `path` is below the version."""

    id: str
    path: str
    permission: str


_JOBS = "projects/{project}/jobs"
_TABLES = "projects/{project}/datasets/{dataset}/tables"
DATASET_GET = QueryMethod(
    "bigquery.datasets.get", "projects/{project}/datasets/{dataset}", "bigquery.datasets.get"
)
TABLE_LIST = QueryMethod("bigquery.tables.list", _TABLES, "bigquery.tables.list")
TABLE_GET = QueryMethod("bigquery.tables.get", f"{_TABLES}/{{table}}", "bigquery.tables.get")
JOB_INSERT = QueryMethod("bigquery.jobs.insert", _JOBS, "bigquery.jobs.create")
JOB_GET = QueryMethod("bigquery.jobs.get", f"{_JOBS}/{{job}}", "bigquery.jobs.create")
JOB_RESULTS = QueryMethod(
    "bigquery.jobs.getQueryResults", "projects/{project}/queries/{job}", "bigquery.jobs.create"
)
JOB_CANCEL = QueryMethod("bigquery.jobs.cancel", f"{_JOBS}/{{job}}/cancel", "bigquery.jobs.create")
QUERY_METHODS = (
    DATASET_GET,
    TABLE_LIST,
    TABLE_GET,
    JOB_INSERT,
    JOB_GET,
    JOB_RESULTS,
    JOB_CANCEL,
)
"""All that is asked of BigQuery. They are not of the role that reads projects: who reads logs there
has roles of BigQuery, as jobs are paid for."""

METHODS: Mapping[str, tuple[str, ...]] = {
    **{one.id: (one.permission,) for one in LISTS},
    MACHINE_TYPE_ID: (MACHINE_TYPE_PERMISSION,),
    PROJECT_ID: (PROJECT_PERMISSION,),
    MEMBERS_ID: (MEMBERS_PERMISSION,),
    CONFIGURATIONS_ID: (CONFIGURATIONS_PERMISSION,),
    HUBS_ID: ("networkconnectivity.hubs.list",),
    SPOKES_ID: ("networkconnectivity.spokes.list",),
    SERIES_ID: (SERIES_PERMISSION,),
    ENTRIES_ID: (ENTRIES_PERMISSION,),
    ASSETS_ID: (ASSETS_PERMISSION,),
    TYPES_ID: (TYPES_PERMISSION,),
    CATALOG_ID: (),
}
"""Every method that netplan asks, and what it may need."""

PERMISSIONS = tuple(sorted({one for needed in METHODS.values() for one in needed}))
"""All that netplan needs: the least-privilege role of `netplan doctor`."""
