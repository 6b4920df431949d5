"""Options that several verbs share, and how their values become a request."""

from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from netplan_planner.asks import API, INPUT, OUTPUT, TRAFFIC, Ask
from netplan_planner.cli.parameters import KEPT, KEPT_FOLDER, WALKED
from netplan_planner.cli.state import state
from netplan_planner.cli.wrong_values import is_quantity, not_a_number
from netplan_planner.config import declared_links, declared_targets, rule_thresholds
from netplan_planner.engine.request import MOST_DAYS, ApiClient, FlowEngine
from netplan_planner.errors import UsageError
from netplan_planner.model import CommitmentScope, Reporter
from netplan_planner.planning.inputs import DATE_FORMATS
from netplan_planner.quantities import Day

Projects = Annotated[
    list[str] | None,
    typer.Option(
        "--project",
        metavar="PROJECT",
        help="Project to read from the live API; repeat it.",
        rich_help_panel=INPUT,
    ),
]
Organizations = Annotated[
    list[str] | None,
    typer.Option(
        "--organization",
        metavar="NUMBER",
        help="Organisation whose projects are read from the live Cloud Asset Inventory; repeat it.",
        rich_help_panel=INPUT,
    ),
]
Folders = Annotated[
    list[str] | None,
    typer.Option(
        "--folder",
        metavar="NUMBER",
        help="Folder whose projects are read from the live Cloud Asset Inventory; repeat it.",
        rich_help_panel=INPUT,
    ),
]
ExcludedProjects = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude-project",
        metavar="GLOB",
        help="Leave out the projects whose ids fit, such as sandbox-*; commas or repeated.",
        rich_help_panel=INPUT,
    ),
]
Inventory = Annotated[
    list[Path] | None,
    typer.Option(
        "--inventory",
        help="Files or folders of `gcloud … --format=json`, API pages, asset exports,"
        " `terraform show -json` or `kubectl get … --output=json`.",
        rich_help_panel=INPUT,
    ),
    WALKED,
]
Traffic = Annotated[
    list[Path] | None,
    typer.Option(
        "--traffic",
        help="Flow logs (JSON lines, .gz, .zst, Parquet) or a plain table: files or folders;"
        " or a folder of netplan flows aggregate."
        " bigquery://PROJECT.DATASET reads those of a log sink or of Log Analytics, gs://, s3a://"
        " and file:// what a server reads (--engine spark), and the word cloud-logging a sample of"
        " what Cloud Logging holds of --project: its quota allows no more.",
        rich_help_panel=INPUT,
    ),
    WALKED,
]
Bundle = Annotated[
    Path | None,
    typer.Option(
        "--bundle",
        metavar="FILE",
        help="What `netplan collect` wrote: inventory, traffic and prices in one file.",
        rich_help_panel=INPUT,
    ),
]
WhichSharing = Annotated[
    CommitmentScope,
    typer.Option(
        "--commitment-scope",
        help="Which machines a commitment serves, as the billing account has it set: those of its"
        " project, of all projects read, or also of others (then nothing is sure to be saved).",
        rich_help_panel=INPUT,
    ),
]
CurrencyCode = Annotated[
    str | None,
    Ask(
        "Show amounts in this currency, at the rate that the API returned"
        " (`netplan prices refresh --currency`); data formats stay in dollars.",
        "--currency",
        metavar="CODE",
        panel=INPUT,
    ),
]
Metrics = Annotated[
    list[Path] | None,
    typer.Option(
        "--metrics",
        metavar="FILE|FOLDER",
        help="Stored time series of Cloud Monitoring (JSON of timeSeries.list or"
        " timeSeries:query); repeat it.",
        rich_help_panel=INPUT,
    ),
    WALKED,
]
LiveMetrics = Annotated[
    bool,
    typer.Option(
        "--live-metrics/--no-live-metrics",
        help="Ask Cloud Monitoring of each --project, too; flow logs go before its metrics of"
        " flows.",
        rich_help_panel=API,
    ),
]
MetricsDays = Annotated[
    float,
    typer.Option(
        "--metrics-days",
        metavar="DAYS",
        min=0.05,
        max=MOST_DAYS,
        help="How far back Cloud Monitoring is asked, where --since does not say it.",
        rich_help_panel=API,
    ),
]
Measurements = Annotated[
    list[Path] | None,
    typer.Option(
        "--measurements",
        metavar="FILE",
        help="Store of measurements (JSON lines), to hold against the predictions; repeat it.",
        rich_help_panel=INPUT,
    ),
]
IntervalLevel = Annotated[
    float,
    typer.Option(min=0.5, max=0.99, help="Share of cases in the interval.", rich_help_panel=OUTPUT),
]
StrictReading = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exit with 4 when given evidence could not be read in full.",
        rich_help_panel=OUTPUT,
    ),
]
Today = Annotated[
    Day | None,
    Ask(
        "Date from which ages of addresses and snapshots count (default: today).",
        "--today",
        formats=DATE_FORMATS,
        panel=INPUT,
    ),
]
WhichEngine = Annotated[
    FlowEngine,
    typer.Option(
        "--engine",
        help="What reads and sums flow logs: duckdb here, spark on a server, where they lie"
        " (pip install 'gce-netplan\\[spark]').",
        rich_help_panel=TRAFFIC,
    ),
]
SparkRemote = Annotated[
    str | None,
    typer.Option(
        "--spark-remote",
        metavar="ADDRESS",
        help="With --engine spark: the server of Spark Connect (sc://HOST:15002), of Spark 4 or"
        " newer; a job that spark-submit started needs none.",
        rich_help_panel=TRAFFIC,
    ),
]
SparkWork = Annotated[
    str | None,
    typer.Option(
        "--spark-work",
        metavar="ADDRESS",
        help="With --engine spark: a place (gs://BUCKET/tmp/, s3a://, file:///) where the server"
        " may write work files, in a folder of the run's own that is removed at the end.",
        rich_help_panel=TRAFFIC,
    ),
]
WhichReporter = Annotated[
    Reporter,
    typer.Option(
        "--reporter",
        help="Whose records count for a flow that both ends report.",
        rich_help_panel=TRAFFIC,
    ),
]
Since = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        help="Leave out earlier records (UTC); with --until: all that is in between was looked at."
        " BigQuery is not asked without it. From Cloud Logging without a window: the last 24"
        " hours.",
        rich_help_panel=TRAFFIC,
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        "--until",
        help="Leave out records from then on (UTC): of a date, from its midnight on.",
        rich_help_panel=TRAFFIC,
    ),
]
MemoryLimit = Annotated[
    str,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory of the flow-log engine, such as 2GB; beyond it, disk.",
        rich_help_panel=TRAFFIC,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="COUNT",
        min=1,
        help="Threads of the flow-log engine.",
        rich_help_panel=TRAFFIC,
    ),
]
TempDirectory = Annotated[
    Path | None,
    typer.Option(
        "--temp-directory",
        metavar="DIR",
        help="Folder where the engine may spill to disk.",
        rich_help_panel=TRAFFIC,
    ),
    KEPT,
]
LogViews = Annotated[
    list[str] | None,
    typer.Option(
        "--log-view",
        metavar="NAME",
        help="With --traffic cloud-logging: read this view of a log bucket and not --project, as"
        " where a sink gathers the logs of an organisation. By its resource name; without its view"
        " all of the bucket; repeat it.",
        rich_help_panel=TRAFFIC,
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="DIR",
        help="Keep what Cloud Logging answers in this folder; a run that was broken off goes on"
        " there, within a day.",
        rich_help_panel=TRAFFIC,
    ),
    KEPT_FOLDER,
]
MaxLogRecords = Annotated[
    int,
    typer.Option(
        "--max-log-records",
        metavar="COUNT",
        min=1,
        help="Stop reading Cloud Logging after so many records; the window ends there.",
        rich_help_panel=TRAFFIC,
    ),
]
LogRequestsPerMinute = Annotated[
    float,
    typer.Option(
        "--log-requests-per-minute",
        metavar="COUNT",
        min=0.1,
        max=6000.0,
        help="The quota of the project for reading Cloud Logging, of 1,000 records a request.",
        rich_help_panel=TRAFFIC,
    ),
]
MaxCost = Annotated[
    str,
    typer.Option(
        "--max-cost",
        metavar="USD|none",
        help="With --traffic bigquery://PROJECT.DATASET: most that the queries of a run may cost at"
        " list price, in all. Nothing is read if they would cost more. none: no bound.",
        rich_help_panel=TRAFFIC,
    ),
]
QueryProject = Annotated[
    str | None,
    typer.Option(
        "--query-project",
        metavar="PROJECT",
        help="Project that runs the queries in BigQuery and pays for them, where it is not the"
        " dataset's.",
        rich_help_panel=TRAFFIC,
    ),
]
Rollup = Annotated[
    str | None,
    typer.Option(
        "--rollup",
        metavar="DATASET",
        help="With --traffic bigquery://PROJECT.DATASET: write what each whole day adds up to into"
        " this dataset (or PROJECT.DATASET) and read it from there the next time. It is all that"
        " netplan ever writes to BigQuery.",
        rich_help_panel=TRAFFIC,
    ),
]
LoggingEndpoint = Annotated[
    str | None,
    typer.Option(
        "--logging-endpoint",
        metavar="URL",
        help="Endpoint of Cloud Logging, where it is not Google's.",
        rich_help_panel=TRAFFIC,
    ),
]
Endpoint = Annotated[
    str | None,
    typer.Option(
        "--api-endpoint",
        metavar="URL",
        help="Endpoint of the Compute API, where it is not Google's.",
        rich_help_panel=API,
    ),
]
Anonymous = Annotated[
    bool, typer.Option("--anonymous", help="Send no credentials.", rich_help_panel=API)
]
Client = Annotated[
    ApiClient,
    typer.Option(
        "--api-client",
        help="What reads the Compute API and the price catalogue: rest, netplan's own requests;"
        " google, Google's clients (pip install 'gce-netplan\\[google]'), to the same values,"
        " slower. Other APIs are read over REST.",
        rich_help_panel=API,
    ),
]
Concurrency = Annotated[
    int,
    typer.Option(
        "--concurrency",
        metavar="COUNT",
        min=1,
        max=64,
        help="Requests under way at a time.",
        rich_help_panel=API,
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout",
        min=0.1,
        metavar="SECONDS",
        help="How long one request may wait for an answer.",
        rich_help_panel=API,
    ),
]
TotalTimeout = Annotated[
    float,
    typer.Option(
        "--total-timeout",
        min=1.0,
        max=86_400.0,
        metavar="SECONDS",
        help="How long all requests together may take; what was read until then stays.",
        rich_help_panel=API,
    ),
]
MaxAttempts = Annotated[
    int,
    typer.Option(
        "--max-attempts",
        metavar="COUNT",
        min=1,
        max=20,
        help="How often a request is made before its failure is reported.",
        rich_help_panel=API,
    ),
]


