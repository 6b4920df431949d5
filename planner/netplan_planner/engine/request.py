"""What an audit is asked to do; the command line and the tests fill it in."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from netplan_planner.google.assets import parent_of
from netplan_planner.google.logs.options import LogOptions as LogOptions
from netplan_planner.google.options import ApiOptions as ApiOptions
from netplan_planner.model import CommitmentScope, Reporter, Severity, Value
from netplan_planner.traffic.options import TrafficOptions as TrafficOptions


class AuditRequest(Value, frozen=True, kw_only=True):
    """Inputs and choices of one audit. Projects, parents, inventory or a demo are given."""

    today: date
    """The core has no clock: ages of addresses and snapshots count from here."""
    as_of: date | None = None
    """Date of the limits; None means today, or the demo's own date."""
    projects: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    """Organisations and folders (`organizations/123`), read from Cloud Asset Inventory."""
    excluded: tuple[str, ...] = ()
    """Globs over the ids of projects that are left out of what was read."""
    inventory: tuple[Path, ...] = ()
    traffic: tuple[Path, ...] = ()
    """Files and folders; `cloud-logging` stands for the live flow logs."""
    demo: str | None = None
    prices: Path | None = None
    discounts: tuple[str, ...] = ()
    """`NAME=PERCENT` each: of a service, a SKU id or `all`."""
    billing_exports: tuple[Path, ...] = ()
    """Files of the Cloud Billing export, whose effective prices go before the list's."""
    commitment_scope: CommitmentScope = CommitmentScope.UNKNOWN
    """Which machines commitments serve, as the billing account has it set."""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_severity: Severity = Severity.INFO
    min_saving_usd: Decimal | None = None
    ignore_file: Path | None = None
    thresholds: tuple[tuple[str, str, float], ...] = ()
    """(rule, name, value) that differ from the defaults."""
    targets: tuple[tuple[str, float, str], ...] = ()
    """(glob over the end of a self link, wanted Gbit/s, source)."""
    measurements: tuple[Path, ...] = ()
    """Stores of measurements, as `netplan probe` writes them."""
    calibration: Path | None = None
    """File of `netplan calibrate`, which predictions then follow."""
    api: ApiOptions = ApiOptions()
    traffic_options: TrafficOptions = TrafficOptions()
    log_options: LogOptions = LogOptions()


def parents_of(organizations: Sequence[str], folders: Sequence[str]) -> tuple[str, ...]:
    """Return the names of organisations and folders, each once.

    Raises:
        UsageError: If one is not named by its number.
    """
    found = (
        *(parent_of("organizations", one) for one in organizations),
        *(parent_of("folders", one) for one in folders),
    )
    return tuple(dict.fromkeys(found))


def traffic_options(
    *,
    reporter: Reporter,
    memory_limit: str = "2GB",
    threads: int | None = None,
    temp_directory: Path | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> TrafficOptions:
    """Return how flow logs are read."""
    return TrafficOptions(
        reporter=reporter,
        memory_limit=memory_limit,
        threads=threads,
        temp_directory=temp_directory,
        since=since,
        until=until,
    )


def api_options(
    *,
    endpoint: str | None,
    is_anonymous: bool,
    concurrency: int,
    timeout_s: float,
    total_s: float,
    max_attempts: int,
) -> ApiOptions:
    """Return how the Compute API is read."""
    return ApiOptions(
        endpoint=endpoint,
        is_anonymous=is_anonymous,
        concurrency=concurrency,
        timeout_s=timeout_s,
        total_s=total_s,
        max_attempts=max_attempts,
    )


def log_options(
    *,
    endpoint: str | None,
    folder: Path | None,
    most_records: int,
    requests_per_minute: float,
) -> LogOptions:
    """Return how Cloud Logging is read."""
    return LogOptions(
        endpoint=endpoint,
        folder=folder,
        most_records=most_records,
        requests_per_minute=requests_per_minute,
    )
