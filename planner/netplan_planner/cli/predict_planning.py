"""What a person can plan with beside the likely value, as lines of text."""

from collections.abc import Iterator

from netplan_planner.engine.predict_path import PathAnswer
from netplan_planner.engine.predict_plan import Planning, StreamRate
from netplan_planner.inert import inert
from netplan_planner.renderers.content.phrases import limit_words
from netplan_planner.renderers.figures import dollars, interval, rate, unit_price, volume

_ONE_CORE_IS = "a tool of one thread (iperf3 before 3.16), one receive queue, one tunnel"


def planning_lines(answer: PathAnswer) -> Iterator[str]:
    """Yield the figures to plan with: by core, by number of streams; the doubt and the quota."""
    plan, found = answer.planning, answer.estimate
    core = plan.one_core
    if core is not None and found.gbps is not None:
        span = interval(core.gbps, core.low_gbps, core.high_gbps)
        yield "  to plan with:"
        yield f"    likely         {rate(found.gbps)}, where flows spread over queues and cores"
        yield f"    one core       {rate(core.gbps)} {span}, where one carries all: {_ONE_CORE_IS}"
        if plan.cap_gbps is not None:
            yield f"    cap            {rate(plan.cap_gbps)}, documented; a ceiling, no promise"
        yield f"    what decides   {plan.probe}"
    if plan.by_streams:
        yield "  by number of parallel streams (--streams):"
        width = max(len(f"{one.streams}") for one in plan.by_streams)
        yield from (_streams(one, width) for one in plan.by_streams)
    if plan.doubt:
        yield f"  doubt: {inert(plan.doubt)}"
    if plan.quota:
        yield f"  holds too: {inert(plan.quota)}; its value is not known here (--quota-gbps)"


def _streams(one: StreamRate, width: int) -> str:
    if one.gbps is None:
        return f"    {one.streams:>{width}}  unknown"
    span = interval(one.gbps, one.low_gbps or 0.0, one.high_gbps or 0.0)
    why = limit_words(one.binding_limit) if one.binding_limit else ""
    return f"    {one.streams:>{width}}  {rate(one.gbps)} {span}{f', {why}' if why else ''}"


def cost_lines(plan: Planning) -> Iterator[str]:
    """Yield what the transfer costs, with its line items."""
    cost = plan.cost
    if cost is None:
        return
    if cost.usd is None:
        yield f"  costs an unknown amount: {inert(cost.why_unknown)}"
        return
    if cost.high_usd is not None:
        yield (
            f"  costs {dollars(cost.usd)} to {dollars(cost.high_usd)} by where the receiver is:"
            f" {volume(cost.gib)} with headers, prices of {cost.prices_as_of}"
        )
        return
    paid = [line for line in cost.line_items if line.usd_per_month]
    lines = "; ".join(
        f"{volume(line.quantity)} at {unit_price(line.unit_price_usd)} per GiB" for line in paid
    )
    detail = f": {lines}" if lines else f" for {volume(cost.gib)}"
    yield f"  costs {dollars(cost.usd)}{detail}, headers counted, prices of {cost.prices_as_of}"