NO_BOUND = "none"


def usd(option: str, text: str | None) -> Decimal | None:
    """Return an amount of dollars.

    Raises:
        UsageError: If it is not a number of at least 0.
    """
    if text is None:
        return None
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation as exc:
        raise UsageError(f"{option}: {not_a_number(text, 0)}") from exc
    if not amount.is_finite() or not is_quantity(float(amount)):
        raise UsageError(f"{option}: {not_a_number(text, 0)}")
    return amount


def usd_or_none(option: str, text: str) -> Decimal | None:
    """Return an amount of dollars; None for `none`, which is no bound.

    Raises:
        UsageError: If it is neither.
    """
    if text.strip().casefold() == NO_BOUND:
        return None
    try:
        return usd(option, text)
    except UsageError as exc:
        raise UsageError(f"{exc}, nor {NO_BOUND}") from exc


class Configured(NamedTuple):
    """What a configuration file says beside the defaults of options."""

    thresholds: tuple[tuple[str, str, float], ...] = ()
    targets: tuple[tuple[str, float, str], ...] = ()
    links: tuple[tuple[str, float, str], ...] = ()


def configured() -> Configured:
    """Return the thresholds, targets and links of the configuration file."""
    path = state.config_path
    if path is None:
        return Configured()
    return Configured(rule_thresholds(path), declared_targets(path), declared_links(path))
