"""The flow logs of a request that lie elsewhere: in Cloud Logging, BigQuery, or beside Spark."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path, PurePath

from msgspec.structs import replace

from netplan_planner.errors import EmptyError, UsageError
from netplan_planner.google.bigquery import read as bigquery_read
from netplan_planner.google.bigquery.place import Place, is_place, parse_place, parse_rollup
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.logs.options import CLOUD_LOGGING, LogOptions
from netplan_planner.google.logs.read import LogsRead, read_flow_logs
from netplan_planner.google.options import ApiOptions, Endpoint, resolve_beside
from netplan_planner.google.transport import Transport
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.traffic import TrafficOptions, read_pod_traffic, read_traffic
from netplan_planner.traffic.spark import read as spark_read
from netplan_planner.traffic.spark.place import (
    SparkPlace,
    place_of,
    refuse_without_server,
    server_paths,
)
from netplan_planner.world.request import InputRequest

# Opens BigQuery


_INSTALL_FOR_BIGQUERY = "--traffic bigquery://… needs sqlglot: pip install 'gce-netplan[bigquery]'"
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
            f"--traffic {place}: BigQuery bills by bytes read. Give the window (--since"
            " 2026-11-01, and --until)"
        )
    rollup = None
    if log_options.rollup is not None:
        rollup = parse_rollup(log_options.rollup, log_options.query_project or place.project)
    try:
        read_bigquery = bigquery_read.read_bigquery
    except ImportError as exc:
        raise UsageError(_INSTALL_FOR_BIGQUERY) from exc
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
        environment,
        variable=BIGQUERY_VARIABLE,
        default=BIGQUERY_ENDPOINT,
        version=_VERSION_PATH,
    )
    if found is None:
        raise UsageError(
            "the Compute API endpoint is replaced: set the endpoint of BigQuery, too"
            f" ({BIGQUERY_VARIABLE})"
        )
    return found


# Opens a Spark server


_INSTALL_FOR_SPARK = (
    "--engine spark needs Spark's client and sqlglot: pip install 'gce-netplan[spark]'"
)


def read_traffic_on_spark(
    place: SparkPlace,
    paths: Sequence[PurePath],
    inventory: Inventory,
    options: TrafficOptions,
    say: Say,
) -> TrafficMatrix:
    """Return the traffic matrix of flow logs that a server reads; see `spark.read_logs`.

    Raises:
        UsageError: If a path is none of a server, the client is not installed, or the server does
            not answer.
        NetplanError: What the server refuses.
    """
    wanted = server_paths(paths)
    # Else its library writes lines of its own to standard error, about each failure.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        read_logs = spark_read.read_logs
    except ImportError as exc:
        raise UsageError(_INSTALL_FOR_SPARK) from exc
    return read_logs(wanted, inventory, options, place=place, say=say)


# Flow logs that lie elsewhere


def is_live(request: InputRequest) -> bool:
    """Return whether flow logs are read from Cloud Logging, too."""
    return Path(CLOUD_LOGGING) in request.traffic


def place_in_bigquery(request: InputRequest) -> Place | None:
    """Return the place in BigQuery that holds the flow logs; None where they are elsewhere.

    Raises:
        UsageError: If there is other traffic beside it, or sums of days are to be kept of traffic
            that is elsewhere.
    """
    named = [path for path in request.traffic if is_place(path)]
    if not named:
        if request.log_options.rollup is not None:
            raise UsageError(
                "--rollup stores sums of --traffic bigquery://PROJECT.DATASET, which is not given"
            )
        return None
    place = parse_place(str(named[0]))
    if len(request.traffic) > 1 or request.demo is not None:
        raise UsageError(
            f"--traffic {place}: traffic in BigQuery cannot be combined with other traffic: give"
            " only this"
        )
    return place


def read_in_bigquery(
    request: InputRequest, place: Place, inventory: Inventory, say: Say
) -> TrafficMatrix:
    """Return the traffic of a dataset; pods are not told apart there, and that is said."""
    say(f"querying BigQuery for {place}")
    matrix = read_traffic_in_bigquery(
        place, inventory, request.traffic_options, request.log_options, request.api, say
    )
    return _without_pods(matrix, inventory, str(place))


def server_of_spark(request: InputRequest) -> SparkPlace | None:
    """Return the Spark server that reads the flow logs; None where this machine does.

    Raises:
        UsageError: If an option is missing or wrong, or there is other traffic or none.
    """
    given = request.traffic_options
    place = place_of(given.engine, given.spark_remote, given.spark_work)
    if place is None:
        refuse_without_server(request.traffic)
        return None
    if request.demo is not None:
        raise UsageError("--engine spark: a demo (--demo) is read on this computer")
    if not request.traffic:
        raise UsageError("--engine spark: give the files for the server (--traffic gs://…)")
    api = request.api
    return replace(
        place, timeout_s=api.timeout_s, total_s=api.total_s, max_attempts=api.max_attempts
    )


def read_on_spark(
    request: InputRequest, place: SparkPlace, inventory: Inventory, say: Say
) -> TrafficMatrix:
    """Return the traffic that a Spark server reads; pods are not told apart there."""
    matrix = read_traffic_on_spark(place, request.traffic, inventory, request.traffic_options, say)
    return _without_pods(matrix, inventory, place.shown)


def _without_pods(matrix: TrafficMatrix, inventory: Inventory, shown: str) -> TrafficMatrix:
    """Return a matrix that says of a cluster that its pods were not told apart."""
    if inventory.kubernetes is None:
        return matrix
    coverage = matrix.coverage
    note = f"{shown}: Pod traffic can only be read from files; here it is unknown"
    return replace(matrix, coverage=replace(coverage, incomplete=(note, *coverage.incomplete)))


def read_live(
    request: InputRequest, paths: Sequence[Path], inventory: Inventory, say: Say
) -> tuple[TrafficMatrix, PodTraffic | None]:
    """Return the traffic of Cloud Logging and of files, in the window that was read there.

    And that of pods, looked for only beside a cluster: it reads the logs again.

    The logs are those of the views that the request names, else of its projects, else of those that
    its files hold. Where Cloud Logging holds none and there are files, the answer is of these.

    Raises:
        UsageError: If there is no project.
        NetplanError: If nothing can be read; see `read_flow_logs` and `read_traffic`.
    """
    if request.demo is not None:
        raise UsageError(f"--traffic {CLOUD_LOGGING}: a demo (--demo) has no live flow logs")
    given = request.traffic_options
    with ExitStack() as stack:
        try:
            logs = stack.enter_context(
                read_flow_logs(
                    request.projects or [project.project for project in inventory.projects],
                    request.api,
                    request.log_options,
                    since=given.since,
                    until=given.until,
                    temp_directory=given.temp_directory,
                    say=say,
                )
            )
        except EmptyError as exc:
            if not paths:
                raise
            return _of_files(paths, inventory, given, str(exc))
        say("reading the answers of Cloud Logging")
        window = replace(given, since=logs.since, until=logs.until)
        matrix = read_traffic((*paths, *logs.files), inventory, window)
        pods = None
        if inventory.kubernetes is not None:
            pods = read_pod_traffic((*paths, *logs.files), inventory, window, matrix)
    return _with_coverage(matrix, logs, inventory), pods


def _of_files(
    paths: Sequence[Path], inventory: Inventory, options: TrafficOptions, why: str
) -> tuple[TrafficMatrix, PodTraffic | None]:
    """Return the traffic of files alone, which says why it is of them alone."""
    matrix = read_traffic(paths, inventory, options)
    coverage = replace(matrix.coverage, incomplete=(why, *matrix.coverage.incomplete))
    pods = None
    if inventory.kubernetes is not None:
        pods = read_pod_traffic(paths, inventory, options, matrix)
    return replace(matrix, coverage=coverage), pods


def _with_coverage(matrix: TrafficMatrix, logs: LogsRead, inventory: Inventory) -> TrafficMatrix:
    """Return a matrix that says what was read, and names no folder that is gone."""
    held = matrix.coverage
    examples = held.examples
    if not logs.is_kept:
        examples = tuple(
            replace(one, source=one.source.replace(f"{logs.folder}/", f"{CLOUD_LOGGING}:"))
            for one in examples
        )
    coverage = replace(
        held,
        examples=examples,
        incomplete=(*logs.incomplete, *held.incomplete),
        notes=(*logs.notes, *_host_notes(logs, inventory), *held.notes),
    )
    return replace(matrix, coverage=coverage)


def _host_notes(logs: LogsRead, inventory: Inventory) -> tuple[str, ...]:
    """Return what is said of host projects whose logs were not read.

    The flows of a shared network are logged in the project that it is of
    (docs.cloud.google.com/vpc/docs/about-flow-logs-records, 2026-11).
    """
    hosts = {
        nic.subnetwork.split("/")[1]
        for instance in inventory.instances
        for nic in instance.interfaces
        if nic.subnetwork and instance.project in logs.projects
    }
    unread = sorted(hosts - set(logs.projects))
    if not unread:
        return ()
    return (
        f"VMs use shared networks of {', '.join(unread)}: their flows are logged there, which was"
        f" not read (--project {unread[0]})",
    )
