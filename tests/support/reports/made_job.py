"""A job's plan with every part filled, for tests of how it is written."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import (
    JobEnd,
    JobHours,
    JobNeed,
    JobOption,
    JobPayment,
    JobPhase,
    JobPlace,
    JobPlan,
    JobSize,
    PhaseTime,
    Rejected,
    Usage,
)
from support.reports.findings import line

RUNS = 730


def option(machine_type: str, vcpus: int, seconds: int, usd: str, hours: str) -> JobOption:
    """Return what one machine makes of the job."""
    item = line(f"{machine_type} in us-central1", hours, "hour", usd)
    each = item.usd_per_month / RUNS
    return JobOption(
        machine_type=machine_type,
        count=1,
        is_tier1=False,
        cpu_platform="",
        usage=Usage.ON_DEMAND,
        vcpus=vcpus,
        memory_gib=3.75 * vcpus,
        phases=(
            PhaseTime(phase=JobPhase.COMPUTE, duration_s=7200 / vcpus, gbps=None, bound_by="vcpus"),
            PhaseTime(
                phase=JobPhase.OUT,
                duration_s=172 / vcpus,
                gbps=2.0 * vcpus,
                bound_by="vm-egress",
            ),
        ),
        duration_s=float(seconds),
        low_duration_s=seconds - 1.0,
        high_duration_s=seconds + 20.0,
        billed_s=seconds,
        machine_hours_per_run=Decimal(seconds) / 3600,
        usd_per_hour=Decimal(usd),
        usd_per_run=each,
        low_usd_per_run=each,
        high_usd_per_run=each * Decimal("1.01"),
        usd_per_month=item.usd_per_month,
        deadline_probability=0.97,
        line_items=(item,),
    )


def job_plan() -> JobPlan:
    """Return a job for which the bigger machine is dearer in total."""
    need = JobNeed(
        region="us-central1",
        architecture=None,
        out_bytes=40 * 2**30,
        cpu_seconds=7200.0,
        deadline_s=3600.0,
        runs_per_month=RUNS,
        target=JobEnd(place=JobPlace.REGION, region="europe-west1"),
        max_count=1,
        assumptions=("40 GiB and 2 h of CPU time a run: the story states neither",),
    )
    small = option("n1-standard-4", 4, 1843, "0.189999", "373.72")
    big = option("n1-standard-8", 8, 922, "0.379998", "186.96")
    return JobPlan(
        need=need,
        options=(small, big),
        front=(small, big),
        sizes=tuple(
            JobSize(
                machine_type=one.machine_type,
                vcpus=one.vcpus,
                duration_s=one.duration_s,
                usd_per_run=one.usd_per_run,
                bound_by="vcpus",
            )
            for one in (small, big)
        ),
        cheapest_size="n1-standard-4",
        payments=(
            JobPayment(usage=Usage.ON_DEMAND, option=small),
            JobPayment(
                usage=Usage.SPOT,
                option=None,
                unknown="no rate is known",
                break_even_interruptions_per_day=12.5,
            ),
            JobPayment(usage=Usage.CUD_1Y, option=big, break_even_runs_per_day=31.0),
        ),
        sure=big,
        baseline=big,
        before=hours(big),
        after=hours(small),
        traffic_items=(line("traffic out", "30000", "GiB", "0.05"),),
        traffic_usd_per_run=Decimal("2.05"),
        traffic_note="both ends are yours",
        unknown=(
            Rejected(machine_type="f1-micro", is_tier1=False, reason="cap", detail="no cap row"),
        ),
        left_out_count=3,
        infeasible=None,
        assumptions=need.assumptions,
    )


def short_job_plan() -> JobPlan:
    """Return the same without a deadline and without machines in use."""
    found = job_plan()
    return replace(
        found,
        need=replace(found.need, deadline_s=None),
        sure=None,
        baseline=None,
        before=None,
        after=None,
        sizes=(),
        left_out_count=0,
    )


def hours(one: JobOption) -> JobHours:
    """Return the hours of a day that an autoscaler runs for it."""
    each = float(one.machine_hours_per_run) * RUNS / (730 / 24)
    return JobHours(
        machine_type=one.machine_type,
        count=1,
        vm_hours_per_day=each,
        vcpu_hours_per_day=each * one.vcpus,
        mean_machine_count=each / 24,
        usd_per_day=Decimal("2.34"),
    )
