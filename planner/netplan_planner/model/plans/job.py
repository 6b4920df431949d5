"""A job that ends: what one run moves and computes, and what machines make of it."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, ClassVar

from netplan_planner.asks import CHOICE, Ask, Bytes, Deadline, Reading, names
from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model.base import Value
from netplan_planner.model.money.prices import LineItem, Usage
from netplan_planner.model.plans.machine_choice import MachineChoice
from netplan_planner.model.plans.plan import MachinesOfType, Rejected
from netplan_planner.model.plans.plan_answer import Shortfall

WORK = "What one run does"


class JobPhase(StrEnum):
    """A part of a run."""

    IN = "in"
    """Its bytes arrive."""
    COMPUTE = "compute"
    BETWEEN = "between"
    """Its machines exchange bytes."""
    OUT = "out"
    """Its bytes leave."""


class JobPlace(StrEnum):
    """Where bytes come from or go."""

    ZONE = "zone"
    """Internal addresses of the machines' own zone."""
    INTERNAL = "internal"
    """Internal addresses of another zone of the region."""
    REGION = "region"
    """Internal addresses of another region."""
    INTERNET = "internet"
    STORAGE = "storage"
    """Cloud Storage, of which no document states what one machine reads or writes."""


class JobEnd(Value, frozen=True, kw_only=True):
    """The other end of what a job moves in or out."""

    place: JobPlace = JobPlace.ZONE
    region: str | None = None
    """Of the other end, where it is named."""
    area: str | None = None
    """Of the internet, which decides the price."""
    gbps: float | None = None
    """What one machine of the job moves at most, where that was measured."""
    total_gbps: float | None = None
    """What the other end handles of all machines together; None: more than they ask for."""


class JobNeed(MachineChoice, frozen=True, kw_only=True):
    """What one run of a job does, and on which machines it may run."""

    PANEL: ClassVar[str] = WORK

    region: Annotated[str, Ask("Region of the job.", metavar="REGION")] = ""
    """Empty: not told, and no plan is made."""
    in_bytes: Annotated[
        Bytes,
        Ask(
            "Bytes in, such as 2TB or 2TiB; all VMs together.",
            "--bytes-in",
            metavar="SIZE",
        ),
    ] = 0
    """Read by all machines together; so the others."""
    out_bytes: Annotated[Bytes, Ask("Bytes out.", "--bytes-out", metavar="SIZE")] = 0
    between_bytes: Annotated[
        Bytes,
        Ask(
            "Bytes between its VMs, an equal share each.",
            "--bytes-between",
            metavar="SIZE",
            is_expert=True,
        ),
    ] = 0
    """Shuffled among them: each sends as much to every machine as to itself."""
    cpu_seconds: Annotated[
        float, Ask("CPU time on one vCPU in total.", metavar="SECONDS", least=0)
    ] = 0.0
    """vCPU-seconds of work."""
    parallel_ratio: Annotated[
        float,
        Ask(
            "Share of the CPU time that runs in parallel on all vCPUs; the rest runs on one.",
            "--parallel",
            metavar="RATIO",
            least=0,
            most=1,
            is_expert=True,
        ),
    ] = 1.0
    """Share of that work which shares out over the vCPUs; the rest runs on one."""
    deadline_s: Annotated[
        Deadline | None,
        Ask(
            "Time limit, such as 2h, or end time, such as 2026-12-01T06:00:00Z.",
            "--deadline",
            metavar="TIME",
        ),
    ] = None
    """From the state RUNNING on; None: there is none."""
    overlap: Annotated[
        tuple[JobPhase, ...],
        Reading(list[str], lambda option, given: _phases(option, names(given))),
        Ask(
            "Phases that overlap: in, compute, between, out; commas.",
            metavar="PHASES",
            is_expert=True,
        ),
    ] = ()
    """Phases that run at the same time; the others follow one another."""
    source: JobEnd = JobEnd()
    target: JobEnd = JobEnd()
    disk_mib_per_s: float | None = None
    """What the disk of one machine reads and writes together, where it is in the way."""
    rtt_ms: float | None = None
    runs_per_month: float | None = None
    """None: it runs once."""
    max_count: Annotated[
        int,
        Ask(
            "Maximum number of VMs; 1 if the job cannot be divided.",
            least=1,
            most=1000,
            panel=CHOICE,
        ),
    ] = 16
    interruptions_per_day: float | None = None
    """Of one Spot machine; None: not known."""
    lost_work_s: float | None = None
    """Machine time that an interruption takes with it; None: all of the run so far."""
    baseline_type: Annotated[
        str | None,
        Ask(
            "Current machine type, for comparison.",
            "--baseline",
            metavar="TYPE",
            panel=CHOICE,
        ),
    ] = None
    """The machine type in use."""
    baseline_count: Annotated[int, Ask("Its number.", least=1, most=1000, panel=CHOICE)] = 1
    assumptions: tuple[str, ...] = ()
    """Of whoever describes the job."""


