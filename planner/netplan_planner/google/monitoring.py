"""Time series of projects, from the live Cloud Monitoring API.

Read beside the Compute API: what it refuses is noted, and the rest of an audit goes on. Each metric
is one list with its own interval, alignment and bound of pages, so that what a project costs in
requests is known before: a page holds up to 100,000 points.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from netplan_planner import meter
from netplan_planner.google.compute_methods import SERIES_ID, SERIES_PERMISSION
from netplan_planner.google.metrics_window import MetricsWindow
from netplan_planner.google.options import ApiOptions, Endpoint, resolve_beside
from netplan_planner.google.paging import CutOff, Page, each_page, page_of
from netplan_planner.google.refusals import Refusal, Request
from netplan_planner.google.transport import Transport
from netplan_planner.model import INTER_REGION_QUOTA, INTERNET_QUOTA, Inventory, Metric
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.time_series import Gathering
from netplan_planner.readers.time_series.known import FLOW_EGRESS, FLOW_INGRESS, FLOW_RTT, KNOWN
from netplan_planner.units import SECONDS_PER_DAY, SECONDS_PER_HOUR, SECONDS_PER_MINUTE

# Which metrics of a project are asked for, and how each is aligned


_LABEL = "metric.label."
FLOW_LABELS = (
    "resource.label.project_id",
    "resource.label.zone",
    "resource.label.instance_id",
    *(
        f"{_LABEL}{name}"
        for name in (
            "remote_location_type",
            "remote_project_id",
            "remote_network",
            "remote_zone",
            "remote_continent",
            "remote_country",
        )
    ),
)
"""What is kept of the series of flows; the rest (protocol, NIC, subnetworks) is added up there."""
_QUOTA_METRICS = (INTERNET_QUOTA, INTER_REGION_QUOTA)


class Asked(NamedTuple):
    """One metric of a project, and how it is aligned."""

    metric: str
    aligner: str
    series_count: int
    """How many there may be, for the alignment."""
    filter: str = ""
    labels: tuple[str, ...] = ()
    """Series that agree in these are added up; none: all stay."""


def lists_of(inventory: Inventory, project: str, with_flows: bool) -> list[Asked]:
    """Return what is asked for, the counters of machines first."""
    machines = [i for i in inventory.instances if i.project == project]
    count = max(len(machines), 1)
    asked = [
        _of(metric, 2 * count)
        for metric in (
            Metric.VM_SENT_BYTES,
            Metric.VM_RECEIVED_BYTES,
            Metric.VM_SENT_PACKETS,
            Metric.VM_RECEIVED_PACKETS,
        )
    ]
    asked += [
        _of(Metric.VM_CPU, count),
        _of(Metric.VM_MEMORY, count, 'metric.label.state = "used"'),
        _of(Metric.VM_DISK_WRITE_BYTES, 2 * count),
    ]
    if any(machine.series == "e2" for machine in machines):
        asked.append(_of(Metric.VM_BALLOON_USED, count))
    nats = sum(len(r.nats) for r in inventory.routers if r.project == project)
    if nats:
        asked += [
            _of(metric, 4 * nats)
            for metric in Metric
            if ".googleapis.com/nat/" in metric and metric.startswith("router.")
        ]
        asked += [
            _of(metric, 3 * count)
            for metric in Metric
            if metric.startswith("compute.googleapis.com/nat/")
        ]
    tunnels = sum(tunnel.project == project for tunnel in inventory.vpn_tunnels)
    if tunnels:
        asked += [_of(metric, tunnels) for metric in Metric if metric.startswith("vpn.")]
    fronts = sum(rule.project == project for rule in inventory.forwarding_rules)
    if fronts:
        # By front; countries, back ends and protocols would be a series each.
        by_front = ("resource.label.project_id", "resource.label.region")
        asked += [
            _of(metric, fronts)._replace(labels=(*by_front, "resource.label.forwarding_rule_name"))
            for metric in Metric
            if metric.startswith("loadbalancing.")
        ]
    asked += [_of(metric, 8) for metric in Metric if metric.startswith("interconnect.")]
    quotas = " OR ".join(f'metric.label.quota_metric = "{name}"' for name in _QUOTA_METRICS)
    asked += [_of(metric, 100, f"({quotas})") for metric in (Metric.QUOTA_LIMIT, Metric.QUOTA_RATE)]
    asked += [_of(metric, 100) for metric in (Metric.INTER_REGION_LIMIT, Metric.INTER_REGION_USAGE)]
    if with_flows:
        peers = 10 * count
        asked += [
            Asked(metric, "ALIGN_DELTA", peers, labels=FLOW_LABELS)
            for metric in (FLOW_EGRESS, FLOW_INGRESS)
        ]
        asked.append(Asked(FLOW_RTT, "ALIGN_PERCENTILE_50", peers))
    return asked


def predicted_logs() -> Asked:
    """Return what tells of flow logs before they are on, by subnetwork."""
    asked = _of(Metric.PREDICTED_LOGS, 100)
    names = ("project_id", "location", "subnetwork_name", "subnetwork_id")
    return asked._replace(labels=tuple(f"resource.label.{name}" for name in names))


def _of(metric: Metric, series_count: int, filter_text: str = "") -> Asked:
    known = KNOWN[metric.value]
    if known.is_counter:
        aligner = "ALIGN_DELTA"
    elif metric is Metric.NAT_ALLOCATION_FAILED:
        # Of truth values the share of the period.
        aligner = "ALIGN_FRACTION_TRUE"
    elif known.kind.value == "quota":
        aligner = "ALIGN_MAX"
    else:
        aligner = "ALIGN_MEAN"
    return Asked(metric.value, aligner, series_count, filter_text)


# Time series of projects, from the live Cloud Monitoring API


MONITORING_ENDPOINT = "https://monitoring.googleapis.com/"
MONITORING_VARIABLE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING"
"""gcloud's own variable; its value holds no version path."""
SCOPE = "https://www.googleapis.com/auth/monitoring.read"

