"""What flow logs are on the bill: what a record counts, and the costs of settings."""

from decimal import Decimal

from netplan_planner.model.base import SelfLink, Value
from netplan_planner.units import gib_from_bytes

RECORD_BYTES = 1418
BARE_RECORD_BYTES = 542
"""With metadata and without: google/skills,
google-cloud-networking-observability/references/vpc-flow-logs-cost-estimation.md, 2026-06-24."""

GENERATION = "vpc_flow_log_generation"
STORAGE = "network_log_storage"
"""The services by which the price book sells a GiB of records."""


REPEATED = "equal to a counted record"
OUTSIDE_WINDOW = "outside the requested window"
OF_ANOTHER_LOG = "of another log"
"""Why records that were read are left out, as the coverage of traffic names it."""
NOT_MADE = frozenset({REPEATED, OUTSIDE_WINDOW, OF_ANOTHER_LOG})
"""Those that are no records of the window: a copy is paid for once. What a second configuration
reports is made, and paid for."""


OWN_SETTING = "the subnetwork's own setting"
"""The configuration of records that Compute's `logConfig` makes."""

INTERVALS_S = (5, 30, 60, 300, 600, 900)
"""The intervals of aggregation that can be set (`gcloud compute networks subnets update --help`,
Google Cloud CLI as of 2026-11)."""


MACHINES_FROM_GBPS = 0.1
"""Machines that send less, by their 95th percentile, are not promised anything of unless asked: a
tenth of the least cap of a machine (1 Gbit/s)."""


class EdgeRecords(Value, frozen=True, kw_only=True, gc=False):
    """What of an edge a source of records counts."""

    edge: int
    """Index into `TrafficMatrix.edges`."""
    is_received: bool
    """Whether the receiver's reports count; else the sender's, or a gateway's."""
    record_count: int
    """Records with bytes."""
    wire_bytes: int
    square_bytes: float
    """The sum of the squares of its records' wire bytes."""
    most_bytes: int
    """The greatest record's."""


class MachineBlocks(Value, frozen=True, kw_only=True, gc=False):
    """What a machine sent by minute, or by the interval if that is longer; idle ones left out."""

    owner: int
    """Index into `TrafficMatrix.owners`."""
    numbers: tuple[int, ...]
    """Of the minutes or intervals, counted alike for all machines."""
    wire_bytes: tuple[int, ...]
    square_bytes: tuple[float, ...]
    """The sums of the squares of the records' wire bytes, in the same order."""
    record_counts: tuple[int, ...]
    most_bytes: tuple[int, ...]
    """The greatest record's."""


class IntervalRecords(Value, frozen=True, kw_only=True):
    """The records of a window as an interval of aggregation would make them of those read."""

    interval_s: int
    record_count: int
    edges: tuple[EdgeRecords, ...]
    machines: tuple[MachineBlocks, ...]
    told_by_sender: tuple[tuple[SelfLink, int], ...] = ()
    """Records of what machines received over internal IPv4 addresses that count for nothing,
    because the sender's subnetwork reports the same: by that subnetwork."""


class LogSource(Value, frozen=True, kw_only=True):
    """What one configuration of flow logs wrote of one place over the window."""

    place: SelfLink
    configuration: str
    record_count: int
    extra_count: int
    """Of them, those that another configuration wrote as well, and that do not count."""
    counted_count: int
    """Of them, those whose side's report counts; the others tell what the other end tells too."""
    intervals: tuple[IntervalRecords, ...]
    """By each of `INTERVALS_S`, in order."""


def record_bytes(*, has_metadata: bool) -> int:
    """Return the billed size of one record."""
    return RECORD_BYTES if has_metadata else BARE_RECORD_BYTES


def log_gib(record_count: int, *, has_metadata: bool) -> Decimal:
    """Return the volume of flow-log records.

    >>> round(log_gib(1_000_000, has_metadata=True), 3)
    Decimal('1.321')
    """
    return gib_from_bytes(record_count * record_bytes(has_metadata=has_metadata))


# What `netplan flow-logs` answers: what flow logs cost, and settings that cost less


class LogSettings(Value, frozen=True, kw_only=True):
    """How flows are logged; None: not known."""

    sampling_ratio: float | None
    """Share of the records that are kept, above 0 up to 1; 0: logs are off."""
    interval_s: int | None
    """Over which a flow's packets make one record."""
    has_metadata: bool | None
    """Whether any metadata are in the records."""
    filter_expr: str = ""


class LogVolumeBill(Value, frozen=True, kw_only=True):
    """Records of a month, and what they cost."""

    records_per_month: int
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    """Their share of the whole bill; None where nothing of it has a price."""
