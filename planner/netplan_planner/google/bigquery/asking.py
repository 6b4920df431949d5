"""Opens BigQuery for a reader: what translates statements is imported here, where it is wanted."""

import os
from collections.abc import Callable, Mapping
from contextlib import closing

from netplan_planner.errors import UsageError
from netplan_planner.google.bigquery import read
from netplan_planner.google.bigquery.place import Place, parse_rollup
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.logs.options import LogOptions
from netplan_planner.google.options import ApiOptions, Endpoint, resolve_beside, resolve_endpoint
from netplan_planner.google.transport import Transport
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import TrafficOptions

INSTALL = "--traffic bigquery://… needs sqlglot: pip install 'gce-netplan[bigquery]'"
BIGQUERY_ENDPOINT = "https://bigquery.googleapis.com/"
BIGQUERY_VARIABLE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_BIGQUERY"
"""gcloud's own variable; its value may leave out `/bigquery/v2/`."""
_VERSION_PATH = "bigquery/v2/"
SCOPE = "https://www.googleapis.com/auth/bigquery"
"""The narrowest one by which queries run; what they may read is told by roles."""

Say = Callable[[str], None]


def read_traffic_in_bigquery(
    place: Place,
    inventory: Inventory,
    options: TrafficOptions,
    log_options: LogOptions,
    api: ApiOptions,
    say: Say,
) -> TrafficMatrix:
    """Return the traffic matrix of the flow logs in a dataset; see `read.read_bigquery`.

    Raises:
        UsageError: If there is no beginning, what translates is not installed, its endpoint is
            none, or
            sums of days cannot answer what is asked.
        NetplanError: What the service refuses, by name.
    """
    if options.since is None:
        raise UsageError(
            f"--traffic {place}: BigQuery bills by what is read: say from when on (--since"
            " 2026-11-01), and until when (--until)"
        )
    rollup = None
    if log_options.rollup is not None:
        rollup = parse_rollup(log_options.rollup, log_options.query_project or place.project)
    try:
        read_bigquery = read.read_bigquery
    except ImportError as exc:
        raise UsageError(INSTALL) from exc
    endpoint = endpoint_of(api, os.environ)
    payer = log_options.query_project or place.project
    with closing(Service(Transport(endpoint, api, scopes=(SCOPE,)), payer)) as service:
        return read_bigquery(
            service,
            place,
            inventory,
            options,
            rollup=rollup,
            max_cost_usd=log_options.max_cost_usd,
            say=say,
        )


def endpoint_of(api: ApiOptions, environment: Mapping[str, str]) -> Endpoint:
    """Return where BigQuery is.

    Raises:
        UsageError: If it is no URL, if credentials would leave the machine unencrypted, or if only
            Compute's endpoint is replaced: its stand-in says nothing of where the logs are.
    """
    found = resolve_beside(
        api,
        resolve_endpoint(api, environment),
        environment,
        variable=BIGQUERY_VARIABLE,
        default=BIGQUERY_ENDPOINT,
        version=_VERSION_PATH,
    )
    if found is None:
        raise UsageError(
            "the Compute API is asked elsewhere than at Google's: say where BigQuery is, too"
            f" ({BIGQUERY_VARIABLE})"
        )
    return found
