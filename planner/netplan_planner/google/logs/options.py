"""Where Cloud Logging is, and how much of it is read.

Where logs are read: a project, or a view of a log bucket of anybody's.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import KEPT_FOLDER, TRAFFIC, Ask, Texts, UsdOrNone
from netplan_planner.errors import UsageError
from netplan_planner.google.options import ApiOptions, Endpoint, resolve_beside
from netplan_planner.model import ProjectId, Value

ALL_LOGS = "_AllLogs"
"""The view that every log bucket has (docs.cloud.google.com/logging/docs/logs-views, 2026-11)."""

LogPlace = ProjectId
"""A project's id or number, or the resource name of a view, which has slashes."""

_BUCKET = re.compile(
    r"(?P<bucket>(?:projects|folders|organizations|billingAccounts)/[^/\s\"]+"
    r"/locations/[^/\s\"]+/buckets/[^/\s\"]+)(?P<view>/views/[^/\s\"]+)?"
)


def view_of(text: str) -> LogPlace:
    """Return a view by its resource name; of a bucket's name, its view of all logs.

    Raises:
        UsageError: If it is neither.

    >>> view_of("projects/p/locations/global/buckets/flows")
    'projects/p/locations/global/buckets/flows/views/_AllLogs'
    """
    found = _BUCKET.fullmatch(text.strip().strip("/"))
    if found is None:
        raise UsageError(
            f"--log-view {text}: not the name of a log view, such as"
            " projects/P/locations/L/buckets/B/views/V (gcloud logging views list). Folders"
            " (folders/F), organizations/O and billingAccounts/A have buckets, too"
        )
    return LogPlace(found["bucket"] + (found["view"] or f"/views/{ALL_LOGS}"))


def is_view(place: LogPlace) -> bool:
    """Return whether logs are read through a view of a bucket."""
    return "/" in place


def named(place: LogPlace) -> str:
    """Return a place for people.

    >>> named(LogPlace("p")), named(LogPlace("projects/p/locations/l/buckets/b/views/v"))
    ('project p', 'the view projects/p/locations/l/buckets/b/views/v')
    """
    return f"the view {place}" if is_view(place) else f"project {place}"


CLOUD_LOGGING = "cloud-logging"
"""What `--traffic` takes in the place of a file."""

LOGGING_ENDPOINT = "https://logging.googleapis.com/"
LOGGING_VARIABLE = "CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING"
"""gcloud's own variable; its value may leave out `/v2/`."""
SCOPE = "https://www.googleapis.com/auth/logging.read"
_VERSION_PATH = "v2/"

PAGE_RECORDS = 1000
"""The most that one answer of `entries.list` holds."""
MOST_PER_MINUTE = 6000.0
DEFAULT_MAX_COST_USD = Decimal(5)


