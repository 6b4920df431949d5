"""Answers that are blocks, each as a page of its own."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from netplan_planner.model import Evaluation, JobAnswer, MachinePlan, Recommendation
from netplan_planner.model.forecast import ForecastAnswer
from netplan_planner.model.placement import Placement
from netplan_planner.model.probe_results import ProbeResults
from netplan_planner.model.traffic_graph import TrafficGraph
from netplan_planner.model.transfer import TransferAnswer
from netplan_planner.model.whatif import WhatifAnswer
from netplan_planner.renderers import content
from netplan_planner.renderers.document import Block, Entry, Title, line, plain
from netplan_planner.renderers.html.charts.agreement import Agreement
from netplan_planner.renderers.html.charts.agreement import agreement as agreement_of
from netplan_planner.renderers.html.charts.before_after import BeforeAfter, before_after
from netplan_planner.renderers.html.charts.cost_time import (
    CostTime,
    cost_time,
    cost_time_of_transfer,
)
from netplan_planner.renderers.html.charts.forecast import ForecastPicture
from netplan_planner.renderers.html.charts.forecast import pictures as forecast_pictures
from netplan_planner.renderers.html.charts.front import Front
from netplan_planner.renderers.html.charts.front import front as front_of
from netplan_planner.renderers.html.charts.savings import Savings
from netplan_planner.renderers.html.charts.savings import savings as savings_of
from netplan_planner.renderers.html.charts.traffic_graph import GraphPicture, picture
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


def render_blocks(
    title: Title,
    blocks: Iterable[Block],
    *,
    front: Front | None = None,
    agreement: Agreement | None = None,
    graph: GraphPicture | None = None,
    cost_times: Sequence[CostTime] = (),
    machines: BeforeAfter | None = None,
    forecasts: Sequence[ForecastPicture] = (),
    savings: Savings | None = None,
) -> str:
    """Return any answer that is made of blocks as a page, its picture above them."""
    values = {"title": title, "name": plain(title.line), "parts": list(parts(blocks))}
    pictures = {
        "front": front,
        "agreement": agreement,
        "graph": graph,
        "cost_times": cost_times,
        "machines": machines,
        "forecasts": forecasts,
        "savings": savings,
    }
    return page("answer.html.j2", {**values, **pictures})


def render_answer(answer: object, options: RenderOptions) -> str:
    """Return any answer but an audit's as a page, with its picture.

    Of a recommendation that is the Pareto front, of a job or a transfer cost against time, of a
    placement what its moves save, of changes the rates of machines, of measurements what was
    predicted of them, of a traffic graph its greatest edges, of a forecast its series.
    """
    blocks = list(content.blocks(answer, folding(options)))
    title = _title(blocks)
    if isinstance(answer, Recommendation) and isinstance(answer.plan, MachinePlan):
        return render_blocks(title, blocks, front=front_of(answer.plan, options.currency))
    if isinstance(answer, JobAnswer):
        found = (cost_time(plan, options.currency) for plan in answer.plans)
        return render_blocks(title, blocks, cost_times=[one for one in found if one])
    if isinstance(answer, ForecastAnswer):
        return render_blocks(title, blocks, forecasts=forecast_pictures(answer))
    if isinstance(answer, Placement):
        return render_blocks(title, blocks, savings=savings_of(answer, options.currency))
    if isinstance(answer, TransferAnswer):
        one = cost_time_of_transfer(answer.plan, options.currency)
        return render_blocks(title, blocks, cost_times=[one] if one else [])
    if isinstance(answer, Evaluation | ProbeResults):
        return render_blocks(title, blocks, agreement=agreement_of(answer))
    if isinstance(answer, TrafficGraph):
        return render_blocks(title, blocks, graph=picture(answer, options.currency))
    if isinstance(answer, WhatifAnswer):
        return render_blocks(title, blocks, machines=before_after(answer))
    return render_blocks(title, blocks)


def _title(blocks: list[Block]) -> Title:
    """Take the title out of the blocks; without one, the first heading names the page."""
    for at, block in enumerate(blocks):
        if isinstance(block, Title):
            del blocks[at]
            return block
    heading = next((block.line for block in blocks if isinstance(block, Entry)), line("netplan"))
    return Title(line=heading, basis=())
