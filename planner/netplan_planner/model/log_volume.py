"""What a flow-log record counts on the bill."""

from decimal import Decimal

from netplan_planner.units import gib_from_bytes

RECORD_BYTES = 1418
BARE_RECORD_BYTES = 542
"""With metadata and without: google/skills,
google-cloud-networking-observability/references/vpc-flow-logs-cost-estimation.md, 2026-06-24."""

GENERATION = "vpc_flow_log_generation"
STORAGE = "network_log_storage"
"""The services by which the price book sells a GiB of records."""


REPEATED = "equal to one that counts"
OUTSIDE_WINDOW = "outside the window asked for"
OF_ANOTHER_LOG = "of another log"
"""Why records that were read are left out, as the coverage of traffic names it."""
NOT_MADE = frozenset({REPEATED, OUTSIDE_WINDOW, OF_ANOTHER_LOG})
"""Those that are no records of the window: a copy is paid for once. What a second configuration
reports is made, and paid for."""


def record_bytes(*, has_metadata: bool) -> int:
    """Return the billed size of one record."""
    return RECORD_BYTES if has_metadata else BARE_RECORD_BYTES


def log_gib(record_count: int, *, has_metadata: bool) -> Decimal:
    """Return the volume of flow-log records.

    >>> round(log_gib(1_000_000, has_metadata=True), 3)
    Decimal('1.321')
    """
    return gib_from_bytes(record_count * record_bytes(has_metadata=has_metadata))
