"""The cheapest machines for a job that ends: one that is described, or that of a demo's story."""

from datetime import date, datetime
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.engine.asked_quantities import byte_count, deadline_seconds, seconds
from netplan_planner.engine.calibration_file import with_calibration
from netplan_planner.engine.caps import checked_series
from netplan_planner.engine.demos import load_demo
from netplan_planner.engine.plan_changes.jobs import changes_of_jobs
from netplan_planner.errors import UsageError, did_you_mean, nearest_names
from netplan_planner.model import (
    CapsBook,
    JobAnswer,
    JobEnd,
    JobNeed,
    JobPhase,
    JobPlace,
    JobPlan,
    PriceBook,
    Usage,
    Value,
)
from netplan_planner.model.price_age import price_age
from netplan_planner.optimise.bill import COMMITTED
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.throughput import CapsTable, load_caps, stated_on
from netplan_planner.throughput.calibration.factors.calibrated_caps import calibration_note
from netplan_planner.units import HOURS_PER_DAY, HOURS_PER_MONTH
from netplan_pricing import open_prices


class EndWords(Value, frozen=True, kw_only=True):
    """The other end of a movement, in the words of the options."""

    option: str
    """Of the place, such as `--from`."""
    place: str
    area: str | None = None
    gbps: float | None = None
    total_gbps: float | None = None


class JobWords(Value, frozen=True, kw_only=True):
    """A job in the words of the options; texts are read by the engine."""

    region: str | None = None
    bytes_in: str | None = None
    bytes_out: str | None = None
    bytes_between: str | None = None
    cpu_seconds: float = 0.0
    parallel: float = 1.0
    start_up: str | None = None
    deadline: str | None = None
    overlap: tuple[str, ...] = ()
    source: EndWords = EndWords(option="--from", place="zone")
    target: EndWords = EndWords(option="--to", place="zone")
    disk_mib_per_s: float | None = None
    streams: int | None = None
    rtt_ms: float | None = None
    runs_per_day: float | None = None
    max_count: int = 16
    memory_gib: float = 0.0
    machine_types: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    architecture: str | None = None
    usages: tuple[Usage, ...] = ()
    """Ways of paying that are asked for; more than one is an error."""
    interruptions_per_day: float | None = None
    lost_work: str | None = None
    baseline: str | None = None
    baseline_count: int = 1


class JobRequest(Value, frozen=True, kw_only=True):
    """A job, and what its plan rests on."""

    words: JobWords
    demo: str | None
    """The story whose jobs are planned instead."""
    now: datetime
    """From which a deadline that is a date counts."""
    today: date
    as_of: date | None = None
    prices: Path | None = None
    discounts: tuple[str, ...] = ()
    billing_exports: tuple[Path, ...] = ()
    calibration: Path | None = None


def plan_asked(request: JobRequest) -> JobAnswer:
    """Return the machines for a job that is described, or for those of a demo.

    Raises:
        UsageError: If something that must be said is missing, is not known, or cannot be.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    limits = load_caps(request.as_of or (demo.limits_as_of if demo else request.today))
    caps = with_calibration(limits, request.calibration)
    book = open_prices(request.prices, request.discounts, request.billing_exports)
    if demo is not None and not demo.jobs:
        raise UsageError(f"--demo {demo.name}: its story has no job; that of dobermanifesto has")
    needs = demo.jobs if demo else (_need(request, limits, book),)
    plans = job_plans(needs, book, caps)
    info = book.info
    return JobAnswer(
        plans=plans,
        limits_as_of=stated_on(caps.as_of),
        calibration=next(calibration_note(caps), None),
        prices_as_of=info.as_of,
        network_prices_as_of=info.network_as_of,
        spot_prices_as_of=info.spot_as_of or info.as_of,
        prices_sha256=info.sha256,
        price_terms=info.terms,
        price_age=price_age(info, request.today, has_spot=True, folder=request.prices),
        changes=changes_of_jobs(plans, book),
    )


def job_plans(needs: tuple[JobNeed, ...], prices: PriceBook, caps: CapsBook) -> tuple[JobPlan, ...]:
    """Return the plan of each job: the one computation of the verb and of an audit's section."""
    return tuple(plan_job(need, prices, caps) for need in needs)


def _need(request: JobRequest, limits: CapsTable, prices: PriceBook) -> JobNeed:
    words = request.words
    if words.region is None:
        raise UsageError("give --region, where it runs, or a story's job: --demo dobermanifesto")
    _check_region("--region", words.region, prices)
    need = JobNeed(
        region=words.region,
        in_bytes=byte_count("--bytes-in", words.bytes_in) or 0,
        out_bytes=byte_count("--bytes-out", words.bytes_out) or 0,
        between_bytes=byte_count("--bytes-between", words.bytes_between) or 0,
        cpu_seconds=words.cpu_seconds,
        parallel_ratio=words.parallel,
        startup_s=seconds("--start-up", words.start_up),
        deadline_s=deadline_seconds("--deadline", words.deadline, request.now),
        overlap=_overlap(words.overlap),
        source=_end(words.source, words.region, prices),
        target=_end(words.target, words.region, prices),
        disk_mib_per_s=words.disk_mib_per_s,
        streams=words.streams,
        rtt_ms=words.rtt_ms,
        runs_per_month=_runs_per_month(words.runs_per_day),
        max_count=words.max_count,
        memory_gib=words.memory_gib,
        machine_types=words.machine_types,
        series=checked_series(words.series, limits),
        architecture=words.architecture,
        usage=_usage(words),
        interruptions_per_day=words.interruptions_per_day,
        lost_work_s=seconds("--spot-lost-work", words.lost_work),
        baseline_type=words.baseline,
        baseline_count=words.baseline_count,
    )
    _check(need, limits, prices)
    _check_of_nothing(words)
    return need


