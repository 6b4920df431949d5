"""Parameters that several verbs share, as the parts of their requests."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from netplan_planner.asks import OUTPUT
from netplan_planner.cli import options
from netplan_planner.cli.parameters import Parameters
from netplan_planner.cli.state import state
from netplan_planner.engine.collected import bundled_metrics, bundled_traffic
from netplan_planner.engine.request import (
    DEFAULT_DAYS,
    DEFAULT_MAX_COST_USD,
    ApiClient,
    ApiOptions,
    AuditRequest,
    FlowEngine,
    LogOptions,
    TrafficOptions,
    parents_of,
)
from netplan_planner.model import Reporter
from netplan_planner.planning.inputs import Demo, PriceInput
from netplan_planner.quantities import names
from netplan_planner.renderers import ColourMode


class Input(Parameters, frozen=True, kw_only=True):
    """What to read."""

    project: options.Projects = None
    organization: options.Organizations = None
    folder: options.Folders = None
    exclude_project: options.ExcludedProjects = None
    inventory: options.Inventory = None
    traffic: options.Traffic = None
    demo: Demo = None
    bundle: options.Bundle = None

    @property
    def is_given(self) -> bool:
        """Whether there is anything to read."""
        parents = self.organization or self.folder
        read = (self.inventory, self.traffic, self.demo, self.bundle)
        return bool(self.project or parents or any(read))

    @property
    def parents(self) -> tuple[str, ...]:
        """The organisations and folders, as Cloud Asset Inventory names them.

        Raises:
            UsageError: If one is not named by its number.
        """
        return parents_of(self.organization or (), self.folder or ())

    @property
    def inventories(self) -> tuple[Path, ...]:
        """Files and folders of inventory."""
        return (*(self.inventory or ()), *((self.bundle,) if self.bundle else ()))

    @property
    def traffic_inputs(self) -> tuple[Path, ...]:
        """Files and folders of traffic; of a bundle only where it holds any."""
        return (*(self.traffic or ()), *bundled_traffic(self.bundle))

    def prices(self, pricing: "PriceInput") -> Path | None:
        """Return where prices are: where the user says, else in the bundle; None: embedded."""
        return pricing.prices or self.bundle


def request_of(
    given: Input,
    pricing: PriceInput,
    *,
    as_of: date | None,
    calibration: Path | None,
) -> AuditRequest:
    """Return what is read, as of when, and what it is priced and predicted with."""
    return AuditRequest(
        today=date.today(),
        as_of=as_of,
        projects=tuple(dict.fromkeys(given.project or ())),
        parents=given.parents,
        excluded=names(given.exclude_project),
        inventory=given.inventories,
        traffic=given.traffic_inputs,
        calibration=calibration,
        demo=given.demo,
        prices=given.prices(pricing),
        discounts=pricing.discounts,
        billing_exports=pricing.billing_exports,
    )


class FlowReading(Parameters, frozen=True, kw_only=True):
    """How flow logs are read."""

    engine: options.WhichEngine = FlowEngine.DUCKDB
    spark_remote: options.SparkRemote = None
    spark_work: options.SparkWork = None
    reporter: options.WhichReporter = Reporter.SOURCE
    since: options.Since = None
    until: options.Until = None
    memory_limit: options.MemoryLimit = "2GB"
    threads: options.Threads = None
    temp_directory: options.TempDirectory = None
    log_view: options.LogViews = None
    resume: options.Resume = None
    max_log_records: options.MaxLogRecords = 1_000_000
    log_requests_per_minute: options.LogRequestsPerMinute = 60.0
    logging_endpoint: options.LoggingEndpoint = None
    max_cost: options.MaxCost = str(DEFAULT_MAX_COST_USD)
    query_project: options.QueryProject = None
    rollup: options.Rollup = None

    def options(self) -> TrafficOptions:
        """Return them for the flow-log engine."""
        return TrafficOptions(
            engine=self.engine,
            spark_remote=self.spark_remote,
            spark_work=self.spark_work,
            reporter=self.reporter,
            memory_limit=self.memory_limit,
            threads=self.threads,
            temp_directory=self.temp_directory,
            since=self.since,
            until=self.until,
        )

    def log_options(self) -> LogOptions:
        """Return them for the reader of Cloud Logging."""
        return LogOptions(
            endpoint=self.logging_endpoint,
            views=tuple(self.log_view or ()),
            folder=self.resume,
            most_records=self.max_log_records,
            requests_per_minute=self.log_requests_per_minute,
            max_cost_usd=options.usd_or_none("--max-cost", self.max_cost),
            query_project=self.query_project,
            rollup=self.rollup,
        )


class Api(Parameters, frozen=True, kw_only=True):
    """How the Compute API is asked."""

    api_endpoint: options.Endpoint = None
    anonymous: options.Anonymous = False
    api_client: options.Client = ApiClient.REST
    concurrency: options.Concurrency = 8
    timeout: options.Timeout = 60.0
    max_attempts: options.MaxAttempts = 5
    total_timeout: options.TotalTimeout = 1800.0

    def options(self) -> ApiOptions:
        """Return them for the reader of the API."""
        return ApiOptions(
            endpoint=self.api_endpoint,
            is_anonymous=self.anonymous,
            client=self.api_client,
            concurrency=self.concurrency,
            timeout_s=self.timeout,
            total_s=self.total_timeout,
            max_attempts=self.max_attempts,
        )


class MetricsInput(Parameters, frozen=True, kw_only=True):
    """Which metrics are read."""

    metrics: options.Metrics = None
    live_metrics: options.LiveMetrics = True
    metrics_days: options.MetricsDays = DEFAULT_DAYS

    def added_to(self, request: AuditRequest, bundle: Path | None) -> AuditRequest:
        """Return a request that reads them as well, and those of a bundle."""
        return replace(
            request,
            metrics=(*(self.metrics or ()), *bundled_metrics(bundle)),
            live_metrics=self.live_metrics,
            metrics_days=self.metrics_days,
        )


class Look(Parameters, frozen=True, kw_only=True):
    """What the text format looks like."""

    width: Annotated[
        int | None,
        typer.Option(
            metavar="COLUMNS",
            min=20,
            help="Columns of the text format (default: the terminal's).",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    color: Annotated[
        ColourMode, typer.Option(help="Colours of the text format.", rich_help_panel=OUTPUT)
    ] = ColourMode.AUTO


def verbosity(count: int) -> int:
    """Return how much is explained, here or before the verb."""
    return max(count, int(state.explain))
