"""Answers that are blocks, each as a page of its own."""

from collections.abc import Iterable

from msgspec.structs import replace

from netplan_planner.model import Infeasible, JobPlan, MachinePlan
from netplan_planner.renderers.content import plans
from netplan_planner.renderers.document import Block, Title, line, plain
from netplan_planner.renderers.html.charts.front import Front, front
from netplan_planner.renderers.html.outline import parts
from netplan_planner.renderers.html.page import page
from netplan_planner.renderers.options import RenderOptions

ROWS = 40
MEMBERS = 50


def folding(options: RenderOptions) -> RenderOptions:
    """Return options of a medium that folds: more rows than a terminal has, and all sources."""
    return replace(
        options,
        folds=True,
        max_rows=ROWS if options.max_rows is None else options.max_rows,
        max_members=MEMBERS if options.max_members is None else options.max_members,
    )


def render_blocks(title: Title, blocks: Iterable[Block], figures: tuple[Front, ...] = ()) -> str:
    """Return any answer that is made of blocks as a page, its pictures above them."""
    values = {"title": title, "name": plain(title.line), "parts": list(parts(blocks))}
    return page("answer.html.j2", {**values, "fronts": figures})


def render_machine_plan(plan: MachinePlan | Infeasible, options: RenderOptions) -> str:
    """Return one answer to a wanted bandwidth as a page, with prices against bandwidth."""
    title = Title(line=line("Machine types"), basis=line(plan.need.region))
    if isinstance(plan, Infeasible):
        return render_blocks(title, plans.infeasible(plan, folding(options)))
    picture = front(plan)
    blocks = plans.machine_plan(plan, folding(options))
    return render_blocks(title, blocks, (picture,) if picture else ())


def render_job_plan(plan: JobPlan, options: RenderOptions) -> str:
    """Return one answer to a job as a page."""
    title = Title(line=line("Job"), basis=line(plan.need.region))
    return render_blocks(title, plans.job_plan(plan, folding(options)))
