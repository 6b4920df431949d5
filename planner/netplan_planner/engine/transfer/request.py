"""What `netplan transfer` is asked, in the words of its options."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from netplan_planner.model import Value
from netplan_planner.model.transfer import AddressKind, NetworkTier, TransferGoal


class TransferWords(Value, frozen=True, kw_only=True):
    """A transfer in the words of the options; texts are read by the engine."""

    source: str | None = None
    targets: tuple[str, ...] = ()
    volume: str | None = None
    goal: TransferGoal = TransferGoal.COST
    deadline: str | None = None
    budget_usd: Decimal | None = None
    area: str | None = None
    network_tier: NetworkTier = NetworkTier.PREMIUM
    address: AddressKind = AddressKind.INTERNAL
    streams: int | None = None
    relays: tuple[str, ...] = ()
    has_relays: bool = True
    max_count: int = 16
    quotas: tuple[str, ...] = ()
    internet_quotas: tuple[str, ...] = ()
    machine_gbps: float | None = None
    storage_gbps: float | None = None
    machine_egress_gbps: float | None = None
    machine_ingress_gbps: float | None = None
    machine_usd_per_hour: Decimal | None = None
    start_up: str | None = None
    memory_gib: float = 0.0
    machine_types: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    architecture: str | None = None
    is_spot: bool = False
    interruptions_per_day: float | None = None
    lost_work: str | None = None


class TransferRequest(Value, frozen=True, kw_only=True):
    """A transfer, and what its plan rests on."""

    words: TransferWords
    grid: Path | None
    edge_prices: Path | None
    now: datetime
    """From which a deadline that is a date counts."""
    today: date
    as_of: date | None = None
    prices: Path | None = None
    discounts: tuple[str, ...] = ()
    billing_exports: tuple[Path, ...] = ()
    calibration: Path | None = None