class LogOptions(Value, frozen=True, kw_only=True):
    """How flow logs are read from Cloud Logging, and from BigQuery."""

    PANEL: ClassVar[str] = TRAFFIC
    IS_EXPERT: ClassVar[bool] = True

    endpoint: Annotated[
        str | None,
        Ask(
            "Endpoint of Cloud Logging, if not Google's.",
            "--logging-endpoint",
            metavar="URL",
        ),
    ] = None
    """First of: this, `CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING`, Google's own."""
    views: Annotated[
        Texts,
        Ask(
            "With --traffic cloud-logging: read this log view instead of --project, such as where"
            " a sink collects the logs of an organization. Give its resource name; without a view,"
            " the whole bucket; repeat it.",
            "--log-view",
            metavar="NAME",
        ),
    ] = ()
    """Resource names of views of log buckets: the logs are read there, and not of projects."""
    folder: Annotated[
        Path | None,
        Ask(
            "Keep the answers of Cloud Logging in this folder; an interrupted run continues from"
            " it within a day.",
            "--resume",
            metavar="DIR",
        ),
        KEPT_FOLDER,
    ] = None
    """Keeps the pages, so that a run that was broken off goes on; None: a temporary folder."""
    most_records: Annotated[
        int,
        Ask(
            "Stop reading Cloud Logging after this many records; the window ends there.",
            "--max-log-records",
            metavar="COUNT",
            least=1,
        ),
    ] = 1_000_000
    """After which reading stops: 17 minutes by the quota, below the half hour that all requests
    together have."""
    requests_per_minute: Annotated[
        float,
        Ask(
            "The project's read quota for Cloud Logging; 1,000 records per request.",
            "--log-requests-per-minute",
            metavar="COUNT",
            least=0.1,
            most=6000.0,
        ),
    ] = 60.0
    """"Number of entries.list requests: 60 per minute, per Google Cloud project"
    (cloud.google.com/logging/quotas, as quoted in 2022; today the page sends its readers to the API
    dashboard, where the quota of their own project stands)."""
    max_cost_usd: Annotated[
        UsdOrNone,
        Ask(
            "With --traffic bigquery://PROJECT.DATASET: maximum cost of all queries of a run at"
            " list price. Above it nothing is read. none: no limit.",
            "--max-cost",
            metavar="USD|none",
        ),
    ] = DEFAULT_MAX_COST_USD
    """What all queries of a run in BigQuery may be billed for at list price; None: no bound."""
    query_project: Annotated[
        str | None,
        Ask(
            "Project that runs and pays for the BigQuery queries, if not the dataset's.",
            "--query-project",
            metavar="PROJECT",
        ),
    ] = None
    """Runs and pays for queries in BigQuery; None: the dataset's own."""
    rollup: Annotated[
        str | None,
        Ask(
            "With --traffic bigquery://PROJECT.DATASET: store daily sums in this dataset (or"
            " PROJECT.DATASET) and read them from there next time. netplan writes nothing else to"
            " BigQuery.",
            "--rollup",
            metavar="DATASET",
        ),
    ] = None
    """Dataset in BigQuery that keeps the sums of days, as `DATASET` (of the project that pays) or
    `PROJECT.DATASET`; None: nothing is written."""

    def __post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            UsageError: If a number is out of its range.
        """
        if self.most_records < 1:
            raise UsageError(f"the limit of log records must be 1 or more, not {self.most_records}")
        if self.max_cost_usd is not None and not (
            self.max_cost_usd.is_finite() and self.max_cost_usd > 0
        ):
            raise UsageError(
                f"--max-cost must be above 0, or none for no limit, not {self.max_cost_usd}"
            )
        if not 0 < self.requests_per_minute <= MOST_PER_MINUTE:
            raise UsageError(
                f"requests to Cloud Logging must be above 0 and at most {MOST_PER_MINUTE:,.0f}"
                f" per minute, not {self.requests_per_minute:g}"
            )

    @property
    def records_per_minute(self) -> float:
        """The most that the quota lets through."""
        return self.requests_per_minute * PAGE_RECORDS


def known_logging_endpoint(
    options: LogOptions, api: ApiOptions, environment: Mapping[str, str]
) -> Endpoint | None:
    """Return where Cloud Logging is; None where Compute's endpoint alone is replaced.

    Raises:
        UsageError: If it is no URL, or credentials would leave the machine unencrypted.
    """
    return resolve_beside(
        api,
        environment,
        variable=LOGGING_VARIABLE,
        default=LOGGING_ENDPOINT,
        named=options.endpoint,
        version=_VERSION_PATH,
    )


def logging_endpoint(
    options: LogOptions, api: ApiOptions, environment: Mapping[str, str]
) -> Endpoint:
    """Return where Cloud Logging is.

    Raises:
        UsageError: If it is no URL, if credentials would leave the machine unencrypted, or if only
            Compute's endpoint is replaced: its stand-in says nothing of where the logs are.
    """
    found = known_logging_endpoint(options, api, environment)
    if found is None:
        raise UsageError(
            "the Compute API endpoint is replaced: set the endpoint of Cloud Logging, too"
            f" (--logging-endpoint, or {LOGGING_VARIABLE})"
        )
    return found