def _check_of_nothing(words: JobWords) -> None:
    """Raise for an option of what the job has not: it would be left out without a word."""
    for side, volume, end in (
        ("in", words.bytes_in, words.source),
        ("out", words.bytes_out, words.target),
    ):
        if volume is None and end != EndWords(option=end.option, place=JobPlace.ZONE):
            raise UsageError(
                f"{end.option}, --{side}-gbps and --{side}-total-gbps are of --bytes-{side}: give"
                " it, or leave them out"
            )
    if words.rtt_ms is not None and words.streams is None:
        raise UsageError("--rtt-ms is of --streams: give both")
    if words.baseline is None and words.baseline_count != 1:
        raise UsageError("--baseline-count is of --baseline: give both")


def _check(need: JobNeed, limits: CapsTable, prices: PriceBook) -> None:
    """Raise for what cannot be, before anything is worked out."""
    if not (need.in_bytes or need.out_bytes or need.between_bytes or need.cpu_seconds):
        raise UsageError(
            "a job moves or computes something: give --bytes-in, --bytes-out, --bytes-between or"
            " --cpu-seconds"
        )
    if need.between_bytes and need.max_count < 2:
        raise UsageError("--bytes-between is between machines: --max-count is at least 2 then")
    if need.startup_s and need.deadline_s and need.startup_s >= need.deadline_s:
        raise UsageError(
            f"--start-up of {need.startup_s:g} s leaves nothing of a --deadline of"
            f" {need.deadline_s:g} s"
        )
    for option, names in (
        ("--machine-type", need.machine_types),
        ("--baseline", (need.baseline_type,) if need.baseline_type else ()),
    ):
        for name in names:
            if prices.shape(name) is None:
                near = limits.nearest(name)
                hint = f"; the nearest names are {', '.join(near)}" if near else ""
                raise UsageError(f"{option} {name[:80]!r} is no machine type that is known{hint}")
    for option, volume, end in (
        ("--bytes-in", need.in_bytes, need.source),
        ("--bytes-out", need.out_bytes, need.target),
    ):
        side = option.removeprefix("--bytes-")
        if volume and end.place is JobPlace.STORAGE and end.gbps is None:
            raise UsageError(
                f"no document states what one machine moves from or to Cloud Storage: give what you"
                f" measured with --{side}-gbps (published figures: netplan predict --path"
                " google-apis)"
            )
        is_far = end.place in {JobPlace.REGION, JobPlace.INTERNET}
        if volume and is_far and need.streams is not None and need.rtt_ms is None:
            raise UsageError(f"--streams over that distance ({option}) needs --rtt-ms")


def _overlap(names: tuple[str, ...]) -> tuple[JobPhase, ...]:
    known = [phase.value for phase in JobPhase]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UsageError(f"--overlap {name[:40]!r}: phases are {', '.join(known)}{hint}")
    if len(set(names)) == 1:
        raise UsageError(f"--overlap {names[0]}: one phase overlaps nothing; name two or more")
    return tuple(phase for phase in JobPhase if phase.value in names)


def _end(words: EndWords, region: str, prices: PriceBook) -> JobEnd:
    kinds = [place.value for place in JobPlace if place is not JobPlace.REGION]
    end = JobEnd(gbps=words.gbps, total_gbps=words.total_gbps, area=words.area)
    if words.area is not None and words.place != JobPlace.INTERNET:
        raise UsageError(f"--area is of the internet: {words.option} internet")
    if words.place in kinds:
        return replace(end, place=JobPlace(words.place))
    _check_region(words.option, words.place, prices, f" (it is {', '.join(kinds)}, or a region)")
    if words.place == region:
        return replace(end, place=JobPlace.INTERNAL)
    return replace(end, place=JobPlace.REGION, region=words.place)


def _check_region(option: str, region: str, prices: PriceBook, also: str = "") -> None:
    known = prices.regions()
    if region not in known:
        near = nearest_names(region, known)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise UsageError(f"{option} {region[:80]!r} is no region that is known{also}{hint}")


def _runs_per_month(per_day: float | None) -> float | None:
    return None if per_day is None else per_day * HOURS_PER_MONTH / HOURS_PER_DAY


def _usage(words: JobWords) -> Usage:
    """Return the one way of paying.

    Raises:
        UsageError: If two are asked for, or what it needs is not told.
    """
    if len(words.usages) > 1:
        both = " and ".join(f"--{usage.value}" for usage in words.usages)
        raise UsageError(f"{both} exclude each other: a machine is paid in one way")
    usage = words.usages[0] if words.usages else Usage.ON_DEMAND
    if usage is Usage.SPOT and words.interruptions_per_day is None:
        raise UsageError(
            "--spot needs --spot-interruptions-per-day: Google documents no rate for Spot machines"
            " (docs/job.md says where yours can be read)"
        )
    if usage in COMMITTED and words.runs_per_day is None:
        raise UsageError(f"--{usage.value} needs --runs-per-day: a commitment is paid all month")
    return usage
