"""What `netplan flow-logs` answers: what flow logs cost, and settings that cost less."""

from decimal import Decimal

from netplan_planner.model.base import Value


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
