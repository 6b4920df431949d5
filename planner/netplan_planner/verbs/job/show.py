"""What the answer of `netplan job` says: machines for a job, and what they rest on."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from netplan_planner.model import JobOption, JobPlan, Rejected
from netplan_planner.planning.show import basis
from netplan_planner.renderers import figures
from netplan_planner.renderers.columns import Columns
from netplan_planner.renderers.content import Cell, DataTable, job_plans
from netplan_planner.renderers.content.plans import changes
from netplan_planner.renderers.document import Block
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.job.answer import JobAnswer

SCHEMA = "netplan.job/1"
_DIGITS = 6
_money = figures.exact_sum


class _Row(NamedTuple):
    number: int
    plan: JobPlan
    machines: JobOption | Rejected
    rank: int | None = None
    is_front: bool | None = None


def _of(name: str, as_cell: Callable[[JobOption], Cell] | None = None) -> Callable[[_Row], Cell]:
    """Return what a cell holds of machines that can be judged; of others it is not known."""

    def cell(row: _Row) -> Cell:
        option = row.machines
        if not isinstance(option, JobOption):
            return None
        found: Cell = getattr(option, name) if as_cell is None else as_cell(option)
        return found

    return cell


def _short(seconds: float | None) -> float | None:
    """Return a time with as many digits as anybody knows."""
    return None if seconds is None else float(f"{seconds:.{_DIGITS}g}")


def _is_in_time(row: _Row) -> bool | None:
    deadline_s, option = row.plan.need.deadline_s, row.machines
    if deadline_s is None or not isinstance(option, JobOption):
        return None
    return option.duration_s <= deadline_s * (1 + 1e-9)


COLUMNS = Columns[_Row](
    job_number=lambda row: row.number,
    rank=lambda row: row.rank,
    machine_type=lambda row: row.machines.machine_type,
    machine_count=_of("count"),
    is_tier1=lambda row: row.machines.is_tier1,
    cpu_platform=_of("cpu_platform"),
    usage=_of("usage", lambda option: option.usage.value),
    is_front=lambda row: row.is_front,
    is_in_time=_is_in_time,
    vcpus=_of("vcpus"),
    memory_gib=_of("memory_gib"),
    duration_s=_of("duration_s", lambda option: _short(option.duration_s)),
    low_duration_s=_of("low_duration_s", lambda option: _short(option.low_duration_s)),
    high_duration_s=_of("high_duration_s", lambda option: _short(option.high_duration_s)),
    deadline_probability=_of("deadline_probability"),
    billed_s=_of("billed_s"),
    usd_per_run=_of("usd_per_run", lambda option: _money(option.usd_per_run)),
    low_usd_per_run=_of("low_usd_per_run", lambda option: _money(option.low_usd_per_run)),
    high_usd_per_run=_of("high_usd_per_run", lambda option: _money(option.high_usd_per_run)),
    usd_per_month=_of("usd_per_month", lambda option: _money(option.usd_per_month)),
    reason=lambda row: row.machines.reason if isinstance(row.machines, Rejected) else "",
    detail=lambda row: (
        row.machines.detail if isinstance(row.machines, Rejected) else row.machines.note
    ),
)


def table(answer: JobAnswer) -> DataTable:
    """Return the ranking, the rest of the front, then what cannot be judged: no rank."""
    return COLUMNS.table(row for at, plan in enumerate(answer.jobs, 1) for row in _rows(at, plan))


def _rows(number: int, plan: JobPlan) -> Iterator[_Row]:
    front = {_key(one) for one in plan.front}
    ranked = {_key(one) for one in plan.options}
    for rank, option in enumerate(plan.options, 1):
        yield _Row(number, plan, option, rank, _key(option) in front)
    for option in plan.front:
        if _key(option) not in ranked:
            yield _Row(number, plan, option, is_front=True)
    for refused in plan.unknown:
        yield _Row(number, plan, refused)


def _key(option: JobOption) -> tuple[str, int, bool, str]:
    return option.machine_type, option.count, option.is_tier1, option.cpu_platform


def blocks(answer: JobAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield each job, then what the figures rest on."""
    for plan in answer.jobs:
        yield from job_plans.job_plan(plan, options)
    yield from changes(answer.changes, options)
    yield from basis(
        answer,
        options,
        without="disks, addresses and licences",
        paid="VMs are created for a run and billed per second, one minute at least. "
        "Intervals cover 90% of throughput cases. CPU time is as stated.",
    )
