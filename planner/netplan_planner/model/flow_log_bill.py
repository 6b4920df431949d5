"""What `netplan flow-logs` answers: what flow logs cost, and settings that cost less."""

from decimal import Decimal

from netplan_planner.model.base import Value
from netplan_planner.model.prices import LineItem
from netplan_planner.model.report import Unpriced


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


class LogFilterPart(Value, frozen=True, kw_only=True):
    """Records that a filter leaves out."""

    what: str
    hides: str
    """What cannot be told without them."""
    rules: tuple[str, ...]
    """Rules that then see too little."""
    volume: LogVolumeBill
    """What these records would cost by the rest of the proposed settings."""


class LogProposal(Value, frozen=True, kw_only=True):
    """Settings that cost least for the promised errors."""

    settings: LogSettings
    volume: LogVolumeBill
    dollar_error_ratio: float | None
    """Of the dollars of the traffic that it tells; None where it tells of none that costs."""
    p95_machine_count: int
    """Machines whose 95th percentile is promised."""
    left_out: tuple[LogFilterPart, ...] = ()
    """By the filter of the settings; no promise rests on it."""
    why: str
    """Why no less would do, or why it is off."""
    command: tuple[str, ...] = ()
    """Words of the command that sets it; empty: nothing is to be changed, or it is told in `why`
    how."""


class LogRow(Value, frozen=True, kw_only=True):
    """One subnetwork's own setting, or one configuration of the Network Management API."""

    name: str
    configuration: str
    places: tuple[str, ...]
    """Subnetworks, gateways, and ends that are in none, whose flows it logs."""
    now: LogSettings
    volume: LogVolumeBill
    extra: LogVolumeBill | None = None
    """Of it, what another configuration logs as well; None: nothing."""
    other_side_ratio: float | None = None
    """Of its records, those that tell what the other end tells as well; None: not known."""
    proposed: LogProposal | None = None
    why_not: str = ""
    """Why nothing is proposed."""


class LogGoal(Value, frozen=True, kw_only=True):
    """What is promised of the logs."""

    dollar_error_ratio: float
    """Of the dollars of all traffic, either way."""
    p95_error_ratio: float
    """Of each machine's 95th percentile of sending, either way."""
    confidence: float
    """With which each promise holds, above 0 and below 1."""
    p95_from_gbps: float
    """Machines whose 95th percentile is less are not promised anything of."""
    keeps_metadata: bool
    filters: bool = True
    """Whether filters are proposed."""


class FlowLogBill(Value, frozen=True, kw_only=True):
    """What flow logs cost a month, by who writes them, and settings that cost less."""

    rows: tuple[LogRow, ...]
    """The dearest first."""
    line_items: tuple[LineItem, ...]
    usd_per_month: Decimal | None
    """Of all rows; None where nothing has a price."""
    unpriced: tuple[Unpriced, ...]
    window: str
    """What the records are of, in words."""
    goal: LogGoal | None = None
    """None: nothing was planned."""
    planned_line_items: tuple[LineItem, ...] = ()
    planned_usd_per_month: Decimal | None = None
    """Of all rows as proposed, and of the others as they are."""
    traffic_usd_per_month: Decimal | None = None
    """Of the traffic that the records tell; None: it was not looked at."""
    dollar_error_ratio: float | None = None
    """Of these dollars, as planned; None where there are none."""
    p95_machine_count: int = 0
    """Machines whose 95th percentile is promised; what one sends can be told by several writers."""
    notes: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    """What of the given evidence could not be read in full, a line each."""
    price_age: str = ""
