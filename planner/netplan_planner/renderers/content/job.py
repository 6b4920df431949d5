"""The answer of `netplan job`: machines for a job, and what they rest on."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from netplan_planner.model import JobAnswer, JobOption, JobPlan, Rejected, Value
from netplan_planner.model.changes import PlanChanges
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, job_plans
from netplan_planner.renderers.content.changes import changes
from netplan_planner.renderers.document import Block, Para, line
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.job/1"
COLUMNS = (
    "job_number",
    "rank",
    "machine_type",
    "machine_count",
    "is_tier1",
    "cpu_platform",
    "usage",
    "is_front",
    "is_in_time",
    "vcpus",
    "memory_gib",
    "duration_s",
    "low_duration_s",
    "high_duration_s",
    "deadline_probability",
    "billed_s",
    "usd_per_run",
    "low_usd_per_run",
    "high_usd_per_run",
    "usd_per_month",
    "reason",
    "detail",
)
_DIGITS = 6


class Basis(Value, frozen=True, kw_only=True):
    """What the plans rest on."""

    price_age: str
    """That prices are old, and the command for newer ones; empty while they hold."""
    limits_as_of: date
    calibration: str | None
    """What it says of itself, where probes corrected the limits."""
    prices_as_of: date
    spot_prices_as_of: date
    network_prices_as_of: date
    prices_sha256: str
    price_terms: str
    """Of the contract, where prices are effective ones; empty: list prices."""
    is_feasible: bool
    """Whether there are machines for every job."""
    jobs: tuple[JobPlan, ...]
    changes: PlanChanges


def record(answer: JobAnswer) -> Basis:
    """Return what the plans rest on, and every field of them."""
    return Basis(
        price_age=answer.price_age,
        limits_as_of=answer.limits_as_of,
        calibration=answer.calibration,
        prices_as_of=answer.prices_as_of,
        spot_prices_as_of=answer.spot_prices_as_of,
        network_prices_as_of=answer.network_prices_as_of,
        prices_sha256=answer.prices_sha256,
        price_terms=answer.price_terms,
        is_feasible=all(plan.infeasible is None for plan in answer.plans),
        jobs=answer.plans,
        changes=answer.changes,
    )


def table(answer: JobAnswer) -> DataTable:
    """Return the ranking, the rest of the front, then what cannot be judged: no rank."""
    rows = (row for number, plan in enumerate(answer.plans, 1) for row in _rows(number, plan))
    return DataTable(COLUMNS, rows)


def _rows(number: int, plan: JobPlan) -> Iterator[tuple[Cell, ...]]:
    front = {_key(one) for one in plan.front}
    ranked = {_key(one) for one in plan.options}
    for place, option in enumerate(plan.options, 1):
        yield _row(number, plan, option, place, is_front=_key(option) in front)
    for option in plan.front:
        if _key(option) not in ranked:
            yield _row(number, plan, option, None, is_front=True)
    for refused in plan.unknown:
        yield _refused(number, refused)


def _key(option: JobOption) -> tuple[str, int, bool, str]:
    return option.machine_type, option.count, option.is_tier1, option.cpu_platform


def _row(
    number: int, plan: JobPlan, option: JobOption, place: int | None, *, is_front: bool
) -> tuple[Cell, ...]:
    deadline_s = plan.need.deadline_s
    return (
        number,
        place,
        option.machine_type,
        option.count,
        option.is_tier1,
        option.cpu_platform,
        option.usage.value,
        is_front,
        None if deadline_s is None else option.duration_s <= deadline_s * (1 + 1e-9),
        option.vcpus,
        option.memory_gib,
        _short(option.duration_s),
        _short(option.low_duration_s),
        None if option.high_duration_s is None else _short(option.high_duration_s),
        option.deadline_probability,
        option.billed_s,
        _money(option.usd_per_run),
        _money(option.low_usd_per_run),
        _money(option.high_usd_per_run),
        _money(option.usd_per_month),
        "",
        option.note,
    )


def _short(seconds: float) -> float:
    """Return a time with as many digits as anybody knows."""
    return float(f"{seconds:.{_DIGITS}g}")


def _money(usd: Decimal | None) -> Decimal | None:
    return None if usd is None else figures.exact(usd, figures.SUM_DECIMALS)


def _refused(number: int, refused: Rejected) -> tuple[Cell, ...]:
    told: dict[str, Cell] = {
        "job_number": number,
        "machine_type": refused.machine_type,
        "is_tier1": refused.is_tier1,
        "reason": refused.reason,
        "detail": refused.detail,
    }
    return tuple(told.get(name) for name in COLUMNS)


def blocks(answer: JobAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield each job, then what the figures rest on."""
    if answer.price_age:
        yield Para(line=line(answer.price_age))
    for plan in answer.plans:
        yield from job_plans.job_plan(plan, options)
    yield from changes(answer.changes, options)
    own = f"The contract's prices where it names one ({answer.price_terms}), else list prices"
    kind = own if answer.price_terms else "List prices"
    yield Para(
        line=line(
            f"{kind} of {answer.prices_as_of} in USD, Spot of {answer.spot_prices_as_of}, traffic"
            f" of {answer.network_prices_as_of}, without disks, addresses and licences; limits of"
            f" {answer.limits_as_of}. Machines are made for a run and paid by the second, at least"
            " a minute. Intervals hold 90 % of cases of the throughput; CPU time is as told."
        )
    )
    if answer.calibration:
        yield Para(line=line(answer.calibration))
    if options.currency is not None:
        yield Para(line=line(options.currency.assumption))
