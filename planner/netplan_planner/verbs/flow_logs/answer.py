"""What flow logs cost per month, by who writes them, and settings that cost less."""

from decimal import Decimal
from typing import Annotated, ClassVar

from netplan_planner.asks import Ask, Reading, percentage
from netplan_planner.model.base import Value
from netplan_planner.model.evidence.log_volume import MACHINES_FROM_GBPS, LogSettings, LogVolumeBill
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.report_rows import Unpriced

PROMISE = "Accuracy goals"
Share = Annotated[
    float,
    Reading(
        str,
        lambda option, text: percentage(option, text, is_part=True),
        lambda ratio: f"{ratio * 100:g}%",
    ),
]


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

    PANEL: ClassVar[str] = PROMISE

    dollar_error_ratio: Annotated[
        Share,
        Ask(
            "Accepted error of the cost of all traffic, in both directions.",
            "--dollar-error",
            metavar="PERCENT",
        ),
    ] = 0.05
    """Of the dollars of all traffic, either way."""
    p95_error_ratio: Annotated[
        Share,
        Ask(
            "Accepted error of each VM's 95th percentile of egress, in both directions.",
            "--p95-error",
            metavar="PERCENT",
        ),
    ] = 0.1
    """Of each machine's 95th percentile of sending, either way."""
    confidence: Annotated[
        Share,
        Ask("Share of samples of the same traffic in which each goal is met.", metavar="PERCENT"),
    ] = 0.95
    """With which each promise holds, above 0 and below 1."""
    p95_from_gbps: Annotated[
        float,
        Ask(
            "Lowest 95th percentile to which the goal applies. Default: 0.1 Gbit/s, a tenth of "
            "the smallest VM cap.",
            "--p95-from",
            metavar="GBPS",
            least=0,
            is_expert=True,
        ),
    ] = MACHINES_FROM_GBPS
    """Machines whose 95th percentile is less are not promised anything of."""
    keeps_metadata: Annotated[
        bool,
        Ask(
            "Keep or leave out metadata. A record without it has 542 bytes instead of 1,418, "
            "and names no VM, cluster or country.",
            "--metadata/--no-metadata",
        ),
    ] = True
    filters: Annotated[
        bool,
        Ask(
            "Also propose filters. They leave out records that affect neither cost nor "
            "percentiles; the plan says what is lost.",
            "--filter/--no-filter",
            parameter="filters",
        ),
    ] = True
    """Whether filters are proposed."""
    # The default is a choice, without a source.
    least_saving_usd: Annotated[
        float, Ask("Least saving per month of a command.", "--least-saving", metavar="USD", least=0)
    ] = 5.0
    """Per month and command; text shows no command that saves less."""


class FlowLogBill(Value, frozen=True, kw_only=True):
    """What flow logs cost per month, by who writes them, and settings that cost less."""

    price_age: str = ""
    """That prices are old; empty while they hold."""
    prices_sha256: str = ""
    """Of the snapshot."""
    window: str
    """What the records are of, in words."""
    writers: tuple[LogRow, ...]
    """Settings and configurations, the dearest first."""
    usd_per_month: Decimal | None
    """Of all writers; None where nothing has a price."""
    line_items: tuple[LineItem, ...]
    unpriced: tuple[Unpriced, ...]
    goal: LogGoal | None = None
    """What is promised; None: nothing was planned."""
    planned_usd_per_month: Decimal | None = None
    """Of all writers as proposed, and of the others as they are."""
    planned_line_items: tuple[LineItem, ...] = ()
    traffic_usd_per_month: Decimal | None = None
    """Of the traffic that the records tell; None: it was not looked at."""
    dollar_error_ratio: float | None = None
    """Of the traffic's dollars, as planned; None where there are none."""
    p95_machine_count: int = 0
    """Machines whose 95th percentile is promised; what one sends can be told by several writers."""
    notes: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    """What of the given evidence could not be read in full, a line each."""