METHOD_ID, PERMISSION = SERIES_ID, SERIES_PERMISSION
VIEWER_ROLE = "roles/monitoring.viewer"

PAGE_POINTS = 100_000
"""The most that a page holds (discovery document of monitoring v3, revision 20260129)."""
MOST_POINTS = 2_000_000
"""Of one metric of one project: twenty pages. Beyond it the alignment is coarser."""
_MOST_PAGES = 40
"""Twice as many, as pages need not be full."""
PERIODS_S = (
    SECONDS_PER_MINUTE,
    5 * SECONDS_PER_MINUTE,
    15 * SECONDS_PER_MINUTE,
    SECONDS_PER_HOUR,
    6 * SECONDS_PER_HOUR,
    SECONDS_PER_DAY,
)
_FIELDS = (
    "timeSeries(metric,resource,metricKind,valueType,unit,points),nextPageToken,unit,"
    "executionErrors,unreachable"
)


class _Page(Page):
    time_series: list[Any] = msgspec.field(default_factory=list)
    unit: str = ""
    execution_errors: list[Any] = msgspec.field(default_factory=list)
    unreachable: list[str] = msgspec.field(default_factory=list)

    def answer(self) -> dict[str, Any]:
        """Return what is read of it, as a file would hold it."""
        return {
            "timeSeries": self.time_series,
            "unit": self.unit,
            "executionErrors": self.execution_errors,
            "unreachable": self.unreachable,
        }