def _phases(option: str, given: tuple[str, ...]) -> tuple[JobPhase, ...]:
    known = [phase.value for phase in JobPhase]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UsageError(f"{option} {name[:40]!r}: the phases are {', '.join(known)}{hint}")
    if len(set(given)) == 1:
        raise UsageError(f"{option} {given[0]}: a single phase cannot overlap; name two or more")
    return tuple(phase for phase in JobPhase if phase.value in given)


class PhaseTime(Value, frozen=True, kw_only=True):
    """How long a phase of a run takes by itself."""

    phase: JobPhase
    duration_s: float
    gbps: float | None = None
    """Of one machine; None: the phase moves nothing."""
    bound_by: str = ""
    """What holds it back: the name of a limit, `disk`, `other-end`, `vcpus`, `serial-work`."""


class JobOption(MachinesOfType, frozen=True, kw_only=True):
    """What so many machines of a type make of a job."""

    cpu_platform: str
    """The least CPU platform to ask for, where the cap depends on it."""
    usage: Usage
    phases: tuple[PhaseTime, ...]
    duration_s: float
    """Of a run, start-up included; of Spot machines as expected with interruptions, at most."""
    low_duration_s: float
    """At the high end of the throughput interval."""
    high_duration_s: float | None
    """At the low end; None: Spot machines would be interrupted before they are ever done."""
    billed_s: int
    """Of one machine and run: whole seconds, at least a minute; of Spot machines as expected."""
    machine_hours_per_run: Decimal
    """Billed, of all machines."""
    usd_per_hour: Decimal
    """Of one machine, its Tier_1 fee included."""
    usd_per_run: Decimal
    """Of the machines, without the traffic."""
    low_usd_per_run: Decimal
    high_usd_per_run: Decimal | None
    usd_per_month: Decimal | None
    """None: it runs once."""
    deadline_probability: float | None
    """Of meeting the deadline; of Spot machines at least. None: there is no deadline."""
    line_items: tuple[LineItem, ...]
    """Of a month's runs; of a job that runs once, of that."""


class JobPayment(Value, frozen=True, kw_only=True):
    """A way to pay for the machines, at its own best."""

    usage: Usage
    option: JobOption | None
    unknown: str = ""
    """Why there is none."""
    break_even_interruptions_per_day: float | None = None
    """Of Spot: up to so many of one machine, the machines of the plan cost less than on demand."""
    break_even_runs_per_day: float | None = None
    """Of a commitment: from so many on it costs less than on demand."""


class JobSize(Value, frozen=True, kw_only=True):
    """A size of the plan's machine family, as many of it as the plan has."""

    machine_type: str
    vcpus: int
    duration_s: float
    usd_per_run: Decimal
    bound_by: str
    """What holds back the longest phase."""


class JobHours(Value, frozen=True, kw_only=True):
    """What an autoscaler runs for a job that is repeated."""

    machine_type: str
    count: int
    vm_hours_per_day: float
    vcpu_hours_per_day: float
    mean_machine_count: float
    """Running at a time, over the day."""
    usd_per_day: Decimal


class JobInfeasible(Shortfall, frozen=True, kw_only=True):
    """Why no machines do it, by how little they miss it, and what to change."""

    fastest: JobOption | None = None


class JobPlan(Value, frozen=True, kw_only=True):
    """Machines for a job: the cheapest in total first, or why there are none."""

    need: JobNeed
    options: tuple[JobOption, ...]
    """Of every type its cheapest count that meets the deadline; equal costs by time."""
    front: tuple[JobOption, ...]
    """What no other beats in both cost and time, cheapest first, whatever the deadline."""
    sizes: tuple[JobSize, ...]
    """Sizes of the best option's family, smallest first."""
    cheapest_size: str
    """Up to this one bigger costs no more; empty: there are no sizes to compare."""
    payments: tuple[JobPayment, ...]
    sure: JobOption | None
    """The cheapest that meets the deadline also at the slow end of the interval."""
    baseline: JobOption | None
    """What the machines in use make of it, on demand; None: not named, or not known."""
    before: JobHours | None
    after: JobHours | None
    traffic_items: tuple[LineItem, ...]
    traffic_usd_per_run: Decimal | None
    """With any of the machines alike; None: not known."""
    traffic_note: str
    unknown: tuple[Rejected, ...]
    """Types that were to be judged and cannot be."""
    left_out_count: int
    """Types that a filter keeps out: series, architecture, memory, GPUs, shared cores."""
    infeasible: JobInfeasible | None
    assumptions: tuple[str, ...]
    """What was not told and is taken for granted, or left out."""
