"""The cheapest machines for a job that ends: one that is described, or that of a demo's story."""

from msgspec.structs import replace

from netplan_planner.asks import given_options
from netplan_planner.errors import UsageError
from netplan_planner.machines.known import check_region
from netplan_planner.model import JobEnd, JobNeed, JobPlace, PriceBook, Usage
from netplan_planner.optimise.bill import COMMITTED
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.planning.basis import Opened, opened
from netplan_planner.planning.inputs import check_interruptions, one_usage
from netplan_planner.planning.path_question import check_mtu
from netplan_planner.planning.steps.runs import changes_of_jobs
from netplan_planner.throughput.limits.caps import checked_series
from netplan_planner.units import HOURS_PER_DAY, HOURS_PER_MONTH
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.job.answer import JobAnswer
from netplan_planner.verbs.job.ask import Ends, JobAsk, Pay
from netplan_planner.world.demos import load_demo


@verb(
    panel=panels.PLAN,
    question="Which VMs finish a job at least cost, by a deadline?",
    rows=5,
    explains="Show every row and bill, and why some types are not evaluated.",
)
def job(ask: JobAsk, now: Now) -> JobAnswer:
    """Find the machine type and number of VMs that finish a job at the lowest cost, by a deadline.

    Includes bytes in, out and between VMs, CPU time and start-up. VMs are billed per second, one
    minute at least. Shows the cost/time trade-off, other purchase options, and the VM hours of an
    autoscaler. Exit status: 0, or 1 when no VMs can do it.
    """
    demo = None
    if ask.demo is not None:
        for part in (ask.need, ask.ends, ask.pay):
            for option in given_options(part):
                raise UsageError(f"--demo has its own job: leave out {option}")
        demo = load_demo(ask.demo)
    on = opened(ask.on, now.today, demo.limits_as_of if demo else None)
    if demo is not None and not demo.jobs:
        raise UsageError(f"--demo {demo.name}: its story has no job; dobermanifesto has one")
    needs = demo.jobs if demo else (_need(ask, on),)
    plans = tuple(plan_job(need, on.prices, on.caps) for need in needs)
    return on.answer(
        JobAnswer,
        is_feasible=all(plan.infeasible is None for plan in plans),
        jobs=plans,
        changes=changes_of_jobs(plans, on.prices),
    )


def _need(ask: JobAsk, on: Opened) -> JobNeed:
    """Return the job that is described, less what cannot be.

    Raises:
        UsageError: If something that must be said is missing, is not known, or cannot be.
    """
    if not ask.need.region:
        raise UsageError("give --region, or a story's job: --demo dobermanifesto")
    region, ends, pay = ask.need.region, ask.ends, ask.pay
    check_region("--region", region, on.prices)
    per_day = pay.runs_per_day
    need = replace(
        ask.need,
        source=_end("--from", ends.source, region, on.prices, ends.in_gbps, ends.in_total_gbps),
        target=_end(
            "--to", ends.target, region, on.prices, ends.out_gbps, ends.out_total_gbps, ends.area
        ),
        disk_mib_per_s=ends.disk_mib_per_s,
        rtt_ms=ends.rtt_ms,
        runs_per_month=None if per_day is None else per_day * HOURS_PER_MONTH / HOURS_PER_DAY,
        series=checked_series(ask.need.series, on.limits),
        usage=_usage(pay),
        interruptions_per_day=pay.interruptions_per_day,
        lost_work_s=pay.lost_work_s,
    )
    _check(need, on)
    _check_of_nothing(need, ends)
    check_mtu(need)
    return need


def _check_of_nothing(need: JobNeed, ends: Ends) -> None:
    """Raise for an option of what the job has not: it would be left out without a word."""
    for option, side, volume in (
        ("--from", "in", need.in_bytes),
        ("--to", "out", need.out_bytes),
    ):
        of_side = {option, f"--{side}-gbps", f"--{side}-total-gbps"}
        if option == "--to":
            of_side.add("--area")
        if not volume and of_side.intersection(given_options(ends)):
            raise UsageError(
                f"{option}, --{side}-gbps and --{side}-total-gbps need --bytes-{side}: add it, "
                "or leave them out"
            )
    if need.baseline_type is None and need.baseline_count != 1:
        raise UsageError("--baseline-count needs --baseline: give both")


def _check(need: JobNeed, on: Opened) -> None:
    """Raise for what cannot be, before anything is worked out."""
    if not (need.in_bytes or need.out_bytes or need.between_bytes or need.cpu_seconds):
        raise UsageError(
            "a job needs bytes or CPU time: add --bytes-in, --bytes-out, --bytes-between or "
            "--cpu-seconds"
        )
    if need.between_bytes and need.max_count < 2:
        raise UsageError("--bytes-between needs at least two VMs: set --max-count to 2 or more")
    if need.startup_s and need.deadline_s and need.startup_s >= need.deadline_s:
        raise UsageError(
            f"--start-up of {need.startup_s:g} s leaves no time within a --deadline of "
            f"{need.deadline_s:g} s"
        )
    for option, names in (
        ("--machine-type", need.machine_types),
        ("--baseline", (need.baseline_type,) if need.baseline_type else ()),
    ):
        for name in names:
            if on.prices.shape(name) is None:
                raise UsageError(f"{option} {on.limits.why_no_type(name)}")
    for option, volume, end in (
        ("--bytes-in", need.in_bytes, need.source),
        ("--bytes-out", need.out_bytes, need.target),
    ):
        side = option.removeprefix("--bytes-")
        if volume and end.place is JobPlace.STORAGE and end.gbps is None:
            raise UsageError(
                "no document states the rate between one VM and Cloud Storage: give your "
                f"measurement with --{side}-gbps (published values: netplan predict --path "
                "google-apis)"
            )
        is_outside = end.place is JobPlace.INTERNET
        if volume and is_outside and need.streams is not None and need.rtt_ms is None:
            raise UsageError(f"--streams over that distance ({option}) needs --rtt-ms")


def _end(
    option: str,
    place: str,
    region: str,
    prices: PriceBook,
    gbps: float | None,
    total_gbps: float | None,
    area: str | None = None,
) -> JobEnd:
    kinds = [place.value for place in JobPlace if place is not JobPlace.REGION]
    end = JobEnd(gbps=gbps, total_gbps=total_gbps, area=area)
    if area is not None and place != JobPlace.INTERNET:
        raise UsageError(f"--area needs {option} internet")
    if place in kinds:
        return replace(end, place=JobPlace(place))
    check_region(option, place, prices, f" (it is {', '.join(kinds)}, or a region)")
    if place == region:
        return replace(end, place=JobPlace.INTERNAL)
    return replace(end, place=JobPlace.REGION, region=place)


def _usage(pay: Pay) -> Usage:
    """Return the one way of paying.

    Raises:
        UsageError: If two are asked for, or what it needs is not told.
    """
    flags = {Usage.SPOT: pay.spot, Usage.CUD_1Y: pay.cud_1y, Usage.CUD_3Y: pay.cud_3y}
    usage = one_usage(flags) or Usage.ON_DEMAND
    if usage is Usage.SPOT:
        check_interruptions(pay.interruptions_per_day)
    if usage in COMMITTED and pay.runs_per_day is None:
        raise UsageError(f"--{usage.value} needs --runs-per-day: a commitment is paid all month")
    return usage
