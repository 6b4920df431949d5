"""What is kept of an audit: fields of the report by the same names, so that it reads as one."""

from datetime import date, datetime, timedelta
from decimal import Decimal

from netplan_planner.model import Direction, MonthBill, PathClass, Severity, Value
from netplan_planner.model.finding import ChangeKind


class RunPath(Value, frozen=True, kw_only=True):
    """All traffic of a path class in one direction."""

    path_class: PathClass
    direction: Direction = Direction.SENT
    gib_per_month: Decimal
    usd_per_month: Decimal | None


class RunZones(Value, frozen=True, kw_only=True):
    """The fastest minute of any pair of VMs between two zones."""

    path_class: PathClass
    src_zone: str
    dst_zone: str
    max_gbps: float


class RunPair(Value, frozen=True, kw_only=True):
    """A sender and a receiver, with their groups and what these run."""

    src: str
    dst: str
    src_place: str
    dst_place: str
    src_group: str = ""
    dst_group: str = ""
    src_version: str = ""
    dst_version: str = ""
    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal


class RunMachine(Value, frozen=True, kw_only=True):
    """What of a VM shows whether advice was carried out."""

    project: str
    zone: str
    name: str
    machine_type: str
    is_spot: bool
    is_tier1: bool
    external_addresses: tuple[str, ...]


class RunChange(Value, frozen=True, kw_only=True):
    """What a fix changes."""

    kind: ChangeKind
    target: str
    to: str | None = None
    members: tuple[str, ...] = ()


class RunFinding(Value, frozen=True, kw_only=True):
    """A finding, and what its fix would change."""

    fingerprint: str
    rule: str
    title: str
    subject: str
    severity: Severity
    saving_usd_per_month: Decimal | None
    changes: tuple[RunChange, ...]


class RunWindow(Value, frozen=True, kw_only=True):
    """From when to when the traffic of a run is; None: steady rates, which have no time."""

    start: datetime | None
    end: datetime | None


class RunRecord(Value, frozen=True, kw_only=True):
    """One run of an audit."""

    tool: str
    title: str
    projects: tuple[str, ...]
    limits_as_of: date
    prices_as_of: date
    network_prices_as_of: date
    window: RunWindow | None
    bill: MonthBill
    traffic_by_class: tuple[RunPath, ...]
    zone_pairs: tuple[RunZones, ...]
    dear_pairs: tuple[RunPair, ...]
    machines: tuple[RunMachine, ...] = ()
    findings: tuple[RunFinding, ...]

    @property
    def day(self) -> date:
        """The last day of its traffic; without any, that of its limits, which is the run's."""
        if self.window is None or self.window.end is None:
            return self.limits_as_of
        return (self.window.end - timedelta(microseconds=1)).date()

    @property
    def window_days(self) -> float | None:
        """The length of the traffic's window; None: it has none."""
        if self.window is None or self.window.end is None or self.window.start is None:
            return None
        return (self.window.end - self.window.start) / timedelta(days=1)
