"""How many vCPUs and how much memory a machine was seen to need."""

from math import ceil

from netplan_planner.model import ROLE_LABEL, Facts, Instance, MachineShape, Metric, Value
from netplan_planner.units import BYTES_PER_GIB

STANDBY = "standby"
"""A machine that is idle on purpose, by its label."""

_GAPS_RATIO = 0.02
"""Share of the wanted days that may lack points: the newest come minutes late, and machines and
agents restart."""


def is_watched(days: float, least_days: float) -> bool:
    """Return whether days with points are as many as are wanted, but for short gaps."""
    return days >= least_days * (1 - _GAPS_RATIO)


class SizeLimits(Value, frozen=True, kw_only=True):
    """How far use may fill a machine, and how long it has to be watched."""

    cpu_ratio: float
    """Share of the vCPUs that the 95th percentile of the CPU in use may take, above 0 to 1."""
    memory_ratio: float
    """Share of the memory that the greatest use may take, above 0 to 1."""
    min_days: float
    """Days with points below which metrics decide nothing."""


class SeenSize(Value, frozen=True, kw_only=True):
    """What a machine has to have; its own vCPUs and memory where nothing tells of less."""

    vcpus: int
    memory_gib: float
    cpu_ratio: float | None = None
    """95th percentile of its used vCPUs, where that decided; 0 to 1."""
    memory_ratio: float | None = None
    """Its greatest used memory, where that decided; 0 to 1."""
    days: float = 0.0
    """How long it was watched."""

    @property
    def is_seen(self) -> bool:
        """Whether metrics decided any of it."""
        return self.cpu_ratio is not None or self.memory_ratio is not None

    @property
    def basis(self) -> str:
        """Where it comes from, in words; empty where metrics decided nothing."""
        parts = []
        if self.cpu_ratio is not None:
            parts.append(f"CPU {self.cpu_ratio:.0%} at the 95th percentile")
        if self.memory_ratio is not None:
            parts.append(f"memory at most {self.memory_ratio:.0%}")
        watched = f" in {self.days:.0f} days of Cloud Monitoring" if parts else ""
        return " and ".join(parts) + watched


def seen_size(
    facts: Facts, instance: Instance, shape: MachineShape, limits: SizeLimits
) -> SeenSize:
    """Return what a machine has to have, by its own metrics where they tell of long enough.

    CPU and memory are judged each by its own; what was not measured stays as the machine has it,
    and so does all of a machine on shared cores, of one with GPUs, and of one whose label says that
    it stands by. Never more than it has: a machine that is full is no matter of bandwidth.
    """
    own = SeenSize(vcpus=shape.vcpus, memory_gib=shape.memory_gib)
    is_kept = shape.is_shared_core or shape.gpu_count > 0 or instance.gpu_count > 0
    if facts.metrics is None or is_kept or instance.label(ROLE_LABEL) == STANDBY:
        return own
    link = instance.ref.self_link
    vcpus, memory_gib = own.vcpus, own.memory_gib
    cpu = facts.metrics.of(link, Metric.VM_CPU)
    cpu_ratio = memory_ratio = None
    days = []
    if cpu is not None and is_watched(cpu.days, limits.min_days):
        cpu_ratio = cpu.p95
        wanted = ceil(cpu_ratio * shape.vcpus / limits.cpu_ratio)
        vcpus = min(max(wanted, 1), shape.vcpus)
        days.append(cpu.days)
    used = _used_memory(facts, instance, shape, limits.min_days)
    if used is not None:
        memory_ratio, watched = used
        wanted_gib = memory_ratio * shape.memory_gib / limits.memory_ratio
        memory_gib = min(wanted_gib, shape.memory_gib)
        days.append(watched)
    return SeenSize(
        vcpus=vcpus,
        memory_gib=memory_gib,
        cpu_ratio=cpu_ratio,
        memory_ratio=memory_ratio,
        days=min(days, default=0.0),
    )


def _used_memory(
    facts: Facts, instance: Instance, shape: MachineShape, least_days: float
) -> tuple[float, float] | None:
    """Return the greatest share of memory in use and the days watched; None: not known.

    The agent inside the machine goes before the balloon of E2, which counts what the machine ever
    touched.
    """
    assert facts.metrics is not None
    link = instance.ref.self_link
    agent = facts.metrics.of(link, Metric.VM_MEMORY)
    if agent is not None and is_watched(agent.days, least_days):
        return min(agent.max, 1.0), agent.days
    balloon = facts.metrics.of(link, Metric.VM_BALLOON_USED)
    if balloon is not None and is_watched(balloon.days, least_days) and shape.memory_gib > 0:
        return min(balloon.max / BYTES_PER_GIB / shape.memory_gib, 1.0), balloon.days
    return None
