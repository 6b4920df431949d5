"""What a fleet needs, and what may be bought for it: the words of its plan."""

from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from netplan_planner.model.base import ProjectId, SelfLink, Value, Zone, region_of
from netplan_planner.model.plans.plan import Ties


class CommitmentChoice(StrEnum):
    """Which kinds of commitments may be bought."""

    NONE = "none"
    RESOURCE = "resource"
    FLEXIBLE = "flexible"
    ALL = "all"


class MoveKind(StrEnum):
    """What makes a move to another type work, each with a price that the user may set."""

    RESTART = "restart"
    """Any other type, or Tier_1 other than today."""
    ARCHITECTURE = "architecture"
    """Another processor architecture: other images."""
    LOCAL_SSD = "local-ssd"
    """It has Local SSDs: a new machine, whose Local SSDs begin empty."""
    GPU = "gpu"
    """It has GPUs: a new machine."""
    LICENCE = "licence"
    """It has licences, and another number of vCPUs."""
    CHECK = "check"
    """Something has to be looked at before."""


class FleetNeed(Value, frozen=True, kw_only=True):
    """A group of equal machines that keeps its number and has one type."""

    name: str
    zone: Zone
    more_zones: tuple[Zone, ...] = ()
    """Further zones of the same region in which its machines stand."""
    count: int
    gbps: float
    """What each machine sends inside the VPC."""
    outside_gbps: float = 0.0
    """What each sends to addresses outside the VPC, on top."""
    vcpus: int
    """Least vCPUs of each."""
    memory_gib: float
    hours_per_month: Decimal
    active_hours: tuple[int, ...]
    """Hours of the day in which it runs, UTC; 8 is from 8 to 9."""
    machine_type: str | None = None
    """Its type today; None: it is new."""
    is_tier1: bool = False
    cpu_platform: str | None = None
    architecture: str | None = None
    """The only one that is allowed, as the Compute API spells it; None: any."""
    is_pinned: bool = False
    """It keeps its type."""
    why_pinned: str = ""
    """Why it does, where nobody asked for it."""
    is_spot: bool = False
    project: ProjectId = ProjectId("")
    ties: Ties | None = None
    has_licences: bool = False
    basis: str = ""
    """Where the wanted bandwidth and size come from."""
    machines: tuple[SelfLink, ...] = ()
    """The machines of the inventory that it stands for."""

    @property
    def region(self) -> str:
        """The region of its zone."""
        return region_of(self.zone)


class VcpuLimit(NamedTuple):
    """A quota: most vCPUs of a series in a region at once."""

    region: str
    series: str
    vcpus: int


class FleetShortfall(Value, frozen=True, kw_only=True):
    """Why a group has no machine type, or a limit no room."""

    name: str
    """Of the group, or of the limit."""
    binding: str
    shortfall: str
    change: str
    """What would have to change."""