def gather_live(
    projects: Sequence[str],
    inventory: Inventory,
    options: ApiOptions,
    window: MetricsWindow,
    *,
    with_flows: bool,
    with_predicted_logs: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Gathering | None:
    """Return the time series of projects that rules use, as far as the API gives them.

    None where Compute's endpoint is replaced and this API's is not: then nobody is asked.

    Args:
        projects: Ids or numbers.
        inventory: What the projects have: metrics of what they have not are not asked for.
        options: Endpoint of Compute, credentials and bounds.
        window: What time is read.
        with_flows: Whether the metrics of flows are wanted; flow logs tell more.
        with_predicted_logs: Whether it is asked how many records flow logs would have.
        progress: Takes a line per project.

    Raises:
        AccessError: If there are no credentials.
        UsageError: If the endpoint cannot be used.
    """
    also = [predicted_logs()] if with_predicted_logs else []
    lists = {project: lists_of(inventory, project, with_flows) + also for project in projects}
    return _gathered(lists, options, window, progress)


def gather_predicted_logs(
    projects: Sequence[str],
    options: ApiOptions,
    window: MetricsWindow,
    progress: Callable[[str], None] = lambda _: None,
) -> Gathering | None:
    """Return the most records that flow logs of projects would have; None as in `gather_live`.

    Raises:
        AccessError: If there are no credentials.
        UsageError: If the endpoint cannot be used.
    """
    lists = {project: [predicted_logs()] for project in projects}
    return _gathered(lists, options, window, progress)


def _gathered(
    lists: Mapping[str, Sequence[Asked]],
    options: ApiOptions,
    window: MetricsWindow,
    progress: Callable[[str], None],
) -> Gathering | None:
    endpoint = monitoring_endpoint(options)
    if endpoint is None:
        return None
    gathering = Gathering()
    transport = Transport(endpoint, options, scopes=(SCOPE,))
    with closing(transport):
        pool = ThreadPoolExecutor(options.concurrency)
        try:
            _gather(lists, transport, window, pool, gathering, progress)
        except BaseException:
            transport.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()
    return gathering


def monitoring_endpoint(options: ApiOptions) -> Endpoint | None:
    """Return where Cloud Monitoring is; None where Compute's endpoint alone is replaced.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    return resolve_beside(
        options,
        os.environ,
        variable=MONITORING_VARIABLE,
        default=MONITORING_ENDPOINT,
    )


def _gather(
    lists: Mapping[str, Sequence[Asked]],
    transport: Transport,
    window: MetricsWindow,
    pool: ThreadPoolExecutor,
    into: Gathering,
    progress: Callable[[str], None],
) -> None:
    # The first list shows whether a project can be asked at all.
    first = {
        project: pool.submit(_read, transport, project, asked[0], window)
        for project, asked in lists.items()
    }
    total = sum(len(asked) for asked in lists.values())
    with meter.work("reading Cloud Monitoring", total=total, unit="lists"):
        calls = []
        for project, call in first.items():
            part, is_refused = call.result()
            into.merge(part)
            meter.advance()
            if is_refused:
                continue
            into.projects.add(project)
            calls += [
                (project, pool.submit(_read, transport, project, asked, window))
                for asked in lists[project][1:]
            ]
        for _, later in calls:
            part, _ = later.result()
            into.merge(part)
            meter.advance()
    for project in sorted(into.projects):
        progress(f"{project}: metrics read")


def period_s(window: MetricsWindow, series_count: int) -> int:
    """Return the alignment period in seconds: a minute, or what keeps the points within bounds."""
    fitting = (p for p in PERIODS_S if series_count * window.seconds / p <= MOST_POINTS)
    return next(fitting, PERIODS_S[-1])


def _read(
    transport: Transport, project: str, asked: Asked, window: MetricsWindow
) -> tuple[Gathering, bool]:
    """Read one metric of a project, page by page; return whether the project refuses."""
    found = Gathering()
    whose = f"{METHOD_ID} projects/{project}"
    source = f"{whose} {asked.metric}"

    def get(token: str) -> _Page:
        request = series_request(project, asked, window, token)
        try:
            return transport.get(request, _decoded)
        except Refusal as exc:
            if str(exc) == request.missing:
                return _Page()
            raise

    try:
        for page in each_page(get, _MOST_PAGES):
            found.take(page.answer(), Origin(source, f"{source}:"))
    except CutOff as exc:
        found.note(source, str(exc))
    except Refusal as exc:
        is_off = str(exc) == series_request(project, asked, window).disabled
        found.note(whose, str(exc), is_needless=is_off)
        return found, True
    return found, False


def _missing(metric: str) -> str:
    return f"{METHOD_ID}: no metric {metric} (404)"


def series_request(project: str, asked: Asked, window: MetricsWindow, token: str = "") -> Request:
    """Return the request for a page of a metric of a project."""
    text = f'metric.type = "{asked.metric}"'
    query: dict[str, str | tuple[str, ...]] = {
        "filter": f"{text} AND {asked.filter}" if asked.filter else text,
        "interval.startTime": _stamp(window.start),
        "interval.endTime": _stamp(window.end),
        "aggregation.alignmentPeriod": f"{period_s(window, asked.series_count)}s",
        "aggregation.perSeriesAligner": asked.aligner,
        "view": "FULL",
        "pageSize": str(PAGE_POINTS),
        "fields": _FIELDS,
        "prettyPrint": "false",
    }
    if token:
        query["pageToken"] = token
    if asked.labels:
        query["aggregation.crossSeriesReducer"] = "REDUCE_SUM"
        query["aggregation.groupByFields"] = asked.labels
    return Request(
        method=METHOD_ID,
        path=f"v3/projects/{quote(project, safe=':')}/timeSeries",
        query=query,
        permission=PERMISSION,
        disabled="the Cloud Monitoring API is disabled (403), so metrics are unknown; run `gcloud"
        f" services enable monitoring.googleapis.com --project={project}`",
        missing=_missing(asked.metric),
        forbidden=f"it needs the permission {PERMISSION}, which the role {VIEWER_ROLE} contains:"
        " metrics are unknown (--no-live-metrics skips them)",
    )


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _decoded(body: bytes) -> _Page:
    return page_of(body, _Page)
