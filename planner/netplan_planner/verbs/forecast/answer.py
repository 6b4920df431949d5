"""`netplan forecast`: what traffic becomes, when caps are reached, what paths will cost."""

from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import SelfLink, Text, Value
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.plans.plan_answer import ProjectPlan


class Scope(StrEnum):
    """Which cap of a machine, which decides the traffic that counts."""

    ALL = "all"
    """All that it sends, whatever the address."""
    OUTSIDE = "outside"
    """What it sends to addresses outside the VPC."""


class CapStatus(StrEnum):
    """Where a machine stands against its cap, the most pressing first."""

    THERE = "there"
    """Its last week is at the line already."""
    WITHIN = "within"
    """More likely than not it reaches the line within the horizon."""
    PERHAPS = "perhaps"
    """It may: as likely as the interval leaves out on one side, or more."""
    BEYOND = "beyond"
    """Not within the horizon."""
    UNFORESEEN = "unforeseen"
    """Below the line, and the window is too short to say more."""
    UNKNOWN = "unknown"
    """No cap is known."""


class Range(Value, frozen=True, kw_only=True):
    """A middle with an interval; None: the window is too short for one."""

    middle: float
    low: float | None = None
    high: float | None = None


class Basis(Value, frozen=True, kw_only=True):
    """What a forecast rests on."""

    start: datetime
    end: datetime
    bin_s: float
    known_days: int
    span_days: int
    """From the first known day to the last, unknown ones included."""
    unknown_bins: int
    """Between the first and the last known one; they count as unknown, never as 0."""
    has_day_shape: bool
    """Whether hours of the day were told apart, which fills single unknown hours."""
    has_week_shape: bool
    """Whether weekdays were told apart."""
    growth_per_week: Range | None = None
    """As a ratio of the level; None: the window is too short to tell."""
    is_growing: bool = False
    """Whether the interval of growth leaves out 0; else the middle line is level."""
    set_aside: tuple[date, ...] = ()
    """Days far from those around them, such as an outage; they decide nothing."""
    steps: tuple[date, ...] = ()
    """Days from which on the level is another; the forecast goes on from the last one."""
    source: str = ""
    """What tells of the traffic."""


class ForecastWeek(Value, frozen=True, kw_only=True):
    """The 95th percentile of one week, in Gbit/s."""

    week: int
    """1 is the first week after the series."""
    low_gbps: float
    gbps: float
    high_gbps: float


class NextMachine(Value, frozen=True, kw_only=True):
    """The cheapest type that would carry what is foreseen for the end of the horizon."""

    machine_type: str
    is_tier1: bool
    cpu_platform: str = ""
    """The least CPU platform to ask for, where the cap depends on it."""
    usable_gbps: float
    """After headroom."""
    usd_per_month: Decimal
    usd_per_month_today: Decimal | None
    """Of the machine as it stands; None: not known."""
    needs_gbps: float


class MachineForecast(Value, frozen=True, kw_only=True):
    """One machine, or row of a table, against one of its caps."""

    name: str
    scope: Scope
    machine: SelfLink | None = None
    machine_type: str | None = None
    is_tier1: bool = False
    zone: str = ""
    cap_gbps: float | None
    line_gbps: float | None
    """The cap less headroom."""
    now_gbps: float
    """95th percentile of the last week."""
    now_peak_gbps: float
    status: CapStatus
    probability: float | None = None
    """That the line is reached within the horizon."""
    week: int | None = None
    """By which it is more likely than not; 0: already."""
    low_week: int | None = None
    high_week: int | None = None
    """None: the interval reaches beyond the horizon."""
    reached_by: date | None = None
    """Last day of that week."""
    peak_probability: float | None = None
    """That a single bin reaches the whole cap within the horizon."""
    end_gbps: Range
    """95th percentile of the horizon's last week."""
    basis: Basis
    weeks: tuple[ForecastWeek, ...] = ()
    past_gbps: tuple[float | None, ...] = ()
    """95th percentile of each day of the series, oldest first; None: unknown."""
    next_machine: NextMachine | None = None
    why_no_machine: str = ""


class PathMonth(Value, frozen=True, kw_only=True):
    """A path in one month of the horizon."""

    month: int
    gib: Decimal
    usd: Decimal


class PathForecast(Value, frozen=True, kw_only=True):
    """What is sent from one place to another over paths of one price."""

    name: str
    path_class: str
    src: str
    dst: str
    gib: Range
    """Over the horizon."""
    usd: Decimal | None
    """None: no price is known."""
    low_usd: Decimal | None = None
    high_usd: Decimal | None = None
    months: tuple[PathMonth, ...] = ()
    unpriced: str = ""
    """Why there is no price."""
    basis: Basis
    past_gbps: tuple[float | None, ...] = ()
    """Mean of each day, oldest first."""
    weeks: tuple[ForecastWeek, ...] = ()
    """Mean rate of each week."""


class ForecastMonth(Value, frozen=True, kw_only=True):
    """730 hours of the horizon, the last of them perhaps fewer: steps of prices begin anew."""

    month: int
    hours: float
    gib: Decimal
    usd: Decimal
    line_items: tuple[LineItem, ...]


class ForecastAnswer(ProjectPlan, frozen=True, kw_only=True):
    """What traffic becomes within a horizon."""

    title: str
    horizon_days: int
    level: float
    """Share of futures that the intervals are meant to hold."""
    headroom_ratio: float
    machines: tuple[MachineForecast, ...] = ()
    """Those that reach a cap soonest first."""
    paths: tuple[PathForecast, ...] = ()
    """The dearest first."""
    months: tuple[ForecastMonth, ...] = ()
    usd: Decimal | None = None
    """Of all paths that have a price."""
    low_usd: Decimal | None = None
    high_usd: Decimal | None = None
    total_basis: Basis | None = None
    """Of the interval of `usd`, which is that of the paths' joint series; None: there is none."""
    left_out: tuple[str, ...] = ()
    """What has no forecast, and why."""
    notes: tuple[Text, ...] = ()
    price_terms: str = ""
