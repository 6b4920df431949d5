"""What an audit is asked to do; the command line and the tests fill it in."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from netplan_planner.google.logs.options import DEFAULT_MAX_COST_USD as DEFAULT_MAX_COST_USD
from netplan_planner.google.logs.options import LogOptions as LogOptions
from netplan_planner.google.metrics_window import DEFAULT_DAYS as DEFAULT_DAYS
from netplan_planner.google.metrics_window import MOST_DAYS as MOST_DAYS
from netplan_planner.google.options import ApiClient as ApiClient
from netplan_planner.google.options import ApiOptions as ApiOptions
from netplan_planner.google.options import parent_of
from netplan_planner.model import CommitmentScope, SetUp, Severity, Value
from netplan_planner.traffic.options import TrafficOptions as TrafficOptions
from netplan_planner.traffic.spark.place import FlowEngine as FlowEngine


class InputRequest(Value, frozen=True, kw_only=True):
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
    is_before: bool = False
    """The inventory is one Terraform plan, read as what is there before it is applied."""
    is_side: bool = False
    """The inventory is one of two that are compared; what is declared may be of the other."""
    traffic: tuple[Path, ...] = ()
    """Files and folders; `cloud-logging` stands for the live flow logs. With Spark in the traffic
    options what its server reads."""
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
    baseline: Path | None = None
    """File of `netplan baseline`, whose findings are accepted."""
    thresholds: tuple[tuple[str, str, float], ...] = ()
    """(rule, name, value) that differ from the defaults."""
    targets: tuple[tuple[str, float, str], ...] = ()
    """(glob over the end of a self link, wanted Gbit/s, source)."""
    links: tuple[tuple[str, float, str], ...] = ()
    """(range of addresses, Gbit/s of the hosts' link, source)."""
    set_ups: tuple[tuple[str, SetUp, str], ...] = ()
    """(glob over the end of a self link, settings of TCP, source)."""
    metrics: tuple[Path, ...] = ()
    """Stored time series of Cloud Monitoring."""
    live_metrics: bool = False
    """Whether Cloud Monitoring of the projects is asked as well."""
    predicted_logs: bool = False
    """Whether it is also asked how many records flow logs would have."""
    metrics_days: float = DEFAULT_DAYS
    """How far back it is asked, where no window is named."""
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
