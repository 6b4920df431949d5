"""What `netplan history` answers: every run, the steps between them, and advice carried out."""

from datetime import date
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model import PathClass, Value


class HistoryRun(Value, frozen=True, kw_only=True):
    """One run of an audit, in figures of a month."""

    day: date
    """The last day of its traffic."""
    usd_per_month: Decimal
    """All that has a known price."""
    machines_usd: Decimal
    traffic_usd: Decimal | None
    """None: the run had no traffic, as in the next three."""
    sent_gib_per_month: Decimal | None
    sent_gbps: float | None
    """The mean rate of all that own VMs send."""
    max_gbps: float | None
    """The fastest minute of any pair of own VMs; None: not known."""
    finding_count: int
    high_count: int
    saving_usd_per_month: Decimal
    """What all findings would save, each alone: fixes may overlap."""


class PathDay(Value, frozen=True, kw_only=True):
    """What own VMs send over a path class in one run."""

    day: date
    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    """None: it has no known price."""
    gbps: float


class CauseKind(StrEnum):
    """What can make a step; of those that explain enough of it, the first here is the answer."""

    PRICES = "prices"
    """Other prices, or another version of netplan, between the runs."""
    NAT_ROUTE = "nat-route"
    """The same senders reach the same receivers through Cloud NAT."""
    FAILOVER = "failover"
    """A VM fell silent, and one in another place took its traffic."""
    NEW_REPLICA = "new-replica"
    """A VM that was not there before, of a group that goes on."""
    DEPLOYMENT = "deployment"
    """A group runs another version."""
    PAIR = "pair"
    VM = "vm"
    GROUP = "group"
    PLACES = "places"
    """All traffic from one zone or region to another."""
    PATH = "path"
    """A path class, where nothing smaller explains the step."""


class Cause(Value, frozen=True, kw_only=True):
    """What may have made a step."""

    kind: CauseKind
    name: str
    """Of the group, VM, pair, places or path class."""
    text: str
    usd_per_month: Decimal
    """What its traffic costs more since; less where below 0."""
    share_ratio: float
    """Of the step's difference; others may explain the same dollars in other words."""


class Step(Value, frozen=True, kw_only=True):
    """A change of what traffic costs that stays."""

    day: date
    """Of the first run at the new level."""
    seen_day: date
    """Of the run from which on it can be told from noise."""
    series: tuple[str, ...]
    """Where it shows, the largest difference first: path classes, and groups that send."""
    usd_per_month_before: Decimal
    """Of these path classes (of these groups, where no class shows it), on the same weekdays of the
    two weeks before."""
    usd_per_month_after: Decimal
    causes: tuple[Cause, ...]
    """The answer first, then the next candidates."""

    @property
    def difference_usd_per_month(self) -> Decimal:
        """What traffic costs more since; less where below 0."""
        return self.usd_per_month_after - self.usd_per_month_before


class CarriedOut(Value, frozen=True, kw_only=True):
    """A finding that left, and whether its fix is seen in the state."""

    day: date
    """Of the first run without it."""
    rule: str
    title: str
    subject: str
    saving_usd_per_month: Decimal | None
    """What it was worth when it was last seen."""
    is_seen: bool
    """Whether its change is seen at every place; if not, the finding left for another reason."""


class HistoryAnswer(Value, frozen=True, kw_only=True):
    """The runs of one project or group of projects."""

    source: str
    title: str
    projects: tuple[str, ...]
    runs: tuple[HistoryRun, ...]
    """By day; of several runs of a day the one recorded last."""
    paths: tuple[PathDay, ...]
    steps: tuple[Step, ...]
    """The newest first."""
    carried_out: tuple[CarriedOut, ...]
    """The newest first."""
    notes: tuple[str, ...] = ()
    """What limits the answer."""
